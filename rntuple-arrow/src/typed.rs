//! Columns of your own types as record batches, and back.

use std::sync::Arc;

use arrow_array::RecordBatch;
use rntuple::columns::{ColumnsOf, ReadColumnar, SliceOf, WriteColumnar};
use rntuple::storage::Memory;
use rntuple::{Compression, Entry, Error, ErrorKind, Reader, Result, WriteOptions, Writer};

use crate::options::ArrowOptions;
use crate::reader::ArrowReader;
use crate::writer::ArrowWriter;

/// How entries are kept that are in memory anyway.
fn in_memory() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE).checksums(false)
}

/// The entries of a type as a record batch, whose schema is that of a file of the type.
///
/// ```
/// use rntuple::RNTuple;
/// use rntuple_arrow::{ArrowOptions, columns_of, record_batch_of};
///
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Event { met: f32, hits: Vec<u16> }
///
/// let mut events = EventColumns::default();
/// events.push(&Event { met: 20.0, hits: vec![1, 2] });
/// let batch = record_batch_of::<Event>(events.as_slice(), &ArrowOptions::new())?;
/// assert_eq!((batch.num_rows(), batch.num_columns()), (1, 2));
///
/// // And back; a struct with fewer members takes fewer columns.
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Met { met: f64 }
/// assert_eq!(columns_of::<Met>([&batch])?.met, [20.0]);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// The entries go through a file in memory, so that they are what a file of them would give.
///
/// # Errors
/// Those of [`Writer::fill_columns`]: a value that its column cannot hold.
pub fn record_batch_of<T: Entry + WriteColumnar>(
    entries: SliceOf<'_, T>,
    options: &ArrowOptions,
) -> Result<RecordBatch> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "batch", in_memory())?;
    writer.fill_columns(entries)?;
    let (summary, file) = writer.finish_into()?;
    let reader = ArrowReader::new(Arc::new(Reader::open(file, "batch")?), options)?;
    let count = usize::try_from(summary.entries).unwrap_or(usize::MAX).max(1);
    reader.one(count)
}

/// The rows of record batches as columns of a type. What the batches have and what the type asks for is compared as with a
/// file: names, conversions, defaults.
///
/// # Errors
/// [`SchemaMismatch`](ErrorKind::SchemaMismatch) lists all differences; those of
/// [`from_arrow_schema`](crate::from_arrow_schema).
pub fn columns_of<'a, T: Entry + ReadColumnar>(
    batches: impl IntoIterator<Item = &'a RecordBatch>,
) -> Result<ColumnsOf<T>> {
    let mut batches = batches.into_iter().peekable();
    let Some(first) = batches.peek() else { return Ok(ColumnsOf::<T>::default()) };
    let options = ArrowOptions::new();
    let mut writer = ArrowWriter::new(Memory::new(), "batch", &first.schema(), in_memory(), &options)?;
    for batch in batches {
        writer.write(batch)?;
    }
    let (summary, file) = writer.finish_into()?;
    let reader = Reader::<T>::open(file, "batch")?;
    let mut columns = ColumnsOf::<T>::default();
    let count = usize::try_from(summary.entries)
        .map_err(|_| Error::new(ErrorKind::LimitExceeded, "more rows than memory has addresses"))?;
    let mut rows = reader.batches(count.max(1));
    rows.read_into(&mut columns)?;
    Ok(columns)
}
