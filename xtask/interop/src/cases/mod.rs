//! The types of the run, a file for each kind of type.

mod alternatives;
mod arrays;
mod classes;
mod collections;
mod conversions;
mod encodings;
mod enums;
mod libraries;
mod names;
mod pointers;
mod precision;
mod records;
mod scalars;
mod strings;
mod tuples;
mod variants;

use std::path::Path;

use rntuple::field::ReadField;
use rntuple::{Compression, Writer};

use crate::Result;
use crate::case::{Entry, Ntuple, Recipe, write_as, write_file};

pub(crate) use records::{Muon, NamedMuon};
pub(crate) use variants::Choice;

/// A set of types that is written with every codec.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) write: fn(&Path, Compression) -> Result<Vec<Ntuple>>,
}

fn all<T: Entry + ReadField>(file: &Path, settings: Compression) -> Result<Vec<Ntuple>> {
    write_file::<T>(file, "entries", &Recipe::new(settings))
}

fn borrowed(file: &Path, settings: Compression) -> Result<Vec<Ntuple>> {
    let recipe = Recipe::new(settings);
    let writer = Writer::<strings::Borrowed<'static>>::create(file, "entries", recipe.options.clone())?;
    Ok(vec![write_as::<_, strings::Owned>(writer, "entries", &recipe)?])
}

/// Every case.
pub(crate) const CASES: &[Case] = &[
    Case { name: "scalars", write: all::<scalars::Scalars> },
    Case { name: "strings", write: all::<strings::Strings> },
    Case { name: "borrowed", write: borrowed },
    Case { name: "collections", write: all::<collections::Collections> },
    Case { name: "maps", write: all::<collections::Maps> },
    Case { name: "pointers", write: all::<pointers::Pointers> },
    Case { name: "arrays", write: all::<arrays::Arrays> },
    Case { name: "bitsets", write: all::<arrays::Bitsets> },
    Case { name: "tuples", write: all::<tuples::Tuples> },
    Case { name: "untyped-records", write: all::<records::Untyped> },
    Case { name: "typed-records", write: all::<records::Typed> },
    Case { name: "enums", write: all::<enums::Enums> },
    Case { name: "variants", write: all::<variants::Variants> },
    Case { name: "column-types", write: all::<encodings::ColumnTypes> },
    Case { name: "truncated", write: all::<encodings::Truncated> },
    Case { name: "quantised", write: all::<encodings::Quantised> },
    Case { name: "renamed", write: all::<names::Renamed> },
    Case { name: "described", write: all::<names::Described> },
    Case { name: "flattened", write: all::<names::Flattened> },
    Case { name: "classes", write: all::<classes::Classes> },
    Case { name: "precision", write: all::<precision::Precision> },
    Case { name: "double32", write: all::<precision::Doubles> },
    Case { name: "codecs", write: all::<precision::Codecs> },
    Case { name: "converted", write: all::<conversions::Converted> },
    Case { name: "skipped", write: conversions::skipping },
    Case { name: "evolved", write: conversions::evolving },
    Case { name: "alternatives", write: all::<alternatives::Alternatives> },
    Case { name: "libraries", write: all::<libraries::Libraries> },
];
