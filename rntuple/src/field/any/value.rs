//! A value of any type.

use std::sync::Arc;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

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

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

fn serialize_real<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
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

fn serialize_hex<S: Serializer>(name: &str, bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
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
