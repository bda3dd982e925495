//! Rows that are deleted, where they are.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rntuple::field::ReadField;
use rntuple::predicate::Predicate;
use rntuple::{Entry, EntryList, Value};

use super::Table;
use crate::error::{Error, ErrorKind, Result};
use crate::format::transaction::Delete;
use crate::format::{DataFragment, DeletionFile, DeletionVector, Transaction, names};
use crate::location::Location;
use crate::snapshot::Snapshot;

/// Files that are written at once.
const AT_ONCE: usize = 32;

impl Table {
    /// Deletes the rows that fulfil a condition. Files stay as they are, and plain readers of them still see these rows.
    ///
    /// # Errors
    /// Rows cannot be read; [`Conflict`](ErrorKind::Conflict): one of the rows was moved or changed meanwhile.
    pub fn delete<T: Entry + ReadField>(&self, condition: impl FnMut(&T) -> bool) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let entries = snapshot.reader::<T>()?.select(condition)?;
        self.delete_entries(&snapshot, &entries, "")
    }

    /// Deletes the rows that a predicate matches, as [`delete`](Self::delete) does; files without such rows are not read.
    ///
    /// # Errors
    /// As [`delete`](Self::delete) and [`Snapshot::filter`].
    pub fn delete_where(&self, predicate: &Predicate) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let entries = snapshot.filter::<Value>(predicate)?.matching()?;
        self.delete_entries(&snapshot, &entries, &predicate.to_string())
    }

    /// Deletes rows by their ids.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): there is no such row, or it is deleted; and as [`delete`](Self::delete).
    pub fn delete_rows(&self, row_ids: &[u64]) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let mut entries = Vec::with_capacity(row_ids.len());
        for id in row_ids {
            let entry = snapshot.entry_of(*id)?.ok_or_else(|| {
                let message = format!("there is no row with the id {id}, or it is deleted");
                Error::new(ErrorKind::NotFound, message).in_file(self.location().root())
            })?;
            entries.push(entry);
        }
        self.delete_entries(&snapshot, &entries.into_iter().collect(), "")
    }

    fn delete_entries(&self, snapshot: &Snapshot, entries: &EntryList, predicate: &str) -> Result<Snapshot> {
        if entries.entry_count() == 0 {
            return Ok(snapshot.clone());
        }
        let deleted = deleted(snapshot, entries)?;
        let location = self.location().clone();
        let (updated_fragments, deleted_fragment_ids) = rntuple_object_store::wait(deleted.write(location))?;
        let operation = Delete { updated_fragments, deleted_fragment_ids, predicate: predicate.to_owned() };
        self.commit(snapshot, Transaction::new(snapshot.version(), operation))
    }
}

/// Rows that are deleted, by fragment.
pub(super) struct Deleted {
    read_version: u64,
    /// The fragment that stays without rows: a data set has its types in its files.
    kept: Option<u64>,
    /// Each with all its deleted rows.
    fragments: Vec<(DataFragment, DeletionVector)>,
}

/// The fragments of entries with these, and with what was deleted before.
pub(super) fn deleted(snapshot: &Snapshot, entries: &EntryList) -> Result<Deleted> {
    let mut by_fragment: BTreeMap<usize, DeletionVector> = BTreeMap::new();
    let before = snapshot.deletions()?;
    for range in entries.ranges() {
        let mut at = range.start;
        while at < range.end {
            let Some((position, offset)) = snapshot.locate(at) else { break };
            let next = snapshot.starts().get(position + 1).copied().unwrap_or(range.end);
            let end = range.end.min(next);
            let vector = by_fragment
                .entry(position)
                .or_insert_with(|| before.get(position).cloned().unwrap_or_default());
            let within = |offset: u64| {
                u32::try_from(offset).map_err(|_| Error::limit("a fragment has over 2^32 rows"))
            };
            vector.insert_range(within(offset)?, within(offset + (end - at))?);
            at = end;
        }
    }
    let fragments = by_fragment
        .into_iter()
        .filter_map(|(position, vector)| Some((snapshot.fragments().get(position)?.clone(), vector)));
    let kept = snapshot.fragments().first().map(|fragment| fragment.id);
    Ok(Deleted { read_version: snapshot.version(), kept, fragments: fragments.collect() })
}

impl Deleted {
    /// Writes deletion files: the fragments with them, and those that are deleted as a whole.
    pub(super) async fn write(self, location: Location) -> Result<(Vec<DataFragment>, Vec<u64>)> {
        let (gone, updated): (Vec<_>, Vec<_>) = self.fragments.into_iter().partition(|(fragment, vector)| {
            vector.count() >= fragment.physical_rows && Some(fragment.id) != self.kept
        });
        let (location, read_version) = (&location, self.read_version);
        let with_file = |(fragment, vector): (DataFragment, DeletionVector)| async move {
            let file = write(location, fragment.id, read_version, &vector).await?;
            Ok::<_, Error>(DataFragment { deletion_file: Some(file), ..fragment })
        };
        let updated = stream::iter(updated).map(with_file).buffered(AT_ONCE).try_collect().await?;
        Ok((updated, gone.into_iter().map(|(fragment, _)| fragment.id).collect()))
    }
}

/// Writes a deletion file.
pub(crate) async fn write(
    location: &Location,
    fragment: u64,
    read_version: u64,
    vector: &DeletionVector,
) -> Result<DeletionFile> {
    let (file_type, bytes) = vector.to_bytes()?;
    // Lance keeps it in a signed number of 64 bits.
    let (random, _) = uuid::Uuid::new_v4().as_u64_pair();
    let file = DeletionFile {
        file_type: file_type.into(),
        read_version,
        id: random >> 1,
        num_deleted_rows: vector.count(),
        ..DeletionFile::default()
    };
    location.put(&names::deletion_file(fragment, &file)?, bytes).await?;
    Ok(file)
}
