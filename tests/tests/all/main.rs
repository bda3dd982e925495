//! All integration tests, in one program: linking one takes less time than linking thirty.
//!
//! Alone is what replaces the allocator of the whole program: `tests/allocation.rs` and `tests/limits.rs`.

mod added;
mod append;
mod attribute_sets;
mod attributes;
mod checkpoint;
mod child;
mod clusters;
mod columnar;
mod compression;
mod corrupt;
mod cxx_types;
mod derive_tables;
mod estimate;
mod evolution;
mod extension;
mod far;
mod faults;
mod foreign;
mod full_storage;
mod items;
mod join;
mod layering;
mod layout;
mod lock;
mod many_files;
mod merge;
mod messages;
mod non_zero;
mod parallel;
mod parallel_read;
mod presets;
mod read_ahead;
mod recover;
mod reference;
mod round_trip;
mod run_time;
mod saturate;
mod seekable;
mod selection;
mod series;
mod stable_bytes;
mod structure;
mod training;
mod whole_files;
