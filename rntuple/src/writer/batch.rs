//! Writing many entries at once, column by column.

use super::filler::Filler;
use super::{FillContext, Unit, Writer};
use crate::error::Result;
use crate::field::WriteField;
use crate::field::batch::{Batch, Batched, WriteBatch};
use crate::storage::WriteAt;

/// Entries that are appended before anything is known of their length.
const FIRST: usize = 16;

impl<T: WriteField, W: WriteAt> Writer<T, W> {
    /// Appends the entries of a batch, in order. The values in the file are those that [`fill`](Self::fill) would
    /// write; clusters may end a few entries later.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, batch::Lists, storage::Memory};
    /// #[derive(RNTuple)]
    /// #[rntuple(batch)]
    /// struct Event { met: f32, hits: Vec<f32> }
    ///
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// // From arrays that are there already ..
    /// let hits = Lists::from_counts([2, 1], vec![0.1, 0.2, 0.3])?;
    /// let mut batch = EventBatch::try_from(EventBatchColumns { met: vec![20.0, 30.0], hits })?;
    /// // .. or entry by entry.
    /// batch.push(&Event { met: 40.0, hits: vec![] });
    /// writer.fill_batch(&batch)?;
    /// assert_eq!(writer.finish()?.entries, 3);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_batch(&mut self, batch: &T::Batch) -> Result<()>
    where
        T: Batched,
        T::Writer: WriteBatch<T::Batch>,
    {
        self.filler.fill_batch(batch)
    }
}

impl<T: WriteField, W: WriteAt> FillContext<'_, T, W> {
    /// Appends the entries of a batch, in order: [`Writer::fill_batch`].
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_batch(&mut self, batch: &T::Batch) -> Result<()>
    where
        T: Batched,
        T::Writer: WriteBatch<T::Batch>,
    {
        self.filler()?.fill_batch(batch)
    }
}

impl<T: WriteField, W: WriteAt> Unit<'_, '_, T, W> {
    /// Appends the entries of a batch, in order: [`Writer::fill_batch`].
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_batch(&mut self, batch: &T::Batch) -> Result<()>
    where
        T: Batched,
        T::Writer: WriteBatch<T::Batch>,
    {
        self.context.filler()?.fill_batch(batch)
    }
}

impl<T: WriteField, W: WriteAt> Filler<T, W> {
    fn fill_batch<B: Batch>(&mut self, batch: &B) -> Result<()>
    where
        T::Writer: WriteBatch<B>,
    {
        let (mut start, end) = (0, batch.len());
        let mut portion = FIRST;
        while start < end {
            let count = portion.min(end - start);
            let length =
                self.fill_with(count as u64, |columns| columns.append_batch(batch, start..start + count))?;
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
