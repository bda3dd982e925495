//! Members that a file may lack.

use super::{Columns, ReadColumnar, SliceOf};
use crate::error::Result;
use crate::field::member::State;
use crate::field::{Attach, DefaultReader};

impl<R: Attach> DefaultReader<R> {
    /// Appends the next `count` values to `out`; `make` makes those that the file lacks.
    ///
    /// # Errors
    /// As [`ReadColumnar::read_columns`].
    pub fn read_columns<T: ReadColumnar<Reader = R>>(
        &mut self,
        count: usize,
        out: &mut T::Columns,
        make: impl Fn() -> T,
    ) -> Result<()> {
        match &mut self.state {
            State::Present => T::read_columns(&mut self.reader, count, out),
            State::Optional(presence) => {
                for _ in 0..count {
                    if presence.next()? {
                        T::read_columns(&mut self.reader, 1, out)?;
                    } else {
                        make().push_to(out);
                    }
                }
                Ok(())
            }
            State::Missing => {
                (0..count).for_each(|_| make().push_to(out));
                Ok(())
            }
        }
    }

    /// Lends the next `count` values; `make` makes those that the file lacks.
    ///
    /// # Errors
    /// As [`ReadColumnar::lend`].
    pub fn lend<'a, T: ReadColumnar<Reader = R>>(
        &'a mut self,
        count: usize,
        spare: &'a mut T::Columns,
        make: impl Fn() -> T,
    ) -> Result<SliceOf<'a, T>> {
        if let State::Present = self.state {
            return T::lend(&mut self.reader, count, spare);
        }
        spare.clear();
        self.read_columns(count, spare, make)?;
        Ok(spare.as_slice())
    }

    /// Appends the next `count` values of a member of an alternative, which the file lacks only if it lacks the
    /// alternative.
    ///
    /// # Errors
    /// As [`ReadColumnar::read_columns`], or the file lacks the alternative and `count` is not 0.
    pub fn read_alternative<T: ReadColumnar<Reader = R>>(
        &mut self,
        count: usize,
        out: &mut T::Columns,
    ) -> Result<()> {
        match &mut self.state {
            State::Present | State::Optional(_) => T::read_columns(&mut self.reader, count, out),
            State::Missing if count == 0 => Ok(()),
            State::Missing => Err(self.missing()),
        }
    }

    /// Lends the next `count` values of a member of an alternative.
    ///
    /// # Errors
    /// As [`read_alternative`](Self::read_alternative).
    pub fn lend_alternative<'a, T: ReadColumnar<Reader = R>>(
        &'a mut self,
        count: usize,
        spare: &'a mut T::Columns,
    ) -> Result<SliceOf<'a, T>> {
        if let State::Present = self.state {
            return T::lend(&mut self.reader, count, spare);
        }
        spare.clear();
        self.read_alternative::<T>(count, spare)?;
        Ok(spare.as_slice())
    }
}
