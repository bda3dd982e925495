//! What comes from the network is a stranger's: plans that were changed on the way.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "these are tests"
)]

mod sizes;
mod strangers;
mod without;

use tokio::runtime::Builder;

#[global_allocator]
static WATCHED: rntuple_tests::memory::Watched = rntuple_tests::memory::Watched;

/// Runs work while no other test takes memory.
fn alone(work: impl Future<Output = ()>) {
    let _alone = rntuple_tests::memory::alone();
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work);
}
