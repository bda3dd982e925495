//! What the values of a page are looked at for, and what they say.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::encoding::{ColumnEncoding, Index, Switch};

/// What the values of a column are looked at for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// For nothing: any bytes of the right length are values.
    Bytes,
    /// End offsets, which never fall.
    Index,
    /// That many alternatives, each counting up.
    Switch(u32),
    /// For whether they fit the type of the field, which is not that of the column.
    Fit(Number),
}

impl Look {
    /// Bytes that a value takes in memory while it is looked at.
    pub(super) fn width(self) -> u64 {
        let width = match self {
            Self::Bytes => 0,
            Self::Index => size_of::<Index>(),
            Self::Switch(_) => size_of::<Switch>(),
            Self::Fit(number) => match number {
                Number::Bool | Number::I8 | Number::U8 => 1,
                Number::I16 | Number::U16 => 2,
                Number::I32 | Number::U32 => 4,
                Number::I64 | Number::U64 => 8,
            },
        };
        width as u64
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

/// What the values of a page say about the page as a whole.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Nothing,
    /// The first and the last offset.
    Index(u64, u64),
    /// For each tag the first position and how many positions follow each other from there.
    Switch(Rc<BTreeMap<u32, (u64, u64)>>),
}

/// How the pages of a column are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// `None`: a type of a later version, whose bytes mean nothing.
    pub(super) packing: Option<ColumnEncoding>,
    pub(super) look: Look,
}

/// A page that was looked at before, in the same way.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) count: u32,
    pub(super) has_checksum: bool,
    pub(super) reading: Reading,
    pub(super) content: Content,
}
