//! Predicates of types with every attribute that changes where a field is, and files that differ.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use arrayvec::{ArrayString, ArrayVec};
use half::f16;
use nalgebra::Vector3;
use num_complex::Complex;
use ordered_float::OrderedFloat;
use rntuple::cxx::{Byte, Cardinality, Cardinality32};
use rntuple::predicate::{Fields as _, Predicate};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Files, RNTuple, Reader, RootFile, WriteOptions, Writer};
use smallvec::SmallVec;
use uuid::Uuid;

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(predicates)]
#[repr(i8)]
enum Side {
    Left = -1,
    #[rntuple(rename = "R")]
    Right = 1,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(predicates)]
enum Shape {
    Circle(f32),
    Nothing,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(predicates)]
struct Energy(f64);

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(predicates)]
struct Vertex {
    x: f32,
    tracks: Vec<(u8, Energy)>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(predicates, rename_all = "camelCase")]
struct Event {
    event_number: u64,
    side: Side,
    shape: Shape,
    energy: Energy,
    #[rntuple(flatten, prefix = "vtx_")]
    vertex: Vertex,
    second: Option<Vertex>,
    names: BTreeMap<String, i32>,
    flags: [bool; 3],
    #[rntuple(skip)]
    cache: u32,
}

fn events() -> Vec<Event> {
    (0..40u16)
        .map(|number| {
            let tracks = |count| (0..count).map(|track| (track, Energy(f64::from(track) + 0.5))).collect();
            let x = f32::from(number) - 20.0;
            Event {
                event_number: number.into(),
                side: if number % 2 == 0 { Side::Left } else { Side::Right },
                shape: if number % 5 == 0 { Shape::Nothing } else { Shape::Circle(x) },
                energy: Energy(f64::from(number) * 2.0),
                vertex: Vertex { x, tracks: tracks((number % 4) as u8) },
                second: (number % 3 == 0).then(|| Vertex { x: -x, tracks: tracks(1) }),
                names: [(format!("n{}", number % 7), i32::from(number))].into(),
                flags: [number % 2 == 0, number > 30, false],
                cache: 0,
            }
        })
        .collect()
}

fn file(statistics: bool) -> RootFile {
    let options = WriteOptions::new().statistics(statistics).max_page_length(64);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for (number, event) in events().iter().enumerate() {
        writer.fill(event).unwrap();
        if number % 10 == 9 {
            writer.commit_cluster().unwrap();
        }
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

#[test]
fn typed_predicates_are_closures_that_readers_understand() {
    let event = Event::fields;
    type Condition = fn(&Event) -> bool;
    let cases: Vec<(Predicate, Condition)> = vec![
        (event().event_number.ge(17), |event| event.event_number >= 17),
        (event().side.eq(Side::Right), |event| event.side == Side::Right),
        (event().side.is_in([Side::Left]), |event| event.side == Side::Left),
        (event().energy.between(10.0, 20.0), |event| (10.0..=20.0).contains(&event.energy.0)),
        (event().vertex.x.abs().lt(5.0), |event| event.vertex.x.abs() < 5.0),
        (event().vertex.tracks.size().eq(2), |event| event.vertex.tracks.len() == 2),
        (event().vertex.tracks.any(|(_, energy)| energy.gt(1.0)), |event| {
            event.vertex.tracks.iter().any(|(_, energy)| energy.0 > 1.0)
        }),
        (event().vertex.tracks.count(|(number, _)| number.ne(0)).ge(2), |event| {
            event.vertex.tracks.iter().filter(|(number, _)| *number != 0).count() >= 2
        }),
        (event().second.is_null(), |event| event.second.is_none()),
        (event().second.x.gt(0.0), |event| event.second.as_ref().is_some_and(|vertex| vertex.x > 0.0)),
        (!event().second.x.gt(0.0), |event| event.second.as_ref().is_some_and(|vertex| vertex.x <= 0.0)),
        (event().second.tracks.all(|(number, _)| number.eq(0)), |event| event.second.is_some()),
        (event().names.any(|(name, number)| name.eq("n3") & number.gt(9)), |event| {
            event.names.get("n3").is_some_and(|number| *number > 9)
        }),
        (event().flags.any(|flag| flag.eq(true)), |event| event.flags.contains(&true)),
        (event().event_number.is_in([3, 5, 99]) | event().energy.ge(70.0), |event| {
            [3, 5, 99].contains(&event.event_number) || event.energy.0 >= 70.0
        }),
    ];
    for statistics in [false, true] {
        let reader = Reader::<Event>::open(file(statistics), "Events").unwrap();
        for (predicate, condition) in &cases {
            let found: Vec<Event> = reader.filter(predicate).unwrap().entries().map(Result::unwrap).collect();
            let expected: Vec<Event> = events().into_iter().filter(condition).collect();
            assert_eq!(found, expected, "{predicate}");
            let text: Predicate = predicate.to_string().parse().unwrap();
            assert_eq!(text, *predicate);
        }
    }
}

#[test]
fn enums_are_compared_with_the_names_that_the_file_has() {
    let reader = Reader::<Event>::open(file(true), "Events").unwrap();
    let count =
        |text: &str| Ok::<_, rntuple::Error>(reader.filter(&text.parse()?)?.matching()?.entry_count());
    assert_eq!(count("side == \"R\"").unwrap(), 20);
    assert_eq!(count("side == 1").unwrap(), 20);
    assert_eq!(count("shape._0 > 0 and side != 'Left'").unwrap(), 8);
    let error = count("side == \"Right\"").unwrap_err();
    assert!(error.message().contains("no variant of `side` is called \"Right\""), "{error}");
}

#[test]
fn integers_of_no_variant_match_as_they_are_read() {
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[rntuple(predicates)]
    #[repr(u8)]
    enum Known {
        Left = 0,
        Right = 1,
        #[rntuple(other)]
        Unknown = 255,
    }
    #[derive(RNTuple, Clone, Copy)]
    #[repr(u8)]
    enum Newer {
        Left = 0,
        Right = 1,
        Top = 7,
    }
    #[derive(RNTuple)]
    #[rntuple(predicates, skip_writing)]
    struct Read {
        side: Known,
    }
    #[derive(RNTuple)]
    struct Written {
        side: Newer,
    }
    type Condition = fn(Known) -> bool;
    let side = || Read::fields().side;
    let cases: Vec<(Predicate, Condition)> = vec![
        (side().eq(Known::Unknown), |side| side == Known::Unknown),
        (side().ne(Known::Unknown), |side| side != Known::Unknown),
        (side().eq(Known::Left), |side| side == Known::Left),
        (side().ne(Known::Left), |side| side != Known::Left),
        (side().is_in([Known::Right]), |side| side == Known::Right),
        (side().is_in([Known::Right, Known::Unknown]), |side| side != Known::Left),
        (side().is_in([Known::Left, Known::Right, Known::Unknown]), |_| true),
    ];
    for statistics in [false, true] {
        let options = WriteOptions::new().statistics(statistics);
        let mut writer = Writer::<Written, _>::new(Memory::new(), "Events", options).unwrap();
        for number in 0..60 {
            let side = [Newer::Left, Newer::Right, Newer::Top][number / 10 % 3];
            writer.fill(&Written { side }).unwrap();
            if number % 10 == 9 {
                writer.commit_cluster().unwrap();
            }
        }
        let reader = Reader::<Read>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        let all: Vec<Known> = reader.entries().map(|event| event.unwrap().side).collect();
        assert_eq!(all.iter().filter(|side| **side == Known::Unknown).count(), 20);
        for (predicate, condition) in &cases {
            let found = reader.filter(predicate).unwrap();
            let found: Vec<Known> = found.entries().map(|event| event.unwrap().side).collect();
            let expected: Vec<Known> = all.iter().copied().filter(|side| condition(*side)).collect();
            assert_eq!(found, expected, "{predicate}");
        }
    }
}

#[test]
fn sorted_files_are_skipped_as_a_whole() {
    let files: Files = [file(true), file(false), file(true)].into_iter().collect();
    let reader = Reader::<Event>::open(files, "Events").unwrap();
    let filtered = reader.filter(&Event::fields().event_number.ge(100)).unwrap();
    assert_eq!(filtered.entries().count(), 0);
    let counters = filtered.counters();
    assert_eq!((counters.files.considered, counters.files.skipped), (3, 2));
    assert_eq!((counters.clusters.skipped, counters.entries.skipped), (8, 80));

    let filtered = reader.filter(&Event::fields().event_number.lt(100)).unwrap();
    assert_eq!(filtered.matching().unwrap().entry_count(), 120);
    assert_eq!((filtered.counters().files.certain, filtered.counters().entries.read()), (2, 40));

    // Eight numbers are in a page.
    let filtered = reader.filter(&Event::fields().event_number.eq(13)).unwrap().within(..40);
    assert_eq!(filtered.matching().unwrap(), rntuple::EntryList::from(13..14));
    let counters = filtered.counters();
    assert_eq!((counters.clusters.skipped, counters.clusters.read()), (3, 1));
    assert!(counters.entries.read() <= 8, "{counters}");
}

#[test]
fn what_matches_before_damage_is_found() {
    #[derive(RNTuple)]
    struct Both {
        number: u64,
        met: f32,
    }
    #[derive(RNTuple)]
    struct Number {
        number: u64,
    }
    let options = WriteOptions::new().compression(Compression::NONE).max_page_length(64);
    let mut writer = Writer::<Both, _>::new(Memory::new(), "Events", options).unwrap();
    let both = |number: u8| Both { number: number.into(), met: number.into() };
    (1..=100).for_each(|number| writer.fill(&both(number)).unwrap());
    let mut bytes = writer.finish_into().unwrap().1.into_bytes();
    let reader = Reader::<Number>::open(Memory::from(bytes.clone()), "Events").unwrap();
    let cluster = reader.dataset(0).unwrap().cluster(0).unwrap();
    let page = cluster.columns.last().unwrap().pages.last().unwrap();
    let Locator::File { offset, .. } = page.locator else { unreachable!() };
    *bytes.get_mut(usize::try_from(offset).unwrap()).unwrap() ^= 1;

    let reader = Reader::<Number>::open(Memory::from(bytes), "Events").unwrap();
    let filtered = reader.filter(&"met > 0".parse().unwrap()).unwrap();
    let read: Vec<_> = filtered.entries().collect();
    let found: Vec<u64> = read.iter().flatten().map(|entry| entry.number).collect();
    let first: u64 = 100 - u64::from(page.count);
    assert!(first > 0);
    assert_eq!(found, (1..=first).collect::<Vec<_>>());
    assert!(read.len() == found.len() + 1 && read.last().unwrap().is_err());
}

#[test]
fn files_of_other_types_are_not_decided_by_the_first_one() {
    #[derive(RNTuple)]
    struct Old {
        number: u8,
        met: f32,
        hits: [u8; 3],
    }
    #[derive(RNTuple)]
    struct New {
        number: u8,
        met: Option<f32>,
        hits: Vec<u8>,
    }
    #[derive(RNTuple)]
    struct Number {
        number: u8,
    }
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = ["old.root", "new.root"].map(|name| directory.path().join(name));
    let mut writer = Writer::<Old>::create(&old, "Events", WriteOptions::new()).unwrap();
    writer.fill(&Old { number: 0, met: 1.0, hits: [1; 3] }).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::<New>::create(&new, "Events", WriteOptions::new()).unwrap();
    writer.fill(&New { number: 1, met: None, hits: vec![1; 5] }).unwrap();
    writer.fill(&New { number: 2, met: Some(2.0), hits: vec![] }).unwrap();
    writer.finish().unwrap();
    for files in [[&old, &new], [&new, &old]] {
        let reader = Reader::<Number>::open(files, "Events").unwrap();
        for (predicate, expected) in [("met is null", 1), ("size(hits) == 5", 1), ("size(hits) == 3", 0)] {
            let filtered = reader.filter(&predicate.parse().unwrap()).unwrap();
            let filtered = filtered.with_file_statistics(|_, _| None);
            let found: Vec<u8> = filtered.entries().map(|entry| entry.unwrap().number).collect();
            assert_eq!(found, [expected], "{predicate} in {files:?}");
        }
    }
}

#[test]
fn members_of_all_types_have_fields() {
    #[derive(RNTuple)]
    #[rntuple(predicates)]
    struct Many {
        half: f16,
        byte: Byte,
        atomic: AtomicU32,
        cow: Cow<'static, str>,
        boxed: Box<[u16]>,
        seven: (u8, u8, u8, u8, u8, u8, f32),
        room: ArrayVec<u8, 4>,
        short: ArrayString<8>,
        ordered: OrderedFloat<f64>,
        small: SmallVec<[f32; 2]>,
        vector: Vector3<f64>,
        matrix: glam::Mat2,
        id: Uuid,
        position: glam::Vec3,
        complex: Complex<f32>,
    }
    let entry = Many {
        half: f16::from_f32(1.5),
        byte: Byte(7),
        atomic: AtomicU32::new(8),
        cow: Cow::Borrowed("cow"),
        boxed: [1, 2].into(),
        seven: (1, 2, 3, 4, 5, 6, 7.5),
        room: [9, 10].into_iter().collect(),
        short: ArrayString::from("short").unwrap(),
        ordered: OrderedFloat(2.5),
        small: [3.5].into_iter().collect(),
        vector: Vector3::from([1.0, 2.0, 3.0]),
        matrix: glam::Mat2::IDENTITY,
        id: Uuid::from_bytes([5; 16]),
        position: glam::Vec3::ONE,
        complex: Complex::new(1.0, 2.0),
    };
    let mut writer = Writer::<Many, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&entry).unwrap();
    let reader = Reader::<Many>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let many = Many::fields();
    for predicate in [
        many.half.eq(1.5),
        many.byte.eq(7),
        many.atomic.gt(7),
        many.cow.eq("cow"),
        many.boxed.size().eq(2) & many.boxed.any(|item| item.eq(2)),
        many.seven.6.gt(7.0),
        many.room.all(|item| item.ge(9)),
        many.short.eq("short"),
        many.ordered.between(2.0, 3.0),
        many.small.any(|item| item.gt(3.0)),
        many.vector.any(|item| item.eq(3.0)) & many.vector.size().eq(3),
        many.matrix.size().eq(4),
        many.id.all(|byte| byte.eq(5)),
    ] {
        assert_eq!(reader.filter(&predicate).unwrap().matching().unwrap().entry_count(), 1, "{predicate}");
        let none = !predicate;
        assert_eq!(reader.filter(&none).unwrap().matching().unwrap().entry_count(), 0, "{none}");
    }
    assert_eq!([many.position.path().as_str(), many.complex.path().as_str()], ["position", "complex"]);
}

#[test]
fn sizes_without_items_are_sizes() {
    #[derive(RNTuple)]
    #[rntuple(project(n_hits: Cardinality32 = "hits"))]
    struct Event {
        hits: Vec<f32>,
    }
    #[derive(RNTuple)]
    #[rntuple(predicates, skip_writing)]
    struct Sizes {
        hits: Cardinality,
        n_hits: Cardinality32,
    }
    for statistics in [false, true] {
        let options = WriteOptions::new().statistics(statistics);
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
        for count in 0..10 {
            writer.fill(&Event { hits: vec![1.0; count] }).unwrap();
        }
        let reader = Reader::<Sizes>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        let sizes = Sizes::fields();
        for predicate in [sizes.hits.gt(6), sizes.n_hits.gt(6), sizes.hits.is_in([7, 8, 9, 77])] {
            let found = reader.filter(&predicate).unwrap();
            let found = found.entries().map(|event| event.unwrap());
            let found: Vec<_> = found.map(|event| (event.hits.0, event.n_hits.0)).collect();
            assert_eq!(found, [(7, 7), (8, 8), (9, 9)], "{predicate}");
            let text: Predicate = predicate.to_string().parse().unwrap();
            assert_eq!(text, predicate);
        }
    }
}

/// An option in an option is null where either of them is empty.
#[test]
fn options_in_options_are_null_together() {
    #[derive(RNTuple)]
    #[rntuple(predicates)]
    struct Event {
        twice: Option<Option<u8>>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for twice in [None, Some(None), Some(Some(1))] {
        writer.fill(&Event { twice }).unwrap();
    }
    let reader = Reader::<Event>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let twice = Event::fields().twice;
    for (predicate, expected) in [(twice.is_null(), 0..2), (!twice.is_null(), 2..3), (twice.eq(1), 2..3)] {
        let matching = reader.filter(&predicate).unwrap().matching().unwrap();
        assert_eq!(matching, rntuple::EntryList::from(expected), "{predicate}");
    }
}

/// Of an array only the items say how many there are.
#[test]
fn sizes_of_arrays_of_anything() {
    #[derive(RNTuple, Clone, Copy)]
    #[repr(u8)]
    enum Color {
        Red,
        Blue,
    }
    #[derive(RNTuple)]
    struct Arrays {
        met: f32,
        matrix: [[f32; 2]; 3],
        colors: [Color; 3],
        words: [String; 2],
        points: [(f32, u8); 2],
    }
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for met in 0..10u8 {
        let entry = Arrays {
            met: met.into(),
            matrix: [[1.0; 2]; 3],
            colors: [Color::Red, Color::Blue, Color::Red],
            words: [String::new(), "x".into()],
            points: [(1.0, 2); 2],
        };
        writer.fill(&entry).unwrap();
    }
    let reader = Reader::<rntuple::Value>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    for (array, size) in [("matrix", 3), ("colors", 3), ("words", 2), ("points", 2)] {
        for (text, expected) in [
            (format!("size({array}) == {size} and met > 5"), 4),
            (format!("size({array}) == 7 or met > 5"), 4),
            (format!("any({array}, true) and met > 6"), 3),
        ] {
            let matching = reader.filter(&text.parse().unwrap()).unwrap().matching().unwrap();
            assert_eq!(matching.entry_count(), expected, "{text}");
        }
    }
}
