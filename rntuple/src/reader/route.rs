//! Which entries a walk reads, one run after the other.

use std::ops::Range;

use super::entry_list::EntryList;
use super::sequence::SharedFiles;
use crate::error::Result;

/// The entries that a walk has yet to come to.
#[derive(Clone)]
pub(super) struct Route {
    files: SharedFiles,
    list: EntryList,
    /// The next run of the list.
    index: usize,
    /// What is left of the run before it.
    rest: Range<u64>,
}

impl Route {
    pub(super) fn new(files: SharedFiles, list: &EntryList) -> Self {
        let list = files.options().among(list);
        let list = if files.is_known() { list.before(files.known_end()) } else { list };
        Self { files, list, index: 0, rest: 0..0 }
    }

    /// From the first entry to the last one.
    pub(super) fn hull(&self) -> Range<u64> {
        let ranges = self.list.ranges();
        match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// The next entries that follow each other, and the run of the list that they belong to; `None` at the end.
    ///
    /// # Errors
    /// The file that would have them cannot be opened, or does not fit. Nothing comes after it.
    pub(super) fn next(&mut self) -> Result<Option<(Range<u64>, Range<u64>)>> {
        if self.rest.is_empty() {
            let Some(next) = self.list.ranges().get(self.index) else { return Ok(None) };
            self.index += 1;
            self.rest = next.clone();
        }
        let part = match self.files.part_of(&self.rest) {
            Ok(part) => part,
            Err(error) => {
                self.end();
                return Err(error);
            }
        };
        let whole = self.rest.clone();
        self.rest.start = part.end;
        if part.is_empty() {
            self.end();
            return Ok(None);
        }
        Ok(Some((part, whole)))
    }

    /// Leaves out all that is to come.
    pub(super) fn end(&mut self) {
        (self.index, self.rest) = (self.list.ranges().len(), 0..0);
    }

    /// The most entries that are to come.
    pub(super) fn most(&self) -> u64 {
        let later = self.list.ranges().get(self.index..).unwrap_or_default();
        let rest = self.rest.end - self.rest.start;
        later.iter().fold(rest, |sum, range| sum.saturating_add(range.end - range.start))
    }
}
