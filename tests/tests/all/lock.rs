//! A type is compared with its lock, and whoever changes it is told what to do.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple::field::{ReadField, WriteField};
use rntuple::{RNTuple, lock};
use rntuple_tests::sample::{Event, One};

// What everybody writes: the file is that of the schema that the other tests have, line by line.
rntuple::schema_lock!(Event, "tests/event.rntlock");
rntuple::schema_lock!(one_pair: One<(f32, Vec<u8>)>, concat!("tests/", "one_pair.rntlock"));

/// The type as it was when its lock was written, and with one change each.
mod was {
    use rntuple::RNTuple;

    #[derive(RNTuple)]
    pub(super) struct Muon {
        /// Transverse momentum [GeV]
        pt: f32,
        #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
        eta: f32,
    }

    #[derive(RNTuple)]
    pub(super) struct Event {
        number: u64,
        name: String,
        muons: Vec<Muon>,
        shape: [f32; 3],
        met: f64,
    }
}

/// An `Event` with other members.
macro_rules! event {
    ($module:ident { $($(#[$meta:meta])* $member:ident: $type:ty),* $(,)? }) => {
        mod $module {
            #[allow(unused_imports, reason = "not all of them have muons")]
            use super::was::Muon;

            #[derive(rntuple::RNTuple)]
            pub(super) struct Event {
                $($(#[$meta])* $member: $type,)*
            }
        }
    };
}

event!(same { number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3], met: f64, });
event!(renamed { number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3], missing: f64, });
event!(kept { number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3], #[rntuple(rename = "met")] missing: f64, });
event!(retyped { number: u64, name: String, muons: Vec<Muon>, shape: [f32; 4], met: f64, });
event!(encoded {
    number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3], #[rntuple(encoding = "Real32")] met: f64,
});
event!(ordered { number: u64, name: String, shape: [f32; 3], muons: Vec<Muon>, met: f64, });
event!(longer { run: u32, number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3], met: f64, });
event!(shorter { number: u64, name: String, shape: [f32; 3], met: f64 });
event!(described {
    number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3],
    #[doc = "Missing momentum"] met: f64,
});
event!(measured {
    number: u64, name: String, muons: Vec<Muon>, shape: [f32; 3],
    #[doc = "Missing momentum [GeV]"] met: f64,
});

struct Locked {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

/// A lock of this text.
fn locked(text: &str) -> Locked {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.rntlock");
    std::fs::write(&path, text).unwrap();
    Locked { _folder: folder, path }
}

fn lock_of_was() -> Locked {
    locked(&lock::text::<was::Event>().unwrap())
}

/// The lines of the difference.
fn drift<T: rntuple::Entry + WriteField>(locked: &Locked) -> Vec<String> {
    let text = lock::check::<T>(&locked.path).unwrap_err().to_string();
    let lines = text.lines().skip(2).take_while(|line| !line.is_empty());
    lines.map(|line| line.strip_prefix("    ").unwrap().to_owned()).collect()
}

#[test]
fn a_lock_has_one_line_for_each_field() {
    let wanted = "\
# What files of `Event` hold: the schema that rntuple writes, one line for each field.
# A test compares it with the type. To accept a change: RNTUPLE_BLESS=1 cargo test
number: std::uint64_t as SplitUInt64
name: std::string as SplitIndex64 + Char
muons: collection as SplitIndex64
muons._0: record
muons._0.pt: float as SplitReal32 [GeV]
muons._0.eta: float as Real32Quant(12 bits, -5..5)
shape: std::array<float,3>, size 3
shape._0: float as SplitReal32
met: double as SplitReal64
";
    assert_eq!(lock::text::<was::Event>().unwrap(), wanted);
}

#[test]
fn what_means_the_same_is_no_drift() {
    let locked = lock_of_was();
    lock::check::<was::Event>(&locked.path).unwrap();
    lock::check::<same::Event>(&locked.path).unwrap();
    lock::check::<kept::Event>(&locked.path).unwrap();
    lock::check::<described::Event>(&locked.path).unwrap();
}

#[test]
fn line_endings_and_comments_are_no_drift() {
    let text = lock::text::<was::Event>().unwrap();
    let windows = text.replace('\n', "\r\n");
    assert_ne!(windows, text);
    lock::check::<was::Event>(&locked(&windows).path).unwrap();
    lock::check::<was::Event>(&locked(text.trim_end()).path).unwrap();
    let (_, fields) = text.split_once("cargo test\n").unwrap();
    lock::check::<was::Event>(&locked(fields).path).unwrap();
    lock::check::<was::Event>(&locked(&format!("# note\n#\n\n{fields}  \n\n")).path).unwrap();
    // No comment: a field can have this name.
    assert!(lock::check::<was::Event>(&locked(&format!("#x: float\n{fields}")).path).is_err());
}

#[test]
fn every_kind_of_change_is_shown() {
    let locked = lock_of_was();
    let shape = ["  shape: std::array<float,3>, size 3", "  shape._0: float as SplitReal32"];
    let end = |last: [&'static str; 2]| [&["  ..."], &shape[..], &last].concat();
    let met = "- met: double as SplitReal64";

    assert_eq!(drift::<renamed::Event>(&locked), end([met, "+ missing: double as SplitReal64"]));
    assert_eq!(drift::<encoded::Event>(&locked), end([met, "+ met: double as Real32"]));
    assert_eq!(drift::<measured::Event>(&locked), end([met, "+ met: double as SplitReal64 [GeV]"]));
    assert_eq!(
        drift::<retyped::Event>(&locked),
        [
            "  ...",
            "  muons._0.pt: float as SplitReal32 [GeV]",
            "  muons._0.eta: float as Real32Quant(12 bits, -5..5)",
            "- shape: std::array<float,3>, size 3",
            "+ shape: std::array<float,4>, size 4",
            "  shape._0: float as SplitReal32",
            "  met: double as SplitReal64",
        ]
    );
    assert_eq!(
        drift::<longer::Event>(&locked),
        [
            "+ run: std::uint32_t as SplitUInt32",
            "  number: std::uint64_t as SplitUInt64",
            "  name: std::string as SplitIndex64 + Char",
            "  ...",
        ]
    );
    let muons = [
        "muons: collection as SplitIndex64",
        "muons._0: record",
        "muons._0.pt: float as SplitReal32 [GeV]",
        "muons._0.eta: float as Real32Quant(12 bits, -5..5)",
    ];
    let removed: Vec<String> = muons.iter().map(|line| format!("- {line}")).collect();
    let found = drift::<shorter::Event>(&locked);
    assert_eq!(found[2..6], removed);
    assert_eq!(found.len(), 9);
    // Two lines pass four: that is the shorter change.
    let found = drift::<ordered::Event>(&locked);
    let changed: Vec<&str> =
        found.iter().filter(|line| !line.starts_with("  ")).map(|line| &**line).collect();
    let [array, item] = shape.map(str::trim);
    assert_eq!(
        changed,
        ["+ ".to_owned() + array, "+ ".to_owned() + item, "- ".to_owned() + array, "- ".to_owned() + item]
    );
}

#[test]
fn a_drift_says_what_to_do() {
    let locked = lock_of_was();
    let text = lock::check::<renamed::Event>(&locked.path).unwrap_err().to_string();
    let wanted = "\
files of `Event` would not hold what `event.rntlock` says (-), but this (+):

      ...
      shape: std::array<float,3>, size 3
      shape._0: float as SplitReal32
    - met: double as SplitReal64
    + missing: double as SplitReal64

A change of the type changes the files that are written from now on. Three ways out:

1. It was a mistake: undo it. A member that needs another name in Rust can keep the one in files:
   `#[rntuple(rename = \"name in files\")]`.

2. It is meant, and the type must still read older files. Say how, then accept the change as below:
   a member has a new name:         `#[rntuple(alias = \"old name\")]`
   older files lack a member:       `#[rntuple(default)]`
   anything else:                   `#[rntuple(upgrade_from(OldType, when = ..))]`

3. It is meant, and no older files are left to read. Accept it, and commit `event.rntlock`:

    RNTUPLE_BLESS=1 cargo test
";
    assert_eq!(text.replace(&*locked.path.to_string_lossy(), "event.rntlock"), wanted);
}

#[test]
fn what_cannot_be_compared_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let missing = lock::check::<was::Event>(folder.path().join("none.rntlock")).unwrap_err().to_string();
    let wanted = "none.rntlock` is not there; it is to hold the schema of `Event`.\n\n\
                  Create it, and commit it:\n\n    RNTUPLE_BLESS=1 cargo test\n";
    assert!(missing.ends_with(wanted), "{missing}");
    // A folder is no file.
    let unreadable = lock::check::<was::Event>(folder.path()).unwrap_err();
    assert!(std::error::Error::source(&unreadable).is_some(), "{unreadable}");
    // Neither is anything that is not text a lock.
    let garbage = folder.path().join("garbage");
    std::fs::write(&garbage, [0xff, 0xfe, b'\n', 0]).unwrap();
    assert!(lock::check::<was::Event>(&garbage).unwrap_err().to_string().contains("+ met: double"));
    // What cannot be stored has no lock.
    #[derive(RNTuple)]
    struct Twice {
        #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
        nothing: Nothing,
    }
    #[derive(RNTuple)]
    struct Nothing;
    let error = lock::check::<Twice>(&garbage).unwrap_err().to_string();
    assert!(error.contains("garbage`, the schema of `Twice`: "), "{error}");
    assert!(lock::text::<Twice>().is_err());
}

/// Where [`the_one_that_is_run`] looks.
const FOLDER: &str = "RNTUPLE_TESTS_FOLDER";

/// What a test that the macro makes does, in a folder that another test chose.
#[test]
#[ignore = "run by others, in their folders"]
fn the_one_that_is_run() {
    let folder = std::env::var(FOLDER).unwrap();
    lock::assert_lock::<was::Event>(&folder, "locks/event.rntlock");
}

/// Whether the test passes, and what it says.
fn run(folder: &Path, bless: Option<&str>) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "lock::the_one_that_is_run", "--ignored", "--nocapture"]).env(FOLDER, folder);
    match bless {
        Some(value) => command.env("RNTUPLE_BLESS", value),
        None => command.env_remove("RNTUPLE_BLESS"),
    };
    let output = command.output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn blessing_writes_what_differs_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locks/event.rntlock");
    for not_blessed in [None, Some(""), Some("0")] {
        let (passes, text) = run(folder.path(), not_blessed);
        assert!(!passes && text.contains("`locks/event.rntlock` is not there"), "{text}");
        assert!(text.contains("tests/all/lock.rs"), "the place of the test is told: {text}");
        assert!(!file.exists());
    }
    assert!(run(folder.path(), Some("1")).0);
    let wanted = lock::text::<was::Event>().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted);
    assert!(run(folder.path(), None).0);

    std::fs::write(&file, wanted.replace("double", "float")).unwrap();
    let (passes, text) = run(folder.path(), None);
    assert!(!passes && text.contains("- met: float as SplitReal64"), "{text}");
    assert!(run(folder.path(), Some("1")).0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted);

    // Equal but for line endings: left as it is.
    let windows = wanted.replace('\n', "\r\n");
    std::fs::write(&file, &windows).unwrap();
    assert!(run(folder.path(), Some("1")).0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), windows);
}

#[test]
fn variants_that_change_places_are_a_drift() {
    #[derive(RNTuple)]
    #[repr(u8)]
    enum Side {
        Left,
        Right = 4,
    }
    /// Hits of two kinds.
    #[derive(RNTuple)]
    enum Hit {
        /// One value.
        Strip(u32),
        Pixel {
            /// Where it was seen.
            side: Side,
        },
        /// Where it was not seen.
        Side(Side),
    }
    #[derive(RNTuple)]
    #[rntuple(type_name = "Side")]
    #[repr(u8)]
    enum Named {
        Left,
        Right = 4,
    }
    #[derive(RNTuple)]
    struct Event {
        hit: Hit,
        named: Named,
    }
    let text = lock::text::<Event>().unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        lines,
        [
            "hit: std::variant<std::uint32_t,Hit::Pixel,std::uint8_t> as Switch",
            "hit._0: std::uint32_t as SplitUInt32 (Strip)",
            "hit._1: Hit::Pixel (Pixel)",
            "hit._1.side: std::uint8_t as UInt8 (Left = 0, Right = 4)",
            "hit._2: std::uint8_t as UInt8 (Side: Left = 0, Right = 4)",
            "named: Side",
            "named._0: std::uint8_t as UInt8 (Left = 0, Right = 4)",
        ]
    );
}

/// What is read of the sample of the examples.
#[derive(RNTuple)]
#[rntuple(skip_writing)]
struct Sample {
    number: u32,
    #[rntuple(default)]
    run: u32,
}

rntuple::check_file!(Sample, "../examples/sample.root", "Events");
rntuple::check_file!(sample_with_hits: was_read::Sample<f64>, concat!("../examples/", "sample.root"), "Events",);

mod was_read {
    use rntuple::RNTuple;

    #[derive(RNTuple)]
    pub(super) struct Sample<T> {
        hits: Vec<Hit<T>>,
        comment: String,
    }

    #[derive(RNTuple)]
    pub(super) struct Hit<T> {
        #[rntuple(unit = "MeV")]
        energy: T,
    }
}

/// What a test that the macro makes says, if it fails.
fn failure<T: rntuple::Entry + ReadField>(path: &str, ntuple: &str) -> Option<String> {
    let test = || lock::assert_file_in::<T>("Event", env!("CARGO_MANIFEST_DIR"), path, ntuple);
    std::panic::catch_unwind(test).err().map(|panic| *panic.downcast::<String>().unwrap())
}

#[test]
fn a_build_script_compares_as_a_test_does() {
    lock::assert_file::<Sample>(SAMPLE, "Events");
    lock::assert_file::<was_read::Sample<f64>>(Path::new(SAMPLE), "Events");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, ntuple) in [(SAMPLE, "None"), ("tests/none.root", "Events")] {
        let script = || lock::assert_file::<Sample>(path, ntuple);
        let test = || lock::assert_file_in::<Sample>("Sample", folder, path, ntuple);
        let [script, test] = [std::panic::catch_unwind(script), std::panic::catch_unwind(test)]
            .map(|result| *result.unwrap_err().downcast::<String>().unwrap());
        assert_eq!(script, test);
        assert!(script.contains("`Sample`"), "{script}");
    }
}

const SAMPLE: &str = "../examples/sample.root";

#[test]
fn a_type_is_compared_with_a_file() {
    assert_eq!(failure::<Sample>(SAMPLE, "Events"), None);
    #[derive(RNTuple)]
    #[rntuple(deny_unknown_fields)]
    struct Other {
        run: u32,
        number: String,
        hits: [f32; 3],
    }
    let wanted = "\
`Event` cannot be read from `Events` in `../examples/sample.root`:

    comment: the file has std::string (Index64, Char), the type has no such field
    run: the file has no such field, the type wants u32
    number: the file has std::uint64_t (UInt64), the type wants a string
    hits: the file has an untyped collection (Index64), the type wants an array of 3; collections have any length: read it as `Vec<..>`

If the file is right, say what the type is in such files:
   a field has another name:        `#[rntuple(alias = \"name in the file\")]`
   the file lacks a field:          `#[rntuple(default)]`
   anything else:                   `#[rntuple(upgrade_from(OldType, when = ..))]`
";
    assert_eq!(failure::<Other>(SAMPLE, "Events").unwrap(), wanted);
    // The differences are all there, however many.
    let text = failure::<Many>(SAMPLE, "Events").unwrap();
    assert_eq!(text.lines().filter(|line| line.ends_with("the type wants u8")).count(), 40, "{text}");
}

macro_rules! many {
    ($($member:ident)*) => {
        #[derive(RNTuple)]
        struct Many { $($member: u8,)* }
    };
}

many! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9
    c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
}

#[test]
fn a_file_that_cannot_be_compared_is_named() {
    let text = failure::<Sample>("tests/none.root", "Events").unwrap();
    let wanted = "`tests/none.root` is not there; `Event` is to be read from its ntuple `Events`.";
    assert!(text.starts_with(wanted), "{text}");
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/none.root");
    assert!(text.ends_with(&format!("\n\n    {}\n", place.display())), "{text}");
    let text = failure::<Sample>(SAMPLE, "Runs").unwrap();
    assert!(text.starts_with("`../examples/sample.root`, of which `Event` is to read `Runs`: "), "{text}");
    assert!(text.contains("Events"), "what there is: {text}");
    let text = failure::<Sample>("Cargo.toml", "Events").unwrap();
    assert!(text.starts_with("`Cargo.toml`, of which `Event` is to read `Events`: "), "{text}");
}
