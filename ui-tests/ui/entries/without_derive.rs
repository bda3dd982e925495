//! An entry has the derive
use rntuple::{Reader, WriteOptions, Writer};

struct Event {
    run: u32,
}

fn main() {
    let _ = Writer::<Event>::create("events.root", "Events", WriteOptions::new());
    let _ = Reader::<Event>::open("events.root", "Events");
}
