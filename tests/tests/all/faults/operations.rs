//! What is done while a disk fails.

use rntuple::extend::ColumnAdder;
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::parallel::Order;
use rntuple::storage::Memory;
use rntuple::{Compression, ParallelWriter, RNTuple, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::disk::Disk;

#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) number: u64,
    hits: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(super) struct More {
    pub(super) more: Vec<u16>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct State {
    next: u64,
}

pub(super) fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 5).map(|hit| (number + hit) as f32).collect() }
}

pub(super) fn more(number: u64) -> More {
    More { more: vec![number as u16; (number % 3) as usize] }
}

/// Entries that a file has before, if it is there.
pub(super) const OLD: u64 = 20;
/// Entries that it has after.
pub(super) const NEW: u64 = 50;

/// Something that writes.
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// What is on the disk before.
    pub(super) old: Vec<u8>,
    /// Whether the file has the column of [`More`] after, for entries from this one on.
    pub(super) more_from: Option<u64>,
    pub(super) run: fn(Disk) -> Result<()>,
}

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

/// Clusters of ten entries.
fn fill(writer: &mut Writer<Event, Disk>, from: u64) -> Result<()> {
    for number in from..NEW {
        writer.fill(&event(number))?;
        if number % 10 == 9 {
            writer.commit_cluster()?;
        }
    }
    Ok(())
}

/// A writer that fails is finished all the same, as programs do: the first error counts.
fn finish(filled: Result<()>, finish: impl FnOnce() -> Result<()>) -> Result<()> {
    let finished = finish();
    filled.and(finished)
}

fn write(disk: Disk) -> Result<()> {
    let mut writer = Writer::<Event, _>::new(disk, "Events", options())?;
    let filled = fill(&mut writer, 0);
    finish(filled, || writer.finish().map(drop))
}

/// Two contexts of one thread take turns, so that the disk is always asked for the same.
fn write_parallel(disk: Disk) -> Result<()> {
    let writer =
        ParallelWriter::<Event, _>::new(disk, "Events", options())?.ordered(Order::Entries { first: 0 });
    parallel(writer, 0)
}

fn parallel(writer: ParallelWriter<Event, Disk>, from: u64) -> Result<()> {
    let filled = (|| {
        let mut contexts = [writer.context(), writer.context()];
        for first in (from..NEW).step_by(10) {
            let context = &mut contexts[(first / 10 % 2) as usize];
            let mut transaction = context.begin_ordered(first)?;
            (first..first + 10).try_for_each(|number| transaction.fill(&event(number)))?;
            transaction.commit()?;
        }
        Ok(())
    })();
    finish(filled, || writer.finish().map(drop))
}

fn append(disk: Disk) -> Result<()> {
    let mut writer = Writer::<Event, _>::append_to(disk, "Events", options())?;
    let filled = fill(&mut writer, OLD);
    finish(filled, || writer.finish().map(drop))
}

fn add_columns(disk: Disk) -> Result<()> {
    let mut adder = ColumnAdder::<More, _>::append_to(disk, "Events", options())?;
    let filled = (0..NEW).try_for_each(|number| adder.fill(&more(number)));
    finish(filled, || adder.finish().map(drop))
}

fn extend(disk: Disk) -> Result<()> {
    let writer = Writer::<Event, _>::append_to(disk, "Events", options())?;
    let mut writer = writer.extend::<More>()?;
    let filled = (OLD..NEW).try_for_each(|number| {
        writer.fill_both(&event(number), &more(number))?;
        if number % 10 == 9 { writer.commit_cluster() } else { Ok(()) }
    });
    finish(filled, || writer.finish().map(drop))
}

fn merge(disk: Disk) -> Result<()> {
    let half = |numbers: std::ops::Range<u64>| -> Result<RootFile> {
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options())?;
        numbers.clone().try_for_each(|number| writer.fill(&event(number)))?;
        RootFile::from_storage(writer.finish_into()?.1)
    };
    let inputs = [Input::open(&half(0..OLD)?), Input::open(&half(OLD..NEW)?)];
    merge_into(&inputs, disk, MergeOptions::new()).map(drop)
}

fn checkpoint(disk: Disk) -> Result<()> {
    let mut writer = Writer::<Event, _>::new(disk, "Events", options())?;
    let filled = with_checkpoints(&mut writer, 0);
    finish(filled, || writer.finish().map(drop))
}

fn with_checkpoints(writer: &mut Writer<Event, Disk>, from: u64) -> Result<()> {
    for number in from..NEW {
        writer.fill(&event(number))?;
        if number % 10 == 9 {
            writer.checkpoint_with(&State { next: number + 1 })?;
        }
    }
    Ok(())
}

fn resume(disk: Disk) -> Result<()> {
    let mut writer = Writer::<Event, _>::resume_to(disk, "Events", options())?;
    let from = writer.entry_count();
    let filled = with_checkpoints(&mut writer, from);
    finish(filled, || writer.finish().map(drop))
}

fn recover(disk: Disk) -> Result<()> {
    let broken = Disk::default();
    write(broken.clone())?;
    let mut bytes = broken.bytes();
    bytes.truncate(bytes.len() - 60);
    rntuple::recover::recover_into(bytes, disk, rntuple::recover::RecoverOptions::new()).map(drop)
}

/// All of them.
pub(super) fn operations() -> Vec<Operation> {
    let file = |count: u64| {
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options()).unwrap();
        (0..count).for_each(|number| writer.fill(&event(number)).unwrap());
        writer.finish_into().unwrap().1.into_bytes()
    };
    let stopped = || {
        let disk = Disk::default();
        let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", options()).unwrap();
        for number in 0..OLD + 7 {
            writer.fill(&event(number)).unwrap();
            if number + 1 == OLD {
                writer.checkpoint_with(&State { next: OLD }).unwrap();
            }
        }
        std::mem::forget(writer);
        disk.bytes()
    };
    let new = |name, run| Operation { name, old: Vec::new(), more_from: None, run };
    vec![
        new("write", write as fn(Disk) -> Result<()>),
        new("write, two contexts", write_parallel),
        Operation { old: file(OLD), ..new("append", append) },
        Operation { old: file(NEW), more_from: Some(0), ..new("add columns", add_columns) },
        Operation { old: file(OLD), more_from: Some(OLD), ..new("append and extend", extend) },
        new("merge", merge),
        new("write with checkpoints", checkpoint),
        Operation { old: stopped(), ..new("resume", resume) },
        new("recover", recover),
    ]
}
