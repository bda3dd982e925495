//! Through `lzma-rust2`.

use std::io::{self, Write};

use lzma_rust2::{Action, CheckType, Status, XzOptions, XzStream, XzWriter};

use super::super::{Decode, Effort, Encode};
use crate::compression::fault::Fault;

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(in crate::compression) struct Encoder;

impl Encode for Encoder {
    /// Appends one stream without a check, or gives up where it would not be smaller than `source`.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let mut options = XzOptions::with_preset(effort.level.into());
        options.lzma_options.dict_size = super::dictionary(effort.level, source.len());
        options.set_check_sum_type(CheckType::None);
        out.try_reserve(source.len())?;
        let room = Room { out, left: source.len() };
        let written = XzWriter::new(room, options).and_then(|mut writer| {
            writer.write_all(source)?;
            writer.finish()
        });
        match written {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => Ok(false),
            Err(error) => Err(Fault::codec(error)),
        }
    }
}

/// Takes some bytes and no more.
struct Room<'a> {
    out: &'a mut Vec<u8>,
    left: usize,
}

impl Write for Room<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(in crate::compression) struct Decoder;

impl Decode for Decoder {
    /// Appends the content of the stream, which has to fill `source`, and verifies its check if it has one.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut stream = XzStream::new_mem_limit(false, super::MEMORY_LIMIT >> 10);
        let start = out.len();
        // The byte beyond lets the decoder go on to the end of the stream once it has made the last one.
        let end = start.saturating_add(length).saturating_add(1);
        out.try_reserve(end - start)?;
        out.resize(end, 0);
        let room = out.get_mut(start..).unwrap_or_default();
        let result = stream.process(source, room, Action::Finish).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory if stream.memory_usage() > Some(stream.mem_limit()) => {
                Fault::Unsupported("a dictionary of more than 64 MiB")
            }
            io::ErrorKind::OutOfMemory => Fault::Memory,
            io::ErrorKind::Unsupported => Fault::Unsupported("a filter of this stream"),
            _ => Fault::codec(error),
        })?;
        out.truncate(start.saturating_add(result.bytes_produced));
        if result.status != Status::StreamEnd {
            return Err(Fault::Unended);
        }
        match source.len().saturating_sub(result.bytes_consumed) {
            0 => Ok(()),
            more => Err(Fault::Trailing(more as u64)),
        }
    }
}
