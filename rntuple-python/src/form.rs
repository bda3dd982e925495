//! What Awkward Array calls a form: the types of the buffers that a file's columns become.

use rntuple::schema::{Field, FieldType, Scalar, Shape, split_template};
use serde_json::{Value, json};

/// The form of entries with these fields. The key of a part is the path that leads to it, from `entry` on.
pub(crate) fn of_entries(fields: &[Field]) -> Value {
    record("entry", fields, false)
}

fn record(key: &str, members: &[Field], is_tuple: bool) -> Value {
    let names: Vec<&str> = members.iter().map(Field::name).collect();
    let contents = members.iter().map(|member| of_part(&format!("{key}.{}", member.name()), member));
    json!({
        "class": "RecordArray",
        "fields": if is_tuple { Value::Null } else { json!(names) },
        "contents": contents.collect::<Vec<_>>(),
        "form_key": key,
    })
}

/// The form of the values of a field. Its unit may be a type of Arrow.
fn of_part(key: &str, field: &Field) -> Value {
    of(key, field.field_type(), field.unit())
}

/// The form of the values of a type, whose field, or the option that it is the value of, has this unit.
fn of(key: &str, field_type: &FieldType, unit: Option<&str>) -> Value {
    let below = |field: &Field| format!("{key}.{}", field.name());
    match field_type.shape() {
        Shape::Scalar(Scalar::I64) => {
            numbers(key, &unit.and_then(time_name).unwrap_or_else(|| "int64".to_owned()))
        }
        Shape::Scalar(scalar) => numbers(key, scalar_name(*scalar)),
        Shape::String => text(key, "string", "char"),
        Shape::Streamed => text(key, "bytestring", "byte"),
        Shape::Cardinality => numbers(key, if is_small(field_type) { "uint32" } else { "uint64" }),
        Shape::Collection(item) => list(key, of_part(&below(item), item)),
        // Options cannot be nested: a list of none or one.
        Shape::Optional(value) if has_nulls(value.field_type()) => list(key, of_part(&below(value), value)),
        Shape::Optional(value) => option(key, of(&below(value), value.field_type(), unit)),
        Shape::Array(size, item) => regular(key, *size, of_part(&below(item), item)),
        Shape::Bits(size) => regular(key, *size, numbers(&format!("{key}._0"), "bool")),
        Shape::Record(members) => record(key, members, is_tuple(field_type, members)),
        Shape::Variant(alternatives) => {
            let contents =
                alternatives.iter().map(|part| alternative(&below(part), part.field_type(), part.unit()));
            json!({
                "class": "UnionArray",
                "tags": "i8",
                "index": "i64",
                "contents": contents.collect::<Vec<_>>(),
                "form_key": key,
            })
        }
        Shape::Around(value) => of(key, value.field_type(), unit),
        _ => Value::Null,
    }
}

/// The form of an alternative of a variant. A variant may have no value, and in Awkward Array either all alternatives are
/// options or none is.
fn alternative(key: &str, field_type: &FieldType, unit: Option<&str>) -> Value {
    let form = of(key, field_type, unit);
    match is_own_option(field_type) {
        true => form,
        // Unions cannot be in unions: lists of one.
        false if is_variant(field_type) => option(&option_key(key), list(&list_key(key), form)),
        false => option(&option_key(key), form),
    }
}

/// The key of the lists around an alternative that is a variant. No name of a field contains a slash.
pub(crate) fn list_key(key: &str) -> String {
    format!("{key}./list")
}

pub(crate) fn is_variant(field_type: &FieldType) -> bool {
    match field_type.shape() {
        Shape::Variant(_) => true,
        Shape::Around(value) => is_variant(value.field_type()),
        _ => false,
    }
}

/// The key of the option around an alternative that is none, which a member called `option` cannot have.
pub(crate) fn option_key(key: &str) -> String {
    format!("{key}./option")
}

/// Whether the values have the form of options themselves.
pub(crate) fn is_own_option(field_type: &FieldType) -> bool {
    match field_type.shape() {
        Shape::Optional(value) => !has_nulls(value.field_type()),
        Shape::Around(value) => is_own_option(value.field_type()),
        _ => false,
    }
}

/// Whether a value may be null by itself.
pub(crate) fn has_nulls(value: &FieldType) -> bool {
    match value.shape() {
        Shape::Optional(_) | Shape::Variant(_) => true,
        Shape::Around(value) => has_nulls(value.field_type()),
        _ => false,
    }
}

/// Whether the size of a collection is one of 32 bits.
pub(crate) fn is_small(cardinality: &FieldType) -> bool {
    cardinality.to_string().contains("uint32")
}

/// Whether the members have numbers in place of names: those of a pair or tuple of which all members are read. Among a part
/// of them, they would have other numbers.
fn is_tuple(record: &FieldType, members: &[Field]) -> bool {
    let name = record.to_string();
    let Some(("std::pair" | "std::tuple", arguments)) = split_template(&name) else { return false };
    let mut numbered = members.iter().enumerate();
    arguments.len() == members.len() && numbered.all(|(number, member)| member.name() == format!("_{number}"))
}

fn numbers(key: &str, primitive: &str) -> Value {
    json!({"class": "NumpyArray", "primitive": primitive, "form_key": key})
}

fn list(key: &str, content: Value) -> Value {
    json!({"class": "ListOffsetArray", "offsets": "i64", "content": content, "form_key": key})
}

fn option(key: &str, content: Value) -> Value {
    json!({"class": "IndexedOptionArray", "index": "i64", "content": content, "form_key": key})
}

fn regular(key: &str, size: u64, content: Value) -> Value {
    json!({"class": "RegularArray", "size": size, "content": content, "form_key": key})
}

fn text(key: &str, what: &str, of: &str) -> Value {
    json!({
        "class": "ListOffsetArray",
        "offsets": "i64",
        "content": {
            "class": "NumpyArray",
            "primitive": "uint8",
            "parameters": {"__array__": of},
            "form_key": format!("{key}.bytes"),
        },
        "parameters": {"__array__": what},
        "form_key": key,
    })
}

/// What NumPy calls integers of 64 bits that are times.
fn time_name(unit: &str) -> Option<String> {
    let arrow = unit.strip_prefix("arrow:")?;
    if arrow == "date64" {
        return Some("datetime64[ms]".to_owned());
    }
    let (name, arguments) = arrow.strip_suffix(')')?.split_once('(')?;
    let unit = arguments.split(',').next().filter(|unit| ["s", "ms", "us", "ns"].contains(unit))?;
    match name {
        "timestamp" => Some(format!("datetime64[{unit}]")),
        "duration" => Some(format!("timedelta64[{unit}]")),
        _ => None,
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::U16 => "uint16",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        _ => "uint8",
    }
}
