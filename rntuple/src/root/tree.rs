//! The directories of a file under construction.

use super::anchor::Anchor;
use super::names::check_path;
use crate::error::{Error, Result};

/// Cycles are signed 16-bit numbers.
const GREATEST_CYCLE: usize = i16::MAX as usize;

/// Index of a [`Folder`]; the root directory has 0.
pub(super) type FolderId = usize;

/// Directories and the anchors in them, until both are written at the end.
#[derive(Debug)]
pub(super) struct Tree {
    /// A folder stands behind the one that it is in.
    pub(super) folders: Vec<Folder>,
}

/// One directory.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) parent: FolderId,
    /// Which of the directories of the file it is; `None`: it is new.
    pub(super) old: Option<usize>,
    /// In the order of creation.
    pub(super) entries: Vec<Entry>,
}

/// What a directory holds under one name.
#[derive(Debug)]
pub(super) enum Entry {
    Folder(FolderId),
    /// Anchors by cycle, the first has cycle 1. None yet: the name is only reserved.
    Ntuple(String, Vec<Anchor>),
    /// The file has it already: `a TTree`. Its name is taken.
    Other {
        name: String,
        what: String,
    },
}

impl Default for Tree {
    fn default() -> Self {
        Self { folders: vec![Folder::default()] }
    }
}

impl Tree {
    /// Makes the directories of `path` and keeps its name free for an ntuple.
    pub(super) fn reserve(&mut self, path: &str) -> Result<&mut Vec<Anchor>> {
        let (directories, name) = check_path(path)?;
        // All checks first: a refused path leaves nothing behind.
        let mut at = Some(0);
        for directory in &directories {
            at = match at.and_then(|folder| self.entry(folder, directory)) {
                Some(Entry::Folder(next)) => Some(*next),
                Some(Entry::Ntuple(..)) => return Err(taken(path, directory, "an ntuple")),
                Some(Entry::Other { what, .. }) => return Err(taken(path, directory, what)),
                None => None,
            };
        }
        match at.and_then(|folder| self.entry(folder, name)) {
            Some(Entry::Folder(_)) => return Err(taken(path, path, "a directory")),
            Some(Entry::Other { what, .. }) => return Err(taken(path, path, what)),
            Some(Entry::Ntuple(..)) | None => {}
        }
        let mut folder = 0;
        for directory in directories {
            folder = self.enter(folder, directory);
        }
        let entries = &mut self.folders.get_mut(folder).ok_or_else(lost)?.entries;
        let known = entries.iter().position(|entry| matches!(entry, Entry::Ntuple(n, _) if n == name));
        let place = known.unwrap_or_else(|| {
            entries.push(Entry::Ntuple(name.to_owned(), Vec::new()));
            entries.len() - 1
        });
        match entries.get_mut(place) {
            Some(Entry::Ntuple(_, anchors)) => Ok(anchors),
            _ => Err(lost()),
        }
    }

    /// Keeps the path for the caller alone.
    pub(super) fn claim(&mut self, path: &str) -> Result<()> {
        let (directories, name) = check_path(path)?;
        let mut at = Some(0);
        for directory in directories {
            at = match at.and_then(|folder| self.entry(folder, directory)) {
                Some(Entry::Folder(next)) => Some(*next),
                _ => None,
            };
        }
        if let Some(Entry::Ntuple(..)) = at.and_then(|folder| self.entry(folder, name)) {
            return Err(taken(path, path, "an ntuple"));
        }
        self.reserve(path).map(drop)
    }

    /// Adds an anchor; one of the same name gets the next cycle.
    pub(super) fn put(&mut self, path: &str, anchor: Anchor) -> Result<()> {
        let anchors = self.reserve(path)?;
        if anchors.len() >= GREATEST_CYCLE {
            return Err(Error::limit(format!(
                "the file has {GREATEST_CYCLE} ntuples of the path {path:?} already, the most that are possible"
            )));
        }
        anchors.push(anchor);
        Ok(())
    }

    /// Takes back the anchors of a path, which stays reserved.
    pub(super) fn withdraw(&mut self, path: &str) {
        if let Ok(anchors) = self.reserve(path) {
            anchors.clear();
        }
    }

    /// Puts another anchor in the place of all that the path has; returns the last of them.
    pub(super) fn swap(&mut self, path: &str, anchor: Option<Anchor>) -> Result<Option<Anchor>> {
        let anchors = self.reserve(path)?;
        let last = anchors.pop();
        anchors.clear();
        anchors.extend(anchor);
        Ok(last)
    }

    fn entry(&self, folder: FolderId, name: &str) -> Option<&Entry> {
        self.folders.get(folder)?.entries.iter().find(|entry| match entry {
            Entry::Folder(id) => self.folders.get(*id).is_some_and(|folder| folder.name == name),
            Entry::Ntuple(known, _) | Entry::Other { name: known, .. } => known == name,
        })
    }

    /// The directory `name` in `parent`, made where it is not there.
    fn enter(&mut self, parent: FolderId, name: &str) -> FolderId {
        if let Some(Entry::Folder(id)) = self.entry(parent, name) {
            return *id;
        }
        self.push(parent, name)
    }

    /// A directory more in `parent`, which has no other of the name.
    pub(super) fn push(&mut self, parent: FolderId, name: &str) -> FolderId {
        let id = self.folders.len();
        self.folders.push(Folder { name: name.to_owned(), parent, ..Folder::default() });
        if let Some(parent) = self.folders.get_mut(parent) {
            parent.entries.push(Entry::Folder(id));
        }
        id
    }

    /// By directory: whether there is a new ntuple in it, or a new directory that must be written.
    pub(super) fn changed(&self) -> Vec<bool> {
        let mut changed = vec![false; self.folders.len()];
        // What is in a directory comes after it.
        for (id, folder) in self.folders.iter().enumerate().rev() {
            let is_filled = |entry: &Entry| match entry {
                Entry::Ntuple(_, anchors) => !anchors.is_empty(),
                Entry::Folder(id) => {
                    let is_new = self.folders.get(*id).is_some_and(|folder| folder.old.is_none());
                    is_new && changed.get(*id).is_some_and(|changed| *changed)
                }
                Entry::Other { .. } => false,
            };
            let is_changed = folder.entries.iter().any(is_filled);
            if let Some(changed) = changed.get_mut(id) {
                *changed = is_changed;
            }
        }
        changed
    }
}

#[cold]
fn taken(path: &str, name: &str, by: &str) -> Error {
    let mut message = format!("the file has {by} {name:?} already");
    if name != path {
        message += &format!(", so an ntuple {path:?} is not possible");
    }
    Error::invalid_argument(message)
}

/// Ids come from the tree itself.
#[cold]
fn lost() -> Error {
    Error::invalid_argument("a directory of the file under construction is lost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::EnvelopeSpan;

    fn anchor() -> Anchor {
        Anchor::new([1, 0, 0, 1], EnvelopeSpan::default(), EnvelopeSpan::default())
    }

    #[test]
    fn directories_are_shared_and_cycles_rise() {
        let mut tree = Tree::default();
        for path in ["a/b/x", "a/y", "x", "x", "a/b/x"] {
            tree.put(path, anchor()).unwrap();
        }
        let names: Vec<_> = tree.folders.iter().map(|folder| (folder.name.as_str(), folder.parent)).collect();
        assert_eq!(names, [("", 0), ("a", 0), ("b", 1)]);
        assert_eq!(tree.reserve("x").unwrap().len(), 2);
        assert_eq!(tree.reserve("a/b/x").unwrap().len(), 2);
        assert_eq!(tree.reserve("a/y").unwrap().len(), 1);
    }

    #[test]
    fn a_path_is_claimed_once() {
        let mut tree = Tree::default();
        for path in ["a/b/x", "x"] {
            tree.claim(path).unwrap();
            assert!(tree.claim(path).is_err(), "{path}");
        }
        tree.claim("a/x").unwrap();
        assert!(tree.claim("a/b").is_err());
    }

    #[test]
    fn a_name_is_a_directory_or_an_ntuple() {
        let mut tree = Tree::default();
        tree.put("a/b/x", anchor()).unwrap();
        for path in ["a", "a/b", "a/b/x/y", "a/b/x/y/z"] {
            let error = tree.put(path, anchor()).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::InvalidArgument);
            assert!(error.to_string().contains("already"), "{error}");
        }
        assert_eq!(tree.folders.len(), 3);
    }

    #[test]
    fn a_refused_path_leaves_nothing_behind() {
        let mut tree = Tree::default();
        tree.put("a/x", anchor()).unwrap();
        assert!(tree.put("new/..", anchor()).is_err());
        assert!(tree.put("a/x/new/y", anchor()).is_err());
        assert_eq!((tree.folders.len(), tree.folders[0].entries.len()), (2, 1));
    }
}
