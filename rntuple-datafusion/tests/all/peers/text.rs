//! Rows as text that other programs can make as well: numbers with a fraction are in the shortest form with an exponent.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// The rows of batches.
pub(crate) fn rows(batches: &[RecordBatch]) -> Vec<String> {
    let of_batch = |batch: &RecordBatch| {
        let row = |row| {
            let values = batch.columns().iter().map(|column| text(column, row));
            values.collect::<Vec<_>>().join(" | ")
        };
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

fn text(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "null".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).to_string(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Float32 => number(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => number(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => format!("{:?}", array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => format!("{:?}", array.as_string::<i64>().value(row)),
        DataType::Utf8View => format!("{:?}", array.as_string_view().value(row)),
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let members = fields.iter().zip(array.as_struct().columns());
            let members = members.map(|(field, member)| format!("{}: {}", field.name(), text(member, row)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => panic!("no query has rows of {other}"),
    }
}

fn list(items: &dyn Array) -> String {
    let items = (0..items.len()).map(|item| text(items, item));
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:e}") } else { value.to_string() }
}
