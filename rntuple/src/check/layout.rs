//! How the columns of a schema hang together: which one says how many elements another one has.

use std::collections::HashMap;

use super::look::{Look, Number, Reading};
use super::schema;
use crate::encoding::{Byte, ColumnEncoding, ColumnType, Element, Index, Switch};
use crate::error::Error;
use crate::schema::{ColumnId, FieldDescriptor, FieldId, MOST_ALTERNATIVES, Role, Schema};

/// Where the number of elements comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// From the number of entries.
    Entries,
    /// From the items of the collection, or the bytes of the string, that this place's offsets end.
    Items(usize),
    /// From the switches of this place that name this alternative, counted from 1.
    Alternative(usize, u32),
    /// A part of the schema that is of a later version, or at fault.
    Unknown,
}

/// A place for a column in a field: one column of each representation fits it, and one of them is active.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) field: FieldId,
    /// Its column in the first representation, which comes before those of the others.
    pub(super) first: ColumnId,
    /// The place of the field's principal column.
    pub(super) principal: usize,
    pub(super) source: Source,
    /// Elements for each element of the source; `None`: over 2^64.
    pub(super) repetitions: Option<u64>,
    /// Elements before this one were never written (format, section 5.3).
    pub(super) deferred: u64,
}

/// A physical column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) slot: usize,
    pub(super) representation: u16,
    pub(super) reading: Reading,
}

/// All columns of a schema.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) slots: Vec<Slot>,
    /// By physical column id.
    pub(super) columns: Vec<Column>,
    /// For each place that counts, and each alternative (0 for collections), the places that it counts:
    /// of the first columns of all, the highest.
    counted: HashMap<(usize, u32), ColumnId>,
}

impl Layout {
    /// Finds the places of all columns; what is wrong with them goes to `faults`.
    pub(super) fn new(schema: &Schema, faults: &mut dyn FnMut(Error)) -> Self {
        let mut layout = Self::default();
        let mut slot_of_field: HashMap<FieldId, usize> = HashMap::new();
        let unread = Reading { packing: None, look: Look::Bytes };
        // Every column belongs to a field that is not projected: `Schema::build` has seen to it.
        let nowhere = Column { slot: 0, representation: 0, reading: unread };
        layout.columns = vec![nowhere; schema.columns().count()];
        for (id, field) in schema.fields() {
            let representations = schema.representations(id);
            let Some(first) = representations.first().filter(|_| field.projection_source.is_none()) else {
                continue;
            };
            let principal = layout.slots.len();
            slot_of_field.insert(id, principal);
            let (source, repetitions) = source(schema, id, &slot_of_field);
            for (number, first) in first.iter().enumerate() {
                let deferred = schema.column(*first).and_then(|column| column.first_element).unwrap_or(0);
                let (source, repetitions) =
                    if number == 0 { (source, repetitions) } else { (Source::Items(principal), Some(1)) };
                let slot = layout.slots.len();
                if repetitions != Some(0) {
                    layout.count(source, *first);
                }
                let deferred = u64::try_from(deferred).unwrap_or(0);
                layout.slots.push(Slot {
                    field: id,
                    first: *first,
                    principal,
                    source,
                    repetitions,
                    deferred,
                });
                for (representation, columns) in (0..=u16::MAX).zip(representations) {
                    let Some(&column) = columns.get(number) else { continue };
                    let (reading, fault) = reading(schema, field, column, number, first_width(schema, id));
                    if let Some(error) = fault {
                        faults(error.in_field(schema::path(schema, id)).in_column(column.0.into()));
                    }
                    if let Some(place) = layout.columns.get_mut(column.index()) {
                        *place = Column { slot, representation, reading };
                    }
                }
            }
        }
        layout
    }

    fn count(&mut self, source: Source, column: ColumnId) {
        let key = match source {
            Source::Items(slot) => (slot, 0),
            Source::Alternative(slot, number) => (slot, number),
            Source::Entries | Source::Unknown => return,
        };
        let highest = self.counted.entry(key).or_default();
        *highest = column.max(*highest);
    }

    /// Whether some place that `slot` counts has no column among the first `listed` ones.
    pub(super) fn counts_beyond(&self, slot: usize, alternative: u32, listed: usize) -> bool {
        self.counted.get(&(slot, alternative)).is_some_and(|column| column.index() >= listed)
    }
}

fn first_width(schema: &Schema, id: FieldId) -> usize {
    schema.representations(id).first().map_or(0, Vec::len)
}

/// Whether the field is of this version.
fn is_known(field: &FieldDescriptor) -> bool {
    field.field_version == 0 && !matches!(field.role, Role::Unknown(_))
}

/// What counts the elements of a field's principal column, and how many there are for each.
fn source(schema: &Schema, id: FieldId, slots: &HashMap<FieldId, usize>) -> (Source, Option<u64>) {
    let mut repetitions = Some(1u64);
    let mut at = id;
    loop {
        let Some(field) = schema.field(at).filter(|field| is_known(field)) else {
            return (Source::Unknown, None);
        };
        repetitions = repetitions.and_then(|product| product.checked_mul(field.array_size.unwrap_or(1)));
        let Some(parent) = field.parent else { return (Source::Entries, repetitions) };
        let Some(above) = schema.field(parent).filter(|field| is_known(field)) else {
            return (Source::Unknown, None);
        };
        let slot = slots.get(&parent).copied();
        match (above.role, slot) {
            (Role::Record | Role::Plain, None) => at = parent,
            (Role::Collection, Some(slot)) => return (Source::Items(slot), repetitions),
            (Role::Variant, Some(slot)) => {
                let position = schema.children(parent).binary_search(&at).ok();
                let number = position.and_then(|position| u32::try_from(position + 1).ok());
                let source = number.map_or(Source::Unknown, |number| Source::Alternative(slot, number));
                return (source, repetitions);
            }
            _ => return (Source::Unknown, None),
        }
    }
}

/// How the pages of a column are read, and what is wrong with its type.
fn reading(
    schema: &Schema,
    field: &FieldDescriptor,
    id: ColumnId,
    number: usize,
    width: usize,
) -> (Reading, Option<Error>) {
    let column = schema.column(id);
    let packing = column.and_then(|column| {
        let column_type = column.column_type()?;
        ColumnEncoding::checked(column_type, column.bits, column.range).ok()
    });
    let Some(packing) = packing else { return (Reading { packing, look: Look::Bytes }, None) };
    if !is_known(field) {
        return (Reading { packing: Some(packing), look: Look::Bytes }, None);
    }
    let column_type = packing.column_type();
    let alternatives = column.map_or(0, |column| schema.children(column.field).len());
    let (is_readable, wanted, look) = match (field.role, number, width) {
        (Role::Collection, 0, _) | (Role::Streamer, 0, _) | (Role::Plain, 0, 2) => {
            (Index::reads(column_type), "end offsets", Look::Index)
        }
        (Role::Streamer | Role::Plain, 1, 2) => {
            let is_byte = Byte::reads(column_type) && packing.bits() == 8;
            (is_byte, "bytes", Look::Bytes)
        }
        (Role::Variant, 0, _) if alternatives <= MOST_ALTERNATIVES => {
            let alternatives = u32::try_from(alternatives).unwrap_or(u32::MAX);
            (Switch::reads(column_type), "switches", Look::Switch(alternatives))
        }
        (Role::Plain, 0, 1) => {
            let (is_readable, look) = leaf(&field.type_name, column_type);
            (is_readable, &*field.type_name, look)
        }
        // Too many columns: the schema's rules say so.
        _ => (true, "", Look::Bytes),
    };
    if is_readable {
        return (Reading { packing: Some(packing), look }, None);
    }
    let fault = Error::out_of_spec(format!("a column of {column_type} cannot hold {wanted}"));
    (Reading { packing: Some(packing), look: Look::Bytes }, Some(fault))
}

/// Whether a field of this type can be read from such a column, and what its values are looked at for.
fn leaf(type_name: &str, column_type: ColumnType) -> (bool, Look) {
    /// Values that are written as they are need no look.
    fn integer<E: Element>(column_type: ColumnType, number: Number) -> (bool, Look) {
        let is_own = E::WRITES.contains(&column_type);
        (E::reads(column_type), if is_own { Look::Bytes } else { Look::Fit(number) })
    }
    match type_name {
        "bool" => integer::<bool>(column_type, Number::Bool),
        "std::int8_t" => integer::<i8>(column_type, Number::I8),
        "std::uint8_t" => integer::<u8>(column_type, Number::U8),
        "std::byte" | "char" => integer::<Byte>(column_type, Number::U8),
        "std::int16_t" => integer::<i16>(column_type, Number::I16),
        "std::uint16_t" => integer::<u16>(column_type, Number::U16),
        "std::int32_t" => integer::<i32>(column_type, Number::I32),
        "std::uint32_t" => integer::<u32>(column_type, Number::U32),
        "std::int64_t" => integer::<i64>(column_type, Number::I64),
        "std::uint64_t" => integer::<u64>(column_type, Number::U64),
        "float" | "double" => (f64::reads(column_type), Look::Bytes),
        // A type of some experiment's: whatever its column holds.
        _ => (true, Look::Bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::ColumnDescriptor;

    fn field(parent: Option<u32>, role: Role, name: &str, type_name: &str) -> FieldDescriptor {
        FieldDescriptor::new(parent.map(FieldId), role, name, type_name)
    }

    fn column(column_type: ColumnType, field: u32) -> ColumnDescriptor {
        ColumnDescriptor::new(column_type as u16, *column_type.bit_range().end(), FieldId(field))
    }

    #[test]
    fn every_column_has_its_source() {
        use ColumnType as C;
        let mut fields = vec![
            field(None, Role::Plain, "words", "std::array<std::array<std::string,2>,3>"),
            field(Some(0), Role::Plain, "_0", "std::array<std::string,2>"),
            field(Some(1), Role::Plain, "_0", "std::string"),
            field(None, Role::Collection, "either", ""),
            field(Some(3), Role::Variant, "_0", "std::variant<Point,float>"),
            field(Some(4), Role::Record, "_0", "Point"),
            field(Some(5), Role::Plain, "x", "std::int8_t"),
            field(Some(4), Role::Plain, "_1", "float"),
        ];
        (fields[0].array_size, fields[1].array_size) = (Some(3), Some(2));
        let columns = vec![
            column(C::SplitIndex64, 2),
            column(C::Char, 2),
            column(C::Index32, 3),
            column(C::Switch, 4),
            column(C::Int16, 6),
            column(C::Real16, 7),
        ];
        let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true)).unwrap();
        let layout = Layout::new(&schema, &mut |error| panic!("{error}"));
        let sources: Vec<_> =
            layout.slots.iter().map(|slot| (slot.source, slot.repetitions.unwrap())).collect();
        assert_eq!(
            sources,
            [
                (Source::Entries, 6),
                (Source::Items(0), 1),
                (Source::Entries, 1),
                (Source::Items(2), 1),
                (Source::Alternative(3, 1), 1),
                (Source::Alternative(3, 2), 1),
            ]
        );
        let looks: Vec<_> = layout.columns.iter().map(|column| column.reading.look).collect();
        let fit = Look::Fit(Number::I8);
        assert_eq!(looks, [Look::Index, Look::Bytes, Look::Index, Look::Switch(2), fit, Look::Bytes]);
        assert!(layout.counts_beyond(3, 2, 5) && !layout.counts_beyond(3, 2, 6));
        assert!(layout.counts_beyond(0, 0, 1) && !layout.counts_beyond(0, 1, 0));
    }

    #[test]
    fn a_field_may_have_as_many_representations_as_have_numbers() {
        let fields = vec![field(None, Role::Plain, "a", "float")];
        let columns = (0..=u16::MAX).map(|representation| {
            let mut column = column(ColumnType::Real32, 0);
            column.representation = representation;
            column
        });
        let schema = Schema::build(fields, columns.collect(), vec![], vec![], &|_| Ok(true)).unwrap();
        let layout = Layout::new(&schema, &mut |error| panic!("{error}"));
        assert_eq!(layout.columns.last().map(|column| column.representation), Some(u16::MAX));
    }

    #[test]
    fn columns_that_cannot_hold_their_field_are_faults() {
        let fields = vec![
            field(None, Role::Plain, "a", "std::int32_t"),
            field(None, Role::Collection, "b", ""),
            field(Some(1), Role::Plain, "_0", "float"),
        ];
        let columns = vec![
            column(ColumnType::Real32, 0),
            column(ColumnType::UInt64, 1),
            column(ColumnType::SplitReal64, 2),
        ];
        let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true)).unwrap();
        let mut faults = Vec::new();
        Layout::new(&schema, &mut |error| faults.push(error.to_string()));
        assert_eq!(
            faults,
            [
                "column 0 (a): a column of Real32 cannot hold std::int32_t",
                "column 1 (b): a column of UInt64 cannot hold end offsets",
            ]
        );
    }
}
