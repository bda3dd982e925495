//! All attributes together, under lints that forbid almost everything.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_lifetimes,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop,
    trivial_casts,
    trivial_numeric_casts,
    unnameable_types,
    unused_results,
    variant_size_differences,
    redundant_lifetimes,
    redundant_imports,
    non_ascii_idents,
    unused_extern_crates,
    unused_import_braces,
    unit_bindings,
    ambiguous_negative_literals,
    let_underscore_drop,
    macro_use_extern_crate,
    non_local_definitions,
    unused_macro_rules,
    absolute_paths_not_starting_with_crate,
    missing_abi,
    meta_variable_misuse,
    keyword_idents,
    unreachable_patterns,
    unreachable_code,
    unused_mut,
    unused_parens,
    unused_braces,
    rust_2024_compatibility
)]
#![forbid(unsafe_code, missing_docs, unused_must_use)]

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

/// Milliseconds as text.
pub mod text {
    /// What is stored.
    pub type Stored = String;

    /// Writes.
    #[must_use]
    pub fn store(value: &u32) -> String {
        value.to_string()
    }

    /// Reads.
    ///
    /// # Errors
    /// No number.
    pub fn load(stored: String) -> Result<u32, std::num::ParseIntError> {
        stored.parse()
    }
}

/// Version one.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(version = 1, type_name = "phys::Event")]
pub struct EventV1 {
    /// The run.
    pub run: u32,
}

/// Version two.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(version = 2, type_name = "phys::EventTwo")]
pub struct EventV2 {
    /// The run.
    pub run_of_two: u32,
}

/// Where.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(untyped, default, rename_all = "PascalCase")]
pub struct Vertex {
    /// Along.
    #[rntuple(unit = "cm", quantize(bits = 16, min = -100, max = 100.0))]
    pub x: f32,
    /// Across.
    #[rntuple(unit = "cm", convert = "lossy", alias = "Ypsilon")]
    pub y: f32,
}

/// Base.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(type_name = "phys::Particle")]
pub struct Particle {
    /// Momentum.
    pub pt: f32,
}

/// Derived.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(type_name = "phys::Muon", deny_unknown_fields, default = no_muon)]
pub struct Muon {
    /// Charge.
    pub charge: i8,
    /// What it is.
    #[rntuple(base)]
    pub particle: Particle,
}

/// One value.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(transparent)]
pub struct Energy {
    /// Value.
    #[rntuple(double32, unit = "GeV")]
    pub value: f64,
    #[rntuple(skip)]
    cache: u8,
}

/// Plain.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(type_name = "phys::Side", rename_all = "snake_case")]
#[repr(u8)]
pub enum Side {
    /// L.
    #[default]
    LeftSide,
    /// R.
    #[rntuple(rename = "Right")]
    RightSide,
    /// O.
    #[rntuple(other)]
    Unknown,
}

/// Data.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Default)]
#[rntuple(rename_all_fields = "camelCase")]
pub enum Hit {
    /// Strip.
    #[rntuple(tag = 1, description = "a strip")]
    Strip(#[rntuple(encoding = "UInt32", compression = "none")] u32),
    /// Pixel.
    #[rntuple(tag = 0, type_name = "phys::Pixel", rename = "Pix")]
    Pixel {
        /// Across.
        row_number: u16,
        /// Along.
        #[rntuple(rename = "col", default)]
        column: u16,
        /// Not kept.
        #[rntuple(skip)]
        cache: bool,
    },
    /// Pair.
    #[rntuple(tag = 2, rename_all = "UPPERCASE")]
    Pair(f32, #[rntuple(f16)] f32),
    /// Else.
    #[default]
    #[rntuple(other)]
    Unknown,
}

fn seven() -> u8 {
    7
}

/// Everything.
#[derive(RNTuple, Debug, Clone, PartialEq)]
#[rntuple(
    type_name = "phys::EventThree",
    version = 3,
    upgrade_from(EventV2, when = has("run_of_two")),
    upgrade_from(EventV1, when = has("run"), with = from_first),
    rename_all = "camelCase"
)]
pub struct Event {
    /// The run.
    #[rntuple(alias = "run", alias = "RUN", compression = "lz4:4")]
    pub run_number: u32,
    /// Stored as text.
    #[rntuple(with = text, default)]
    pub time: u32,
    /// As a wider one.
    #[rntuple(into = "f64", try_from = "Narrow", rename = "met_value")]
    pub met: f32,
    /// From a narrower one.
    #[rntuple(from = "u16", skip_writing, default = "seven_thousand")]
    pub number: u64,
    /// In its place.
    #[rntuple(skip_reading, default = seven)]
    pub written: u8,
    /// Flat.
    #[rntuple(flatten, prefix = "vtx_", compression = "zstd:5")]
    pub vertex: Vertex,
    /// Values.
    #[rntuple(truncate(bits = 31), offsets = "Index64", description = "values of all kinds")]
    pub values: Vec<f32>,
    /// Muons.
    pub muons: Vec<Muon>,
    /// Energy.
    pub energy: Energy,
    /// Sides.
    pub sides: [Side; 2],
    /// Hits.
    pub hits: Vec<Hit>,
    /// Old.
    #[deprecated]
    pub old: Option<Option<u8>>,
    /// Not kept.
    #[rntuple(skip, default = seven)]
    pub skipped: u8,
}

/// Of earlier days.
#[deprecated]
#[derive(RNTuple, Debug, Clone, Copy)]
#[rntuple(predicates)]
pub struct OldHit {
    /// Across.
    pub x: f32,
}

/// It names a deprecated type, which is allowed here.
#[allow(deprecated)]
#[derive(RNTuple, Debug)]
#[rntuple(predicates)]
pub struct OldEvent {
    /// Hits.
    pub hits: Vec<OldHit>,
}

/// A narrow number.
#[derive(RNTuple, Debug, Clone, Copy)]
pub struct Narrow(f64);

impl TryFrom<Narrow> for f32 {
    type Error = &'static str;

    fn try_from(narrow: Narrow) -> std::result::Result<Self, Self::Error> {
        #[expect(clippy::cast_possible_truncation)]
        let value = narrow.0 as Self;
        if value.is_finite() { Ok(value) } else { Err("too large") }
    }
}

impl From<EventV2> for Event {
    fn from(old: EventV2) -> Self {
        Self { run_number: old.run_of_two, ..empty() }
    }
}

const fn no_muon() -> Muon {
    Muon { charge: 0, particle: Particle { pt: 0.0 } }
}

fn seven_thousand() -> u64 {
    7000
}

fn from_first(old: EventV1) -> Event {
    Event { run_number: old.run, time: 1, ..empty() }
}

#[expect(deprecated)]
fn empty() -> Event {
    Event {
        run_number: 0,
        time: 0,
        met: 0.0,
        number: 7000,
        written: 7,
        vertex: Vertex { x: 0.0, y: 0.0 },
        values: Vec::new(),
        muons: Vec::new(),
        energy: Energy { value: 0.0, cache: 0 },
        sides: [Side::LeftSide; 2],
        hits: Vec::new(),
        old: None,
        skipped: 7,
    }
}

/// Only written.
#[derive(RNTuple, Debug, Clone)]
#[rntuple(skip_reading, bound = "T: rntuple::field::WriteField")]
pub struct Written<'a, T> {
    /// Text.
    pub text: &'a str,
    /// Items.
    pub items: &'a [T],
}

/// Only read.
#[derive(RNTuple, Debug, Clone, Copy, Default, PartialEq)]
#[rntuple(skip_writing, crate = rntuple)]
pub struct Count {
    /// How many.
    pub items: rntuple::cxx::Cardinality,
}

fn write<T: rntuple::Entry + rntuple::field::WriteField>(value: &T) -> Result<Memory> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(value)?;
    Ok(writer.finish_into()?.1)
}

fn read<T: rntuple::Entry + rntuple::field::ReadField>(storage: Memory) -> Result<T> {
    Reader::<T>::open(storage, "Events")?.get(0)
}

fn main() -> Result<()> {
    #[expect(deprecated)]
    let event = Event {
        run_number: 5,
        time: 123,
        met: 20.5,
        vertex: Vertex { x: 0.0, y: 2.0 },
        values: vec![1.0, 2.0],
        muons: vec![Muon { charge: -1, particle: Particle { pt: 3.0 } }],
        energy: Energy { value: 1.5, cache: 0 },
        sides: [Side::RightSide, Side::LeftSide],
        hits: vec![
            Hit::Strip(4),
            Hit::Pixel { row_number: 1, column: 2, cache: false },
            Hit::Pair(1.0, 2.0),
            Hit::Unknown,
        ],
        old: Some(None),
        ..empty()
    };
    let mut found: Event = read(write(&event)?)?;
    assert!((found.vertex.x - event.vertex.x).abs() < 0.01, "{found:?}");
    found.vertex.x = event.vertex.x;
    assert_eq!(found, event);
    assert_eq!(read::<Event>(write(&EventV1 { run: 9 })?)?, from_first(EventV1 { run: 9 }));
    assert_eq!(read::<Event>(write(&EventV2 { run_of_two: 8 })?)?.run_number, 8);
    #[expect(deprecated)]
    let old = OldEvent { hits: vec![OldHit { x: 1.5 }] };
    assert_eq!(read::<OldEvent>(write(&old)?)?.hits.len(), 1);
    let storage = write(&Written { text: "a", items: &[1.0, 2.0] })?;
    assert_eq!(read::<Count>(storage)?.items.0, 2);
    Ok(())
}
