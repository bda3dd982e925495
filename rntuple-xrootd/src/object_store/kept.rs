//! Files that stay open for a while: an engine reads a file by many requests, each of which would open it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use object_store::GetOptions;
use object_store::path::Path;

use crate::file::XrootdFile;
use crate::locks::lock;

/// How many files stay open.
const MOST: usize = 64;

/// How long a file is used after it was opened. A server has a file open that is replaced meanwhile, and says nothing of it.
const TIME: Duration = Duration::from_secs(10);

/// The files of a store that were opened last.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Vec<Entry>>);

#[derive(Debug)]
struct Entry {
    path: Path,
    file: Arc<XrootdFile>,
    opened: Instant,
}

impl Kept {
    /// The file of a request that names a version, if that one is open. A request that names none is for what is there now,
    /// which may be another file.
    pub(super) fn find(&self, path: &Path, options: &GetOptions) -> Option<Arc<XrootdFile>> {
        let version = options.if_match.as_deref()?;
        let mut files = lock(&self.0);
        files.retain(|entry| entry.opened.elapsed() < TIME);
        let is_it = |entry: &&Entry| entry.path == *path && entry.file.stat().version() == version;
        files.iter().find(is_it).map(|entry| Arc::clone(&entry.file))
    }

    /// Keeps a file that was opened now.
    pub(super) fn put(&self, path: &Path, file: &Arc<XrootdFile>) {
        let entry = Entry { path: path.clone(), file: Arc::clone(file), opened: Instant::now() };
        let mut files = lock(&self.0);
        files.retain(|entry| entry.path != *path && entry.opened.elapsed() < TIME);
        if files.len() >= MOST {
            files.remove(0);
        }
        files.push(entry);
    }

    /// Closes a file that this store is about to replace or remove, once no request uses it any more.
    pub(super) fn forget(&self, path: &Path) {
        lock(&self.0).retain(|entry| entry.path != *path);
    }
}
