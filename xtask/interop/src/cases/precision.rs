//! Encodings asked for members, newtypes, and whole structs; and codecs.

use std::collections::BTreeMap;

use rntuple::RNTuple;
use serde_json::Value as Json;

use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::{newtypes, record};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::stored::Stored::{All, Column, Compressed, Double32, Index, Quantized, Truncated, Uncompressed};

newtypes! {
    Half(#[rntuple(f16)] f32 as Column("Real16"));
    Eta(#[rntuple(quantize(bits = 14, min = -5.0, max = 5.0))] f32 as Quantized(14, -5.0, 5.0));
    Rough(#[rntuple(truncate(bits = 12))] Vec<f32> as Truncated(12));
    Exact(#[rntuple(encoding = "Real64")] f64 as Column("Real64"));
    Names(#[rntuple(offsets = "SplitIndex32")] Vec<String> as Index("SplitIndex32"));
    Short(#[rntuple(double32)] f64 as Double32);
}

/// Stored as its energy.
#[derive(Clone, Debug, RNTuple)]
#[rntuple(transparent)]
pub(crate) struct Calibrated {
    #[rntuple(truncate(bits = 20))]
    energy: f32,
    #[rntuple(skip)]
    is_calibrated: bool,
}

impl Model for Calibrated {
    fn shape(compressed: bool) -> Shape {
        f32::shape(compressed).stored(Truncated(20))
    }

    fn json(&self, side: Side) -> Json {
        let json = self.energy.json(side);
        if side == Side::Stored { Truncated(20).value(json, false) } else { json }
    }
}

impl Sample for Calibrated {
    fn sample(random: &mut Random) -> Self {
        Self { energy: Sample::sample(random), is_calibrated: true }
    }
}

record! {
    untyped struct Precision {
        half: Half => "newtype, f16",
        halves: Vec<Half> => "Vec of newtype, f16",
        half_pair: [Half; 2] => "array of newtype, f16",
        eta: Eta => "newtype, quantize",
        etas: Vec<Option<Eta>> => "Vec of Option of newtype, quantize",
        rough: Rough => "newtype of Vec, truncate",
        all_rough: Vec<Rough> => "Vec of newtype of Vec, truncate",
        exact: Exact => "newtype, encoding",
        names: Names => "newtype of Vec, index",
        calibrated: Calibrated => "transparent, truncate",
        all_calibrated: Vec<Calibrated> => "Vec of transparent, truncate",
        #[rntuple(f16)]
        point: Point as Column("Real16") => "record, f16",
        #[rntuple(truncate(bits = 16), offsets = "Index32", encoding = "UInt32")]
        cells: Vec<Cell> as All(&[Truncated(16), Index("Index32"), Column("UInt32")])
            => "Vec of records, several encodings",
        #[rntuple(quantize(bits = 10, min = 0.0, max = 1.0))]
        map: BTreeMap<u8, f32> as Quantized(10, 0.0, 1.0) => "BTreeMap, quantize",
        #[rntuple(encoding = "SplitInt32")]
        counts: Vec<(i32, u8)> as Column("SplitInt32") => "Vec of tuples, encoding",
    }

    untyped struct Point {
        x: f32,
        y: f32,
    }

    untyped struct Cell {
        energy: f32,
        #[rntuple(truncate(bits = 11))]
        rough: f32 as Truncated(11),
        id: u32,
        #[rntuple(offsets = "SplitIndex64")]
        times: Vec<f32> as Index("SplitIndex64"),
    }

    untyped struct Doubles {
        #[rntuple(double32)]
        one: f64 as Double32 => "f64",
        short: Short => "newtype",
        shorts: Vec<Short> => "Vec of newtype",
        #[rntuple(double32)]
        list: Vec<f64> as Double32 => "Vec<f64>",
        #[rntuple(double32)]
        lists: Vec<Vec<f64>> as Double32 => "Vec<Vec<f64>>",
        #[rntuple(double32)]
        array: [f64; 3] as Double32 => "[f64; 3]",
        #[rntuple(double32)]
        some: Option<f64> as Double32 => "Option<f64>",
        #[rntuple(double32)]
        map: BTreeMap<u8, f64> as Double32 => "BTreeMap<u8, f64>",
        #[rntuple(double32)]
        pair: (f64, u8) as Double32 => "(f64, u8)",
        wide: f64 => "f64 beside",
        cell: NamedCell => "class with a Double32_t",
        cells: Vec<NamedCell> => "Vec of class with a Double32_t",
    }

    typed struct NamedCell as "ns::Cell" {
        #[rntuple(double32)]
        energy: f64 as Double32,
        #[rntuple(double32)]
        times: Vec<f64> as Double32,
        id: u32,
    }

    untyped struct Codecs {
        number: u64,
        #[rntuple(compression = "none")]
        waveform: Vec<u16> as Uncompressed => "compression = none",
        #[rntuple(compression = "lz4:4")]
        lz4: Vec<f32> as Compressed => "compression = lz4",
        #[rntuple(compression = "zlib:6")]
        zlib: Vec<i32> as Compressed => "compression = zlib",
        #[rntuple(compression = "lzma:6")]
        lzma: Vec<String> as Compressed => "compression = lzma",
        #[rntuple(compression = "zstd:9")]
        zstd: Vec<Cell> as Compressed => "compression = zstd, records",
        #[rntuple(compression = "none")]
        points: Vec<Point> as Uncompressed => "compression = none, records",
    }
}
