//! The benchmarks: one nested and one flat event, the same for everybody who is compared.
//!
//! ```console
//! $ cargo run --release -p rntuple-benches --bin suite      # against other crates, with targets
//! $ cargo run --release -p rntuple-benches --bin memory     # peak memory of writing and reading
//! $ cargo bench -p rntuple-benches                          # ours alone, with statistics
//! ```
//!
//! A job is a row of [`jobs::ROWS`], what it must reach is a row of [`targets::TARGETS`].
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    missing_debug_implementations,
    reason = "a benchmark that cannot go on has failed"
)]

pub mod digest;
pub mod jobs;
pub mod peers;
pub mod report;
pub mod run;
pub mod targets;

mod data;
mod event;
mod flat;
mod limits;
mod random;

pub use data::{Codec, Data, Sink};
pub use event::{
    Event, EventBatch, EventRef, Jet, Muon, PlainEvent, Process, ProcessRecord, ProcessRef, Vertex, events,
    mask, payload, triggers,
};
pub use flat::{FLAT_PAYLOAD, FlatEvent, FlatEventBatch, flat_events};

/// One fill, kept apart so that its machine code can be looked at: see `examples/straight.rs`.
#[inline(never)]
pub fn fill_one<W: rntuple::storage::WriteAt>(
    writer: &mut rntuple::Writer<Event, W>,
    event: &Event,
) -> rntuple::Result<()> {
    writer.fill(event)
}
