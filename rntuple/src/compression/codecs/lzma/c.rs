//! Through `xz2`: liblzma, in C.

use xz2::stream::{Action, Check, Error, Filters, LzmaOptions, Status, Stream};

use super::super::{Decode, Effort, Encode};
use crate::compression::fault::Fault;

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(in crate::compression) struct Encoder;

impl Encode for Encoder {
    /// Appends one stream without a check, or gives up where it would not be smaller than `source`.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let level = effort.level;
        let mut options = LzmaOptions::new_preset(level.into()).map_err(Fault::codec)?;
        options.dict_size(super::dictionary(level, source.len()));
        let mut filters = Filters::new();
        filters.lzma2(&options);
        let mut stream = Stream::new_stream_encoder(&filters, Check::None).map_err(Fault::codec)?;
        out.try_reserve(source.len())?;
        let status = stream.process_vec(source, out, Action::Finish).map_err(Fault::codec)?;
        Ok(status == Status::StreamEnd)
    }
}

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(in crate::compression) struct Decoder;

impl Decode for Decoder {
    /// Appends the content of the stream, which has to fill `source`, and verifies its check if it has one.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut stream = Stream::new_stream_decoder(super::MEMORY_LIMIT.into(), 0).map_err(Fault::codec)?;
        // The byte beyond lets the decoder go on to the end of the stream once it has made the last one.
        out.try_reserve(length.saturating_add(1))?;
        let status = stream.process_vec(source, out, Action::Finish).map_err(|error| match error {
            Error::MemLimit => Fault::Unsupported("a dictionary of more than 64 MiB"),
            Error::Options => Fault::Unsupported("a filter of this stream"),
            Error::Mem => Fault::Memory,
            error => Fault::codec(error),
        })?;
        if status != Status::StreamEnd {
            return Err(Fault::Unended);
        }
        match source.len() as u64 - stream.total_in() {
            0 => Ok(()),
            more => Err(Fault::Trailing(more)),
        }
    }
}
