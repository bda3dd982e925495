//! What reading a column takes.

use crate::encoding::{ColumnEncoding, ColumnType, Element};
use crate::schema::ColumnId;

/// What reading a column takes in memory, for each element of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) column: ColumnId,
    pub(crate) packing: ColumnEncoding,
    /// Bytes of a decoded element.
    pub(crate) element: u64,
    /// Bytes that an element takes beyond that while its page is decoded.
    pub(crate) scratch: u64,
}

impl Demand {
    pub(crate) fn of<E: Element>(column: ColumnId, packing: &ColumnEncoding, as_counts: bool) -> Self {
        let kind = packing.column_type();
        // Other types are decoded to what they are and then converted: 8 bytes at the most.
        let is_own = E::WRITES.contains(&kind)
            && (kind == ColumnType::Bit || usize::from(packing.bits()).div_ceil(8) == size_of::<E>())
            && !kind.rounds();
        let is_switch = kind == ColumnType::Switch;
        let conversion = if is_own || is_switch { 0 } else { 8 };
        // Offsets, those of another page, and the differences.
        let counting = if as_counts { 24 } else { 0 };
        let element = size_of::<E>() as u64;
        Self { column, packing: *packing, element, scratch: conversion + counting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_take_more() {
        let of = |packing: &ColumnEncoding| Demand::of::<f32>(ColumnId(0), packing, false).scratch;
        assert_eq!(of(&ColumnEncoding::of(ColumnType::SplitReal32)), 0);
        assert_eq!(of(&ColumnEncoding::of(ColumnType::Real16)), 8);
        assert_eq!(of(&ColumnEncoding::quantized(32, 0.0, 1.0).unwrap()), 8);
        assert_eq!(Demand::of::<bool>(ColumnId(0), &ColumnEncoding::of(ColumnType::Bit), false).scratch, 0);
        assert_eq!(
            Demand::of::<u64>(ColumnId(0), &ColumnEncoding::of(ColumnType::Index64), true).scratch,
            32
        );
    }
}
