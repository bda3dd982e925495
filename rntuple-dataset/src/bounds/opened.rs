//! The file of an index of bounds, which is read field by field.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rntuple::statistics::ElementStatistics;
use rntuple::{Error, ErrorKind, Reader, Result};
use roaring::RoaringBitmap;

use super::column::{Column, Record};
use super::index::{FILE, NTUPLE, details, folder, identity};
use crate::format::{DataFile, Field, IndexMetadata};
use crate::location::Location;

/// The most entries of an index: eight for each field that a file may have. Equal pages take no space, so a small file
/// may have any number of entries.
const MOST_ENTRIES: u64 = 1 << 20;

/// Kinds of bounds, for each of which a field may have an entry.
const KINDS: usize = 3;

/// An index of bounds: what is known of a field is read when it is first asked for, and kept.
pub(crate) struct Bounds {
    path: String,
    reader: Reader<Record>,
    /// The fragments that the manifest says it covers.
    covered: RoaringBitmap,
    /// The fields that rows are sorted by.
    sorted_by: Vec<i32>,
    /// The fragments whose rows are.
    sorted: RoaringBitmap,
    /// By field: its entries.
    entries: BTreeMap<i32, Vec<u64>>,
    columns: Mutex<BTreeMap<i32, Arc<Column>>>,
}

impl Bounds {
    /// Opens an index for these fields: it may also know others, which were dropped.
    ///
    /// # Errors
    /// The file cannot be read, or has more entries than fields can have.
    pub(crate) fn open(location: &Location, index: &IndexMetadata, fields: &[Field]) -> Result<Self> {
        let folder = folder(index).unwrap_or_default();
        let path = format!("{}/{folder}/{FILE}", location.root());
        let reader = Reader::<Record>::open(path.clone(), NTUPLE)?;
        let count = reader.entry_count()?;
        if count > MOST_ENTRIES {
            let message = format!("{path}: the index has {count} entries, expected at most {MOST_ENTRIES}");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        let wanted: HashSet<i32> = fields.iter().map(|field| field.id).collect();
        let covered = RoaringBitmap::deserialize_from(&*index.fragment_bitmap).unwrap_or_default();
        let mut entries: BTreeMap<i32, Vec<u64>> = BTreeMap::new();
        let mut fields = reader.column::<i32>("field")?;
        let mut entry = 0;
        while let Some(chunk) = fields.next_chunk()? {
            for field in chunk {
                if wanted.contains(field) {
                    entries.entry(*field).or_default().push(entry);
                }
                entry += 1;
            }
        }
        let details = details(index);
        let sorted = RoaringBitmap::deserialize_from(&*details.sorted).unwrap_or_default();
        let sorted_by = details.sorted_by;
        Ok(Self { path, reader, covered, sorted_by, sorted, entries, columns: Mutex::default() })
    }

    /// Returns what is known of a field.
    ///
    /// # Errors
    /// The file cannot be read, or has more entries of the field than it can have.
    pub(crate) fn column(&self, field: i32) -> Result<Arc<Column>> {
        let lock = || self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(column) = lock().get(&field) {
            return Ok(column.clone());
        }
        let entries = self.entries.get(&field).map(Vec::as_slice).unwrap_or_default();
        if entries.len() > KINDS {
            let (path, count) = (&self.path, entries.len());
            let message = format!("{path}: the field {field} has {count} entries, expected at most {KINDS}");
            return Err(Error::new(ErrorKind::OutOfSpec, message));
        }
        let mut column = Column::default();
        for entry in entries {
            column.add(self.reader.get(*entry)?);
        }
        Ok(lock().entry(field).or_insert_with(|| Arc::new(column)).clone())
    }

    /// Returns what a column says of a fragment that has the field in `file`.
    pub(crate) fn get(&self, column: &Column, fragment: u64, file: &DataFile) -> Option<ElementStatistics> {
        let fragment = u32::try_from(fragment).ok().filter(|fragment| self.covered.contains(*fragment))?;
        column.get(fragment, identity(file))
    }

    /// Whether the rows of a fragment, when it was looked into, were in an order by these fields, and perhaps others.
    pub(crate) fn is_sorted(&self, fragment: u64, by: &[i32]) -> bool {
        let has = |fragment| self.sorted.contains(fragment);
        self.sorted_by.starts_with(by) && u32::try_from(fragment).is_ok_and(has)
    }

    /// The fields of which it knows something.
    pub(crate) fn fields(&self) -> impl Iterator<Item = i32> {
        self.entries.keys().copied()
    }
}

impl fmt::Debug for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounds").field("fields", &self.entries.len()).finish_non_exhaustive()
    }
}

/// Whether an error is that of a storage that may work later, rather than of a file that is missing or damaged.
pub(crate) fn is_failure(error: &Error) -> bool {
    let kind = error.io_error().map(io::Error::kind);
    error.kind() == ErrorKind::Io
        && !matches!(kind, Some(io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof))
}
