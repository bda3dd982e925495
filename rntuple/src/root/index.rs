//! Where each ntuple of a file is, remembered: opening many of them reads each directory once.

use std::collections::HashMap;
use std::sync::Arc;

use super::key::Key;
use super::listing::{FileKey, KeyKind, Listing, Walk, join};
use crate::error::{Error, Result};

/// What a file's keys may take in memory between two look-ups; beyond that, the directories are read again.
const MEMORY_LIMIT: usize = 64 << 20;
/// A key in memory, its path and its place in the table, without the texts.
const KEY_SIZE: usize = size_of::<Key>() + size_of::<(Arc<str>, String, usize)>();

/// The ntuples of the directories that were read so far.
#[derive(Debug)]
pub(super) struct Index {
    /// The directories to come; `None`: nothing was read.
    walk: Option<Walk>,
    /// Directory and key of each ntuple, in the order of the directories.
    found: Vec<(Arc<str>, Key)>,
    /// Positions in `found`.
    by_path: HashMap<String, usize>,
    /// Bytes that all this takes, about.
    size: usize,
    limit: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self { walk: None, found: Vec::new(), by_path: HashMap::new(), size: 0, limit: MEMORY_LIMIT }
    }
}

/// The answer to a look-up.
pub(super) enum Found {
    /// The key that a directory lists, and the whole of it.
    Key(FileKey, Key),
    /// There is no such ntuple. There are these, and one directory cannot be read.
    Nothing(Vec<FileKey>, Option<Error>),
}

impl Index {
    /// Looks for the ntuple at `path`, in directories that were not read yet only where it must: `next` reads the next
    /// one, from the first on where there is no walk.
    pub(super) fn find(
        &mut self,
        path: &str,
        mut next: impl FnMut(&mut Option<Walk>) -> Option<Result<Listing>>,
    ) -> Found {
        let mut fault = None;
        let found = loop {
            if let Some((directory, key)) = self.by_path.get(path).and_then(|&place| self.found.get(place)) {
                break Found::Key(FileKey::new(directory, key), key.clone());
            }
            match next(&mut self.walk) {
                Some(Ok(listing)) => self.add(&listing),
                // A damaged directory hides what is in it, not what is in others.
                Some(Err(error)) => drop(fault.get_or_insert(error)),
                None => {
                    let keys = self.found.iter().map(|(directory, key)| FileKey::new(directory, key));
                    break Found::Nothing(keys.collect(), fault.take());
                }
            }
        };
        // What could not be read may be readable the next time.
        if fault.is_some() || matches!(found, Found::Nothing(_, Some(_))) || self.size > self.limit {
            *self = Self { limit: self.limit, ..Self::default() };
        }
        found
    }

    fn add(&mut self, listing: &Listing) {
        for key in listing.latest(KeyKind::is_ntuple) {
            let path = join(&listing.path, &key.name);
            let texts = path.len() + key.name.len() + key.title.len() + key.class.len();
            self.size = self.size.saturating_add(KEY_SIZE + texts);
            // A slash in a name is not one between a directory and a name.
            if !key.name.contains('/') {
                self.by_path.entry(path).or_insert(self.found.len());
            }
            self.found.push((listing.path.clone(), key.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::RootFile;
    use crate::root::testing::file_with;
    use crate::storage::Memory;

    fn file() -> RootFile {
        RootFile::from_storage(Memory::from(file_with(&["a/x", "b/y", "z", "z"]))).unwrap()
    }

    fn names(index: &Index) -> Vec<(&str, u16)> {
        index.found.iter().map(|(_, key)| (key.name.as_str(), key.cycle)).collect()
    }

    #[test]
    fn directories_are_read_where_a_look_up_needs_them() {
        let (file, mut index) = (file(), Index::default());
        for (path, known) in [("z", 1), ("a/x", 2), ("z", 2), ("b/y", 3)] {
            let Found::Key(key, record) = file.look_up(&mut index, path) else { panic!("{path}") };
            assert_eq!((key.path().as_str(), key.offset), (path, record.offset));
            assert_eq!(index.found.len(), known, "{path}");
        }
        assert_eq!(names(&index), [("z", 2), ("x", 1), ("y", 1)]);
        let Found::Nothing(keys, None) = file.look_up(&mut index, "a/z") else { panic!("found") };
        assert_eq!(keys.iter().map(FileKey::path).collect::<Vec<_>>(), ["z", "a/x", "b/y"]);
        assert_eq!(index.found.len(), 3);
    }

    #[test]
    fn what_takes_too_much_memory_is_not_kept() {
        let file = file();
        let mut index = Index { limit: 2 * KEY_SIZE, ..Index::default() };
        for (path, known) in [("z", 1), ("a/x", 0), ("b/y", 0), ("z", 1)] {
            assert!(matches!(file.look_up(&mut index, path), Found::Key(..)), "{path}");
            assert_eq!(index.found.len(), known, "{path}");
        }
    }

    #[test]
    fn a_directory_that_could_not_be_read_is_tried_again() {
        let mut bytes = file_with(&["a/x", "b/y"]);
        let keys = RootFile::from_storage(Memory::from(bytes.clone())).unwrap().keys().unwrap();
        let a = keys.iter().find(|key| key.name == "a").unwrap();
        // The version of its record.
        let version = usize::try_from(a.offset + a.size - a.length).unwrap();
        bytes[version] ^= 0x40;
        let file = RootFile::from_storage(Memory::from(bytes)).unwrap();
        let mut index = Index::default();
        for _ in 0..2 {
            assert!(matches!(file.look_up(&mut index, "b/y"), Found::Key(..)));
            assert!(matches!(file.look_up(&mut index, "a/x"), Found::Nothing(_, Some(_))));
            assert!(index.walk.is_none());
        }
    }
}
