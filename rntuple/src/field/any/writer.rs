//! Writing values of a schema known only at run time: one more kind of field, over the same columns.

use std::sync::Arc;

use super::scalars::scalars;
use super::value::{Record, Value};
use crate::cluster::Gathered;
use crate::column::ColumnWriter;
use crate::encoding::{Byte, CxxChar};
use crate::error::{Error, Result};
use crate::field::{ArrayWriter, CollectionWriter, Commit, FieldWriter, StringWriter, VariantWriter};
use crate::message::counted;

/// The columns of a field whose type is known only at run time, being filled.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyWriter {
    /// `bool`
    Bool(ColumnWriter<bool>),
    /// `std::byte`
    Byte(ColumnWriter<Byte>),
    /// `char`
    Char(ColumnWriter<CxxChar>),
    /// `std::int8_t`
    I8(ColumnWriter<i8>),
    /// `std::uint8_t`
    U8(ColumnWriter<u8>),
    /// `std::int16_t`
    I16(ColumnWriter<i16>),
    /// `std::uint16_t`
    U16(ColumnWriter<u16>),
    /// `std::int32_t`
    I32(ColumnWriter<i32>),
    /// `std::uint32_t`
    U32(ColumnWriter<u32>),
    /// `std::int64_t`
    I64(ColumnWriter<i64>),
    /// `std::uint64_t`
    U64(ColumnWriter<u64>),
    /// `float`
    F32(ColumnWriter<f32>),
    /// `double`
    F64(ColumnWriter<f64>),
    /// `std::string`
    String(StringWriter),
    /// Vectors, sets, maps, untyped collections.
    Collection(Box<CollectionWriter<AnyWriter>>),
    /// `std::optional`, `std::unique_ptr`
    Optional(Box<CollectionWriter<AnyWriter>>),
    /// `std::array`, `std::bitset`, and the number of items
    Array(Box<ArrayWriter<AnyWriter>>, usize),
    /// Structs, classes, pairs, tuples.
    Record(RecordWriter),
    /// `std::variant`
    Variant(Box<VariantWriter<Vec<u64>>>, Vec<AnyWriter>),
}

/// The columns of a record's members, being filled.
#[derive(Debug)]
pub struct RecordWriter {
    pub(in crate::field) names: Arc<[String]>,
    pub(in crate::field) members: Vec<AnyWriter>,
    /// Names of what is not written, as it is a view of something that is.
    pub(in crate::field) views: Vec<String>,
}

impl Commit for AnyWriter {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        scalars!(match self; Self(column) => column.commit(cluster),
            Self::Byte(column) => column.commit(cluster),
            Self::Char(column) => column.commit(cluster),
            Self::String(writer) => writer.commit(cluster),
            Self::Collection(writer) | Self::Optional(writer) => writer.commit(cluster),
            Self::Array(writer, _) => writer.commit(cluster),
            Self::Record(record) => record.members.iter_mut().for_each(|member| member.commit(cluster)),
            Self::Variant(switch, alternatives) => {
                switch.commit(cluster);
                alternatives.iter_mut().for_each(|alternative| alternative.commit(cluster));
            }
        )
    }
}

impl AnyWriter {
    /// What is written, for errors.
    pub(in crate::field) fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "`bool`",
            Self::Byte(_) | Self::Char(_) | Self::U8(_) => "`u8`",
            Self::I8(_) => "`i8`",
            Self::I16(_) => "`i16`",
            Self::U16(_) => "`u16`",
            Self::I32(_) => "`i32`",
            Self::U32(_) => "`u32`",
            Self::I64(_) => "`i64`",
            Self::U64(_) => "`u64`",
            Self::F32(_) => "`f32`",
            Self::F64(_) => "`f64`",
            Self::String(_) => "a string",
            Self::Collection(_) | Self::Array(..) => "a list",
            Self::Optional(_) => "an option",
            Self::Record(_) => "a record",
            Self::Variant(..) => "a variant",
        }
    }

    /// The error for something else than what is written.
    #[cold]
    pub(in crate::field) fn refuse(&self, found: &str) -> Error {
        Error::invalid_argument(format!("the field takes {}, not {found}", self.kind()))
    }
}

/// Where each of the names `wanted` is among `found`.
pub(in crate::field) fn places<'a>(
    wanted: &'a [String],
    found: &'a [String],
) -> impl Iterator<Item = Option<usize>> + 'a {
    let mut next = 0;
    wanted.iter().map(move |wanted| {
        // Mostly it is the next one.
        let is_wanted = |place: &usize| found.get(*place).is_some_and(|name| name == wanted);
        let place = (next..found.len()).chain(0..next).find(is_wanted)?;
        next = place + 1;
        Some(place)
    })
}

impl RecordWriter {
    /// Checks that these are the names of all members, views or not among them.
    ///
    /// # Errors
    /// The first name that is missing, or that no member has.
    pub(in crate::field) fn check_names(&self, names: &[String]) -> Result<()> {
        if let Some((wanted, _)) =
            self.names.iter().zip(places(&self.names, names)).find(|(_, place)| place.is_none())
        {
            return Err(missing().in_field(&**wanted));
        }
        if names.len() == self.names.len() {
            return Ok(());
        }
        let is_written = |name: &String| self.names.contains(name) || self.views.contains(name);
        match names.iter().find(|name| !is_written(name)) {
            Some(other) => Err(Error::invalid_argument("the schema has no such field").in_field(&**other)),
            None if names.len() > self.names.len() + self.views.len() => {
                Err(Error::invalid_argument("two members of the value have one name"))
            }
            None => Ok(()),
        }
    }
}

impl FieldWriter<Value> for AnyWriter {
    fn check(&self, value: &Value) -> Result<()> {
        match (self, value) {
            (Self::Bool(_), Value::Bool(_))
            | (Self::Byte(_) | Self::Char(_) | Self::U8(_), Value::U8(_))
            | (Self::I8(_), Value::I8(_))
            | (Self::I16(_), Value::I16(_))
            | (Self::U16(_), Value::U16(_))
            | (Self::I32(_), Value::I32(_))
            | (Self::U32(_), Value::U32(_))
            | (Self::I64(_), Value::I64(_))
            | (Self::U64(_), Value::U64(_))
            | (Self::F32(_), Value::F32(_))
            | (Self::F64(_), Value::F64(_))
            | (Self::String(_), Value::String(_) | Value::Bytes(_))
            | (Self::Optional(_), Value::Option(None))
            | (Self::Variant(..), Value::Variant { tag: 0, value: None }) => Ok(()),
            (Self::Collection(writer), Value::List(items)) => check_items(&writer.item, items),
            (Self::Array(writer, size), Value::List(items)) => {
                if items.len() != *size {
                    let found = counted(items.len() as u64, "item");
                    return Err(Error::invalid_argument(format!("the array has {size} items, not {found}")));
                }
                check_items(&writer.item, items)
            }
            (Self::Optional(writer), Value::Option(Some(value))) => {
                writer.item.check(value).map_err(|error| error.below("_0"))
            }
            (Self::Record(writer), Value::Record(Record { names, values })) => {
                writer.check_names(names)?;
                let places = places(&writer.names, names);
                for ((name, member), place) in writer.names.iter().zip(&writer.members).zip(places) {
                    let value = place.and_then(|place| values.get(place)).ok_or_else(missing);
                    value.and_then(|value| member.check(value)).map_err(|error| error.below(name))?;
                }
                Ok(())
            }
            (Self::Variant(_, alternatives), Value::Variant { tag, value: Some(value) }) => {
                let number = usize::try_from(*tag).ok().and_then(|tag| tag.checked_sub(1));
                match number.and_then(|number| Some((number, alternatives.get(number)?))) {
                    Some((number, alternative)) => {
                        alternative.check(value).map_err(|error| error.below(&format!("_{number}")))
                    }
                    None => Err(no_alternative(*tag, alternatives.len())),
                }
            }
            (Self::Variant(_, alternatives), Value::Variant { tag, value: None }) => {
                Err(no_alternative(*tag, alternatives.len()))
            }
            (writer, value) => Err(writer.refuse(value.kind())),
        }
    }

    /// What [`check`](FieldWriter::check) refuses leaves columns with unlike numbers of values.
    fn append(&mut self, value: &Value) -> usize {
        match (self, value) {
            (Self::Bool(column), Value::Bool(value)) => column.push(*value),
            (Self::Byte(column), Value::U8(value)) => column.push(Byte(*value)),
            (Self::Char(column), Value::U8(value)) => column.push(CxxChar(*value)),
            (Self::I8(column), Value::I8(value)) => column.push(*value),
            (Self::U8(column), Value::U8(value)) => column.push(*value),
            (Self::I16(column), Value::I16(value)) => column.push(*value),
            (Self::U16(column), Value::U16(value)) => column.push(*value),
            (Self::I32(column), Value::I32(value)) => column.push(*value),
            (Self::U32(column), Value::U32(value)) => column.push(*value),
            (Self::I64(column), Value::I64(value)) => column.push(*value),
            (Self::U64(column), Value::U64(value)) => column.push(*value),
            (Self::F32(column), Value::F32(value)) => column.push(*value),
            (Self::F64(column), Value::F64(value)) => column.push(*value),
            (Self::String(writer), Value::String(text)) => writer.append_bytes(text.as_bytes()),
            (Self::String(writer), Value::Bytes(bytes)) => writer.append_bytes(bytes),
            (Self::Collection(writer), Value::List(items)) => {
                FieldWriter::<[Value]>::append(&mut **writer, items)
            }
            (Self::Optional(writer), Value::Option(value)) => match value {
                Some(value) => writer.append_items(1, |item| item.append(&**value)),
                None => writer.append_items(0, |_| 0),
            },
            (Self::Array(writer, _), Value::List(items)) => writer.item.append_slice(items),
            (Self::Record(writer), Value::Record(Record { names, values })) => {
                let mut length = 0;
                for (member, place) in writer.members.iter_mut().zip(places(&writer.names, names)) {
                    length +=
                        place.and_then(|place| values.get(place)).map_or(0, |value| member.append(value));
                }
                length
            }
            (Self::Variant(switch, alternatives), Value::Variant { tag, value }) => {
                let number = tag.checked_sub(1).and_then(|number| u8::try_from(number).ok());
                let alternative =
                    number.and_then(|number| Some((number, alternatives.get_mut(usize::from(number))?)));
                match (alternative, value) {
                    (Some((number, alternative)), Some(value)) => {
                        switch.append(number) + alternative.append(&**value)
                    }
                    _ => switch.append_none(),
                }
            }
            _ => 0,
        }
    }
}

fn check_items(writer: &AnyWriter, items: &[Value]) -> Result<()> {
    items.iter().try_for_each(|item| writer.check(item)).map_err(|error| error.below("_0"))
}

#[cold]
fn missing() -> Error {
    Error::invalid_argument("the value has no such member")
}

/// The error for an alternative that the variant does not have.
#[cold]
pub(in crate::field) fn no_alternative(tag: u32, count: usize) -> Error {
    Error::invalid_argument(format!(
        "the value has alternative {tag}, but the variant has {}",
        counted(count as u64, "alternative")
    ))
}
