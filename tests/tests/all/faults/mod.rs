//! Every fault of a disk in every operation that writes: nothing that was there is lost, what is readable is right, and
//! the error says what happened.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod operations;
mod system;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind::{Interrupted, StorageFull};

use rntuple::check::{CheckOptions, check_file};
use rntuple::recover::{RecoverOptions, recover_into};
use rntuple::storage::Memory;
use rntuple::{Dataset, Error, ErrorKind, Reader, Result, RootFile};
use rntuple_tests::disk::{Disk, Fault};

use operations::{Event, More, NEW, OLD, Operation, event, more, operations};

/// What a file is after a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    /// No file that can be opened: only where there was none.
    Nothing,
    /// As it was.
    Old,
    /// Without faults, with some of the new entries, all of which are right.
    Part,
    /// As it should be.
    New,
}

/// Looks at all that a file has.
#[track_caller]
fn judge(operation: &Operation, image: &[u8], at: &str) -> Left {
    let is_new_file = operation.old.is_empty();
    let file = match RootFile::from_storage(image.to_vec())
        .and_then(|file| Dataset::open(&file, "Events").map(|_| file))
    {
        Ok(file) => file,
        Err(error) => {
            let expected = [ErrorKind::Unfinished, ErrorKind::OutOfSpec, ErrorKind::NotFound];
            assert!(is_new_file && expected.contains(&error.kind()), "{at}: {error}");
            return Left::Nothing;
        }
    };
    let report = check_file(&file, CheckOptions::new());
    assert!(report.faults.is_empty(), "{at}: {report:?}");
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    let count = found.len() as u64;
    assert!(found.iter().zip(0..).all(|(found, number)| *found == event(number)), "{at}: wrong values");
    let has_more = Dataset::open(&file, "Events").unwrap().schema().find("more").is_some();
    if has_more {
        let reader = Reader::<More>::open(&file, "Events").unwrap();
        for (number, found) in (0..).zip(reader.entries()) {
            let wanted = if operation.more_from.unwrap() <= number { more(number).more } else { vec![] };
            assert_eq!(found.unwrap().more, wanted, "{at}: {number}");
        }
    }
    let old = match operation.name {
        "add columns" => NEW,
        _ if is_new_file => 0,
        _ => OLD,
    };
    assert!(count >= old && count <= NEW, "{at}: {count} entries");
    assert_recovers(image, count, at);
    match count {
        _ if count == NEW && has_more == operation.more_from.is_some() => Left::New,
        _ if !is_new_file && count == old && !has_more => Left::Old,
        _ => Left::Part,
    }
}

/// What can be read is saved by a recovery too, which does not take the file's word for where its records are.
#[track_caller]
fn assert_recovers(image: &[u8], count: u64, at: &str) {
    let (recovery, saved) =
        recover_into(image.to_vec(), Memory::new(), RecoverOptions::new().deduce(true)).unwrap();
    let reader = Reader::<Event>::open(saved, "Events").unwrap();
    let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    let saved = &recovery.ntuples[0].saved;
    assert!(
        count == 0 || saved[0].start == 0 && saved[0].end >= count,
        "{at}: {count} entries are there\n{recovery}"
    );
    // Some after those may have been on the medium already.
    assert!(found.into_iter().eq(saved.iter().cloned().flatten().map(event)), "{at}\n{recovery}");
}

/// An error of the storage that says which one it is.
#[track_caller]
fn assert_says_what_happened(error: &Error, at: &str) {
    assert_eq!(error.kind(), ErrorKind::Io, "{at}: {error}");
    assert!(error.to_string().contains("disk"), "{at}: {error}");
}

/// What a fault is called, and which one it is.
const FAULTS: &[(&str, Fault)] = &[
    ("EIO, then nothing", Fault::Stop),
    ("EIO once", Fault::Error(std::io::ErrorKind::Other)),
    ("ENOSPC once", Fault::Error(StorageFull)),
    ("EINTR once", Fault::Error(Interrupted)),
    ("disk full", Fault::Full),
    ("half a write", Fault::Half),
    ("all but a byte", Fault::Short),
    ("lost cache", Fault::LostCache),
];

/// How often each state was left.
type Counts = BTreeMap<Left, u32>;

/// Each write and flush of an operation fails in turn.
fn fail_everywhere(operation: &Operation, name: &str, fault: Fault) -> Counts {
    let whole = Disk::new(operation.old.clone());
    (operation.run)(whole.clone()).unwrap();
    assert_eq!(judge(operation, &whole.bytes(), operation.name), Left::New);
    let mut counts = Counts::new();
    for call in 0..whole.calls() {
        let disk = Disk::failing(operation.old.clone(), call, fault);
        let at = format!("{}, {name} at {call} of {}", operation.name, whole.calls());
        let result = (operation.run)(disk.clone());
        let left = judge(operation, &disk.bytes(), &at);
        match result {
            Err(error) => assert_says_what_happened(&error, &at),
            // The end of a file is written again where it failed. Then all of it is on the medium, not in a cache.
            Ok(()) => {
                assert_eq!(left, Left::New, "{at}, and no error");
                assert_eq!(judge(operation, &disk.lasting(), &at), Left::New, "{at}, and no error");
            }
        }
        // Who failed has let go of the disk.
        assert_eq!(disk.holders(), 1, "{at}");
        *counts.entry(left).or_default() += 1;
    }
    counts
}

/// The power fails at each write and flush of an operation: any of the writes since the last flush may be lost, or torn.
fn lose_power_everywhere(operation: &Operation) -> Counts {
    let whole = Disk::new(operation.old.clone());
    (operation.run)(whole.clone()).unwrap();
    let mut counts = Counts::new();
    for call in 0..whole.calls() {
        let disk = Disk::stopping_at(operation.old.clone(), call);
        let at = format!("{}, power lost at {call} of {}", operation.name, whole.calls());
        assert!((operation.run)(disk.clone()).is_err(), "{at}");
        for image in disk.left() {
            *counts.entry(judge(operation, &image, &at)).or_default() += 1;
        }
    }
    counts
}

/// Each read of an operation fails in turn.
fn unread_everywhere(operation: &Operation) -> Option<Counts> {
    let whole = Disk::new(operation.old.clone());
    (operation.run)(whole.clone()).unwrap();
    let mut counts = Counts::new();
    for read in 0..whole.reads() {
        let disk = Disk::unreadable(operation.old.clone(), read);
        let at = format!("{}, read {read} of {}", operation.name, whole.reads());
        let result = (operation.run)(disk.clone());
        let left = judge(operation, &disk.bytes(), &at);
        match result {
            Err(error) => assert_says_what_happened(&error, &at),
            // It was about what is not needed: the state of an earlier writer, which no one asks for.
            Ok(()) => assert_eq!(left, Left::New, "{at}, and no error"),
        }
        *counts.entry(left).or_default() += 1;
    }
    (whole.reads() > 0).then_some(counts)
}

/// `3 nothing, 12 part, 1 new`
fn spelled(counts: &Counts) -> String {
    let name = |left: Left| match left {
        Left::Nothing => "nothing",
        Left::Old => "old",
        Left::Part => "part",
        Left::New => "new",
    };
    counts.iter().map(|(left, count)| format!("{count} {}", name(*left))).collect::<Vec<_>>().join(", ")
}

/// The table of the book: what was left, of all faults in all operations.
#[test]
fn matrix() {
    let operations = operations();
    let mut table = String::from("| |");
    operations.iter().for_each(|operation| write!(table, " {} |", operation.name).unwrap());
    table += "\n| --- |";
    operations.iter().for_each(|_| table += " --- |");
    let mut runs = 0;
    let mut row = |name: &str, cells: Vec<Option<Counts>>| {
        write!(table, "\n| {name} |").unwrap();
        for counts in &cells {
            runs += counts.iter().flat_map(BTreeMap::values).sum::<u32>();
            let text = counts.as_ref().map_or_else(|| "reads nothing".to_owned(), spelled);
            write!(table, " {text} |").unwrap();
        }
    };
    for (name, fault) in FAULTS {
        row(
            name,
            operations.iter().map(|operation| Some(fail_everywhere(operation, name, *fault))).collect(),
        );
    }
    row("power lost", operations.iter().map(|operation| Some(lose_power_everywhere(operation))).collect());
    row("read fails", operations.iter().map(unread_everywhere).collect());
    table += "\n";
    println!("{table}\n{runs} runs");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/generated/faults.md");
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), table, "RNTUPLE_BLESS=1 renews it");
}
