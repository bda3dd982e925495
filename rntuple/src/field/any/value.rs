//! A value of any type.

use std::sync::Arc;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::error::{Error, Result};

/// A value of a type known only at run time.
///
/// It serialises to the form that the command line tool prints: numbers as numbers (those that are not
/// finite as the strings `"NaN"`, `"Infinity"`, `"-Infinity"`), strings as strings (`{"bytes": hex}` if they are
/// not UTF-8), collections and arrays as lists, records as maps, options as the value or null, variants as
/// `{"variant": tag, "value": ..}`, streamed objects as `{"streamed": hex}`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `std::int8_t`
    I8(i8),
    /// `std::uint8_t`, `std::byte`, `char`
    U8(u8),
    /// `std::int16_t`
    I16(i16),
    /// `std::uint16_t`
    U16(u16),
    /// `std::int32_t`
    I32(i32),
    /// `std::uint32_t`
    U32(u32),
    /// `std::int64_t`
    I64(i64),
    /// `std::uint64_t`, and the size of a collection
    U64(u64),
    /// `float`
    F32(f32),
    /// `double`
    F64(f64),
    /// `std::string`
    String(String),
    /// A `std::string` that is not UTF-8.
    Bytes(Vec<u8>),
    /// An object as ROOT's streamer wrote it.
    Streamed(Vec<u8>),
    /// Items of a collection, an array or a bitset.
    List(Vec<Value>),
    /// One value or none.
    Option(Option<Box<Value>>),
    /// Values by name.
    Record(Record),
    /// One of several alternatives.
    Variant {
        /// Number of the alternative, from 1 on; 0 for a variant without a value.
        tag: u32,
        /// Its value.
        value: Option<Box<Value>>,
    },
}

/// Values by name: a struct, a class, a pair, a tuple, an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub(in crate::field) names: Arc<[String]>,
    pub(in crate::field) values: Vec<Value>,
}

impl Record {
    /// A record of members with these names. Many records may share the names.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are not as many values as names.
    pub fn new(names: impl Into<Arc<[String]>>, values: Vec<Value>) -> Result<Self> {
        let names = names.into();
        if names.len() != values.len() {
            let (names, values) = (names.len(), values.len());
            return Err(Error::invalid_argument(format!("{values} values, but {names} names")));
        }
        Ok(Self { names, values })
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(member, _)| *member == name).map(|(_, value)| value)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }
}

impl Value {
    /// A record of members with these names.
    pub fn record<N: Into<String>, V: Into<Self>>(members: impl IntoIterator<Item = (N, V)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), value.into()));
        let (names, values): (Vec<String>, Vec<Self>) = members.unzip();
        Self::Record(Record { names: names.into(), values })
    }

    /// What it is, for errors.
    pub(in crate::field) fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "`bool`",
            Self::I8(_) => "`i8`",
            Self::U8(_) => "`u8`",
            Self::I16(_) => "`i16`",
            Self::U16(_) => "`u16`",
            Self::I32(_) => "`i32`",
            Self::U32(_) => "`u32`",
            Self::I64(_) => "`i64`",
            Self::U64(_) => "`u64`",
            Self::F32(_) => "`f32`",
            Self::F64(_) => "`f64`",
            Self::String(_) | Self::Bytes(_) => "a string",
            Self::Streamed(_) => "an object of ROOT's streamer",
            Self::List(_) => "a list",
            Self::Option(_) => "an option",
            Self::Record(_) => "a record",
            Self::Variant { .. } => "a variant",
        }
    }

    /// The member of this name, if this is a record.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Record(record) => record.get(name),
            _ => None,
        }
    }

    /// The items, if this is a collection or an array.
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($type:ty => $kind:ident;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$kind(value.into())
            }
        }
    )*};
}

from! {
    bool => Bool;
    i8 => I8;
    u8 => U8;
    i16 => I16;
    u16 => U16;
    i32 => I32;
    u32 => U32;
    i64 => I64;
    u64 => U64;
    f32 => F32;
    f64 => F64;
    String => String;
    &str => String;
    Vec<Value> => List;
    Record => Record;
}

impl From<Option<Value>> for Value {
    fn from(value: Option<Value>) -> Self {
        Self::Option(value.map(Box::new))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::I8(value) => serializer.serialize_i8(*value),
            Self::U8(value) => serializer.serialize_u8(*value),
            Self::I16(value) => serializer.serialize_i16(*value),
            Self::U16(value) => serializer.serialize_u16(*value),
            Self::I32(value) => serializer.serialize_i32(*value),
            Self::U32(value) => serializer.serialize_u32(*value),
            Self::I64(value) => serializer.serialize_i64(*value),
            Self::U64(value) => serializer.serialize_u64(*value),
            // Widened, so that the number's digits are those of the exact value.
            Self::F32(value) => serialize_real(f64::from(*value), serializer),
            Self::F64(value) => serialize_real(*value, serializer),
            Self::String(value) => serializer.serialize_str(value),
            Self::Bytes(bytes) => serialize_hex("bytes", bytes, serializer),
            Self::Streamed(bytes) => serialize_hex("streamed", bytes, serializer),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Self::Option(value) => value.serialize(serializer),
            Self::Record(record) => record.serialize(serializer),
            Self::Variant { tag, value } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("variant", tag)?;
                map.serialize_entry("value", value)?;
                map.end()
            }
        }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

fn serialize_real<S: Serializer>(value: f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(value)
    } else if value.is_nan() {
        serializer.serialize_str("NaN")
    } else if value > 0.0 {
        serializer.serialize_str("Infinity")
    } else {
        serializer.serialize_str("-Infinity")
    }
}

fn serialize_hex<S: Serializer>(
    name: &str,
    bytes: &[u8],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, &hex)?;
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_serialise_in_the_documented_form() {
        let names: Arc<[String]> = ["a".to_owned(), "b".to_owned()].into();
        let record = Record { names, values: vec![Value::F32(0.1), Value::Option(None)] };
        let value = Value::List(vec![
            Value::Record(record),
            Value::Variant { tag: 2, value: Some(Box::new(Value::U64(u64::MAX))) },
            Value::Variant { tag: 0, value: None },
            Value::F64(f64::NEG_INFINITY),
            Value::F32(f32::NAN),
            Value::Bytes(vec![0xff, 1]),
            Value::Streamed(vec![]),
        ]);
        assert_eq!(
            serde_json::to_string(&value).unwrap(),
            r#"[{"a":0.10000000149011612,"b":null},{"variant":2,"value":18446744073709551615},"#.to_owned()
                + r#"{"variant":0,"value":null},"-Infinity","NaN",{"bytes":"ff01"},{"streamed":""}]"#
        );
    }
}
