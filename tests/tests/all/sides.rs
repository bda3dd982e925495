//! An enum, and what may become of it: other integers for its variants, or more of them.

use rntuple::RNTuple;

#[derive(RNTuple, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum Side {
    Left,
    Right,
}

#[derive(RNTuple, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum Swapped {
    Right,
    Left,
}

#[derive(RNTuple, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum Grown {
    Left,
    Right,
    Top,
}
