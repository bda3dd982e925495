//! Reads old data as new types. Explained in the book, chapter "When types change".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: old
/// As it was written in the first year.
#[derive(RNTuple)]
struct OldEvent {
    run: i32,
    met: f64,
    vertex: Option<OldVertex>,
    momentum: [f32; 3],
    charges: Vec<i32>,
    trigger: [bool; 8],
}

#[derive(RNTuple)]
struct OldVertex {
    z: f64,
    chi2: f64,
}
// ANCHOR_END: old

// ANCHOR: new
/// As the analysis has it today.
#[derive(Debug, PartialEq, RNTuple)]
struct Event {
    /// Was signed.
    run: u32,
    /// Was always there, and twice as precise.
    met: Option<f32>,
    /// Could be missing; its `chi2` is not needed.
    #[rntuple(default)]
    vertex: Vertex,
    /// Had three components, in a fixed array.
    momentum: Vec<f32>,
    /// Had 32 bits, and needs eight.
    charges: Vec<i8>,
    /// Was a bitset.
    trigger: Vec<bool>,
}

#[derive(Debug, Default, PartialEq, RNTuple)]
struct Vertex {
    z: f32,
}
// ANCHOR_END: new

// ANCHOR: refused
/// What a file does not promise is not taken for granted.
#[derive(Debug, RNTuple)]
struct Sure {
    /// Might be missing.
    vertex: Vertex,
    /// Might be of any length.
    charges: [i8; 2],
    /// Might be no integers.
    met: i32,
}
// ANCHOR_END: refused

fn write(change: impl FnOnce(&mut OldEvent)) -> Result<Memory> {
    let mut event = OldEvent {
        run: 7,
        met: 12.5,
        vertex: Some(OldVertex { z: 3.25, chi2: 1.5 }),
        momentum: [1.0, 2.0, 3.0],
        charges: vec![1, -1],
        trigger: [true, false, false, false, false, false, false, true],
    };
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    change(&mut event);
    writer.fill(&event)?;
    Ok(writer.finish_into()?.1)
}

/// What is said of files that cannot be read so: one sentence for each change.
pub(crate) fn refusals() -> Result<String> {
    let changes: [fn(&mut OldEvent); 3] =
        [|event| event.run = -1, |event| event.met = 1e300, |event| event.charges = vec![1, 200]];
    let mut text = String::new();
    for change in changes {
        let reader = Reader::<Event>::open(write(change)?, "Events")?;
        text.push_str(&format!("{}\n", reader.entries().next().unwrap().unwrap_err()));
    }
    Ok(text)
}

/// What is said of a type that asks for more than a file has.
pub(crate) fn refused() -> Result<String> {
    let error = Reader::<Sure>::open(write(|_| ())?, "Events").unwrap_err();
    Ok(format!("{error}\n"))
}

fn main() -> Result<()> {
    let file = write(|_| ())?;
    // ANCHOR: read
    let reader = Reader::<Event>::open(file, "Events")?;
    let event = reader.entries().next().unwrap()?;
    let wanted = Event {
        run: 7,
        met: Some(12.5),
        vertex: Vertex { z: 3.25 },
        momentum: vec![1.0, 2.0, 3.0],
        charges: vec![1, -1],
        trigger: vec![true, false, false, false, false, false, false, true],
    };
    assert_eq!(event, wanted);
    // ANCHOR_END: read
    print!("{}{}", refusals()?, refused()?);
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
