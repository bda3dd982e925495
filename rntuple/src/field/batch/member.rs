//! Members that a file may lack.

use super::{Batch, ReadBatch};
use crate::error::Result;
use crate::field::DefaultReader;
use crate::field::member::State;

impl<R> DefaultReader<R> {
    /// Appends the next `count` values to `out`; those that are not there are added by `add_default`.
    ///
    /// # Errors
    /// As [`ReadBatch::read_batch`], and that of `add_default`.
    pub fn read_batch<B: Batch>(
        &mut self,
        count: usize,
        out: &mut B,
        mut add_default: impl FnMut(&mut B) -> Result<()>,
    ) -> Result<()>
    where
        R: ReadBatch<B>,
    {
        match &mut self.state {
            State::Present(reader) => reader.read_batch(count, out),
            State::Optional(presence, reader) => {
                for _ in 0..count {
                    if presence.next()? {
                        reader.read_batch(1, out)?;
                    } else {
                        add_default(out)?;
                    }
                }
                Ok(())
            }
            State::Missing => (0..count).try_for_each(|_| add_default(out)),
        }
    }

    /// As [`read_batch`](Self::read_batch), for a member that can only lack together with all of its alternative,
    /// which then has no value.
    ///
    /// # Errors
    /// As [`ReadBatch::read_batch`]; or there are values of an alternative that is not there.
    pub fn read_batch_of_alternative<B: Batch>(&mut self, count: usize, out: &mut B) -> Result<()>
    where
        R: ReadBatch<B>,
    {
        let missing = match (&self.state, count) {
            (State::Missing, 1..) => Some(self.missing()),
            _ => None,
        };
        match missing {
            Some(error) => Err(error),
            None => self.read_batch(count, out, |_| Ok(())),
        }
    }
}
