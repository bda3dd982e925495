//! A program around one `Writer::fill`, for a disassembler: the fill should be straight code.
//!
//! `cargo xtask straight` builds it and lists the calls in `fill_one`.

use rntuple::storage::Memory;
use rntuple::{WriteOptions, Writer};
use rntuple_benches::{events, fill_one};

fn main() -> rntuple::Result<()> {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    for event in &events(1000) {
        fill_one(&mut writer, event)?;
    }
    println!("{} entries", writer.finish()?.entries);
    Ok(())
}
