//! Tests against servers: one that follows a script, and the real one of XRootD, all on this machine.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and its numbers are small"
)]

#[cfg(feature = "tls")]
mod certificates;
mod live;
mod scripted;
