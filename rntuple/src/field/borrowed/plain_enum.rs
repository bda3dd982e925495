//! Enums without data: a slice of their integers, each of which is one of a variant.

use std::fmt;
use std::ops::Range;

use super::{Many, methods};
use crate::column::ColumnReader;
use crate::encoding::Element;
use crate::error::Result;
use crate::field::PlainEnumReader;

/// An enum without data, whose values are found by their integers: `#[rntuple(borrowed)]` implements it.
pub trait PlainEnum: Sized + 'static {
    /// What it is read from.
    type Integer: Element + fmt::Display;

    /// Its name, for errors.
    const NAME: &'static str;

    /// The variant of this integer.
    fn from_integer(integer: Self::Integer) -> Option<Self>;
}

/// Many values of an enum without data: their integers.
pub struct EnumSlice<'a, T: PlainEnum> {
    /// All of them are those of variants.
    integers: &'a [T::Integer],
}

impl<T: PlainEnum> Clone for EnumSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: PlainEnum> Copy for EnumSlice<'_, T> {}

impl<'a, T: PlainEnum> EnumSlice<'a, T> {
    /// What is stored.
    pub fn integers(self) -> &'a [T::Integer] {
        self.integers
    }
}

methods! { ['a, T: PlainEnum + Copy + fmt::Debug] EnumSlice<'a, T> }

impl<T: PlainEnum + Copy + fmt::Debug> Many for EnumSlice<'_, T> {
    type One = T;
    type Array<const N: usize> = Self;

    fn empty() -> Self {
        Self { integers: &[] }
    }

    #[inline]
    fn len(self) -> usize {
        self.integers.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<T> {
        T::from_integer(Many::get(self.integers, index)?)
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { integers: self.integers.part(range)? })
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.integers.len() == N).then_some(self)
    }
}

impl<I: Element + fmt::Display> PlainEnumReader<ColumnReader<I>> {
    /// The next `count` values.
    ///
    /// # Errors
    /// No values are left, or one is none of the enum.
    pub fn next_many<T: PlainEnum<Integer = I>>(&mut self, count: usize) -> Result<EnumSlice<'_, T>> {
        let integers = self.column.slice(count)?;
        match integers.iter().find(|integer| T::from_integer(**integer).is_none()) {
            Some(unknown) => Err(Self::unknown_at(&self.place, T::NAME, unknown)),
            None => Ok(EnumSlice { integers }),
        }
    }
}
