//! Every way to read, for entries whose values all encodings hold exactly.

use rayon::prelude::*;
use rntuple::check::{CheckOptions, check_file};
use rntuple::storage::Memory;
use rntuple::{Pool, RNTuple, ReadOptions, Reader, RootFile, Value};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
pub(crate) struct Event {
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) met: f32,
    pub(crate) muons: Vec<Muon>,
    pub(crate) lists: Vec<Vec<i32>>,
    pub(crate) vertex: [f64; 3],
    pub(crate) best: Option<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
pub(crate) struct Muon {
    pub(crate) pt: f32,
    pub(crate) charge: i8,
    pub(crate) tags: Vec<String>,
}

pub(crate) fn events(count: u64) -> Vec<Event> {
    let event = |number: u64| {
        let muon = |i: u64| Muon {
            pt: ((number + i) % 50) as f32,
            charge: if i.is_multiple_of(2) { 1 } else { -1 },
            tags: (0..(number + i) % 3).map(|tag| format!("tag {tag}")).collect(),
        };
        let list = |i: u64| (0..(number + i) as i32 % 4).map(|value| value - 2).collect();
        Event {
            number,
            name: "event ".repeat(number as usize % 3),
            met: (number % 100) as f32,
            muons: (0..number % 4).map(muon).collect(),
            lists: (0..number % 3).map(list).collect(),
            vertex: [0.0, (number % 8) as f64, -1.0],
            best: number.is_multiple_of(2).then_some(2.0),
        }
    };
    (0..count).map(event).collect()
}

/// Reads the entries in all ways there are, and has the file checked.
pub(crate) fn check(file: &Memory, events: &[Event]) {
    let root_file = RootFile::from_storage(file.clone()).unwrap();
    let pool = Pool::new(2).unwrap();
    for options in [
        ReadOptions::new(),
        ReadOptions::new().pool(&pool),
        ReadOptions::new().read_size(0).merge_gap(0),
        ReadOptions::new().memory_budget(64 << 20),
    ] {
        let reader = Reader::<Event>::open_with(&root_file, "Events", options).unwrap();
        assert!(reader.entries().map(Result::unwrap).eq(events.iter().cloned()));
        for index in (0..events.len()).rev().step_by(7) {
            assert_eq!(reader.get(index as u64).unwrap(), events[index], "entry {index}");
        }
        let from = events.len() / 3;
        assert!(
            reader.entries_in(from as u64..u64::MAX).map(Result::unwrap).eq(events[from..].iter().cloned())
        );
        let parallel: Vec<Event> = reader.par_entries().map(Result::unwrap).collect();
        assert_eq!(parallel, events);
        for most in [1, 9, 1000] {
            let mut at = 0;
            for batch in reader.batches(most) {
                let batch = batch.unwrap();
                let count = batch.len();
                let mut expected = EventColumns::default();
                events[at..at + count].iter().for_each(|event| expected.push(event));
                assert_eq!(format!("{batch:?}"), format!("{expected:?}"));
                at += count;
            }
            assert_eq!(at, events.len());
        }
        let mut rest = events.iter();
        let lent = reader.batches(9).visit(|one| {
            let event = rest.next().unwrap();
            assert_eq!((one.number, one.name, one.met), (event.number, &*event.name, event.met));
            assert!(one.muons.pt.iter().eq(event.muons.iter().map(|muon| &muon.pt)));
            Ok::<_, rntuple::Error>(())
        });
        lent.unwrap();
        assert!(rest.next().is_none());
    }
    let values = Reader::<Value>::open(&root_file, "Events").unwrap();
    for (value, event) in values.entries().zip(events) {
        let value = value.unwrap();
        assert_eq!(value.get("number"), Some(&Value::U64(event.number)));
        assert_eq!(value.get("name"), Some(&Value::String(event.name.clone())));
        assert_eq!(value.get("met"), Some(&Value::F32(event.met)));
    }
    let mut column = values.column::<f32>("muons.pt").unwrap();
    let mut pt = Vec::new();
    while let Some(chunk) = column.next_chunk().unwrap() {
        pt.extend_from_slice(chunk);
    }
    assert_eq!(pt, events.iter().flat_map(|event| &event.muons).map(|muon| muon.pt).collect::<Vec<_>>());
    let report = check_file(&root_file, CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
}
