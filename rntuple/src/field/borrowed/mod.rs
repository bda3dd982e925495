//! Values that are borrowed from the decoded pages, instead of made: one kind of type to a file.
//!
//! | type | one value | many values |
//! | --- | --- | --- |
//! | scalars | the scalar | `&[T]` |
//! | `String`, `Box<str>`, `Cow<'static, str>` | `&str` | [`StrSlice`] |
//! | `Vec<T>`, `Box<[T]>`, `VecDeque<T>`, [`RVec<T>`](crate::cxx::RVec), [`UnorderedMultiSet<T>`](crate::cxx::UnorderedMultiSet) | many `T` | [`ListSlice`] |
//! | `Option<T>`, [`UniquePtr<T>`](crate::cxx::UniquePtr) | an option of one `T` | [`OptionSlice`] |
//! | `[T; N]` | `&[T; N]` of scalars, many `T` of others | [`ArraySlice`] |
//! | tuples | a tuple of one each | [`TupleSlice`] |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, [`Atomic<T>`](crate::cxx::Atomic) | one `T` | many `T` |
//! | [`BitSet<N>`](crate::cxx::BitSet) | `BitSet<N>` | [`BitSlice`] |
//! | [`Cardinality`](crate::cxx::Cardinality) | `Cardinality` | [`SizeSlice`] |
//! | structs and enums with `#[rntuple(borrowed)]` | `MuonRef` | `MuonSlice` |
//! | enums without data, with `#[rntuple(borrowed)]` | the enum | [`EnumSlice`] |
//! | members with `#[rntuple(owned)]` | `&T` | `&[T]` |

mod array;
mod bounds;
mod collection;
mod option;
mod owned;
mod plain_enum;
mod pointer;
mod scalar;
mod string;
mod tuple;
mod variant;

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use super::ReadField;
use crate::error::Result;

pub use array::{ArraySlice, BitSlice};
pub use collection::{ListSlice, SizeSlice};
pub use option::OptionSlice;
#[doc(hidden)]
pub use owned::Rows;
pub use plain_enum::{EnumSlice, PlainEnum};
pub use string::StrSlice;
pub use tuple::TupleSlice;
#[doc(hidden)]
pub use variant::{Span, Switches};

/// A type whose values can be borrowed from the decoded pages: nothing is allocated, and of what is stored as
/// columns nothing is copied.
///
/// The types of [this table](self) have it. Structs and enums get it by `#[rntuple(borrowed)]`, which also makes
/// the types of one value and of many: `EventRef<'_>` and `EventSlice<'_>`.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be borrowed from an RNTuple",
    label = "not a type that can be borrowed",
    note = "your own structs and enums: add `#[rntuple(borrowed)]` to the type, beside `#[derive(RNTuple)]`",
    note = "maps, sets and types of other crates: add `#[rntuple(owned)]` to the member, which is then read and lent as `&T`"
)]
pub trait Borrowed: ReadField + 'static {
    /// One value.
    type Ref<'a>: Copy + fmt::Debug;

    /// Many values, one behind the other: a slice for each column.
    type Slice<'a>: Many<One = Self::Ref<'a>>;

    /// The next value.
    ///
    /// # Errors
    /// No value is left, a page is damaged, or the value does not fit the type.
    fn borrow(columns: &mut Self::Reader) -> Result<Self::Ref<'_>>;

    /// The next `count` values.
    ///
    /// # Errors
    /// As [`borrow`](Self::borrow).
    fn borrow_many(columns: &mut Self::Reader, count: usize) -> Result<Self::Slice<'_>>;
}

/// Many values that are borrowed: what all slices can.
///
/// The slices have these as methods of their own, so that the trait need not be in scope.
pub trait Many: Copy + fmt::Debug {
    /// One of the values.
    type One: Copy + fmt::Debug;

    /// An array of `N` values.
    type Array<const N: usize>: Copy + fmt::Debug;

    /// No values.
    fn empty() -> Self;

    /// The number of values.
    fn len(self) -> usize;

    /// Whether there are none.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Value `index`; `None` beyond the last.
    fn get(self, index: usize) -> Option<Self::One>;

    /// The values of a range; `None` if it reaches beyond the last.
    fn part(self, range: Range<usize>) -> Option<Self>;

    /// All of them as an array; `None` if they are not `N`.
    fn array<const N: usize>(self) -> Option<Self::Array<N>>;
}

/// The values of a slice in order.
#[derive(Clone, Debug)]
pub struct Iter<S> {
    values: S,
    range: Range<usize>,
}

impl<S: Many> Iter<S> {
    /// All values of a slice.
    #[inline]
    pub fn new(values: S) -> Self {
        Self { values, range: 0..Many::len(values) }
    }
}

impl<S: Many> Iterator for Iter<S> {
    type Item = S::One;

    #[inline]
    fn next(&mut self) -> Option<S::One> {
        Many::get(self.values, self.range.next()?)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<S::One> {
        Many::get(self.values, self.range.nth(count)?)
    }
}

impl<S: Many> DoubleEndedIterator for Iter<S> {
    #[inline]
    fn next_back(&mut self) -> Option<S::One> {
        Many::get(self.values, self.range.next_back()?)
    }
}

impl<S: Many> ExactSizeIterator for Iter<S> {}
impl<S: Many> FusedIterator for Iter<S> {}

/// The length of a part of `length` values, if the range is one.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn part_length(length: usize, range: &Range<usize>) -> Option<usize> {
    range.end.checked_sub(range.start).filter(|_| range.end <= length)
}

/// Shows the values of a slice as a list.
#[doc(hidden)]
pub fn fmt_many<S: Many>(values: S, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_list().entries(Iter::new(values)).finish()
}

/// What the slices of this crate can without the trait.
macro_rules! methods {
    ([$($generics:tt)*] $slice:ty $(where $bounded:ty: $bound:ident)?) => {
        impl<$($generics)*> $slice
        $(where $bounded: $bound)?
        {
            /// The number of values.
            #[inline]
            pub fn len(self) -> usize {
                Many::len(self)
            }

            /// Whether there are none.
            #[inline]
            pub fn is_empty(self) -> bool {
                Many::is_empty(self)
            }

            /// Value `index`; `None` beyond the last.
            #[inline]
            pub fn get(self, index: usize) -> Option<<Self as Many>::One> {
                Many::get(self, index)
            }

            /// The values in order.
            #[inline]
            pub fn iter(self) -> $crate::field::borrowed::Iter<Self> {
                $crate::field::borrowed::Iter::new(self)
            }
        }

        impl<$($generics)*> IntoIterator for $slice
        $(where $bounded: $bound)?
        {
            type Item = <Self as Many>::One;
            type IntoIter = $crate::field::borrowed::Iter<Self>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<$($generics)*> std::fmt::Debug for $slice
        $(where $bounded: $bound)?
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::field::borrowed::fmt_many(*self, f)
            }
        }
    };
}
use methods;
