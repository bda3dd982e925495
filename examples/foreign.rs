//! Stores types of other crates. Explained in the book, chapter "Types of other crates".

use glam::{Mat3, Vec3};
use num_complex::Complex;
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};
use smallvec::SmallVec;
use uuid::Uuid;

// ANCHOR: flags
bitflags::bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Trigger: u32 {
        const MUON = 1;
        const JET = 2;
    }
}
// Rust wants a line for each type of flags, in the crate that declares it.
rntuple::bitflags_field!(Trigger);
// ANCHOR_END: flags

// ANCHOR: event
#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    id: Uuid,
    trigger: Trigger,
    vertex: Vec3,
    covariance: Mat3,
    amplitude: Complex<f64>,
    leptons: SmallVec<[f32; 4]>,
}
// ANCHOR_END: event

// ANCHOR: plain
/// The same file in the eyes of a program without any of these crates.
#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Plain {
    id: [u8; 16],
    trigger: u32,
    vertex: Position,
    /// Column by column.
    covariance: [f32; 9],
    amplitude: Parts,
    leptons: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Position {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Parts {
    re: f64,
    im: f64,
}
// ANCHOR_END: plain

impl From<Event> for Plain {
    fn from(event: Event) -> Self {
        let Event { id, trigger, vertex: Vec3 { x, y, z }, covariance, amplitude, leptons } = event;
        Self {
            id: id.into_bytes(),
            trigger: trigger.bits(),
            vertex: Position { x, y, z },
            covariance: covariance.to_cols_array(),
            amplitude: Parts { re: amplitude.re, im: amplitude.im },
            leptons: leptons.into_vec(),
        }
    }
}

fn event(number: u8) -> Event {
    Event {
        id: Uuid::from_u128(u128::from(number)),
        trigger: if number.is_multiple_of(2) { Trigger::MUON } else { Trigger::MUON | Trigger::JET },
        vertex: Vec3::new(0.01, -0.02, f32::from(number)),
        covariance: Mat3::from_diagonal(Vec3::new(1e-6, 1e-6, 2e-3)),
        amplitude: Complex::new(0.6, -0.8),
        leptons: (0..number % 6).map(|lepton| 45.0 - f32::from(lepton)).collect(),
    }
}

fn main() -> Result<()> {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    for number in 0..100 {
        writer.fill(&event(number))?;
    }
    let (_, storage) = writer.finish_into()?;

    let events = Reader::<Event>::open(storage.clone(), "Events")?;
    for (number, read) in (0..).zip(events.entries()) {
        assert_eq!(read?, event(number));
    }
    let plain = Reader::<Plain>::open(storage, "Events")?;
    for (number, read) in (0..).zip(plain.entries()) {
        assert_eq!(read?, event(number).into());
    }
    println!("{} events, with and without the crates of their types", plain.entry_count()?);
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
