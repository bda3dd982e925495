//! Tests of what the other tests use.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test that cannot continue has failed"
)]

mod common;
mod faults;
mod http;
mod peers;
mod proxy;
mod reading;
mod sample;
mod servers;
mod writing;
mod xrootd;
