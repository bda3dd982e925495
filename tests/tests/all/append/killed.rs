//! Processes that are killed while they append: the file is the old one or the new one.

use std::time::{Duration, Instant};

use rntuple::root::FileOptions;
use rntuple::{RNTuple, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::sample::Random;

use super::read;
use crate::child::kill_after;

/// Says to a process that it is a child, and which file and which ntuple it appends to.
const CHILD: &str = "RNTUPLE_APPEND_CHILD";
/// All kills together.
const TIME: Duration = Duration::from_secs(8);
/// Entries of one append.
const BATCH: u64 = 100;
const PATHS: [&str; 2] = ["nt", "a/b/nt"];

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Entry {
    number: u64,
    square: Vec<u64>,
}

fn entry(number: u64) -> Entry {
    Entry { number, square: vec![number * number; (number % 5) as usize] }
}

/// One append.
fn append(file: &str, path: &str) {
    let mut writer = Writer::<Entry>::append(file, path, WriteOptions::new()).unwrap();
    for step in 0..BATCH {
        writer.fill(&entry(writer.entry_count())).unwrap();
        if step % 20 == 0 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
}

/// Not a test: what a child does until it is killed.
#[test]
fn child() {
    let Ok(job) = std::env::var(CHILD) else { return };
    let (path, file) = job.split_once('|').unwrap();
    loop {
        append(file, path);
    }
}

#[test]
fn a_killed_process_leaves_a_file_behind() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("grows.root");
    let name = file.to_str().unwrap().to_owned();
    let start = Instant::now();
    let mut random = Random::new(1);
    let (mut kills, mut grown) = (0, 0);
    while start.elapsed() < TIME || grown == 0 {
        // Of two, one has its root directory in the second sector.
        let own_name = if kills % 2 == 0 { "short.root".to_owned() } else { "x".repeat(200) };
        let root = RootFileWriter::create(&file, FileOptions::new().name(own_name)).unwrap();
        for path in PATHS {
            let mut writer = root.writer::<Entry>(path, WriteOptions::new()).unwrap();
            (0..BATCH).for_each(|number| writer.fill(&entry(number)).unwrap());
            writer.finish().unwrap();
        }
        root.finish().unwrap();
        for round in 0..6 {
            let path = PATHS[round % 2];
            let time = Duration::from_micros(random.below(60_000) as u64);
            kill_after(time, "append::killed::child", (CHILD, &format!("{path}|{name}")));
            kills += 1;
            let bytes = std::fs::read(&file).unwrap();
            super::assert_sound(&bytes);
            for path in PATHS {
                let found: Vec<Entry> = read(&bytes, path);
                assert_eq!(found.len() as u64 % BATCH, 0, "kill {kills}");
                assert!(found.iter().zip(0..).all(|(found, number)| *found == entry(number)), "kill {kills}");
                grown += usize::from(found.len() as u64 > BATCH);
            }
            // Whoever comes next can go on at once: the lock is gone with the process.
            append(&name, path);
        }
    }
    println!("{kills} kills, {grown} grown files");
    assert!(kills >= 6);
}
