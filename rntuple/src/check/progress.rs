//! What is said about a check while it runs.

/// How far a check has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Path of the ntuple.
    pub ntuple: &'a str,
    /// Its entries so far.
    pub entries: u64,
    /// All its entries, as the footer has them.
    pub entry_count: u64,
    /// Pages so far, of all ntuples.
    pub pages: u64,
    /// Their bytes on storage.
    pub bytes: u64,
}

pub(super) type ProgressCallback<'a> = Box<dyn FnMut(&Progress<'_>) + 'a>;
