//! Little-endian values one behind the other.

use super::arch::{self, Lane};
use super::{ColumnEncoding, Encoding, Fault, Switch};

/// Values as they are, little-endian (format, section 5.2).
pub(crate) struct Plain;

impl<S: Lane> Encoding<S> for Plain {
    fn encode(_: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault> {
        arch::put_plain(values, out);
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], _: usize, out: &mut Vec<S>) -> Result<(), Fault> {
        arch::take_plain(bytes, out);
        Ok(())
    }

    fn view(bytes: &[u8]) -> Option<&[S]> {
        arch::view(bytes)
    }

    fn bytes(values: &[S]) -> Option<&[u8]> {
        arch::bytes(values)
    }
}

// Padding keeps a `Switch` in memory from being its 12 bytes.
impl Encoding<Switch> for Plain {
    fn encode(_: &ColumnEncoding, values: &[Switch], out: &mut Vec<u8>) -> Result<(), Fault> {
        out.reserve(values.len() * 12);
        for value in values {
            let [a, b, c, d, e, f, g, h] = value.index.to_le_bytes();
            let [i, j, k, l] = value.tag.to_le_bytes();
            out.extend_from_slice(&[a, b, c, d, e, f, g, h, i, j, k, l]);
        }
        Ok(())
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], _: usize, out: &mut Vec<Switch>) -> Result<(), Fault> {
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
