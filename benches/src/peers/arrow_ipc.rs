//! Arrow's IPC file format ("Feather v2"), with columns made by hand.

use std::fs::File;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::ipc::CompressionType;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};

use super::columns::{self, BATCH};
use crate::{Codec, Data, Sink};

/// What it can do; its level of zstd is fixed, but not that of [`Codec::Zstd1`].
pub const CODECS: &[Codec] = &[Codec::None, Codec::Lz4, Codec::Zstd1];

/// Writes the nested events.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let compression = match codec {
        Codec::None => None,
        Codec::Lz4 => Some(CompressionType::LZ4_FRAME),
        Codec::Zstd1 | Codec::Zstd5 => Some(CompressionType::ZSTD),
    };
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(sink.open(), &columns::schema(), options).unwrap();
    for chunk in data.events.chunks(BATCH) {
        writer.write(&columns::batch(chunk)).unwrap();
    }
    writer.finish().unwrap();
}

fn batches(path: &Path) -> impl Iterator<Item = RecordBatch> {
    FileReader::try_new(File::open(path).unwrap(), None).unwrap().map(Result::unwrap)
}

/// Reads columns.
pub fn read_columns(path: &Path, _: Codec) -> u64 {
    columns::digest(batches(path)).finish()
}

/// Reads columns and puts events together by hand, always in the same memory.
pub fn read_structs(path: &Path, _: Codec) -> u64 {
    columns::digest_structs(batches(path)).finish()
}
