//! Rows that change: deleted where they are, and appended with their new values.

use rntuple::field::{ReadField, WriteField};
use rntuple::{Entry, EntryList, WriteOptions};

use super::Table;
use super::append::check_type;
use super::delete::deleted;
use crate::error::Result;
use crate::format::Transaction;
use crate::format::transaction::{Update, UpdateMode};
use crate::order;
use crate::snapshot::Snapshot;

impl Table {
    /// Changes the rows for which `change` returns `true`. They are deleted where they are and appended with what `change`
    /// left in them, under new row ids. `T` must have all fields of the data set.
    ///
    /// # Errors
    /// `T` lacks a field; rows cannot be read or written; [`Conflict`](crate::ErrorKind::Conflict): one of the rows was
    /// deleted, moved or changed meanwhile.
    pub fn update<T>(&self, mut change: impl FnMut(&mut T) -> bool) -> Result<Snapshot>
    where
        T: Entry + ReadField + WriteField,
    {
        let snapshot = self.snapshot()?;
        let options = WriteOptions::new().statistics(true);
        check_type::<T>(&snapshot, &options, self.location().root())?;
        let reader = snapshot.reader::<T>()?;
        let mut rows = reader.entries();
        let mut entries = Vec::new();
        let mut next = || -> rntuple::Result<Option<T>> {
            while let Some(row) = rows.next() {
                let mut row = row?;
                if change(&mut row) {
                    entries.extend(rows.last_entry());
                    return Ok(Some(row));
                }
            }
            Ok(None)
        };
        // Where no row is changed, no file is written.
        let Some(first) = next()? else { return Ok(snapshot) };
        let fragment = self.write::<T>(&snapshot, options, |writer| {
            writer.fill(&first)?;
            while let Some(row) = next()? {
                writer.fill(&row)?;
            }
            Ok(())
        })?;
        // Rows are read in the order of fragments; if the new ones are sorted all the same, that is kept.
        let _ = order::verify(&snapshot, &fragment, &order::declared(&snapshot));
        let entries: EntryList = entries.into_iter().collect();
        let deleted = deleted(&snapshot, &entries)?;
        let location = self.location().clone();
        let (updated_fragments, removed_fragment_ids) = rntuple_object_store::wait(deleted.write(location))?;
        let operation = Update {
            removed_fragment_ids,
            updated_fragments,
            new_fragments: vec![fragment],
            update_mode: UpdateMode::RewriteRows.into(),
            ..Update::default()
        };
        self.commit(&snapshot, Transaction::new(snapshot.version(), operation))
    }
}
