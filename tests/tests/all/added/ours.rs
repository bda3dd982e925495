//! Ntuples that are added to our own files.

use std::time::{Duration, SystemTime};

use rntuple::extend::ColumnAdder;
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, RootFile, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::objects::with_class;
use rntuple_tests::sample::{Event, Muon, samples};

use super::{add, assert_kept, assert_sound, fill, muons, open, paths, read};

/// A file with ntuples at these paths.
fn file(paths: &[&str]) -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    paths.iter().for_each(|path| fill::<Event, _>(&file, path, &samples(7, path.len() as u64)));
    file.finish().unwrap().into_bytes()
}

#[test]
fn ntuples_join_others_in_any_directory() {
    let first = file(&["Events", "a/Events", "a/b/Events"]);
    let second = add(first.clone(), &["x", "a/x", "a/b/x", "a/c/x", "d/x"]);
    assert_eq!(assert_kept(&first, &second), ["a/b/x", "a/c/x", "a/x", "d/x", "x"]);
    assert_sound(&second);
    let third = add(second.clone(), &["a/c/y", "d/e/f/y"]);
    assert_eq!(assert_kept(&second, &third), ["a/c/y", "d/e/f/y"]);
    assert_sound(&third);
    for path in ["x", "a/x", "a/b/x", "a/c/x", "d/x", "a/c/y", "d/e/f/y"] {
        assert_eq!(read::<Muon>(&third, path), muons(path), "{path}");
    }
}

#[test]
fn other_objects_stay() {
    let old = with_class(file(&["Events", "tree", "a/hist"]), "tree", "TTree");
    let old = with_class(old, "hist", "TH1F");
    let new = add(old.clone(), &["x", "a/x"]);
    assert_eq!(assert_kept(&old, &new), ["a/x", "x"]);
    let classes: Vec<String> = open(&new).keys().unwrap().into_iter().map(|key| key.class).collect();
    assert_eq!(classes, ["ROOT::RNTuple", "TTree", "TDirectory", "ROOT::RNTuple", "TH1F", "ROOT::RNTuple"]);
}

#[test]
fn many_additions_one_after_the_other() {
    let mut bytes = file(&["Events"]);
    for number in 0..40 {
        let path = if number % 3 == 0 { format!("d{number}/x") } else { format!("x{number}") };
        bytes = add(bytes, &[&path]);
    }
    assert_sound(&bytes);
    assert_eq!(paths(&bytes).len(), 41);
}

#[test]
fn several_writers_fill_at_the_same_time() {
    let old = file(&["Events"]);
    let file = RootFileWriter::append_to(Memory::from(old.clone()), FileOptions::new()).unwrap();
    let mut x = file.writer::<Muon>("x", WriteOptions::new()).unwrap();
    let mut y = file.writer::<Muon>("a/y", WriteOptions::new()).unwrap();
    let z = file.parallel_writer::<Muon>("a/z", WriteOptions::new()).unwrap();
    let muons = samples::<Muon>(30, 1);
    for part in muons.chunks(10) {
        x.fill_all(part).unwrap();
        x.commit_cluster().unwrap();
        y.fill_all(part).unwrap();
        y.commit_cluster().unwrap();
    }
    z.scope(|scope| scope.spawn(|context| muons.iter().try_for_each(|muon| context.fill(muon)))).unwrap();
    z.finish().unwrap();
    y.finish().unwrap();
    // As long as one is open, the file cannot end.
    x.finish().unwrap();
    let new = file.finish().unwrap().into_bytes();
    assert_eq!(assert_kept(&old, &new), ["a/y", "a/z", "x"]);
    assert_sound(&new);
    for path in ["x", "a/y", "a/z"] {
        assert_eq!(read::<Muon>(&new, path), muons);
    }
}

#[test]
fn a_file_with_an_open_writer_stays_as_it_was() {
    let old = file(&["Events"]);
    let disk = rntuple_tests::disk::Disk::new(old.clone());
    let file = RootFileWriter::append_to(disk.clone(), FileOptions::new()).unwrap();
    let mut open = file.writer::<Muon>("x", WriteOptions::new()).unwrap();
    open.fill_all(&muons("x")).unwrap();
    let error = file.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    drop(open);
    let left = disk.bytes();
    assert_eq!(left[..old.len()], old);
    assert_eq!(assert_kept(&old, &left), [""; 0]);
    // What was left after the end is written over.
    let new = add(left, &["y"]);
    assert_eq!(assert_kept(&old, &new), ["y"]);
    assert_sound(&new);
}

#[test]
fn a_writer_that_is_dropped_adds_nothing() {
    let old = file(&["Events", "a/Events"]);
    let file = RootFileWriter::append_to(Memory::from(old.clone()), FileOptions::new()).unwrap();
    let mut dropped = file.writer::<Muon>("new/x", WriteOptions::new()).unwrap();
    dropped.fill_all(&muons("x")).unwrap();
    dropped.commit_cluster().unwrap();
    drop(dropped);
    fill::<Muon, _>(&file, "a/y", &muons("a/y"));
    let new = file.finish().unwrap().into_bytes();
    assert_eq!(assert_kept(&old, &new), ["a/y"]);
    let directories = open(&new).keys().unwrap().iter().filter(|key| key.class == "TDirectory").count();
    assert_eq!(directories, 1);
}

#[test]
fn an_added_ntuple_is_one_like_any_other() {
    #[derive(RNTuple)]
    struct More {
        more: u8,
    }
    let bytes = add(file(&["Events"]), &["x", "a/x"]);
    for path in ["x", "a/x"] {
        let mut writer =
            Writer::<Muon, _>::append_to(Memory::from(bytes.clone()), path, WriteOptions::new()).unwrap();
        writer.fill_all(&muons("more")).unwrap();
        let grown = writer.finish_into().unwrap().1.into_bytes();
        assert_sound(&grown);
        assert_eq!(read::<Muon>(&grown, path), [muons(path), muons("more")].concat());
        let mut adder =
            ColumnAdder::<More, _>::append_to(Memory::from(grown.clone()), path, WriteOptions::new())
                .unwrap();
        for number in 0..adder.entry_count() {
            adder.fill(&More { more: number as u8 }).unwrap();
        }
        let wide = adder.finish_into().unwrap().1.into_bytes();
        let last = add(wide.clone(), &["a/y"]);
        assert_eq!(assert_kept(&wide, &last), ["a/y"]);
        assert_sound(&last);
    }
}

#[test]
fn the_same_data_make_the_same_file_and_the_date_is_an_option() {
    let old = file(&["Events"]);
    assert_eq!(add(old.clone(), &["a/x"]), add(old.clone(), &["a/x"]));
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_731_503_784);
    let options = FileOptions::new().timestamp(time);
    let file = RootFileWriter::append_to(Memory::from(old), options).unwrap();
    fill::<Muon, _>(&file, "x", &muons("x"));
    let new = open(&file.finish().unwrap().into_bytes());
    let written: Vec<String> = new.keys().unwrap().iter().map(|key| key.written.to_string()).collect();
    assert_eq!(written, ["1995-01-01 00:00:00", "2024-11-13 13:16:24"]);
}

#[test]
fn one_call_adds_one_ntuple() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let old = file(&["Events"]);
    std::fs::write(&path, &old).unwrap();
    let mut writer = Writer::<Muon>::create_in(&path, "a/x", WriteOptions::new()).unwrap();
    writer.fill_all(&muons("a/x")).unwrap();
    let summary = writer.finish().unwrap();
    let new = std::fs::read(&path).unwrap();
    assert_eq!((summary.entries as usize, summary.file_size as usize), (muons("a/x").len(), new.len()));
    assert_eq!(assert_kept(&old, &new), ["a/x"]);
    assert_sound(&new);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    let mut reader = RootFileWriter::append(&path, FileOptions::new().durable(false)).unwrap();
    fill::<Muon, _>(&reader, "y", &muons("y"));
    reader.finish().unwrap();
    assert_eq!(RootFile::open(&path).unwrap().ntuples().unwrap().len(), 3);
    reader = RootFileWriter::append(&path, FileOptions::new()).unwrap();
    reader.finish().unwrap();
}
