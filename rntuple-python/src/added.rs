//! Columns that a function of Python computes, piece by piece.

use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rntuple::schema::SchemaBuilder;
use rntuple::{ErrorKind, Value, WriteOptions, Writer};
use rntuple_arrow::{ArrowOptions, from_arrow_schema, from_record_batch};
use rntuple_dataset::{Snapshot, Table};

use crate::errors::{exception, of_dataset};
use crate::write;

/// Adds the columns that `compute` returns for up to `step` rows at a time; returns the number of the new version.
pub(crate) fn add(
    table: &Table,
    snapshot: &Snapshot,
    compute: Py<PyAny>,
    step: u64,
    replace: bool,
    options: WriteOptions,
) -> PyResult<u64> {
    // The first piece says the types, before there is a file.
    let rows = first_piece(snapshot, step).map_err(of_dataset)?;
    let first = values_of(&compute, &rows)?;
    let schema = from_arrow_schema(&first.schema, &ArrowOptions::new()).map_err(exception)?;
    check_names(snapshot, &schema, replace)?;
    let (mut first, mut failed) = (Some((rows, first)), None);
    let fill = |entries: Range<u64>, writer: &mut Writer<Value>| {
        for rows in pieces(entries, step) {
            let known = first.take_if(|(of, _)| *of == rows).map(|(_, values)| values);
            let values = known.map_or_else(|| values_of(&compute, &rows), Ok);
            // The exception is raised as it is: it may be one of the function.
            values.and_then(|values| write_piece(writer, values, &schema, &rows)).map_err(|error| {
                failed = Some(error);
                rntuple::Error::new(ErrorKind::InvalidArgument, "the columns cannot be written")
            })?;
        }
        Ok(())
    };
    let added = table.add_columns_from(snapshot, options.schema(schema.clone()), fill);
    match failed {
        Some(error) => Err(error),
        None => added.map(|snapshot| snapshot.version()).map_err(of_dataset),
    }
}

/// The rows of a cluster, `step` of them or fewer at a time.
fn pieces(entries: Range<u64>, step: u64) -> impl Iterator<Item = Range<u64>> {
    let mut at = entries.start;
    std::iter::from_fn(move || {
        let piece = at..entries.end.min(at.saturating_add(step.max(1)));
        at = piece.end;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The rows that are first of [`pieces`]; none where there are no rows.
fn first_piece(snapshot: &Snapshot, step: u64) -> rntuple_dataset::Result<Range<u64>> {
    let Some(position) = snapshot.fragments().iter().position(|fragment| fragment.physical_rows > 0) else {
        return Ok(0..0);
    };
    for cluster in snapshot.fragment(position)?.clusters() {
        // Fragments before this one have no rows.
        let cluster = cluster?;
        if let Some(piece) =
            pieces(cluster.first_entry..cluster.first_entry + cluster.entry_count, step).next()
        {
            return Ok(piece);
        }
    }
    Ok(0..0)
}

fn values_of(compute: &Py<PyAny>, rows: &Range<u64>) -> PyResult<write::Table> {
    Python::attach(|py| write::Table::of(compute.bind(py).call1((rows.start, rows.end))?.as_any()))
}

fn check_names(snapshot: &Snapshot, schema: &SchemaBuilder, replace: bool) -> PyResult<()> {
    if schema.fields().is_empty() {
        return Err(PyValueError::new_err("the function has returned no columns"));
    }
    let is_there = |name: &str| snapshot.fields().iter().any(|it| it.parent_id == -1 && it.name == name);
    match schema.fields().iter().find(|field| is_there(field.name())).filter(|_| !replace) {
        Some(field) => {
            let message =
                format!("{}: the data set has such a field; replace=True replaces it", field.name());
            Err(PyValueError::new_err(message))
        }
        None => Ok(()),
    }
}

fn write_piece(
    writer: &mut Writer<Value>,
    values: write::Table,
    schema: &SchemaBuilder,
    rows: &Range<u64>,
) -> PyResult<()> {
    let is_known = |name: &str| schema.fields().iter().any(|field| field.name() == name);
    if let Some(unknown) = values.schema.fields().iter().find(|field| !is_known(field.name())) {
        let message = format!("{}: the function has not returned this column before", unknown.name());
        return Err(PyValueError::new_err(message));
    }
    let (before, wanted) = (writer.entry_count(), rows.end - rows.start);
    for batch in values {
        let columns = from_record_batch(&batch?, schema).map_err(exception)?;
        writer.fill_columns(columns.as_slice()).map_err(exception)?;
    }
    match writer.entry_count() - before {
        found if found == wanted => Ok(()),
        found => {
            let message = format!("the function has returned {found} values for {wanted} rows");
            Err(PyValueError::new_err(message))
        }
    }
}
