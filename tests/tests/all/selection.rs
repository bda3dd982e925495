//! The type is the selection: what it asks for is read, nothing else is; what is not there is told at once.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::cxx::Cardinality;
use rntuple::storage::Memory;
use rntuple::{
    EntryList, ErrorKind, Pool, RNTuple, ReadOptions, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::counting::Counting;
use rntuple_tests::sample::{Detector, Event, Process, samples};

fn events(count: usize, options: WriteOptions) -> (Vec<Event>, Memory) {
    let events: Vec<Event> = samples(count, 5);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&events).unwrap();
    (events, writer.finish_into().unwrap().1)
}

#[derive(RNTuple)]
struct Momenta {
    muons: Vec<Pt>,
}

#[derive(RNTuple)]
struct Pt {
    pt: f32,
}

#[test]
fn a_smaller_struct_reads_its_columns_only() {
    let (events, file) = events(2000, WriteOptions::new().max_page_length(4096).cluster_size(100_000));
    let counting = Counting::new(file);
    let storage = RootFile::from_storage(counting.clone()).unwrap();
    let options = ReadOptions::new().merge_gap(0);
    let reader = Reader::<Momenta>::open_with(&storage, "Events", options).unwrap();
    // Reads the page list.
    reader.dataset(0).unwrap().cluster(0).unwrap();
    counting.take_reads();
    for (entry, event) in reader.entries().zip(&events) {
        let momenta: Vec<f32> = entry.unwrap().muons.iter().map(|muon| muon.pt).collect();
        assert_eq!(momenta, event.muons.iter().map(|muon| muon.pt).collect::<Vec<_>>());
    }
    // What was read is exactly the pages of two columns, each byte once.
    let mut wanted = 0;
    for cluster in clusters(&reader.dataset(0).unwrap()) {
        for id in reader.selected_columns() {
            for page in &cluster.columns[id.index()].pages {
                let rntuple::schema::Locator::File { size, .. } = page.locator else { panic!("in the file") };
                wanted += size + 8;
            }
        }
    }
    assert_eq!(reader.selected_columns().len(), 2);
    assert_eq!(counting.take_reads().iter().map(|range| range.end - range.start).sum::<u64>(), wanted);
}

#[test]
fn pages_without_a_selected_entry_are_not_read() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Number {
        number: u64,
    }

    let options = WriteOptions::new().initial_page_length(256).max_page_length(256).cluster_size(50_000);
    let (events, file) = events(2000, options);
    let counting = Counting::new(file);
    let storage = RootFile::from_storage(counting.clone()).unwrap();
    // Each page by itself, instead of some that are next to each other.
    let alone = ReadOptions::new().read_size(0).merge_gap(0);
    let pool = Pool::new(1).unwrap();
    let ahead = alone.clone().pool(&pool);
    let parts = EntryList::from_iter([3..5, 700..701, 1490..1560]);
    for selected in &[parts, (0..1).into(), (10..70).into(), (700..760).into()] {
        for (options, by_rows) in [(&alone, false), (&alone, true), (&ahead, false), (&ahead, true)] {
            let reader = Reader::<Number>::open_with(&storage, "Events", options.clone()).unwrap();
            let column = *reader.selected_columns().first().unwrap();
            let (mut wanted, mut pages) = (Vec::new(), 0);
            for cluster in clusters(&reader.dataset(0).unwrap()) {
                let mut first = cluster.first_entry;
                for page in &cluster.columns[column.index()].pages {
                    let entries = first..first + u64::from(page.count);
                    (first, pages) = (entries.end, pages + 1);
                    let rntuple::schema::Locator::File { offset, size } = page.locator else {
                        panic!("in the file")
                    };
                    if EntryList::from(entries).intersection(selected).entry_count() > 0 {
                        wanted.push(offset..offset + size + 8);
                    }
                }
            }
            assert!(wanted.len() < 8 && pages > 60, "{} of {pages}", wanted.len());
            counting.take_reads();
            let mut numbers = Vec::new();
            if by_rows {
                numbers.extend(reader.entries_in(selected).map(|entry| entry.unwrap().number));
            } else {
                let mut batches = reader.batches_in(selected, 100);
                while let Some(lent) = batches.lend().unwrap() {
                    numbers.extend_from_slice(lent.number);
                }
            }
            assert_eq!(
                numbers,
                selected.iter().map(|entry| events[entry as usize].number).collect::<Vec<_>>()
            );
            // The thread has done what it was given before, and the reader has not dropped it.
            pool.as_rayon().install(|| ());
            assert_eq!(counting.take_reads(), wanted, "{selected:?}, {options:?}");
            drop(reader);
        }
    }
}

#[test]
fn neighbouring_pages_are_read_at_once() {
    let (events, file) = events(2000, WriteOptions::new().max_page_length(4096));
    let counting = Counting::new(file);
    let reader = Reader::<Event>::open(counting.clone(), "Events").unwrap();
    counting.take_reads();
    assert_eq!(reader.entries().map(Result::unwrap).collect::<Vec<_>>(), events);
    let reads = counting.take_reads().len();
    let pages: usize = clusters(&reader.dataset(0).unwrap())
        .iter()
        .flat_map(|c| &c.columns)
        .map(|column| column.pages.len())
        .sum();
    assert!(
        reads as u64 <= reader.dataset(0).unwrap().cluster_count() * 2,
        "{reads} reads for {pages} pages"
    );
    assert!(pages > 100);
}

#[test]
fn sizes_are_read_without_items() {
    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Sizes {
        muons: Cardinality,
        jets: Cardinality,
    }
    let (events, file) = events(300, WriteOptions::new().max_page_length(256).cluster_size(3000));
    let reader = Reader::<Sizes>::open(file, "Events").unwrap();
    assert_eq!(reader.selected_columns().len(), 2);
    for (sizes, event) in reader.entries().map(Result::unwrap).zip(&events) {
        assert_eq!((sizes.muons.0, sizes.jets.0), (event.muons.len() as u64, event.jets.len() as u64));
    }
    assert_eq!(reader.get(123).unwrap().muons.0, events[123].muons.len() as u64);
}

#[test]
fn numbers_are_read_as_wider_and_as_fitting_ones() {
    #[derive(RNTuple)]
    struct Narrow {
        a: i32,
        b: f32,
        c: bool,
        d: u64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Wide {
        a: i64,
        b: f64,
        c: u8,
        d: u16,
    }
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Narrow { a: -7, b: 0.1, c: true, d: 65_535 }).unwrap();
    writer.fill(&Narrow { a: 1, b: 2.0, c: false, d: 65_536 }).unwrap();
    let reader = Reader::<Wide>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    // Both entries stand in one page.
    assert_eq!(reader.get(0).unwrap(), Wide { a: -7, b: 0.1f32.into(), c: 1, d: 65_535 });
    let error = reader.get(1).unwrap_err();
    assert_eq!(error.location().field.as_deref(), Some("d"));
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn every_difference_is_told_in_one_error() {
    #[derive(RNTuple, Debug)]
    struct Wrong {
        number: f32,
        met: String,
        muons: Vec<WrongMuon>,
        triggers: [bool; 63],
        process: Process,
        label: Vec<u8>,
        shape: (f32, f32),
        jets: Option<u8>,
        missing: u8,
    }
    #[derive(RNTuple, Debug)]
    struct WrongMuon {
        pt: Detector,
        nothing: bool,
    }
    let (_, file) = events(1, WriteOptions::new());
    let error = Reader::<Wrong>::open(file, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let fields: Vec<&str> = error.mismatches().iter().map(|mismatch| &*mismatch.field).collect();
    assert_eq!(
        fields,
        ["number", "met", "muons._0.pt", "muons._0.nothing", "triggers", "label", "shape", "jets", "missing"]
    );
    let text = error.to_string();
    assert!(
        text.contains("met: the file has float (SplitReal32), the type wants a string"),
        "each says what is there and what is wanted: {text}"
    );
    assert!(text.contains("missing: the file has no such field"), "{text}");
}

#[test]
fn parts_of_an_unknown_schema_are_chosen_by_path() {
    let (events, file) = events(50, WriteOptions::new());
    let all = Reader::<Value>::open(file.clone(), "Events").unwrap();
    let options = ReadOptions::new().fields(["muons.pt", "jets._0.energy", "process"]);
    let some = Reader::<Value>::open_with(file.clone(), "Events", options).unwrap();
    assert!(some.selected_columns().len() < all.selected_columns().len());
    for ((part, whole), event) in
        some.entries().map(Result::unwrap).zip(all.entries().map(Result::unwrap)).zip(&events)
    {
        let Value::Record(record) = &part else { panic!("an entry is a record") };
        let names: Vec<&str> = record.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["muons", "jets", "process"]);
        assert_eq!(part.get("process"), whole.get("process"));
        let muons = part.get("muons").and_then(Value::items).unwrap();
        assert_eq!(muons.len(), event.muons.len());
        for (muon, wanted) in muons.iter().zip(&event.muons) {
            assert_eq!(muon.get("pt"), Some(&Value::F32(wanted.pt)));
            assert_eq!(muon.get("eta"), None);
        }
    }
    for wrong in ["moons", "muons.px", "muons.pt.x", ""] {
        let options = ReadOptions::new().fields([wrong]);
        let error = Reader::<Value>::open_with(file.clone(), "Events", options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{wrong}");
    }
}

#[test]
fn fields_are_chosen_by_pattern_and_by_what_they_are() {
    let (_, file) = events(3, WriteOptions::new());
    let paths = |options: ReadOptions| -> Result<Vec<String>, rntuple::Error> {
        let reader = Reader::<Value>::open_with(file.clone(), "Events", options)?;
        let schema = reader.schema();
        let fields = reader.selected_columns().iter().map(|id| schema.path(schema.field_of(*id).unwrap()));
        Ok(fields.collect())
    };
    let like = |patterns: &[&str]| paths(ReadOptions::new().fields(patterns.iter().copied()));
    let all = paths(ReadOptions::new()).unwrap();
    assert_eq!(like(&["*"]).unwrap(), all);
    assert_eq!(like(&["muons.p?"]).unwrap(), ["muons", "muons._0.pt"]);
    assert_eq!(like(&["muons.p?", "*.pt"]).unwrap(), like(&["*.pt"]).unwrap());
    assert_eq!(like(&["mu*"]).unwrap(), like(&["muons"]).unwrap());
    // A variant is read as a whole, whatever is chosen of it.
    let by_type =
        |name: &'static str| paths(ReadOptions::new().fields_where(move |_, field| field.type_name == name));
    let floats = by_type("float").unwrap();
    assert!(floats.contains(&"muons._0.pt".to_owned()) && floats.len() < all.len(), "{floats:?}");
    let by_path = paths(ReadOptions::new().fields_where(|path, _| path == "muons.pt")).unwrap();
    assert_eq!(by_path, ["muons", "muons._0.pt"]);
    for (error, wanted) in [
        (like(&["nothing*"]).unwrap_err(), r#"no field is like "nothing*""#),
        (like(&["a***"]).unwrap_err(), r#""a***" is no pattern"#),
        (by_type("Nothing").unwrap_err(), "no field is one of those that are wanted"),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
