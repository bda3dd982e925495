//! The checksum of the oldest envelopes: CRC-32 as zlib has it.

/// What each value of a byte makes of an empty register.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut rest: &mut [u32] = &mut table;
    let mut byte = 0;
    while let Some((entry, others)) = rest.split_first_mut() {
        let mut register: u32 = byte;
        let mut bit = 0;
        while bit < 8 {
            let low = register & 1;
            register >>= 1;
            if low != 0 {
                register ^= 0xedb8_8320;
            }
            bit += 1;
        }
        *entry = register;
        byte += 1;
        rest = others;
    }
    table
};

/// The CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |register, byte| {
        let [low, ..] = register.to_le_bytes();
        TABLE.get(usize::from(low ^ byte)).map_or(0, |entry| entry ^ register >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_zlib() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(&[0; 32]), 0x190a_55ad);
    }
}
