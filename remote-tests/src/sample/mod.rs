//! Files to read from afar. Each value follows from its entry, so whatever part is read can be checked.

mod events;
mod wide;

pub use events::{Event, Events, Jet, Muon};
pub use wide::Wide;

/// SplitMix64: numbers that follow from a seed.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below 2^16: its lower bits are noise, as those of measured values.
    fn short(&mut self) -> u16 {
        (self.bits() >> 48) as u16
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u16) -> u16 {
        self.short() % limit
    }
}
