//! What the ntuples of a file have together.

/// Faults that are kept of one file: in a few bytes it may claim millions of clusters that it does not have.
const MOST_FAULTS: usize = 100_000;

/// What was found in the ntuples so far.
#[derive(Debug)]
pub(super) struct Tally {
    /// Where their pages are.
    pub(super) pages: Vec<u64>,
    /// How many faults may still be kept.
    pub(super) faults: usize,
}

impl Default for Tally {
    fn default() -> Self {
        Self { pages: Vec::new(), faults: MOST_FAULTS }
    }
}

impl Tally {
    /// For an ntuple that is looked at in several ways, one of which counts.
    pub(super) fn begin(&self) -> Self {
        Self { pages: Vec::new(), faults: self.faults }
    }

    /// Adds what was begun.
    pub(super) fn add(&mut self, mut begun: Self) {
        self.pages.append(&mut begun.pages);
        self.faults = begun.faults;
    }
}
