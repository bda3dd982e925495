//! How to read.

use std::collections::HashSet;
use std::sync::Arc;

use crate::pool::Pool;
use crate::schema::FieldId;

/// How an ntuple is read; the defaults suit files on a local disk.
///
/// ```
/// let options = rntuple::ReadOptions::new().verify_checksums(false).merge_gap(64 << 10);
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ReadOptions {
    pub(crate) verify_checksums: bool,
    pub(crate) merge_gap: u64,
    pub(crate) read_size: u64,
    #[cfg(feature = "mmap")]
    pub(crate) memory_map: bool,
    pub(crate) selection: Option<Arc<HashSet<FieldId>>>,
    pub(crate) pool: Option<Pool>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            verify_checksums: true,
            merge_gap: 16 << 10,
            read_size: 4 << 20,
            #[cfg(feature = "mmap")]
            memory_map: false,
            selection: None,
            pool: None,
        }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Default `true`: pages whose checksum differs are refused.
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Default 16 KiB: so many unwanted bytes between two pages are rather read than skipped. Larger values
    /// pay where every request is slow.
    pub fn merge_gap(mut self, bytes: u64) -> Self {
        self.merge_gap = bytes;
        self
    }

    /// Default 4 MiB: neighbouring pages are read at once up to this many bytes. A walk holds one such read
    /// for each place of the file where its columns stand.
    pub fn read_size(mut self, bytes: u64) -> Self {
        self.read_size = bytes;
        self
    }

    /// Default none: the threads that read ahead and decode ahead for walks through the entries, and on which
    /// parallel iteration runs.
    ///
    /// While the values of one page are used, they decode the next page of each column. What is read is the
    /// same with a pool as without, errors included: damage in a page that is ahead is told when that page is
    /// reached. [`Reader::get`](crate::Reader::get) uses no pool, as nobody knows what it is asked for next.
    ///
    /// ```
    /// # fn main() -> rntuple::Result<()> {
    /// let pool = rntuple::Pool::new(2)?;
    /// let options = rntuple::ReadOptions::new().pool(&pool);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.pool = Some(pool.clone());
        self
    }

    /// Default `false`: whether files are mapped into memory instead of being read. Nobody may change a file
    /// while it is mapped.
    #[cfg(feature = "mmap")]
    pub fn memory_map(mut self, map: bool) -> Self {
        self.memory_map = map;
        self
    }
}
