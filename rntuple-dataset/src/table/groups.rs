//! Which fragments a compaction writes together.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use rntuple::Dataset;
use rntuple::schema::{FieldDescriptor, FieldId, Schema};
use rntuple::statistics::SortOrder;

use crate::error::Result;
use crate::format::DataFragment;
use crate::order::{self, Claim};
use crate::rewrite::own_sets;
use crate::snapshot::Snapshot;

/// The fragments that are written together, by their positions, each group in the order of its rows: up to `target` bytes,
/// of fragments of less than half of that, and of those of which this part of the rows is `deleted`.
pub(super) fn groups(snapshot: &Snapshot, target: u64, deleted: f64) -> Result<Vec<Vec<usize>>> {
    let mut candidates = Vec::new();
    for (position, fragment) in snapshot.fragments().iter().enumerate() {
        let deleted_rows = snapshot.deleted_in(position)?;
        let rows = fragment.physical_rows.saturating_sub(deleted_rows);
        let (size, is_worn) = (size_of(fragment, rows), is_worn(fragment, deleted_rows, deleted));
        if size < target / 2 || is_worn {
            candidates.push(Candidate { position, size, rows, is_worn });
        }
    }
    // A file is opened only if something may become of it.
    if candidates.len() < 2 {
        candidates.retain(|candidate| candidate.is_worn);
    }
    let mut shapes = BTreeMap::new();
    for candidate in &candidates {
        let reader = snapshot.stored_reader(candidate.position)?;
        let dataset = reader.dataset(0)?;
        shapes.insert(candidate.position, Shape::of(&dataset)?);
    }
    let mut groups = Groups::new(target);
    match order::declared(snapshot).is_empty() {
        true => groups.by_position(&candidates, &shapes),
        false => groups.by_key(snapshot, &candidates, &shapes)?,
    }
    Ok(groups.all)
}

/// A fragment that may be written again.
#[derive(Clone, Copy)]
struct Candidate {
    position: usize,
    size: u64,
    rows: u64,
    is_worn: bool,
}

/// The most rows of a fragment.
const MOST_ROWS: u64 = u32::MAX as u64;

/// Groups, while they are made.
struct Groups {
    target: u64,
    open: Vec<Candidate>,
    size: u64,
    rows: u64,
    all: Vec<Vec<usize>>,
}

impl Groups {
    fn new(target: u64) -> Self {
        Self { target, open: Vec::new(), size: 0, rows: 0, all: Vec::new() }
    }

    /// Fragments that follow each other, so that rows keep their order.
    fn by_position(&mut self, candidates: &[Candidate], shapes: &BTreeMap<usize, Shape>) {
        for candidate in candidates {
            let follows = self.open.last().is_some_and(|last| {
                last.position + 1 == candidate.position
                    && shapes.get(&last.position) == shapes.get(&candidate.position)
            });
            self.push(*candidate, follows);
        }
        self.close();
    }

    /// Fragments that are sorted, as far as their keys follow each other, and then the others.
    fn by_key(
        &mut self,
        snapshot: &Snapshot,
        candidates: &[Candidate],
        shapes: &BTreeMap<usize, Shape>,
    ) -> Result<()> {
        let mut sorted: BTreeMap<Option<&Shape>, Vec<(Candidate, Option<SortOrder>)>> = BTreeMap::new();
        let mut others: BTreeMap<Option<&Shape>, Vec<Candidate>> = BTreeMap::new();
        for candidate in candidates {
            let shape = shapes.get(&candidate.position);
            match order::claim(snapshot, candidate.position)? {
                Claim::None => others.entry(shape).or_default().push(*candidate),
                Claim::Empty => sorted.entry(shape).or_default().push((*candidate, None)),
                Claim::Sorted(order) => sorted.entry(shape).or_default().push((*candidate, Some(order))),
            }
        }
        for mut fragments in sorted.into_values() {
            let first = |order: &Option<SortOrder>| order.as_ref().and_then(SortOrder::first);
            // Fields of one type can be compared, and none is NaN.
            fragments.sort_by(|(_, one), (_, other)| {
                first(one).partial_cmp(&first(other)).unwrap_or(Ordering::Equal)
            });
            let mut last: Option<SortOrder> = None;
            for (candidate, order) in fragments {
                let follows = match (&last, &order) {
                    (Some(last), Some(order)) => last.precedes(order),
                    _ => true,
                };
                self.push(candidate, follows);
                last = order.or(last);
            }
            self.close();
        }
        for fragments in others.into_values() {
            fragments.into_iter().for_each(|candidate| self.push(candidate, true));
            self.close();
        }
        Ok(())
    }

    /// Adds a fragment to the open group if it `follows`, or begins another one with it.
    fn push(&mut self, candidate: Candidate, follows: bool) {
        let size = self.size.saturating_add(candidate.size);
        let rows = self.rows.saturating_add(candidate.rows);
        if !follows || size > self.target || rows > MOST_ROWS {
            self.close();
        }
        self.open.push(candidate);
        self.size = self.size.saturating_add(candidate.size);
        self.rows = self.rows.saturating_add(candidate.rows);
    }

    fn close(&mut self) {
        let group = std::mem::take(&mut self.open);
        (self.size, self.rows) = (0, 0);
        if group.len() > 1 || group.iter().any(|candidate| candidate.is_worn) {
            self.all.push(group.iter().map(|candidate| candidate.position).collect());
        }
    }
}

/// What files must have in common to be written together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    fields: Vec<FieldShape>,
    /// The attribute sets, with their fields.
    sets: Vec<(String, Vec<FieldShape>)>,
}

/// What decides which values a field has, and what they mean.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FieldShape {
    /// How many fields are around it. Its parent is the last one before it that has one less.
    depth: usize,
    name: String,
    role: &'static str,
    type_name: String,
    type_version: u32,
    type_checksum: Option<u32>,
    array_size: Option<u64>,
    unit: Option<String>,
    /// The names and integers of an enum's variants.
    enumerators: Vec<(String, i128)>,
    /// The ranges of its columns, as bits.
    ranges: Vec<(u64, u64)>,
}

impl Shape {
    fn of(dataset: &Dataset) -> Result<Self> {
        let mut sets = Vec::new();
        for name in own_sets(dataset) {
            sets.push((name.to_owned(), field_shapes(dataset.attribute_set(name)?.schema())));
        }
        sets.sort_unstable();
        Ok(Self { fields: field_shapes(dataset.schema()), sets })
    }
}

/// The shapes of all fields, in an order that does not depend on that of the file: each is followed by those of its
/// subfields, by their names.
fn field_shapes(schema: &Schema) -> Vec<FieldShape> {
    let shape = |depth: usize, id: FieldId, field: &FieldDescriptor| {
        let columns = schema.representations(id).iter().flatten().filter_map(|id| schema.column(*id));
        let ranges = columns.filter_map(|column| column.range);
        let enumerators = field.enumerators().into_iter();
        FieldShape {
            depth,
            name: field.name.clone(),
            role: field.role.name(),
            type_name: field.type_name.clone(),
            type_version: field.type_version,
            type_checksum: field.type_checksum,
            array_size: field.array_size,
            unit: field.unit().map(str::to_owned),
            enumerators: enumerators.map(|(name, value)| (name.to_owned(), value)).collect(),
            ranges: ranges.map(|(low, high)| (low.to_bits(), high.to_bits())).collect(),
        }
    };
    let mut subfields: HashMap<Option<FieldId>, Vec<(FieldId, &FieldDescriptor)>> = HashMap::new();
    for (id, field) in schema.fields() {
        subfields.entry(field.parent).or_default().push((id, field));
    }
    // Those of a field, the last one first.
    let mut take = |parent: Option<FieldId>| {
        let mut fields = subfields.remove(&parent).unwrap_or_default();
        fields.sort_by(|(_, one), (_, other)| other.name.cmp(&one.name));
        fields
    };
    let mut shapes = Vec::new();
    let mut stack: Vec<(usize, FieldId, &FieldDescriptor)> =
        take(None).into_iter().map(|(id, field)| (0, id, field)).collect();
    while let Some((depth, id, field)) = stack.pop() {
        shapes.push(shape(depth, id, field));
        stack.extend(take(Some(id)).into_iter().map(|(id, field)| (depth + 1, id, field)));
    }
    shapes
}

/// About how many bytes the rows of a fragment have that are not deleted.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "an estimate"
)]
fn size_of(fragment: &DataFragment, rows: u64) -> u64 {
    let size: u64 = fragment.files.iter().map(|file| file.file_size_bytes).fold(0, u64::saturating_add);
    let left = rows as f64 / fragment.physical_rows.max(1) as f64;
    (size as f64 * left) as u64
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn is_worn(fragment: &DataFragment, deleted: u64, part: f64) -> bool {
    deleted > 0 && deleted as f64 >= part * fragment.physical_rows as f64
}

#[cfg(test)]
mod tests {
    use rntuple::{RNTuple, WriteOptions};

    use super::*;

    #[derive(RNTuple)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[derive(RNTuple)]
    struct Event {
        first: Point,
        second: Point,
        number: u32,
    }

    #[derive(RNTuple)]
    struct Turned {
        number: u32,
        second: Point,
        first: Point,
    }

    #[test]
    fn shapes_do_not_depend_on_the_order_of_fields() {
        let event = field_shapes(&Schema::of::<Event>(&WriteOptions::new()).unwrap());
        let turned = field_shapes(&Schema::of::<Turned>(&WriteOptions::new()).unwrap());
        assert!(event == turned);
        // A name is in one shape, however many fields are below it.
        let names: Vec<_> = event.iter().map(|field| (field.depth, &*field.name)).collect();
        let wanted = [(0, "first"), (1, "x"), (1, "y"), (0, "number"), (0, "second"), (1, "x"), (1, "y")];
        assert_eq!(names, wanted);
    }

    #[test]
    fn a_group_has_no_more_rows_than_a_fragment_may_have() {
        let mut groups = Groups::new(100);
        for (position, rows) in [1, MOST_ROWS - 1, 1, MOST_ROWS - 1, MOST_ROWS, 0].into_iter().enumerate() {
            groups.push(Candidate { position, size: 1, rows, is_worn: false }, true);
        }
        groups.close();
        assert_eq!(groups.all, [vec![0, 1], vec![2, 3], vec![4, 5]]);
    }
}
