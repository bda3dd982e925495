//! What is known of a file before it is read, for the planner.

use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::{
    ColumnStatistics, DataFusionError, Result, ScalarValue, Statistics, exec_datafusion_err,
};
use datafusion::logical_expr::type_coercion::binary::binary_numeric_coercion;
use rntuple::statistics::{Bounds, ElementStatistics, SortOrder};

use crate::files::{OpenFile, Origin};

/// Statistics of a file have a place for each column, some 300 bytes. If there were more of them than this, a plan of a data
/// set has those of the columns that it reads and its order needs, or none.
pub(crate) const MOST_COLUMNS: usize = 1 << 20;

/// The schema of a table over files: what all have is as in the first, what some lack is nullable.
pub(crate) fn merge(schemas: &[(String, SchemaRef)]) -> Result<SchemaRef> {
    let Some(((_, first), rest)) = schemas.split_first() else { return Ok(Arc::new(Schema::empty())) };
    let mut fields: Vec<arrow_schema::Field> =
        first.fields().iter().map(|field| field.as_ref().clone()).collect();
    for (name, schema) in rest {
        if schema.fields() == first.fields() {
            continue;
        }
        for field in &mut fields {
            let place = |error: DataFusionError| error.context(format!("{name}, column {:?}", field.name()));
            *field = match schema.column_with_name(field.name()) {
                Some((_, other)) => both(field, other).map_err(place)?,
                None => field.clone().with_nullable(true),
            };
        }
        for field in schema.fields() {
            if !fields.iter().any(|known| known.name() == field.name()) {
                fields.push(field.as_ref().clone().with_nullable(true));
            }
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// A field for the values of two.
fn both(one: &arrow_schema::Field, other: &arrow_schema::Field) -> Result<arrow_schema::Field> {
    let is_nullable = one.is_nullable() || other.is_nullable();
    let field = |data_type| arrow_schema::Field::new(one.name(), data_type, is_nullable);
    let data_type = match (one.data_type(), other.data_type()) {
        (one, other) if one == other => one.clone(),
        (DataType::Struct(members), DataType::Struct(others)) => {
            let schema = |fields: &arrow_schema::Fields| Arc::new(Schema::new(fields.clone()));
            let merged =
                merge(&[(String::new(), schema(members)), ("another file".to_owned(), schema(others))])?;
            DataType::Struct(merged.fields().clone())
        }
        (DataType::LargeList(item), DataType::LargeList(other)) => {
            DataType::LargeList(Arc::new(both(item, other)?))
        }
        (DataType::List(item), DataType::List(other)) => DataType::List(Arc::new(both(item, other)?)),
        (DataType::FixedSizeList(item, size), DataType::FixedSizeList(other, same)) if size == same => {
            DataType::FixedSizeList(Arc::new(both(item, other)?), *size)
        }
        (one, other) => wider(one, other).ok_or_else(|| {
            exec_datafusion_err!(
                "a {other} cannot be the {one} that it is in the files before: no type has all values of both"
            )
        })?,
    };
    Ok(field(data_type))
}

/// A type with all values of two types of numbers. DataFusion takes any integer for a float, and large ones become others.
fn wider(one: &DataType, other: &DataType) -> Option<DataType> {
    let (float, number) = match (one.is_floating(), other.is_floating()) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return binary_numeric_coercion(one, other),
    };
    let bytes = number.primitive_width().filter(|_| number.is_integer())?;
    match bytes {
        1 | 2 if *float != DataType::Float64 => Some(DataType::Float32),
        1..=4 => Some(DataType::Float64),
        _ => None,
    }
}

/// The number of rows, and bounds of numbers, of the columns of a table.
pub(crate) fn statistics(file: &OpenFile, origin: &dyn Origin, table: &Schema) -> Result<Statistics> {
    let entries = file.dataset.entry_count();
    let rows = file.live.as_ref().map_or(entries, rntuple::EntryList::entry_count);
    let mut statistics = Statistics::new_unknown(table);
    statistics.num_rows = Precision::Exact(usize::try_from(rows).unwrap_or(usize::MAX));
    let Ok(Some(known)) = file.statistics(origin) else { return Ok(statistics) };
    for (column, slot) in table.fields().iter().zip(&mut statistics.column_statistics) {
        let Some((index, of_file)) = file.columns.schema.column_with_name(column.name()) else { continue };
        if of_file.data_type() != column.data_type() || !is_plain(of_file) {
            continue;
        }
        let path = file.columns.path(index).join(".");
        let Some(field) = file.dataset.schema().find(&path) else { continue };
        let Some(found) = known.field(field, 0).ok().and_then(|column| column.file()) else { continue };
        *slot = bounds(&found, of_file.data_type()).unwrap_or_default();
    }
    Ok(statistics)
}

/// Whether an entry has one number of a column: what is known of strings are the bounds of their offsets.
pub(crate) fn is_plain(column: &arrow_schema::Field) -> bool {
    let is_number = column.data_type().is_numeric() || *column.data_type() == DataType::Boolean;
    is_number && !column.is_nullable()
}

/// The columns that the entries of a file are in order of, as far as columns of a table are.
pub(crate) fn order(file: &OpenFile, origin: &dyn Origin, table: &Schema) -> Vec<String> {
    let Ok(Some(known)) = file.statistics(origin) else { return Vec::new() };
    let fields = known.sort_order().map_or(&[][..], SortOrder::fields);
    sortable(fields, table)
}

/// Those of the fields of an order that a plan may rely on, until the first that it may not.
pub(crate) fn sortable(fields: &[String], table: &Schema) -> Vec<String> {
    // Of floats, DataFusion has the zeros in an order.
    let is_plain = |name: &&String| {
        let field = table.field_with_name(name);
        field.is_ok_and(|field| field.data_type().is_integer() && !field.is_nullable())
    };
    fields.iter().take_while(is_plain).cloned().collect()
}

/// What two orders have in common.
pub(crate) fn common(mut one: Vec<String>, other: &[String]) -> Vec<String> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    one.truncate(same);
    one
}

/// Bounds of the values of a [plain](is_plain) column.
pub(crate) fn bounds(found: &ElementStatistics, data_type: &DataType) -> Option<ColumnStatistics> {
    // A `bool` that is stored as an integer is true for all but 0: bounds of the integers are none of it.
    if *data_type == DataType::Boolean && !matches!(found.bounds, Bounds::Unsigned { max: 0 | 1, .. }) {
        return None;
    }
    let (min, max) = match &found.bounds {
        // DataFusion has NaN above all numbers.
        Bounds::Real { .. } if found.nan_count != 0 => return None,
        Bounds::Real { min, max } => {
            // It has -0.0 below 0.0, which are the same in bounds.
            let min = if *min == 0.0 { -0.0 } else { *min };
            let max = if *max == 0.0 { 0.0 } else { *max };
            (ScalarValue::Float64(Some(min)), ScalarValue::Float64(Some(max)))
        }
        Bounds::Signed { min, max } => (ScalarValue::Int64(Some(*min)), ScalarValue::Int64(Some(*max))),
        Bounds::Unsigned { min, max } => (ScalarValue::UInt64(Some(*min)), ScalarValue::UInt64(Some(*max))),
        _ => return None,
    };
    let as_column = |value: ScalarValue| value.cast_to(data_type).ok();
    Some(ColumnStatistics {
        // Bounds need not be values that occur.
        min_value: Precision::Inexact(as_column(min)?),
        max_value: Precision::Inexact(as_column(max)?),
        null_count: Precision::Exact(0),
        ..ColumnStatistics::new_unknown()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_other_than_bits_bound_no_bool() {
        let known = |found| {
            let known = bounds(&ElementStatistics::new(2, found), &DataType::Boolean)?;
            Some((known.min_value.get_value().cloned()?, known.max_value.get_value().cloned()?))
        };
        let bools = |min, max| Some((ScalarValue::Boolean(Some(min)), ScalarValue::Boolean(Some(max))));
        assert_eq!(known(Bounds::Unsigned { min: 0, max: 1 }), bools(false, true));
        assert_eq!(known(Bounds::Unsigned { min: 1, max: 1 }), bools(true, true));
        assert_eq!(known(Bounds::Unsigned { min: 0, max: 2 }), None);
        assert_eq!(known(Bounds::Signed { min: -1, max: 0 }), None);
    }
}
