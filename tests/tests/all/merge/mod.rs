//! Merged files hold what their inputs hold, in the same order, and are sound.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

mod common;
mod damage;
mod encodings;
mod late;
mod left;
mod output;
mod real;
mod same;
mod schemas;
mod sets;
