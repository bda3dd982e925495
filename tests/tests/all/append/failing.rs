//! A disk that stops at any call, and loses what was not flushed: the file is the old one or the new one.

use rntuple::extend::ColumnAdder;
use rntuple::root::FileOptions;
use rntuple::{RNTuple, Result, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::disk::{Disk, SECTOR};
use rntuple_tests::sample::{Muon, samples};

use super::{append, assert_sound, open, read, write};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct More {
    more: Vec<u16>,
}

/// Stops `work` at each of its calls, and looks at everything that may then be left.
fn stop_everywhere(path: &str, old: &[u8], columns: usize, work: impl Fn(Disk) -> Result<()>) {
    let whole = Disk::new(old.to_vec());
    work(whole.clone()).unwrap();
    let (calls, new) = (whole.calls(), whole.bytes());
    assert_sound(&new);
    let (before, after): (Vec<Muon>, Vec<Muon>) = (read(old, path), read(&new, path));
    let fields =
        |bytes: &[u8]| rntuple::Dataset::open(&open(bytes), path).unwrap().schema().top_level().len();
    let (old_fields, new_fields) = (fields(old), fields(&new));
    assert!(after.len() > before.len() || new_fields == old_fields + columns && columns > 0);
    let mut found_new = 0;
    for call in 0..calls {
        let disk = Disk::stopping_at(old.to_vec(), call);
        assert!(work(disk.clone()).is_err(), "{call}");
        for image in disk.left() {
            let found: Vec<Muon> = read(&image, path);
            let is_new = (found.len(), fields(&image)) == (after.len(), new_fields);
            let wanted = if is_new { &after } else { &before };
            assert_eq!(&found, wanted, "call {call} of {calls}");
            assert!(is_new || fields(&image) == old_fields, "call {call} of {calls}");
            // The last write and the flush behind it.
            assert!(!is_new || call >= calls - 2, "call {call} of {calls}");
            found_new += usize::from(is_new);
            assert_sound(&image);
            if !is_new {
                let again = Disk::new(image);
                work(again.clone()).unwrap();
                assert_sound(&again.bytes());
                assert_eq!(read::<Muon>(&again.bytes(), path), after);
            }
        }
    }
    assert!(found_new > 0);
    // What leads to the new records is in one sector, each write for itself.
    let changed: Vec<u64> =
        (0..old.len() as u64).filter(|&at| old[at as usize] != new[at as usize]).collect();
    let sectors: std::collections::BTreeSet<u64> = changed.iter().map(|at| at / SECTOR).collect();
    assert!(sectors.len() <= 2, "{sectors:?}");
}

fn more_entries(path: &str) -> impl Fn(Disk) -> Result<()> {
    move |disk| {
        let mut writer = Writer::<Muon, _>::append_to(disk, path, WriteOptions::new())?;
        for part in samples::<Muon>(9, 5).chunks(3) {
            writer.fill_all(part)?;
            writer.commit_cluster()?;
        }
        writer.finish().map(drop)
    }
}

#[test]
fn entries_are_all_there_or_none() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    stop_everywhere("nt", &old, 0, more_entries("nt"));
    let twice = append(old, "nt", &samples::<Muon>(2, 2), WriteOptions::new());
    stop_everywhere("nt", &twice, 0, more_entries("nt"));
}

fn several(name: String) -> Vec<u8> {
    let file = RootFileWriter::new(rntuple::storage::Memory::new(), FileOptions::new().name(name)).unwrap();
    for path in ["nt", "a/nt", "a/b/nt"] {
        let mut writer = file.writer::<Muon>(path, WriteOptions::new()).unwrap();
        writer.fill_all(&samples(5, 1)).unwrap();
        writer.finish().unwrap();
    }
    file.finish().unwrap().into_bytes()
}

#[test]
fn the_same_holds_in_directories() {
    let old = several("short.root".to_owned());
    for path in ["nt", "a/nt", "a/b/nt"] {
        stop_everywhere(path, &old, 0, more_entries(path));
    }
}

#[test]
fn the_same_holds_for_a_root_directory_in_the_second_sector() {
    for length in [150, 254] {
        stop_everywhere("nt", &several("x".repeat(length)), 0, more_entries("nt"));
    }
}

#[test]
fn columns_are_all_there_or_none() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    let old = append(old, "nt", &samples::<Muon>(3, 2), WriteOptions::new());
    stop_everywhere("nt", &old, 1, |disk| {
        let mut adder = ColumnAdder::<More, _>::append_to(disk, "nt", WriteOptions::new())?;
        for k in 0..7 {
            adder.fill(&More { more: vec![k; 2] })?;
        }
        adder.finish().map(drop)
    });
}

#[test]
fn entries_and_columns_come_together() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    stop_everywhere("nt", &old, 1, |disk| {
        let writer = Writer::<Muon, _>::append_to(disk, "nt", WriteOptions::new())?;
        let mut writer = writer.extend::<More>()?;
        for (muon, k) in samples::<Muon>(5, 3).iter().zip(0..) {
            writer.fill_both(muon, &More { more: vec![k; 2] })?;
        }
        writer.finish().map(drop)
    });
}
