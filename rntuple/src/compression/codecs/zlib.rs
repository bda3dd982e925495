//! DEFLATE: `ZL` chunks, each a zlib stream, and the `CS` chunks of old, each a bare stream.

use flate2::{Compress, Compression as Level, Decompress, FlushCompress, FlushDecompress, Status};

use super::{Decode, Effort, Encode};
use crate::compression::fault::Fault;

/// A compression context, made on first use, and its level.
#[derive(Default)]
pub(super) struct Encoder {
    context: Option<(Compress, u8)>,
}

/// What an encoder takes.
pub(super) fn context_length(_level: u8, _page: usize) -> usize {
    640 << 10
}

impl Encode for Encoder {
    /// Appends one zlib stream, or gives up where it would not be smaller than `source`.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let level = effort.level;
        let context = match &mut self.context {
            Some((context, current)) if *current == level => {
                context.reset();
                context
            }
            other => &mut other.insert((Compress::new(Level::new(level.into()), true), level)).0,
        };
        out.try_reserve(source.len())?;
        let status = context.compress_vec(source, out, FlushCompress::Finish).map_err(Fault::codec)?;
        Ok(status == Status::StreamEnd)
    }
}

/// A decompression context, made on first use; `WRAPPED` in the zlib format, or bare.
#[derive(Default)]
pub(super) struct Inflater<const WRAPPED: bool> {
    context: Option<Decompress>,
}

/// Of `ZL` chunks.
pub(super) type Decoder = Inflater<true>;
/// Of `CS` chunks.
pub(super) type BareDecoder = Inflater<false>;

impl<const WRAPPED: bool> Decode for Inflater<WRAPPED> {
    /// Appends the content of the stream, which has to fill `source`.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let context = match &mut self.context {
            Some(context) => {
                context.reset(WRAPPED);
                context
            }
            none => none.insert(Decompress::new(WRAPPED)),
        };
        out.try_reserve(length)?;
        let status = context.decompress_vec(source, out, FlushDecompress::Finish).map_err(Fault::codec)?;
        if status != Status::StreamEnd {
            return Err(Fault::Unended);
        }
        match source.len() as u64 - context.total_in() {
            0 => Ok(()),
            more => Err(Fault::Trailing(more)),
        }
    }
}
