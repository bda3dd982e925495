//! Parquet with columns made by `serde_arrow`: what a user with serde's derive writes.

use std::path::Path;

use super::{columns, parquet};
use crate::digest::Digest;
use crate::{Codec, Data, PlainEvent, Sink};

/// Writes plain pages.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let schema = columns::schema();
    parquet::write_batches(&data.plain, parquet::plain(codec).build(), sink, |events| {
        serde_arrow::to_record_batch(schema.fields(), &events).unwrap()
    });
}

/// Reads events.
pub fn read_structs(path: &Path, _: Codec) -> u64 {
    let mut digest = Digest::default();
    for batch in parquet::batches(path) {
        let events: Vec<PlainEvent> = serde_arrow::from_record_batch(&batch).unwrap();
        events.iter().for_each(|event| digest.plain(event));
    }
    digest.finish()
}
