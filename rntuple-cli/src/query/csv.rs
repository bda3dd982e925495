//! Rows as CSV in which null and an empty text differ, as PostgreSQL, DuckDB and polars have them: null is nothing, and an empty
//! text is `""`. (The writer of `arrow` has nothing for both.)

use std::io::{self, Write};

use datafusion::arrow::array::{Array as _, RecordBatch};
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::text::printable;

/// Returns the line with the names of the columns.
///
/// # Errors
/// CSV has neither lists nor structs.
pub(crate) fn header(schema: &Schema) -> Result<Vec<u8>, ArrowError> {
    let mut line = Vec::new();
    for (number, field) in schema.fields().iter().enumerate() {
        let (name, data_type) = (field.name(), field.data_type());
        if data_type.is_nested() {
            let advice = "choose members by m['pt'], make rows of lists by unnest, or write JSON";
            let message = format!("column {name:?} is a {data_type}, which CSV does not have: {advice}");
            return Err(ArrowError::CsvError(message));
        }
        separate(&mut line, number)?;
        put(&mut line, name)?;
    }
    line.push(b'\n');
    Ok(line)
}

/// Returns a line for each row.
///
/// # Errors
/// A value has no text.
pub(crate) fn rows(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let options = FormatOptions::default();
    let columns: Vec<_> = batch
        .columns()
        .iter()
        .map(|column| Ok((ArrayFormatter::try_new(column.as_ref(), &options)?, column.logical_nulls())))
        .collect::<Result<_, ArrowError>>()?;
    let (mut lines, mut text) = (Vec::new(), String::new());
    for row in 0..batch.num_rows() {
        for (number, (column, nulls)) in columns.iter().enumerate() {
            separate(&mut lines, number)?;
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                text.clear();
                column.value(row).write(&mut text)?;
                put(&mut lines, &text)?;
            }
        }
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Returns lines as a terminal may have them, with control characters spelled out.
pub(crate) fn shown(lines: &[u8]) -> String {
    let lines = String::from_utf8_lossy(lines);
    lines.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

fn separate(line: &mut Vec<u8>, number: usize) -> io::Result<()> {
    if number > 0 { line.write_all(b",") } else { Ok(()) }
}

/// Writes a value, in quotes where it could be taken for something else.
fn put(line: &mut Vec<u8>, text: &str) -> io::Result<()> {
    match text.is_empty() || text.contains(['"', ',', '\n', '\r']) {
        true => write!(line, "\"{}\"", text.replace('"', "\"\"")),
        false => line.write_all(text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, ListArray, StringArray};
    use datafusion::arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn null_is_nothing_and_an_empty_text_is_quoted() {
        let names = [Some(""), None, Some("a,\"b\"\nc"), Some(" ")];
        let numbers = [Some(1.5), None, Some(f64::NAN), Some(-0.0)];
        let batch = RecordBatch::try_from_iter([
            ("name", Arc::new(StringArray::from(names.to_vec())) as _),
            ("x,y", Arc::new(Float64Array::from(numbers.to_vec())) as _),
        ]);
        let batch = batch.unwrap();
        let text = [header(&batch.schema()).unwrap(), rows(&batch).unwrap()].concat();
        let expected = "name,\"x,y\"\n\"\",1.5\n,\n\"a,\"\"b\"\"\nc\",NaN\n ,-0.0\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert_eq!(shown("name\n\"a\n\u{1b}[2J\"\r\nµ\n".as_bytes()), "name\n\"a\n\\u{1b}[2J\"\\r\nµ\n");
    }

    #[test]
    fn lists_are_refused() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
        let batch = RecordBatch::try_from_iter([("hits", Arc::new(list) as _)]).unwrap();
        let error = header(&batch.schema()).unwrap_err().to_string();
        assert!(error.contains("\"hits\"") && error.contains("unnest"), "{error}");
    }
}
