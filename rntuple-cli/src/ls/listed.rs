//! What of a file can be listed.

use std::path::Path;

use rntuple::root::{FileKey, KeyKind};
use rntuple::{Dataset, Error, ErrorKind, Limits, RootFile};

use super::compression::Codecs;

/// Attribute sets of an ntuple that are listed: a footer may link one of many fields again and again.
pub(super) const SETS_SHOWN: usize = 100;

/// A file, as far as it can be read.
pub(super) struct Listed {
    pub(super) file: RootFile,
    pub(super) ntuples: Vec<FileKey>,
    /// Neither ntuples nor directories.
    pub(super) others: Vec<FileKey>,
}

impl Listed {
    pub(super) fn open(path: &Path, limits: Limits) -> Result<Self, Error> {
        let file = RootFile::open(path)?.with_limits(limits);
        let ntuples = file.ntuples()?;
        let others = file.keys()?.into_iter().filter(|key| key.kind == KeyKind::Other).collect();
        Ok(Self { file, ntuples, others })
    }

    /// Each ntuple as far as it can be read, one at a time: many may share what describes them, and each is limited.
    pub(super) fn ntuples(&self) -> impl Iterator<Item = (&FileKey, Result<Ntuple, Error>)> {
        self.ntuples.iter().map(|key| (key, Dataset::open(&self.file, &key.path()).and_then(Ntuple::new)))
    }
}

/// An ntuple or an attribute set whose description can be read as a whole.
pub(super) struct Ntuple {
    pub(super) dataset: Dataset,
    pub(super) compression: Codecs,
}

impl Ntuple {
    fn new(dataset: Dataset) -> Result<Self, Error> {
        Ok(Self { compression: Codecs::of(&dataset)?, dataset })
    }
}

/// What is reported about an ntuple that was listed.
pub(super) fn errors(key: &FileKey, ntuple: Result<Ntuple, Error>) -> Vec<Error> {
    match ntuple {
        // Recognised and listed as such.
        Err(error) if is_too_old(key, &error) => Vec::new(),
        Err(error) => vec![error],
        Ok(Ntuple { dataset, .. }) => {
            let errors = attribute_sets(&dataset).filter_map(|(_, set)| set.err());
            // Of a later version, and listed as such.
            errors.filter(|error| error.kind() != ErrorKind::Unsupported).collect()
        }
    }
}

/// The sets that are listed.
pub(super) fn attribute_sets(dataset: &Dataset) -> impl Iterator<Item = (&str, Result<Ntuple, Error>)> {
    let sets = dataset.attribute_sets().iter().take(SETS_SHOWN);
    sets.map(|set| (&*set.name, dataset.attribute_set(&set.name).and_then(Ntuple::new)))
}

/// Whether the ntuple has a layout that is no longer supported, which is not a fault.
pub(super) fn is_too_old(key: &FileKey, error: &Error) -> bool {
    key.kind == KeyKind::PreRelease && error.kind() == ErrorKind::Unsupported
}
