//! Entries in one file after the other.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use rntuple::{Compression, RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq)]
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
}
    assert!(nowhere.finish().unwrap_err().to_string().contains("the series ended"));
