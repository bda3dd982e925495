//! RNTuple files and data sets as tables of DataFusion.
#[cfg(feature = "codec")]
mod codec;
mod columns;
#[cfg(feature = "dataset")]
mod dataset;
mod error;
mod facts;
mod files;
mod format;
mod metrics;
mod options;
mod predicate;
mod prune;
mod scan;
mod session;
mod sink;
mod source;
mod table;
mod used;
mod zeros;

#[cfg(feature = "codec")]
pub use codec::{RNTupleLogicalCodec, RNTuplePhysicalCodec};
pub use options::TableOptions;
pub use session::{config, session, with_rntuple};
pub use table::RNTupleTable;
