//! Entries that are lent from the columns where they stand.

use std::ops::Range;

use super::Cursor;
use crate::column::Grant;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Attach, Borrowed};

/// Why entries were not lent.
pub(in crate::reader) struct Fault {
    pub(in crate::reader) error: Error,
    /// The entry that the error is of.
    pub(in crate::reader) entry: u64,
    /// Whether the error is about a value that the type does not take: what follows can be read.
    pub(in crate::reader) is_refusal: bool,
}

impl<R: Attach> Cursor<R> {
    /// One entry.
    #[inline]
    pub(in crate::reader) fn lend<T: Borrowed<Reader = R>>(
        &mut self,
        entry: u64,
    ) -> Result<T::Ref<'_>, Fault> {
        if let Err(error) = self.go_to(entry) {
            return Err(Fault { error, entry, is_refusal: false });
        }
        self.connected.allowance.renew();
        // The columns count as lent in both arms, so neither may touch the cursor as a whole.
        match T::borrow(&mut self.connected.columns) {
            Ok(value) => {
                self.next = entry + 1;
                Ok(value)
            }
            Err(error) => {
                self.attached = 0..0;
                let is_refusal = error.kind() == ErrorKind::SchemaMismatch;
                Err(Fault {
                    error: placed(error, entry - self.first, &self.connected.dataset),
                    entry,
                    is_refusal,
                })
            }
        }
    }

    /// Up to `most` entries of one cluster, and how many they are.
    pub(in crate::reader) fn lend_many<T: Borrowed<Reader = R>>(
        &mut self,
        first: u64,
        most: u64,
    ) -> Result<(usize, T::Slice<'_>), Fault> {
        if let Err(error) = self.go_to(first) {
            return Err(Fault { error, entry: first, is_refusal: false });
        }
        let count = self.attached.end.saturating_sub(first).min(most);
        // What one entry may have, and some for each: a column of zeros has one or a few.
        self.connected.allowance.renew_with(Grant { items: count.saturating_mul(64), ..Grant::default() });
        let length = usize::try_from(count).unwrap_or(usize::MAX);
        match T::borrow_many(&mut self.connected.columns, length) {
            Ok(values) => {
                self.next = first + count;
                Ok((length, values))
            }
            Err(error) => {
                self.attached = 0..0;
                // The columns still count as lent, so others look for the entry.
                let (files, connect) = (self.files.clone(), self.connect.clone());
                let other = Self::new(files, &self.options, connect, None);
                if let Some(fault) = other.ok().and_then(|other| other.first_fault::<T>(first..first + count))
                {
                    return Err(fault);
                }
                Err(Fault {
                    error: placed(error, first - self.first, &self.connected.dataset),
                    entry: first,
                    is_refusal: false,
                })
            }
        }
    }

    /// The first entry that cannot be lent.
    #[cold]
    fn first_fault<T: Borrowed<Reader = R>>(mut self, range: Range<u64>) -> Option<Fault> {
        for entry in range {
            if let Err(fault) = self.lend::<T>(entry) {
                return Some(fault);
            }
        }
        None
    }
}

#[cold]
fn placed(error: Error, entry: u64, dataset: &Dataset) -> Error {
    error.at_entry(entry).in_ntuple(dataset.path()).in_file(dataset.file().name())
}
