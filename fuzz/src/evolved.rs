//! The events of the corpus as a struct of another time reads them: every way in which types may differ.

use rntuple::RNTuple;
use rntuple::cxx::Cardinality;
use rntuple_tests::sample::{Detector, Event, Muon};

/// What is read of each event: numbers of other kinds, collections of other shapes, options and none.
#[derive(Debug, RNTuple)]
#[rntuple(skip_writing, columnar)]
pub(crate) struct Evolved {
    /// Any number fits.
    #[rntuple(convert = "lossy")]
    pub number: Option<u8>,
    /// Losses are allowed.
    #[rntuple(convert = "lossy", alias = "mpt")]
    pub met: i16,
    /// A collection of records with members that files lack.
    pub muons: Vec<Lepton>,
    /// Only how many.
    pub jets: Cardinality,
    /// A bitset as a list.
    pub triggers: Vec<bool>,
    /// An enum that knows less.
    pub process: Outcome,
    /// An array as a list, of other numbers.
    pub shape: Vec<f64>,
    /// Not in any file.
    #[rntuple(default)]
    pub weights: Vec<f32>,
}

/// A muon with more and less.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
pub(crate) struct Lepton {
    /// From a module.
    #[rntuple(with = half)]
    pub pt: f32,
    /// The value, or 0.
    #[rntuple(default)]
    pub isolation: f32,
    /// Not in any file.
    #[rntuple(default = "one")]
    pub quality: u8,
}

/// Numbers that must fit, and arrays as lists in an option.
#[derive(Debug, RNTuple)]
pub(crate) struct Strict {
    /// In bounds.
    pub number: u32,
    /// Perhaps there.
    pub vertex: Option<Place>,
}

/// A vertex of another shape.
#[derive(Debug, RNTuple)]
pub(crate) struct Place {
    /// An array as a list.
    pub position: Vec<f64>,
}

/// The first alternatives, and all others.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
pub(crate) enum Outcome {
    /// As in the file.
    Nothing,
    /// With another number.
    Mass(f32),
    /// Everything that came later.
    #[rntuple(other)]
    Later,
}

/// An enum of newer files.
#[derive(Debug, RNTuple)]
pub(crate) enum Grown {
    /// As in the file.
    Nothing,
    /// As in the file.
    Mass(f64),
    /// As in the file.
    Resonance(u32, Vec<Muon>),
    /// As in the file, with a member that it lacks.
    Jets {
        /// In the file.
        detector: Detector,
        /// Not there.
        #[rntuple(default)]
        jet_count: u32,
    },
    /// No file has it.
    Later(Vec<String>),
}

/// An event of now, or of then.
#[derive(Debug, RNTuple)]
#[rntuple(upgrade_from(Event, when = lacks("run"), try_with = upgrade))]
pub(crate) struct Newest {
    /// No event of then has it.
    pub run: u32,
    /// Another type than then.
    pub process: Grown,
}

/// An event whose enum grew.
#[derive(Debug, RNTuple)]
pub(crate) struct Wider {
    /// Of newer files.
    pub process: Grown,
}

fn upgrade(event: Event) -> Result<Newest, String> {
    match u32::try_from(event.number) {
        Ok(run) => Ok(Newest { run, process: Grown::Nothing }),
        Err(error) => Err(error.to_string()),
    }
}

fn one() -> u8 {
    1
}

/// Energies that are stored twice as large.
mod half {
    pub(super) type Stored = f32;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands references over")]
    pub(super) fn store(value: &f32) -> f32 {
        value * 2.0
    }

    pub(super) fn load(stored: f32) -> Result<f32, &'static str> {
        if stored.is_finite() { Ok(stored / 2.0) } else { Err("not finite") }
    }
}
