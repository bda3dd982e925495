//! A fill context cannot be used once its writer is finished
use rntuple::storage::Memory;
use rntuple::{ParallelWriter, RNTuple, WriteOptions};

#[derive(RNTuple)]
struct Event {
    number: u64,
}

fn main() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let mut context = writer.context();
    writer.finish().unwrap();
    context.fill(&Event { number: 1 }).unwrap();
}
