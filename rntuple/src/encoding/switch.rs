//! Switches as they were before version 1, in 64 bits (format: legacy, section 7).

use super::{ColumnEncoding, Encoding, Fault, Switch};

/// Position and tag, 32 bits each: rc1.0.
pub(crate) struct Halves;

/// The position in the 44 lower bits, the tag in the 20 upper ones: rc1.1 and rc1.2.
pub(crate) struct Packed;

const INDEX_BITS: u32 = 44;

impl Encoding<Switch> for Halves {
    fn encode(_: &ColumnEncoding, values: &[Switch], out: &mut Vec<u8>) -> Result<(), Fault> {
        put(values, 32, out)
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], _: usize, out: &mut Vec<Switch>) -> Result<(), Fault> {
        take(bytes, 32, out);
        Ok(())
    }
}

impl Encoding<Switch> for Packed {
    fn encode(_: &ColumnEncoding, values: &[Switch], out: &mut Vec<u8>) -> Result<(), Fault> {
        put(values, INDEX_BITS, out)
    }

    fn decode(_: &ColumnEncoding, bytes: &[u8], _: usize, out: &mut Vec<Switch>) -> Result<(), Fault> {
        take(bytes, INDEX_BITS, out);
        Ok(())
    }
}

fn put(values: &[Switch], index_bits: u32, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (position, value) in values.iter().enumerate() {
        let tag = u64::from(value.tag);
        if value.index >> index_bits != 0 || tag << index_bits >> index_bits != tag {
            return Err(Fault::OutOfRange { position });
        }
        out.extend((value.index | tag << index_bits).to_le_bytes());
    }
    Ok(())
}

fn take(bytes: &[u8], index_bits: u32, out: &mut Vec<Switch>) {
    out.extend(bytes.as_chunks::<8>().0.iter().map(|chunk| {
        let word = u64::from_le_bytes(*chunk);
        let tag = u32::try_from(word >> index_bits).unwrap_or(u32::MAX);
        Switch { index: word & ((1 << index_bits) - 1), tag }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::ColumnType;

    fn round_trip<T: Encoding<Switch>>(values: &[Switch]) -> Result<Vec<u8>, Fault> {
        let packing = ColumnEncoding::of(ColumnType::PackedSwitch);
        let (mut bytes, mut back) = (Vec::new(), Vec::new());
        T::encode(&packing, values, &mut bytes)?;
        T::decode(&packing, &bytes, values.len(), &mut back)?;
        assert_eq!(back, values);
        Ok(bytes)
    }

    #[test]
    fn positions_and_tags_have_their_bits() {
        let switch = |index, tag| Switch { index, tag };
        let bytes = round_trip::<Halves>(&[switch(5, 2), switch(u32::MAX.into(), u32::MAX)]).unwrap();
        assert_eq!(bytes[..8], [5, 0, 0, 0, 2, 0, 0, 0]);
        let bytes = round_trip::<Packed>(&[switch(5, 2), switch((1 << 44) - 1, (1 << 20) - 1)]).unwrap();
        assert_eq!(bytes[..8], [5, 0, 0, 0, 0, 0x20, 0, 0]);
        assert!(round_trip::<Packed>(&[switch(1 << 44, 0)]).is_err());
        assert!(round_trip::<Packed>(&[switch(0, 1 << 20)]).is_err());
        assert!(round_trip::<Halves>(&[switch(1 << 32, 0)]).is_err());
    }
}
