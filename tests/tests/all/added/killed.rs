//! Processes that are killed while they add ntuples: what was in the file is always there.

use std::time::{Duration, Instant};

use rntuple::root::FileOptions;
use rntuple::{RootFileWriter, WriteOptions};
use rntuple_tests::sample::{Muon, Random};

use super::{assert_kept, assert_sound, fill, muons, paths, read};
use crate::child::kill_after;

/// Says to a process that it is a child, and which file it adds to.
const CHILD: &str = "RNTUPLE_ADD_CHILD";
/// All kills together.
const TIME: Duration = Duration::from_secs(4);

/// Adds three ntuples, with numbers that are free.
fn add(file: &str) {
    let count = rntuple::RootFile::open(file).unwrap().ntuples().unwrap().len();
    let root = RootFileWriter::append(file, FileOptions::new()).unwrap();
    for path in [format!("x{count}"), format!("a/x{count}"), format!("new{count}/x")] {
        let mut writer = root.writer::<Muon>(&path, WriteOptions::new()).unwrap();
        for part in muons(&path).chunks(5) {
            writer.fill_all(part).unwrap();
            writer.commit_cluster().unwrap();
        }
        writer.finish().unwrap();
    }
    root.finish().unwrap();
}

/// Not a test: what a child does until it is killed.
#[test]
fn child() {
    let Ok(file) = std::env::var(CHILD) else { return };
    loop {
        add(&file);
    }
}

#[test]
fn a_killed_process_leaves_everything_that_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("grows.root");
    let name = file.to_str().unwrap().to_owned();
    let start = Instant::now();
    let mut random = Random::new(1);
    let (mut kills, mut grown) = (0, 0);
    while start.elapsed() < TIME || grown == 0 {
        let root = RootFileWriter::create(&file, FileOptions::new()).unwrap();
        for path in ["nt", "a/nt"] {
            fill::<Muon, _>(&root, path, &muons(path));
        }
        root.finish().unwrap();
        let mut old = std::fs::read(&file).unwrap();
        for _ in 0..4 {
            let time = Duration::from_micros(random.below(60_000) as u64);
            kill_after(time, "added::killed::child", (CHILD, &name));
            kills += 1;
            let new = std::fs::read(&file).unwrap();
            assert_sound(&new);
            grown += assert_kept(&old, &new).len();
            for path in paths(&new) {
                assert_eq!(read::<Muon>(&new, &path), muons(&path), "kill {kills}: {path}");
            }
            old = new;
        }
    }
    println!("{kills} kills, {grown} ntuples");
    assert!(kills >= 4);
}
