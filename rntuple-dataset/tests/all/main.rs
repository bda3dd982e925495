//! Records that Lance wrote, and records that Lance reads.
//!
//! What is compared with pylance needs it: `rntuple-dataset/tests/setup.sh` installs it. Without it these tests say
//! that they were skipped. A few files that pylance wrote are in `tests/fixtures`, and are always read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

mod fixtures;
mod foreign;
mod pylance;
mod races;
mod refusal;
