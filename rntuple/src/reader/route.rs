//! Which entries a walk reads, one run after the other.

use std::ops::Range;

use super::entry_list::EntryList;
use super::sequence::SharedFiles;
use crate::error::Result;
use crate::hidden::{Hidden, discards};

/// Finds out which entries are read while they are.
pub(crate) trait Finder: Send + Sync {
    /// Some of the entries, in order after those before; `None` after the last ones.
    ///
    /// # Errors
    /// What there is cannot be found out. Nothing comes after it.
    fn find(&mut self) -> Result<Option<EntryList>>;

    /// From the first entry that it may find to the last one.
    fn hull(&self) -> Range<u64>;

    /// The most entries that it may find.
    fn most(&self) -> u64;
}

/// The entries that a walk has yet to come to.
pub(super) struct Route {
    files: SharedFiles,
    list: EntryList,
    /// The next run of the list.
    index: usize,
    /// What is left of the run before it.
    rest: Range<u64>,
    /// What was given back, last the next.
    returned: Vec<(Range<u64>, Range<u64>)>,
    /// Finds what comes after the list.
    finder: Option<Box<dyn Finder>>,
}

discards!(Route);

impl Route {
    pub(super) fn new(files: SharedFiles, list: &EntryList) -> Hidden<Self> {
        let list = files.options().among(list);
        let list = if files.is_known() { list.before(files.known_end()) } else { list };
        Hidden::new(Self { files, list, index: 0, rest: 0..0, returned: Vec::new(), finder: None })
    }

    /// Of entries that are found as the walk comes to them.
    pub(super) fn found(files: SharedFiles, finder: Box<dyn Finder>) -> Hidden<Self> {
        let mut route = Self::new(files, &EntryList::from(0..0));
        route.finder = Some(finder);
        route
    }

    /// Whether entries are found as the walk comes to them.
    pub(super) fn is_found(&self) -> bool {
        self.finder.is_some()
    }

    /// From the first entry to the last one.
    pub(super) fn hull(&self) -> Range<u64> {
        if let Some(finder) = &self.finder {
            return finder.hull();
        }
        let ranges = self.list.ranges();
        match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// The next run, whatever files it is in.
    fn next_run(&mut self) -> Result<Option<Range<u64>>> {
        loop {
            if let Some(next) = self.list.ranges().get(self.index) {
                self.index += 1;
                return Ok(Some(next.clone()));
            }
            let Some(finder) = &mut self.finder else { return Ok(None) };
            match finder.find() {
                Ok(Some(list)) => (self.list, self.index) = (list, 0),
                Ok(None) => self.finder = None,
                Err(error) => {
                    self.end();
                    return Err(error);
                }
            }
        }
    }

    /// All runs that are known, in order: those before the next one as well.
    pub(super) fn runs(&self) -> Option<&EntryList> {
        Some(&self.list).filter(|list| list.ranges().len() > 1)
    }

    /// Gives back what [`next`](Self::next) returned last, the newest first.
    pub(super) fn give_back(&mut self, parts: impl DoubleEndedIterator<Item = (Range<u64>, Range<u64>)>) {
        self.returned.extend(parts.rev());
    }

    /// The next entries that follow each other, and the run of the list that they belong to; `None` at the end.
    ///
    /// # Errors
    /// The file that would have them cannot be opened, or does not fit. Nothing comes after it.
    pub(super) fn next(&mut self) -> Result<Option<(Range<u64>, Range<u64>)>> {
        if let Some(returned) = self.returned.pop() {
            return Ok(Some(returned));
        }
        if self.rest.is_empty() {
            let Some(next) = self.next_run()? else { return Ok(None) };
            self.rest = next;
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
        self.returned.clear();
        self.finder = None;
    }

    /// The most entries that are to come.
    pub(super) fn most(&self) -> u64 {
        let later = self.list.ranges().get(self.index..).unwrap_or_default();
        let returned = self.returned.iter().map(|(part, _)| part);
        let known = later.iter().chain(returned).chain([&self.rest]);
        let known = known.fold(0, |sum: u64, range| sum.saturating_add(range.end - range.start));
        known.saturating_add(self.finder.as_ref().map_or(0, |finder| finder.most()))
    }
}
