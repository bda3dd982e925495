//! Ids of rows, which stay when rows are moved.

mod index;
mod segment;
mod sequence;

pub use index::{RowAddress, RowIdIndex};
pub use sequence::RowIdSequence;
