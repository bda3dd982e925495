//! Numbers that are the same on every machine and in every run.

/// SplitMix64: small, and good enough to fill columns.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
    /// What floating-point numbers must lie in, for columns that hold nothing else.
    range: Option<(f64, f64)>,
}

impl Random {
    /// Different names give different numbers.
    pub(crate) fn new(name: &str) -> Self {
        // FNV-1a.
        let seed = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self { state: name.bytes().fold(0xcbf2_9ce4_8422_2325, seed), range: None }
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// One of a few, if there are any.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        let index = self.below((of.len() as u64).max(1));
        of.get(usize::try_from(index).ok()?).copied()
    }

    /// The number of items of a collection: often none.
    pub(crate) fn count(&mut self) -> u64 {
        if self.below(4) == 0 { 0 } else { self.below(5) }
    }

    /// What `make` makes when floating-point numbers must lie in `range`.
    pub(crate) fn within<T>(&mut self, range: Option<(f64, f64)>, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.range, range);
        let made = make(self);
        self.range = before;
        made
    }

    /// A number in the range, if there is one; its ends more often than others.
    pub(crate) fn in_range(&mut self) -> Option<f64> {
        let (min, max) = self.range?;
        #[expect(clippy::cast_precision_loss, reason = "a fraction is asked for")]
        let fraction = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        Some(match self.below(5) {
            0 => min,
            1 => max,
            _ => (min + fraction * (max - min)).clamp(min, max),
        })
    }
}
