//! What the tests of the engines have in common: events, queries whose results are known, and processes that end with
//! the test.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod elsewhere;
mod process;
mod queries;
mod sample;

pub use elsewhere::{BUCKET, compare_at, elsewhere, register_s3, serve, serve_root, serve_s3, slow};
pub use process::{Process, until, within};
pub use queries::{
    NO_FILES, QUERIES, compare, copies, copy_of_others, entries, failure, folders_with_values, local,
    local_with, rows, shown, tables, tables_of_others,
};
pub use rntuple_remote_tests::free_port;
pub use rntuple_remote_tests::http::FileServer;
pub use sample::{EVENTS, FILES, Sample, write_events};
