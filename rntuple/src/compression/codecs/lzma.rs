//! LZMA2: `XZ` chunks, each a complete `.xz` stream.

use xz2::stream::{Action, Check, Error, Filters, LzmaOptions, Status, Stream};

use super::{Decode, Effort, Encode};
use crate::compression::fault::Fault;

/// What a decoder may allocate: the dictionary of preset 9 is 64 MiB, the rest well below 1 MiB.
/// A chunk holds less than 16 MiB, so a larger dictionary would serve nothing.
const MEMORY_LIMIT: u64 = 72 << 20;

/// The smallest dictionary of the format.
const MIN_DICTIONARY: usize = 4096;

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(super) struct Encoder;

impl Encode for Encoder {
    /// Appends one stream without a check, or gives up where it would not be smaller than `source`.
    fn compress(&mut self, effort: Effort, source: &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        let level = effort.level;
        let mut options = LzmaOptions::new_preset(level.into()).map_err(Fault::codec)?;
        // A dictionary larger than the input gains nothing, and costs every reader (and ten times as
        // much this writer) the memory.
        let dictionary = DICTIONARIES.get(usize::from(level)).copied().unwrap_or(usize::MAX);
        let dictionary = dictionary.min(source.len()).max(MIN_DICTIONARY);
        options.dict_size(u32::try_from(dictionary).unwrap_or(u32::MAX));
        let mut filters = Filters::new();
        filters.lzma2(&options);
        let mut stream = Stream::new_stream_encoder(&filters, Check::None).map_err(Fault::codec)?;
        out.try_reserve(source.len())?;
        let status = stream.process_vec(source, out, Action::Finish).map_err(Fault::codec)?;
        Ok(status == Status::StreamEnd)
    }
}

/// The dictionaries of the presets 0 to 9, as `xz` documents them.
const DICTIONARIES: [usize; 10] =
    [256 << 10, 1 << 20, 2 << 20, 4 << 20, 4 << 20, 8 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20];

/// Streams cannot be used again: a new one is made each time.
#[derive(Default)]
pub(super) struct Decoder;

impl Decode for Decoder {
    /// Appends the content of the stream, which has to fill `source`, and verifies its check if it has one.
    fn decompress(&mut self, source: &[u8], length: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut stream = Stream::new_stream_decoder(MEMORY_LIMIT, 0).map_err(Fault::codec)?;
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
