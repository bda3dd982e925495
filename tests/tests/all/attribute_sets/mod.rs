//! Attribute sets: what is said of ranges of entries, written and read back, and refused where it cannot be.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod bytes;
mod continued;
mod damage;
mod losses;
mod reading;
mod writing;

use std::ops::Range;

use rntuple::attributes::{Attribute, AttributeReader};
use rntuple::check::{CheckOptions, check_file};
use rntuple::storage::Memory;
use rntuple::{Dataset, RNTuple, ReadOptions, Reader, RootFile, WriteOptions, Writer};

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct RunInfo {
    run: u32,
    generator: String,
    cuts: Vec<f64>,
}

fn event(number: u64) -> Event {
    Event { number, hits: vec![1.0; number as usize % 4] }
}

fn info(run: u32) -> RunInfo {
    RunInfo { run, generator: format!("generator {run}"), cuts: vec![0.5; run as usize % 3] }
}

fn writer(options: WriteOptions) -> Writer<Event, Memory> {
    Writer::new(Memory::new(), "Events", options).unwrap()
}

fn fill(writer: &mut Writer<Event, Memory>, count: u64) {
    let first = writer.entry_count();
    (first..first + count).for_each(|number| writer.fill(&event(number)).unwrap());
}

fn close(writer: Writer<Event, Memory>) -> RootFile {
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

fn open(file: &RootFile, path: &str) -> Reader<Event> {
    Reader::open(file, path).unwrap()
}

fn set(file: &RootFile, name: &str) -> AttributeReader<RunInfo> {
    open(file, "Events").attributes(name).unwrap()
}

fn all<A: rntuple::Entry + rntuple::field::ReadField>(reader: &AttributeReader<A>) -> Vec<Attribute<A>> {
    reader.entries().collect::<Result<_, _>>().unwrap()
}

fn said(range: Range<u64>, run: u32) -> Attribute<RunInfo> {
    Attribute { range, value: info(run) }
}

#[track_caller]
fn assert_sound(file: &RootFile) {
    let report = check_file(file, CheckOptions::new());
    assert!(report.is_sound() && report.notes.is_empty(), "{:?} {:?}", report.faults, report.notes);
}

fn version(file: &RootFile, path: &str) -> [u16; 4] {
    Dataset::open(file, path).unwrap().anchor().version
}
