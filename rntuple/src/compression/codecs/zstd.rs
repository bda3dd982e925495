//! Zstandard: `ZS` chunks, each one frame.

use std::io::Cursor;

use zstd::bulk;
use zstd::zstd_safe::CParameter;

use super::{Decode, Effort, Encode};
use crate::compression::fault::Fault;
use crate::compression::repeats::Repeats;

/// Pages of this length or more are compressed as [`Repeats`] says: the entropy of less is not worth tables of its own.
const LONG: usize = 128 << 10;

/// Parameters that differ from those of the level; 0 is that of the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tuning {
    window_log: u32,
    hash_log: u32,
    min_match: u32,
}

impl Tuning {
    /// Measured on columns of events and of random numbers: `book/src/speed.md`.
    fn of(effort: Effort, length: usize) -> Self {
        match effort {
            // Matches of few bytes are chance, and cost more than they save. Blocks of 64 KiB, which follow from the
            // window, have tables of their own, as the planes of split values differ.
            Effort { level: 1, repeats: Repeats::Bytes } if length >= LONG => {
                Self { window_log: 16, hash_log: 12, min_match: 7 }
            }
            _ => Self::default(),
        }
    }
}

/// A compression context, made on first use, and what it is set to.
#[derive(Default)]
pub(super) struct Encoder {
    context: Option<bulk::Compressor<'static>>,
    level: u8,
    tuning: Tuning,
}

impl Encoder {
    /// The context, set to the level and for what there is to compress.
    fn context(&mut self, effort: Effort, length: usize) -> std::io::Result<&mut bulk::Compressor<'static>> {
        let tuning = Tuning::of(effort, length);
        let Self { context, level, tuning: current } = self;
        let context = match context {
            Some(context) => {
                if *level != effort.level {
                    context.set_compression_level(effort.level.into())?;
                }
                context
            }
            none => none.insert(bulk::Compressor::new(effort.level.into())?),
        };
        *level = effort.level;
        if *current != tuning {
            context.set_parameter(CParameter::WindowLog(tuning.window_log))?;
            context.set_parameter(CParameter::HashLog(tuning.hash_log))?;
            context.set_parameter(CParameter::MinMatch(tuning.min_match))?;
            *current = tuning;
        }
        Ok(context)
    }
}

/// What an encoder takes: its tables are as long as the input makes useful. It is what `ZSTD_sizeof_CCtx` says, rounded
/// up.
pub(super) fn context_length(level: u8, page: usize) -> usize {
    const KIB: usize = 1 << 10;
    match level {
        0..=2 => (64 * KIB + 8 * page).min(640 * KIB),
        3..=4 => (96 * KIB + 12 * page).min(1300 * KIB),
        5..=6 => (96 * KIB + 16 * page).min(3100 * KIB),
        _ => 300 * KIB + 24 * page,
    }
}

impl Encode for Encoder {
    /// Appends one frame that states its content size and has no checksum.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        // With room for the worst case zstd never runs out of it, whatever the buffer held before.
        out.try_reserve(zstd::compress_bound(source.len()))?;
        let context = self.context(effort, source.len()).map_err(Fault::codec)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::repeats::Repeats::{Bytes, Unknown};

    fn compress(encoder: &mut Encoder, effort: Effort, source: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        assert!(encoder.compress(effort, source, &mut out).unwrap());
        let mut back = Vec::new();
        Decoder::default().decompress(&out, source.len(), &mut back).unwrap();
        assert!(back == source, "{effort:?}");
        out
    }

    #[test]
    fn what_comes_out_does_not_depend_on_what_went_before() {
        let wave = |length: u16| (0..length).flat_map(|n| (f32::from(n) * 0.01).sin().to_le_bytes());
        let (long, short): (Vec<u8>, Vec<u8>) = (wave(60_000).collect(), wave(1000).collect());
        let mut one = Encoder::default();
        for level in [1, 5, 1, 9, 3] {
            let mut plain = |source| compress(&mut one, Effort { level, repeats: Unknown }, source);
            let (plain_long, plain_short) = (plain(&long), plain(&short));
            for repeats in [Unknown, Bytes] {
                let effort = Effort { level, repeats };
                let tuned = compress(&mut one, effort, &long);
                assert!(tuned == compress(&mut Encoder::default(), effort, &long), "{effort:?}");
                let is_tuned = (level, repeats) == (1, Bytes);
                assert_eq!(tuned != plain_long, is_tuned, "{effort:?}");
                assert!(compress(&mut one, effort, &short) == plain_short, "{effort:?}");
            }
        }
    }
}
