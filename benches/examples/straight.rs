//! A program around one `Writer::fill`, for a disassembler: the fill should be straight code.
//!
//! ```console
//! $ cargo build --release -p rntuple-benches --example straight
//! $ objdump -d -C --no-show-raw-insn target/release/examples/straight |
//!     awk '/<.*fill_one.*>:/{p=1} p&&/^$/{exit} p' | grep -E 'call|jmp +\*'
//! ```
//!
//! lists every call and every computed jump of it: to `ColumnWriter::close`, once per page, and to `memcpy`.

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
