//! Reading the entries that a [predicate](crate::predicate) matches: [`Reader::filter`].

mod counters;
mod known;
mod matches;
mod plan;
mod ranges;
mod source;

use std::fmt;
use std::sync::Arc;

pub use counters::{Counters, Looked};
use matches::Matches;
use plan::Plan;

use crate::dataset::Dataset;
use crate::error::Result;
use crate::field::ReadField;
use crate::field::columnar::ReadColumnar;
use crate::predicate::Predicate;
#[cfg(feature = "rayon")]
use crate::reader::ParEntries;
use crate::reader::{Batches, Entries, EntryList, Reader};
use crate::statistics::Statistics;

impl<T: ReadField> Reader<T> {
    /// Limits reading to the entries that a [predicate](crate::predicate) matches. Its fields need not be among those of
    /// `T`.
    ///
    /// Files, clusters and pages of which the [statistics](crate::statistics) of a file say that nothing in them matches
    /// are not read. Of the others, the columns of the predicate are read first, and those of `T` only for the entries
    /// that match. Files without statistics are read as a whole.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Muon { pt: f32 }
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64, met: f32, muons: Vec<Muon> }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # for number in 0..10u8 {
    /// #     writer.fill(&Event { number: number.into(), met: number.into(), muons: vec![Muon { pt: 30.0 }] })?;
    /// # }
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let filtered = reader.filter(&"met >= 8 and any(muons, pt > 20)".parse()?)?;
    /// for event in filtered.entries() {
    ///     assert!(event?.met >= 8.0);
    /// }
    /// assert_eq!(filtered.matching()?.ranges(), [8..10]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the first file has no such fields, or if they cannot be
    /// compared as the predicate does. The other files are asked when they are reached.
    pub fn filter(&self, predicate: &Predicate) -> Result<Filtered<T>> {
        let plan = Plan::new(self.scan(), predicate)?;
        Ok(Filtered { reader: self.shared(), plan: Arc::new(plan), within: EntryList::from(..) })
    }
}

/// The entries of a reader that a predicate matches: [`Reader::filter`].
///
/// Entries are found while they are read, one cluster after the other; each walk begins again. A
/// [memory budget](crate::ReadOptions::memory_budget) holds for the columns of the predicate, and again for those of `T`.
pub struct Filtered<T: ReadField> {
    reader: Reader<T>,
    plan: Arc<Plan>,
    within: EntryList,
}

impl<T: ReadField> Filtered<T> {
    /// Limits it to some of the entries: those of a range, or of a list.
    #[must_use]
    pub fn within(mut self, entries: impl Into<EntryList>) -> Self {
        self.within = self.within.intersection(&entries.into());
        self
    }

    /// Takes statistics from elsewhere than the files themselves: from files next to them, or computed.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// use rntuple::statistics::Statistics;
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10u8).try_for_each(|i| writer.fill(&Event { met: i.into() }))?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let filtered = reader.filter(&"met > 50".parse()?)?;
    /// let filtered = filtered.with_statistics(|dataset| Ok(Some(Statistics::compute(dataset)?)))?;
    /// assert_eq!(filtered.entries().count(), 0);
    /// assert_eq!(filtered.counters().files.skipped, 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Reader::filter`], or the first that `find` returns for the first file; those for the others end walks.
    pub fn with_statistics(
        self,
        find: impl Fn(&Dataset) -> Result<Option<Statistics>> + Send + Sync + 'static,
    ) -> Result<Self> {
        let plan = Plan::with(self.reader.scan(), self.plan.predicate(), find)?;
        Ok(Self { plan: Arc::new(plan), ..self })
    }

    /// Reads the entries that match, in order.
    ///
    /// Damage in the columns of the predicate ends the walk, as damage in those of `T` does.
    pub fn entries(&self) -> Entries<T> {
        self.reader.entries_found(Matches::find_in(&self.plan, &self.within))
    }

    /// Reads the entries that match in batches of `count`.
    pub fn batches(&self, count: usize) -> Batches<T>
    where
        T: ReadColumnar,
    {
        self.reader.batches_found(Matches::find_in(&self.plan, &self.within), count)
    }

    /// Reads the entries that match on several threads, as [`Reader::par_entries`] does.
    #[cfg(feature = "rayon")]
    pub fn par_entries(&self) -> ParEntries<T>
    where
        T: Send,
    {
        let plan = self.plan.clone();
        self.reader.par_entries_found(self.within.clone(), move |within| Matches::find_in(&plan, within))
    }

    /// Returns the entries that match. Only the columns of the predicate are read.
    ///
    /// # Errors
    /// A file does not have the fields of the predicate, or its pages are damaged.
    pub fn matching(&self) -> Result<EntryList> {
        let mut matches = Matches::find_in(&self.plan, &self.within);
        let mut ranges = Vec::new();
        while let Some(list) = matches.find()? {
            ranges.extend_from_slice(list.ranges());
        }
        Ok(ranges.into_iter().collect())
    }

    /// Returns what all walks so far have looked at, and what they skipped.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..10u8).try_for_each(|i| writer.fill(&Event { met: i.into() }))?;
    /// # let storage = writer.finish_into()?.1;
    /// # let reader = Reader::<Event>::open(storage, "Events")?;
    /// let filtered = reader.filter(&"met > 7".parse()?)?;
    /// assert_eq!(filtered.entries().count(), 2);
    /// let counters = filtered.counters();
    /// assert_eq!((counters.entries.considered, counters.matched), (10, 2));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn counters(&self) -> Counters {
        self.plan.counters()
    }
}

impl<T: ReadField> fmt::Debug for Filtered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("predicate", self.plan.predicate()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
