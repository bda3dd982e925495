//! Which entries of a cluster have their values in which pages of a field.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::known::{OfCluster, elements_per_entry, whole_column};
use crate::error::Result;
use crate::predicate::Bounds;
use crate::reader::Way;
use crate::schema::{FieldId, Role, Schema};

/// The pages of a field in a cluster, and what is known of each. There is one or more.
pub(super) struct Pages {
    pub(super) field: FieldId,
    bounds: Vec<Bounds>,
    /// The element after each page.
    ends: Vec<u64>,
}

/// The same with the entries that have their values in each page.
pub(super) struct Paged {
    pub(super) pages: Pages,
    edges: Vec<Edge>,
}

/// Where a page ends, and entries.
struct Edge {
    /// The first entry whose elements begin at the end of the page or after it.
    from: u64,
    /// The first entry whose elements begin after the end of the page.
    after: u64,
}

impl Pages {
    /// `None` if nothing is known of single pages.
    pub(super) fn of(cluster: &OfCluster<'_>, field: FieldId) -> Option<Self> {
        let column = whole_column(cluster.schema, cluster.cluster, field)?;
        let pages = &cluster.cluster.columns.get(column.index())?.pages;
        let bounds = cluster.source.pages(cluster.number, column)?;
        if bounds.len() != pages.len() || bounds.is_empty() {
            return None;
        }
        let mut end = 0u64;
        let ends = pages.iter().map(|page| {
            end = end.saturating_add(page.count.into());
            end
        });
        Some(Self { field, bounds, ends: ends.collect() })
    }

    /// What is known of each page.
    pub(super) fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    /// Of a field with one element for each entry.
    pub(super) fn flat(self) -> Paged {
        let edges = self.ends.iter().map(|end| Edge { from: *end, after: end.saturating_add(1) }).collect();
        Paged { pages: self, edges }
    }

    /// Of any other field. `None` if the pages have not the elements that entries have, as in a damaged file.
    ///
    /// # Errors
    /// Offsets cannot be read.
    pub(super) fn along(self, way: &mut Way) -> Result<Option<Paged>> {
        // Pages may be empty.
        let elements: BTreeSet<u64> =
            self.ends.iter().flat_map(|end| [*end, end.saturating_add(1)]).collect();
        let entries = way.entries_from(elements.iter().copied().collect())?;
        if self.ends.last() != Some(&way.element_count()?) {
            return Ok(None);
        }
        let entries: HashMap<u64, u64> = elements.into_iter().zip(entries).collect();
        let entry_of = |element: u64| entries.get(&element).copied().unwrap_or_default();
        let mut start = 0;
        let edges = self.ends.iter().map(|end| {
            // Damaged offsets are in no order.
            start = entry_of(*end).max(start);
            Edge { from: start, after: entry_of(end.saturating_add(1)).max(start) }
        });
        Ok(Some(Paged { edges: edges.collect(), pages: self }))
    }
}

impl Paged {
    /// Entries between which other pages begin.
    pub(super) fn cuts(&self) -> impl Iterator<Item = u64> {
        // The entry before has elements in both pages, unless one begins where the page does.
        self.edges.iter().flat_map(|Edge { from, after }| {
            let shared = (from == after).then(|| from.saturating_sub(1));
            shared.into_iter().chain([*from])
        })
    }

    /// The pages with elements of entries, which may be one more.
    fn pages_of(&self, entries: &Range<u64>) -> Range<usize> {
        let first = self.edges.partition_point(|edge| edge.from <= entries.start).min(self.edges.len() - 1);
        let last = self.edges.partition_point(|edge| edge.after <= entries.end);
        first..last.saturating_add(1).clamp(first + 1, self.edges.len())
    }

    /// What is known of the elements of entries.
    pub(super) fn bounds_of(&self, entries: &Range<u64>) -> Option<Bounds> {
        let bounds = self.pages.bounds.get(self.pages_of(entries))?;
        bounds.iter().cloned().reduce(Bounds::and)
    }

    /// For each page whether entries of a list, which follow each other, have elements there.
    pub(super) fn touched(&self, entries: &[Range<u64>]) -> Vec<bool> {
        let mut touched = vec![false; self.edges.len()];
        for range in entries {
            touched.get_mut(self.pages_of(range)).into_iter().flatten().for_each(|page| *page = true);
        }
        touched
    }
}

/// How the elements of a field are found from entries: the scalars inside the field, if that is said.
///
/// `None` for fields whose elements are in no order of entries, or which are not found.
pub(super) fn way_of(schema: &Schema, id: FieldId) -> Option<bool> {
    let mut at = id;
    while let Some(above) = schema.field(at)?.parent {
        if schema.field(above)?.role == Role::Variant {
            return None;
        }
        at = above;
    }
    let field = schema.field(id)?;
    match (field.role, schema.representations(id).first()?.len()) {
        (Role::Plain, 1) => Some(true),
        (Role::Plain | Role::Collection, _) if field.array_size.is_none() => Some(false),
        _ => None,
    }
}

/// Whether the field has one element for each entry.
pub(super) fn is_flat(schema: &Schema, field: FieldId) -> bool {
    elements_per_entry(schema, field) == Some(1)
}

/// Whether a field is above another one.
pub(super) fn is_above(schema: &Schema, field: FieldId, below: FieldId) -> bool {
    let parent = |id: &FieldId| schema.field(*id).and_then(|field| field.parent);
    std::iter::successors(parent(&below), parent).any(|above| above == field)
}
