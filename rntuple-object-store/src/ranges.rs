//! Ranges that are asked for together.

use std::ops::Range;

/// One request, and the ranges that it serves, by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) range: Range<u64>,
    pub(crate) numbers: Vec<usize>,
}

/// Merges ranges that are at most `gap` apart, up to `size` bytes; a longer one is a request of its own. Empty ranges need
/// none.
pub(crate) fn merge(ranges: &[Range<u64>], gap: u64, size: u64) -> Vec<Merged> {
    let mut order: Vec<(usize, &Range<u64>)> =
        ranges.iter().enumerate().filter(|(_, range)| range.start < range.end).collect();
    order.sort_by_key(|(_, range)| (range.start, range.end));
    let mut merged: Vec<Merged> = Vec::new();
    for (number, range) in order {
        match merged.last_mut() {
            Some(last)
                if range.start <= last.range.end.saturating_add(gap)
                    && range.end.max(last.range.end) - last.range.start
                        <= size.max(last.range.end - last.range.start) =>
            {
                last.range.end = last.range.end.max(range.end);
                last.numbers.push(number);
            }
            _ => merged.push(Merged { range: range.clone(), numbers: vec![number] }),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_request_and_others_are_not() {
        let one = |range: Range<u64>, numbers: &[usize]| Merged { range, numbers: numbers.to_vec() };
        assert_eq!(merge(&[], 5, 100), []);
        assert_eq!(
            merge(&[50..60, 0..10, 15..20, 7..7, 26..30, 12..14], 5, 100),
            [one(0..20, &[1, 5, 2]), one(26..30, &[4]), one(50..60, &[0])]
        );
        // Up to a size; what lies within another range takes nothing.
        assert_eq!(
            merge(&[0..60, 60..90, 90..120, 95..99], 5, 100),
            [one(0..90, &[0, 1]), one(90..120, &[2, 3])]
        );
        assert_eq!(merge(&[0..500, 10..20, 490..510], 5, 100), [one(0..500, &[0, 1]), one(490..510, &[2])]);
        assert_eq!(merge(&[u64::MAX - 1..u64::MAX, 0..1], u64::MAX, u64::MAX).len(), 1);
    }
}
