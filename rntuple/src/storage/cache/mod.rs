//! What was read from far away, kept for the next time.
//!
//! ```text
//! Cached      a storage: asks memory, then disk, then what it is wrapped around
//! memory      the blocks that were used last, of all files
//! disk        a folder: two files for each file, shared by processes
//! ```

mod cached;
mod disk;
mod memory;
mod parts;
mod places;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use self::cached::Cached;
use self::disk::Folder;
pub(super) use self::memory::BLOCK_SIZE;
use self::parts::Parts;
use super::ReadAt;

/// Keeps bytes of remote files for the next time that they are read: in memory, and in a folder if one is given.
///
/// Repeated analyses then read from the network only once. Readers share a cache by its clones; processes share a folder.
/// Only files whose [version](ReadAt::version) is known are kept, so that nothing old is returned for a file that was
/// replaced.
///
/// ```no_run
/// use rntuple::storage::Cache;
/// use rntuple::{ReadOptions, Reader};
/// # #[derive(rntuple::RNTuple)]
/// # struct Event { met: f32 }
///
/// // 256 MiB in memory, 50 GiB on disk.
/// let cache = Cache::new(256 << 20).on_disk("/data/me/rntuple-cache", 50 << 30)?;
/// let options = ReadOptions::new().cache(&cache);
/// let reader = Reader::<Event>::open_with("https://example.org/run1.root", "Events", options)?;
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone)]
pub struct Cache(Arc<Parts>);

impl Cache {
    /// A cache that takes at most this many bytes of memory. A process that is forked off has one of its own, next to the memory
    /// that it shares with its parent.
    pub fn new(memory: u64) -> Self {
        Self(Arc::new(Parts::new(memory, None)))
    }

    /// A cache with the same memory, which is empty, that also keeps up to about `bytes` in a folder. The folder is created
    /// if need be, for this user alone. One that exists may be this user's, the superuser's, or one that a group can write
    /// to, whose members then read and write its files. When it is full, the files of the cache that were not opened for
    /// the longest time are removed; other files in the folder are neither counted nor removed. Each process that writes to
    /// it may exceed the size by a sixteenth before it notices.
    ///
    /// What is in the folder has checksums: what was damaged is read again.
    ///
    /// # Errors
    /// The folder cannot be created, read or written to; or it is another user's and not a group's, or everyone can write to
    /// it.
    pub fn on_disk(self, folder: impl AsRef<Path>, bytes: u64) -> io::Result<Self> {
        let folder = Folder::open(folder.as_ref(), bytes)?;
        Ok(Self(Arc::new(Parts::new(self.0.memory(), Some(Arc::new(folder))))))
    }

    /// Returns a storage that reads from this cache what it has of another one. A storage whose
    /// [version](ReadAt::version) is unknown is returned as it is.
    pub fn wrap(&self, storage: Arc<dyn ReadAt>) -> Arc<dyn ReadAt> {
        match Cached::new(&self.0, &storage) {
            Some(cached) => Arc::new(cached),
            None => storage,
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("memory", &self.0.memory())
            .field("folder", &self.0.folder)
            .finish_non_exhaustive()
    }
}
