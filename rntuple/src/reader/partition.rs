//! Cutting an ntuple into ranges of entries that can be read apart from each other.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::schema::{ClusterDescriptor, ColumnId, Locator};

/// Where a cluster is cut, the pages at the cut are decoded on both sides. A piece is so many times as large as what
/// is decoded twice for it.
const WORTH: u64 = 4;

/// A cluster, as far as cutting goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) entry_count: u64,
    /// Into how many pieces it may be cut.
    most: u64,
}

impl Cut {
    pub(super) fn new(cluster: &ClusterDescriptor, selected: &BTreeSet<ColumnId>) -> Self {
        Self { entry_count: cluster.entry_count, most: most_pieces(cluster, selected) }
    }
}

/// Ranges of entries, about `target` of them, that together are all entries of clusters, `total` in number, in order.
pub(super) fn partitions(total: u64, clusters: impl Iterator<Item = Cut>, target: usize) -> Vec<Range<u64>> {
    let target = (target as u64).max(1);
    // Rounded up: so a few entries more never make a piece more.
    let wanted = total.div_ceil(target).max(1);
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
