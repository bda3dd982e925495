//! Cutting an ntuple into ranges of entries that can be read apart from each other.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::dataset::Dataset;
use crate::schema::{ClusterDescriptor, ColumnId, Locator};

/// Where a cluster is cut, the pages at the cut are decoded on both sides. A piece is this many times as large as what
/// is decoded twice for it.
const WORTH: u64 = 4;

/// What has this many times fewer entries than a piece is not cut: its end is as good a border as any inside.
const COARSE: u64 = 4;

/// A cluster, or several that stay together, as far as cutting goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    entry_count: u64,
    /// Into how many pieces it may be cut.
    most: u64,
}

/// How many entries each of about `target` ranges has.
pub(super) fn length(total: u64, target: usize) -> u64 {
    // Rounded up: so a few entries more never make a piece more.
    total.div_ceil((target as u64).max(1)).max(1)
}

/// What is not cut, because it has so few entries that pieces of `wanted` entries are about even without.
pub(super) fn uncut(entry_count: u64, wanted: u64) -> Option<Cut> {
    (entry_count <= wanted / COARSE).then_some(Cut { entry_count, most: 1 })
}

/// How the clusters of an ntuple may be cut into ranges of `wanted` entries: pages matter for longer clusters alone.
pub(super) fn cuts(dataset: &Dataset, selected: &BTreeSet<ColumnId>, wanted: u64) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (number, group) in dataset.cluster_groups().iter().enumerate() {
        if let Some(cut) = uncut(group.entry_count, wanted) {
            cuts.push(cut);
            continue;
        }
        match dataset.group(number) {
            Ok(group) => cuts.extend(group.entry_counts().map(|(id, entry_count)| {
                let cluster = if entry_count > wanted { group.parse(id).ok() } else { None };
                Cut { entry_count, most: cluster.map_or(1, |cluster| most_pieces(&cluster, selected)) }
            })),
            // Whoever reads the entries is told.
            Err(_) => cuts.push(Cut { entry_count: group.entry_count, most: 1 }),
        }
    }
    cuts
}

/// Ranges of about `wanted` entries that together are all entries of clusters, in order.
pub(super) fn partitions(clusters: impl Iterator<Item = Cut>, wanted: u64) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut first = 0u64;
    for Cut { entry_count: count, most } in clusters.filter(|cluster| cluster.entry_count > 0) {
        let end = first.saturating_add(count);
        match ranges.last_mut() {
            // Half a piece too long is nearer than half a piece too short.
            Some(last) if end - last.start <= wanted.saturating_add(count / 2) && count < wanted => {
                last.end = end
            }
            _ => {
                let pieces = count.div_ceil(wanted).min(most).max(1);
                let length = count.div_ceil(pieces).max(1);
                let mut start = first;
                while start < end {
                    let stop = start.saturating_add(length).min(end);
                    ranges.push(start..stop);
                    start = stop;
                }
            }
        }
        first = end;
    }
    ranges
}

/// Into how many pieces a cluster may be cut.
fn most_pieces(cluster: &ClusterDescriptor, selected: &BTreeSet<ColumnId>) -> u64 {
    let (mut whole, mut at_a_cut) = (0u64, 0u64);
    for column in selected.iter().filter_map(|id| cluster.columns.get(id.index())) {
        let sizes = column.pages.iter().map(|page| match page.locator {
            Locator::File { size, .. } => size,
            Locator::Unknown { .. } => 0,
        });
        let size = sizes.fold(0, u64::saturating_add);
        whole = whole.saturating_add(size);
        at_a_cut = at_a_cut.saturating_add(size / (column.pages.len() as u64).max(1));
    }
    whole.checked_div(at_a_cut.saturating_mul(WORTH)).unwrap_or(1)
}
