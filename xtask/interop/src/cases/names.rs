//! What fields are called, and what is said about them.

use super::{Muon, NamedMuon};
use crate::record::record;

record! {
    #[rntuple(rename_all = "camelCase")]
    untyped struct Renamed {
        event_number: u64 = "eventNumber" => "camelCase",
        #[rntuple(rename = "HLT_mu24")]
        trigger: bool = "HLT_mu24" => "rename",
        #[rntuple(rename = "größe", alias = "size")]
        size: Vec<f32> = "größe" => "rename, beyond ASCII",
        kebab: Kebab => "kebab-case in a record",
        kebab_list: Vec<Kebab> = "kebabList" => "kebab-case in a Vec of records",
        screaming: Screaming => "SCREAMING_SNAKE_CASE in a class",
        screaming_list: Vec<Screaming> = "screamingList" => "SCREAMING_SNAKE_CASE in a Vec of a class",
        serde: Serde => "serde's names",
    }

    #[rntuple(rename_all = "kebab-case")]
    untyped struct Kebab {
        transverse_momentum: f32 = "transverse-momentum",
        hit_list: Vec<i16> = "hit-list",
    }

    #[rntuple(rename_all = "SCREAMING_SNAKE_CASE")]
    typed struct Screaming as "ns::Screaming" {
        transverse_momentum: f32 = "TRANSVERSE_MOMENTUM",
        is_good: bool = "IS_GOOD",
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "PascalCase")]
    #[rntuple(serde_compat)]
    untyped struct Serde {
        hit_count: u16 = "HitCount",
        #[serde(rename = "e")]
        energy: f64 = "e",
        #[serde(skip)]
        [unstored] cache: Option<u8>,
    }

    untyped struct Described {
        /// Missing transverse momentum
        #[rntuple(unit = "GeV")]
        met: f32 : "Missing transverse momentum [GeV]" => "doc comment and unit",
        #[rntuple(unit = "µm")]
        x: f64 : "[µm]" => "unit",
        #[rntuple(description = "not \"this\", \\ that")]
        /// This is for readers of the program.
        hits: Vec<i32> : "not \"this\", \\ that" => "description",
        /// The best one
        muon: Measured : "The best one" => "description of a record",
        measured: Vec<Measured> => "unit in a Vec of records",
        class: NamedMeasured => "unit in a class",
    }

    untyped struct Measured {
        /// Transverse momentum
        #[rntuple(unit = "GeV")]
        pt: f32 : "Transverse momentum [GeV]",
        #[rntuple(unit = "GeV/c^2")]
        masses: Vec<f64> : "[GeV/c^2]",
    }

    typed struct NamedMeasured as "ns::Measured" {
        /// Transverse momentum
        #[rntuple(unit = "GeV")]
        pt: f32 : "Transverse momentum [GeV]",
    }

    untyped struct Flattened {
        number: u32,
        #[rntuple(flatten, prefix = "vtx_")]
        [flat "vtx_"] vertex: Corner,
        #[rntuple(flatten)]
        [flat ""] flags: Flags,
        list: Vec<Corner> => "Vec of records with flattened ones",
        corner: NamedCorner => "class with a flattened record",
        last: bool,
    }

    untyped struct Corner {
        /// Along the beam
        #[rntuple(unit = "mm")]
        z: f32 : "Along the beam [mm]" => "flattened, with unit",
        #[rntuple(flatten, prefix = "err_")]
        [flat "err_"] error: Error,
        tracks: Vec<Muon> => "flattened, Vec of records",
        best: NamedMuon => "flattened, class",
    }

    untyped struct Error {
        #[rntuple(f16)]
        z: f32 as crate::stored::Stored::Column("Real16") => "flattened twice, f16",
        #[rntuple(rename = "chi-2")]
        chi_squared: f64 = "chi-2" => "flattened twice, rename",
    }

    untyped struct Flags {
        good: bool => "flattened without prefix",
        words: Vec<String> => "flattened without prefix, Vec",
    }

    typed struct NamedCorner as "ns::Corner" {
        #[rntuple(flatten, prefix = "err_")]
        [flat "err_"] error: Error,
        label: String,
    }
}
