//! Columns hold what rows hold: read from the same file, lent, pushed, or written.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

mod any;
mod columns;
mod common;
mod corrupt;
mod detours;
mod late;
mod lending;
mod only;
mod shapes;
mod values;
mod writing;
