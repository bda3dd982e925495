//! How much memory one fill context may take.

use std::sync::atomic::Ordering::Relaxed;

use super::WriteOptions;
use crate::column::ColumnSink;
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::root::most_payload;

/// What the buffers of one fill context may come to, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The length at which a page is sealed.
    pub(super) max_page_length: usize,
    /// All open pages.
    pub(super) open_pages: usize,
    /// Buffers kept for later pages.
    pub(super) spare: usize,
    /// Entries between two visits to storage.
    pub(super) write_buffer: u64,
    /// Of all contexts together: transactions that wait for their turn.
    pub(super) held: u64,
    /// Of all contexts together: page locations that are not in a page list yet.
    pub(super) locations: usize,
    /// A cluster of so many pages ends, as the locations of all its pages are kept until then.
    pub(super) cluster_pages: u64,
}

/// What a column takes beside its pages: its writer, its place in lists, the vectors of page locations.
const COLUMN: usize = 768;

/// What it takes twice where values may be refused: its writer for trials, with a page of 64 values.
const TRIAL: usize = 1024;

/// What a page list takes for a column: its record in memory and in the envelope, as such and compressed.
const PAGE_LIST: usize = 320;

/// What a page's location takes, in a vector that may be half empty.
const LOCATION: usize = 64;

/// What a page's location takes in a page list, in bytes.
const LISTED_PAGE: u64 = 16;

/// What the smallest page takes.
const SMALLEST_PAGE: usize = 256;

impl Share {
    /// Splits the memory of `options` among as many contexts as it says, for a schema whose columns are
    /// compressed like this. `is_tried`: there is a second set of columns for trials.
    ///
    /// What a context does depends on the options alone, never on how many others there are: so the bytes of a
    /// transaction are the same however many threads work.
    ///
    /// # Errors
    /// The budget is too small for these columns.
    pub(super) fn new(
        options: &WriteOptions,
        compressions: &[Compression],
        is_tried: bool,
        contexts: usize,
    ) -> Result<Self> {
        let share = Self::of_memory(options, compressions, is_tried, contexts)?;
        Ok(share.within_records(options))
    }

    /// What can be listed in the records of the file: clusters and cluster groups end before their page lists are too
    /// long for these.
    fn within_records(self, options: &WriteOptions) -> Self {
        let most = most_payload(options.max_key_size);
        // A quarter for the pages of a cluster. Those on their way to storage come in addition.
        let pages = most / 4 / LISTED_PAGE;
        let page = options.initial_page_length.min(options.page_length()).min(SMALLEST_PAGE);
        Self {
            cluster_pages: self.cluster_pages.min(pages.max(1)),
            write_buffer: self.write_buffer.min((pages / 4).saturating_mul(page as u64)),
            locations: self.locations.min(usize::try_from(most).unwrap_or(usize::MAX)),
            ..self
        }
    }

    fn of_memory(
        options: &WriteOptions,
        compressions: &[Compression],
        is_tried: bool,
        contexts: usize,
    ) -> Result<Self> {
        let columns = compressions.len().max(1);
        let Some(budget) = options.memory_budget else {
            let all_pages = columns.saturating_mul(options.page_length());
            return Ok(Self {
                max_page_length: options.page_length(),
                open_pages: options.page_budget,
                spare: all_pages.min(options.page_budget),
                write_buffer: options.write_buffer(),
                held: u64::MAX,
                locations: usize::MAX,
                cluster_pages: u64::MAX,
            });
        };
        let threads = options.pool_threads();
        // Pages that are sealed at the same time: by the pool, in its queue, and by this thread.
        let sealing = if threads == 0 { 1 } else { 2 * threads + 1 };
        // Sixteenths: for transactions that wait, for page locations, and the rest for contexts.
        let (held, rest) = if contexts > 1 { (4, 11) } else { (0, 15) };
        // The envelopes' codec, and what a page list of one page in every column takes.
        let envelopes = options.compression.context_length(1 << 20) + columns * PAGE_LIST;
        let total = budget;
        let budget = budget.saturating_sub(envelopes);
        let locations = budget / 16;
        let held = (budget / 16).saturating_mul(held);
        let own = (budget / 16).saturating_mul(rest) / contexts.max(1);
        // All open pages may be full at once and wait as sealed ones, twice with a pool, while the columns begin
        // new ones.
        let generations = if threads == 0 { 2 } else { 3 };
        let column = if is_tried { COLUMN + TRIAL } else { COLUMN };
        let fixed = |page: usize| {
            let contexts = compressions.iter().map(|settings| settings.context_length(page));
            // An encoded page, its compressed form with room for the worst case, and what is stored.
            let sealing = 3 * page * sealing + contexts.max().unwrap_or_default() * (threads + 1);
            columns * (column + SMALLEST_PAGE * generations) + sealing
        };
        // The longest pages whose sealing leaves most of the memory to the columns.
        let mut max_page_length = options.page_length();
        while max_page_length > SMALLEST_PAGE && fixed(max_page_length) > own / 3 {
            max_page_length = (max_page_length / 2).max(SMALLEST_PAGE);
        }
        let Some(left) = own.checked_sub(fixed(max_page_length)) else {
            let needed = (fixed(SMALLEST_PAGE) / rest + 1).saturating_mul(contexts.max(1)).saturating_mul(16);
            let needed = needed.saturating_add(envelopes);
            return Err(Error::limit(format!(
                "the memory budget is {total} bytes, expected at least {needed} bytes for {} of {}",
                counted(contexts as u64, "context"),
                counted(columns as u64, "column")
            )));
        };
        let part = left / (generations + 2);
        Ok(Self {
            max_page_length,
            open_pages: (columns * SMALLEST_PAGE + part).min(options.page_budget),
            spare: part / 2,
            write_buffer: options.write_buffer().min(part as u64 / 2),
            held: held as u64,
            locations,
            cluster_pages: (columns * 4 + own / 16 / LOCATION) as u64,
        })
    }
}

impl Share {
    /// Tells the columns, before they are filled.
    pub(super) fn limit(&self, sink: &ColumnSink, initial_page_length: usize, columns: usize) {
        let limits = &sink.limits;
        // Half of the memory is split evenly, so that no column is left with tiny pages; the other half goes to
        // those that need it first.
        let fair = self.open_pages / 2 / columns.max(1);
        limits.initial_length.store(initial_page_length.min(fair.max(SMALLEST_PAGE)), Relaxed);
        limits.max_length.store(self.max_page_length, Relaxed);
        limits.fair_length.store(fair, Relaxed);
        limits.budget.store(self.open_pages / 2, Relaxed);
        sink.sealer.keep_spare(self.spare);
    }
}
