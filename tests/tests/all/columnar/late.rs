//! Members that are decoded when they are needed, and the items of one collection in portions.

use rntuple::columns::{Lazy, Slice as _};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, Reader, Value, Writer};

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

    let reader = open::<Event>(&Memory::from(bytes));
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
    let read = |items: &mut rntuple::columns::Items<Point>, most| {
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
