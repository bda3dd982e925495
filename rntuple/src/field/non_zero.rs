//! Integers that are never zero: stored as integers.

use std::num::NonZero;

use super::columnar::as_rows;
use super::own::stored_as;
use super::{FieldReader, FieldWriter};
use crate::column::{ColumnReader, ColumnWriter};
use crate::error::{Error, ErrorKind, Result};

macro_rules! non_zero {
    ($($integer:ty),*) => {$(
        impl FieldWriter<NonZero<$integer>> for ColumnWriter<$integer> {
            #[inline]
            fn append(&mut self, value: &NonZero<$integer>) -> usize {
                self.push(value.get())
            }

            #[inline]
            fn append_each<'a, I>(&mut self, values: I) -> usize
            where
                I: ExactSizeIterator<Item = &'a NonZero<$integer>> + Clone,
            {
                self.extend_items(values.map(|value| value.get()))
            }
        }

        impl FieldReader<NonZero<$integer>> for ColumnReader<$integer> {
            #[inline]
            fn read(&mut self) -> Result<NonZero<$integer>> {
                NonZero::new(self.next()?).ok_or_else(|| self.place(is_zero()))
            }
        }

        stored_as! { [] NonZero<$integer> as $integer; }

        as_rows!([] NonZero<$integer>);
    )*};
}

non_zero!(i8, u8, i16, u16, i32, u32, i64, u64);

#[cold]
fn is_zero() -> Error {
    Error::new(ErrorKind::SchemaMismatch, "the value is 0, which a `NonZero` cannot hold")
}
