//! Which fields do have nulls: many libraries call every field nullable.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use pyo3::FromPyObject;

/// The columns that are nullable only if they have a null.
#[derive(FromPyObject)]
pub(crate) enum ExactNulls {
    AllOrNone(bool),
    Columns(Vec<String>),
}

impl ExactNulls {
    fn are_of(&self, column: &str) -> bool {
        match self {
            Self::AllOrNone(all) => *all,
            Self::Columns(names) => names.iter().any(|name| name == column),
        }
    }

    /// Whether the values of no column count.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::AllOrNone(false))
    }
}

/// The schema with only those fields of these columns nullable that have a null in one of the batches.
pub(crate) fn found_in(schema: &Schema, batches: &[RecordBatch], exact_nulls: &ExactNulls) -> Schema {
    let fields = schema.fields().iter().enumerate().map(|(number, field)| {
        if !exact_nulls.are_of(field.name()) {
            return field.clone();
        }
        let columns: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(number).clone()).collect();
        exact(field, &columns)
    });
    Schema::new_with_metadata(fields.collect::<Fields>(), schema.metadata().clone())
}

fn exact(field: &FieldRef, arrays: &[ArrayRef]) -> FieldRef {
    // The values of a dictionary may be null as well as its keys.
    let has_nulls = arrays.iter().any(|array| array.logical_null_count() > 0);
    let items = |of: &dyn Fn(&ArrayRef) -> ArrayRef| arrays.iter().map(of).collect::<Vec<_>>();
    let data_type = match field.data_type() {
        DataType::List(item) => {
            DataType::List(exact(item, &items(&|array| array.as_list::<i32>().values().clone())))
        }
        DataType::LargeList(item) => {
            DataType::LargeList(exact(item, &items(&|array| array.as_list::<i64>().values().clone())))
        }
        DataType::FixedSizeList(item, size) => {
            let values = items(&|array| array.as_fixed_size_list().values().clone());
            DataType::FixedSizeList(exact(item, &values), *size)
        }
        DataType::Struct(members) => {
            let members = members.iter().enumerate().map(|(number, member)| {
                let columns = items(&|array| array.as_struct().column(number).clone());
                exact(member, &columns)
            });
            DataType::Struct(members.collect())
        }
        other => other.clone(),
    };
    // What is nullable without a place for nulls says so by its type.
    let is_nullable =
        field.is_nullable() && (has_nulls || matches!(data_type, DataType::Union(..) | DataType::Null));
    Arc::new(Field::clone(field).with_data_type(data_type).with_nullable(is_nullable))
}
