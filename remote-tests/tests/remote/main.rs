//! Tests of remote storage, and of what they use.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a test that cannot continue has failed"
)]

mod http;
mod memory;
mod objects;
mod peers;
mod program;
mod proxy;
mod sample;
mod servers;
mod theirs;
mod values;
mod xrootd;
