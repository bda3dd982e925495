//! Only a columnar type is read and written column by column
use rntuple::{RNTuple, Reader, Writer};

#[derive(RNTuple)]
struct Event {
    met: f32,
}

fn read(reader: &Reader<Event>) {
    let _ = reader.batches(100);
}

fn write(writer: &mut Writer<Event>) {
    let _ = writer.fill_columns(());
}

fn main() {}
