//! Cutting an ntuple into ranges of entries that can be read apart from each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::dataset::Dataset;
use crate::error::{ErrorKind, Result};
use crate::schema::{ClusterDescriptor, ColumnId, Locator, Schema};

/// Where a cluster is cut, values of the pages at the cut are made on both sides. A piece is this many times as large as
/// these pages.
const WORTH: u64 = 4;

/// What has this many times fewer entries than a piece is not cut: its end is as good a border as any inside.
const COARSE: u64 = 4;

/// A cut is moved by up to this part of a piece, to where many pages end.
const NEAR: u64 = 8;

/// A cluster, or several that stay together, as far as cutting goes.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    entry_count: u64,
    /// Into how many pieces it may be cut.
    most: u64,
    /// Where pages end between two of its entries: how many entries are before, and how long these pages are.
    ends: BTreeMap<u64, u64>,
}

impl Cut {
    /// What stays in one piece.
    pub(super) fn whole(entry_count: u64) -> Self {
        Self { entry_count, most: 1, ends: BTreeMap::new() }
    }

    /// A cluster, which may be cut where it pays.
    fn inside(cluster: &ClusterDescriptor, schema: &Schema, selected: &BTreeSet<ColumnId>) -> Self {
        let most = most_pieces(cluster, selected);
        let ends = if most > 1 { page_ends(cluster, schema, selected) } else { BTreeMap::new() };
        Self { entry_count: cluster.entry_count, most, ends }
    }

    /// Where to cut, as near to `place` as possible: where the longest pages end, of which each is then needed once.
    fn near(&self, place: u64, length: u64) -> u64 {
        let reach = length / NEAR;
        let close = self.ends.range(place.saturating_sub(reach)..=place.saturating_add(reach));
        let best = close.max_by_key(|&(&end, &size)| (size, Reverse(end.abs_diff(place))));
        best.map_or(place, |(&end, _)| end)
    }
}

/// How many entries each of about `target` ranges has.
pub(super) fn length(total: u64, target: usize) -> u64 {
    // Rounded up: so a few entries more never make a piece more.
    total.div_ceil((target as u64).max(1)).max(1)
}

/// What is not cut, because it has so few entries that pieces of `wanted` entries are about even without.
pub(super) fn uncut(entry_count: u64, wanted: u64) -> Option<Cut> {
    (entry_count <= wanted / COARSE).then(|| Cut::whole(entry_count))
}

/// How the clusters of an ntuple may be cut into ranges of `wanted` entries: pages matter for longer clusters alone.
///
/// # Errors
/// The storage fails.
pub(super) fn cuts(dataset: &Dataset, selected: &BTreeSet<ColumnId>, wanted: u64) -> Result<Vec<Cut>> {
    let mut cuts = Vec::new();
    for (number, group) in dataset.cluster_groups().iter().enumerate() {
        if let Some(cut) = uncut(group.entry_count, wanted) {
            cuts.push(cut);
            continue;
        }
        match dataset.group(number) {
            Ok(group) => cuts.extend(group.entry_counts().map(|(id, entry_count)| {
                let cluster = if entry_count > wanted { group.parse(id).ok() } else { None };
                let inside = |cluster| Cut::inside(&cluster, dataset.schema(), selected);
                cluster.map_or_else(|| Cut::whole(entry_count), inside)
            })),
            // Another attempt would find other cuts, and parts that are read apart would overlap.
            Err(error) if error.kind() == ErrorKind::Io => return Err(error),
            // Reading the entries says what is wrong with it.
            Err(_) => cuts.push(Cut::whole(group.entry_count)),
        }
    }
    Ok(cuts)
}

/// Ranges of about `wanted` entries that together are all entries of clusters, in order.
pub(super) fn partitions(clusters: impl Iterator<Item = Cut>, wanted: u64) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut first = 0u64;
    for cut in clusters.filter(|cluster| cluster.entry_count > 0) {
        let count = cut.entry_count;
        let end = first.saturating_add(count);
        match ranges.last_mut() {
            // Half a piece too long is nearer than half a piece too short.
            Some(last) if end - last.start <= wanted.saturating_add(count / 2) && count < wanted => {
                last.end = end
            }
            _ => {
                let pieces = count.div_ceil(wanted).min(cut.most).max(1);
                let length = count.div_ceil(pieces).max(1);
                let (mut start, mut place) = (first, 0u64);
                while start < end {
                    place = place.saturating_add(length);
                    let stop = if place < count { first + cut.near(place, length) } else { end };
                    ranges.push(start..stop);
                    start = stop;
                }
            }
        }
        first = end;
    }
    ranges
}

/// Where pages of columns end that have the same number of elements for each entry, and their sizes together.
fn page_ends(
    cluster: &ClusterDescriptor,
    schema: &Schema,
    selected: &BTreeSet<ColumnId>,
) -> BTreeMap<u64, u64> {
    let mut ends = BTreeMap::new();
    for &id in selected {
        let Some(column) = cluster.columns.get(id.index()) else { continue };
        let per_entry = schema.field_of(id).and_then(|field| schema.elements_per_entry(field));
        let Some(per_entry) = per_entry.filter(|count| *count > 0) else { continue };
        let mut elements = 0u64;
        for page in &column.pages {
            elements = elements.saturating_add(page.count.into());
            let (entry, is_between) = (elements / per_entry, elements.is_multiple_of(per_entry));
            // Of a column that was added later, pages may begin after the first entry: then these are places as good as
            // any.
            if let Locator::File { size, .. } = page.locator
                && is_between
                && (1..cluster.entry_count).contains(&entry)
            {
                let sizes: &mut u64 = ends.entry(entry).or_default();
                *sizes = sizes.saturating_add(size);
            }
        }
    }
    ends
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
