//! Values of columns that are not plain numbers.

use serde::{Deserialize, Serialize};

/// A byte without a meaning of its own: C++'s `std::byte`.
///
/// `u8` is the *number* `std::uint8_t`; this is the byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct Byte(pub u8);

/// C++'s `char`: one code unit of a narrow string.
///
/// ```
/// use rntuple::cxx::CxxChar;
/// assert_eq!(CxxChar::from(b'x').0, 120);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[repr(transparent)]
pub struct CxxChar(pub u8);

impl From<u8> for Byte {
    fn from(byte: u8) -> Self {
        Self(byte)
    }
}

impl From<u8> for CxxChar {
    fn from(byte: u8) -> Self {
        Self(byte)
    }
}

/// The end of a collection's items: the position after the last one, counted within the cluster.
///
/// Offsets of the next item: `[1, 1, 3]` for `{a}, {}, {b, c}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Index(pub u64);

/// A collection offset that is stored in 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Index32(pub(crate) u32);

/// Which alternative of a variant is active (`tag`, 0 for none), and its position among the elements of
/// that alternative, counted within the cluster (format, section 6.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switch {
    /// Position among the alternative's elements.
    pub index: u64,
    /// Number of the alternative, from 1 on; 0 for a variant without a value.
    pub tag: u32,
}
