//! `with`, `into`, `from`, `try_from`, `skip`, `skip_writing`, `skip_reading`, `transparent`.

use std::num::ParseIntError;
use std::time::Duration;

use rntuple::{ErrorKind, RNTuple};

use super::common::{
    columns, compare, evolve, field, list, many, names, open, refused, round_trip, schema_of, text, write,
    write_in,
};

/// Durations as nanoseconds.
mod nanoseconds {
    use std::time::Duration;

    pub(super) type Stored = u64;

    pub(super) fn store(value: &Duration) -> u64 {
        value.as_nanos() as u64
    }

    pub(super) fn load(stored: u64) -> Result<Duration, String> {
        if stored == 666 { Err(format!("{stored} ns is no time")) } else { Ok(Duration::from_nanos(stored)) }
    }
}

/// Text as its words.
mod words {
    use std::convert::Infallible;

    pub(super) type Stored = Vec<String>;

    pub(super) fn store(value: &str) -> Vec<String> {
        value.split_whitespace().map(str::to_owned).collect()
    }

    pub(super) fn load(stored: Vec<String>) -> Result<String, Infallible> {
        Ok(stored.join(" "))
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Timed {
    #[rntuple(with = nanoseconds, unit = "ns")]
    time: Duration,
    #[rntuple(with = "words", rename = "words")]
    comment: String,
    hits: Vec<Hit>,
    choice: Choice,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hit {
    cell: u16,
    #[rntuple(with = self::nanoseconds)]
    time: Duration,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Choice {
    Alone(#[rntuple(with = nanoseconds)] Duration),
    Named {
        #[rntuple(with = nanoseconds)]
        time: Duration,
    },
}

/// The shape of the file.
#[derive(RNTuple, Clone)]
struct Raw {
    time: u64,
    words: Vec<String>,
    hits: Vec<RawHit>,
    choice: RawChoice,
}

#[derive(RNTuple, Clone)]
struct RawHit {
    cell: u16,
    time: u64,
}

#[derive(RNTuple, Clone)]
enum RawChoice {
    Alone(u64),
    Named { time: u64 },
}

fn timed(n: u64) -> Timed {
    let time = Duration::from_nanos(n);
    Timed {
        time,
        comment: ["", "one", "one two"][(n % 3) as usize].to_owned(),
        hits: list(n, |i| Hit { cell: i as u16, time: Duration::from_nanos(i) }),
        choice: if n.is_multiple_of(2) { Choice::Alone(time) } else { Choice::Named { time } },
    }
}

fn raw(n: u64) -> Raw {
    let words: &[&str] = [&[][..], &["one"], &["one", "two"]][(n % 3) as usize];
    Raw {
        time: n,
        words: words.iter().map(ToString::to_string).collect(),
        hits: list(n, |i| RawHit { cell: i as u16, time: i }),
        choice: if n.is_multiple_of(2) { RawChoice::Alone(n) } else { RawChoice::Named { time: n } },
    }
}

#[test]
fn modules_store_and_load() {
    let entries = many(timed);
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    assert_eq!(field(&schema, "time").type_name, "std::uint64_t");
    assert_eq!(field(&schema, "time").unit(), Some("ns"));
    assert_eq!(field(&schema, "words").type_name, "std::vector<std::string>");
    assert_eq!(names(&schema_of(&raw(1))), names(&schema));
    evolve(&many(raw), &entries);
}

#[test]
fn a_refused_value_is_an_error_of_its_entry() {
    let bad = |n, change: fn(&mut Raw)| {
        let mut raw = raw(n);
        change(&mut raw);
        raw
    };
    let mut old = many(raw);
    old[3] = bad(3, |raw| raw.time = 666);
    old[14] = bad(14, |raw| raw.hits[2].time = 666);
    old[20] = bad(20, |raw| raw.choice = RawChoice::Alone(666));
    old[31] = bad(31, |raw| raw.choice = RawChoice::Named { time: 666 });
    let expected = [(3, "time"), (14, "hits._0.time"), (20, "choice._0"), (31, "choice._1.time")];
    for per_cluster in [100, 7, 1] {
        let file = write_in(&old, per_cluster);
        let reader = open::<Timed>(&file).unwrap();
        let mut slot = timed(1);
        for (n, read) in (0..40).zip(reader.entries()) {
            let in_place = reader.read_into(n, &mut slot);
            let Some((_, path)) = expected.iter().find(|(bad, _)| *bad == n) else {
                assert_eq!(read.unwrap(), timed(n));
                in_place.unwrap();
                assert_eq!(slot, timed(n));
                assert_eq!(reader.get(n).unwrap(), timed(n));
                continue;
            };
            for error in [read.unwrap_err(), in_place.unwrap_err(), reader.get(n).unwrap_err()] {
                assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
                assert_eq!(
                    (error.location().field.as_deref(), error.location().entry),
                    (Some(*path), Some(n))
                );
                assert!(error.to_string().ends_with("a value was refused: 666 ns is no time"), "{error}");
            }
        }
    }
}

/// A quantity with a form for storage.
#[derive(Clone, Debug, PartialEq, Default)]
struct Label(String);

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// A number that is stored as its digits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number(u32);

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.0.to_string()
    }
}

impl TryFrom<String> for Number {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Converted {
    #[rntuple(into = "String", from = "String")]
    label: Label,
    #[rntuple(into = String, try_from = String)]
    number: Number,
    #[rntuple(from = "u8")]
    wide: u32,
    #[rntuple(into = "f64", encoding = "Real32")]
    narrow: f32,
    inner: Vec<Inner>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(transparent)]
struct Inner {
    #[rntuple(into = "String", try_from = "String")]
    number: Number,
}

fn converted(n: u64) -> Converted {
    Converted {
        label: Label(text(n)),
        number: Number(n as u32),
        wide: n as u32,
        narrow: n as f32,
        inner: list(n, |i| Inner { number: Number(i as u32) }),
    }
}

#[test]
fn other_types_store_in_their_form() {
    let entries = many(converted);
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    for (path, name) in [
        ("label", "std::string"),
        ("number", "std::string"),
        ("wide", "std::uint32_t"),
        ("narrow", "double"),
        ("inner", "std::vector<std::string>"),
    ] {
        assert_eq!(field(&schema, path).type_name, name, "{path}");
    }
    assert_eq!(columns(&schema, "narrow"), ["Real32"]);
}

#[test]
fn forms_that_differ_between_writing_and_reading() {
    #[derive(RNTuple, Clone)]
    struct Written {
        label: String,
        number: String,
        wide: u8,
        narrow: f32,
        inner: Vec<String>,
    }
    let written = |n: u64| Written {
        label: text(n),
        number: n.to_string(),
        wide: n as u8,
        narrow: n as f32,
        inner: list(n, |i| i.to_string()),
    };
    evolve(&many(written), &many(converted));

    let mut bad = many(written);
    bad[5].number = "seven".into();
    bad[8].inner[1] = "8x".into();
    let reader = open::<Converted>(&write(&bad)).unwrap();
    for (n, path) in [(5, "number"), (8, "inner._0")] {
        let error = reader.get(n).unwrap_err();
        assert_eq!(error.location().field.as_deref(), Some(path));
        assert!(error.to_string().contains("invalid digit"), "{error}");
        assert_eq!(reader.get(n + 1).unwrap(), converted(n + 1));
    }
}

#[test]
fn forms_of_members_that_files_may_lack() {
    #[derive(RNTuple, Clone)]
    struct Empty {
        other: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Filled {
        #[rntuple(with = nanoseconds, default)]
        time: Duration,
        #[rntuple(into = "String", try_from = "String", default = minus_one)]
        number: Number,
        #[rntuple(from = "String", into = "String", default, alias = "labels")]
        label: Label,
        other: u8,
    }
    fn minus_one() -> Number {
        Number(u32::MAX)
    }
    let lacking = |n: u64| Filled {
        time: Duration::ZERO,
        number: Number(u32::MAX),
        label: Label::default(),
        other: n as u8,
    };
    evolve(&many(|n| Empty { other: n as u8 }), &many(lacking));
    round_trip(&many(lacking));

    /// Options that may be empty are looked into, and what they hold has the stored form.
    #[derive(RNTuple, Clone)]
    struct Optional {
        time: Option<u64>,
        number: Option<String>,
        labels: Option<String>,
        other: u8,
    }
    let optional = |n: u64| Optional {
        time: (n.is_multiple_of(2)).then_some(n),
        number: (n.is_multiple_of(3)).then(|| n.to_string()),
        labels: (n.is_multiple_of(4)).then(|| text(n)),
        other: n as u8,
    };
    let filled = |n: u64| Filled {
        time: Duration::from_nanos(if n.is_multiple_of(2) { n } else { 0 }),
        number: if n.is_multiple_of(3) { Number(n as u32) } else { minus_one() },
        label: if n.is_multiple_of(4) { Label(text(n)) } else { Label::default() },
        other: n as u8,
    };
    evolve(&many(optional), &many(filled));
}

fn eleven() -> u8 {
    11
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
struct Partial {
    number: u64,
    #[rntuple(skip)]
    cache: Vec<u8>,
    #[rntuple(skip, default = eleven)]
    eleven: u8,
    #[rntuple(skip_writing, default = eleven)]
    only_read: u8,
    #[rntuple(skip_reading)]
    only_written: String,
    #[rntuple(skip_reading, default = "other_text")]
    other_text: String,
}

fn other_text() -> String {
    "other".into()
}

fn read_back(n: u64) -> Partial {
    Partial {
        number: n,
        cache: vec![],
        eleven: 11,
        only_read: 11,
        only_written: String::new(),
        other_text: other_text(),
    }
}

#[test]
fn what_is_skipped_is_not_there() {
    let partial = |n: u64| Partial {
        number: n,
        cache: vec![1; n as usize],
        eleven: 12,
        only_read: 13,
        only_written: text(n),
        other_text: text(n),
    };
    let old = many(partial);
    evolve(&old, &many(read_back));
    assert_eq!(names(&schema_of(&old[0])), ["number", "only_written", "other_text"]);

    // `skip_writing` is read where it is.
    #[derive(RNTuple, Clone)]
    struct Others {
        number: u64,
        cache: String,
        eleven: String,
        only_read: u8,
        only_written: bool,
    }
    let others = |n: u64| Others {
        number: n,
        cache: text(n),
        eleven: text(n),
        only_read: n as u8,
        only_written: true,
    };
    evolve(&many(others), &many(|n| Partial { only_read: n as u8, ..read_back(n) }));
}

#[test]
fn what_is_not_written_must_have_a_default_to_be_missing() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Needs {
        number: u64,
        #[rntuple(skip_writing)]
        only_read: u8,
    }
    let told = refused::<Needs>(&write(&[Needs { number: 1, only_read: 2 }]));
    assert_eq!(told, [("only_read".into(), "no such field".into(), "u8".into())]);
}

#[test]
fn variants_skip_too() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Hit {
        Strip {
            number: u32,
            #[rntuple(skip)]
            cache: u8,
        },
        Pixel(u16, #[rntuple(skip, default = eleven)] u8, u16),
        Only {
            #[rntuple(skip_reading)]
            written: u8,
            #[rntuple(skip_writing, default = eleven)]
            read: u8,
        },
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        hit: Hit,
    }
    let hit = |n: u64, extra: u8| match n % 3 {
        0 => Hit::Strip { number: n as u32, cache: extra },
        1 => Hit::Pixel(n as u16, if extra == 0 { 11 } else { extra }, 1),
        _ => Hit::Only { written: extra, read: if extra == 0 { 11 } else { extra } },
    };
    let old = many(|n| Event { hit: hit(n, 5) });
    evolve(&old, &many(|n| Event { hit: hit(n, 0) }));
    let expected =
        ["hit", "hit._0", "hit._0.number", "hit._1", "hit._1._0", "hit._1._2", "hit._2", "hit._2.written"];
    assert_eq!(names(&schema_of(&old[0])), expected);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(transparent)]
struct Momentum {
    #[rntuple(skip)]
    cache: Option<u8>,
    #[rntuple(truncate(bits = 20), unit = "GeV", compression = "lz4:1")]
    value: f32,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(transparent)]
struct Flag {
    is_set: bool,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(transparent)]
struct Generic<T> {
    value: T,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(transparent)]
struct Time {
    #[rntuple(with = nanoseconds)]
    time: Duration,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Transparent {
    /// Of the muon
    pt: Momentum,
    pts: Vec<Momentum>,
    pair: [Momentum; 2],
    flag: Flag,
    flags: [Flag; 11],
    some_flags: Vec<Flag>,
    generic: Generic<Vec<u8>>,
    in_generic: Generic<[Generic<bool>; 3]>,
    times: [Time; 2],
    newtype: Newtype,
    newtypes: [Newtype; 2],
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Newtype(#[rntuple(f16)] f32);

fn transparent(n: u64) -> Transparent {
    let pt = |n: u64| Momentum { cache: None, value: n as f32 };
    let flag = |n: u64| Flag { is_set: n.is_multiple_of(3) };
    let time = |n: u64| Time { time: Duration::from_nanos(n) };
    Transparent {
        pt: pt(n),
        pts: list(n, pt),
        pair: [pt(n), pt(1)],
        flag: flag(n),
        flags: std::array::from_fn(|i| flag(n + i as u64)),
        some_flags: list(n, flag),
        generic: Generic { value: list(n, |i| i as u8) },
        in_generic: Generic {
            value: [
                Generic { value: true },
                Generic { value: n.is_multiple_of(2) },
                Generic { value: false },
            ],
        },
        times: [time(n), time(n + 1)],
        newtype: Newtype(n as f32),
        newtypes: [Newtype(n as f32), Newtype(0.5)],
    }
}

#[test]
fn transparent_structs_are_stored_as_their_member() {
    let entries = many(transparent);
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    for (path, name, stored) in [
        ("pt", "float", &["Real32Trunc"][..]),
        ("pts", "std::vector<float>", &["SplitIndex64"]),
        ("pts._0", "float", &["Real32Trunc"]),
        ("pair", "std::array<float,2>", &[]),
        ("pair._0", "float", &["Real32Trunc"]),
        ("flag", "bool", &["Bit"]),
        ("flags", "std::bitset<11>", &["Bit"]),
        ("some_flags", "std::vector<bool>", &["SplitIndex64"]),
        ("generic", "std::vector<std::uint8_t>", &["SplitIndex64"]),
        ("in_generic", "std::bitset<3>", &["Bit"]),
        ("times", "std::array<std::uint64_t,2>", &[]),
        ("newtype", "float", &["Real16"]),
        ("newtypes._0", "float", &["Real16"]),
    ] {
        let field = field(&schema, path);
        assert_eq!(field.type_name, name, "{path}");
        if !stored.is_empty() {
            assert_eq!(columns(&schema, path), stored, "{path}");
        }
    }
    assert_eq!(field(&schema, "pt").description, "Of the muon [GeV]");
    assert_eq!(field(&schema, "pts._0").description, "[GeV]");
}

#[test]
fn what_is_skipped_in_a_transparent_struct_is_made_anew() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        pt: Momentum,
    }
    let file = write(&many(|n| Event { pt: Momentum { cache: Some(1), value: n as f32 } }));
    compare(&file, &many(|n| Event { pt: Momentum { cache: None, value: n as f32 } }));
}

#[test]
fn units_are_compared_inside_transparent_structs() {
    #[derive(RNTuple)]
    struct Event {
        #[rntuple(unit = "MeV")]
        pts: f32,
        /// [TeV]
        pt: f32,
    }
    #[derive(RNTuple)]
    struct Wanted {
        pts: Momentum,
        pt: Momentum,
    }
    let told = refused::<Wanted>(&write(&[Event { pts: 1.0, pt: 1.0 }]));
    let of = |field: &str, found: &str| {
        (field.to_owned(), format!("values in {found}"), "values in GeV".to_owned())
    };
    assert_eq!(told, [of("pts", "MeV"), of("pt", "TeV")]);
}
