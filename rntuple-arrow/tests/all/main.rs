//! Files as Arrow, and Arrow as files.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod any_schema;
mod far;
mod other_versions;
mod real_files;
mod refused;
mod schemas;
mod times;
mod typed;
mod types;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use rntuple::columns::AnyColumns;
use rntuple::storage::Memory;
use rntuple::{Compression, Value, WriteOptions};
use rntuple_arrow::{ArrowOptions, ArrowReader, ArrowWriter};

/// Small pages and clusters.
fn small() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE).cluster_size(2000).max_page_length(256)
}

/// Values as they are shown: a NaN is no other's equal.
fn shown(columns: &AnyColumns) -> Vec<String> {
    let slice = columns.as_slice();
    let value = |index| format!("{:?}", slice.value(index).unwrap());
    (0..slice.len()).map(value).collect()
}

/// The same of rows.
fn shown_rows(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| format!("{row:?}")).collect()
}

fn write(schema: &Schema, batches: &[RecordBatch]) -> Memory {
    let mut writer =
        ArrowWriter::new(Memory::new(), "Events", schema, small(), &ArrowOptions::new()).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish_into().unwrap().1
}

/// All entries as one batch.
fn read(file: Memory, options: ArrowOptions) -> RecordBatch {
    let reader = ArrowReader::open_with(file, "Events", Default::default(), options).unwrap();
    let mut batches = reader.batch_size(1 << 20);
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}
