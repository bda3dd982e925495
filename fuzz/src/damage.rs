//! Ways to damage a file, with or without its checksums noticing.

use std::ops::Range;

use rntuple_tests::sample::Random;
use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::Sample;

/// Numbers that break things.
const INTERESTING: [u64; 10] =
    [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, i64::MAX as u64, 1 << 63, u64::MAX];

/// One damaged file.
#[derive(Debug)]
pub struct Damage {
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Damage {
    /// Damages `sample` somewhere.
    pub fn new(sample: &Sample, random: &mut Random) -> Self {
        let mut this = Self { bytes: sample.bytes.clone() };
        let hide = random.below(4) > 0 && !sample.envelopes.is_empty();
        for _ in 0..=random.below(3) {
            let place = if hide { this.covered(sample, random) } else { 0..this.bytes.len() };
            this.strike(place, random);
        }
        if hide {
            this.sign(sample);
        } else if random.below(6) == 0 {
            let length = random.below(this.bytes.len());
            this.bytes.truncate(length);
        }
        this
    }

    /// The inside of some envelope or page.
    fn covered(&self, sample: &Sample, random: &mut Random) -> Range<usize> {
        let from_pages = random.below(4) == 0 && !sample.pages.is_empty();
        let ranges = if from_pages { &sample.pages } else { &sample.envelopes };
        let range = ranges.get(random.below(ranges.len())).cloned().unwrap_or(0..self.bytes.len());
        range.start..range.end.saturating_sub(8)
    }

    fn strike(&mut self, place: Range<usize>, random: &mut Random) {
        if place.is_empty() {
            return;
        }
        let position = place.start + random.below(place.len());
        let number = INTERESTING.get(random.below(INTERESTING.len())).copied().unwrap_or_default();
        let number = if random.below(3) == 0 { random.bits() } else { number };
        let width = [1, 2, 4, 8].get(random.below(4)).copied().unwrap_or(1);
        match random.below(4) {
            0 => {
                if let Some(byte) = self.bytes.get_mut(position) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => {
                let small = (number % 5).wrapping_sub(2).to_le_bytes();
                if let (Some(byte), [step, ..]) = (self.bytes.get_mut(position), small) {
                    *byte = byte.wrapping_add(step);
                }
            }
            2 => self.put(position, &number.to_le_bytes(), width, place.end),
            _ => self.put(position, &number.to_be_bytes(), width, place.end),
        }
    }

    fn put(&mut self, position: usize, number: &[u8], width: usize, end: usize) {
        let slots = self.bytes.get_mut(position..end).unwrap_or_default();
        for (slot, byte) in slots.iter_mut().zip(number).take(width) {
            *slot = *byte;
        }
    }

    /// Makes all checksums right again.
    fn sign(&mut self, sample: &Sample) {
        for page in &sample.pages {
            self.sign_range(page.clone());
        }
        let mut header = None;
        for envelope in &sample.envelopes {
            // What it was before it was damaged.
            let kind = sample.bytes.get(envelope.start).copied();
            let (is_header, is_footer) = (kind == Some(1), kind == Some(2));
            if let Some(header) = header.filter(|_| !is_header) {
                // Footer and page lists repeat the checksum of the header: the footer behind its flags.
                let at = envelope.start + if is_footer { 16 } else { 8 };
                self.put(at, &u64::to_le_bytes(header), 8, envelope.end);
            }
            let checksum = self.sign_range(envelope.clone());
            if is_header {
                header = Some(checksum);
            }
        }
    }

    fn sign_range(&mut self, range: Range<usize>) -> u64 {
        let body = range.end.saturating_sub(8);
        let checksum = self.bytes.get(range.start..body).map(xxh3_64).unwrap_or_default();
        self.put(body, &checksum.to_le_bytes(), 8, range.end);
        checksum
    }
}
