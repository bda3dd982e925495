//! The merged reads of a cluster, as they are planned.

use std::ops::Range;
use std::sync::Arc;

use super::fetch::Fetch;
use super::span::Span;

/// How neighbouring pages are merged into one read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merging {
    /// Unwanted bytes between two pages that are rather read than skipped.
    pub(crate) gap: u64,
    /// No read grows beyond this, unless a single page does.
    pub(crate) size: u64,
    /// A page longer than this continues elsewhere in the file (format, section 7.6), so it has no neighbours.
    pub(crate) chunk: u64,
}

/// The reads of a cluster.
pub(super) struct Reads {
    pub(super) fetch: Arc<dyn Fetch>,
    /// In the order of the file. Each has a lock of its own: a thread that waits for one read does not wait for others.
    pub(super) spans: Vec<Span>,
    /// Where each of them begins: close together, as every page is looked for here.
    starts: Vec<u64>,
}

impl Reads {
    /// Merges the ranges of pages.
    pub(super) fn plan(mut pages: Vec<Range<u64>>, merging: Merging, fetch: Arc<dyn Fetch>) -> Self {
        pages.sort_unstable_by_key(|range| (range.start, range.end));
        let mut spans: Vec<Span> = Vec::new();
        for range in pages {
            match spans.last_mut() {
                Some(last)
                    if last.range.end - last.range.start <= merging.chunk
                        && range.start <= last.range.end.saturating_add(merging.gap)
                        && (range.end <= last.range.end || range.end - last.range.start <= merging.size) =>
                {
                    last.take_in(&range);
                }
                _ => spans.push(Span::new(range)),
            }
        }
        let starts = spans.iter().map(|span| span.range.start).collect();
        Self { fetch, spans, starts }
    }

    /// The number of the read that has a page.
    pub(super) fn position(&self, page: &Range<u64>) -> Option<usize> {
        let index = self.starts.partition_point(|start| *start <= page.start).checked_sub(1)?;
        self.spans.get(index).filter(|span| page.end <= span.range.end).map(|_| index)
    }
}
