//! Options for some purposes.

use super::WriteOptions;
use crate::compression::Compression;

impl WriteOptions {
    /// Returns options for files that are kept for years, and read more often than written: zstd level 9 and pages of
    /// 1 MiB, the largest that ROOT writes.
    ///
    /// Large pages compress better, though little: nested events take 1.5 % fewer bytes than with the defaults, and four times as
    /// long to write. A reader of single entries decodes a whole page for each, and a writer needs twice 1 MiB for each column.
    pub fn archive() -> Self {
        Self::new().compression(Compression::zstd(9)).max_page_length(1 << 20)
    }

    /// Returns options for files that are read soon, and then deleted: lz4, and pages of 64 KiB, which stay in the
    /// processor's cache. Nested events take three quarters of the time to write, and 17 % more bytes.
    pub fn fast() -> Self {
        Self::new().compression(Compression::lz4(1)).max_page_length(64 << 10)
    }

    /// Returns options for many columns, many writers, or little memory: pages of 16 KiB, and 512 KiB of entries until
    /// these go to storage.
    ///
    /// Nested events take one and a half times as long to write, nearly twice as long to read, and 6 % more bytes. For a hard
    /// cap, whatever the columns are, there is [`memory_budget`](Self::memory_budget).
    pub fn low_memory() -> Self {
        Self::new().max_page_length(16 << 10).page_budget(8 << 20).write_buffer_length(512 << 10)
    }

    /// Returns options for entries that come slowly, or are read from far away cluster by cluster: clusters of 8 MiB,
    /// and 1 MiB of entries until pages go to storage.
    ///
    /// What was filled since the last cluster ended is all that an interruption costs, and what a reader far away has to
    /// fetch before the first entry. Small clusters have smaller pages, and longer lists of them.
    pub fn streaming() -> Self {
        Self::new().cluster_size(8 << 20).write_buffer_length(1 << 20)
    }
}
