//! What comes from the network is a stranger's: plans that were changed on the way.

mod sizes;
mod strangers;

#[global_allocator]
static WATCHED: rntuple_tests::memory::Watched = rntuple_tests::memory::Watched;
