//! Integers that are never zero: stored as integers.

use std::num::NonZero;

use super::columnar::as_rows;
use super::{FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField};
use crate::column::{ColumnReader, ColumnWriter};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::TypeName;

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

        impl WriteField for NonZero<$integer> {
            type Writer = ColumnWriter<$integer>;

            fn type_name() -> TypeName {
                <$integer>::type_name()
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                <$integer>::declare(field)
            }
        }

        impl FieldReader<NonZero<$integer>> for ColumnReader<$integer> {
            #[inline]
            fn read(&mut self) -> Result<NonZero<$integer>> {
                NonZero::new(self.next()?).ok_or_else(|| self.place(is_zero()))
            }
        }

        impl ReadField for NonZero<$integer> {
            type Reader = ColumnReader<$integer>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                <$integer>::connect(field, reader)
            }
        }

        as_rows!([] NonZero<$integer>);
    )*};
}

non_zero!(i8, u8, i16, u16, i32, u32, i64, u64);

#[cold]
fn is_zero() -> Error {
    Error::new(ErrorKind::SchemaMismatch, "the value is 0, which a `NonZero` cannot hold")
}
