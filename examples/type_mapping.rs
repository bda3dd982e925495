//! Writes a member of every type, and prints what the file says of it: the table of the book, chapter
//! "Types".

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

use half::f16;
use rntuple::cxx::{
    Atomic, BitSet, Byte, CxxChar, MultiMap, MultiSet, RVec, UniquePtr, UnorderedMultiMap, UnorderedMultiSet,
};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::schema::{FieldId, Role, Schema};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: named
/// A record without a C++ class.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Muon {
    pt: f32,
    charge: i8,
}

/// A record of a C++ class.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
#[rntuple(type_name = "det::Hit")]
struct Hit {
    cell: u32,
}

/// What is inside.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Energy(f64);

/// Integers.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
#[repr(u8)]
enum Side {
    #[default]
    Left,
    Right = 4,
}

/// A C++ enum.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
#[rntuple(type_name = "det::Layer")]
#[repr(i16)]
enum Layer {
    #[default]
    Inner,
    Outer,
}

/// A variant.
#[derive(Clone, Debug, PartialEq, RNTuple)]
enum Cell {
    Pad(u16),
    Strip { first: u16, last: u16 },
    Nothing,
}
// ANCHOR_END: named

impl Default for Cell {
    fn default() -> Self {
        Self::Strip { first: 1, last: 2 }
    }
}

/// One member of every type. Comments begin the sections of the table.
#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Everything {
    // Numbers
    boolean: bool,
    int8: i8,
    int16: i16,
    int32: i32,
    int64: i64,
    uint8: u8,
    uint16: u16,
    uint32: u32,
    uint64: u64,
    half: f16,
    float: f32,
    double: f64,
    not_zero: Option<NonZero<u32>>,
    byte: Byte,
    character: CxxChar,
    // Text
    string: String,
    boxed_str: Box<str>,
    // Several of a kind
    vec: Vec<f32>,
    nested: Vec<Vec<i32>>,
    flags: Vec<bool>,
    deque: VecDeque<f32>,
    boxed_slice: Box<[f32]>,
    rvec: RVec<f32>,
    array: [f32; 3],
    matrix: [[f32; 3]; 2],
    bits: BitSet<24>,
    bools: [bool; 24],
    ordered_set: BTreeSet<u32>,
    hashed_set: HashSet<u32>,
    multi_set: MultiSet<u32>,
    unordered_multi_set: UnorderedMultiSet<u32>,
    ordered_map: BTreeMap<String, f32>,
    hashed_map: HashMap<u32, f32>,
    multi_map: MultiMap<String, f32>,
    unordered_multi_map: UnorderedMultiMap<u32, f32>,
    // One or none
    option: Option<f32>,
    option_of_struct: Option<Muon>,
    pointer: UniquePtr<f32>,
    // Several kinds
    pair: (u32, f32),
    triple: (u32, f32, String),
    muon: Muon,
    hit: Hit,
    muons: Vec<Muon>,
    hits: Vec<Hit>,
    array_of_muons: [Muon; 2],
    map_of_muons: BTreeMap<u32, Muon>,
    newtype: Energy,
    plain_enum: Side,
    cxx_enum: Layer,
    variant: Cell,
    // Pointers
    boxed: Box<f32>,
    counted: Rc<f32>,
    shared: Arc<f32>,
    // Atomic
    atomic: Atomic<f32>,
    // With attributes
    #[rntuple(f16)]
    as_half: f32,
    #[rntuple(truncate(bits = 20))]
    truncated: f32,
    #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
    quantized: f32,
    #[rntuple(encoding = "Real32")]
    as_single: f64,
    #[rntuple(offsets = "Index32")]
    short_index: Vec<f32>,
    #[rntuple(offsets = "Index32", at("_0._0", offsets = "Index64"))]
    long_keys: BTreeMap<String, f32>,
}

fn sample() -> Everything {
    Everything {
        boolean: true,
        int64: i64::MIN,
        uint64: u64::MAX,
        half: f16::from_f32(0.5),
        byte: Byte(0xff),
        string: "Größe".to_owned(),
        nested: vec![vec![], vec![1, -1]],
        flags: vec![true, false, true],
        matrix: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        bits: [0, 23].into_iter().collect(),
        ordered_set: [3, 1, 2].into(),
        hashed_map: [(1, 0.5), (2, 0.25)].into(),
        multi_set: vec![3, 1, 3].into(),
        unordered_multi_map: vec![(1, 0.5), (1, 0.25)].into(),
        pointer: UniquePtr::new(1.5),
        option_of_struct: Some(Muon { pt: 30.0, charge: -1 }),
        muons: vec![Muon { pt: 31.0, charge: 1 }],
        map_of_muons: [(7, Muon { pt: 32.0, charge: 1 })].into(),
        plain_enum: Side::Right,
        cxx_enum: Layer::Outer,
        quantized: 5.0,
        short_index: vec![1.0],
        ..Everything::default()
    }
}

/// A row of the table: what stands in the source, or the beginning of a section.
enum Row {
    Section(&'static str),
    Member { attribute: Option<&'static str>, name: &'static str, rust: &'static str },
}

/// The members as they are written above.
fn rows() -> Vec<Row> {
    let source = include_str!("type_mapping.rs");
    let members = source.split("struct Everything {\n").nth(1).and_then(|rest| rest.split("\n}").next());
    let mut rows = Vec::new();
    let mut attribute = None;
    for line in members.unwrap_or_default().lines().map(str::trim) {
        if let Some(section) = line.strip_prefix("// ") {
            rows.push(Row::Section(section));
        } else if let Some(text) = line.strip_prefix("#[rntuple(").and_then(|text| text.strip_suffix(")]")) {
            attribute = Some(text);
        } else if let Some((name, rust)) = line.split_once(": ") {
            rows.push(Row::Member { attribute: attribute.take(), name, rust: rust.trim_end_matches(',') });
        }
    }
    rows
}

/// The columns of a field, and of what is below it.
fn columns(schema: &Schema, id: FieldId) -> String {
    let mut parts = Vec::new();
    let own = schema.representations(id).first().into_iter().flatten();
    let own: Vec<String> = own
        .filter_map(|&id| {
            let column = schema.column(id)?;
            let column_type = ColumnType::from_code(column.type_code)?;
            ColumnEncoding::checked(column_type, column.bits, column.range).ok()
        })
        .map(|packing| packing.to_string())
        .collect();
    if !own.is_empty() {
        parts.push(own.join(" + "));
    }
    for &child in schema.children(id) {
        let name = schema.field(child).map_or("", |field| &field.name);
        let below = columns(schema, child);
        let is_group =
            schema.children(child).len() > 1 || (schema.children(child).len() == 1 && below.contains(", "));
        parts.push(match below.as_str() {
            "" => format!("{name}: none"),
            below if is_group => format!("{name}: ({below})"),
            below => format!("{name}: {below}"),
        });
    }
    parts.join(", ")
}

fn cxx(schema: &Schema, id: FieldId) -> String {
    let Some(field) = schema.field(id) else { return String::new() };
    match (field.type_name.as_str(), field.role) {
        ("", Role::Collection) => "*untyped collection*".to_owned(),
        ("", _) => "*untyped record*".to_owned(),
        (name, _) => format!("`{name}`"),
    }
}

/// The table, in Markdown.
pub(crate) fn table() -> Result<String> {
    let value = sample();
    let mut writer =
        Writer::new(Memory::new(), "Types", WriteOptions::new().compression(Compression::zstd(1)))?;
    writer.fill(&value)?;
    let storage = writer.finish_into()?.1;
    let reader = Reader::<Everything>::open(storage, "Types")?;
    assert_eq!(reader.get(0)?, value);

    let schema = reader.schema();
    let mut out = "| Rust | C++ | columns |\n| --- | --- | --- |\n".to_owned();
    for row in rows() {
        // Writing to a string cannot fail.
        let _ = match row {
            Row::Section(name) => writeln!(out, "| **{name}** | | |"),
            Row::Member { attribute, name, rust } => {
                let id = schema.find(name).unwrap_or(FieldId(u32::MAX));
                let attribute = attribute.map(|text| format!("`{text}` ")).unwrap_or_default();
                writeln!(out, "| {attribute}`{rust}` | {} | `{}` |", cxx(schema, id), columns(schema, id))
            }
        };
    }
    Ok(out)
}

fn main() -> Result<()> {
    print!("{}", table()?);
    Ok(())
}

#[test]
fn every_row_names_types_and_columns() -> Result<()> {
    let table = table()?;
    assert_eq!(table.lines().count(), rows().len() + 2);
    assert!(!table.contains("``"), "a member was not found in the schema");
    main()
}
