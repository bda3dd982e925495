//! What is known of the files of a reader: where their entries are, and what was seen in those that were opened.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::error::{Error, Result};
use crate::root::Anchor;
use crate::schema::ColumnId;

/// What is kept of a file that was opened, for when it is opened again.
pub(super) struct Link {
    pub(super) anchor: Anchor,
    pub(super) fingerprint: u64,
    /// The columns that are read, where they have other numbers than in the first file.
    pub(super) selected: Option<BTreeSet<ColumnId>>,
    /// The least memory budget that it can be read with.
    #[cfg_attr(not(feature = "rayon"), expect(dead_code, reason = "several walks at once share a budget"))]
    pub(super) least_budget: u64,
}

/// Where the entries of files are, from the first file up to the first whose count is not known; and what was seen in
/// those that were opened, whichever they are.
#[derive(Default)]
pub(super) struct Known {
    /// Of each file that is reached: where its entries end.
    ends: Vec<u64>,
    /// Of each file: the count of its entries, if that was stated.
    stated: Vec<Option<u64>>,
    links: BTreeMap<usize, Link>,
}

impl Known {
    /// # Errors
    /// There are over 2^64 entries.
    pub(super) fn new(stated: Vec<Option<u64>>) -> Result<Self> {
        let mut known = Self { stated, ..Self::default() };
        known.reach_stated()?;
        Ok(known)
    }

    /// Number of files that are reached: where their entries are is known.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number of entries in the files that are reached.
    pub(super) fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The entries of a file that is reached.
    pub(super) fn entries(&self, index: usize) -> Option<Range<u64>> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        Some(start.unwrap_or_default()..end)
    }

    /// The position of the file that has an entry; the number of files that are reached if none of these has it.
    pub(super) fn position(&self, entry: u64) -> usize {
        // Files without entries end where the next one begins, and so do not come after the entry.
        self.ends.partition_point(|end| *end <= entry)
    }

    /// The count of the entries of a file, if that was stated.
    pub(super) fn stated(&self, index: usize) -> Option<u64> {
        self.stated.get(index).copied().flatten()
    }

    /// What was seen in a file.
    pub(super) fn link(&self, index: usize) -> Option<&Link> {
        self.links.get(&index)
    }

    /// The files that were opened.
    #[cfg(feature = "rayon")]
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.values()
    }

    /// Takes in what was seen in a file that is reached, or in the next one.
    ///
    /// # Errors
    /// There are over 2^64 entries.
    pub(super) fn add(&mut self, index: usize, entries: u64, link: Link) -> Result<()> {
        if index == self.ends.len() {
            self.push(entries)?;
            self.reach_stated()?;
        }
        self.links.entry(index).or_insert(link);
        Ok(())
    }

    fn reach_stated(&mut self) -> Result<()> {
        while let Some(entries) = self.stated(self.ends.len()) {
            self.push(entries)?;
        }
        Ok(())
    }

    fn push(&mut self, entries: u64) -> Result<()> {
        let end = self.end().checked_add(entries);
        self.ends.push(end.ok_or_else(|| Error::limit("with this file there are over 2^64 entries"))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::EnvelopeSpan;

    fn link() -> Link {
        Link {
            anchor: Anchor::new([1, 0, 0, 0], EnvelopeSpan::default(), EnvelopeSpan::default()),
            fingerprint: 0,
            selected: None,
            least_budget: 0,
        }
    }

    #[test]
    fn files_are_reached_up_to_the_first_that_states_nothing() {
        let mut known = Known::new(vec![Some(3), Some(0), None, Some(2), None]).unwrap();
        assert_eq!((known.count(), known.end(), known.entries(1)), (2, 3, Some(3..3)));
        assert_eq!((known.position(2), known.position(3)), (0, 2));
        known.add(2, 4, link()).unwrap();
        assert_eq!((known.count(), known.end(), known.entries(3)), (4, 9, Some(7..9)));
        assert_eq!((known.position(3), known.position(7), known.position(9)), (2, 3, 4));
        known.add(0, 3, link()).unwrap();
        assert_eq!(known.count(), 4);
        assert!(known.link(0).is_some() && known.link(1).is_none() && known.link(2).is_some());
    }

    #[test]
    fn counts_that_are_stated_have_a_sum() {
        let error = Known::new(vec![Some(u64::MAX), Some(1)]).err().unwrap();
        assert!(error.to_string().contains("over 2^64 entries"), "{error}");
    }
}
