//! Plans on their way to other processes.
//!
//! What is sent begins with a mark and a version, so that the nodes of other codecs pass through, and an older or newer
//! program says so instead of misreading it.

mod logical;
mod messages;
mod physical;

pub use logical::RNTupleLogicalCodec;
pub use physical::RNTuplePhysicalCodec;
