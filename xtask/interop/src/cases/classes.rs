//! C++ classes with bases and versions.

use std::collections::BTreeMap;

use super::Muon;
use crate::record::record;

record! {
    typed struct Particle as "ns::Particle" version 3 {
        pt: f32,
        charge: i8,
    }

    typed struct Tagged as "ns::Tagged" {
        tag: u64,
        weights: Vec<f32>,
    }

    typed struct Jet as "ns::Jet" version 2 {
        #[rntuple(base)]
        particle: Particle = ":_0",
        #[rntuple(base)]
        tagged: Tagged = ":_1",
        mass: f64,
    }

    typed struct BJet as "ns::BJet" {
        #[rntuple(base)]
        jet: Jet = ":_0",
        score: f32,
        name: String,
    }

    /// Its member has the name of one that it inherits.
    typed struct Shadow as "ns::Shadow" version 4_294_967_294 {
        #[rntuple(base)]
        particle: Particle = ":_0",
        pt: f64,
    }

    #[rntuple(untyped)]
    untyped struct Loose {
        jet: Jet,
        width: f32,
    }

    untyped struct Classes {
        particle: Particle => "class with version",
        particles: Vec<Particle> => "Vec of class with version",
        jet: Jet => "class with two bases",
        jets: Vec<Jet> => "Vec of class with two bases",
        b_jet: BJet => "class with a base with bases",
        b_jets: Vec<BJet> => "Vec of class with a base with bases",
        jet_pair: [Jet; 2] => "array of class with two bases",
        map: BTreeMap<u8, Vec<BJet>> => "BTreeMap of Vec of class with bases",
        some: Option<Jet> => "Option of class with two bases",
        shadow: Shadow => "class and base with members of one name",
        loose: Loose => "untyped with a class",
        all_loose: Vec<Loose> => "Vec of untyped with a class",
        muon: Muon => "record",
    }
}
