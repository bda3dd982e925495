//! Every attribute of the derive: what it does to the schema of a file, and to values on the way in and out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::unreadable_literal,
    reason = "a test that cannot go on has failed"
)]

mod classes;
mod common;
mod conversions;
mod corners;
mod corrupt;
mod defaults;
mod encodings;
mod enums;
mod errors;
mod flatten;
mod forms;
mod halves;
mod names;
mod projections;
mod serde_compat;
mod traps;
mod upgrades;
