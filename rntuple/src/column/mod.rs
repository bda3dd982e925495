//! Columns: typed values going into pages and coming out of them.

mod reader;
mod writer;

pub use reader::ColumnReader;
pub(crate) use reader::{ColumnSource, Representation};
pub use writer::ColumnWriter;
pub(crate) use writer::{ColumnSink, PageLimits};
