//! Deletion files of a few rows: an Arrow IPC file with one batch of one column, `row_id` of unsigned 32-bit integers.
//!
//! ```text
//!  "ARROW1" 0 0 | schema | message | body | footer | i32 length of the footer | "ARROW1"
//! ```
//!
//! Files are written by the library, and read here: the library's reader trusts the sizes in a file. What is needed of
//! the format is little, since there is one column without nulls. The footer and the message are FlatBuffers, which
//! the library verifies.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt32Array};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{CompressionType, MessageHeader, RecordBatch as BatchMessage, Type};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use roaring::RoaringBitmap;

use crate::error::{Error, Result};

const MAGIC: &[u8] = b"ARROW1";
/// Name of the column.
const COLUMN: &str = "row_id";
/// The largest window of compressed bytes that is kept, as a power of two: 8 MiB.
const MOST_WINDOW: u32 = 23;
/// The marker in front of a message since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Returns the bytes of a file with these offsets.
pub(super) fn to_bytes(offsets: impl Iterator<Item = u32>) -> Result<Vec<u8>> {
    let schema = Arc::new(Schema::new(vec![Field::new(COLUMN, DataType::UInt32, false)]));
    write(&schema, UInt32Array::from_iter_values(offsets))
        .map_err(|error| Error::limit(format!("the deleted rows cannot be written: {error}")))
}

fn write(schema: &Arc<Schema>, offsets: UInt32Array) -> Result<Vec<u8>, ArrowError> {
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(offsets)])?;
    let mut writer = FileWriter::try_new(Cursor::new(Vec::new()), schema)?;
    writer.write(&batch)?;
    writer.finish()?;
    Ok(writer.into_inner()?.into_inner())
}

/// Reads the offsets; there are no more than `most`.
pub(super) fn read(bytes: &[u8], most: u64) -> Result<RoaringBitmap> {
    let (message, body) = batch(bytes)?;
    let message = arrow_ipc::root_as_message(message)
        .map_err(|error| Error::out_of_spec(format!("the message of the batch is damaged: {error}")))?;
    let batch = message
        .header_as_record_batch()
        .filter(|_| message.header_type() == MessageHeader::RecordBatch)
        .ok_or_else(|| Error::out_of_spec("the message is not a batch"))?;
    let count = u64::try_from(batch.length()).unwrap_or(u64::MAX);
    if count > most {
        return Err(Error::out_of_spec(format!(
            "{count} rows are deleted, and the fragment has {most} rows"
        )));
    }
    let nulls = batch.nodes().filter(|nodes| nodes.len() == 1).map(|nodes| nodes.get(0).null_count());
    if nulls != Some(0) {
        return Err(Error::out_of_spec("the batch does not have one column without nulls"));
    }
    let values = values(&batch, body)?;
    match batch.compression().map(|compression| compression.codec()) {
        None => collect(values, count),
        Some(codec) => decompress(values, codec, count),
    }
}

/// Finds the message of the only batch, and its body.
fn batch(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let too_short = || Error::out_of_spec("the bytes are not an Arrow file");
    let inner = bytes.strip_prefix(MAGIC).ok_or_else(too_short)?.strip_suffix(MAGIC).ok_or_else(too_short)?;
    let (inner, length) = inner.split_last_chunk::<4>().ok_or_else(too_short)?;
    let length = usize::try_from(i32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let start = inner.len().checked_sub(length).ok_or_else(too_short)?;
    let footer = arrow_ipc::root_as_footer(inner.get(start..).unwrap_or_default())
        .map_err(|error| Error::out_of_spec(format!("the footer is damaged: {error}")))?;
    check_schema(footer.schema())?;
    let blocks = footer.recordBatches().filter(|blocks| blocks.len() == 1);
    let block = *blocks.ok_or_else(|| Error::out_of_spec("the file does not have one batch"))?.get(0);

    let part = |start: i64, length: i64| {
        let start = usize::try_from(start).ok()?;
        bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    };
    let body_start = block.offset().checked_add(i64::from(block.metaDataLength()));
    let frame = part(block.offset(), i64::from(block.metaDataLength()));
    let body = body_start.and_then(|start| part(start, block.bodyLength()));
    let (Some(frame), Some(body)) = (frame, body) else {
        return Err(Error::out_of_spec("the batch is said to be after the end of the file"));
    };
    let frame = frame.strip_prefix(&CONTINUATION).unwrap_or(frame);
    let (_, message) = frame.split_first_chunk::<4>().ok_or_else(too_short)?;
    Ok((message, body))
}

/// Checks that the schema is that of deletion files.
fn check_schema(schema: Option<arrow_ipc::Schema<'_>>) -> Result<()> {
    let fields = schema.and_then(|schema| schema.fields()).filter(|fields| fields.len() == 1);
    let integer = fields.and_then(|fields| {
        let field = fields.get(0);
        field.type_as_int().filter(|_| field.type_type() == Type::Int && field.dictionary().is_none())
    });
    // Lance writes unsigned integers; its documents say signed ones, which are the same where they are valid.
    match integer.is_some_and(|integer| integer.bitWidth() == 32) {
        true => Ok(()),
        false => Err(Error::out_of_spec("the file does not have one column of 32-bit integers")),
    }
}

/// Finds the buffer of the values in the body.
fn values<'a>(batch: &BatchMessage<'_>, body: &'a [u8]) -> Result<&'a [u8]> {
    // The first buffer would say which values are null.
    let buffers = batch.buffers().filter(|buffers| buffers.len() == 2);
    let buffer = *buffers.ok_or_else(|| Error::out_of_spec("the column does not have two buffers"))?.get(1);
    let start = usize::try_from(buffer.offset()).ok();
    let length = usize::try_from(buffer.length()).ok();
    start
        .zip(length)
        .and_then(|(start, length)| body.get(start..start.checked_add(length)?))
        .ok_or_else(|| Error::out_of_spec("the values are said to be after the end of the batch"))
}

fn decompress(values: &[u8], codec: CompressionType, count: u64) -> Result<RoaringBitmap> {
    let Some((length, values)) = values.split_first_chunk::<8>() else {
        // A buffer of no bytes has no length in front of it.
        return collect(values, count);
    };
    if i64::from_le_bytes(*length) == -1 {
        return collect(values, count);
    }
    if codec != CompressionType::ZSTD {
        return Err(Error::unsupported(format!(
            "the deleted rows are compressed with {codec:?}, expected zstd"
        )));
    }
    let decoder = zstd::Decoder::with_buffer(values).and_then(|mut decoder| {
        decoder.window_log_max(MOST_WINDOW)?;
        Ok(decoder)
    });
    collect(decoder?, count)
}

/// Reads `count` offsets.
///
/// Nothing is allocated in advance, and an offset that occurs twice is the end: so a file of little information takes
/// little memory, whatever count it states.
fn collect(mut values: impl std::io::Read, count: u64) -> Result<RoaringBitmap> {
    let mut bitmap = RoaringBitmap::new();
    let mut buffer = [0; 4096];
    let mut left = count;
    while left > 0 {
        let wanted = usize::try_from(left.min(1024)).unwrap_or(1024) * 4;
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        values
            .read_exact(buffer)
            .map_err(|error| Error::out_of_spec(format!("{left} of {count} rows are missing: {error}")))?;
        for offset in buffer.as_chunks::<4>().0 {
            let offset = u32::from_le_bytes(*offset);
            if !bitmap.insert(offset) {
                return Err(Error::out_of_spec(format!("row {offset} is deleted twice")));
            }
        }
        left -= wanted as u64 / 4;
    }
    Ok(bitmap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_more_rows_than_there_are_is_refused() {
        let bytes = to_bytes([4, 1, 7].into_iter()).unwrap();
        assert_eq!(read(&bytes, 8).unwrap(), RoaringBitmap::from([1, 4, 7]));
        let error = read(&bytes, 2).unwrap_err().to_string();
        assert_eq!(error, "3 rows are deleted, and the fragment has 2 rows");
        let twice = to_bytes([4, 1, 4].into_iter()).unwrap();
        assert_eq!(read(&twice, 8).unwrap_err().to_string(), "row 4 is deleted twice");
    }

    #[test]
    fn other_columns_are_refused() {
        let write = |field: Field, column: arrow_array::ArrayRef| {
            let schema = Arc::new(Schema::new(vec![field]));
            let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
            let mut writer = FileWriter::try_new(Cursor::new(Vec::new()), &schema).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            writer.into_inner().unwrap().into_inner()
        };
        let signed = arrow_array::Int32Array::from(vec![1, 2]);
        let bytes = write(Field::new(COLUMN, DataType::Int32, false), Arc::new(signed));
        assert_eq!(read(&bytes, 8).unwrap(), RoaringBitmap::from([1, 2]));
        let long = arrow_array::UInt64Array::from(vec![1, 2]);
        let bytes = write(Field::new(COLUMN, DataType::UInt64, false), Arc::new(long));
        assert!(read(&bytes, 8).unwrap_err().to_string().contains("32-bit integers"));
        let nulls = UInt32Array::from(vec![Some(1), None]);
        let bytes = write(Field::new(COLUMN, DataType::UInt32, true), Arc::new(nulls));
        assert!(read(&bytes, 8).unwrap_err().to_string().contains("without nulls"));
    }
}
