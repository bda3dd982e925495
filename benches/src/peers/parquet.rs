//! Parquet of arrow-rs, with columns made by hand.
//!
//! *Plain* is without dictionaries and statistics; *defaults* is what `WriterProperties` has. Both with row groups of
//! 50 000 events, the size that suits their memory and threads.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use super::columns::{self, BATCH};
use crate::data::rounded;
use crate::digest::{Digest, sum};
use crate::{Codec, Data, Event, Sink};

const ROW_GROUP: usize = 50_000;

fn compression(codec: Codec) -> Compression {
    match codec {
        Codec::None => Compression::UNCOMPRESSED,
        Codec::Lz4 => Compression::LZ4_RAW,
        Codec::Zstd1 => Compression::ZSTD(ZstdLevel::try_new(1).unwrap()),
        Codec::Zstd5 => Compression::ZSTD(ZstdLevel::try_new(5).unwrap()),
    }
}

fn defaults(codec: Codec) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(compression(codec))
        .set_max_row_group_row_count(Some(ROW_GROUP))
}

/// No dictionary, no statistics.
pub(super) fn plain(codec: Codec) -> WriterPropertiesBuilder {
    defaults(codec)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_encoding(Encoding::PLAIN)
}

/// Writes batches that `make` makes of events.
pub(super) fn write_batches<T>(
    events: &[T],
    properties: WriterProperties,
    sink: Sink<'_>,
    make: impl Fn(&[T]) -> RecordBatch,
) {
    let schema = make(&events[..1]).schema();
    let mut writer = ArrowWriter::try_new(sink.open(), schema, Some(properties)).unwrap();
    for chunk in events.chunks(BATCH) {
        writer.write(&make(chunk)).unwrap();
    }
    writer.close().unwrap();
}

/// Writes plain pages.
pub fn write_plain(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_batches(&data.events, plain(codec).build(), sink, columns::batch);
}

/// Writes with the defaults.
pub fn write_defaults(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_batches(&data.events, defaults(codec).build(), sink, columns::batch);
}

/// Writes plain pages on two threads, each half of the events into a file of its own: nothing is shared.
pub fn write_plain_2(data: &Data, codec: Codec, sink: Sink<'_>) {
    let (front, back) = data.events.split_at(data.events.len() / 2);
    let write = |events: &[Event], suffix: &str| {
        let path: Option<PathBuf> = match sink {
            Sink::File(path) => Some(path.with_extension(suffix)),
            Sink::Null => None,
        };
        let sink = path.as_deref().map_or(Sink::Null, Sink::File);
        write_batches(events, plain(codec).build(), sink, columns::batch);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| write(front, "0"));
        write(back, "1");
    });
}

fn builder(path: &Path) -> ParquetRecordBatchReaderBuilder<File> {
    let file = File::open(path).unwrap();
    ParquetRecordBatchReaderBuilder::try_new(file).unwrap().with_batch_size(BATCH)
}

/// All batches.
pub(super) fn batches(path: &Path) -> impl Iterator<Item = RecordBatch> {
    builder(path).build().unwrap().map(Result::unwrap)
}

/// Reads columns.
pub fn read_columns(path: &Path, _: Codec) -> u64 {
    columns::digest(batches(path)).finish()
}

/// Reads columns on two threads, each half of the row groups.
pub fn read_columns_2(path: &Path, _: Codec) -> u64 {
    let part = |first: bool| -> Digest {
        let builder = builder(path);
        let groups = builder.metadata().num_row_groups();
        let groups = if first { 0..groups / 2 } else { groups / 2..groups };
        columns::digest(builder.with_row_groups(groups.collect()).build().unwrap().map(Result::unwrap))
    };
    let mut digest = Digest::default();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| part(true));
        digest = part(false);
        digest.merge(&first.join().unwrap());
    });
    digest.finish()
}

/// Reads columns and puts events together by hand, always in the same memory.
pub fn read_structs(path: &Path, _: Codec) -> u64 {
    columns::digest_structs(batches(path)).finish()
}

fn leaf(path: &Path, name: &str) -> ParquetRecordBatchReader {
    let builder = builder(path);
    let mask = ProjectionMask::columns(builder.parquet_schema(), [name]);
    builder.with_projection(mask).build().unwrap()
}

/// Reads `jets.pt`.
pub fn jet_pt(path: &Path, _: Codec) -> u64 {
    let batches = leaf(path, "jets.list.item.pt").map(Result::unwrap);
    batches.fold(0, |total, batch| total.wrapping_add(sum(columns::only_leaf(&batch))))
}

/// Sums `muons.pt`.
pub fn muon_pt(path: &Path, _: Codec) -> u64 {
    let batches = leaf(path, "muons.list.item.pt").map(Result::unwrap);
    let of = |batch: RecordBatch| columns::only_leaf(&batch).iter().map(|pt| f64::from(*pt)).sum::<f64>();
    rounded(batches.map(of).sum())
}
