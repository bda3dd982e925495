//! The checksums of what is written, to be compared with that of what the server has.

/// Length of the beginning that is kept, in bytes. A writer changes it at its end: only then it knows where the rest is.
const HEAD: usize = 64 << 10;

/// The modulus of Adler-32: the largest prime below 2^16.
const PRIME: u32 = 65_521;

/// How many bytes Adler-32 may add up before its sums have to be reduced.
const BLOCK: usize = 5552;

/// Adler-32 and CRC32C of a file that is written from its beginning to its end, but for its [`HEAD`].
#[derive(Debug)]
pub(crate) struct Digest {
    head: Vec<u8>,
    /// Of what comes after the head.
    rest: Sums,
    /// Whether bytes after the head were changed, or left out: then nothing is known.
    is_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Sums {
    length: u64,
    adler: (u32, u32),
    crc: u32,
}

impl Sums {
    const EMPTY: Self = Self { length: 0, adler: (1, 0), crc: 0 };

    fn add(&mut self, bytes: &[u8]) {
        let (mut a, mut b) = self.adler;
        for block in bytes.chunks(BLOCK) {
            for byte in block {
                a += u32::from(*byte);
                b += a;
            }
            (a, b) = (a % PRIME, b % PRIME);
        }
        self.adler = (a, b);
        self.crc = crc32c::crc32c_append(self.crc, bytes);
        self.length = self.length.saturating_add(bytes.len() as u64);
    }
}

/// The Adler-32 of two parts, one after the other. Each byte of the second one moves the first sum of the first part once
/// more into the second sum.
fn joined(first: (u32, u32), second: (u32, u32), length: u64) -> u32 {
    let (prime, length) = (u64::from(PRIME), length % u64::from(PRIME));
    let [a, b, c, d] = [first.0, first.1, second.0, second.1].map(u64::from);
    // Both parts begin with a first sum of 1.
    let low = (a + c + prime - 1) % prime;
    let high = (b + d + length * (a + prime - 1)) % prime;
    u32::try_from(high << 16 | low).unwrap_or_default()
}

impl Digest {
    pub(crate) fn new() -> Self {
        Self { head: Vec::new(), rest: Sums::EMPTY, is_lost: false }
    }

    /// Adds bytes that are written at an offset.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let (in_head, after) = bytes.split_at(bytes.len().min(HEAD.saturating_sub(start)));
        if !in_head.is_empty() {
            let end = start.saturating_add(in_head.len());
            if self.head.len() < end {
                // What is left out is zeros, if the file is that long at its end.
                self.head.resize(end, 0);
            }
            if let Some(slot) = self.head.get_mut(start..end) {
                slot.copy_from_slice(in_head);
            }
        }
        if !after.is_empty() {
            let at = offset.saturating_add(in_head.len() as u64);
            self.is_lost |= at != (HEAD as u64).saturating_add(self.rest.length) || self.head.len() < HEAD;
            if !self.is_lost {
                self.rest.add(after);
            }
        }
    }

    /// Compares with what a server says, such as `adler32 0a1b2c3d`. `None`: it is of another kind, or nothing is known.
    pub(crate) fn matches(&self, said: &str) -> Option<bool> {
        let (kind, value) = said.trim().split_once(' ')?;
        let value = u32::from_str_radix(value.trim(), 16).ok()?;
        if self.is_lost {
            return None;
        }
        let mut head = Sums::EMPTY;
        head.add(&self.head);
        match kind.to_ascii_lowercase().as_str() {
            "adler32" => Some(joined(head.adler, self.rest.adler, self.rest.length) == value),
            "crc32c" => {
                let length = usize::try_from(self.rest.length).ok()?;
                Some(crc32c::crc32c_combine(head.crc, self.rest.crc, length) == value)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition.
    fn adler(bytes: &[u8]) -> u32 {
        let add = |(a, b), byte: &u8| {
            let a = (a + u64::from(*byte)) % 65_521;
            (a, (b + a) % 65_521)
        };
        let (a, b) = bytes.iter().fold((1, 0), add);
        (b << 16 | a) as u32
    }

    #[test]
    fn checksums_are_those_of_the_whole_file() {
        assert_eq!(adler(b"Wikipedia"), 0x11E6_0398);
        for length in [0, 1, 1000, HEAD - 1, HEAD, HEAD + 1, 1_000_003] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 31 % 255) as u8 | 0x80).collect();
            let mut digest = Digest::new();
            for (number, part) in bytes.chunks(7001).enumerate() {
                digest.write(number as u64 * 7001, part);
            }
            // The beginning again, at the end.
            let changed = length.min(100);
            digest.write(0, &[9; 100][..changed]);
            let mut bytes = bytes;
            bytes[..changed].fill(9);
            let (adler, crc) = (adler(&bytes), crc32c::crc32c(&bytes));
            assert_eq!(digest.matches(&format!("adler32 {adler:08x}")), Some(true), "{length}");
            assert_eq!(digest.matches(&format!("crc32c {crc:08x}\n")), Some(true), "{length}");
            assert_eq!(digest.matches(&format!("adler32 {:08x}", adler ^ 1)), Some(false));
            assert_eq!(digest.matches(&format!("crc32c {:08x}", crc ^ 1)), Some(false));
            for other in ["md5 0123", "adler32", "adler32 nothing", ""] {
                assert_eq!(digest.matches(other), None, "{other}");
            }
        }
    }

    #[test]
    fn what_is_changed_later_has_no_checksum() {
        for (offset, length) in [(HEAD, 1), (HEAD - 1, 2), (HEAD + 11, 1)] {
            let mut digest = Digest::new();
            digest.write(0, &[1; HEAD + 10]);
            digest.write(offset as u64, &vec![1; length]);
            assert_eq!(digest.matches("adler32 00000000"), None, "{offset}");
        }
        let mut digest = Digest::new();
        digest.write(HEAD as u64, b"without a head");
        assert_eq!(digest.matches("adler32 00000000"), None);
    }
}
