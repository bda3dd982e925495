//! Structs with and without a C++ class.

use std::collections::BTreeMap;

use rntuple::RNTuple;
use serde_json::Value as Json;

use crate::json::object;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::{newtypes, record};
use crate::sample::Sample;
use crate::shape::Shape;

record! {
    untyped struct Muon {
        pt: f32,
        charge: i8,
    }

    typed struct NamedMuon as "ns::Muon" {
        pt: f32,
        charge: i8,
    }

    untyped struct Vertex {
        position: [f64; 3],
        tracks: Vec<Muon>,
        label: String,
    }

    typed struct NamedVertex as "Vertex" {
        position: [f64; 3],
        tracks: Vec<NamedMuon>,
        label: String,
    }

    untyped struct Untyped {
        muon: Muon,
        vertex: Vertex,
        muons: Vec<Muon>,
        vertices: Vec<Vertex>,
        twice: Vec<Vec<Muon>>,
        energy: Energy,
        energies: Vec<Energy>,
        flags: [Flag; 6],
        point: Point,
        points: Vec<Point>,
        nothing: Nothing,
        generic: Both<u8, String> => "generic Both<u8, String>",
        generics: Vec<Both<f32, Vec<Muon>>> => "generic Vec<Both<f32, Vec<Muon>>>",
        map: BTreeMap<u8, Vec<Muon>>,
        pairs: Vec<Option<[Muon; 2]>>,
    }

    untyped struct Typed {
        muon: NamedMuon,
        vertex: NamedVertex,
        muons: Vec<NamedMuon>,
        vertices: Vec<NamedVertex>,
        twice: Vec<Vec<NamedMuon>>,
        map: BTreeMap<u8, Vec<NamedMuon>>,
        pairs: Vec<Option<[NamedMuon; 2]>>,
        generic: NamedBoth<u8, String> => "generic NamedBoth<u8, String>",
        point: NamedPoint,
        nothing: NamedNothing,
    }
}

newtypes! {
    Energy(f32);
    Flag(bool);
}

/// Structs with members that have numbers, or none.
macro_rules! tuple_structs {
    ($($(#[$meta:meta])* $name:ident($($member:ident $number:literal: $type:ty),*) = $shape:expr;)*) => {$(
        #[derive(Clone, Debug, RNTuple)]
        $(#[$meta])*
        pub(crate) struct $name($($type),*);

        impl Model for $name {
            fn shape(compressed: bool) -> Shape {
                let _ = compressed;
                let shape: fn(Vec<(&str, Shape)>) -> Shape = $shape;
                shape(vec![$(($number, <$type>::shape(compressed))),*])
            }

            fn json(&self, side: Side) -> Json {
                let _ = side;
                let Self($($member),*) = self;
                object([$(($number, $member.json(side))),*])
            }
        }

        impl Sample for $name {
            fn sample(random: &mut Random) -> Self {
                let _ = &random;
                Self($(<$type>::sample(random)),*)
            }
        }
    )*};
}

tuple_structs! {
    Point(x "_0": f32, y "_1": f64) = |members| Shape::record("Point", members);
    #[rntuple(type_name = "Point")]
    NamedPoint(x "_0": f32, y "_1": f64) = |members| Shape::class("Point", members);
    Nothing() = |members| Shape::record("Nothing", members);
    #[rntuple(type_name = "Nothing")]
    NamedNothing() = |members| Shape::class("Nothing", members);
}

/// Structs with type parameters.
macro_rules! generics {
    ($($(#[$meta:meta])* $name:ident = $shape:expr;)*) => {$(
        #[derive(Clone, Debug, RNTuple)]
        $(#[$meta])*
        pub(crate) struct $name<A, B> {
            first: A,
            second: B,
        }

        impl<A: Model, B: Model> Model for $name<A, B> {
            fn shape(compressed: bool) -> Shape {
                let (first, second) = (A::shape(compressed), B::shape(compressed));
                let arguments = format!("<{},{}>", first.name, second.name);
                let shape: fn(&str, Vec<(&str, Shape)>) -> Shape = $shape;
                shape(&arguments, vec![("first", first), ("second", second)])
            }

            fn json(&self, side: Side) -> Json {
                object([("first", self.first.json(side)), ("second", self.second.json(side))])
            }
        }

        impl<A: Sample, B: Sample> Sample for $name<A, B> {
            fn sample(random: &mut Random) -> Self {
                Self { first: A::sample(random), second: B::sample(random) }
            }
        }
    )*};
}

generics! {
    Both = |arguments, members| Shape::record(&format!("Both{arguments}"), members);
    #[rntuple(type_name = "ns::Both")]
    NamedBoth = |arguments, members| Shape::class(&format!("ns::Both{arguments}"), members);
}
