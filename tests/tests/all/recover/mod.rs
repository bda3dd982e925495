//! What is left of damaged files is saved, and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]
#![allow(
    clippy::single_range_in_vec_init,
    reason = "the ranges of entries that were saved, of which there may be one"
)]

mod cut;
mod damaged;
mod deduced;
mod killed;
mod real;
mod records;
mod refused;

use std::ops::Range;

use rntuple::check::{CheckOptions, check_file};
use rntuple::recover::{RecoverOptions, Recovery, recover_into};
use rntuple::storage::{Memory, WriteAt};
use rntuple::{RNTuple, Reader, Result, RootFile, Value, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Source {
    Beam { energy: f64 },
    Decay(u8),
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
    label: String,
    hits: Vec<f32>,
    pair: [i16; 2],
    source: Source,
    weight: Option<f32>,
}

fn event(number: u64) -> Event {
    Event {
        number,
        label: "abcdefgh"[..(number % 8) as usize].to_owned(),
        hits: (0..number % 5).map(|hit| (number * hit) as f32).collect(),
        pair: [number as i16, -(number as i16)],
        source: if number.is_multiple_of(3) {
            Source::Decay(number as u8)
        } else {
            Source::Beam { energy: number as f64 }
        },
        weight: number.is_multiple_of(2).then_some(number as f32),
    }
}

/// A file of `count` events with clusters of ten.
fn file(count: u64) -> Vec<u8> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    fill(&mut writer, 0..count, 10, event);
    writer.finish_into().unwrap().1.into_bytes()
}

/// Clusters end where the number is a multiple of `cluster`.
fn fill<T: rntuple::Entry + rntuple::field::WriteField>(
    writer: &mut Writer<T, impl WriteAt>,
    numbers: Range<u64>,
    cluster: u64,
    value: impl Fn(u64) -> T,
) {
    for number in numbers {
        writer.fill(&value(number)).unwrap();
        if (number + 1) % cluster == 0 {
            writer.commit_cluster().unwrap();
        }
    }
}

fn recover(bytes: impl Into<Vec<u8>>) -> Result<(Recovery, RootFile)> {
    recover_with(bytes, RecoverOptions::new())
}

fn recover_with(bytes: impl Into<Vec<u8>>, options: RecoverOptions) -> Result<(Recovery, RootFile)> {
    let (recovery, storage) = recover_into(bytes.into(), Memory::new(), options)?;
    let file = RootFile::from_storage(storage)?;
    assert_eq!(recovery.file_size, file.end());
    assert_sound(&file);
    Ok((recovery, file))
}

#[track_caller]
fn assert_sound(file: &RootFile) {
    let report = check_file(file, CheckOptions::new());
    let notes = report.notes.iter().map(ToString::to_string);
    let lines: Vec<String> = report.faults.iter().map(ToString::to_string).chain(notes).collect();
    assert!(lines.is_empty() && report.is_sound(), "{}", lines.join("\n"));
}

/// The events with these numbers are what the file has.
#[track_caller]
fn assert_events(file: &RootFile, saved: &[Range<u64>]) {
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    let wanted: Vec<Event> = saved.iter().cloned().flatten().map(event).collect();
    assert_eq!(found, wanted);
}

/// All entries, as JSON.
fn values(file: &RootFile, path: &str) -> Vec<String> {
    let reader = Reader::<Value>::open(file, path).unwrap();
    reader.entries().map(|entry| serde_json::to_string(&entry.unwrap()).unwrap()).collect()
}
