//! What a file says of fields, and Arrow has no place for: kept as metadata.

use std::collections::HashMap;

use arrow_schema::{DataType, Field as ArrowField, TimeUnit};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::schema::{Field, FieldType, Scalar, Shape};

use crate::gaps::has_nulls;

/// The name of the type in C++; empty for records without a class.
pub(crate) const TYPE: &str = "rntuple.type";
/// The version of the class in C++.
const VERSION: &str = "rntuple.version";
const DESCRIPTION: &str = "rntuple.description";
const UNIT: &str = "rntuple.unit";
/// The encodings that the values may be stored in, the first of which is.
const ENCODING: &str = "rntuple.encoding";
const DOUBLE32: &str = "rntuple.double32";

/// What is in front of a type of Arrow, where a description says it as a unit: `[arrow:date32]`.
const MARK: &str = "arrow:";

/// What a field says that becomes one of this type.
pub(crate) fn of(field: &Field, data_type: &DataType) -> HashMap<String, String> {
    let mut metadata = HashMap::new();
    if !is_plain(field.field_type(), data_type) {
        metadata.insert(TYPE.to_owned(), field.field_type().to_string());
    }
    let mut add = |key: &str, value: &str| {
        if !value.is_empty() {
            metadata.insert(key.to_owned(), value.to_owned());
        }
    };
    if let Some(version) = version(field.field_type()) {
        add(VERSION, &version.to_string());
    }
    let (description, _) = split(field.description());
    add(DESCRIPTION, description);
    add(UNIT, field.unit().filter(|unit| !unit.starts_with(MARK)).unwrap_or_default());
    let encodings: Vec<String> = representations(field).iter().map(ColumnEncoding::to_string).collect();
    add(ENCODING, &encodings.join("; "));
    add(DOUBLE32, if field.is_double32() { "true" } else { "" });
    metadata
}

/// How a field is stored, or the value inside of it that is no field of its own in Arrow.
fn representations(field: &Field) -> &[ColumnEncoding] {
    match field.field_type().shape() {
        Shape::Optional(value) | Shape::Around(value)
            if field.representations().is_empty() && !has_nulls(value.field_type()) =>
        {
            representations(value)
        }
        _ => field.representations(),
    }
}

/// Whether a field in a type says something that its name in C++ does not.
pub(crate) fn is_said_inside(data_type: &DataType) -> bool {
    let is_said = |field: &ArrowField| {
        let mut keys = [DESCRIPTION, UNIT, ENCODING, DOUBLE32].into_iter();
        keys.any(|key| field.metadata().contains_key(key)) || is_said_inside(field.data_type())
    };
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => is_said(item),
        DataType::Struct(members) => members.iter().any(|member| is_said(member)),
        DataType::Union(members, _) => members.iter().any(|(_, member)| is_said(member)),
        _ => false,
    }
}

/// Whether the type of Arrow says it all.
fn is_plain(field_type: &FieldType, data_type: &DataType) -> bool {
    match field_type.shape() {
        Shape::Scalar(Scalar::Byte | Scalar::Char) => false,
        Shape::Scalar(Scalar::F64) => !matches!(data_type, DataType::Float16 | DataType::Float32),
        Shape::Scalar(_) => true,
        _ => false,
    }
}

/// Whether bytes are those of strings.
fn is_text(field_type: &FieldType) -> bool {
    match field_type.shape() {
        Shape::Optional(value) | Shape::Around(value) => is_text(value.field_type()),
        shape => matches!(shape, Shape::String),
    }
}

/// The version of a class, or of one that may be missing.
fn version(field_type: &FieldType) -> Option<u32> {
    match field_type.shape() {
        Shape::Optional(value) => version(value.field_type()),
        _ => field_type.version(),
    }
}

/// The class with the version that the metadata say.
pub(crate) fn with_version(class: FieldType, from: &ArrowField) -> FieldType {
    match from.metadata().get(VERSION).and_then(|version| version.parse().ok()) {
        Some(version) => class.class_version(version),
        None => class,
    }
}

/// The field with what the metadata says of it, as far as that is understood.
pub(crate) fn apply(mut field: Field, from: &ArrowField) -> Field {
    let metadata = from.metadata();
    let unit = metadata.get(UNIT);
    let mut description = metadata.get(DESCRIPTION).cloned().unwrap_or_default();
    let mark = marked(from.data_type()).filter(|_| !is_text(field.field_type()));
    if let Some(mark) = &mark {
        let gap = if description.is_empty() { "" } else { " " };
        description.push_str(&format!("{gap}[{MARK}{mark}]"));
    }
    // In the description of a file the unit is at the end.
    let has_unit = unit.is_some_and(|unit| description.contains(&format!("[{unit}]")));
    field = field.with_description(description);
    // A type of Arrow that is named there is the unit.
    if let Some(unit) = unit.filter(|_| !has_unit && mark.is_none()) {
        field = field.with_unit(unit);
    }
    if let Some(encodings) = metadata.get(ENCODING) {
        let encodings: Result<Vec<ColumnEncoding>, _> = encodings.split("; ").map(str::parse).collect();
        // Metadata stay with a column that gets values of another type.
        let encodings = encodings.ok().filter(|encodings| fit(field.field_type(), encodings));
        field = match encodings {
            Some(encodings) => field.with_representations(encodings),
            None => field,
        };
    }
    let is_double32 = metadata.contains_key(DOUBLE32) && has_double(field.field_type());
    if is_double32 { field.as_double32() } else { field }
}

/// Whether something in a type can be stored in all of these encodings, as far as they are those of floats.
fn fit(field_type: &FieldType, encodings: &[ColumnEncoding]) -> bool {
    use ColumnType as C;
    let fits = |encoding: &ColumnEncoding| match encoding.column_type() {
        C::Real64 | C::SplitReal64 => matches!(field_type.shape(), Shape::Scalar(Scalar::F64)),
        C::Real16 | C::SplitReal16 | C::Real32 | C::SplitReal32 | C::Real32Trunc | C::Real32Quant => {
            matches!(field_type.shape(), Shape::Scalar(Scalar::F32 | Scalar::F64))
        }
        _ => true,
    };
    encodings.iter().all(fits) || field_type.subfields().iter().any(|part| fit(part.field_type(), encodings))
}

/// Whether there is a `double` in a type.
fn has_double(field_type: &FieldType) -> bool {
    let is_one = matches!(field_type.shape(), Shape::Scalar(Scalar::F64));
    is_one || field_type.subfields().iter().any(|part| has_double(part.field_type()))
}

/// The text of a description, and the type of Arrow at its end.
fn split(description: &str) -> (&str, Option<&str>) {
    let parts = description.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    match parts.and_then(|(text, mark)| Some((text, mark.strip_prefix(MARK)?))) {
        Some((text, mark)) => (text.trim_end(), Some(mark)),
        None => (description, None),
    }
}

/// The type of Arrow that a description names.
pub(crate) fn marked_type(field: &Field) -> Option<DataType> {
    let mark = split(field.description()).1?;
    let (name, arguments) = match mark.split_once('(') {
        Some((name, arguments)) => (name, arguments.strip_suffix(')')?),
        None => (mark, ""),
    };
    let (unit, zone) = match arguments.split_once(',') {
        Some((unit, zone)) => (unit, Some(zone.into())),
        None => (arguments, None),
    };
    Some(match name {
        "date32" => DataType::Date32,
        "date64" => DataType::Date64,
        "binary" => DataType::LargeBinary,
        "time32" => DataType::Time32(time_unit(unit)?),
        "time64" => DataType::Time64(time_unit(unit)?),
        "duration" => DataType::Duration(time_unit(unit)?),
        "timestamp" => DataType::Timestamp(time_unit(unit)?, zone),
        _ => return None,
    })
}

/// How a description names a type of Arrow that is stored as another.
fn marked(data_type: &DataType) -> Option<String> {
    Some(match data_type {
        DataType::Date32 => "date32".to_owned(),
        DataType::Date64 => "date64".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "binary".to_owned()
        }
        DataType::Time32(unit) => format!("time32({})", unit_name(*unit)),
        DataType::Time64(unit) => format!("time64({})", unit_name(*unit)),
        DataType::Duration(unit) => format!("duration({})", unit_name(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp({})", unit_name(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp({},{zone})", unit_name(*unit)),
        // Its values are stored.
        DataType::Dictionary(_, values) => return marked(values),
        _ => return None,
    })
}

pub(crate) fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

fn time_unit(name: &str) -> Option<TimeUnit> {
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond]
        .into_iter()
        .find(|unit| unit_name(*unit) == name)
}
