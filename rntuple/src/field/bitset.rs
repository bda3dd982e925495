//! Bitsets: one bit per flag on storage.

use std::fmt;

use serde::{Serialize, Serializer};

use super::own::stored_as;
use super::{ArrayReader, ArrayWriter, FieldReader, FieldWriter};
use crate::column::{ColumnReader, ColumnWriter};
use crate::error::Result;

/// `N` flags: C++'s `std::bitset<N>`, one bit each on storage.
///
/// ```
/// use rntuple::cxx::BitSet;
/// let mut triggers = BitSet::<16>::new();
/// triggers.set(3, true);
/// assert!(triggers.get(3));
/// assert_eq!(triggers.ones().collect::<Vec<_>>(), [3]);
/// assert_eq!(triggers.to_string(), "0000000000001000");
/// ```
///
/// In memory each flag is a `bool`, so that columns of bits are filled and read without shifting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitSet<const N: usize> {
    bits: [bool; N],
}

impl<const N: usize> BitSet<N> {
    /// No flag set.
    pub const fn new() -> Self {
        Self { bits: [false; N] }
    }

    /// Flag `index`; `false` beyond the last.
    pub fn get(&self, index: usize) -> bool {
        self.bits.get(index).copied().unwrap_or_default()
    }

    /// Sets or clears flag `index`.
    ///
    /// # Panics
    /// If there is no such flag.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn set(&mut self, index: usize, value: bool) {
        self.bits[index] = value;
    }

    /// Number of flags that are set.
    pub fn count_ones(&self) -> usize {
        self.bits.iter().filter(|bit| **bit).count()
    }

    /// The flags that are set, by index.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().filter(|(_, bit)| **bit).map(|(index, _)| index)
    }

    /// All flags in order.
    pub const fn as_array(&self) -> &[bool; N] {
        &self.bits
    }
}

impl<const N: usize> Default for BitSet<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> From<[bool; N]> for BitSet<N> {
    fn from(bits: [bool; N]) -> Self {
        Self { bits }
    }
}

impl<const N: usize> From<BitSet<N>> for [bool; N] {
    fn from(set: BitSet<N>) -> Self {
        set.bits
    }
}

impl<const N: usize> FromIterator<usize> for BitSet<N> {
    /// Sets the flags of these indices.
    ///
    /// # Panics
    /// If there is no such flag.
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::new();
        indices.into_iter().for_each(|index| set.set(index, true));
        set
    }
}

/// The highest flag first, as C++ prints it.
impl<const N: usize> fmt::Display for BitSet<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits.iter().rev().try_for_each(|bit| f.write_str(if *bit { "1" } else { "0" }))
    }
}

impl<const N: usize> fmt::Debug for BitSet<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BitSet({self})")
    }
}

impl<const N: usize> Serialize for BitSet<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.bits)
    }
}

impl<const N: usize> FieldWriter<BitSet<N>> for ArrayWriter<ColumnWriter<bool>> {
    #[inline]
    fn append(&mut self, value: &BitSet<N>) -> usize {
        self.item.extend_from_slice(&value.bits)
    }
}

impl<const N: usize> FieldReader<BitSet<N>> for ArrayReader<ColumnReader<bool>> {
    #[inline]
    fn read(&mut self) -> Result<BitSet<N>> {
        FieldReader::<[bool; N]>::read(self).map(BitSet::from)
    }
}

stored_as! { [const N: usize] BitSet<N> as [bool; N]; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_set_counted_and_shown() {
        let set: BitSet<10> = [0, 9].into_iter().collect();
        assert_eq!(set.to_string(), "1000000001");
        assert_eq!(set.count_ones(), 2);
        assert!(set.get(9) && !set.get(1) && !set.get(10));
        assert_eq!(BitSet::from(<[bool; 10]>::from(set)), set);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_flag_that_is_not_there_cannot_be_set() {
        BitSet::<4>::new().set(4, true);
    }
}
