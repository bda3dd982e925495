//! The order of rows, declared.

use super::Table;
use crate::config;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Transaction;
use crate::format::transaction::{UpdateConfig, UpdateMap, UpdateMapEntry};
use crate::order;
use crate::schema::Paths;
use crate::snapshot::Snapshot;

impl Table {
    /// Declares that the rows of each fragment are in ascending order of these fields: by the first one, those that are equal
    /// by the second one, and so on. Without fields, no order is declared any more.
    ///
    /// ```
    /// # use rntuple::RNTuple;
    /// # use rntuple_dataset::Table;
    /// # #[derive(RNTuple)]
    /// # struct Event { run: u32, number: u64 }
    /// # fn main() -> rntuple_dataset::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.rnds");
    /// let table = Table::create::<Event>(path.to_str().unwrap(), "Events")?;
    /// table.set_sort_order(&["run", "number"])?;
    /// let snapshot = table.append::<Event>(|writer| (0..9).try_for_each(|number| writer.fill(&Event { run: 1, number })))?;
    /// assert_eq!(snapshot.sort_order(), ["run", "number"]);
    /// assert!(snapshot.is_fragment_sorted(1)?);
    /// // Other rows are not appended.
    /// let backwards = table.append::<Event>(|writer| (0..9).rev().try_for_each(|number| writer.fill(&Event { run: 2, number })));
    /// assert!(backwards.is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The fields are numbers that each row has once, as those of
    /// [`WriteOptions::sorted_by`](rntuple::WriteOptions::sorted_by). The statistics of a data file say that it is sorted.
    /// Where they do not, these fields of the file are read, and statistics are written to the data set; that is done for
    /// all fragments here, and later for files that are appended.
    ///
    /// From then on, rows are only appended in order. [`delete`](Self::delete) keeps the order, and
    /// [`compact`](Self::compact) writes fragments together only where it stays. The rows that [`update`](Self::update)
    /// writes need not be in order, nor those that a writer appends at the same time as the order is declared:
    /// [`Snapshot::is_fragment_sorted`] says what is so.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such field;
    /// [`LimitExceeded`](ErrorKind::LimitExceeded): a path has over 4 KiB, or all of them over 64 KiB;
    /// [`InvalidArgument`](ErrorKind::InvalidArgument): a fragment is not sorted, with the file, the field and the entry;
    /// or files cannot be read or written, or the commit fails.
    pub fn set_sort_order(&self, fields: &[&str]) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let paths = Paths::new(snapshot.fields())?;
        let id = |path: &&str| {
            let message = || format!("the data set has no field {path:?}");
            let missing = || Error::new(ErrorKind::NotFound, message()).in_file(self.location().root());
            paths.get(path).map(|field| field.id).ok_or_else(missing)
        };
        let ids = fields.iter().map(id).collect::<Result<Vec<_>>>()?;
        if order::paths_of(&paths, &ids).len() < ids.len() {
            return Err(Error::limit("the paths of the fields are too long").in_file(self.location().root()));
        }
        snapshot.fragments().iter().try_for_each(|fragment| order::verify(&snapshot, fragment, &ids))?;
        let value = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let entry =
            UpdateMapEntry { key: config::SORT_ORDER.to_owned(), value: (!ids.is_empty()).then_some(value) };
        let updates = UpdateMap { update_entries: vec![entry], replace: false };
        let operation = UpdateConfig { config_updates: Some(updates), ..UpdateConfig::default() };
        self.commit(&snapshot, Transaction::new(snapshot.version(), operation))
    }
}
