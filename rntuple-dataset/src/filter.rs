//! Rows that a predicate matches: files, clusters and pages are skipped where statistics say that none of their rows does.

use std::collections::HashSet;

use rntuple::field::ReadField;
use rntuple::filter::Filtered;
use rntuple::predicate::Predicate;
use rntuple::statistics::Statistics;
use rntuple::{Dataset, Entry, ReadOptions, RootFile};

use crate::error::Result;
use crate::format::names;
use crate::location::{Location, statistics_of};
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Opens the rows that a predicate matches.
    ///
    /// ```
    /// # use rntuple::RNTuple;
    /// # use rntuple_dataset::Table;
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32, met: f32 }
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// # let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// # table.append::<Event>(|writer| (0..100u16).try_for_each(|i| writer.fill(&Event { run: 1, met: i.into() })))?;
    /// let high = table.snapshot()?.filter::<Event>(&"met > 90 and run == 1".parse()?)?;
    /// for event in high.entries() {
    ///     assert!(event?.met > 90.0);
    /// }
    /// assert_eq!(high.counters().entries.read(), 100);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The data set lacks a field of the predicate, or has it with a type that cannot be compared; and as
    /// [`reader`](Self::reader).
    pub fn filter<T: Entry + ReadField>(&self, predicate: &Predicate) -> Result<Filtered<T>> {
        self.filter_with(predicate, ReadOptions::new())
    }

    /// Opens the rows as [`filter`](Self::filter) does, with options.
    ///
    /// # Errors
    /// As [`filter`](Self::filter).
    pub fn filter_with<T: Entry + ReadField>(
        &self,
        predicate: &Predicate,
        options: ReadOptions,
    ) -> Result<Filtered<T>> {
        let location = self.location().clone();
        let listed = rntuple_object_store::wait(async move { location.list(names::STATISTICS).await })?;
        let side_files: HashSet<String> = listed.into_iter().map(|file| file.name).collect();
        let filtered = self.reader_with::<T>(options)?.filter(predicate)?;
        let location = self.location().clone();
        let find = move |file: &Dataset| statistics(&location, &side_files, file);
        Ok(filtered.with_statistics(move |dataset| Statistics::of_files(dataset, &find))?)
    }
}

/// The statistics of a data file: those in the data set, or those in the file. Damaged ones are as good as none.
fn statistics(
    location: &Location,
    side_files: &HashSet<String>,
    file: &Dataset,
) -> rntuple::Result<Option<Statistics>> {
    let folder = format!("{}/{}/", location.root(), names::DATA);
    let name = file.file().name();
    let side = statistics_of(name.strip_prefix(&folder).unwrap_or(name));
    let found = match side.rsplit('/').next().is_some_and(|name| side_files.contains(name)) {
        true => {
            let path = format!("{}/{side}", location.root());
            RootFile::open(path).and_then(|side| Statistics::open(&side, file)).map(Some)
        }
        false => Statistics::of(file),
    };
    match found {
        Err(error) if error.kind() == rntuple::ErrorKind::Io => Err(error),
        found => Ok(found.unwrap_or_default()),
    }
}
