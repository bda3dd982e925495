//! Entries in one file after the other.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rntuple::storage::{Memory, Protocol, ReadAt, WriteAt, register};
use rntuple::{Compression, RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    number: u64,
    #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
    weight: f32,
}

fn events(count: u64) -> Vec<Event> {
    (0..count).map(|number| Event { number, weight: 1.0 }).collect()
}

fn paths(folder: &Path) -> impl FnMut(usize) -> PathBuf + Send + 'static {
    let folder = folder.to_owned();
    move |number| folder.join(format!("{number:03}.root"))
}

fn read(files: Vec<PathBuf>) -> Vec<Event> {
    Reader::<Event>::open(files, "Events").unwrap().entries().map(Result::unwrap).collect()
}

/// What is in a folder, in order.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_file_has_as_many_entries_as_it_may() {
    let events = events(1000);
    for (limit, wanted) in [(300, vec![300, 300, 300, 100]), (500, vec![500, 500]), (5000, vec![1000])] {
        let folder = tempfile::tempdir().unwrap();
        let series = Writer::series(paths(folder.path()), "Events", WriteOptions::new()).unwrap();
        let mut series = series.max_entries(limit);
        series.fill_all(&events).unwrap();
        let files = series.finish().unwrap();
        assert_eq!(files.iter().map(|(_, summary)| summary.entries).collect::<Vec<_>>(), wanted);
        // One that was begun and has nothing is not there.
        assert_eq!(listed(folder.path()), files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>());
        assert_eq!(read(listed(folder.path())), events);
    }
}

#[test]
fn a_file_ends_with_the_cluster_that_makes_it_long() {
    let events = events(20_000);
    let folder = tempfile::tempdir().unwrap();
    let options =
        WriteOptions::new().compression(Compression::NONE).cluster_size(9_000).write_buffer_length(900);
    let mut series = Writer::series(paths(folder.path()), "Events", options).unwrap().max_size(40_000);
    series.fill_all(&events).unwrap();
    assert!(series.files().len() > 3, "{series:?}");
    let files = series.finish().unwrap();
    let (_, all_but_last) = files.split_last().unwrap();
    for (path, summary) in all_but_last {
        assert_eq!(path.metadata().unwrap().len(), summary.file_size);
        assert!((40_000..60_000).contains(&summary.file_size), "{summary:?}");
    }
    assert_eq!(read(listed(folder.path())), events);
}

#[test]
fn files_roll_over_whatever_fills_them() {
    let events = events(1000);
    let columns = EventColumns {
        number: events.iter().map(|event| event.number).collect(),
        weight: events.iter().map(|event| event.weight).collect(),
    };
    let folder = tempfile::tempdir().unwrap();
    let series = Writer::<Event>::series(paths(folder.path()), "Events", WriteOptions::new()).unwrap();
    let mut series = series.max_entries(300);
    series.fill_as(&events[0]).unwrap();
    series.fill_columns(cut_of(&columns, 1..950)).unwrap();
    series.fill_columns(cut_of(&columns, 950..1000)).unwrap();
    let files = series.finish().unwrap();
    assert_eq!(files.iter().map(|(_, summary)| summary.entries).collect::<Vec<_>>(), [300, 300, 300, 100]);
    assert_eq!(read(listed(folder.path())), events);

    // One batch of many clusters: a file ends with the cluster that makes it long.
    let events = self::events(20_000);
    let columns = EventColumns {
        number: events.iter().map(|event| event.number).collect(),
        weight: events.iter().map(|event| event.weight).collect(),
    };
    let folder = tempfile::tempdir().unwrap();
    let options =
        WriteOptions::new().compression(Compression::NONE).cluster_size(9_000).write_buffer_length(900);
    let series = Writer::<Event>::series(paths(folder.path()), "Events", options).unwrap();
    let mut series = series.max_size(40_000);
    series.fill_columns(columns.as_slice()).unwrap();
    let files = series.finish().unwrap();
    let (_, all_but_last) = files.split_last().unwrap();
    assert!(all_but_last.len() > 3);
    for (_, summary) in all_but_last {
        assert!((40_000..60_000).contains(&summary.file_size), "{summary:?}");
    }
    assert_eq!(read(listed(folder.path())), events);
}

fn cut_of(columns: &EventColumns, range: std::ops::Range<usize>) -> EventSlice<'_> {
    EventSlice { number: &columns.number[range.clone()], weight: &columns.weight[range] }
}

#[test]
fn items_are_in_the_file_of_their_entry() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Readout {
        channel: u32,
        samples: Vec<i16>,
    }
    let folder = tempfile::tempdir().unwrap();
    let series = Writer::<Readout>::series(paths(folder.path()), "Readouts", WriteOptions::new()).unwrap();
    let mut series = series.max_entries(2);
    for channel in 0..5 {
        series.append_items("samples", &[1i16, 2]).unwrap();
        series.append_items("samples", &[3i16]).unwrap();
        series.fill(&Readout { channel, samples: vec![4] }).unwrap();
    }
    assert_eq!(series.files().len(), 2);
    assert_eq!(series.finish().unwrap().len(), 3);
    let reader = Reader::<Readout>::open(listed(folder.path()), "Readouts").unwrap();
    for (channel, entry) in (0..).zip(reader.entries()) {
        assert_eq!(entry.unwrap(), Readout { channel, samples: vec![1, 2, 3, 4] });
    }
    assert_eq!(reader.entry_count().unwrap(), 5);
}

#[test]
fn without_entries_there_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let series = Writer::<Event>::series(paths(folder.path()), "Events", WriteOptions::new()).unwrap();
    assert_eq!(series.finish().unwrap().len(), 1);
    assert!(read(listed(folder.path())).is_empty());
}

#[test]
fn what_is_complete_stays_whatever_comes_after() {
    let folder = tempfile::tempdir().unwrap();
    let series =
        || Writer::series(paths(folder.path()), "Events", WriteOptions::new()).unwrap().max_entries(10);
    let mut dropped = series();
    dropped.fill_all(&events(25)).unwrap();
    drop(dropped);
    assert_eq!(read(listed(folder.path())), events(20));

    // An entry that is refused does not end it.
    let mut refusing = series();
    refusing.fill_all(&events(15)).unwrap();
    let error = refusing.fill(&Event { number: 15, weight: 7.0 }).unwrap_err();
    assert!(error.to_string().contains("the value 7 is outside"), "{error}");
    refusing.fill_all(&events(20)[15..]).unwrap();
    refusing.finish().unwrap();
    assert_eq!(read(listed(folder.path())), events(20));

    let mut nowhere = Writer::series(
        {
            let mut path = paths(folder.path());
            move |number| if number == 0 { path(7) } else { PathBuf::from("/no/folder.root") }
        },
        "Events",
        WriteOptions::new(),
    )
    .unwrap()
    .max_entries(3);
    assert!(nowhere.fill_all(&events(4)).unwrap_err().to_string().contains("folder.root"));
    assert_eq!(nowhere.files().len(), 1);
    let error = nowhere.fill(&events(1)[0]).unwrap_err();
    assert!(error.to_string().contains("the series ended"), "{error}");
    assert!(nowhere.finish().unwrap_err().to_string().contains("the series ended"));
}

#[derive(RNTuple)]
struct Lists {
    list: Vec<f32>,
}

/// A file in place is at its path from the beginning, so that it is finished even if no entry came into it.
#[test]
fn each_file_in_place_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions::new().in_place(true);
    let mut series = Writer::<Event>::series(paths(folder.path()), "Events", options).unwrap().max_entries(5);
    series.fill_all(&events(10)).unwrap();
    assert!(series.fill(&Event { number: 10, weight: 7.0 }).is_err());
    let files: Vec<_> = series.finish().unwrap().into_iter().map(|(path, _)| path).collect();
    assert_eq!(files.len(), 3);
    assert_eq!(listed(folder.path()), files);
    assert_eq!(read(files), events(10));
}

#[test]
fn what_is_lost_in_the_last_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let series = Writer::series(paths(folder.path()), "Events", WriteOptions::new()).unwrap();
    let mut series = series.max_entries(10);
    (0..10).for_each(|_| series.fill(&Lists { list: vec![1.0] }).unwrap());
    // The next file is begun by items, whose entry never comes.
    series.append_items("list", &[1.0f32, 2.0]).unwrap();
    let error = series.finish().unwrap_err().to_string();
    assert!(error.contains("items of an entry were appended, but the entry was not"), "{error}");
    let reader = Reader::<Lists>::open(folder.path().join("000.root"), "Events").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 10);
}

#[test]
fn no_file_of_a_series_takes_the_place_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.root");
    let spelt = folder.path().join("..").join(folder.path().file_name().unwrap()).join("run.root");
    for second in [path.clone(), spelt] {
        let first = path.clone();
        let name = move |number| if number == 0 { first.clone() } else { second.clone() };
        let series = Writer::series(name, "Events", WriteOptions::new()).unwrap();
        let mut series = series.max_entries(2);
        let entries = events(5);
        series.fill(&entries[0]).unwrap();
        series.fill(&entries[1]).unwrap();
        let error = series.fill(&entries[2]).unwrap_err().to_string();
        assert!(error.contains("run.root: the series has written this file already"), "{error}");
        assert_eq!(series.files().len(), 1);
        assert!(series.finish().is_err());
        assert_eq!(read(vec![path.clone()]), events(2));
    }
}

/// A query and a password may be what grants access.
#[test]
fn secrets_of_urls_are_not_shown() {
    struct Shelf;

    impl Protocol for Shelf {
        fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn create(&self, _: &str, _: bool) -> io::Result<Box<dyn WriteAt>> {
            Ok(Box::new(Memory::new()))
        }
    }

    register("series", Arc::new(Shelf));
    let path = |_| PathBuf::from("series://me:SECRET@host/run.root?authz=SECRET");
    let series = Writer::<Event>::series(path, "Events", WriteOptions::new()).unwrap();
    let mut series = series.max_entries(2);
    let begun = format!("{series:?}");
    series.fill_all(&events(2)).unwrap();
    let error = series.fill(&events(1)[0]).unwrap_err().to_string();
    assert!(error.contains("the series has written this file already"), "{error}");
    assert_eq!(series.files().len(), 1);
    for text in [begun, error, format!("{series:?}")] {
        assert!(text.contains("series://host/run.root") && !text.contains("SECRET"), "{text}");
    }
}
