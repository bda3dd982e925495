//! Zstandard: `ZS` chunks, each one frame.

use std::io::Cursor;

use zstd::bulk;

use super::{Decode, Encode};
use crate::compression::fault::Fault;

/// A compression context, made on first use, and the level that it is set to.
#[derive(Default)]
pub(super) struct Encoder {
    context: Option<(bulk::Compressor<'static>, u8)>,
}

impl Encode for Encoder {
    /// Appends one frame that states its content size and has no checksum.
    fn compress(&mut self, level: u8, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let context = match &mut self.context {
            Some((context, current)) => {
                if *current != level {
                    context.set_compression_level(level.into()).map_err(Fault::codec)?;
                    *current = level;
                }
                context
            }
            none => {
                let context = bulk::Compressor::new(level.into()).map_err(Fault::codec)?;
                &mut none.insert((context, level)).0
            }
        };
        // With room for the worst case zstd never runs out of it, whatever the buffer held before.
        out.try_reserve(zstd::compress_bound(source.len()))?;
        context.compress_to_buffer(source, &mut at_end(out)).map_err(Fault::codec)?;
        Ok(true)
    }
}

/// A decompression context, made on first use.
#[derive(Default)]
pub(super) struct Decoder {
    context: Option<bulk::Decompressor<'static>>,
}

impl Decode for Decoder {
    /// Appends the content of `source`, with or without a content size and a checksum of its own.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(bulk::Decompressor::new().map_err(Fault::codec)?),
        };
        out.try_reserve(length)?;
        context.decompress_to_buffer(source, &mut at_end(out)).map_err(Fault::codec)?;
        Ok(())
    }
}

/// `out` as a target that keeps what is in it already.
fn at_end(out: &mut Vec<u8>) -> Cursor<&mut Vec<u8>> {
    let end = out.len() as u64;
    let mut cursor = Cursor::new(out);
    cursor.set_position(end);
    cursor
}
