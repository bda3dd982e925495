//! A context fills one transaction at a time
use rntuple::storage::Memory;
use rntuple::parallel::Order;
use rntuple::{ParallelWriter, RNTuple, WriteOptions};

#[derive(RNTuple)]
struct Event {
    number: u64,
}

fn main() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    let mut first = context.begin_ordered(0).unwrap();
    let second = context.begin_ordered(1).unwrap();
    first.fill(&Event { number: 1 }).unwrap();
    second.commit().unwrap();
}
