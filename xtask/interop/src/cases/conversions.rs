//! Members that are stored as something else, or not at all, or are read as something else.

use std::time::Duration;

use rntuple::{Compression, RNTuple, Writer};
use serde_json::{Value as Json, json};

use crate::Result;
use crate::case::{Ntuple, Recipe, write_as};
use crate::json::float;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::{newtypes, record};
use crate::sample::Sample;
use crate::shape::Shape;

/// Times as nanoseconds.
pub(crate) mod nanoseconds {
    use std::num::TryFromIntError;
    use std::time::Duration;

    pub(crate) type Stored = u64;

    pub(crate) fn store(time: &Duration) -> u64 {
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn load(nanoseconds: u64) -> Result<Duration, TryFromIntError> {
        Ok(Duration::from_nanos(nanoseconds))
    }
}

/// A temperature, stored in kelvins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Celsius(f64);

newtypes! {
    Kelvin(f32);
}

impl From<Celsius> for Kelvin {
    #[expect(clippy::cast_possible_truncation, reason = "a single is enough")]
    fn from(Celsius(degrees): Celsius) -> Self {
        Self((degrees + 273.15) as f32)
    }
}

impl TryFrom<Kelvin> for Celsius {
    type Error = String;

    fn try_from(Kelvin(kelvins): Kelvin) -> Result<Self, String> {
        if kelvins < 0.0 {
            return Err(format!("{kelvins} K"));
        }
        Ok(Self(f64::from(kelvins) - 273.15))
    }
}

/// Two numbers, stored as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Release(u16, u16);

impl From<Release> for String {
    fn from(Release(major, minor): Release) -> Self {
        format!("v{major}.{minor}")
    }
}

impl TryFrom<String> for Release {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (major, minor) = text.trim_start_matches('v').split_once('.').unwrap_or_default();
        Ok(Self(major.parse()?, minor.parse()?))
    }
}

impl Model for Duration {
    fn shape(compressed: bool) -> Shape {
        u64::shape(compressed)
    }

    fn json(&self, _: Side) -> Json {
        json!(self.as_secs() * 1_000_000_000 + u64::from(self.subsec_nanos()))
    }
}

impl Sample for Duration {
    fn sample(random: &mut Random) -> Self {
        Self::from_nanos(Sample::sample(random))
    }
}

impl Model for Celsius {
    fn shape(compressed: bool) -> Shape {
        f32::shape(compressed)
    }

    fn json(&self, _: Side) -> Json {
        #[expect(clippy::cast_possible_truncation, reason = "what is stored")]
        let kelvins = (self.0 + 273.15) as f32;
        float(f64::from(kelvins))
    }
}

impl Sample for Celsius {
    fn sample(random: &mut Random) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "any temperature will do")]
        let degrees = random.below(1_000_000) as f64 / 1000.0 - 200.0;
        Self(degrees)
    }
}

impl Model for Release {
    fn shape(compressed: bool) -> Shape {
        String::shape(compressed)
    }

    fn json(&self, _: Side) -> Json {
        json!(format!("v{}.{}", self.0, self.1))
    }
}

impl Sample for Release {
    fn sample(random: &mut Random) -> Self {
        Self(Sample::sample(random), Sample::sample(random))
    }
}

record! {
    untyped struct Converted {
        #[rntuple(with = nanoseconds)]
        time: Duration => "with",
        #[rntuple(with = nanoseconds, unit = "ns", encoding = "UInt64")]
        /// Since the start
        elapsed: Duration : "Since the start [ns]" as crate::stored::Stored::Column("UInt64") => "with, unit, encoding",
        #[rntuple(into = "Kelvin", try_from = "Kelvin")]
        temperature: Celsius => "into, try_from",
        #[rntuple(into = "String", try_from = "String", rename = "release-name")]
        release: Release = "release-name" => "into, try_from: String",
        cooling: Vec<Cooling> => "Vec of records with into",
    }

    untyped struct Cooling {
        #[rntuple(into = "Kelvin", try_from = "Kelvin")]
        inlet: Celsius,
        flow: f32,
    }

    untyped struct Skipping {
        kept: u32 => "u32 beside skipped members",
        #[rntuple(skip)]
        [unstored] cache: Option<f32>,
        #[rntuple(skip_writing, default)]
        [unstored] later: Vec<u8>,
        #[rntuple(skip_reading)]
        monitor: Vec<f32> => "skip_reading",
        parts: Vec<Part> => "Vec of records with skipped members",
    }

    untyped struct Part {
        #[rntuple(skip)]
        [unstored] state: u8,
        size: i16,
    }

    /// All that [`Skipping`] stores.
    #[rntuple(deny_unknown_fields, crate = ::rntuple)]
    untyped struct Skipped {
        parts: Vec<Part>,
        monitor: Vec<f32>,
        kept: u32,
    }

    #[rntuple(skip_reading)]
    untyped struct Old {
        #[rntuple(rename = "pT")]
        pt: f32 = "pT" => "read under an alias",
        number: u32 => "read as u64",
        count: i64 => "read with `convert`",
        time: u64 => "read by `with`",
        hits: Vec<u16> => "read as VecDeque<u32>",
        jet: OldJet => "read by `upgrade_from`",
        jets: Vec<OldJet> => "Vec read by `upgrade_from`",
    }

    typed struct OldJet as "ns::Jet" version 1 {
        pt: f32,
        charge: i8,
    }

    /// [`Old`], years later.
    #[rntuple(skip_writing)]
    untyped struct New {
        #[rntuple(alias = "p_t", alias = "pT")]
        pt: f32 = "pT",
        number: u64,
        #[rntuple(convert = "lossy")]
        count: i64,
        #[rntuple(with = nanoseconds)]
        time: Duration,
        hits: std::collections::VecDeque<u32>,
        #[rntuple(default)]
        [unstored] trigger: Option<String>,
        jet: NewJet,
        jets: Vec<NewJet>,
    }
}

/// What [`OldJet`] became.
#[derive(Clone, Debug, RNTuple)]
#[rntuple(type_name = "ns::Jet", version = 2, upgrade_from(OldJet, when = version(1)))]
pub(crate) struct NewJet {
    transverse_momentum: f32,
    charge: i8,
}

impl Model for NewJet {
    fn shape(compressed: bool) -> Shape {
        OldJet::shape(compressed)
    }

    /// As it is in the files that it is compared with.
    fn json(&self, side: Side) -> Json {
        OldJet { pt: self.transverse_momentum, charge: self.charge }.json(side)
    }
}

impl Sample for NewJet {
    fn sample(random: &mut Random) -> Self {
        OldJet::sample(random).into()
    }
}

impl From<OldJet> for NewJet {
    fn from(OldJet { pt, charge }: OldJet) -> Self {
        Self { transverse_momentum: pt, charge }
    }
}

pub(super) fn skipping(file: &std::path::Path, settings: Compression) -> Result<Vec<Ntuple>> {
    let recipe = Recipe::new(settings);
    let writer = Writer::<Skipping>::create(file, "entries", recipe.options.clone())?;
    Ok(vec![write_as::<_, Skipped>(writer, "entries", &recipe)?])
}

pub(super) fn evolving(file: &std::path::Path, settings: Compression) -> Result<Vec<Ntuple>> {
    let recipe = Recipe::new(settings);
    let writer = Writer::<Old>::create(file, "entries", recipe.options.clone())?;
    Ok(vec![write_as::<_, New>(writer, "entries", &recipe)?])
}
