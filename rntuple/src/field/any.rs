//! Values of a schema known only at run time: one more kind of field, over the same columns.

use std::sync::Arc;

use super::collection::too_long;
use super::variant::VariantReader;
use super::{
    ArrayReader, Attach, Cardinality, CardinalityReader, CollectionReader, Entry, FieldNode, FieldReader,
    OptionReader, Position, ReadField, StringReader,
};
use crate::column::{Allowance, ColumnReader, ItemLength};
use crate::encoding::ValueKind;
use crate::error::{Error, Result};
use crate::schema::Role;

mod declare;
mod scalars;
mod value;
mod writer;

/// Values nest as deep as a file says, so each of them counts.
const COUNTED: ItemLength = ItemLength::exactly(size_of::<Value>());

pub(super) use scalars::scalars;
pub use value::{Record, Value};
pub use writer::AnyWriter;
pub(super) use writer::{no_alternative, places};

/// The columns of a field whose type is known only at run time.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyReader {
    /// `bool`
    Bool(ColumnReader<bool>),
    /// `std::int8_t`
    I8(ColumnReader<i8>),
    /// `std::uint8_t`, `std::byte`, `char`
    U8(ColumnReader<u8>),
    /// `std::int16_t`
    I16(ColumnReader<i16>),
    /// `std::uint16_t`
    U16(ColumnReader<u16>),
    /// `std::int32_t`
    I32(ColumnReader<i32>),
    /// `std::uint32_t`
    U32(ColumnReader<u32>),
    /// `std::int64_t`
    I64(ColumnReader<i64>),
    /// `std::uint64_t`
    U64(ColumnReader<u64>),
    /// `float`
    F32(ColumnReader<f32>),
    /// `double`
    F64(ColumnReader<f64>),
    /// `std::string`
    String(StringReader),
    /// The bytes of an object that ROOT's streamer wrote.
    Streamed(StringReader),
    /// The size of a collection, as a projected field.
    Cardinality(CardinalityReader),
    /// Vectors, sets, maps, untyped collections.
    Collection(Box<CollectionReader<AnyReader>>),
    /// `std::optional`, `std::unique_ptr`
    Optional(Box<OptionReader<AnyReader>>),
    /// `std::array`, `std::bitset`
    Array(Box<ArrayReader<AnyReader>>),
    /// Structs, classes, pairs, tuples.
    Record(RecordReader),
    /// `std::variant`
    Variant(Box<VariantReader<Vec<u64>>>, Vec<AnyReader>),
}

/// The columns of a record's members.
#[derive(Debug)]
pub struct RecordReader {
    pub(super) names: Arc<[String]>,
    pub(super) members: Vec<AnyReader>,
    allowance: Allowance,
}

impl AnyReader {
    /// Finds the columns of whatever the field is.
    ///
    /// # Errors
    /// The field is nothing that this crate knows, or contradicts itself.
    pub fn find(field: FieldNode<'_>) -> Result<Self> {
        field.note_values();
        Self::of_part(field)
    }

    /// The same of a part of such a field.
    fn of_part(field: FieldNode<'_>) -> Result<Self> {
        match field.descriptor() {
            None => Self::connect_record(field),
            Some(descriptor) => match (field.repetition(), descriptor.role) {
                (Some(size), _) => {
                    let item = if field.has_columns() {
                        Self::connect_leaf(field)?
                    } else {
                        Self::of_part(field.item()?)?
                    };
                    Ok(Self::Array(Box::new(ArrayReader::new(item, size))))
                }
                // Arrays are plain fields (format, section 5.1).
                (None, role) if role != Role::Plain && descriptor.array_size.is_some() => {
                    Err(field.mismatch("a field that does not repeat"))
                }
                (None, Role::Plain) if field.has_columns() => Self::connect_leaf(field),
                (None, Role::Plain) => Self::of_part(field.item()?),
                // Only how many there are is wanted.
                (None, Role::Collection) if field.hides_items() => {
                    Ok(Self::Cardinality(CardinalityReader::connect_any(field)?))
                }
                (None, Role::Collection) if field.is_optional() => {
                    let mut option = Box::new(OptionReader::DETACHED);
                    option.connect(field, Self::connect_part)?;
                    Ok(Self::Optional(option))
                }
                (None, Role::Collection) => {
                    let mut collection = Box::new(CollectionReader::DETACHED);
                    collection.connect(field, "a collection", Self::connect_part)?;
                    Ok(Self::Collection(collection))
                }
                (None, Role::Record) => Self::connect_record(field),
                (None, Role::Variant) => {
                    let switch = VariantReader::connect_any(field)?;
                    let alternatives = field.children().map(Self::of_part).collect::<Result<_>>()?;
                    Ok(Self::Variant(Box::new(switch), alternatives))
                }
                (None, Role::Streamer) => Ok(Self::Streamed(StringReader::connect_bytes(field)?)),
                (None, Role::Unknown(_)) => Err(field.mismatch("a known role")),
            },
        }
    }

    fn connect_part(field: FieldNode<'_>, reader: &mut Self) -> Result<()> {
        *reader = Self::of_part(field)?;
        Ok(())
    }

    fn connect_record(field: FieldNode<'_>) -> Result<Self> {
        let name = |member: FieldNode<'_>| member.descriptor().map(|field| field.name.clone());
        let names = field.children().filter_map(name).collect();
        let members = field.children().map(Self::of_part).collect::<Result<_>>()?;
        Ok(Self::Record(RecordReader { names, members, allowance: field.allowance() }))
    }

    fn connect_leaf(field: FieldNode<'_>) -> Result<Self> {
        let name = field.descriptor().map(|field| &*field.type_name).unwrap_or_default();
        if field.column_count() == 2 {
            return Ok(Self::String(StringReader::connect_bytes(field)?));
        }
        if CardinalityReader::fits(field) {
            return Ok(Self::Cardinality(CardinalityReader::connect_any(field)?));
        }
        Ok(match name {
            "bool" => Self::Bool(field.column(0)?),
            "std::int8_t" => Self::I8(field.column(0)?),
            "std::uint8_t" | "std::byte" | "char" => Self::U8(field.column(0)?),
            "std::int16_t" => Self::I16(field.column(0)?),
            "std::uint16_t" => Self::U16(field.column(0)?),
            "std::int32_t" => Self::I32(field.column(0)?),
            "std::uint32_t" => Self::U32(field.column(0)?),
            "std::int64_t" => Self::I64(field.column(0)?),
            "std::uint64_t" => Self::U64(field.column(0)?),
            "float" => Self::F32(field.column(0)?),
            "double" => Self::F64(field.column(0)?),
            // A type of some experiment's: as its column says.
            _ => Self::connect_column(field)?,
        })
    }

    fn connect_column(field: FieldNode<'_>) -> Result<Self> {
        let Some(column_type) = field.column_type(0) else { return Err(field.mismatch("a column")) };
        Ok(match column_type.kind() {
            ValueKind::Bool => Self::Bool(field.column(0)?),
            ValueKind::I8 => Self::I8(field.column(0)?),
            ValueKind::U8 | ValueKind::Byte => Self::U8(field.column(0)?),
            ValueKind::I16 => Self::I16(field.column(0)?),
            ValueKind::U16 => Self::U16(field.column(0)?),
            ValueKind::I32 => Self::I32(field.column(0)?),
            ValueKind::U32 => Self::U32(field.column(0)?),
            ValueKind::I64 => Self::I64(field.column(0)?),
            ValueKind::U64 => Self::U64(field.column(0)?),
            ValueKind::F16 | ValueKind::F32 => Self::F32(field.column(0)?),
            ValueKind::F64 => Self::F64(field.column(0)?),
            ValueKind::End | ValueKind::Tag => return Err(field.mismatch("a value")),
        })
    }
}

impl ReadField for Value {
    type Reader = AnyReader;

    fn connect(field: FieldNode<'_>, reader: &mut AnyReader) -> Result<()> {
        *reader = AnyReader::find(field)?;
        Ok(())
    }
}

/// Whatever the entries of a file are.
impl Entry for Value {}

/// Hands the same call to whatever the reader is.
macro_rules! each {
    ($self:expr, $reader:ident => $call:expr, $boxed:ident => $inner:expr, $record:ident => $records:expr, $switch:ident, $alternatives:ident => $variants:expr) => {
        scalars!(match $self; AnyReader($reader) => $call,
            AnyReader::String($reader) | AnyReader::Streamed($reader) => $call,
            AnyReader::Cardinality($reader) => $call,
            AnyReader::Collection($boxed) => $inner,
            AnyReader::Optional($boxed) => $inner,
            AnyReader::Array($boxed) => $inner,
            AnyReader::Record($record) => $records,
            AnyReader::Variant($switch, $alternatives) => $variants,
        )
    };
}

impl OptionReader<AnyReader> {
    fn allowance(&self) -> &Allowance {
        match &self.presence {
            Some(presence) => presence.0.allowance(),
            None => self.item.allowance(),
        }
    }
}

impl ArrayReader<AnyReader> {
    fn allowance(&self) -> &Allowance {
        self.item.allowance()
    }
}

impl AnyReader {
    /// What the entry may take. Of lists this is counted where their items are, of options and variants by their pages.
    pub(super) fn allowance(&self) -> &Allowance {
        each!(self, reader => reader.allowance(),
            boxed => boxed.allowance(),
            record => &record.allowance,
            switch, _alternatives => switch.switch.allowance())
    }
}

impl Attach for AnyReader {
    const DETACHED: Self = Self::Bool(ColumnReader::DETACHED);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        each!(self, reader => Attach::seek(reader, to),
        boxed => Attach::seek(&mut **boxed, to),
        record => record.members.iter_mut().try_for_each(|member| member.seek(to)),
        switch, alternatives => match switch.seek(to)? {
            Some(to) => alternatives.iter_mut().try_for_each(|alternative| alternative.seek(to)),
            None => Ok(()),
        })
    }

    fn remaining(&self) -> Option<u64> {
        each!(self, reader => Attach::remaining(reader),
            boxed => Attach::remaining(&**boxed),
            record => record.members.iter().find_map(Attach::remaining),
            switch, _alternatives => switch.remaining())
    }
}

impl FieldReader<Value> for AnyReader {
    fn read(&mut self) -> Result<Value> {
        Ok(scalars!(match self; Self(column) => Value::from(column.next()?),
            Self::String(reader) => {
                let mut bytes = Vec::new();
                reader.read_bytes_into(&mut bytes)?;
                String::from_utf8(bytes).map_or_else(|error| Value::Bytes(error.into_bytes()), Value::String)
            }
            Self::Streamed(reader) => {
                let mut bytes = Vec::new();
                reader.read_bytes_into(&mut bytes)?;
                Value::Streamed(bytes)
            }
            Self::Cardinality(reader) => {
                let Cardinality(count) = reader.read()?;
                Value::U64(count)
            }
            Self::Collection(reader) => Value::List(reader.read_counted(COUNTED)?),
            Self::Optional(reader) => {
                let value: Option<Value> = reader.read()?;
                Value::Option(value.map(Box::new))
            }
            Self::Array(reader) => {
                let (item, size) = (&mut reader.item, reader.size);
                if let Some(left) = item.remaining().filter(|left| *left < size) {
                    return Err(Error::out_of_spec(format!(
                        "an array has {size} items, but {left} are left"
                    )));
                }
                let count = usize::try_from(size).map_err(|_| too_long(size))?;
                item.allowance().take_values(count, COUNTED)?;
                let mut items = Vec::new();
                item.read_many(count, &mut items)?;
                Value::List(items)
            }
            Self::Record(record) => {
                if record.members.is_empty() {
                    // The only values that cost no bytes at all.
                    record.allowance.take(1)?;
                }
                record.allowance.take_values(record.members.len(), COUNTED)?;
                let values = record.members.iter_mut().map(FieldReader::<Value>::read);
                Value::Record(Record { names: record.names.clone(), values: values.collect::<Result<_>>()? })
            }
            Self::Variant(switch, alternatives) => match switch.next_or_none()? {
                None => Value::Variant { tag: 0, value: None },
                Some(active) => {
                    let Some(alternative) = alternatives.get_mut(active.number) else {
                        return Err(Error::out_of_spec("the variant has no such alternative"));
                    };
                    if let Some(position) = active.jump {
                        alternative.seek(Position::at(position))?;
                    }
                    let value = FieldReader::<Value>::read(alternative)?;
                    let tag = u32::try_from(active.number + 1).unwrap_or(u32::MAX);
                    Value::Variant { tag, value: Some(Box::new(value)) }
                }
            },
        ))
    }
}
