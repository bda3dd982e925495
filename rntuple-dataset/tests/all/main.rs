//! Data sets as programs use them, records that Lance wrote, and records that Lance reads.
//!
//! What is compared with pylance or uproot needs them: `rntuple-dataset/tests/setup.sh` installs them. Without them these tests say
//! that they were skipped. A few files that pylance wrote are in `tests/fixtures`, and are always read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::type_complexity,
    reason = "a test that cannot go on has failed"
)]

mod bounds;
mod check;
mod columns;
mod compaction;
mod damage;
mod external;
mod faults;
mod fixtures;
mod foreign;
mod lance_info;
mod life;
mod memory;
mod model;
mod names;
mod narrow;
mod order;
mod pylance;
mod python;
mod race;
mod races;
mod readers;
mod refusal;
mod runtime;
mod sample;
mod search;
mod store;
mod uproot;
