//! A mistake is told once, not wherever the type is used
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
struct Muon<T> {
    #[rntuple(truncat(bits = 18))]
    pt: T,
}

#[derive(RNTuple)]
#[repr(u8)]
enum Channel {
    #[rntuple(tag = 0)]
    A,
}

#[derive(RNTuple)]
struct Event {
    muons: Vec<Muon<f32>>,
    channels: Vec<Channel>,
    count: usize,
}

// What uses them is not told of again.
fn main() {
    let _ = Writer::<Event>::create("events.root", "Events", WriteOptions::new());
    let _ = Reader::<Event>::open("events.root", "Events").unwrap().get(0).unwrap().muons;
}
