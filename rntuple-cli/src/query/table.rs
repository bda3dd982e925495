//! Rows as a table for people.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches;

use crate::text::printable;

/// Returns the rows, with control characters spelled out: names and values come from files. Plans of queries keep their lines.
///
/// # Errors
/// A value has no text.
pub(super) fn text(schema: &Schema, batches: &[RecordBatch], is_plan: bool) -> Result<String, ArrowError> {
    let fields = schema.fields().iter();
    let fields = fields.map(|field| Field::new(printable(field.name()), DataType::Utf8, true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut shown = vec![RecordBatch::new_empty(schema.clone())];
    for batch in batches {
        let cells = |column: &ArrayRef| cells(column, is_plan);
        let columns: Vec<ArrayRef> = batch.columns().iter().map(cells).collect::<Result<_, _>>()?;
        if !columns.is_empty() {
            shown.push(RecordBatch::try_new(schema.clone(), columns)?);
        }
    }
    Ok(pretty_format_batches(&shown)?.to_string())
}

fn cells(column: &ArrayRef, is_plan: bool) -> Result<ArrayRef, ArrowError> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column, &options)?;
    let cell = |row| {
        let text = formatter.value(row).try_to_string()?;
        Ok(match is_plan {
            true => text.split('\n').map(printable).collect::<Vec<_>>().join("\n"),
            false => printable(&text).into_owned(),
        })
    };
    let cells: Vec<String> = (0..column.len()).map(cell).collect::<Result<_, ArrowError>>()?;
    Ok(Arc::new(StringArray::from(cells)))
}
