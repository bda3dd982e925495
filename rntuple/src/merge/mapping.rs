//! Which columns of one input become which columns of the merged schema.

use std::collections::HashMap;

use super::tree::{Slot, Tree, packing};
use crate::encoding::ColumnEncoding;
use crate::error::{Error, ErrorKind, Result};
use crate::message::counted;
use crate::schema::{ClusterDescriptor, ColumnId, ColumnRange, PageLocation, Schema};

/// The columns that an input has for a field.
#[derive(Debug)]
pub(super) enum Mapped {
    /// It has the field.
    Present {
        representations: Vec<Representation>,
        /// Elements for each entry, where the schema fixes them.
        per_entry: Option<u64>,
    },
    /// It lacks the field.
    Missing { packing: ColumnEncoding, count: Count },
}

/// One representation of a field in an input.
#[derive(Debug)]
pub(super) struct Representation {
    columns: Vec<ColumnId>,
    packings: Vec<ColumnEncoding>,
    /// Which one it is in the merged schema.
    target: usize,
    /// Elements in front of the first written ones are zero (format, section 5.3).
    is_deferred: bool,
}

/// How many zeros stand for a field that is missing.
#[derive(Debug)]
pub(super) enum Count {
    /// So many for each entry.
    PerEntry(u64),
    /// The collection that it would be in is missing too, and so empty.
    None,
    /// The items of a collection are counted by another field in them.
    AsOther { slot: usize, divisor: u64, factor: u64 },
}

/// A field's part of a cluster.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The representation that is active, as the merged schema counts them.
    pub(super) target: usize,
    /// Zeros in front of the pages of the principal column.
    pub(super) zeros: u64,
    /// How they are packed.
    pub(super) principal: ColumnEncoding,
    /// The columns, where the cluster has them.
    pub(super) columns: Vec<Pages<'a>>,
}

/// The pages of one column in a cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages<'a> {
    pub(super) id: ColumnId,
    pub(super) packing: ColumnEncoding,
    /// As the cluster says.
    pub(super) compression: u32,
    pub(super) pages: &'a [PageLocation],
}

impl Pages<'_> {
    pub(super) fn count(&self) -> u64 {
        self.pages.iter().map(|page| u64::from(page.count)).fold(0, u64::saturating_add)
    }
}

/// The columns of an input for each field of the merged schema that has columns.
pub(super) fn map(tree: &Tree, slots: &[Slot], schema: &Schema) -> Result<Vec<Mapped>> {
    let mut fields = HashMap::new();
    for (id, field) in schema.fields() {
        if field.projection_source.is_none()
            && let Some(node) = tree.find(&schema.path(id))
        {
            fields.insert(node, id);
        }
    }
    let mut mapped = Vec::with_capacity(slots.len());
    // By what counts them: a field that is there, and how often it stands in each item.
    let mut witnesses: HashMap<(usize, usize), (usize, u64)> = HashMap::new();
    for (number, slot) in slots.iter().enumerate() {
        let Some(node) = tree.nodes.get(slot.node) else { continue };
        let counted = tree.counted(slot.node);
        let Some(id) = fields.get(&slot.node) else {
            let packing = node.representations.first().and_then(|list| list.first()).copied();
            let packing = packing.ok_or_else(|| Error::out_of_spec("a field has no columns"))?;
            mapped.push(Mapped::Missing { packing, count: Count::None });
            continue;
        };
        if let (Some(by), Some(divisor @ 1..)) = (counted.by, counted.repetitions) {
            witnesses.entry(by).or_insert((number, divisor));
        }
        let per_entry = match counted.by {
            Some(_) => None,
            None => Some(counted.repetitions.ok_or_else(|| too_many(&node.path))?),
        };
        let representations = schema.representations(*id).iter().map(|columns| {
            let packings = columns.iter().map(|&id| packing(schema, id)).collect::<Result<Vec<_>>>()?;
            let target = node.representation(&packings).ok_or_else(|| {
                Error::new(ErrorKind::Io, "the input has changed since the merge began").in_field(&*node.path)
            })?;
            let first = columns.first().and_then(|&id| schema.column(id)).and_then(|c| c.first_element);
            let is_deferred = first.is_some_and(|first| first >= 0);
            Ok(Representation { columns: columns.clone(), packings, target, is_deferred })
        });
        let representations = representations.collect::<Result<_>>()?;
        mapped.push(Mapped::Present { representations, per_entry });
    }
    for (mapped, slot) in mapped.iter_mut().zip(slots) {
        let Mapped::Missing { count, .. } = mapped else { continue };
        let counted = tree.counted(slot.node);
        let path = tree.nodes.get(slot.node).map_or("", |node| &node.path);
        let repetitions = counted.repetitions.ok_or_else(|| too_many(path))?;
        *count = match counted.by {
            None => Count::PerEntry(repetitions),
            Some((above, _)) if !fields.contains_key(&above) => Count::None,
            Some(by) => match witnesses.get(&by) {
                Some(&(slot, divisor)) => Count::AsOther { slot, divisor, factor: repetitions },
                None if repetitions == 0 => Count::None,
                None => {
                    let message =
                        "the field is missing, and nothing else says how many items its collection has";
                    return Err(Error::unsupported(message).in_field(path));
                }
            },
        };
    }
    Ok(mapped)
}

fn too_many(path: &str) -> Error {
    Error::out_of_spec("arrays have over 2^64 elements").in_field(path)
}

impl Mapped {
    /// The field's part of a cluster; `all` are the columns of all fields.
    pub(super) fn part<'a>(&self, cluster: &'a ClusterDescriptor, all: &[Self]) -> Result<Part<'a>> {
        match self {
            Self::Missing { packing, count } => {
                let zeros = match *count {
                    Count::None => Some(0),
                    Count::PerEntry(per_entry) => cluster.entry_count.checked_mul(per_entry),
                    Count::AsOther { slot, divisor, factor } => {
                        let stored = match all.get(slot) {
                            Some(other @ Self::Present { .. }) => other.stored(cluster)?,
                            _ => 0,
                        };
                        if !stored.is_multiple_of(divisor) {
                            let message = format!(
                                "{} cannot be cut into arrays of {divisor}",
                                counted(stored, "element")
                            );
                            return Err(Error::out_of_spec(message));
                        }
                        (stored / divisor).checked_mul(factor)
                    }
                };
                let zeros = zeros.ok_or_else(|| Error::out_of_spec("a cluster has over 2^64 elements"))?;
                Ok(Part { target: 0, zeros, principal: *packing, columns: Vec::new() })
            }
            Self::Present { representations, per_entry } => present(cluster, representations, *per_entry),
        }
    }

    /// Elements of the principal column in a cluster.
    fn stored(&self, cluster: &ClusterDescriptor) -> Result<u64> {
        let part = self.part(cluster, &[])?;
        Ok(part.columns.first().map_or(0, Pages::count))
    }
}

fn present<'a>(
    cluster: &'a ClusterDescriptor,
    representations: &[Representation],
    per_entry: Option<u64>,
) -> Result<Part<'a>> {
    let range = |id: ColumnId| cluster.columns.get(id.index());
    let is_active = |range: Option<&ColumnRange>| range.is_some_and(|range| range.first_element.is_some());
    let principal = |known: &Representation| known.columns.first().copied().and_then(range);
    let mut active = representations.iter().filter(|known| is_active(principal(known)));
    let first = active.next();
    if active.next().is_some() {
        return Err(Error::out_of_spec("two representations are active"));
    }
    let is_listed = representations.iter().any(|known| principal(known).is_some());
    if first.is_none() && is_listed {
        return Err(Error::out_of_spec("every representation of the field is suppressed"));
    }
    // A cluster that is older than the field has no columns for it.
    let known = first.or(representations.first());
    let Some((known, packing)) = known.and_then(|known| Some((known, known.packings.first()?))) else {
        return Err(Error::out_of_spec("a field has no columns"));
    };
    let mut columns = Vec::with_capacity(known.columns.len());
    for (&id, &packing) in known.columns.iter().zip(&known.packings) {
        let (compression, pages) = match range(id) {
            None => (0, &[][..]),
            Some(range) if range.first_element.is_none() => {
                let message = "the column is suppressed, but the one before it is not";
                return Err(Error::out_of_spec(message).in_column(id.0.into()));
            }
            Some(range) => (range.compression, &*range.pages),
        };
        columns.push(Pages { id, packing, compression, pages });
    }
    if first.is_none() {
        columns.clear();
    }
    let stored = columns.first().map_or(0, Pages::count);
    let mut zeros = 0;
    if let Some(per_entry) = per_entry {
        let entries = cluster.entry_count;
        let wanted = entries.checked_mul(per_entry);
        let wanted = wanted.ok_or_else(|| Error::out_of_spec("the cluster has over 2^64 elements"))?;
        if stored > wanted || stored < wanted && !known.is_deferred {
            return Err(Error::out_of_spec(format!(
                "the pages hold {}, expected {wanted} for {}",
                counted(stored, "element"),
                counted(entries, "entry")
            )));
        }
        zeros = wanted - stored;
    }
    Ok(Part { target: known.target, zeros, principal: *packing, columns })
}
