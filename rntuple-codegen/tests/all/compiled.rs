//! Generated structs are compiled, read every reference file, and find in it what a reader of any type finds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rntuple::cxx::{BitSet, Byte, CxxChar};
use rntuple::schema::Schema;
use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_codegen::{Options, cxx, rust};
use rntuple_tests::reference;
use rntuple_tests::sample::{self, samples};

use super::awkward;

/// A file, one of its ntuples, and what is to be done with it.
struct Case {
    file: PathBuf,
    ntuple: String,
    name: String,
    source: String,
    check: &'static str,
}

impl Case {
    fn new(file: &Path, ntuple: &str, values: &[&str]) -> Self {
        let root = RootFile::open(file).unwrap();
        let dataset = Dataset::open(&root, ntuple).unwrap();
        let options = values.iter().fold(Options::new(), |options, path| options.value(*path));
        let source = rust(dataset.schema(), &options);
        let entry = source.split("pub struct").next().unwrap();
        let check = if entry.contains("skip_writing") { "reads" } else { "writes" };
        Self { file: file.to_owned(), ntuple: ntuple.to_owned(), name: "Entry".to_owned(), source, check }
    }
}

/// The crate that is made.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("codegen")
}

/// Unchanged files are not written, so that unchanged code is not compiled again.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).ok().as_deref() != Some(text) {
        std::fs::write(path, text).unwrap();
    }
}

/// All types that have a place of their own in Rust and C++.
#[derive(RNTuple)]
struct Everything {
    /// Keys in order.
    map: BTreeMap<String, Vec<f32>>,
    unordered_map: HashMap<u16, (bool, String)>,
    set: BTreeSet<i32>,
    unordered_set: HashSet<bool>,
    reals: Vec<(f64, u8)>,
    byte: Byte,
    character: CxxChar,
    flags: BitSet<9>,
    bits: [bool; 3],
    nested: [[i16; 2]; 2],
    option: Option<Option<i8>>,
    #[rntuple(f16)]
    half: Vec<f32>,
    #[rntuple(truncate(bits = 20))]
    truncated: f64,
    #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
    quantized: [f32; 2],
    #[rntuple(encoding = "Real32")]
    narrow: f64,
    r#type: u8,
    record: u8,
    field: u8,
    slot: u8,
    #[rntuple(rename = "tracks-of-all")]
    tracks: Vec<Track>,
    hits: [Hit; 2],
    /// Whose it is.
    side: Side,
    #[rntuple(flatten, prefix = "vtx_")]
    vertex: Vertex,
    energy: Energy,
    /// How long it took.
    #[rntuple(with = micros, unit = "us")]
    elapsed: Duration,
    #[rntuple(offsets = "Index32", compression = "none")]
    small: Vec<String>,
    #[rntuple(skip)]
    _cache: u8,
}

/// A class with bases and a version.
#[derive(RNTuple)]
#[rntuple(type_name = "ns::Track", version = 3)]
struct Track {
    #[rntuple(base)]
    base: Base,
    /// A second one.
    #[rntuple(base)]
    other: Other,
    /// Momentum
    #[rntuple(unit = "GeV", double32)]
    momentum: [f64; 3],
    #[rntuple(double32)]
    errors: Vec<Vec<f64>>,
    #[rntuple(double32, unit = "mm")]
    by_name: BTreeMap<String, f64>,
}

#[derive(RNTuple)]
#[rntuple(type_name = "ns::Base", version = 2)]
struct Base {
    #[rntuple(rename = "Größe:größte")]
    size: f32,
}

#[derive(RNTuple)]
#[rntuple(type_name = "ns::Other")]
struct Other {}

/// In another order than its numbers, with a place for values of none of them.
#[derive(RNTuple, Clone, Copy)]
enum Hit {
    /// Number of a channel.
    #[rntuple(tag = 1)]
    Strip(u32),
    #[rntuple(rename = "Pad", tag = 0)]
    Pixel { x: u16, y: u16 },
    #[rntuple(tag = 2, type_name = "ns::Nothing")]
    Nothing {},
    #[rntuple(other)]
    Lost,
}

#[derive(RNTuple, Clone, Copy)]
#[rntuple(type_name = "ns::Side")]
#[repr(i16)]
enum Side {
    Left = -1,
    #[rntuple(rename = "Self")]
    Own = 1,
    #[rntuple(other)]
    Unknown = 99,
}

#[derive(RNTuple)]
struct Vertex {
    #[rntuple(unit = "mm")]
    x: f32,
    y: f32,
}

#[derive(RNTuple)]
#[rntuple(transparent)]
struct Energy {
    value: f64,
    #[rntuple(skip)]
    _unit: (),
}

/// Times as whole numbers.
mod micros {
    use std::time::Duration;

    pub(super) type Stored = u64;

    pub(super) fn store(value: &Duration) -> Stored {
        value.as_micros() as u64
    }

    pub(super) fn load(stored: Stored) -> Result<Duration, std::convert::Infallible> {
        Ok(Duration::from_micros(stored))
    }
}

impl Everything {
    fn new(n: u8) -> Self {
        let real = f32::from(n);
        Self {
            map: (0..n).map(|key| (format!("key \"{key}\""), vec![real; key.into()])).collect(),
            unordered_map: (0..n).map(|key| (key.into(), (key > 1, key.to_string()))).collect(),
            set: (-3..n.into()).collect(),
            unordered_set: [n > 2].into(),
            reals: vec![(real.into(), n), (f64::NAN, 0), (f64::NEG_INFINITY, 1)],
            byte: Byte(n),
            character: CxxChar(n + 65),
            flags: [usize::from(n % 9)].into_iter().collect(),
            bits: [true, n > 2, false],
            nested: [[1, 2], [-3, n.into()]],
            option: (n > 1).then(|| (n > 2).then_some(-4)),
            half: vec![real, 0.5],
            truncated: 1.5,
            quantized: [-5.0, 5.0],
            narrow: 2.25,
            r#type: n,
            record: 1,
            field: 2,
            slot: 3,
            tracks: (0..n).map(Track::new).collect(),
            hits: [
                [Hit::Lost, Hit::Strip(n.into()), Hit::Pixel { x: 1, y: n.into() }][usize::from(n % 3)],
                [Hit::Nothing {}, Hit::Lost][usize::from(n % 2)],
            ],
            side: [Side::Left, Side::Own, Side::Unknown][usize::from(n % 3)],
            vertex: Vertex { x: real, y: -real },
            energy: Energy { value: real.into(), _unit: () },
            elapsed: Duration::from_micros(n.into()),
            small: vec!["word".to_owned(); n.into()],
            _cache: 0,
        }
    }
}

impl Track {
    fn new(n: u8) -> Self {
        Self {
            base: Base { size: n.into() },
            other: Other {},
            momentum: [0.5, 1.0, n.into()],
            errors: vec![vec![f64::NAN, 0.25]; n.into()],
            by_name: (0..n).map(|key| (key.to_string(), key.into())).collect(),
        }
    }
}

fn written<T: RNTuple>(name: &str, entries: &[T]) -> PathBuf {
    let path = folder().join(format!("{name}.root"));
    let mut writer = Writer::<T>::create(&path, name, WriteOptions::new()).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
#[ignore = "builds a crate with all of `rntuple`: `cargo xtask test` runs it"]
fn generated_structs_read_and_write_every_file() {
    std::fs::create_dir_all(folder().join("src")).unwrap();
    let everything = written("Everything", &[0, 1, 2, 3, 4].map(Everything::new));
    let sample = written("Sample", &samples::<sample::Event>(50, 7));
    let mut cases = vec![Case::new(&everything, "Everything", &[]), Case::new(&sample, "Sample", &[])];
    for case in &mut cases {
        assert_eq!(case.check, "writes");
        case.check = "keeps";
    }
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let ntuple = ntuple["path"].as_str().unwrap();
            cases.push(Case::new(&reference.file, ntuple, &[]));
            if reference.name.starts_with("emptystruct_invalidvar") {
                assert!(cases.iter().any(|case| case.check == "writes" && case.file == reference.file));
                cases.push(Case::new(&reference.file, ntuple, &["variant"]));
            }
        }
    }
    let by_root = &cases[2..];
    assert!(by_root.is_empty() || by_root.iter().filter(|case| case.check == "writes").count() > 1);

    let mut main = "//! Made by a test.\n#![deny(warnings)]\n#![allow(dead_code)]\n\nmod check;\n".to_owned();
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        write(&folder().join(format!("src/m{number}.rs")), &with_integers(&case.source));
        writeln!(main, "mod m{number};").unwrap();
        let last = !case.source.contains("::Hash");
        let (check, file, ntuple, name) = (case.check, &case.file, &case.ntuple, &case.name);
        writeln!(calls, "    check::{check}::<m{number}::{name}>({file:?}, {ntuple:?}, {last});").unwrap();
    }
    // No file has these, but they must compile. They may be included, too.
    for (name, schema) in awkward::schemas() {
        write(&folder().join(format!("src/{name}.rs")), &rust(&schema, &Options::new()));
        writeln!(main, "mod {name} {{\n    include!(\"{name}.rs\");\n}}").unwrap();
    }
    write(&folder().join("src/main.rs"), &format!("{main}\nfn main() {{\n{calls}}}\n"));
    write(&folder().join("src/check.rs"), include_str!("compiled/check.rs"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[package]\nname = \"codegen-check\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nrntuple = {{ path = {:?} }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n",
        workspace.join("rntuple")
    );
    write(&folder().join("Cargo.toml"), &manifest);
    // The versions of this workspace, which are there without a network.
    let (lock, kept) =
        (std::fs::read_to_string(workspace.join("Cargo.lock")).unwrap(), folder().join("kept.lock"));
    if std::fs::read_to_string(&kept).ok().as_deref() != Some(&lock) {
        std::fs::write(folder().join("Cargo.lock"), &lock).unwrap();
        std::fs::write(&kept, &lock).unwrap();
    }
    let run = Command::new(env!("CARGO"))
        .args(["run", "--offline", "--quiet"])
        .current_dir(folder())
        .env("CARGO_TARGET_DIR", folder().join("target"))
        // Those of the tests' own build.
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}{err}");
    assert_eq!(out.lines().count(), cases.len(), "{out}");
    print!("{out}");
}

/// The source, with enums that print their integers, as a reader of any type finds them.
fn with_integers(source: &str) -> String {
    let mut out = source.replace("(Clone, Copy, Debug, PartialEq, Eq, ", "(Clone, Copy, PartialEq, Eq, ");
    let integer = |line: &str| line.strip_prefix("#[repr(")?.strip_suffix(")]").map(str::to_owned);
    for (line, next) in source.lines().zip(source.lines().skip(1)) {
        let Some(integer) = integer(line) else { continue };
        let name = next.strip_prefix("pub enum ").and_then(|name| name.strip_suffix(" {")).unwrap();
        writeln!(
            out,
            "\nimpl ::std::fmt::Debug for {name} {{\n    \
             fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{\n        \
             ::std::fmt::Debug::fmt(&(*self as {integer}), f)\n    }}\n}}"
        )
        .unwrap();
    }
    out
}

/// Whether the program is there.
fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn all_schemas() -> Vec<(String, Schema)> {
    let mut all: Vec<(String, Schema)> =
        awkward::schemas().into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let options = WriteOptions::new();
    all.push(("Everything".to_owned(), Schema::of::<Everything>(&options).unwrap()));
    all.push(("Sample".to_owned(), Schema::of::<sample::Event>(&options).unwrap()));
    all.push(("Example".to_owned(), Schema::of::<rntuple_examples::event::Event>(&options).unwrap()));
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        let root = RootFile::open(&reference.file).unwrap();
        for key in root.ntuples().unwrap() {
            let dataset = Dataset::open(&root, &key.path()).unwrap();
            all.push((format!("{}:{}", reference.name, key.path()), Schema::clone(dataset.schema())));
        }
    }
    all
}

#[test]
fn source_is_formatted() {
    if !is_there("rustfmt") {
        reference::skip("no rustfmt");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("format");
    std::fs::create_dir_all(&folder).unwrap();
    // The defaults, not those of this workspace.
    std::fs::write(folder.join("rustfmt.toml"), "").unwrap();
    let file = folder.join("source.rs");
    for (name, schema) in all_schemas() {
        std::fs::write(&file, rust(&schema, &Options::new())).unwrap();
        let output =
            Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{name}:\n{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// As little of ROOT's vector as declarations need.
const RVEC: &str =
    "#pragma once\nnamespace ROOT { namespace VecOps { template <typename T> class RVec {}; } }\n";

/// What the derive says of a class, ROOT's header says too.
#[test]
fn derived_types_have_headers() {
    let source = cxx(&Schema::of::<Everything>(&WriteOptions::new()).unwrap(), &Options::new());
    for wanted in [
        "#include <Rtypes.h>\n",
        "struct Base {\n",
        "    ClassDefNV(Base, 2);\n};\n",
        "struct Other {};\n",
        "struct Track : ns::Base, ns::Other {\n",
        "    /// Momentum [GeV]\n    std::array<Double32_t, 3> momentum{};\n",
        "    std::vector<std::vector<Double32_t>> errors;\n",
        "    /// [mm]\n    std::map<std::string, Double32_t> by_name;\n",
        "    ClassDefNV(Track, 3);\n};\n",
        "enum class Side : std::int16_t {\n    Left = -1,\n    Self = 1,\n    Unknown = 99,\n};\n",
        "    std::array<std::variant<Hit::Pixel, std::uint32_t, ns::Nothing>, 2> hits{};\n",
        "    double narrow{};\n",
    ] {
        assert!(source.header.contains(wanted), "{wanted}{}", source.header);
    }
    // Who says nothing of ROOT needs nothing of it.
    let source = cxx(&Schema::of::<sample::Event>(&WriteOptions::new()).unwrap(), &Options::new());
    assert!(!source.header.contains("Rtypes.h") && !source.header.contains("ClassDef"), "{}", source.header);
}

/// As little of ROOT's own names: a version, and members that others must not have.
const RTYPES: &str = "#pragma once
typedef double Double32_t;
#define ClassDefNV(name, id) \\
private: static int fgIsA; \\
public: static int Class() { return id; } static const char *Class_Name() { return #name; } \\
    static constexpr short Class_Version() { return id; } static int Dictionary() { return 0; } \\
    int IsA() const { return name::Class(); } void ShowMembers() const {} void Streamer() {} \\
    void StreamerNVirtual() {} static const char *DeclFileName() { return __FILE__; } \\
    static int ImplFileLine() { return 0; } static const char *ImplFileName() { return 0; } \\
    static int DeclFileLine() { return __LINE__; } bool CheckTObjectHashConsistency() const { return true; }
";

#[test]
fn headers_compile() {
    let Some(compiler) = ["g++", "clang++"].into_iter().find(|compiler| is_there(compiler)) else {
        reference::skip("no C++ compiler");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cxx");
    std::fs::create_dir_all(folder.join("ROOT")).unwrap();
    std::fs::write(folder.join("ROOT/RVec.hxx"), RVEC).unwrap();
    std::fs::write(folder.join("Rtypes.h"), RTYPES).unwrap();
    std::fs::write(folder.join("empty.cxx"), "").unwrap();
    for (name, schema) in all_schemas() {
        let file = folder.join("source.hxx");
        let source = cxx(&schema, &Options::new());
        std::fs::write(&file, &source.header).unwrap();
        let output = Command::new(compiler)
            .args(["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-I"])
            .arg(&folder)
            .args(["-include"])
            .arg(&file)
            .arg(folder.join("empty.cxx"))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {error}\n{}", source.header);
        let pragmas = source.link_def.lines().filter(|line| !line.is_empty());
        for line in pragmas {
            let is_known = ["#pragma link ", "#ifdef __CLING__", "#endif", "// Generated by "];
            assert!(is_known.iter().any(|start| line.starts_with(start)), "{name}: {line}");
        }
    }
}
