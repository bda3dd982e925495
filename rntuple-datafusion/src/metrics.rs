//! What a scan read and what it skipped, as `EXPLAIN ANALYZE` shows it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use rntuple::schema::{ClusterDescriptor, ColumnId, Locator};
use rntuple::{Dataset, EntryList};

use crate::error::external;

#[derive(Clone, Debug)]
pub(crate) struct ScanMetrics {
    bytes: Count,
    clusters: Count,
    clusters_skipped: Count,
    entries_skipped: Count,
    rows_matched: Count,
}

impl ScanMetrics {
    pub(crate) fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
        Self {
            bytes: counter("bytes_scanned"),
            clusters: counter("clusters_considered"),
            clusters_skipped: counter("clusters_skipped"),
            entries_skipped: counter("entries_skipped"),
            rows_matched: counter("rows_matched"),
        }
    }

    /// Statistics were asked about some clusters, whose entries these are.
    pub(crate) fn pruned(&self, clusters: usize, skipped: usize, entries_skipped: u64) {
        self.clusters.add(clusters);
        self.clusters_skipped.add(skipped);
        self.entries_skipped.add(usize::try_from(entries_skipped).unwrap_or(usize::MAX));
    }

    /// The filter was true of some rows.
    pub(crate) fn matched(&self, rows: u64) {
        self.rows_matched.add(usize::try_from(rows).unwrap_or(usize::MAX));
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
        self.bytes.add(usize::try_from(bytes).unwrap_or(usize::MAX));
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
