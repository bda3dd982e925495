//! What was written is read again, in every shape that the derive knows.

use std::collections::BTreeMap;

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Muon {
    /// Transverse momentum
    /// in GeV.
    pt: f32,
    #[rntuple(rename = "type")]
    kind: u8,
    #[rntuple(skip)]
    cached: Option<String>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Energy(f32);

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Flag(bool);

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Point(f32, f32, #[rntuple(rename = "z")] f64);

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Nothing;

// No `Copy`, no `Clone`.
#[derive(RNTuple, Debug, PartialEq)]
#[repr(i16)]
enum Side {
    Left = -1,
    Middle,
    Right = 300,
}

#[derive(RNTuple, Debug, PartialEq)]
enum Shape {
    Circle { radius: f32, center: Point },
    Polygon(Vec<Point>),
    Square(f32, f32),
    Nowhere,
}

#[derive(RNTuple, Debug, PartialEq)]
struct Event {
    id: u64,
    muons: Vec<Muon>,
    energy: Energy,
    flags: [Flag; 3],
    points: BTreeMap<u8, Point>,
    nothing: Nothing,
    nothings: Vec<Nothing>,
    side: Side,
    sides: Vec<Side>,
    shape: Shape,
    shapes: Vec<Option<Shape>>,
    boxed: Box<Muon>,
}

fn event(id: u64) -> Event {
    let n = id as f32;
    let point = || Point(n, n + 1.0, -1.0);
    Event {
        id,
        muons: (0..id % 4).map(|i| Muon { pt: i as f32, kind: 7, cached: None }).collect(),
        energy: Energy(n),
        flags: [Flag(id % 2 == 0), Flag(true), Flag(id % 3 == 0)],
        points: (0..(id % 3) as u8).map(|i| (i, point())).collect(),
        nothing: Nothing,
        nothings: vec![Nothing; (id % 5) as usize],
        side: if id % 2 == 0 { Side::Left } else { Side::Right },
        sides: vec![Side::Middle, Side::Left],
        shape: match id % 4 {
            0 => Shape::Circle { radius: n, center: point() },
            1 => Shape::Polygon(vec![point(), point()]),
            2 => Shape::Square(n, 2.0),
            _ => Shape::Nowhere,
        },
        shapes: vec![None, Some(Shape::Square(1.0, n)), Some(Shape::Nowhere)],
        boxed: Box::new(Muon { pt: n, ..Muon::default() }),
    }
}

fn main() -> rntuple::Result<()> {
    let options = WriteOptions::new();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options)?;
    for id in 0..100 {
        writer.fill(&event(id))?;
        if id % 30 == 29 {
            writer.commit_cluster()?;
        }
    }
    let storage = writer.finish_into()?.1;

    let reader = Reader::<Event>::open(storage, "Events")?;
    let mut count = 0;
    for (id, found) in reader.entries().enumerate() {
        assert_eq!(found?, event(id as u64));
        count += 1;
    }
    assert_eq!(count, 100);

    // Any order, and in place.
    let mut slot = event(3);
    slot.muons.iter_mut().for_each(|muon| muon.cached = Some("old".to_owned()));
    for id in [99, 0, 31, 30, 29, 58, 2] {
        assert_eq!(reader.get(id)?, event(id));
        reader.read_into(id, &mut slot)?;
        assert_eq!(slot, event(id));
    }
    Ok(())
}
