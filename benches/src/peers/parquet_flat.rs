//! `parquet_derive`, for flat structs.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{RecordReader, RecordWriter};

use super::parquet::plain;
use crate::digest::FlatDigest;
use crate::{Codec, Data, FlatEvent, Sink};

const ROW_GROUP: usize = 50_000;

/// Writes the flat events, without dictionaries and statistics.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let schema = (&data.flat[..1]).schema().unwrap();
    let properties = Arc::new(plain(codec).build());
    let mut writer = SerializedFileWriter::new(sink.open(), schema, properties).unwrap();
    for chunk in data.flat.chunks(ROW_GROUP) {
        let mut group = writer.next_row_group().unwrap();
        chunk.write_to_row_group(&mut group).unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

/// Reads the flat events, a row group at a time.
pub fn read(path: &Path, _: Codec) -> u64 {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut digest = FlatDigest::default();
    for index in 0..reader.num_row_groups() {
        let mut group = reader.get_row_group(index).unwrap();
        let rows = group.metadata().num_rows().unsigned_abs() as usize;
        let mut events: Vec<FlatEvent> = Vec::new();
        events.read_from_row_group(&mut *group, rows).unwrap();
        events.iter().for_each(|event| digest.event(event));
    }
    digest.finish()
}
