//! Little-endian values one behind the other.

use super::lane::{Lane, Word};
use super::{Encoding, Fault, Packing, Switch};

/// Values as they are, little-endian (format, section 5.2).
pub(crate) struct Plain;

impl<S: Lane> Encoding<S> for Plain {
    fn encode(_: &Packing, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = out.len();
        out.resize(start + values.len() * S::Word::WIDTH, 0);
        let Some(bytes) = out.get_mut(start..) else { return Ok(()) };
        for (slot, value) in bytes.chunks_exact_mut(S::Word::WIDTH).zip(values) {
            value.to_word().put(slot);
        }
        Ok(())
    }

    fn decode(_: &Packing, bytes: &[u8], _: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        out.extend(S::Word::from_bytes(bytes).map(S::from_word));
        Ok(())
    }
}

impl Encoding<Switch> for Plain {
    fn encode(_: &Packing, values: &[Switch], out: &mut Vec<u8>) -> Result<(), Fault> {
        out.reserve(values.len() * 12);
        for value in values {
            out.extend_from_slice(&value.index.to_le_bytes());
            out.extend_from_slice(&value.tag.to_le_bytes());
        }
        Ok(())
    }

    fn decode(_: &Packing, bytes: &[u8], _: usize, out: &mut Vec<Switch>) -> Result<(), Fault> {
        out.extend(bytes.as_chunks::<12>().0.iter().map(|chunk| {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = *chunk;
            Switch {
                index: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                tag: u32::from_le_bytes([i, j, k, l]),
            }
        }));
        Ok(())
    }
}
