//! Each thread fills a context of its own
use rntuple::storage::Memory;
use rntuple::{ParallelWriter, RNTuple, WriteOptions};

#[derive(RNTuple)]
struct Event {
    number: u64,
}

fn main() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let mut context = writer.context();
    std::thread::scope(|threads| {
        threads.spawn(|| context.fill(&Event { number: 1 }));
        threads.spawn(|| context.fill(&Event { number: 2 }));
    });
    context.commit_cluster().unwrap();
}
