//! Data sets, as programs use them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

mod external;
mod faults;
mod life;
mod model;
mod race;
mod sample;
mod store;
