//! Which entries of a cluster match for certain, and which have to be looked at.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::counters::{Outcome, Tally};
use super::known::{OfCluster, OfPages};
use super::paged::{Paged, Pages, is_above, is_flat, way_of};
use crate::error::Result;
use crate::predicate::{Bound, Possible};
use crate::reader::Way;
use crate::schema::{ClusterDescriptor, FieldId, Locator, Role, Schema};

/// Entries of a cluster, counted from its first one, in order.
#[derive(Default)]
pub(super) struct Ranges {
    /// These match.
    pub(super) certain: Vec<Range<u64>>,
    /// These have to be looked at.
    pub(super) open: Vec<Range<u64>>,
    /// The fields of whose pages something is known.
    paged: Vec<Paged>,
    /// The fields for which the offsets above them were read.
    searched: Vec<FieldId>,
}

/// Finds the way to the elements of a field, or to the scalars inside it; `None` where what it costs is more than it spares.
pub(super) type FindWay<'a> = dyn FnMut(FieldId, bool) -> Result<Option<Way>> + 'a;

impl Ranges {
    /// Those of the pages of a cluster.
    ///
    /// # Errors
    /// Offsets cannot be read.
    pub(super) fn of(bound: &Bound, cluster: &OfCluster<'_>, find_way: &mut FindWay<'_>) -> Result<Self> {
        let (flat, nested): (Vec<FieldId>, _) =
            bound.fields().iter().partition(|field| is_flat(cluster.schema, **field));
        let pages = |fields: Vec<FieldId>| fields.into_iter().filter_map(|field| Pages::of(cluster, field));
        let paged = pages(flat).map(Pages::flat).collect();
        let ranges = Self::of_pages(bound, cluster, paged);
        if ranges.open.is_empty() {
            return Ok(ranges);
        }
        // Only if there is something to gain: offsets are read for it.
        let before = bound.possible(cluster);
        let (mut found, mut searched) = (Vec::new(), Vec::new());
        for pages in pages(nested).filter(|pages| pages.decide(bound, cluster, before)) {
            let field = pages.field;
            let Some(scalars) = way_of(cluster.schema, field) else { continue };
            if let Some(mut way) = find_way(field, scalars)? {
                searched.push(field);
                found.extend(pages.along(&mut way)?);
            }
        }
        if found.is_empty() {
            return Ok(Self { searched, ..ranges });
        }
        found.extend(ranges.paged);
        Ok(Self { searched, ..Self::of_pages(bound, cluster, found) })
    }

    fn of_pages(bound: &Bound, cluster: &OfCluster<'_>, paged: Vec<Paged>) -> Self {
        let count = cluster.cluster.entry_count;
        let cuts = paged.iter().flat_map(Paged::cuts).filter(|cut| *cut < count);
        let ends: BTreeSet<u64> = cuts.chain([count]).collect();
        let mut ranges = Self::default();
        let mut start = 0;
        for end in ends {
            let of = |paged: &Paged| Some((paged.pages.field, paged.bounds_of(&(start..end))?));
            let pages: HashMap<_, _> = paged.iter().filter_map(of).collect();
            let pages = pages.iter().map(|(field, bounds)| (*field, bounds)).collect();
            let possible = match paged.is_empty() {
                true => bound.possible(cluster),
                false => bound.possible(&OfPages { cluster, pages }),
            };
            ranges.add(start..end, possible);
            start = end;
        }
        ranges.paged = paged;
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

impl Pages {
    /// Whether one of the pages alone may decide what the cluster does not.
    fn decide(&self, bound: &Bound, cluster: &OfCluster<'_>, before: Possible) -> bool {
        self.bounds().iter().any(|bounds| {
            let pages = HashMap::from([(self.field, bounds)]);
            bound.possible(&OfPages { cluster, pages }) != before
        })
    }
}

/// Counts the pages of the columns of a predicate in a cluster of which some entries match for certain, and others are
/// looked at.
pub(super) fn count_pages(
    bound: &Bound,
    schema: &Schema,
    cluster: &ClusterDescriptor,
    ranges: &Ranges,
    certain: &[Range<u64>],
    open: &[Range<u64>],
    tally: &Tally,
) {
    for field in bound.fields() {
        let paged = ranges.paged.iter().find(|paged| paged.pages.field == *field);
        let lists = [open, certain].map(|entries| (entries, paged.map(|paged| paged.touched(entries))));
        let is_flat = is_flat(schema, *field);
        let is_searched = schema.field(*field).is_some_and(|found| found.role == Role::Collection)
            && ranges.searched.iter().any(|below| is_above(schema, *field, *below));
        let columns = schema.representations(*field).iter().flat_map(|columns| columns.iter().enumerate());
        for (number, column) in columns {
            let Some(range) = cluster.columns.get(column.index()) else { continue };
            let mut start = 0u64;
            for (page, location) in range.pages.iter().enumerate() {
                let end = start.saturating_add(location.count.into());
                let [has_open, has_certain] = lists.each_ref().map(|(entries, touched)| match touched {
                    // The characters of strings have pages of their own.
                    Some(touched) if number == 0 => touched.get(page).is_some_and(|touched| *touched),
                    None if is_flat && number == 0 => {
                        entries.iter().any(|range| range.start < end && start < range.end)
                    }
                    _ => !entries.is_empty(),
                });
                start = end;
                let outcome = match (has_open || is_searched, has_certain) {
                    (true, _) => Outcome::Read,
                    (false, true) => Outcome::Certain,
                    (false, false) => Outcome::Skipped,
                };
                let size = match location.locator {
                    Locator::File { size, .. } => size,
                    Locator::Unknown { .. } => 0,
                };
                tally.pages.add(1, outcome);
                tally.bytes.add(size, outcome);
            }
        }
    }
}
