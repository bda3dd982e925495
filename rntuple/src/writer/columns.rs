//! Writing many entries at once, column by column.

use super::builder::Destination;
use super::filler::Filler;
use super::{FillContext, Unit, Writer};
use crate::error::Result;
use crate::field::WriteField;
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::storage::WriteAt;

/// Entries that are appended before anything is known of their length.
const FIRST: usize = 16;

impl<T: WriteField, W: WriteAt> Writer<T, W> {
    /// Appends many entries, column by column. The values in the file are those that [`fill`](Self::fill) would write;
    /// clusters may end a few entries later.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, columns::{ListSlice, Lists}, storage::Memory};
    /// #[derive(RNTuple)]
    /// #[rntuple(columnar)]
    /// struct Event { met: f32, hits: Vec<f32> }
    ///
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// // From arrays, which are not copied ..
    /// let hits = ListSlice::from_offsets(&[0, 2, 3], &[0.1, 0.2, 0.3][..])?;
    /// writer.fill_columns(EventSlice { met: &[20.0, 30.0], hits })?;
    /// // .. or from columns that were gathered.
    /// let mut events = EventColumns { met: vec![40.0], hits: Lists::from_counts([1], vec![0.4])? };
    /// events.push(&Event { met: 50.0, hits: vec![] });
    /// writer.fill_columns(events.as_slice())?;
    /// assert_eq!(writer.finish()?.entries, 4);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fill`](Self::fill). And [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if columns do not have the
    /// same number of values: then nothing is appended.
    pub fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()>
    where
        T: WriteColumnar,
    {
        self.filler.fill_columns(entries)
    }
}

impl<T: WriteField, W: WriteAt> FillContext<'_, T, W> {
    /// Appends many entries, column by column: [`Writer::fill_columns`].
    ///
    /// # Errors
    /// As [`Writer::fill_columns`].
    pub fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()>
    where
        T: WriteColumnar,
    {
        self.filler()?.fill_columns(entries)
    }
}

impl<T: WriteField, W: WriteAt> Unit<'_, '_, T, W> {
    /// Appends many entries, column by column: [`Writer::fill_columns`].
    ///
    /// # Errors
    /// As [`Writer::fill_columns`].
    pub fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()>
    where
        T: WriteColumnar,
    {
        self.context.filler()?.fill_columns(entries)
    }
}

impl<T: WriteColumnar, D: Destination> Filler<T, D> {
    fn fill_columns(&mut self, entries: SliceOf<'_, T>) -> Result<()> {
        entries.check()?;
        let (mut start, end) = (0, entries.len());
        let mut portion = FIRST;
        while start < end {
            let count = portion.min(end - start);
            let part = cut(entries, &(start..start + count));
            let length = self.fill_with(count as u64, |columns| T::append_columns(columns, part))?;
            start += count;
            portion = next_portion(count, length, self.room());
        }
        Ok(())
    }
}

/// As many entries as fit into `room`, if they are as long as the last `count` of them were together; at most
/// twice as many, because they need not be.
fn next_portion(count: usize, length: u64, room: u64) -> usize {
    let mean = (length / count.max(1) as u64).max(1);
    usize::try_from(room / mean).unwrap_or(usize::MAX).clamp(1, count.saturating_mul(2).max(FIRST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_but_stay_in_the_room() {
        assert_eq!(next_portion(16, 160, 1_000_000), 32);
        assert_eq!(next_portion(1024, 10_240, 5_000), 500);
        assert_eq!(next_portion(1, 1 << 30, 5_000), 1);
        assert_eq!(next_portion(1, 8, 1 << 20), 16);
        assert_eq!(next_portion(usize::MAX, 0, u64::MAX), usize::MAX);
    }
}
