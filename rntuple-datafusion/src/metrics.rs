//! What a scan read and what it skipped, as `EXPLAIN ANALYZE` shows it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use rntuple::filter::{Counters, Looked};
use rntuple::schema::{ClusterDescriptor, ColumnId, Locator};
use rntuple::{Dataset, EntryList};

use crate::error::external;

/// Counters with the names that those of [`Filtered`](rntuple::filter::Filtered) have, and their values.
#[derive(Clone, Debug)]
pub(crate) struct ScanMetrics {
    files: Level,
    clusters: Level,
    pages: Level,
    entries: Level,
    bytes_scanned: Count,
    bytes_skipped: Count,
    rows_matched: Count,
}

/// How many were considered, and how many of these were not read because statistics say that nothing in them matches.
#[derive(Clone, Debug)]
struct Level {
    considered: Count,
    skipped: Count,
}

impl Level {
    fn add(&self, before: &Looked, after: &Looked) {
        add(&self.considered, after.considered.saturating_sub(before.considered));
        add(&self.skipped, after.skipped.saturating_sub(before.skipped));
    }
}

fn add(count: &Count, more: u64) {
    count.add(usize::try_from(more).unwrap_or(usize::MAX));
}

impl ScanMetrics {
    pub(crate) fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
        let level =
            |considered, skipped| Level { considered: counter(considered), skipped: counter(skipped) };
        Self {
            files: level("files_considered", "files_skipped"),
            clusters: level("clusters_considered", "clusters_skipped"),
            pages: level("pages_considered", "pages_skipped"),
            entries: level("entries_considered", "entries_skipped"),
            bytes_scanned: counter("bytes_scanned"),
            bytes_skipped: counter("bytes_skipped"),
            rows_matched: counter("rows_matched"),
        }
    }

    /// A file, or a part of one, was reached, and skipped without a look into it if that is so.
    pub(crate) fn file(&self, is_skipped: bool) {
        self.files.considered.add(1);
        self.files.skipped.add(usize::from(is_skipped));
    }

    /// Statistics were asked about some clusters. A filter counts all clusters of a file that is decided as a whole, of
    /// which this may be a part, so that these are counted here.
    pub(crate) fn clusters(&self, considered: usize, skipped: usize) {
        self.clusters.considered.add(considered);
        self.clusters.skipped.add(skipped);
    }

    /// Some entries were considered of which statistics were not asked.
    pub(crate) fn unasked(&self, entries: u64) {
        add(&self.entries.considered, entries);
    }

    /// Statistics were asked: what a filter had counted before, and after.
    pub(crate) fn asked(&self, before: &Counters, after: &Counters) {
        self.pages.add(&before.pages, &after.pages);
        self.entries.add(&before.entries, &after.entries);
        add(&self.bytes_skipped, after.bytes.skipped.saturating_sub(before.bytes.skipped));
    }

    /// The filter was true of some rows.
    pub(crate) fn matched(&self, rows: u64) {
        add(&self.rows_matched, rows);
    }

    /// Entries of some columns are going to be read: what their pages take in the file.
    pub(crate) fn read(
        &self,
        dataset: &Dataset,
        columns: &BTreeSet<ColumnId>,
        entries: &EntryList,
    ) -> Result<()> {
        let mut bytes = 0u64;
        let mut current: Option<(u64, Arc<ClusterDescriptor>, Vec<Range<u64>>)> = None;
        for range in entries.ranges() {
            let mut start = range.start;
            while start < range.end {
                let Some(number) = dataset.cluster_of(start).map_err(external)? else { break };
                if current.as_ref().is_none_or(|(known, ..)| *known != number) {
                    let next = (number, dataset.cluster(number).map_err(external)?, Vec::new());
                    if let Some((_, cluster, parts)) = current.replace(next) {
                        bytes = bytes.saturating_add(stored(&cluster, columns, &parts));
                    }
                }
                let Some((_, cluster, parts)) = &mut current else { break };
                let end = cluster.first_entry.saturating_add(cluster.entry_count).min(range.end);
                parts.push(start..end);
                start = end.max(start + 1);
            }
        }
        if let Some((_, cluster, parts)) = current {
            bytes = bytes.saturating_add(stored(&cluster, columns, &parts));
        }
        add(&self.bytes_scanned, bytes);
        Ok(())
    }
}

/// What the pages of columns take in a cluster, of those that have some entries. Which these are in collections is an
/// estimate: as if all collections had the same length.
fn stored(cluster: &ClusterDescriptor, columns: &BTreeSet<ColumnId>, entries: &[Range<u64>]) -> u64 {
    let mut bytes = 0u64;
    for id in columns {
        let Some(column) = cluster.columns.get(id.index()) else { continue };
        let total = u128::from(column.stored_count().max(1));
        let entry_of = |element: u64, round_up: bool| {
            let scaled = u128::from(element) * u128::from(cluster.entry_count);
            let entry = if round_up { scaled.div_ceil(total) } else { scaled / total };
            cluster.first_entry.saturating_add(u64::try_from(entry).unwrap_or(u64::MAX))
        };
        let mut element = 0u64;
        for page in &column.pages {
            let next_element = element.saturating_add(page.count.into());
            let (start, end) = (entry_of(element, false), entry_of(next_element, true));
            element = next_element;
            let next = entries.partition_point(|range| range.end <= start);
            if entries.get(next).is_some_and(|range| range.start < end) {
                bytes = bytes.saturating_add(match page.locator {
                    Locator::File { size, .. } => size,
                    _ => 0,
                });
            }
        }
    }
    bytes
}
