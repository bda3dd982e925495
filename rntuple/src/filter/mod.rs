//! Reading the entries that a [predicate](crate::predicate) matches: [`Reader::filter`].

mod counters;
mod known;
mod matches;
mod paged;
mod plan;
mod ranges;
mod source;
mod unopened;

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
use crate::reader::{Batches, Entries, EntryList, Finder as _, Reader};
use crate::statistics::{ElementStatistics, Statistics};

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
    /// let filtered = filtered.with_statistics(|dataset| Ok(Some(Statistics::compute(dataset)?)));
    /// assert_eq!(filtered.entries().count(), 0);
    /// assert_eq!(filtered.counters().files.skipped, 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// Errors of `find` end walks.
    #[must_use]
    pub fn with_statistics(
        self,
        find: impl Fn(&Dataset) -> Result<Option<Statistics>> + Send + Sync + 'static,
    ) -> Self {
        let plan = self.plan.with_statistics(self.reader.scan(), find);
        Self { plan: Arc::new(plan), ..self }
    }

    /// Takes what is known of files before they are opened: `find` gets the position of a file and the path of a field,
    /// and returns what is known of all its values, as [`Statistics::values`] does. Files that it excludes are not opened.
    ///
    /// What `find` says is believed. Files of which it knows nothing are opened, and asked themselves. So are all files if
    /// the predicate is about an enum, whose variants may have other numbers in another file. `find` is asked about files
    /// after the first one only if the reader was opened with [`same_schema`](crate::ReadOptions::same_schema): others may
    /// have other types for the fields, and have been opened with the reader.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer};
    /// use rntuple::join::Overlay;
    /// use rntuple::statistics::{Bounds, ElementStatistics};
    /// use rntuple::{ReadOptions, Reader};
    ///
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("run7.root");
    /// # let mut writer = Writer::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill_all(&[Event { run: 7 }, Event { run: 7 }])?;
    /// # writer.finish()?;
    /// // The other files are not there, but it is known what they hold.
    /// let files = (7..1000).map(|run| match run {
    ///     7 => Overlay::new(&path).entry_count(2),
    ///     _ => Overlay::new(format!("run{run}.root")).entry_count(1_000_000),
    /// });
    /// let files: rntuple::Files = files.collect();
    /// let reader = Reader::<Event>::open_with(files, "Events", ReadOptions::new().same_schema(true))?;
    /// let filtered = reader.filter(&"run == 7".parse()?)?.with_file_statistics(|file, field| {
    ///     let run = 7 + file as u64;
    ///     (field == "run").then(|| ElementStatistics::new(1, Bounds::Unsigned { min: run, max: run }))
    /// });
    /// assert_eq!(filtered.entries().count(), 2);
    /// assert_eq!(filtered.counters().files.skipped, 992);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[must_use]
    pub fn with_file_statistics(
        self,
        find: impl Fn(usize, &str) -> Option<ElementStatistics> + Send + Sync + 'static,
    ) -> Self {
        let plan = self.plan.with_facts(self.reader.scan(), Arc::new(find));
        Self { plan: Arc::new(plan), ..self }
    }

    /// Returns the paths of the fields of which bounds are asked for: those of the predicate, and the collections and
    /// options around them.
    pub fn fields(&self) -> Vec<&str> {
        self.plan.paths().collect()
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
        T: ReadField<Reader: Send> + Send,
    {
        let (plan, asked) = (self.plan.clone(), self.plan.clone());
        let excludes = move |file| asked.foreseen(file).is_some_and(|possible| possible.is_never());
        let find = move |within: &EntryList| Matches::find_in(&plan, within);
        self.reader.par_entries_found(self.within.clone(), excludes, find)
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

    /// Returns the entries that statistics do not exclude: all that match, and others. For a program that decides about
    /// entries itself. No values are read; the offsets of collections are, where they find the entries of pages.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let options = WriteOptions::new().statistics(true);
    /// # let mut writer = Writer::new(Memory::new(), "Events", options)?;
    /// # for met in 0..10u8 {
    /// #     writer.fill(&Event { met: met.into() })?;
    /// #     if met == 4 { writer.commit_cluster()?; }
    /// # }
    /// # let storage = writer.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?; // Two clusters of five entries.
    /// let filtered = reader.filter(&"met > 7".parse()?)?;
    /// assert_eq!(filtered.not_excluded()?.ranges(), [5..10]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file does not have the fields of the predicate, or its page lists are damaged.
    pub fn not_excluded(&self) -> Result<EntryList> {
        let mut found = Matches::not_excluded(&self.plan, &self.within);
        let mut ranges = Vec::new();
        while let Some(list) = found.find()? {
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

/// Walks of a clone add to the same [counters](Filtered::counters).
impl<T: ReadField> Clone for Filtered<T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.shared(), plan: self.plan.clone(), within: self.within.clone() }
    }
}

impl<T: ReadField> fmt::Debug for Filtered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("predicate", self.plan.predicate()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
