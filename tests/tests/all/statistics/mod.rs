//! Statistics say what brute force finds, and nothing of what is not known.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_lossless,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

mod changes;
mod naive;
mod values;
