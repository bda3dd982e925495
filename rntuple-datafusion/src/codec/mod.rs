//! Plans on their way to other processes.
//!
//! What is sent begins with a mark, a version and that of DataFusion, so that the nodes of other codecs pass through, and an
//! older or newer program says so instead of misreading it.

mod logical;
mod messages;
mod physical;
mod wire;

pub use logical::RNTupleLogicalCodec;
pub use physical::RNTuplePhysicalCodec;
#[cfg(feature = "dataset")]
pub(crate) use wire::has_one_host;
