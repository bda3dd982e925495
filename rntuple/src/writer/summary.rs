//! What was written.

use std::time::Duration;

use serde::Serialize;

/// What a finished writer has written. Of an ntuple that was there before, only what this writer added to it; the
/// size of the file is that of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Number of entries.
    pub entries: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Number of pages, shared ones once for each use.
    pub pages: u64,
    /// Number of pages that another, identical page stands in for.
    pub shared_pages: u64,
    /// Bytes of all pages before compression.
    pub page_length: u64,
    /// Bytes of all pages on storage, checksums included, shared pages once.
    pub page_size: u64,
    /// Number of values outside the range of a quantised column that were written as the nearest inside
    /// ([`ColumnEncoding::saturating`](crate::encoding::ColumnEncoding::saturating)).
    pub saturated: u64,
    /// Number of times that a column in a cluster has [statistics](crate::statistics), those from before included. 0 if
    /// none were requested, or there was no room for them.
    pub statistics: u64,
    /// Number of transactions of an [ordered](super::ParallelWriter::ordered) writer that were written before their turn, since no
    /// thread could make room for them in memory. If there are none, the file is the same, byte for byte, with any
    /// number of threads.
    pub early_transactions: u64,
    /// Bytes of the whole file by then; other ntuples may follow.
    pub file_size: u64,
    /// Number of checkpoints.
    pub checkpoints: u64,
    /// Bytes that were written for them, most of them over those of earlier ones.
    pub checkpoint_size: u64,
    /// Time that they took.
    pub checkpoint_time: Duration,
}
