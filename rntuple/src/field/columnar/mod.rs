//! The columnar form of types: a structure of arrays, owned or lent. One kind of type to a file.

mod any;
mod array;
mod bounds;
mod lazy;
mod list;
mod member;
mod option;
mod pointer;
mod rows;
mod scalar;
mod string;
mod tuple;
mod variant;

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use super::{ReadField, WriteField};
use crate::error::{Error, Result};

pub use any::{AnyArrays, AnyColumns, AnyRecords, AnySlice, AnyVariants};
pub use array::{ArraySlice, Arrays};
pub use lazy::{LazyColumns, LazyRef, LazySlice};
pub use list::{ListSlice, Lists};
pub use option::{OptionSlice, Options};
pub(crate) use rows::as_rows;
pub use rows::{Row, RowSlice, RowSliceOf, Rows, RowsOf};
pub use rows::{read_each, shown};
pub use string::{StrSlice, Strings};
pub use tuple::{TupleSlice, Tuples};
pub use variant::{SwitchSlice, Switches};

/// The values of `T` in a structure of arrays that owns them: `Vec<f32>`, `Lists<MuonColumns>`.
pub type ColumnsOf<T> = <T as Columnar>::Columns;

/// The values of `T` in a structure of arrays that is lent: `&[f32]`, `ListSlice<MuonSlice>`.
pub type SliceOf<'a, T> = <ColumnsOf<T> as Columns>::Slice<'a>;

/// One value of `T` in a structure of arrays: `f32`, `MuonSlice`.
pub type RefOf<'a, T> = <SliceOf<'a, T> as Slice>::One;

/// A type that has a columnar form.
///
/// The types of [this table](crate::columns) have it; structs and enums with data get it from
/// `#[rntuple(columnar)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no columnar form",
    label = "not a columnar type",
    note = "your own structs and enums: add `#[rntuple(columnar)]` to `{Self}`, next to `#[derive(RNTuple)]`",
    note = "other types that can be stored: add `#[rntuple(rows)]` to the member, whose values are then kept as they are"
)]
pub trait Columnar {
    /// Many values of the type.
    type Columns: Columns;

    /// Appends this value to columns.
    fn push_to(&self, columns: &mut Self::Columns);
}

/// A columnar type that can be read.
#[diagnostic::on_unimplemented(
    message = "columns of `{Self}` cannot be read",
    label = "not a columnar type that can be read",
    note = "your own structs and enums: add `#[rntuple(columnar)]` to `{Self}`, next to `#[derive(RNTuple)]`"
)]
pub trait ReadColumnar: ReadField + Columnar {
    /// Appends the next `count` values to `out`.
    ///
    /// # Errors
    /// As [`FieldReader::read`](super::FieldReader::read); the content of `out` is then unspecified.
    fn read_columns(reader: &mut Self::Reader, count: usize, out: &mut Self::Columns) -> Result<()>;

    /// Lends the next `count` values: those of scalar columns from the decoded page where it has all of them, others
    /// from `spare`, whose content is replaced.
    ///
    /// # Errors
    /// As [`read_columns`](Self::read_columns).
    fn lend<'a>(
        reader: &'a mut Self::Reader,
        count: usize,
        spare: &'a mut Self::Columns,
    ) -> Result<SliceOf<'a, Self>> {
        spare.clear();
        Self::read_columns(reader, count, spare)?;
        Ok(spare.as_slice())
    }
}

/// A columnar type that can be written.
#[diagnostic::on_unimplemented(
    message = "columns of `{Self}` cannot be written",
    label = "not a columnar type that can be written",
    note = "your own structs and enums: add `#[rntuple(columnar)]` to `{Self}`, next to `#[derive(RNTuple)]`"
)]
pub trait WriteColumnar: WriteField + Columnar {
    /// Checks that members have the same number of values, and that all are of the type that was declared.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names the first member that is not so.
    #[doc(hidden)]
    fn check_columns(writer: &Self::Writer, values: SliceOf<'_, Self>) -> Result<()> {
        let _ = writer;
        values.check()
    }

    /// Appends all values; returns their length in bytes. It does no I/O and cannot fail, as
    /// [`FieldWriter::append`](super::FieldWriter::append).
    fn append_columns(writer: &mut Self::Writer, values: SliceOf<'_, Self>) -> usize;
}

/// Many values of one type, column by column: a structure of arrays that owns its memory.
pub trait Columns: Default + Clone + fmt::Debug + 'static {
    /// The same values, lent.
    type Slice<'a>: Slice;

    /// Bytes that one value takes, if nothing that it is made of counts them.
    #[doc(hidden)]
    const UNCOUNTED: usize = 0;

    /// Lends all values.
    fn as_slice(&self) -> Self::Slice<'_>;

    /// Returns the number of values.
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Returns whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all values and keeps the memory.
    fn clear(&mut self);
}

/// Many values of one type, column by column: a structure of arrays that is lent.
///
/// The slices of this crate have these as methods of their own, so the trait need not be in scope.
pub trait Slice: Copy + fmt::Debug {
    /// One of the values.
    type One: Copy + fmt::Debug;

    /// An array of `N` values.
    type Array<const N: usize>: Copy + fmt::Debug;

    /// Returns the number of values.
    fn len(self) -> usize;

    /// Returns whether there are no values.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns value `index`; `None` after the last one.
    fn get(self, index: usize) -> Option<Self::One>;

    /// Returns the values of a range; `None` if it ends after the last one.
    fn part(self, range: Range<usize>) -> Option<Self>;

    /// Returns all values as an array; `None` if they are not `N`.
    fn array<const N: usize>(self) -> Option<Self::Array<N>>;

    /// Checks that members have the same number of values. Slices of this crate do not need it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names the first member that has not.
    fn check(self) -> Result<()> {
        Ok(())
    }
}

/// The values of a slice in order.
#[derive(Clone, Debug)]
pub struct Iter<S> {
    values: S,
    range: Range<usize>,
}

impl<S: Slice> Iter<S> {
    /// Iterates over all values of a slice.
    #[inline]
    pub fn new(values: S) -> Self {
        Self { values, range: 0..values.len() }
    }
}

impl<S: Slice> Iterator for Iter<S> {
    type Item = S::One;

    #[inline]
    fn next(&mut self) -> Option<S::One> {
        self.values.get(self.range.next()?)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<S::One> {
        self.values.get(self.range.nth(count)?)
    }
}

impl<S: Slice> DoubleEndedIterator for Iter<S> {
    #[inline]
    fn next_back(&mut self) -> Option<S::One> {
        self.values.get(self.range.next_back()?)
    }
}

impl<S: Slice> ExactSizeIterator for Iter<S> {}
impl<S: Slice> FusedIterator for Iter<S> {}

/// Formats the values of a slice as a list.
pub fn fmt_slice<S: Slice>(values: S, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_list().entries(Iter::new(values)).finish()
}

/// Checks that a member has `count` values, and then its own members.
///
/// # Errors
/// As [`Slice::check`].
pub fn check_member<S: Slice>(name: &str, values: S, count: usize) -> Result<()> {
    if values.len() == count {
        return values.check();
    }
    let found = values.len();
    Err(Error::invalid_argument(format!("the columns have {count} values, but {found} of `{name}`")))
}

/// The values of a range that was checked.
#[inline]
pub fn cut<S: Slice>(values: S, range: &Range<usize>) -> S {
    values.part(range.clone()).or_else(|| values.part(0..0)).unwrap_or(values)
}

/// The methods of slices that do not need the trait in scope, and a list of their values to be shown.
macro_rules! methods {
    ([$($generics:tt)*] $slice:ty $(where $bounded:ty: $bound:ident)?) => {
        $crate::field::columnar::access! { [$($generics)*] $slice $(where $bounded: $bound)? }

        impl<$($generics)*> std::fmt::Debug for $slice
        $(where $bounded: $bound)?
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::field::columnar::fmt_slice(*self, f)
            }
        }
    };
}
use methods;

/// The methods of slices that do not need the trait in scope.
macro_rules! access {
    ([$($generics:tt)*] $slice:ty $(where $bounded:ty: $bound:ident)?) => {
        impl<$($generics)*> $slice
        $(where $bounded: $bound)?
        {
            /// Returns the number of values.
            #[inline]
            pub fn len(self) -> usize {
                Slice::len(self)
            }

            /// Returns whether there are no values.
            #[inline]
            pub fn is_empty(self) -> bool {
                Slice::is_empty(self)
            }

            /// Returns value `index`; `None` after the last one.
            #[inline]
            pub fn get(self, index: usize) -> Option<<Self as Slice>::One> {
                Slice::get(self, index)
            }

            /// Iterates over the values in order.
            #[inline]
            pub fn iter(self) -> $crate::field::columnar::Iter<Self> {
                $crate::field::columnar::Iter::new(self)
            }
        }

        impl<$($generics)*> IntoIterator for $slice
        $(where $bounded: $bound)?
        {
            type Item = <Self as Slice>::One;
            type IntoIter = $crate::field::columnar::Iter<Self>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}
use access;

/// Types that are read and written in columns as another type, with the same columns.
macro_rules! columns_as {
    ($([$($generics:tt)*] $type:ty as $other:ty;)*) => {$(
        impl<$($generics)*> $crate::field::columnar::ReadColumnar for $type {
            fn read_columns(
                reader: &mut Self::Reader,
                count: usize,
                out: &mut Self::Columns,
            ) -> $crate::error::Result<()> {
                <$other>::read_columns(reader, count, out)
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut Self::Reader,
                count: usize,
                spare: &'a mut Self::Columns,
            ) -> $crate::error::Result<$crate::field::columnar::SliceOf<'a, Self>> {
                <$other>::lend(reader, count, spare)
            }
        }

        impl<$($generics)*> $crate::field::columnar::WriteColumnar for $type {
            #[inline]
            fn append_columns(
                writer: &mut Self::Writer,
                values: $crate::field::columnar::SliceOf<'_, Self>,
            ) -> usize {
                <$other>::append_columns(writer, values)
            }
        }
    )*};
}
pub(super) use columns_as;
