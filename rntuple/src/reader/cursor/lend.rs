//! Entries that are lent from decoded pages.

use super::super::fault::Fault;
use super::Cursor;
use crate::column::Grant;
use crate::error::ErrorKind;
use crate::field::Attach;
use crate::field::columnar::{ReadColumnar, SliceOf};

impl<R: Attach> Cursor<R> {
    /// Up to `most` entries of one cluster, and their number.
    ///
    /// # Errors
    /// One of them cannot be read. The error names the first one, so it is right where `most` is 1.
    pub(in crate::reader) fn lend<'a, T: ReadColumnar<Reader = R>>(
        &'a mut self,
        first: u64,
        most: u64,
        spare: &'a mut T::Columns,
    ) -> Result<(u64, SliceOf<'a, T>), Fault> {
        self.go_to(first)?;
        let grant = self.grant();
        let count = self.attached.end.saturating_sub(first).min(most);
        // What one entry may have, and some for each: a column of zeros has one or a few.
        self.allowance.renew_with(Grant { items: count.saturating_mul(64), ..Grant::default() });
        let length = usize::try_from(count).unwrap_or(usize::MAX);
        match T::lend(&mut self.columns.columns, length, spare) {
            Ok(values) => {
                self.next = first + count;
                // What is decoded later, of all these entries, is bounded as a call that reads a whole column is.
                self.allowance.renew_with(grant);
                Ok((count, values))
            }
            // The columns count as lent here too, so the cursor as a whole cannot be touched.
            Err(error) => {
                self.attached = 0..0;
                let is_refusal = error.kind() == ErrorKind::SchemaMismatch;
                let is_scattered = self.allowance.is_used_up();
                Err(Fault { error: self.trip.place(first, error), is_refusal, is_scattered })
            }
        }
    }
}
