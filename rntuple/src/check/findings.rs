//! What was found so far.

use super::report::{Note, NoteKind, Verdict};
use crate::error::{Error, ErrorKind};

/// Paths are cut after so many characters: a hostile name must not be repeated ten thousand times.
const PATH_SHOWN: usize = 1000;

/// A limited number of findings, and the number of all of them.
#[derive(Debug)]
pub(super) struct Kept<T> {
    kept: Vec<T>,
    left_out: u64,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), left_out: 0 }
    }
}

impl<T> Kept<T> {
    pub(super) fn into_parts(self) -> (Vec<T>, u64) {
        (self.kept, self.left_out)
    }

    pub(super) fn count(&self) -> u64 {
        self.left_out.saturating_add(self.kept.len() as u64)
    }

    /// Adds one more; beyond the limit it is not even made.
    fn add(&mut self, limit: usize, make: impl FnOnce() -> T) {
        if self.kept.len() < limit {
            self.kept.push(make());
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }
}

/// Collects faults and notes, and adds the file and the ntuple to each.
#[derive(Debug)]
pub(super) struct Findings {
    file: String,
    ntuple: Option<String>,
    limit: usize,
    pub(super) faults: Kept<Error>,
    pub(super) notes: Kept<Note>,
    verdict: Verdict,
}

impl Findings {
    pub(super) fn new(file: &str, limit: usize) -> Self {
        Self {
            file: shorten(file.to_owned()),
            ntuple: None,
            limit,
            faults: Kept::default(),
            notes: Kept::default(),
            verdict: Verdict::Sound,
        }
    }

    /// Everything from now on is about this ntuple.
    pub(super) fn enter(&mut self, ntuple: &str) {
        self.ntuple = Some(shorten(ntuple.to_owned()));
    }

    /// Everything from now on is about the file.
    pub(super) fn leave(&mut self) {
        self.ntuple = None;
    }

    /// What follows from all findings so far.
    pub(super) fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Adds an error: as a note if it says that something could not be checked, otherwise as a fault.
    pub(super) fn add(&mut self, error: Error) {
        match error.kind() {
            ErrorKind::Unsupported | ErrorKind::FeatureDisabled => self.note(NoteKind::Unchecked, || error),
            _ => self.fault(|| error),
        }
    }

    /// Adds a fault.
    pub(super) fn fault(&mut self, make: impl FnOnce() -> Error) {
        self.verdict = Verdict::Damaged;
        let (file, ntuple) = (&self.file, self.ntuple.as_deref());
        self.faults.add(self.limit, || locate(make(), file, ntuple));
    }

    /// Adds a note.
    pub(super) fn note(&mut self, kind: NoteKind, make: impl FnOnce() -> Error) {
        self.verdict = self.verdict.max(kind.verdict());
        let (file, ntuple) = (&self.file, self.ntuple.as_deref());
        self.notes.add(self.limit, || Note { kind, error: locate(make(), file, ntuple) });
    }
}

fn locate(error: Error, file: &str, ntuple: Option<&str>) -> Error {
    match ntuple {
        Some(path) => error.in_ntuple(path),
        None => error,
    }
    .in_file(file)
}

/// The path, or its beginning.
pub(super) fn shorten(mut path: String) -> String {
    if let Some((end, _)) = path.char_indices().nth(PATH_SHOWN) {
        path.truncate(end);
        path.push('…');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_beyond_the_limit_are_counted_and_not_made() {
        let mut findings = Findings::new("f", 1);
        findings.enter("Events");
        assert_eq!(findings.verdict(), Verdict::Sound);
        findings.add(Error::unsupported("new"));
        assert_eq!(findings.verdict(), Verdict::Incomplete);
        findings.add(Error::out_of_spec("bad"));
        findings.fault(|| unreachable!("made beyond the limit"));
        findings.note(NoteKind::Remark, || unreachable!("made beyond the limit"));
        assert_eq!((findings.faults.count(), findings.notes.count()), (2, 2));
        assert_eq!(findings.verdict(), Verdict::Damaged);
        let (faults, left_out) = findings.faults.into_parts();
        assert_eq!((faults[0].to_string().as_str(), left_out), ("f: Events: bad", 1));
    }

    #[test]
    fn long_paths_are_cut() {
        assert_eq!(shorten("ä".repeat(5000)).chars().count(), PATH_SHOWN + 1);
        assert_eq!(shorten("a.b".to_owned()), "a.b");
    }
}
