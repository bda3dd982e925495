//! Layouts that no default gives: fields that are stored in several ways, pages that are longer than a record.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod chunks;
mod every_reader;
mod representations;
