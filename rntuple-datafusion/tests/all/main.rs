//! RNTuple files as tables: SQL over them gives what the same SQL gives over all their rows in memory.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod absent;
mod adl;
#[cfg(feature = "codec")]
mod codec;
mod copy;
mod counted;
mod counters;
mod create;
mod damaged;
#[cfg(all(feature = "codec", feature = "dataset"))]
mod dataset;
mod declared;
mod elsewhere;
#[cfg(all(feature = "codec", feature = "dataset"))]
mod fragments;
mod listing;
#[cfg(all(feature = "codec", feature = "dataset"))]
mod many;
mod order;
mod parts;
mod peers;
mod pruning;
mod queries;
mod replaced;
mod sample;
#[cfg(all(feature = "codec", feature = "dataset"))]
mod secrets;
mod threads;
mod unfinished;
mod uploads;
