//! Values without columns of their own: kept as they are.

use std::fmt;
use std::ops::{Deref, Range};

use super::{Columnar, Columns, Slice};
use crate::error::Result;
use crate::field::FieldReader;
use crate::field::asked::MadeFor;

/// A type whose values can be kept as they are: [`Rows`].
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be kept in rows",
    label = "is not `Clone`, not `Debug`, or borrows",
    note = "add `#[derive(Clone, Debug)]` to the type"
)]
pub trait Row: Clone + fmt::Debug + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Clone + fmt::Debug + 'static> Row for T {}

/// [`Rows<T>`](Rows).
pub type RowsOf<T> = <RowSliceOf<'static, T> as MadeFor<Rows<T>>>::Value;

/// [`RowSlice<'a, T>`](RowSlice).
pub type RowSliceOf<'a, T> = <Rows<T> as Columns>::Slice<'a>;

/// Many values as they are.
pub struct Rows<T>(pub Vec<T>);

impl<T: Row> Clone for Rows<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Row> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Row> Rows<T> {
    /// Appends a value.
    pub fn push(&mut self, value: &T) {
        self.0.push(value.clone());
    }
}

impl<T> Rows<T> {
    /// Reads the next `count` values.
    ///
    /// # Errors
    /// As [`FieldReader::read_many`].
    pub fn read<R: FieldReader<T>>(&mut self, reader: &mut R, count: usize) -> Result<()> {
        reader.read_many(count, &mut self.0)
    }

    /// Reads the next `count` values in place of those that it has, whose allocations are reused.
    ///
    /// # Errors
    /// As [`FieldReader::read_into`].
    pub fn lend<R: FieldReader<T>>(&mut self, reader: &mut R, count: usize) -> Result<RowSlice<'_, T>> {
        self.0.truncate(count);
        self.0.iter_mut().try_for_each(|slot| reader.read_into(slot))?;
        reader.read_many(count - self.0.len(), &mut self.0)?;
        Ok(RowSlice(&self.0))
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Row> Columns for Rows<T> {
    type Slice<'a> = RowSlice<'a, T>;

    const UNCOUNTED: usize = size_of::<T>();

    fn as_slice(&self) -> RowSlice<'_, T> {
        RowSlice(&self.0)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Many values as they are, lent.
pub struct RowSlice<'a, T>(pub &'a [T]);

impl<T> Clone for RowSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RowSlice<'_, T> {}

impl<T> Deref for RowSlice<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<'a, T> IntoIterator for RowSlice<'a, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Row> fmt::Debug for RowSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, T: Row> Slice for RowSlice<'a, T> {
    type One = &'a T;
    type Array<const N: usize> = &'a [T; N];

    #[inline]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<&'a T> {
        self.0.get(index)
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        self.0.get(range).map(Self)
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<&'a [T; N]> {
        self.0.try_into().ok()
    }
}

/// Keeps the values of a type as they are: `as_rows!([generics] Type)`.
macro_rules! as_rows {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::field::columnar::Columnar for $type {
            type Columns = $crate::field::columnar::Rows<Self>;

            #[inline]
            fn push_to(&self, columns: &mut Self::Columns) {
                columns.push(self);
            }
        }

        impl<$($generics)*> $crate::field::columnar::ReadColumnar for $type
        where
            Self: $crate::field::ReadField,
        {
            fn read_columns(
                reader: &mut Self::Reader,
                count: usize,
                out: &mut Self::Columns,
            ) -> $crate::error::Result<()> {
                out.read(reader, count)
            }

            fn lend<'a>(
                reader: &'a mut Self::Reader,
                count: usize,
                spare: &'a mut Self::Columns,
            ) -> $crate::error::Result<$crate::field::columnar::SliceOf<'a, Self>> {
                spare.lend(reader, count)
            }
        }

        impl<$($generics)*> $crate::field::columnar::WriteColumnar for $type
        where
            Self: $crate::field::WriteField,
        {
            fn append_columns(
                writer: &mut Self::Writer,
                values: $crate::field::columnar::SliceOf<'_, Self>,
            ) -> usize {
                $crate::field::FieldWriter::append_slice(writer, values.0)
            }
        }
    };
}
pub(crate) use as_rows;

/// A value of rows, to be shown.
pub fn shown<T: Row>(value: &T) -> &dyn fmt::Debug {
    value
}

/// Appends the next `count` values to `out`, one after the other: those of an older type.
///
/// # Errors
/// As [`FieldReader::read`].
pub fn read_each<T: Columnar, R: FieldReader<T>>(
    reader: &mut R,
    count: usize,
    out: &mut T::Columns,
) -> Result<()> {
    for _ in 0..count {
        reader.read()?.push_to(out);
    }
    Ok(())
}
