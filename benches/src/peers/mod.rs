//! One file for each library, each with the functions that [`jobs`](crate::jobs) names.
//!
//! A writer is `fn(&Data, Codec, Sink)`. A reader is `fn(&Path, Codec) -> u64` and returns the digest of what it read.

pub mod arrow_ipc;
pub mod bitcode;
pub mod bound;
pub mod columns;
pub mod lent;
pub mod ours;
pub mod oxyroot;
pub mod parquet;
pub mod parquet_flat;
pub mod rkyv;
pub mod serde_arrow;
pub mod to_arrow;
pub mod untyped;
pub mod uproot;

mod blocks;
