//! What the tests of the engines have in common: events, queries whose results are known, and processes that end with
//! the test.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod elsewhere;
mod process;
mod queries;
mod sample;

pub use elsewhere::{BUCKET, compare_at, elsewhere, register_s3, serve, serve_root, serve_s3};
pub use process::{Process, free_port, within};
pub use queries::{QUERIES, compare, copies, failure, folders_with_values, local, rows, shown, tables};
pub use sample::{EVENTS, FILES, Sample, write_events};
