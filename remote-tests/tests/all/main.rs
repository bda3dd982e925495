//! Tests of what the other tests use.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test that cannot continue has failed"
)]

mod http;
mod peers;
mod proxy;
mod sample;
mod servers;
mod xrootd;
