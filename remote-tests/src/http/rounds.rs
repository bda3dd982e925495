//! Requests that are answered together.

/// How many requests belong to each round, and how many have arrived. After the last round requests are not held.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// For each round, the number of requests up to its end.
    ends: Vec<usize>,
    arrived: usize,
    is_over: bool,
}

impl Rounds {
    pub(super) fn new(counts: &[usize]) -> Self {
        let mut end = 0;
        let ends = counts.iter().map(|count| {
            end += count;
            end
        });
        Self { ends: ends.collect(), arrived: 0, is_over: false }
    }

    /// Counts a request, and returns how many must have arrived before it is answered.
    pub(super) fn arrive(&mut self) -> usize {
        let number = self.arrived;
        self.arrived += 1;
        self.ends.iter().copied().find(|end| number < *end).unwrap_or_default()
    }

    /// Whether a request waits that is answered when this many have arrived.
    pub(super) fn holds(&self, needed: usize) -> bool {
        !self.is_over && self.arrived < needed
    }

    /// Lets all requests pass.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }
}
