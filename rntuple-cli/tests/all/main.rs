//! All tests of the program, in one binary.

mod check;
mod cli;
mod codegen;
mod corrupt;
#[cfg(feature = "dataset")]
mod dataset;
#[cfg(all(feature = "sql", feature = "remote"))]
mod far;
mod merge;
mod messages;
#[cfg(feature = "sql")]
mod query;
mod recover;
#[cfg(feature = "sql")]
mod saved;
#[cfg(all(feature = "sql", feature = "remote"))]
mod scripted;
mod stats;
