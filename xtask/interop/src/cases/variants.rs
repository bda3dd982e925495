//! Enums with data.

use std::collections::BTreeMap;

use rntuple::RNTuple;
use serde_json::Value as Json;

use super::{Muon, NamedMuon};
use crate::json::{object, variant};
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::record;
use crate::sample::Sample;
use crate::shape::Shape;

/// Alternatives of one value each, of which every reader can make something.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Choice {
    Number(i64),
    Text(String),
    List(Vec<f32>),
}

impl Model for Choice {
    fn shape(compressed: bool) -> Shape {
        Shape::variant(vec![
            ("Number", i64::shape(compressed)),
            ("Text", String::shape(compressed)),
            ("List", Vec::<f32>::shape(compressed)),
        ])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Number(value) => variant(1, value.json(side)),
            Self::Text(value) => variant(2, value.json(side)),
            Self::List(value) => variant(3, value.json(side)),
        }
    }
}

impl Sample for Choice {
    fn sample(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Number(Sample::sample(random)),
            1 => Self::Text(Sample::sample(random)),
            _ => Self::List(Sample::sample(random)),
        }
    }
}

/// One alternative of each kind.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Figure {
    Nothing,
    Circle(f32),
    Rectangle { width: f32, height: f32 },
    Segment(i32, i32),
}

impl Model for Figure {
    fn shape(compressed: bool) -> Shape {
        let (single, long) = (f32::shape(compressed), i32::shape(compressed));
        let rectangle = vec![("width", single.clone()), ("height", single.clone())];
        let segment = vec![("_0", long.clone()), ("_1", long)];
        Shape::variant(vec![
            ("Nothing", Shape::class("Figure::Nothing", Vec::new())),
            ("Circle", single),
            ("Rectangle", Shape::class("Figure::Rectangle", rectangle)),
            ("Segment", Shape::class("Figure::Segment", segment)),
        ])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Nothing => variant(1, object([])),
            Self::Circle(radius) => variant(2, radius.json(side)),
            Self::Rectangle { width, height } => {
                variant(3, object([("width", width.json(side)), ("height", height.json(side))]))
            }
            Self::Segment(from, to) => variant(4, object([("_0", from.json(side)), ("_1", to.json(side))])),
        }
    }
}

impl Sample for Figure {
    fn sample(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::Nothing,
            1 => Self::Circle(Sample::sample(random)),
            2 => Self::Rectangle { width: Sample::sample(random), height: Sample::sample(random) },
            _ => Self::Segment(Sample::sample(random), Sample::sample(random)),
        }
    }
}

/// An enum in a collection in an enum.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Drawing {
    Title(String),
    Figures(Vec<Figure>),
}

impl Model for Drawing {
    fn shape(compressed: bool) -> Shape {
        Shape::variant(vec![
            ("Title", String::shape(compressed)),
            ("Figures", Vec::<Figure>::shape(compressed)),
        ])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Title(title) => variant(1, title.json(side)),
            Self::Figures(figures) => variant(2, figures.json(side)),
        }
    }
}

impl Sample for Drawing {
    fn sample(random: &mut Random) -> Self {
        if bool::sample(random) {
            Self::Title(Sample::sample(random))
        } else {
            Self::Figures(Sample::sample(random))
        }
    }
}

/// An enum with type parameters.
#[derive(Clone, Debug, RNTuple)]
pub(crate) enum Either<A, B> {
    Left(A),
    Right(B),
}

impl<A: Model, B: Model> Model for Either<A, B> {
    fn shape(compressed: bool) -> Shape {
        Shape::variant(vec![("Left", A::shape(compressed)), ("Right", B::shape(compressed))])
    }

    fn json(&self, side: Side) -> Json {
        match self {
            Self::Left(value) => variant(1, value.json(side)),
            Self::Right(value) => variant(2, value.json(side)),
        }
    }
}

impl<A: Sample, B: Sample> Sample for Either<A, B> {
    fn sample(random: &mut Random) -> Self {
        if bool::sample(random) { Self::Left(A::sample(random)) } else { Self::Right(B::sample(random)) }
    }
}

record! {
    untyped struct Variants {
        choice: Choice => "enum of values",
        choices: Vec<Choice> => "Vec<enum of values>",
        array: [Choice; 2] => "[enum of values; 2]",
        pair: (Choice, u8) => "(enum of values, u8)",
        map: BTreeMap<u8, Choice> => "BTreeMap<u8, enum of values>",
        some: Option<Choice> => "Option<enum of values>",
        figure: Figure => "enum of every kind",
        figures: Vec<Figure> => "Vec<enum of every kind>",
        drawing: Drawing => "enum in Vec in enum",
        drawings: Vec<Drawing> => "Vec<enum in Vec in enum>",
        numbers: Either<i32, f64> => "generic enum of numbers",
        booleans: Either<bool, String> => "generic enum of bool and String",
        muons: Either<Muon, String> => "generic enum with a record",
        named_muons: Either<NamedMuon, String> => "generic enum with a typed record",
        nested: Either<Either<String, bool>, Vec<bool>> => "generic enum in enum",
    }
}
