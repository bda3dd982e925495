//! What the directories of a file list.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::datetime::Datetime;
use super::directory::Directory;
use super::key::Key;
use super::names::PATH_LIMIT;
use crate::error::{Error, Result};

/// The class of an anchor.
pub(super) const ANCHOR_CLASS: &str = "ROOT::RNTuple";
/// The class of a pre-release anchor.
const PRE_RELEASE_CLASS: &str = "ROOT::Experimental::RNTuple";

/// What a key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// An ntuple of format version 1.
    Ntuple,
    /// An ntuple from before the format was released; its anchor has its [`FormatVersion`](crate::root::FormatVersion).
    PreRelease,
    /// A directory.
    Directory,
    /// Any other object, a histogram or a tree.
    Other,
}

impl KeyKind {
    pub(crate) fn of(class: &str) -> Self {
        match class {
            ANCHOR_CLASS => Self::Ntuple,
            PRE_RELEASE_CLASS => Self::PreRelease,
            "TDirectory" | "TDirectoryFile" => Self::Directory,
            _ => Self::Other,
        }
    }

    /// Whether it is an ntuple, of whatever format.
    pub(crate) fn is_ntuple(self) -> bool {
        matches!(self, Self::Ntuple | Self::PreRelease)
    }
}

/// A key that a directory of a file lists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileKey {
    /// Path of the directory, `a/b`; empty for the root directory.
    pub directory: Arc<str>,
    /// Name within the directory.
    pub name: String,
    /// Title; most often empty.
    pub title: String,
    /// Class of the object in C++.
    pub class: String,
    /// Tells objects of one name apart; the highest one is the latest.
    pub cycle: u16,
    /// Offset of the object's record in the file.
    pub offset: u64,
    /// Bytes of the record on storage, key included.
    pub size: u64,
    /// Bytes of the object when it is not compressed.
    pub length: u64,
    /// When the object was written.
    pub written: Datetime,
    /// What the key leads to.
    pub kind: KeyKind,
}

impl FileKey {
    pub(super) fn new(directory: &Arc<str>, key: &Key) -> Self {
        Self {
            directory: directory.clone(),
            name: key.name.clone(),
            title: key.title.clone(),
            class: key.class.clone(),
            cycle: key.cycle,
            offset: key.offset,
            size: key.size.into(),
            length: key.length.into(),
            written: key.written,
            kind: KeyKind::of(&key.class),
        }
    }

    /// Directory and name: `a/b/Events`.
    pub fn path(&self) -> String {
        join(&self.directory, &self.name)
    }
}

pub(super) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// One directory and what it lists.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) path: Arc<str>,
    pub(super) record: Directory,
    /// Where `record` stands.
    pub(super) numbers_at: u64,
    /// The key of the list itself, as found in front of it; `None`: the directory has no list.
    pub(super) list: Option<Key>,
    pub(super) keys: Vec<Key>,
}

impl Listing {
    /// Everything that is listed, older cycles included.
    pub(super) fn file_keys(&self) -> impl Iterator<Item = FileKey> {
        self.keys.iter().map(|key| FileKey::new(&self.path, key))
    }

    /// The keys that `select` picks, each name once: ROOT takes the highest cycle.
    pub(super) fn latest(&self, select: impl Fn(KeyKind) -> bool) -> Vec<&Key> {
        let mut latest: Vec<&Key> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        for key in self.keys.iter().filter(|key| select(KeyKind::of(&key.class))) {
            let place = *index.entry(&key.name).or_insert(latest.len());
            match latest.get_mut(place) {
                Some(known) if known.cycle < key.cycle => *known = key,
                Some(_) => {}
                None => latest.push(key),
            }
        }
        latest
    }

    /// Everything else, each name with its latest cycle.
    pub(super) fn others(&self) -> Vec<FileKey> {
        let latest = self.latest(|kind| !kind.is_ntuple());
        latest.into_iter().map(|key| FileKey::new(&self.path, key)).collect()
    }

    /// The ntuples, each with its latest cycle.
    pub(super) fn ntuples(&self) -> Vec<(FileKey, &Key)> {
        let latest = self.latest(KeyKind::is_ntuple);
        latest.into_iter().map(|key| (FileKey::new(&self.path, key), key)).collect()
    }
}

/// A way through all directories of a file, each once, a directory before what is in it. The caller reads them, and asks for
/// the next one.
#[derive(Debug)]
pub(super) struct Walk {
    /// Paths and keys of directories to come, the next one last. The root directory has no key.
    pending: Vec<(Arc<str>, Option<Key>)>,
    /// Records of directories seen: a directory may point at one above it.
    seen: HashSet<u64>,
    /// Bytes of key lists that may still be read: in a sound file they do not overlap.
    budget: u64,
}

impl Walk {
    /// From the root directory of a file whose records are between `begin` and `end`.
    pub(super) fn new(begin: u64, end: u64) -> Self {
        Self { pending: vec![("".into(), None)], seen: HashSet::from([begin]), budget: end }
    }

    /// Path and key of the next directory.
    pub(super) fn next_place(&mut self) -> Option<(Arc<str>, Option<Key>)> {
        self.pending.pop()
    }

    /// Whether the list of this key may be read.
    ///
    /// # Errors
    /// Together the lists have more bytes than the file.
    pub(super) fn allow(&mut self, list: &Key) -> Result<()> {
        match self.budget.checked_sub(list.size.into()) {
            Some(budget) => self.budget = budget,
            None => return Err(Error::out_of_spec("the key lists together are bigger than the file")),
        }
        Ok(())
    }

    /// The directories in one that was read are the next ones.
    ///
    /// # Errors
    /// One of them is too deep.
    pub(super) fn enter(&mut self, listing: &Listing) -> Result<()> {
        // The next one to read is the last one pushed.
        for key in listing.latest(|kind| kind == KeyKind::Directory).into_iter().rev() {
            if !self.seen.insert(key.offset) {
                continue;
            }
            let path = join(&listing.path, &key.name);
            if path.len() > PATH_LIMIT {
                return Err(Error::limit(format!("directories deeper than {PATH_LIMIT} bytes of path")));
            }
            self.pending.push((path.into(), Some(key.clone())));
        }
        Ok(())
    }
}
