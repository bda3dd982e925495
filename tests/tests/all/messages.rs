//! What errors say: whole texts, each thing once, and the way out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]
#![allow(dead_code, reason = "members that are only read")]

use std::error::Error as _;
use std::io;
use std::path::Path;

use rntuple::checkpoint::Interval;
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::field::ReadField;
use rntuple::parallel::Order;
use rntuple::storage::{LocalFile, Memory, ReadAt, WriteAt};
use rntuple::{
    Compression, Error, ErrorKind, Files, ParallelWriter, RNTuple, ReadOptions, Reader, RootFile,
    RootFileWriter, WriteOptions, Writer,
};
use rntuple_tests::objects::with_class;

#[derive(Clone, Debug, RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(Clone, Debug, RNTuple)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
    cells: [f32; 2],
}

fn event(met: f32, pt: f32) -> Event {
    Event { met, muons: vec![Muon { pt: 0.5 }, Muon { pt }], cells: [0.5, met] }
}

fn events(count: usize) -> Vec<u8> {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    (0..count).for_each(|_| writer.fill(&event(0.5, 0.5)).unwrap());
    writer.finish_into().unwrap().1.into_bytes()
}

fn unread<T: rntuple::Entry + ReadField>(bytes: &[u8], path: &str) -> String {
    Reader::<T>::open(bytes.to_vec(), path).unwrap_err().to_string()
}

// --- reading

#[test]
fn misspelled_members_are_answered_with_near_fields() {
    #[expect(non_snake_case, reason = "as a user may write it")]
    #[derive(Debug, RNTuple)]
    #[rntuple(skip_writing)]
    struct MisspelledMuon {
        pT: f32,
        charge: i8,
    }
    #[expect(non_snake_case, reason = "as a user may write it")]
    #[derive(Debug, RNTuple)]
    #[rntuple(skip_writing)]
    struct Misspelled {
        Met: f32,
        muons: Vec<MisspelledMuon>,
        weight: f64,
    }
    assert_eq!(
        unread::<Misspelled>(&events(1), "Events"),
        "memory: Events: the file does not hold what the type asks for\n  \
         Met: the file has no such field, the type wants f32; did you mean `met`?\n  \
         muons._0.pT: the file has no such field, the type wants f32; did you mean `pt`?\n  \
         muons._0.charge: the file has no such field, the type wants i8\n  \
         weight: the file has no such field, the type wants f64"
    );
}

#[test]
fn of_many_differences_ten_are_shown() {
    #[derive(Debug, RNTuple)]
    #[rntuple(skip_writing)]
    struct Wide {
        a: f32,
        b: f32,
        c: f32,
        d: f32,
        e: f32,
        f: f32,
        g: f32,
        h: f32,
        i: f32,
        j: f32,
        k: f32,
        l: f32,
    }
    let error = Reader::<Wide>::open(events(1), "Events").unwrap_err();
    assert_eq!(error.mismatches().len(), 12);
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines.len(), 11);
    assert_eq!(lines[9..], ["  j: the file has no such field, the type wants f32", "  and 2 more"]);
}

#[test]
fn paths_of_fields_are_answered_with_near_ones() {
    let mut reader = Reader::<Event>::open(events(1), "Events").unwrap();
    let refused = |result: Result<(), Error>| result.unwrap_err().to_string();
    let column = |reader: &mut Reader<Event>, path: &str| refused(reader.column::<f32>(path).map(drop));
    assert_eq!(
        column(&mut reader, "muons.PT"),
        "memory: Events: no field \"muons.PT\"; did you mean \"muons.pt\"?"
    );
    assert_eq!(
        column(&mut reader, "moun.pt"),
        "memory: Events: no field \"moun.pt\"",
        "half of the letters differ"
    );
    assert_eq!(
        column(&mut reader, "muon._0.pt"),
        "memory: Events: no field \"muon._0.pt\"; did you mean \"muons._0.pt\"?"
    );
    assert_eq!(refused(reader.get(1).map(drop)), "memory: Events: entry 1: the ntuple has only 1 entry");
}

#[test]
fn what_is_no_ntuple_is_called_by_its_class() {
    let tree = with_class(events(1), "Events", "TTree");
    let way_out = "not an RNTuple; convert it with ROOT's RNTupleImporter";
    assert_eq!(unread::<Event>(&tree, "Events"), format!("memory: \"Events\" is a TTree, {way_out}"));
    assert_eq!(
        unread::<Event>(&with_class(events(1), "Events", "TH1D"), "Events"),
        "memory: \"Events\" is a TH1D, not an RNTuple; the file has no ntuple"
    );
    assert_eq!(unread::<Event>(&events(1), "Event"), "memory: no ntuple \"Event\"; the file has \"Events\"");
    // Nor does anything else open it.
    let error = Writer::<Event, _>::append_to(Memory::from(tree), "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().ends_with(way_out), "{error}");
}

#[test]
fn a_pattern_that_no_file_matches_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let said = |pattern: &Path| Files::glob(&pattern.display().to_string()).unwrap_err().to_string();
    let pattern = folder.join("nothing*.root");
    assert_eq!(
        said(&pattern),
        format!(
            "no file matches the pattern {:?}; looked in {}",
            pattern.display().to_string(),
            folder.display()
        )
    );
    let pattern = folder.join("runs").join("run_?.root");
    assert_eq!(
        said(&pattern),
        format!(
            "no file matches the pattern {:?}; the directory {} does not exist",
            pattern.display().to_string(),
            folder.join("runs").display()
        )
    );
    let here = Files::glob("no-such-file-*.root").unwrap_err().to_string();
    let directory = std::env::current_dir().unwrap();
    assert_eq!(
        here,
        format!("no file matches the pattern \"no-such-file-*.root\"; looked in {}", directory.display())
    );
}

// --- each thing once

/// A storage that is full after some bytes.
#[derive(Debug)]
struct Full(Memory, u64);

impl WriteAt for Full {
    fn write_at(&mut self, offset: u64, parts: &[io::IoSlice<'_>]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if offset + length as u64 > self.1 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"));
        }
        self.0.write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn name(&self) -> &str {
        "full"
    }
}

/// Every level of the chain, as reports print it.
fn chain(error: &(dyn std::error::Error + 'static)) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut below = error.source();
    while let Some(error) = below {
        texts.push(error.to_string());
        below = error.source();
    }
    texts
}

/// The error of a caller, who has the library's as its source.
#[derive(Debug)]
struct Job(Error);

impl std::fmt::Display for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the job has failed")
    }
}

impl std::error::Error for Job {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn no_level_of_a_chain_repeats_another() {
    let missing = Reader::<Event>::open("no-such-file.root", "Events").unwrap_err();
    let system = missing.io_error().unwrap().to_string();
    assert_eq!(missing.to_string(), format!("no-such-file.root: {system}"));
    assert!(missing.source().is_none());
    assert_eq!(missing.io_error().unwrap().kind(), io::ErrorKind::NotFound);
    assert_eq!(
        chain(&Job(missing)),
        ["the job has failed".to_owned(), format!("no-such-file.root: {system}")]
    );
}

#[test]
fn lost_entries_are_told_with_one_place_and_the_first_cause() {
    for entries in [1, 2] {
        let options = WriteOptions::new().compression(Compression::NONE);
        let mut writer = Writer::new(Full(Memory::new(), 4000), "Events", options).unwrap();
        let large: Vec<Muon> = (0..2000).map(|number| Muon { pt: number as f32 }).collect();
        for _ in 0..entries {
            writer.fill(&Event { met: 0.0, muons: large.clone(), cells: [0.0; 2] }).unwrap();
        }
        let first = writer.commit_cluster().unwrap_err();
        assert_eq!(first.kind(), ErrorKind::Io);
        let text = first.to_string();
        let place =
            text.strip_prefix("full: Events: ").and_then(|text| text.strip_suffix("no space left")).unwrap();
        assert!(place.starts_with("offset ") && place.ends_with(": "), "{place}");
        let lost = if entries == 1 {
            "1 entry of an unfinished cluster was"
        } else {
            "2 entries of an unfinished cluster were"
        };
        for (error, end) in [
            (writer.fill(&event(0.0, 0.0)).and(writer.commit_cluster()).unwrap_err(), ""),
            (writer.finish().unwrap_err(), "; 0 entries can be read"),
        ] {
            assert_eq!(error.to_string(), format!("full: Events: {lost} lost: {place}no space left{end}"));
            assert_eq!(error.kind(), ErrorKind::Io);
            assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::StorageFull);
            assert_eq!(chain(&error).len(), 1);
        }
    }
}

#[test]
fn a_dropped_transaction_is_reported_once() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    drop(context.begin_ordered(0).unwrap());
    let said = "memory: Events: transaction 0 was dropped without `commit`";
    assert_eq!(context.begin_ordered(1).map(drop).unwrap_err().to_string(), said);
    drop(context);
    assert_eq!(writer.finish().unwrap_err().to_string(), format!("{said}; 0 entries can be read"));
}

#[test]
fn a_loss_is_reported_once_however_many_checkpoints_would_follow() {
    let options = WriteOptions::new().checkpoint_every(Interval::Entries(1));
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let mut contexts: Vec<_> = (0..5).map(|_| writer.context()).collect();
    let begun = contexts.iter_mut().zip(0..).map(|(context, key)| {
        let mut transaction = context.begin_ordered(key).unwrap();
        transaction.fill(&event(0.0, 0.0)).unwrap();
        transaction
    });
    let mut begun: Vec<_> = begun.collect();
    drop(begun.remove(0));
    for transaction in begun {
        // Whether it is kept or reports the loss: what was begun is published in the end.
        let _ = transaction.commit();
    }
    drop(contexts);
    let text = writer.finish().unwrap_err().to_string();
    assert_eq!(text.matches("transaction 0 was dropped without `commit`").count(), 1, "{text}");
    assert!(text.ends_with("4 entries can be read"), "{text}");
}

// --- writing

/// Numbers from 0 to 1 only.
fn narrow(field: &str) -> WriteOptions {
    WriteOptions::new().encoding(field, ColumnEncoding::quantized(8, 0.0, 1.0).unwrap())
}

const OUTSIDE: &str = "is outside the range of the column, 0 to 1";

#[test]
fn a_value_out_of_range_is_named_with_its_entry() {
    let good = event(0.5, 0.5);
    let refused = |field: &str, bad: &Event| {
        let mut writer = Writer::new(Memory::new(), "Events", narrow(field)).unwrap();
        (0..10).for_each(|_| writer.fill(&good).unwrap());
        writer.commit_cluster().unwrap();
        (0..31).for_each(|_| writer.fill(&good).unwrap());
        writer.fill(bad).unwrap_err()
    };
    let error = refused("met", &event(3.0, 0.5));
    assert_eq!((error.kind(), error.location().entry), (ErrorKind::InvalidArgument, Some(41)));
    assert_eq!(error.to_string(), format!("memory: Events: column 0 (met), entry 41: the value 3 {OUTSIDE}"));
    let error = refused("met", &event(f32::NAN, 0.5));
    assert!(error.to_string().ends_with(&format!("entry 41: the value NaN {OUTSIDE}")), "{error}");
    let error = refused("cells", &event(-1.5, 0.5));
    assert!(error.to_string().ends_with(&format!("entry 41: the value -1.5 {OUTSIDE}")), "{error}");
    let error = refused("muons._0.pt", &event(0.5, 7.0));
    assert_eq!(
        error.to_string(),
        format!("memory: Events: column 2 (muons._0.pt), entry 41: the value 7 {OUTSIDE}")
    );
}

#[test]
fn a_value_out_of_range_is_placed_in_added_columns_and_in_parallel() {
    #[derive(RNTuple)]
    struct Weight {
        weight: f32,
    }
    let mut adder =
        ColumnAdder::<Weight, _>::append_to(Memory::from(events(5)), "Events", narrow("weight")).unwrap();
    (0..3).for_each(|_| adder.fill(&Weight { weight: 0.5 }).unwrap());
    let error = adder.fill(&Weight { weight: 9.0 }).unwrap_err();
    assert!(error.to_string().ends_with(&format!("(weight), entry 3: the value 9 {OUTSIDE}")), "{error}");

    // Which entry of the file it is depends on the other contexts.
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", narrow("met")).unwrap();
    let mut context = writer.context();
    context.fill(&event(0.5, 0.5)).unwrap();
    let error = context.fill(&event(2.0, 0.5)).unwrap_err();
    assert_eq!(error.to_string(), format!("memory: Events: column 0 (met): the value 2 {OUTSIDE}"));
}

#[test]
fn options_for_fields_that_do_not_exist_say_so() {
    let refused =
        |options| Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap_err().to_string();
    assert_eq!(
        refused(WriteOptions::new().compression_of("muon._0.pt", Compression::NONE)),
        "Events: muon._0.pt: no such field; did you mean \"muons._0.pt\"?"
    );
    assert_eq!(refused(narrow("weight")), "Events: weight: no such field");
    assert_eq!(
        refused(WriteOptions::new().encoding("muons", ColumnEncoding::of(ColumnType::Char))),
        "Events: muons: the field has no column that can be stored as Char"
    );
}

#[test]
fn names_of_ntuples_say_what_would_do() {
    let refused = |path: &str| Writer::<Event, _>::new(Memory::new(), path, WriteOptions::new()).unwrap_err();
    assert_eq!(
        refused("d/my events").to_string(),
        "the path \"d/my events\" of an ntuple has a space or a dot in the name: \"d/my_events\" is possible"
    );
    let file = RootFileWriter::new(Memory::new(), Default::default()).unwrap();
    file.writer::<Event>("d/Events", WriteOptions::new()).unwrap().finish().unwrap();
    let refused = |path| file.writer::<Event>(path, WriteOptions::new()).map(drop).unwrap_err().to_string();
    assert_eq!(refused("d/Events"), "memory: d/Events: the file has an ntuple \"d/Events\" already");
    assert_eq!(refused("d"), "memory: d: the file has a directory \"d\" already");
}

#[test]
fn a_missing_directory_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("no").join("such");
    let path = directory.join("x.root");
    let error = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: the directory {} does not exist", path.display(), directory.display())
    );
    assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
    assert_eq!(LocalFile::create(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
    assert!(LocalFile::create(folder.path().join("x.root")).unwrap().size() == 0);
}

#[test]
fn budgets_say_what_they_need() {
    let options = WriteOptions::new().memory_budget(1000);
    let error = Writer::<Muon, _>::new(Memory::new(), "Muons", options).unwrap_err().to_string();
    let text = error.strip_prefix("Muons: the memory budget is 1000 bytes, expected at least ").unwrap();
    assert!(text.ends_with(" bytes for 1 context of 1 column"), "{error}");
    let options = ReadOptions::new().memory_budget(10);
    let file = RootFile::from_storage(events(3)).unwrap();
    let error = Reader::<Event>::open_with(&file, "Events", options).unwrap_err().to_string();
    assert!(
        error.starts_with("memory: Events: the memory budget is 10 bytes, expected at least "),
        "{error}"
    );
    assert!(
        error.contains(" bytes for 4 columns, each with a stored and a decoded page of up to "),
        "{error}"
    );
}
