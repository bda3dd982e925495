//! Values of a type known only at run time, column by column: one enum over the columns of this folder.

mod columns;
mod push;
mod read;
mod slice;
mod write;

pub use columns::{AnyArrays, AnyColumns, AnyRecords, AnyVariants};
pub use slice::AnySlice;
