//! Columns: typed values going into pages and coming out of them.

mod allowance;
mod decoded;
mod demand;
mod means;
mod reader;
mod trial;
mod writer;

pub(crate) use allowance::{Allowance, Grant, ItemLength};
pub(crate) use demand::Demand;
pub(crate) use means::Means;
pub use reader::ColumnReader;
pub(crate) use reader::{ColumnSource, Passed, Representation};
pub use writer::ColumnWriter;
pub(crate) use writer::{Alternatives, ColumnSink};
