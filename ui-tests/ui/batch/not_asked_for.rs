//! Batches are there where they are asked for
use rntuple::{RNTuple, Reader, Writer};

#[derive(RNTuple)]
struct Event {
    met: f32,
}

fn read(reader: &Reader<Event>) {
    for batch in reader.batches(100) {}
}

fn write(writer: &mut Writer<Event>) {
    writer.fill_batch(&vec![1.0]);
}

fn main() {}
