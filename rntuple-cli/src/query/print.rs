//! Rows on the standard output, and what goes wrong in queries.

use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::WriterBuilder;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::common::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::DataFrame;
use futures_util::StreamExt as _;

use super::{csv, table};
use crate::dataset;
use crate::failure::{Failure, Status};
use crate::json::printable_json;

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(super) enum Format {
    #[default]
    Table,
    /// One object to a line; NaN is null
    Json,
    /// Without lists and structs; null is nothing, and an empty text is ""
    Csv,
}

/// Prints rows. What a terminal shows must not be what it obeys.
pub(super) async fn print(
    rows: DataFrame,
    format: Format,
    is_terminal: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let schema = Arc::clone(rows.schema().inner());
    let arrow = |error| failure(DataFusionError::ArrowError(Box::new(error), None));
    match format {
        Format::Table => {
            let is_plan = matches!(rows.logical_plan(), LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
            let batches = rows.collect().await.map_err(failure)?;
            writeln!(out, "{}", table::text(&schema, &batches, is_plan).map_err(arrow)?)?;
        }
        Format::Json | Format::Csv => {
            let shown = |lines: Vec<u8>| match format {
                Format::Json => printable_json(&String::from_utf8_lossy(&lines)).into_owned().into_bytes(),
                _ if is_terminal => csv::shown(&lines).into_bytes(),
                _ => lines,
            };
            if format == Format::Csv {
                out.write_all(&shown(csv::header(&schema).map_err(arrow)?))?;
            }
            let mut batches = rows.execute_stream().await.map_err(failure)?;
            while let Some(batch) = batches.next().await {
                let batch = batch.map_err(failure)?;
                let text = if format == Format::Csv { csv::rows(&batch) } else { json(&batch) };
                out.write_all(&shown(text.map_err(arrow)?))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn json(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut text = Vec::new();
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut text);
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    Ok(text)
}

/// Converts an error of DataFusion. The exit code is that of its cause.
pub(super) fn failure(error: DataFusionError) -> Failure {
    let root = error.find_root();
    let of = |error: &(dyn std::error::Error + 'static)| {
        let ours = error.downcast_ref::<rntuple::Error>().map(Status::of);
        let of_dataset = || error.downcast_ref::<rntuple_dataset::Error>().map(dataset::status);
        let output = || error.downcast_ref::<io::Error>().map(|_| Status::Unreadable);
        ours.or_else(of_dataset).or_else(output)
    };
    let status = match root {
        DataFusionError::External(error) => of(error.as_ref()).unwrap_or(Status::Unreadable),
        DataFusionError::ArrowError(..) | DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => {
            Status::Unreadable
        }
        _ => Status::Usage,
    };
    Failure::Message(status, error.strip_backtrace())
}
