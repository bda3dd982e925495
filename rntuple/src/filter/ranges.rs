//! Which entries of a cluster match for certain, and which have to be looked at.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::counters::{Outcome, Tally};
use super::known::{OfCluster, OfPages, elements_per_entry, whole_column};
use crate::predicate::{Bound, Bounds, Possible};
use crate::schema::{ClusterDescriptor, FieldId, Locator, Schema};

/// Entries of a cluster, counted from its first one, in order.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// These match.
    pub(super) certain: Vec<Range<u64>>,
    /// These have to be looked at.
    pub(super) open: Vec<Range<u64>>,
}

/// The pages of a field that has one element for each entry.
struct Paged {
    field: FieldId,
    bounds: Vec<Bounds>,
    /// The entry after each page.
    ends: Vec<u64>,
}

impl Ranges {
    /// Those of the pages of a cluster.
    pub(super) fn of(bound: &Bound, cluster: &OfCluster<'_>) -> Self {
        let count = cluster.cluster.entry_count;
        let paged: Vec<Paged> =
            bound.fields().iter().filter_map(|field| Paged::of(cluster, *field)).collect();
        let ends: BTreeSet<u64> =
            paged.iter().flat_map(|paged| paged.ends.iter().copied()).chain([count]).collect();
        let mut ranges = Self::default();
        let mut start = 0;
        for end in ends {
            let of = |paged: &Paged| {
                let page = paged.ends.partition_point(|end| *end <= start);
                paged.bounds.get(page).map(|bounds| (paged.field, bounds.clone()))
            };
            let pages: HashMap<_, _> = paged.iter().filter_map(of).collect();
            let pages = pages.iter().map(|(field, bounds)| (*field, bounds)).collect();
            let possible = match paged.is_empty() {
                true => bound.possible(cluster),
                false => bound.possible(&OfPages { cluster, pages }),
            };
            ranges.add(start..end, possible);
            start = end;
        }
        ranges
    }

    fn add(&mut self, range: Range<u64>, possible: Possible) {
        let list = match possible {
            _ if possible.is_never() => return,
            _ if possible.is_always() => &mut self.certain,
            _ => &mut self.open,
        };
        match list.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ if range.is_empty() => {}
            _ => list.push(range),
        }
    }
}

impl Paged {
    fn of(cluster: &OfCluster<'_>, field: FieldId) -> Option<Self> {
        let column = whole_column(cluster.schema, cluster.cluster, field)?;
        if elements_per_entry(cluster.schema, field) != Some(1) {
            return None;
        }
        let pages = &cluster.cluster.columns.get(column.index())?.pages;
        let bounds = cluster.source.pages(cluster.number, column)?;
        if bounds.len() != pages.len() {
            return None;
        }
        let mut end = 0u64;
        let ends = pages.iter().map(|page| {
            end = end.saturating_add(page.count.into());
            end
        });
        Some(Self { field, bounds, ends: ends.collect() })
    }
}

/// Counts the pages of the columns of a predicate in a cluster of which some entries are looked at.
pub(super) fn count_pages(
    bound: &Bound,
    schema: &Schema,
    cluster: &ClusterDescriptor,
    open: &[Range<u64>],
    tally: &Tally,
) {
    for field in bound.fields() {
        let is_flat = elements_per_entry(schema, *field) == Some(1);
        let columns = schema.representations(*field).iter().flat_map(|columns| columns.iter().enumerate());
        for (number, column) in columns {
            let Some(range) = cluster.columns.get(column.index()) else { continue };
            let mut start = 0u64;
            for page in &range.pages {
                let end = start.saturating_add(page.count.into());
                // The characters of strings are not counted by entries, nor are the items of collections.
                let is_read = match is_flat && number == 0 {
                    true => open.iter().any(|open| open.start < end && start < open.end),
                    false => !open.is_empty(),
                };
                let outcome = if is_read { Outcome::Read } else { Outcome::Skipped };
                let size = match page.locator {
                    Locator::File { size, .. } => size,
                    Locator::Unknown { .. } => 0,
                };
                tally.pages.add(1, outcome);
                tally.bytes.add(size, outcome);
                start = end;
            }
        }
    }
}
