//! Enums with data whose variants have attributes.

use rntuple::RNTuple;
use serde_json::{Value as Json, json};

use super::Muon;
use crate::json::{object, variant};
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::record;
use crate::sample::Sample;
use crate::shape::Shape;
use crate::stored::Stored;

/// Numbers that are not positions, names that are not idents.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Ordered {
    #[rntuple(tag = 2)]
    Text(String),
    /// A circle and all inside
    #[rntuple(tag = 0, type_name = "geo::Disc")]
    Disc {
        #[rntuple(rename = "r", unit = "mm")]
        radius: f32,
        inner: Option<f64>,
    },
    /// Not this.
    #[rntuple(tag = 1, rename = "Numbers", description = "in the order of time")]
    Many(Vec<i32>),
}

impl Model for Ordered {
    fn shape(compressed: bool) -> Shape {
        let disc = vec![
            ("r", f32::shape(compressed).described("[mm]")),
            ("inner", Option::<f64>::shape(compressed)),
        ];
        Shape::variant(vec![
            ("Disc: A circle and all inside", Shape::class("geo::Disc", disc)),
            ("Numbers: in the order of time", Vec::<i32>::shape(compressed)),
            ("Text", String::shape(compressed)),
        ])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Disc { radius, inner } => {
                variant(1, object([("r", radius.json(side)), ("inner", inner.json(side))]))
            }
            Self::Many(numbers) => variant(2, numbers.json(side)),
            Self::Text(text) => variant(3, text.json(side)),
        }
    }
}

impl Sample for Ordered {
    fn sample(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Text(Sample::sample(random)),
            1 => Self::Disc { radius: Sample::sample(random), inner: Sample::sample(random) },
            _ => Self::Many(Sample::sample(random)),
        }
    }
}

/// With a variant for what is none of the others: stored without a value.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Open {
    Number(i64),
    #[rntuple(other)]
    Unknown,
    Text(String),
}

impl Model for Open {
    fn shape(compressed: bool) -> Shape {
        Shape::variant(vec![("Number", i64::shape(compressed)), ("Text", String::shape(compressed))])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Number(number) => variant(1, number.json(side)),
            Self::Text(text) => variant(2, text.json(side)),
            Self::Unknown => variant(0, json!(null)),
        }
    }
}

impl Sample for Open {
    fn sample(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Number(Sample::sample(random)),
            1 => Self::Text(Sample::sample(random)),
            _ => Self::Unknown,
        }
    }
}

/// Rules for names, and encodings.
#[derive(Clone, Debug, RNTuple)]
#[rntuple(type_name = "ns::Signal", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum Signal {
    RawPulse {
        start_time: f64,
        sample_list: Vec<u16>,
    },
    #[rntuple(rename_all = "UPPERCASE")]
    FittedPulse {
        amplitude: f32,
    },
    /// What is left
    PileUp(#[rntuple(f16)] Vec<f32>),
}

impl Model for Signal {
    fn shape(compressed: bool) -> Shape {
        let raw = vec![("startTime", f64::shape(compressed)), ("sampleList", Vec::<u16>::shape(compressed))];
        let fitted = vec![("AMPLITUDE", f32::shape(compressed))];
        Shape::variant(vec![
            ("raw_pulse", Shape::class("ns::Signal::RawPulse", raw)),
            ("fitted_pulse", Shape::class("ns::Signal::FittedPulse", fitted)),
            ("pile_up: What is left", Vec::<f32>::shape(compressed).stored(Stored::Column("Real16"))),
        ])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::RawPulse { start_time, sample_list } => {
                let members = [("startTime", start_time.json(side)), ("sampleList", sample_list.json(side))];
                variant(1, object(members))
            }
            Self::FittedPulse { amplitude } => variant(2, object([("AMPLITUDE", amplitude.json(side))])),
            Self::PileUp(samples) => {
                let json = samples.json(side);
                let stored = Stored::Column("Real16");
                variant(3, if side == Side::Stored { stored.value(json, false) } else { json })
            }
        }
    }
}

impl Sample for Signal {
    fn sample(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::RawPulse { start_time: Sample::sample(random), sample_list: Sample::sample(random) },
            1 => Self::FittedPulse { amplitude: Sample::sample(random) },
            _ => Self::PileUp(Sample::sample(random)),
        }
    }
}

record! {
    untyped struct Alternatives {
        ordered: Ordered => "index, rename, type_name",
        all_ordered: Vec<Ordered> => "Vec of index, rename, type_name",
        open: Open => "other: no value",
        all_open: Vec<Open> => "Vec of other: no value",
        some_open: Option<Open> => "Option of other: no value",
        open_pair: (Open, u8) => "(other: no value, u8)",
        signal: Signal => "rename_all, rename_all_fields",
        signals: Vec<Signal> => "Vec of rename_all, rename_all_fields",
        muon: Muon => "record",
    }
}
