//! LZMA2: `XZ` chunks, each a complete `.xz` stream.
//!
//! A library in Rust writes and reads them. With feature `lzma-c` the C library does: its crate claims the name `lzma` among
//! linked libraries, so a program cannot have it beside another crate that does.

#[cfg(feature = "lzma-c")]
mod c;
#[cfg(any(test, not(feature = "lzma-c")))]
mod rust;

#[cfg(feature = "lzma-c")]
pub(super) use self::c::{Decoder, Encoder};
#[cfg(not(feature = "lzma-c"))]
pub(super) use self::rust::{Decoder, Encoder};

/// What a decoder may allocate: the dictionary of preset 9 is 64 MiB, the rest well below 1 MiB.
/// A chunk holds less than 16 MiB, so a larger dictionary would serve nothing.
const MEMORY_LIMIT: u32 = 72 << 20;

/// The dictionaries of the presets 0 to 9, as `xz` documents them.
const DICTIONARIES: [u32; 10] =
    [256 << 10, 1 << 20, 2 << 20, 4 << 20, 4 << 20, 8 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20];

/// What an encoder takes: matches are found in tables of some times the dictionary, which is as long as the level's or the
/// page.
pub(super) fn context_length(level: u8, page: usize) -> usize {
    let factor = if level <= 3 { 8 } else { 12 };
    let preset = DICTIONARIES.get(usize::from(level)).copied().unwrap_or(64 << 20);
    (2 << 20) + factor * usize::try_from(preset).unwrap_or(usize::MAX).min(page)
}

/// The dictionary for an input. One larger than the input gains nothing, and costs every reader (and ten times as much this
/// writer) the memory; the format has none of less than 4096 bytes.
fn dictionary(level: u8, length: usize) -> u32 {
    let preset = DICTIONARIES.get(usize::from(level)).copied().unwrap_or(64 << 20);
    preset.min(u32::try_from(length).unwrap_or(u32::MAX)).max(4096)
}

#[cfg(test)]
#[cfg(feature = "lzma-c")]
mod tests {
    use proptest::prelude::*;

    use super::{c, rust};
    use crate::compression::codecs::{Decode, Effort, Encode};
    use crate::compression::repeats::Repeats;

    fn compressed(encoder: &mut dyn Encode, level: u8, source: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let effort = Effort { level, repeats: Repeats::Unknown };
        encoder.compress(effort, source, &mut out).unwrap().then_some(out)
    }

    /// The content of a stream, or `None` where the decoder refuses it.
    fn content(decoder: &mut dyn Decode, stored: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut out = b"before".to_vec();
        decoder.decompress(stored, length, &mut out).ok()?;
        assert!(out.starts_with(b"before"));
        Some(out.split_off(6))
    }

    proptest! {
        /// Noise below, so that there are matches and literals.
        #[test]
        fn each_reads_what_the_other_writes(
            bytes in prop::collection::vec(0u8..12, 0..3000),
            repeats in 1usize..30,
            level in 0u8..=9,
            flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..3),
        ) {
            let source = bytes.repeat(repeats);
            let ours = compressed(&mut rust::Encoder, level, &source);
            let theirs = compressed(&mut c::Encoder, level, &source);
            for mut stored in [ours, theirs].into_iter().flatten() {
                prop_assert!(stored.len() <= source.len());
                let both = |stored: &[u8]| {
                    let ours = content(&mut rust::Decoder, stored, source.len());
                    (ours, content(&mut c::Decoder, stored, source.len()))
                };
                prop_assert_eq!(both(&stored), (Some(source.clone()), Some(source.clone())));
                for (at, flip) in &flips {
                    let at = at.index(stored.len());
                    stored[at] ^= flip;
                }
                let (ours, theirs) = both(&stored);
                prop_assert_eq!(ours, theirs, "of a damaged stream");
            }
        }
    }
}
