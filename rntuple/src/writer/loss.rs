//! What was lost, in which threads, and why.

use crate::error::Error;
use crate::message::counted;

/// How many reasons are written out.
const SHOWN: usize = 4;

/// Everything that went wrong with one ntuple, in the order in which it did.
#[derive(Debug, Default)]
pub(super) struct Losses {
    list: Vec<Loss>,
    /// The ntuple takes no more entries.
    is_stopped: bool,
}

/// All that was lost for one reason.
#[derive(Debug)]
struct Loss {
    cause: Error,
    entries: u64,
    /// Unfinished clusters that these entries were in.
    clusters: u64,
    /// Names of the threads that filled them.
    threads: Vec<String>,
}

impl Losses {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Nothing more is taken.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Whether nothing more is taken.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Entries of an unfinished cluster are lost, or with 0 of them something else went wrong.
    pub(super) fn add(&mut self, cause: &Error, entries: u64, thread: Option<String>) {
        let cause = cause.clone().widen(str::to_owned);
        let is_known = |loss: &Loss| loss.cause.message() == cause.message();
        let known = self.list.iter().position(is_known).unwrap_or(self.list.len());
        if known == self.list.len() {
            self.list.push(Loss { cause, entries: 0, clusters: 0, threads: Vec::new() });
        }
        let Some(loss) = self.list.get_mut(known) else { return };
        if entries > 0 {
            loss.entries += entries;
            loss.clusters += 1;
            loss.threads.extend(thread.filter(|name| !loss.threads.contains(name)));
        }
    }

    /// All of it in one error, of the kind of the first; `None` if nothing was lost.
    pub(super) fn error(&self) -> Option<Error> {
        self.error_and("")
    }

    /// All of it in one error that ends with `rest`, the outcome.
    pub(super) fn error_and(&self, rest: &str) -> Option<Error> {
        let first = self.list.first()?;
        let mut parts: Vec<String> = self.list.iter().take(SHOWN).map(Loss::text).collect();
        let left = self.list.get(SHOWN..).unwrap_or_default();
        if !left.is_empty() {
            let entries = left.iter().map(|loss| loss.entries).sum();
            parts.push(format!("{} were lost for other reasons", counted(entries, "more entry")));
        }
        if !rest.is_empty() {
            parts.push(rest.to_owned());
        }
        Some(first.cause.clone().rephrase(|_| parts.join("; ")))
    }
}

impl Loss {
    fn text(&self) -> String {
        let Self { cause, entries, clusters, threads } = self;
        let reason = cause.message();
        if *entries == 0 {
            return reason.to_owned();
        }
        let entries_text = counted(*entries, "entry");
        let clusters = if *clusters == 1 {
            "an unfinished cluster".to_owned()
        } else {
            format!("{clusters} unfinished clusters")
        };
        let were = if *entries == 1 { "was" } else { "were" };
        let quoted: Vec<String> = threads.iter().map(|name| format!("{name:?}")).collect();
        let place = match &*quoted {
            [] => String::new(),
            [one] => format!(" in thread {one}"),
            several => format!(" in threads {}", several.join(", ")),
        };
        format!("{entries_text} of {clusters} {were} lost{place}: {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn losses_of_one_reason_are_added_up() {
        let mut losses = Losses::default();
        assert!(losses.is_empty() && losses.error().is_none());
        for (entries, thread) in [(7, "fill 2"), (5, "fill 0"), (1, "fill 2")] {
            let full = Error::from(std::io::Error::other("no space")).in_file("events.root");
            losses.add(&full, entries, Some(thread.to_owned()));
        }
        losses.add(&Error::invalid_argument("a value"), 1, None);
        losses.add(&Error::invalid_argument("a panic"), 0, None);
        let error = losses.error_and("30 entries can be read").unwrap();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.io_error().is_some());
        assert_eq!(
            error.to_string(),
            "events.root: 13 entries of 3 unfinished clusters were lost in threads \"fill 2\", \"fill 0\": no space; \
             1 entry of an unfinished cluster was lost: a value; a panic; 30 entries can be read"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let mut losses = Losses::default();
        (0..10).for_each(|number| losses.add(&Error::limit(format!("reason {number}")), 2, None));
        let text = losses.error().unwrap().to_string();
        assert!(text.contains("reason 3; 12 more entries were lost for other reasons"), "{text}");
        assert!(!text.contains("reason 4"), "{text}");
    }
}
