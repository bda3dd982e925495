//! Generic code says what it does with entries
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

fn save<T>(entries: &[T]) -> Result<()> {
    let mut writer = Writer::<T>::create("events.root", "Events", WriteOptions::new())?;
    for entry in entries {
        writer.fill(entry)?;
    }
    Ok(())
}

struct Recorder<T> {
    writer: Writer<T>,
}

// This is enough.
fn load<T: RNTuple>() -> Result<Vec<T>> {
    Reader::open("events.root", "Events")?.entries().collect()
}

struct Plain {
    run: u32,
}

#[derive(RNTuple)]
struct Borrowing<'a> {
    name: &'a str,
}

fn main() {
    let _ = load::<Plain>();
    let _ = load::<Borrowing>();
}
