//! What was found so far.

use crate::error::{Error, ErrorKind};

/// Paths are cut after so many characters: a hostile name must not be repeated ten thousand times.
const PATH_SHOWN: usize = 1000;

/// At most so many errors, and the number of all of them.
#[derive(Debug, Default)]
pub(super) struct Kept {
    errors: Vec<Error>,
    left_out: u64,
}

impl Kept {
    pub(super) fn into_parts(self) -> (Vec<Error>, u64) {
        (self.errors, self.left_out)
    }

    pub(super) fn count(&self) -> u64 {
        self.left_out.saturating_add(self.errors.len() as u64)
    }
}

/// Collects faults and notes, and adds the file and the ntuple to each.
#[derive(Debug)]
pub(super) struct Findings {
    file: String,
    ntuple: Option<String>,
    limit: usize,
    pub(super) faults: Kept,
    pub(super) notes: Kept,
}

impl Findings {
    pub(super) fn new(file: &str, limit: usize) -> Self {
        Self {
            file: shorten(file.to_owned()),
            ntuple: None,
            limit,
            faults: Kept::default(),
            notes: Kept::default(),
        }
    }

    /// Everything from now on is about this ntuple.
    pub(super) fn enter(&mut self, ntuple: &str) {
        self.ntuple = Some(shorten(ntuple.to_owned()));
    }

    /// Adds an error: as a note if it says that something could not be checked, otherwise as a fault.
    pub(super) fn add(&mut self, error: Error) {
        match error.kind() {
            ErrorKind::Unsupported | ErrorKind::FeatureDisabled => self.note(|| error),
            _ => self.fault(|| error),
        }
    }

    /// Adds a fault; beyond the limit it is not even made.
    pub(super) fn fault(&mut self, make: impl FnOnce() -> Error) {
        keep(&mut self.faults, self.limit, &self.file, self.ntuple.as_deref(), make);
    }

    /// Adds a note.
    pub(super) fn note(&mut self, make: impl FnOnce() -> Error) {
        keep(&mut self.notes, self.limit, &self.file, self.ntuple.as_deref(), make);
    }
}

fn keep(kept: &mut Kept, limit: usize, file: &str, ntuple: Option<&str>, make: impl FnOnce() -> Error) {
    if kept.errors.len() >= limit {
        kept.left_out = kept.left_out.saturating_add(1);
        return;
    }
    let error = match ntuple {
        Some(path) => make().in_ntuple(path),
        None => make(),
    };
    kept.errors.push(error.in_file(file));
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
        findings.add(Error::out_of_spec("bad"));
        findings.fault(|| unreachable!("made beyond the limit"));
        findings.add(Error::unsupported("new"));
        assert_eq!((findings.faults.count(), findings.notes.count()), (2, 1));
        let (faults, left_out) = findings.faults.into_parts();
        assert_eq!((faults[0].to_string().as_str(), left_out), ("f: Events: bad", 1));
    }

    #[test]
    fn long_paths_are_cut() {
        assert_eq!(shorten("ä".repeat(5000)).chars().count(), PATH_SHOWN + 1);
        assert_eq!(shorten("a.b".to_owned()), "a.b");
    }
}
