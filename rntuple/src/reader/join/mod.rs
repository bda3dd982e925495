//! Two ntuples side by side: entry by entry, or by a key.

mod index;
mod keyed;
mod zip;

use super::Reader;
use crate::error::Result;
use crate::field::ReadField;

pub use index::{DuplicateKeys, JoinKey};
pub use keyed::{InnerJoined, Join, Joined};
pub use zip::{Zip, ZipEntries};

impl<T: ReadField> Reader<T> {
    /// Reads this ntuple and `right` side by side: entry 0 with entry 0, and so on. See [`Zip`].
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where one has more entries than the other.
    pub fn zip<R: ReadField>(&self, right: &Reader<R>) -> Result<Zip<T, R>> {
        Zip::new(self.cursors.clone(), right.cursors.clone())
    }

    /// Reads each entry with the entry of `right` that has the same key, a struct of members that both have. See
    /// [`Join`]. All keys of `right` are read here.
    ///
    /// # Errors
    /// One of the files does not hold the key, two entries of `right` have the same one, or pages are damaged.
    pub fn join_on<K: JoinKey, R: ReadField>(&self, right: &Reader<R>) -> Result<Join<T, R, K>> {
        self.join_on_with(right, DuplicateKeys::default())
    }

    /// Joins as [`join_on`](Self::join_on) does, with a `right` in which several entries may have the same key.
    ///
    /// # Errors
    /// As [`join_on`](Self::join_on).
    pub fn join_on_with<K: JoinKey, R: ReadField>(
        &self,
        right: &Reader<R>,
        duplicates: DuplicateKeys,
    ) -> Result<Join<T, R, K>> {
        Join::new(self.cursors.clone(), right.cursors.clone(), duplicates)
    }
}
