//! Changes to bytes and numbers, of which those of structures are made.

use rntuple_tests::sample::Random;

/// Numbers that break things.
const INTERESTING: [u64; 10] =
    [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, i64::MAX as u64, 1 << 63, u64::MAX];

/// Changes bytes without a structure, to at most as many as the number says.
pub type Strike = fn(&mut Vec<u8>, usize, &mut Random);

/// Where changes come from.
#[derive(Debug)]
pub struct Mutator {
    /// Decides what is changed.
    pub random: Random,
    /// How bytes without a structure are changed: by libFuzzer, which knows what the target compares them with, or by
    /// [`strike`].
    pub strike: Strike,
}

impl Mutator {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// Whether something with a chance of one in `count` happens.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// Changes bytes, to at most `max`.
    pub(crate) fn bytes(&mut self, bytes: &mut Vec<u8>, max: usize) {
        if max > 0 {
            (self.strike)(bytes, max, &mut self.random);
            bytes.truncate(max);
        }
    }

    /// Changes bytes, but not how many there are.
    pub(crate) fn in_place(&mut self, bytes: &mut [u8]) {
        if bytes.len() <= 8 || self.one_in(2) {
            let width = [1, 2, 4, 8].get(self.below(4)).copied().unwrap_or(1);
            let start = self.below(bytes.len());
            let end = bytes.len().min(start + width);
            return self.number(bytes.get_mut(start..end).unwrap_or_default());
        }
        let start = self.below(bytes.len());
        let end = bytes.len().min(start + 1 + self.below(64));
        let Some(part) = bytes.get_mut(start..end) else { return };
        let mut changed = part.to_vec();
        self.bytes(&mut changed, part.len());
        for (to, from) in part.iter_mut().zip(changed) {
            *to = from;
        }
    }

    /// Changes a number of up to eight bytes, of either byte order.
    pub(crate) fn number(&mut self, bytes: &mut [u8]) {
        let is_little = self.one_in(2);
        let mut wide = [0; 8];
        for (to, from) in wide.iter_mut().zip(bytes.iter()) {
            *to = *from;
        }
        let old = u64::from_le_bytes(wide);
        let new = match self.below(5) {
            0 => *self.pick(&INTERESTING).unwrap_or(&0),
            1 => old ^ 1 << self.below(bytes.len() * 8),
            2 => self.random.bits(),
            _ => old.wrapping_add(self.below(9) as u64).wrapping_sub(4),
        };
        let new = new.to_le_bytes();
        for (number, to) in bytes.iter_mut().enumerate() {
            let from = if is_little || old != 0 { number } else { bytes_last(number) };
            *to = new.get(from).copied().unwrap_or_default();
        }
    }
}

fn bytes_last(number: usize) -> usize {
    7_usize.saturating_sub(number)
}

/// Changes bytes where there is no libFuzzer.
pub fn strike(bytes: &mut Vec<u8>, max: usize, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 if bytes.len() < max => bytes.insert(at, u8::try_from(random.below(256)).unwrap_or_default()),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => {
                let number = INTERESTING.get(random.below(INTERESTING.len())).copied().unwrap_or_default();
                let width = 1 << random.below(4);
                for (to, from) in bytes.iter_mut().skip(at).zip(number.to_le_bytes()).take(width) {
                    *to = from;
                }
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}
