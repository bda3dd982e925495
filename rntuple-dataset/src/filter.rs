//! Rows that a predicate matches: files, clusters and pages are skipped where statistics say that none of their rows does,
//! and files are not even opened where the index of bounds says it.

use std::collections::HashMap;
use std::sync::Arc;

use rntuple::field::ReadField;
use rntuple::filter::Filtered;
use rntuple::predicate::Predicate;
use rntuple::statistics::{ElementStatistics, Statistics};
use rntuple::{Dataset, Entry, ReadOptions};

use crate::bounds::{Bounds, Column, is_failure};
use crate::error::Result;
use crate::schema::Paths;
use crate::sides::Sides;
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
    #[doc(alias = "scan")]
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
        let filtered = self.reader_with::<T>(options)?.filter(predicate)?;
        let facts = self.facts(&filtered.fields())?;
        let filtered = filtered.with_statistics(self.find_statistics());
        Ok(match facts {
            Some(facts) => filtered.with_file_statistics(move |fragment, path| facts.get(fragment, path)),
            None => filtered,
        })
    }

    /// Returns what finds the statistics of a [fragment](Self::fragment), in its files or next to them in the data set, for
    /// [`Filtered::with_statistics`].
    pub fn find_statistics(
        &self,
    ) -> impl Fn(&Dataset) -> rntuple::Result<Option<Statistics>> + Send + Sync + 'static {
        let sides = Sides::new(self.location());
        move |dataset| Statistics::of_files(dataset, |file| sides.statistics(file))
    }

    /// Returns what the [index of bounds](crate::Table::index_bounds) says of all values of a field, for each fragment:
    /// `None` if it says nothing. The path of the field is that of a predicate, as `run` or `muons._0.pt`.
    ///
    /// ```
    /// # use rntuple::RNTuple;
    /// # use rntuple_dataset::Table;
    /// use rntuple::statistics::Bounds;
    /// use rntuple_dataset::IndexOptions;
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32 }
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// # let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// # table.append::<Event>(|writer| (7..10).try_for_each(|run| writer.fill(&Event { run })))?;
    /// assert!(table.snapshot()?.bounds_of("run")?.iter().all(Option::is_none));
    /// let snapshot = table.index_bounds(&IndexOptions::new())?;
    /// let known: Vec<_> = snapshot.bounds_of("run")?.into_iter().flatten().collect();
    /// assert_eq!(known[0].bounds, Bounds::Unsigned { min: 7, max: 9 });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn bounds_of(&self, path: &str) -> Result<Vec<Option<ElementStatistics>>> {
        let facts = self.facts(&[path])?;
        let in_fragment = |position| facts.as_ref().and_then(|facts| facts.get(position, path));
        Ok((0..self.fragments().len()).map(in_fragment).collect())
    }

    /// What the index of bounds says of fields; `None` if there is none.
    fn facts(&self, paths: &[&str]) -> Result<Option<Facts>> {
        let Some(bounds) = self.bounds()? else { return Ok(None) };
        let by_path = Paths::new(self.fields())?;
        let mut columns = HashMap::new();
        for path in paths {
            let Some(field) = by_path.get(path) else { continue };
            match bounds.column(field.id) {
                Ok(column) => drop(columns.insert((*path).to_owned(), (field.id, column))),
                Err(error) if is_failure(&error) => return Err(error.into()),
                Err(_) => {}
            }
        }
        Ok(Some(Facts { snapshot: self.clone(), bounds, columns }))
    }
}

/// What is known of the values in fragments before their files are opened.
struct Facts {
    snapshot: Snapshot,
    bounds: Arc<Bounds>,
    /// By the path of the field.
    columns: HashMap<String, (i32, Arc<Column>)>,
}

impl Facts {
    fn get(&self, position: usize, path: &str) -> Option<ElementStatistics> {
        let (field, column) = self.columns.get(path)?;
        let fragment = self.snapshot.fragments().get(position)?;
        self.bounds.get(column, fragment.id, fragment.file_of(*field)?)
    }
}
