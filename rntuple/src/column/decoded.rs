//! Which pages of a column were decoded.

use std::ops::Range;

/// Pages of a cluster that were decoded before.
#[derive(Debug, Default)]
pub(super) struct DecodedPages {
    /// The first ones that follow one another: most walks need no more than this, and allocate nothing.
    run: Range<usize>,
    /// A bit for each of the others.
    others: Vec<u64>,
}

impl DecodedPages {
    pub(super) fn clear(&mut self) {
        self.run = 0..0;
        self.others.clear();
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        let has_bit = |bits: &u64| bits & Self::bit(number) != 0;
        self.run.contains(&number) || self.others.get(number / 64).is_some_and(has_bit)
    }

    pub(super) fn add(&mut self, number: usize) {
        if self.run.contains(&number) {
            return;
        }
        if self.run.is_empty() {
            self.run = number..number + 1;
        } else if self.run.end == number {
            self.run.end += 1;
        } else {
            let index = number / 64;
            if self.others.len() <= index {
                self.others.resize(index + 1, 0);
            }
            if let Some(bits) = self.others.get_mut(index) {
                *bits |= Self::bit(number);
            }
        }
    }

    fn bit(number: usize) -> u64 {
        1 << (number % 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_in_whatever_order_they_are_decoded() {
        let mut pages = DecodedPages::default();
        for numbers in [&[3, 4, 5, 200, 0, 64, 6, 200, 4][..], &[0, 1, 2, 7, 3]] {
            pages.clear();
            for (count, number) in numbers.iter().enumerate() {
                pages.add(*number);
                let before = numbers.get(..=count).unwrap();
                for page in 0..300 {
                    assert_eq!(pages.contains(page), before.contains(&page), "{page} of {before:?}");
                }
            }
        }
    }
}
