//! Two ntuples side by side: entry by entry, or by a key.

mod index;
mod keyed;
mod zip;

use std::collections::BTreeSet;
use std::ops::Range;

use super::chain::Chain;
use super::cursor::Cursor;
use super::source::Source;
use super::{ReadOptions, Reader};
use crate::error::Result;
use crate::field::ReadField;
use crate::schema::ColumnId;

pub use index::{Duplicates, JoinKey};
pub use keyed::{InnerJoined, Join, Joined};
pub use zip::{Zip, ZipEntries};

/// What entries are read from, as a side of a join: a [`Reader`] or a [`Chain`].
pub trait EntrySource {
    /// An entry.
    type Entry: ReadField;

    #[doc(hidden)]
    fn input(&self) -> Input;
}

impl<T: ReadField> EntrySource for Reader<T> {
    type Entry = T;

    fn input(&self) -> Input {
        let selected = self.selected_columns().clone();
        Input { source: self.source(), options: self.options.clone(), selected }
    }
}

impl<T: ReadField> EntrySource for Chain<T> {
    type Entry = T;

    fn input(&self) -> Input {
        // What a chain reads of its files it knows by itself.
        Input { source: self.source(), options: self.options().clone(), selected: BTreeSet::new() }
    }
}

/// One side. Nobody else can make it, so no other type is an [`EntrySource`].
#[doc(hidden)]
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "nobody sees it")]
pub struct Input {
    source: Source,
    options: ReadOptions,
    selected: BTreeSet<ColumnId>,
}

impl Input {
    fn walk<T: ReadField>(&self, range: Range<u64>) -> Result<Cursor<T>> {
        Cursor::walk(self.source.clone(), &self.options, range)
    }

    /// For entries in any order.
    fn any<T: ReadField>(&self) -> Result<Cursor<T>> {
        Cursor::connect(self.source.clone(), &self.options)
    }

    /// The same entries read as another type.
    fn for_keys(&self) -> Self {
        Self { options: self.options.for_all_fields(), ..self.clone() }
    }

    /// Whether all of it can be read as a type.
    fn check<T: ReadField>(&self) -> Result<()> {
        match &self.source {
            Source::One(_) => self.any::<T>().map(drop),
            Source::Many(files) => files.check::<T>(&self.options),
        }
    }

    fn partitions(&self, target: usize) -> Vec<Range<u64>> {
        self.source.partitions(&self.selected, target)
    }
}

/// Joins of one ntuple with another.
macro_rules! joins {
    ($source:ident) => {
        impl<T: ReadField> $source<T> {
            /// This and `right` side by side: entry 0 with entry 0, and so on.
            ///
            /// `right` is a [`Reader`] or a [`Chain`]; see [`Zip`].
            ///
            /// # Errors
            /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where one has more entries than the other.
            pub fn zip<S: EntrySource>(&self, right: &S) -> Result<Zip<T, S::Entry>> {
                Zip::new(self.input(), right.input())
            }

            /// Each entry with the one of `right` that has the same key, a struct of members that both have.
            ///
            /// `right` is a [`Reader`] or a [`Chain`]; see [`Join`]. All keys of `right` are read here.
            ///
            /// # Errors
            /// One of the files does not hold the key, two entries of `right` have the same one, or pages are damaged.
            pub fn join_on<K: JoinKey, S: EntrySource>(&self, right: &S) -> Result<Join<T, S::Entry, K>> {
                self.join_on_with(right, Duplicates::default())
            }

            /// As [`join_on`](Self::join_on), for a `right` in which several entries may have the same key.
            ///
            /// # Errors
            /// As [`join_on`](Self::join_on).
            pub fn join_on_with<K: JoinKey, S: EntrySource>(
                &self,
                right: &S,
                duplicates: Duplicates,
            ) -> Result<Join<T, S::Entry, K>> {
                Join::new(self.input(), right.input(), duplicates)
            }
        }
    };
}

joins!(Reader);
joins!(Chain);
