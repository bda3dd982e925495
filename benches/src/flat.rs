//! The flat event: twenty scalars, 98 bytes.

use parquet_derive::{ParquetRecordReader, ParquetRecordWriter};
use rntuple::RNTuple;

use crate::random::Random;

/// A lepton pair and what was measured with it.
#[derive(RNTuple, ParquetRecordWriter, ParquetRecordReader, Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the names are those of every ntuple of lepton pairs")]
#[rntuple(columnar)]
pub struct FlatEvent {
    pub run: u32,
    pub event: u64,
    pub weight: f64,
    pub time: f64,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub met: f32,
    pub met_phi: f32,
    pub pt1: f32,
    pub eta1: f32,
    pub phi1: f32,
    pub pt2: f32,
    pub eta2: f32,
    pub phi2: f32,
    pub mass: f32,
    pub charge: i32,
    pub jets: u32,
    pub good: bool,
    pub tight: bool,
}

/// Bytes of payload of one.
pub const FLAT_PAYLOAD: u64 = 98;

/// `count` events, the same ones every time.
pub fn flat_events(count: u64) -> Vec<FlatEvent> {
    let mut random = Random::new(20_261_122);
    (0..count).map(|number| event(number, &mut random)).collect()
}

fn event(number: u64, random: &mut Random) -> FlatEvent {
    FlatEvent {
        run: 362_760 + (number / 50_000) as u32,
        event: number,
        weight: 0.5 + random.unit(),
        time: 1.7e9 + 1e-3 * number as f64 + 1e-3 * random.unit(),
        x: random.unit(),
        y: random.unit(),
        z: 50.0 * random.unit(),
        met: random.falling(30.0),
        met_phi: random.angle(),
        pt1: 20.0 + random.falling(25.0),
        eta1: random.between(-2.5, 2.5),
        phi1: random.angle(),
        pt2: 10.0 + random.falling(15.0),
        eta2: random.between(-2.5, 2.5),
        phi2: random.angle(),
        mass: 60.0 + random.falling(30.0),
        charge: if random.below(2) == 0 { -1 } else { 1 },
        jets: random.below(11) as u32,
        good: random.below(20) > 0,
        tight: random.below(10) < 8,
    }
}
