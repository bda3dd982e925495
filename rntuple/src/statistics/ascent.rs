//! Whether entries are in ascending order: key by key, as the values of the keys come.

use crate::encoding::{NOT_A_NUMBER, RankKind, Ranks};

/// The keys of the first and of the last entry, as ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: Vec<u64>,
    pub(crate) last: Vec<u64>,
}

/// An entry that comes too late, or has a key without a place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misplaced {
    /// Counted from the first entry that was looked at.
    pub(crate) entry: u64,
    /// Which of the keys.
    pub(crate) key: usize,
    /// The key of the entry before; `None`: there is none, or the key is not a number.
    pub(crate) before: Option<u64>,
    pub(crate) found: u64,
}

/// Compares each entry with the one before.
///
/// The keys of an entry come at different times, as the pages of their columns end at different entries. What has come is
/// kept until all keys of its entry have.
#[derive(Debug, Default)]
pub(crate) struct Ascent {
    /// By key: ranks in entries that were not compared yet.
    waiting: Vec<Vec<u64>>,
    /// Entries that were compared.
    entries: u64,
    span: Option<Span>,
    fault: Option<Misplaced>,
}

impl Ascent {
    /// Takes the next ranks of one of the keys.
    pub(crate) fn push(&mut self, ranks: &Ranks) {
        if self.fault.is_some() {
            return;
        }
        let Ranks { key, keys, kind, ref values } = *ranks;
        self.waiting.resize_with(keys, Vec::new);
        let Some(waiting) = self.waiting.get_mut(key) else { return };
        if kind == RankKind::Real
            && let Some(place) = values.iter().position(|rank| *rank == NOT_A_NUMBER)
        {
            let entry = self.entries + (waiting.len() + place) as u64;
            self.fault = Some(Misplaced { entry, key, before: None, found: NOT_A_NUMBER });
            return;
        }
        waiting.extend_from_slice(values);
        self.compare();
    }

    /// Compares the entries of which all keys are there.
    fn compare(&mut self) {
        let count = self.waiting.iter().map(Vec::len).min().unwrap_or_default();
        let entry_at = |waiting: &[Vec<u64>], entry: usize| -> Vec<u64> {
            waiting.iter().filter_map(|ranks| ranks.get(entry).copied()).collect()
        };
        let Some(end) = count.checked_sub(1) else { return };
        let first = entry_at(&self.waiting, 0);
        let last = entry_at(&self.waiting, end);
        let fault = match &self.span {
            Some(span) => misplaced(&span.last, &first).map(|(key, before, found)| (0, key, before, found)),
            None => None,
        };
        let fault = fault.or_else(|| {
            (1..count).find_map(|entry| {
                let found = self.waiting.iter().enumerate().find_map(|(key, ranks)| {
                    let (before, found) = (*ranks.get(entry - 1)?, *ranks.get(entry)?);
                    (before != found).then_some((entry, key, before, found))
                });
                found.filter(|(_, _, before, found)| found < before)
            })
        });
        if let Some((entry, key, before, found)) = fault {
            let entry = self.entries + entry as u64;
            self.fault = Some(Misplaced { entry, key, before: Some(before), found });
            return;
        }
        match &mut self.span {
            Some(span) => span.last = last,
            None => self.span = Some(Span { first, last }),
        }
        for waiting in &mut self.waiting {
            waiting.drain(..count);
        }
        self.entries += count as u64;
    }

    /// Entries of which the key has come, or, after a fault, any number that is enough.
    pub(crate) fn known(&self, key: usize) -> u64 {
        match self.fault {
            Some(_) => u64::MAX,
            None => self.entries + self.waiting.get(key).map_or(0, |ranks| ranks.len() as u64),
        }
    }

    /// The keys of the first and of the last entry; `None` if there are none.
    ///
    /// # Errors
    /// The first entry that is misplaced.
    pub(crate) fn finish(self) -> Result<Option<Span>, Misplaced> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(self.span),
        }
    }

    /// Entries whose keys have all come.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }
}

impl Span {
    /// Puts entries that follow after these.
    ///
    /// # Errors
    /// The first of them is misplaced.
    pub(crate) fn extend(&mut self, next: Self) -> Result<(), Misplaced> {
        if let Some((key, before, found)) = misplaced(&self.last, &next.first) {
            return Err(Misplaced { entry: 0, key, before: Some(before), found });
        }
        self.last = next.last;
        Ok(())
    }

    /// The same of the first keys alone.
    pub(crate) fn cut(mut self, keys: usize) -> Self {
        self.first.truncate(keys);
        self.last.truncate(keys);
        self
    }
}

/// The key by which the second of two entries should come before the first.
fn misplaced(before: &[u64], next: &[u64]) -> Option<(usize, u64, u64)> {
    let differs = before.iter().zip(next).enumerate().find(|(_, (before, next))| before != next);
    differs.filter(|(_, (before, next))| next < before).map(|(key, (before, next))| (key, *before, *next))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranks(key: usize, keys: usize, values: &[u64]) -> Ranks {
        Ranks { key, keys, kind: RankKind::Unsigned, values: values.to_vec() }
    }

    proptest! {
        /// The keys come in portions of any length, each in its own.
        #[test]
        fn the_first_misplaced_entry_is_found(
            entries in prop::collection::vec((0u64..3, 0u64..4), 0..40),
            sort: bool,
            portions in prop::collection::vec((any::<bool>(), 1usize..9), 0..40),
        ) {
            let mut entries = entries;
            if sort {
                entries.sort_unstable();
            }
            let columns: [Vec<u64>; 2] =
                [entries.iter().map(|entry| entry.0).collect(), entries.iter().map(|entry| entry.1).collect()];
            let mut taken = [0, 0];
            let mut ascent = Ascent::default();
            let rest = [(false, usize::MAX), (true, usize::MAX)];
            for (is_second, count) in portions.into_iter().chain(rest) {
                let key = usize::from(is_second);
                let count = count.min(entries.len() - taken[key]);
                ascent.push(&ranks(key, 2, &columns[key][taken[key]..taken[key] + count]));
                taken[key] += count;
            }
            let naive = entries.windows(2).position(|pair| pair[1] < pair[0]).map(|place| place as u64 + 1);
            match ascent.finish() {
                Err(fault) => prop_assert_eq!(Some(fault.entry), naive),
                Ok(span) => {
                    prop_assert_eq!(naive, None);
                    let of = |entry: Option<&(u64, u64)>| entry.map(|entry| vec![entry.0, entry.1]);
                    prop_assert_eq!(span.as_ref().map(|span| span.first.clone()), of(entries.first()));
                    prop_assert_eq!(span.map(|span| span.last), of(entries.last()));
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_misplaced_and_the_greatest_integer_is_not() {
        let mut ascent = Ascent::default();
        ascent.push(&ranks(0, 1, &[1, u64::MAX, u64::MAX]));
        assert_eq!(ascent.finish().unwrap().unwrap().last, [u64::MAX]);
        let mut ascent = Ascent::default();
        ascent.push(&Ranks { kind: RankKind::Real, ..ranks(0, 1, &[1, 2]) });
        ascent.push(&Ranks { kind: RankKind::Real, ..ranks(0, 1, &[3, NOT_A_NUMBER]) });
        let fault = ascent.finish().unwrap_err();
        assert_eq!((fault.entry, fault.before), (3, None));
    }

    #[test]
    fn spans_follow_one_another() {
        let span = |first: [u64; 2], last: [u64; 2]| Span { first: first.to_vec(), last: last.to_vec() };
        let mut all = span([1, 1], [2, 5]);
        all.extend(span([2, 5], [2, 7])).unwrap();
        assert_eq!(all, span([1, 1], [2, 7]));
        let fault = all.clone().extend(span([2, 6], [9, 9])).unwrap_err();
        assert_eq!(fault, Misplaced { entry: 0, key: 1, before: Some(7), found: 6 });
        assert_eq!(all.cut(1), Span { first: vec![1], last: vec![2] });
    }
}
