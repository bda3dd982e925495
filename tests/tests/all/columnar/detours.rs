//! Members that a file has otherwise, or not at all; values in other forms.

use std::time::Duration;

use rntuple::columns::{Arrays, Lists, Options};
use rntuple::{ErrorKind, RNTuple, WriteOptions};

use super::common::{compare, open, pushed, round_trip, rows, small, write};

/// What was written once.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Old {
    number: u16,
    met: f64,
    maybe: Option<i32>,
    one: Option<u8>,
    three: [u16; 3],
    fixed: [f32; 2],
    plain: i64,
    other: i8,
    kind: Kind,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Kind {
    A(u8),
    B { x: f32 },
}

/// As it is read today.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct New {
    number: u64,
    met: f32,
    #[rntuple(default)]
    maybe: i32,
    one: Vec<u8>,
    three: [u32; 3],
    fixed: Vec<f64>,
    plain: Option<i64>,
    kind: NewKind,
    #[rntuple(default = eleven)]
    added: u8,
    #[rntuple(default)]
    muons: Vec<Muon>,
    #[rntuple(skip)]
    cache: u8,
    #[rntuple(alias = "other")]
    again: i64,
}

fn eleven() -> u8 {
    11
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum NewKind {
    A(u8),
    B {
        x: f64,
        #[rntuple(default = eleven)]
        y: u8,
    },
    C(String),
    D {
        z: f32,
    },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
}

fn old(count: u16) -> Vec<Old> {
    (0..count)
        .map(|number| Old {
            number,
            met: f64::from(number) / 2.0,
            maybe: (number % 3 == 0).then_some(i32::from(number)),
            one: (number % 4 == 0).then_some(1),
            three: [1, 2, number],
            fixed: [1.0, 2.0],
            plain: -i64::from(number),
            other: 5,
            kind: if number % 2 == 0 { Kind::A(1) } else { Kind::B { x: 2.0 } },
        })
        .collect()
}

#[test]
fn older_files_are_read_as_rows_are() {
    for options in [Default::default(), small()] {
        let file = write(&old(300), options);
        let entries = rows::<New>(&file).unwrap();
        assert_eq!((entries[3].maybe, entries[4].maybe, entries[4].added), (3, 0, 11));
        compare(&file, &entries);
    }
    let file = write(&old(3), small());
    let batch = open::<New>(&file).batches(9).next().unwrap().unwrap();
    let three: &Arrays<Vec<u32>, 3> = &batch.three;
    assert_eq!(three.as_slice().as_arrays(), [[1, 2, 0], [1, 2, 1], [1, 2, 2]]);
    let plain: &Options<Vec<i64>> = &batch.plain;
    assert!(plain.as_slice().mask().eq([true; 3]));
    let fixed: &Lists<Vec<f64>> = &batch.fixed;
    assert_eq!(fixed.offsets(), [0, 2, 4, 6]);
}

#[test]
fn what_does_not_fit_is_told_with_its_entry() {
    let mut entries = old(3000);
    entries[2500].met = 1e300;
    let file = write(&entries, small());
    let reader = open::<New>(&file);
    let expected = reader.entries().find_map(Result::err).unwrap();
    let mut batches = reader.batches(1100);
    let mut batch = NewColumns::default();
    assert!(batches.read_into(&mut batch).unwrap() && batches.read_into(&mut batch).unwrap());
    let error = batches.read_into(&mut batch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(error.to_string(), expected.to_string());
    assert!(error.to_string().contains("entry 2500"), "{error}");
    assert!(batch.is_empty());
    assert!(!batches.read_into(&mut batch).unwrap(), "an error is the end");
    let behind: usize = reader.batches_in(2501..3000, 100).map(|batch| batch.unwrap().len()).sum();
    assert_eq!(behind, 499);
}

#[test]
fn batches_of_nothing_are_refused() {
    let file = write(&old(3), small());
    let mut batches = open::<New>(&file).batches(0);
    let error = batches.next().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.message(), "the batch size must be at least 1");
    assert!(batches.next().is_none());
}

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

#[derive(Clone, Debug, PartialEq)]
struct Celsius(f64);

impl From<f32> for Celsius {
    fn from(kelvin: f32) -> Self {
        Self(f64::from(kelvin) - 273.0)
    }
}

impl From<Celsius> for f32 {
    fn from(Celsius(degrees): Celsius) -> f32 {
        degrees as f32 + 273.0
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Converted {
    #[rntuple(with = nanoseconds)]
    time: Duration,
    #[rntuple(from = f32, into = f32)]
    temperature: Celsius,
    #[rntuple(try_from = "i32", into = "i64")]
    number: i64,
    #[rntuple(with = nanoseconds, default)]
    pause: Duration,
    hits: Vec<Timed>,
    when: When,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Timed(#[rntuple(with = nanoseconds)] Duration);

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum When {
    At(#[rntuple(with = nanoseconds)] Duration),
    Between {
        #[rntuple(with = nanoseconds)]
        first: Duration,
        last: Option<f32>,
    },
    Never,
}

fn converted(count: u64) -> Vec<Converted> {
    let time = Duration::from_nanos;
    let when = |number| match number % 3 {
        0 => When::At(time(number)),
        1 => When::Between { first: time(number), last: None },
        _ => When::Never,
    };
    let entry = |number| Converted {
        time: time(number),
        temperature: Celsius(f64::from(number as u32) - 273.0),
        number: number as i64,
        pause: time(3),
        hits: vec![Timed(time(number)); number as usize % 3],
        when: when(number),
    };
    (0..count).map(entry).collect()
}

#[test]
fn values_are_converted() {
    let entries = converted(200);
    let file = write(&entries, small());
    compare(&file, &entries);
    let batch = open::<Converted>(&file).batches(3).next().unwrap().unwrap();
    assert_eq!(*batch.time, [0, 1, 2].map(Duration::from_nanos));
    assert_eq!(batch.temperature[0], Celsius(-273.0));
    let hits: &[Duration] = batch.hits.items();
    assert_eq!(hits.len(), 3);
    assert_eq!(*batch.when.at, [Duration::ZERO]);
    let file = {
        let mut writer =
            rntuple::Writer::<Converted, _>::new(rntuple::storage::Memory::new(), "Events", small()).unwrap();
        writer.fill_columns(pushed(&entries).as_slice()).unwrap();
        writer.finish_into().unwrap().1
    };
    assert_eq!(rows::<Converted>(&file).unwrap(), entries);
    let refused = write(&converted(1000), small());
    let error = open::<Converted>(&refused).batches(1000).find_map(Result::err).unwrap();
    assert!(
        error.to_string().contains("666 ns is no time") && error.to_string().contains("entry 666"),
        "{error}"
    );
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(version = 1)]
struct EventV1 {
    energy: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar, version = 2, upgrade_from(EventV1, when = has("energy")))]
struct EventV2 {
    energies: Vec<f32>,
}

impl From<EventV1> for EventV2 {
    fn from(old: EventV1) -> Self {
        Self { energies: vec![old.energy, 0.0] }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct FileV1 {
    event: EventV1,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct FileV2 {
    event: EventV2,
}

#[test]
fn older_types_are_upgraded() {
    let old: Vec<FileV1> = (0..200_u8).map(|n| FileV1 { event: EventV1 { energy: n.into() } }).collect();
    let file = write(&old, small());
    let entries = rows::<FileV2>(&file).unwrap();
    assert_eq!(entries[7].event.energies, [7.0, 0.0]);
    compare(&file, &entries);
    round_trip(&entries);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Flat {
    #[rntuple(flatten)]
    point: Point,
    #[rntuple(flatten, prefix = "end_")]
    end: Point,
    #[rntuple(skip_writing)]
    #[rntuple(default)]
    derived: u8,
    #[rntuple(skip_reading)]
    written: u8,
}

#[test]
fn flattened_and_half_stored_members_are_members() {
    let point = |x: u8| Point { x: x.into(), y: 0.5 };
    let entries: Vec<Flat> =
        (0..100).map(|n| Flat { point: point(n), end: point(1), derived: 0, written: 0 }).collect();
    round_trip(&entries);
    let batch = pushed(&entries);
    assert_eq!((batch.point.x[7], batch.end.y[0]), (7.0, 0.5));
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum Open {
    A(u8),
    #[rntuple(other)]
    Other,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct WithOpen {
    value: Open,
    closed: Vec<Kind2>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
#[repr(u8)]
enum Kind2 {
    A,
    #[rntuple(other)]
    B = 4,
}

#[test]
fn other_alternatives_have_a_tag_of_their_own() {
    let entries: Vec<WithOpen> = (0..50_u8)
        .map(|n| WithOpen {
            value: if n % 3 == 0 { Open::Other } else { Open::A(n) },
            closed: vec![if n % 2 == 0 { Kind2::A } else { Kind2::B }; n as usize % 4],
        })
        .collect();
    round_trip(&entries);
    let batch = pushed(&entries[..3]);
    assert!(batch.value.switches.as_slice().alternatives().eq([None, Some(0), Some(0)]));
    assert_eq!(batch.value.a, [1, 2]);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Mark {}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Marked {
    number: u32,
    marks: Vec<Mark>,
}

#[test]
fn items_that_take_no_bytes_are_refused_where_those_of_an_entry_are() {
    let marked = |number: u32, marks| Marked { number, marks: vec![Mark {}; marks] };
    // Together more than an entry, or a batch, may have.
    let entries: Vec<Marked> = (0..1500).map(|number| marked(number, 5000)).collect();
    let file = write(&entries, WriteOptions::new());
    for count in [1, 1000, usize::MAX] {
        let mut numbers = Vec::new();
        for batch in open::<Marked>(&file).batches(count) {
            let batch = batch.unwrap();
            assert!(batch.marks.as_slice().counts().all(|count| count == 5000));
            numbers.extend_from_slice(&batch.number);
        }
        assert!(numbers.iter().copied().eq(0..1500), "{count}");
    }
    // One entry that has too many.
    let file = write(&[marked(0, 5000), marked(1, 1_500_000), marked(2, 0)], WriteOptions::new());
    let expected = rows::<Marked>(&file).unwrap_err();
    assert_eq!((expected.kind(), expected.location().entry), (ErrorKind::LimitExceeded, Some(1)));
    for count in [1, 2, 1000] {
        let error = open::<Marked>(&file).batches(count).find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), expected.to_string(), "{count}");
    }
}
