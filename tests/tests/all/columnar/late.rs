//! Members that are decoded when they are needed, and the items of one collection in portions.

use rntuple::columns::{Items, Lazy, ReadColumnar, Slice as _, SliceOf};
use rntuple::cxx::Cardinality;
use rntuple::field::ReadField;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{
    EntryList, ErrorKind, Limits, Pool, RNTuple, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;

use super::common::{open, round_trip, rows, small, write};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Hit {
    cell: u32,
    samples: Lazy<Vec<u8>>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    number: u32,
    hits: Vec<Hit>,
    late: Lazy<Vec<f32>>,
    label: Lazy<Option<String>>,
}

fn events(count: u32) -> Vec<Event> {
    let hit = |cell| Hit { cell, samples: vec![cell as u8; cell as usize % 3].into() };
    let event = |number: u32| Event {
        number,
        hits: (number..number + number % 4).map(hit).collect(),
        late: vec![number as f32; number as usize % 5].into(),
        label: number.is_multiple_of(3).then(|| format!("event {number}")).into(),
    };
    (0..count).map(event).collect()
}

#[test]
fn lazy_members_have_the_values_of_others() {
    round_trip(&events(200));
}

#[test]
fn values_are_found_whenever_they_are_requested() {
    let events = events(300);
    let reader = open::<Event>(&write(&events, small()));
    let mut batches = reader.batches(10);
    let mut first = 0;
    while let Some(slice) = batches.lend().unwrap() {
        let now = &events[first..first + slice.len()];
        first += slice.len();
        // In some batches nothing is touched, in others the last value first, and those of items before it.
        match first % 3 {
            0 => {}
            1 => {
                let last = slice.get(slice.len() - 1).unwrap();
                assert_eq!(last.late.value().unwrap(), *now.last().unwrap().late);
                let labels = slice.label.values().unwrap();
                assert!(labels.iter().eq(now.iter().map(|event| event.label.as_deref())));
                let late = slice.late.values().unwrap();
                assert!(late.iter().eq(now.iter().map(|event| event.late.as_slice())));
            }
            _ => {
                let hits = slice.hits.items();
                let part = hits.part(hits.len() / 2..hits.len()).unwrap();
                let expected: Vec<&Hit> = now.iter().flat_map(|event| &event.hits).collect();
                let samples = part.samples.values().unwrap();
                assert_eq!(samples.len(), hits.len() - hits.len() / 2);
                for (found, hit) in samples.iter().zip(&expected[hits.len() / 2..]) {
                    assert_eq!(found, hit.samples.as_slice());
                }
            }
        }
    }
    assert_eq!(first, 300);
}

#[test]
fn damage_is_met_by_the_first_touch_alone() {
    let events = events(300);
    let file = write(&events, small());
    let dataset = open::<Event>(&file).dataset(0).unwrap();
    let field = dataset.schema().find("late._0").unwrap();
    let column = dataset.schema().representations(field)[0][0];
    let cluster = dataset.cluster(1).unwrap();
    let Locator::File { offset, .. } = cluster.columns[column.index()].pages[0].locator else { panic!() };
    let mut bytes = file.into_bytes();
    bytes[offset as usize] ^= 1;

    let file = Memory::from(bytes);
    let pool = Pool::new(2).unwrap();
    for options in [ReadOptions::new(), ReadOptions::new().pool(&pool)] {
        damage_is_met(&Reader::open_with(file.clone(), "Events", options).unwrap(), offset);
    }
}

/// A page of the late values is damaged.
fn damage_is_met(reader: &Reader<Event>, offset: u64) {
    assert_eq!(reader.entries().filter(Result::is_err).count(), 1, "rows need all members");
    let (mut numbers, mut faults) = (Vec::new(), Vec::new());
    let mut batches = reader.batches(1000);
    while let Some(slice) = batches.lend().unwrap() {
        numbers.extend_from_slice(slice.number);
        faults.extend(slice.late.values().err());
    }
    assert!(numbers.into_iter().eq(0..300), "the walk goes on");
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    let place = fault.location();
    assert_eq!(fault.kind(), ErrorKind::OutOfSpec);
    assert_eq!((place.file.as_deref(), place.ntuple.as_deref()), (Some("memory"), Some("Events")));
    assert_eq!((place.field.as_deref(), place.offset), (Some("late._0"), Some(offset)));
    // What is not touched cannot fail; what is written is touched.
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", small()).unwrap();
    let mut batches = reader.batches(1000);
    let mut refused = 0;
    while let Some(slice) = batches.lend().unwrap() {
        refused += usize::from(writer.fill_columns(slice).is_err());
    }
    assert_eq!(refused, 1);
    assert!(rows::<Event>(&writer.finish_into().unwrap().1).unwrap().len() < 300);
}

#[test]
fn what_is_not_touched_is_not_decoded_by_others_either() {
    let storage = Counting::new(write(&events(300), small()));
    let pool = Pool::new(2).unwrap();
    // Pages are read where they are decoded.
    let options = ReadOptions::new().read_size(0).merge_gap(0).read_ahead(0);
    for options in [options.clone(), options.pool(&pool)] {
        let file = RootFile::from_storage(storage.clone()).unwrap();
        let reader = Reader::<Event>::open_with(file, "Events", options).unwrap();
        let dataset = reader.dataset(0).unwrap();
        let pages_of = |path: &str| {
            let field = dataset.schema().find(path).unwrap();
            let column = dataset.schema().representations(field)[0][0];
            let clusters = clusters(&dataset);
            let pages = clusters.iter().flat_map(|cluster| &cluster.columns[column.index()].pages);
            pages.map(|page| page.locator).collect::<Vec<_>>()
        };
        let (touched, late) = (pages_of("number"), [pages_of("late"), pages_of("late._0")].concat());
        storage.take_reads();
        let mut batches = reader.batches(50);
        let mut count = 0;
        while let Some(slice) = batches.lend().unwrap() {
            count += slice.number.len();
        }
        drop((batches, reader));
        assert_eq!(count, 300);
        let reads = storage.take_reads();
        let is_read = |page: &&Locator| {
            let Locator::File { offset, .. } = page else { panic!() };
            reads.iter().any(|read| read.contains(offset))
        };
        assert_eq!(touched.iter().filter(is_read).count(), touched.len());
        assert!(late.len() > 10 && !late.iter().any(|page| is_read(&page)));
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Point {
    x: f32,
    y: u16,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Track {
    points: Vec<Point>,
    charge: i8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    tracks: Vec<Track>,
}

fn runs() -> Vec<Run> {
    let point = |y: u16| Point { x: f32::from(y), y };
    let track = |first: u16| Track { points: (first..first + first % 7).map(point).collect(), charge: 1 };
    (0..150).map(|run: u16| Run { tracks: (run..run + run % 4).map(track).collect() }).collect()
}

#[test]
fn items_come_in_portions() {
    let runs = runs();
    let reader = Reader::<Value>::open(write(&runs, small()), "Events").unwrap();
    let points_of = |run: &Run| run.tracks.iter().flat_map(|track| track.points.clone()).collect::<Vec<_>>();
    let read = |items: &mut Items<Point>, most| {
        let mut found = Vec::new();
        while let Some(points) = items.lend(most).unwrap() {
            assert!((1..=most).contains(&points.len()));
            found.extend(points.iter().map(|point| Point { x: point.x, y: point.y }));
        }
        found
    };
    for path in ["tracks.points", "tracks._0.points"] {
        let mut items = reader.items::<Point>(path).unwrap();
        for most in [1, 10, 1000] {
            items.seek_entry(0).unwrap();
            let all: Vec<Point> = runs.iter().flat_map(points_of).collect();
            assert_eq!(read(&mut items, most), all);
            for (entry, run) in (0..).zip(&runs) {
                items.choose_entry(entry).unwrap();
                assert_eq!(read(&mut items, most), points_of(run), "entry {entry}");
            }
        }
        items.seek_entry(100).unwrap();
        let rest: Vec<Point> = runs[100..].iter().flat_map(points_of).collect();
        assert_eq!(read(&mut items, 9), rest);
        let error = items.choose_entry(150).unwrap_err();
        assert_eq!((error.kind(), error.location().entry), (ErrorKind::InvalidArgument, Some(150)));
        assert!(items.lend(9).unwrap().is_none());
        items.choose_entry(7).unwrap();
        assert_eq!(read(&mut items, 2), points_of(&runs[7]));
    }
    assert_eq!(reader.items::<Point>("tracks").unwrap_err().kind(), ErrorKind::SchemaMismatch);
    assert_eq!(reader.items::<Point>("tracks.charge").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(reader.items::<Point>("nothing").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

/// What a point was before it had members.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Mark {}

/// A point with members that no file has.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Weighted {
    #[rntuple(default = "half")]
    weight: f32,
    #[rntuple(default)]
    label: String,
}

fn half() -> f32 {
    0.5
}

/// How many items are lent, of which every one is shown by `check`.
fn count<I: ReadColumnar>(items: &mut Items<I>, most: usize, check: impl Fn(SliceOf<'_, I>)) -> usize {
    let mut count = 0;
    while let Some(some) = items.lend(most).unwrap() {
        assert!((1..=most).contains(&some.len()));
        count += some.len();
        assert!(count < 1_000_000, "it ends");
        check(some);
    }
    count
}

/// The items of `runs` have no column for `I`.
fn are_counted<I: ReadColumnar + ReadField>(file: &Memory, runs: &[Run], check: impl Fn(SliceOf<'_, I>)) {
    let of = |runs: &[Run]| -> usize {
        runs.iter().flat_map(|run| &run.tracks).map(|track| track.points.len()).sum()
    };
    let reader = Reader::<Value>::open(file.clone(), "Events").unwrap();
    let mut items = reader.items::<I>("tracks.points").unwrap();
    for most in [1, 10, usize::MAX] {
        items.seek_entry(0).unwrap();
        assert_eq!(count(&mut items, most, &check), of(runs));
        for (entry, run) in (0..).zip(runs) {
            items.choose_entry(entry).unwrap();
            assert_eq!(count(&mut items, most, &check), of(std::slice::from_ref(run)), "entry {entry}");
        }
    }
    for first in [0, 1, 99, 100, 149] {
        items.seek_entry(first as u64).unwrap();
        assert_eq!(count(&mut items, 9, &check), of(&runs[first..]));
    }
    let only: EntryList = [3..7, 60..61, 100..140].into_iter().collect();
    let options = ReadOptions::new().only(&only);
    let reader = Reader::<Value>::open_with(file.clone(), "Events", options).unwrap();
    let mut items = reader.items::<I>("tracks.points").unwrap();
    let left = [&runs[3..7], &runs[60..61], &runs[100..140]].concat();
    assert_eq!(count(&mut items, 5, &check), of(&left));
    items.seek_entry(101).unwrap();
    assert_eq!(count(&mut items, 5, &check), of(&runs[101..140]));
}

#[test]
fn items_without_columns_are_counted_by_the_offsets_above_them() {
    let runs = runs();
    let file = write(&runs, small());
    are_counted::<Weighted>(&file, &runs, |some| {
        assert!(some.weight.iter().all(|weight| *weight == 0.5) && some.label.len() == some.len());
    });
    are_counted::<Mark>(&file, &runs, |_| ());

    #[derive(RNTuple)]
    struct MarkedTrack {
        points: Vec<Mark>,
    }

    #[derive(RNTuple)]
    struct MarkedRun {
        tracks: Vec<MarkedTrack>,
    }

    let marked = |track: &Track| MarkedTrack { points: vec![Mark {}; track.points.len()] };
    let marked: Vec<MarkedRun> =
        runs.iter().map(|run| MarkedRun { tracks: run.tracks.iter().map(marked).collect() }).collect();
    let file = write(&marked, small());
    are_counted::<Value>(&file, &runs, |_| ());
    are_counted::<Mark>(&file, &runs, |_| ());
    are_counted::<Weighted>(&file, &runs, |_| ());
}

#[test]
fn a_later_file_may_lack_all_members_of_the_items() {
    #[derive(RNTuple)]
    struct Later {
        points: Vec<Weighted>,
    }

    #[derive(RNTuple)]
    struct Before {
        points: Vec<Point>,
    }

    /// What the files have in common.
    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Sizes {
        points: Cardinality,
    }

    let weighted = |weight| Weighted { weight, label: "new".into() };
    let later = [Later { points: (0..30u8).map(|point| weighted(f32::from(point))).collect() }];
    let before: Vec<Before> =
        (0..70).map(|entry| Before { points: vec![Point { x: 1.0, y: 2 }; entry % 3] }).collect();
    let files = [write(&later, small()), write(&before, small()), write(&later, small())];
    let reader = Reader::<Sizes>::open(files, "Events").unwrap();
    let expected: Vec<f32> =
        [(0..30u8).map(f32::from).collect(), vec![0.5; 69], (0..30u8).map(f32::from).collect()].concat();
    for most in [1, 7, usize::MAX] {
        let mut items = reader.items::<Weighted>("points").unwrap();
        let mut found = Vec::new();
        while let Some(some) = items.lend(most).unwrap() {
            found.extend_from_slice(some.weight);
            assert!(found.len() <= expected.len(), "it ends");
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn one_call_makes_no_more_items_than_it_may() {
    #[derive(RNTuple)]
    struct Many {
        marks: Vec<Mark>,
    }

    let file = write(&[Many { marks: vec![Mark {}; 1000] }], WriteOptions::new());
    let options = ReadOptions::new().limits(Limits::new().unstored_items(100));
    let reader = Reader::<Value>::open_with(file, "Events", options).unwrap();
    let mut items = reader.items::<Mark>("marks").unwrap();
    for chosen in [false, true] {
        let seek = |items: &mut Items<Mark>| match chosen {
            true => items.choose_entry(0).unwrap(),
            false => items.seek_entry(0).unwrap(),
        };
        seek(&mut items);
        assert_eq!(items.lend(400).unwrap().unwrap().len(), 400);
        let error = items.lend(401).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("`Limits::unstored_items`"), "{error}");
        assert!(items.lend(1).unwrap().is_none());
        seek(&mut items);
        assert_eq!(count(&mut items, 400, |_| ()), 1000);
    }
}

#[test]
fn values_of_a_batch_may_take_more_than_one_entry() {
    #[derive(RNTuple, Clone)]
    #[rntuple(columnar)]
    struct Trace {
        number: u32,
        samples: Lazy<Vec<f32>>,
    }

    let traces: Vec<Trace> = (0..3000u32)
        .map(|number| Trace {
            number,
            samples: (0..1000).map(|n| (number * 1000 + n) as f32).collect::<Vec<_>>().into(),
        })
        .collect();
    let file = write(&traces, WriteOptions::new());
    let options = ReadOptions::new().limits(Limits::new().entry_length(1 << 20));
    let reader = Reader::<Trace>::open_with(file, "Events", options).unwrap();
    let mut batches = reader.batches(1000);
    let mut first = 0;
    while let Some(slice) = batches.lend().unwrap() {
        let samples = slice.samples.values().unwrap();
        assert_eq!(samples.len(), slice.len());
        for (found, trace) in samples.iter().zip(&traces[first..]) {
            assert_eq!(found, trace.samples.as_slice());
        }
        first += slice.len();
    }
    assert_eq!(first, 3000);
}

/// The alternatives of an enum have places of their own, which an error leaves behind or ahead of the tags.
#[test]
fn a_lazy_enum_is_right_after_an_error() {
    mod source {
        use rntuple::RNTuple;

        #[derive(RNTuple)]
        pub(super) enum Shape {
            Bad { b: u32 },
            Good { g: i32 },
        }

        #[derive(RNTuple)]
        pub(super) struct Event {
            pub(super) shape: Shape,
            pub(super) shapes: Vec<Shape>,
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(columnar)]
    enum Shape {
        Bad { b: u8 },
        Good { g: i32 },
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(columnar)]
    struct Event {
        shape: Lazy<Shape>,
        shapes: Lazy<Vec<Shape>>,
    }
    use source::Shape as Written;
    let good = |g: i32| Written::Good { g };
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for (shape, shapes) in [
        (Written::Bad { b: 300 }, vec![good(5), Written::Bad { b: 300 }, good(6)]),
        (good(1), vec![good(7)]),
        (good(3), vec![good(8), Written::Bad { b: 4 }]),
        (good(4), vec![Written::Bad { b: 5 }, good(9)]),
    ] {
        writer.fill(&source::Event { shape, shapes }).unwrap();
    }
    let reader = Reader::<Event>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let good = |g: i32| Shape::Good { g };
    let mut batches = reader.batches(2);
    let slice = batches.lend().unwrap().unwrap();
    assert!(slice.shape.values().is_err() && slice.shapes.values().is_err());
    let slice = batches.lend().unwrap().unwrap();
    let shapes: Vec<String> =
        slice.shape.values().unwrap().iter().map(|shape| format!("{shape:?}")).collect();
    assert!(shapes[0].contains("g: 3") && shapes[1].contains("g: 4"), "{shapes:?}");
    let lists = slice.shapes.values().unwrap();
    let items: Vec<String> = lists.items().iter().map(|shape| format!("{shape:?}")).collect();
    assert!(
        ["g: 8", "b: 4", "b: 5", "g: 9"].iter().zip(&items).all(|(part, item)| item.contains(part)),
        "{items:?}"
    );
    assert_eq!(items.len(), 4);
    // One by one.
    let mut entries = reader.entries();
    assert!(entries.next().unwrap().is_err());
    let rest: Vec<Shape> = entries.map(|entry| entry.unwrap().shape.0).collect();
    assert_eq!(rest, [good(1), good(3), good(4)]);
}
