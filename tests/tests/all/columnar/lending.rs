//! Lent entries equal those that are read: of every kind of type, wherever pages end, and in damaged files.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;
use rntuple::columns::{Iter, ReadColumnar};
use rntuple::cxx::{BitSet, Byte, Cardinality};
use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Compression, ErrorKind, RNTuple, ReadOptions, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::places::places;
use rntuple_tests::sample::{Random, Sample, samples};

use super::common::{Both, compare};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
    isolation: Option<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Jet {
    energy: f64,
    constituents: Vec<u32>,
    muons: Vec<Muon>,
    flavour: Detector,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Track<T> {
    curvature: (T, T),
    hits: BitSet<12>,
    points: Vec<[T; 2]>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Vertex {
    position: [f64; 3],
    tracks: Vec<Track<f32>>,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(columnar)]
struct Energy(f32);

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Pair(u16, String);

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(columnar)]
struct Marker;

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(columnar)]
#[repr(i16)]
enum Detector {
    Pixel = -3,
    Strip = 1,
    Muon = 1000,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum Process {
    MinimumBias,
    DrellYan(f64),
    Resonance(u32, Vec<Muon>),
    Jets { jets: Vec<Jet>, detector: Detector },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum Cascade {
    Decays { products: Vec<Process> },
    Stable(i32),
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Scalars {
    flag: bool,
    byte: Byte,
    a: i8,
    b: u16,
    c: i32,
    d: u64,
    e: f32,
    f: f64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    scalars: Scalars,
    label: String,
    names: Vec<String>,
    boxed: Box<str>,
    deep: Vec<Vec<Vec<u16>>>,
    queue: VecDeque<Option<u8>>,
    slice: Box<[Muon]>,
    maybe: Option<Vec<String>>,
    maybes: Vec<Option<Option<Muon>>>,
    shape: [f32; 6],
    matrix: [[f32; 2]; 3],
    two: [Muon; 2],
    points: Vec<[f32; 3]>,
    pairs_of_words: Vec<[String; 2]>,
    flags: [bool; 5],
    triggers: BitSet<64>,
    patterns: Vec<BitSet<3>>,
    pair: (u8, String),
    pairs: Vec<(u8, String, Vec<f32>)>,
    pointer: Box<f64>,
    shared: Box<Muon>,
    energy: Energy,
    energies: Vec<Energy>,
    three: [Energy; 3],
    words: Vec<Pair>,
    marker: Marker,
    markers: Vec<Marker>,
    detector: Detector,
    detectors: Vec<Detector>,
    process: Process,
    processes: Vec<Process>,
    cascades: Vec<Cascade>,
    jets: Vec<Jet>,
    vertex: Option<Vertex>,
    #[rntuple(flatten, prefix = "main_")]
    main: Vertex,
}

macro_rules! sampled {
    ($($type:ident $(<$parameter:ident>)? { $($member:tt)* })*) => {$(
        impl$(<$parameter: Sample>)? Sample for $type$(<$parameter>)? {
            fn sample(random: &mut Random) -> Self {
                Self { $($member: Sample::sample(random)),* }
            }
        }
    )*};
}

sampled! {
    Muon { pt charge isolation }
    Jet { energy constituents muons flavour }
    Track<T> { curvature hits points }
    Vertex { position tracks }
    Energy { 0 }
    Pair { 0 1 }
    Scalars { flag byte a b c d e f }
    Event {
        scalars label names boxed deep queue slice maybe maybes shape matrix two points pairs_of_words flags
        triggers patterns pair pairs pointer shared energy energies three words marker markers detector detectors
        process processes cascades jets vertex main
    }
}

impl Sample for Marker {
    fn sample(_: &mut Random) -> Self {
        Self
    }
}

impl Sample for Detector {
    fn sample(random: &mut Random) -> Self {
        [Self::Pixel, Self::Strip, Self::Muon][random.below(3)]
    }
}

impl Sample for Process {
    fn sample(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::MinimumBias,
            1 => Self::DrellYan(Sample::sample(random)),
            2 => Self::Resonance(Sample::sample(random), Sample::sample(random)),
            _ => Self::Jets { jets: Sample::sample(random), detector: Sample::sample(random) },
        }
    }
}

impl Sample for Cascade {
    fn sample(random: &mut Random) -> Self {
        match random.below(2) {
            0 => Self::Decays { products: Sample::sample(random) },
            _ => Self::Stable(Sample::sample(random)),
        }
    }
}

/// What a value shows, lent or not: it shows all of its members.
fn shown(value: &impl Debug) -> String {
    format!("{value:?}").replace("Ref", "")
}

/// A file of clusters of `entries`, in pages of `page` bytes.
fn file_of<T: rntuple::Entry + WriteField>(values: &[T], entries: usize, page: usize) -> Memory {
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .initial_page_length(page.min(64))
        .max_page_length(page);
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    for cluster in values.chunks(entries) {
        writer.fill_all(cluster).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.finish_into().unwrap().1
}

fn reader_of<T: rntuple::Entry + ReadField>(storage: Memory) -> Reader<T> {
    Reader::open(storage, "Events").unwrap()
}

fn check<T: Both>(values: &[T], entries: usize, page: usize) {
    compare(&file_of(values, entries, page), values);
}

#[test]
fn values_of_every_type_are_lent() {
    let events: Vec<Event> = samples(40, 7);
    check(&events, 1000, 1 << 16);
    check(&events, 7, 1 << 16);
}

#[test]
fn values_are_lent_wherever_pages_end() {
    let events: Vec<Event> = samples(30, 8);
    for page in [8, 16, 40] {
        check(&events, 11, page);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_values_in_any_pages(seed in any::<u64>(), count in 2usize..12, entries in 1usize..9, page in 8usize..200) {
        check(&samples::<Event>(count, seed), entries, page);
    }
}

#[test]
fn members_of_one_value_are_those_of_the_struct() {
    let muons = vec![
        Muon { pt: 1.0, charge: -1, isolation: None },
        Muon { pt: 2.0, charge: 1, isolation: Some(0.5) },
    ];
    let mut event: Event = samples(1, 3).remove(0);
    event.slice = muons.into();
    event.pairs = vec![(1, "one".into(), vec![]), (2, "two".into(), vec![2.0])];
    event.deep = vec![vec![vec![1], vec![2, 3]], vec![], vec![vec![4]]];
    let reader = reader_of::<Event>(file_of(&[event.clone()], 1, 1 << 16));
    let mut batches = reader.batches(1);
    let EventRef { scalars, label, slice, pairs, deep, shape, points, three, .. } =
        batches.lend().unwrap().unwrap().get(0).unwrap();
    let label: &str = label;
    assert_eq!((label, scalars.d), (&*event.label, event.scalars.d));
    let pt: &[f32] = slice.pt;
    assert_eq!((pt, slice.charge), (&[1.0, 2.0][..], &[-1, 1][..]));
    assert_eq!(slice.isolation.values(), [0.5]);
    assert_eq!(slice.get(1).unwrap().isolation, Some(0.5));
    assert!(slice.get(2).is_none());
    for (muon, charge) in slice.into_iter().zip([-1, 1]) {
        assert_eq!(muon.charge, charge);
    }
    assert_eq!(pairs.0, [1, 2]);
    assert_eq!(pairs.1.text(), "onetwo");
    assert_eq!(pairs.iter().map(|(_, name, _)| name).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(deep.items().items(), [1, 2, 3, 4]);
    assert_eq!(deep.get(0).unwrap().get(1).unwrap(), [2, 3]);
    assert_eq!(deep.get(2).unwrap().items(), [4]);
    let shape: &[f32; 6] = shape;
    assert_eq!(*shape, event.shape);
    let points: &[[f32; 3]] = points.as_arrays();
    assert_eq!(points, event.points);
    assert_eq!(*three, event.three.map(|energy| energy.0));
}

mod millis {
    use std::time::Duration;

    pub(super) type Stored = u32;

    pub(super) fn store(duration: &Duration) -> u32 {
        duration.as_millis() as u32
    }

    pub(super) fn load(stored: u32) -> Result<Duration, &'static str> {
        if stored == 13 { Err("unlucky") } else { Ok(Duration::from_millis(stored.into())) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Celsius(f32);

impl From<f32> for Celsius {
    fn from(value: f32) -> Self {
        Self(value)
    }
}

impl From<Celsius> for f32 {
    fn from(value: Celsius) -> Self {
        value.0
    }
}

fn room() -> Celsius {
    Celsius(20.0)
}

/// Values that are kept as they are.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar(one = Kept, slice = Keeps))]
struct Owned<T: Ord> {
    #[rntuple(rows)]
    map: BTreeMap<u32, T>,
    number: u32,
    #[rntuple(rows)]
    set: BTreeSet<T>,
    #[rntuple(with = millis)]
    time: std::time::Duration,
    #[rntuple(from = "f32", into = "f32", default = room)]
    temperature: Celsius,
    #[rntuple(rows)]
    list: Vec<Muon>,
    #[rntuple(skip)]
    cache: u8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
enum Choice {
    Map(#[rntuple(rows)] BTreeMap<u32, u8>),
    Timed {
        #[rntuple(with = millis)]
        time: std::time::Duration,
        #[rntuple(skip)]
        #[allow(dead_code)]
        cache: u8,
    },
    List(Vec<u8>),
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Owning {
    one: Owned<u8>,
    many: Vec<Owned<String>>,
    choices: Vec<Choice>,
    choice: Choice,
}

fn owned<T: Ord>(seed: u32, item: impl Fn(u32) -> T) -> Owned<T> {
    let count = seed % 4;
    Owned {
        map: (0..count).map(|i| (i, item(i))).collect(),
        number: seed,
        set: (0..count).map(&item).collect(),
        time: std::time::Duration::from_millis(u64::from(100 + seed)),
        temperature: Celsius(seed as f32),
        list: (0..count).map(|i| Muon { pt: i as f32, charge: 1, isolation: None }).collect(),
        cache: 0,
    }
}

fn choice(seed: u32) -> Choice {
    match seed % 3 {
        0 => Choice::Map([(seed, 1)].into()),
        1 => Choice::Timed { time: std::time::Duration::from_millis(u64::from(100 + seed)), cache: 0 },
        _ => Choice::List(vec![seed as u8; 2]),
    }
}

fn assert_kept<T: Ord + Clone + Debug + 'static>(kept: &Kept<'_, T>, owned: &Owned<T>) {
    let map: &BTreeMap<u32, T> = kept.map;
    assert_eq!((map, kept.number, kept.set), (&owned.map, owned.number, &owned.set));
    assert_eq!((kept.time, kept.temperature, kept.list), (&owned.time, &owned.temperature, &owned.list));
}

fn assert_choice(lent: ChoiceRef<'_>, choice: &Choice) {
    match (lent, choice) {
        (ChoiceRef::Map(lent), Choice::Map(map)) => assert_eq!(lent, map),
        (ChoiceRef::Timed { time: lent }, Choice::Timed { time, .. }) => assert_eq!(lent, time),
        (ChoiceRef::List(lent), Choice::List(list)) => assert_eq!(lent, list),
        _ => panic!("{lent:?} of {choice:?}"),
    }
}

#[test]
fn what_has_no_columns_is_kept() {
    let event = |seed: u32| Owning {
        one: owned(seed, |i| i as u8),
        many: (0..seed % 3).map(|i| owned(seed + i, |i| format!("item {i}"))).collect(),
        choices: (0..seed % 5).map(|i| choice(seed + i)).collect(),
        choice: choice(seed),
    };
    let events: Vec<_> = (0..30).map(event).collect();
    let compare = |lent: OwningRef<'_>, event: &Owning| {
        assert_kept(&lent.one, &event.one);
        assert_eq!((lent.many.len(), lent.choices.len()), (event.many.len(), event.choices.len()));
        lent.many.iter().zip(&event.many).for_each(|(lent, owned)| assert_kept(&lent, owned));
        lent.choices.iter().zip(&event.choices).for_each(|(lent, choice)| assert_choice(lent, choice));
        assert_choice(lent.choice, &event.choice);
    };
    let reader = reader_of::<Owning>(file_of(&events, 11, 64));
    let mut batches = reader.batches(4);
    let mut rest = &events[..];
    while let Some(slice) = batches.lend().unwrap() {
        let (now, later) = rest.split_at(slice.len());
        slice.iter().zip(now).for_each(|(lent, event)| compare(lent, event));
        rest = later;
    }
    assert!(rest.is_empty());
}

#[test]
fn members_that_a_file_lacks_are_made() {
    #[derive(RNTuple)]
    struct Old {
        number: u32,
        inner: Option<u32>,
    }
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct New {
        number: u32,
        #[rntuple(from = "f32", into = "f32", default = room)]
        temperature: Celsius,
        #[rntuple(default)]
        inner: u32,
    }
    let old = [Old { number: 1, inner: None }, Old { number: 2, inner: Some(7) }];
    let reader = reader_of::<New>(file_of(&old, 2, 64));
    let mut batches = reader.batches(9);
    let slice = batches.lend().unwrap().unwrap();
    assert_eq!(
        (slice.number, slice.temperature.0, slice.inner),
        (&[1, 2][..], &[room(); 2][..], &[0, 7][..])
    );
    let mut batches = reader.batches_in(1..2, 9);
    let one = batches.lend().unwrap().unwrap().get(0).unwrap();
    assert_eq!((one.number, one.temperature, one.inner), (2, &room(), 7));
}

#[test]
fn detours_are_lent_too() {
    #[derive(RNTuple)]
    struct Written {
        array: [u16; 3],
        value: u8,
        wide: Vec<u8>,
        sized: Vec<f32>,
    }
    #[derive(RNTuple)]
    #[rntuple(columnar, skip_writing)]
    struct Read {
        #[rntuple(rename = "array")]
        as_list: Vec<u16>,
        #[rntuple(rename = "value")]
        as_option: Option<u8>,
        #[rntuple(rename = "wide")]
        widened: Arc<Vec<u64>>,
        sized: Cardinality,
    }
    let values: Vec<_> = (0..20)
        .map(|i| Written {
            array: [i, i + 1, i + 2],
            value: i as u8,
            wide: vec![i as u8; 3],
            sized: vec![1.0; 2],
        })
        .collect();
    for page in [8, 1 << 10] {
        let reader = reader_of::<Read>(file_of(&values, 9, page));
        for most in [1, 5] {
            let mut at = 0;
            let read = reader.batches(most).visit(|lent| {
                let value = &values[at];
                assert_eq!(lent.as_list, value.array);
                assert_eq!((lent.as_option, lent.sized), (Some(value.value), 2));
                assert_eq!(lent.widened, [u64::from(value.value); 3]);
                at += 1;
                Ok::<_, rntuple::Error>(())
            });
            read.unwrap();
            assert_eq!(at, values.len());
        }
    }
}

#[test]
fn values_that_the_type_does_not_take_are_stepped_over() {
    #[derive(RNTuple)]
    struct Wide {
        number: u32,
        small: u32,
    }
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Narrow {
        number: u32,
        small: u8,
    }
    let values: Vec<_> =
        (0..50).map(|number| Wide { number, small: if number % 10 == 7 { 1000 } else { number } }).collect();
    let reader = reader_of::<Narrow>(file_of(&values, 20, 64));
    for most in [1, 4, 1000] {
        let mut batches = reader.batches(most);
        let (mut numbers, mut refused) = (Vec::new(), Vec::new());
        loop {
            match batches.lend() {
                Ok(Some(slice)) => numbers.extend_from_slice(slice.number),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
                    assert_eq!(error.location().field.as_deref(), Some("small"));
                    // Those before it were lent.
                    assert_eq!(numbers.last().copied(), error.location().entry.map(|entry| entry as u32 - 1));
                    refused.push(error.location().entry.unwrap());
                }
            }
        }
        assert_eq!(refused, [7, 17, 27, 37, 47], "{most:?}");
        assert!(
            numbers.iter().copied().eq((0..50).filter(|number| number % 10 != 7)),
            "{most:?}: {numbers:?}"
        );
    }
}

#[test]
fn a_damaged_page_ends_every_walk_at_its_first_entry() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Number {
        value: u8,
    }
    let values: Vec<_> = (100..109).map(|value| Number { value }).collect();
    let mut bytes = file_of(&values, 3, 64).as_bytes().to_vec();
    let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&[106, 107, 108])).collect();
    let [page] = places[..] else { panic!("{places:?}") };
    bytes[page] ^= 1;
    let reader = reader_of::<Number>(Memory::from(bytes));
    let mut read = Vec::new();
    for entry in reader.entries() {
        read.push(entry.map(|entry| entry.value).map_err(|error| error.to_string()));
    }
    assert!(read.last().unwrap().is_err(), "{read:?}");
    for most in [1, 2, 1000] {
        let mut lent = Vec::new();
        let mut batches = reader.batches(most);
        while let Some(slice) = batches.lend().map(|some| some.map(|some| some.value.to_vec())).transpose() {
            match slice {
                Ok(values) => lent.extend(values.into_iter().map(Ok)),
                Err(error) => lent.push(Err(error.to_string())),
            }
        }
        assert_eq!(lent, read, "{most}");
    }
}

#[test]
fn the_first_error_of_a_visit_is_told() {
    let values: Vec<Muon> = samples(20, 1);
    let reader = reader_of::<Muon>(file_of(&values, 20, 64));
    let mut count = 0;
    let error = reader.batches(7).visit(|_| {
        count += 1;
        if count < 5 { Ok(()) } else { Err(Box::<dyn std::error::Error>::from("enough")) }
    });
    assert_eq!((count, error.unwrap_err().to_string()), (5, "enough".to_owned()));
    let mut sum = 0.0;
    let read = reader.batches(7).visit(|muon| {
        sum += f64::from(muon.charge);
        Ok::<_, rntuple::Error>(())
    });
    read.unwrap();
    assert_eq!(sum, values.iter().map(|muon| f64::from(muon.charge)).sum::<f64>());
}

/// Entries that are read or lent before the first error, and whether there is one.
type Verdict = (Vec<String>, bool);

fn verdicts<T: rntuple::Entry + ReadColumnar + Debug>(bytes: &[u8], verify: bool) -> Option<[Verdict; 3]> {
    let file = RootFile::from_storage(Memory::from(bytes.to_vec())).ok()?;
    let options = ReadOptions::new().verify_checksums(verify);
    let reader = Reader::<T>::open_with(&file, "Events", options).ok()?;
    // A page list may claim any number.
    if reader.entry_count().unwrap() > 1000 {
        return None;
    }
    let mut read: Verdict = Default::default();
    for entry in reader.entries() {
        match entry {
            Ok(entry) => read.0.push(shown(&entry)),
            Err(_) => read.1 = true,
        }
    }
    let lent = |most| {
        let mut lent: Verdict = Default::default();
        let mut batches = reader.batches(most);
        loop {
            match batches.lend() {
                Ok(Some(slice)) => lent.0.extend(Iter::new(slice).map(|one| shown(&one))),
                Ok(None) => break lent,
                Err(_) => lent.1 = true,
            }
        }
    };
    Some([read, lent(1), lent(3)])
}

/// With `verify`, nothing but errors; without, whatever is there.
fn check_damage<T: rntuple::Entry + ReadColumnar + WriteField + Debug>(values: &[T], flips: &[u8]) {
    let mut bytes = file_of(values, 3, 48).into_bytes();
    let sound = verdicts::<T>(&bytes, true).unwrap();
    assert!(sound.iter().all(|verdict| !verdict.1 && verdict.0 == sound[0].0));
    for end in places(bytes.len()) {
        if let Some([read, lent, sliced]) = verdicts::<T>(&bytes[..end], true) {
            assert!(read == lent && read == sliced, "prefix of {end}");
        }
    }
    let mut differing = 0;
    for at in places(bytes.len()) {
        for flip in flips {
            bytes[at] ^= flip;
            for verify in [true, false] {
                if let Some([read, lent, sliced]) = verdicts::<T>(&bytes, verify) {
                    assert_eq!(read, lent, "byte {at} ^ {flip}, {verify}");
                    assert_eq!(read, sliced, "byte {at} ^ {flip}, {verify}, slices");
                    differing += usize::from(read != sound[0]);
                }
            }
            bytes[at] ^= flip;
        }
    }
    assert!(differing > 0, "some damage was met");
}

#[test]
fn damaged_files_get_the_verdict_of_reading() {
    #[derive(RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Small {
        number: u16,
        label: String,
        deep: Vec<Vec<u8>>,
        maybe: Vec<Option<u8>>,
        array: [u8; 2],
    }
    let values: Vec<_> = (0..5u8)
        .map(|i| Small {
            number: i.into(),
            label: "µ".repeat(i.into()),
            deep: (0..i).map(|j| vec![j; usize::from(j)]).collect(),
            maybe: vec![Some(i), None],
            array: [i; 2],
        })
        .collect();
    check_damage(&values, &[0xFF, 0x01]);
}

#[test]
fn damaged_variants_get_the_verdict_of_reading() {
    #[derive(RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Small {
        processes: Vec<Process>,
        detector: Detector,
        marked: Vec<Marker>,
    }
    let values: Vec<_> = (0..4)
        .map(|i| Small {
            processes: vec![Process::DrellYan(1.0), Process::Resonance(i, vec![]), Process::MinimumBias],
            detector: Detector::Strip,
            marked: vec![Marker; i as usize],
        })
        .collect();
    check_damage(&values, &[0xFF]);
}

#[test]
fn a_map_is_kept_in_slices_of_anything() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Event {
        #[rntuple(rows)]
        map: HashMap<u32, String>,
    }
    let map: HashMap<u32, String> = [(1, "one".to_owned())].into();
    let reader = reader_of::<Event>(file_of(&[Event { map: map.clone() }], 1, 64));
    let mut batches = reader.batches(1);
    assert_eq!(*batches.lend().unwrap().unwrap().map, [map]);
}

/// Each kind of width, offsets and strings.
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Hit {
    charge: i8,
    time: f64,
    channel: u16,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Readout {
    flag: u8,
    energy: f32,
    label: String,
    samples: Vec<f32>,
    hits: Vec<Hit>,
}

/// All lent slices lie in `file`; those of entries whose values are in one page, which nearly all are.
fn assert_lent_from(file: &[u8], reader: &Reader<Readout>) {
    let bounds = file.as_ptr_range();
    fn bytes<T>(values: &[T]) -> Range<*const u8> {
        let Range { start, end } = values.as_ptr_range();
        start.cast()..end.cast()
    }
    let is_inside = |part: Range<*const u8>| bounds.start <= part.start && part.end <= bounds.end;
    let (mut inside, mut elsewhere) = (0, 0);
    let mut batches = reader.batches(1);
    while let Some(entry) = batches.lend().unwrap() {
        let hits = entry.hits.items();
        let parts = [
            bytes(entry.label.text().as_bytes()),
            bytes(entry.samples.items()),
            bytes(hits.charge),
            bytes(hits.time),
            bytes(hits.channel),
        ];
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            if is_inside(part) { inside += 1 } else { elsewhere += 1 }
        }
    }
    assert!(inside > 10_000 && elsewhere < 100, "{inside} in the file, {elsewhere} elsewhere");
    let mut column = reader.column::<f64>("hits.time").unwrap();
    let mut pages = 0;
    while let Some(page) = column.next_chunk().unwrap() {
        assert!(is_inside(bytes(page)));
        pages += 1;
    }
    assert!(pages > 0);
}

#[test]
fn uncompressed_values_are_lent_where_the_file_has_them() {
    let hit = |number: u16| Hit { charge: -1, time: f64::from(number), channel: number };
    let entries: Vec<Readout> = (0..5000)
        .map(|number| Readout {
            flag: 1,
            energy: f32::from(number),
            label: "\u{b5}".repeat(usize::from(number % 4)),
            samples: vec![0.5; usize::from(number % 5)],
            hits: (0..number % 3).map(hit).collect(),
        })
        .collect();
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&entries).unwrap();
    let file = writer.finish_into().unwrap().1;
    assert_lent_from(file.as_bytes(), &reader_of(file.clone()));
    {
        use rntuple::storage::{Block, MappedFile, ReadAt};

        struct Shared(Arc<MappedFile>);

        impl ReadAt for Shared {
            fn size(&self) -> u64 {
                self.0.size()
            }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
                self.0.read_at(offset, buffer)
            }
            fn block(&self, range: Range<u64>) -> std::io::Result<Block> {
                self.0.block(range)
            }
        }

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mapped.root");
        std::fs::write(&path, file.as_bytes()).unwrap();
        #[expect(unsafe_code, reason = "only this test knows the file")]
        // SAFETY: no one writes to it.
        let map = Arc::new(unsafe { MappedFile::open(&path) }.unwrap());
        let all = map.block(0..map.size()).unwrap();
        let file = RootFile::from_storage(Shared(map)).unwrap();
        assert_lent_from(&all, &Reader::open(&file, "Events").unwrap());
    }
}
