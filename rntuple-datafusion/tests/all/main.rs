//! RNTuple files as tables: SQL over them gives what the same SQL gives over all their rows in memory.

#[cfg(feature = "codec")]
mod codec;
mod copy;
mod create;
#[cfg(all(feature = "codec", feature = "dataset"))]
mod dataset;
mod elsewhere;
mod order;
mod pruning;
mod queries;
mod sample;
