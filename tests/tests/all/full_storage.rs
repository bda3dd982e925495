//! A storage that is full: what was published stays readable, and the error says how much that is.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rntuple::parallel::Order;
use rntuple::storage::{Memory, ReadAt, WriteAt};
use rntuple::summary::Summary;
use rntuple::{
    Compression, Error, ErrorKind, ParallelWriter, RNTuple, Reader, Result, RootFile, RootFileWriter,
    WriteOptions, Writer, check,
};
use rntuple_tests::sample::{Event, samples};

/// Takes bytes up to an offset, and others never; what it has can be overwritten. So does a file system.
#[derive(Clone)]
struct Full {
    file: Arc<Mutex<Memory>>,
    limit: u64,
}

impl Full {
    fn new(limit: u64) -> Self {
        Self::of(Memory::new(), limit)
    }

    fn of(file: Memory, limit: u64) -> Self {
        Self { file: Arc::new(Mutex::new(file)), limit }
    }

    fn memory(&self) -> Memory {
        self.file.lock().unwrap().clone()
    }
}

impl WriteAt for Full {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let bytes = parts.iter().map(|part| &**part).collect::<Vec<_>>().concat();
        let room = self.limit.saturating_sub(offset).min(bytes.len() as u64) as usize;
        if room > 0 {
            self.file.lock().unwrap().write_at(offset, &[IoSlice::new(&bytes[..room])])?;
        }
        if room < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.memory().read_at(offset, buffer).map(|()| true)
    }
}

impl ReadAt for Full {
    fn size(&self) -> u64 {
        self.memory().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.memory().read_at(offset, buffer)
    }
}

const ENTRIES: usize = 300;

/// Entries of a cluster, or transaction.
const CLUSTER: usize = 10;

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

fn all() -> Vec<Event> {
    samples(ENTRIES, 1)
}

fn read(file: &Memory) -> Vec<Event> {
    let root = RootFile::from_storage(file.clone()).unwrap();
    let report = check::check_file(&root, Default::default());
    // What did not fit is still there, and nothing refers to it.
    assert!(report.faults.is_empty(), "{report:?}");
    assert_ne!(report.verdict, check::Verdict::Damaged);
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    reader.entries().collect::<Result<_>>().unwrap()
}

/// Entries that can be read, according to an error.
fn readable(error: &Error) -> Option<usize> {
    let text = error.to_string();
    let number = text.strip_suffix(" entries can be read").or(text.strip_suffix(" entry can be read"))?;
    number.rsplit(' ').next()?.parse().ok()
}

/// Writes to storages of all sizes, and checks what is there afterwards: of a storage that has room for most entries,
/// at least this part of them.
fn sweep(write: impl Fn(Full) -> Result<Summary>, least: f64, is_possible: impl Fn(&[Event]) -> bool) {
    sweep_within([0, 0], write, least, is_possible);
}

/// The same for storages that have more room than an empty ntuple needs, and less than the whole file does, by these
/// numbers of bytes.
fn sweep_within(
    margins: [u64; 2],
    write: impl Fn(Full) -> Result<Summary>,
    least: f64,
    is_possible: impl Fn(&[Event]) -> bool,
) {
    let whole = Full::new(u64::MAX);
    write(whole.clone()).unwrap();
    let size = whole.memory().size();
    let empty = Full::new(u64::MAX);
    Writer::<Event, _>::new(empty.clone(), "Events", options()).unwrap().finish().unwrap();
    let empty = empty.memory().size();
    let mut found = Vec::new();
    let limits = empty + margins[0]..size - margins[1];
    let step = (limits.end - limits.start) / 20;
    for limit in limits.step_by(step as usize) {
        let storage = Full::new(limit);
        let error = write(storage.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{limit} of {size}: {error}");
        let entries = read(&storage.memory());
        assert_eq!(readable(&error), Some(entries.len()), "{limit} of {size}: {error}");
        assert!(is_possible(&entries), "{limit} of {size}: {} entries", entries.len());
        found.push((limit, entries.len()));
    }
    assert!(found.len() >= 20);
    // Most of the bytes that there is room for are of use.
    let (limit, entries) = found[found.len() * 3 / 4];
    let share = ENTRIES as f64 * (limit - empty) as f64 / (size - empty) as f64;
    assert!(entries as f64 > share * least, "{entries} entries of about {share}");
}

#[test]
fn a_writer_keeps_the_clusters_before() {
    let entries = all();
    let write = |storage: Full| {
        let mut writer = Writer::<Event, _>::new(storage, "Events", options())?;
        for part in entries.chunks(CLUSTER) {
            // `finish` reports what is refused.
            let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
        }
        writer.finish()
    };
    sweep(write, 0.75, |found| found.len().is_multiple_of(CLUSTER) && entries.starts_with(found));
}

#[test]
fn a_writer_with_checkpoints_keeps_the_clusters_before() {
    let entries = all();
    let write = |storage: Full| {
        let mut writer = Writer::<Event, _>::new(storage, "Events", options()).unwrap();
        for part in entries.chunks(CLUSTER) {
            // A checkpoint that finds no room costs nothing but itself.
            let _ = writer.fill_all(part).and_then(|()| writer.checkpoint());
        }
        writer.finish()
    };
    let whole = Full::new(u64::MAX);
    let size = write(whole.clone()).unwrap().file_size;
    let mut lost = 0;
    for limit in (30_000..size).step_by(size as usize / 40) {
        let storage = Full::new(limit);
        let finished = write(storage.clone());
        let found = read(&storage.memory());
        assert!(found.len().is_multiple_of(CLUSTER) && entries.starts_with(&found), "{limit} of {size}");
        let said = match &finished {
            Ok(summary) => Some(summary.entries as usize),
            Err(error) => readable(error),
        };
        assert_eq!(said, Some(found.len()), "{limit} of {size}: {finished:?}");
        lost += usize::from(finished.is_err());
    }
    assert!(lost > 10, "{lost}");
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    number: u32,
}

#[test]
fn a_writer_with_attributes_keeps_the_clusters_before() {
    let entries = all();
    let write = |storage: Full| {
        let mut writer = Writer::<Event, _>::new(storage, "Events", options())?;
        let runs = writer.attributes::<Run>("Runs")?;
        for part in entries.chunks(CLUSTER) {
            let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
        }
        runs.add(0..0, &Run { number: 1 })?;
        writer.finish()
    };
    let is_possible = |found: &[Event]| found.len().is_multiple_of(CLUSTER) && entries.starts_with(found);
    // The header of the set takes room as well.
    sweep_within([3000, 0], write, 0.75, is_possible);
}

#[test]
fn the_pages_of_a_lost_cluster_make_room_for_attributes() {
    let entries = all();
    let storage = Full::new(60_000);
    let options = options().max_page_length(512).write_buffer_length(4000);
    let mut writer = Writer::<Event, _>::new(storage.clone(), "Events", options).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    writer.fill_all(&entries[..CLUSTER]).unwrap();
    writer.commit_cluster().unwrap();
    runs.add(0..10, &Run { number: 1 }).unwrap();
    let filled = entries.iter().cycle().take_while(|entry| writer.fill(entry).is_ok()).count();
    assert!(filled > CLUSTER, "{filled}");
    let error = writer.finish().unwrap_err();
    assert_eq!(readable(&error), Some(CLUSTER), "{error}");
    assert!(!error.to_string().contains("attribute"), "{error}");
    let file = storage.memory();
    assert_eq!(read(&file), entries[..CLUSTER]);
    let runs = Reader::<Event>::open(file, "Events").unwrap().attributes::<Run>("Runs").unwrap();
    let runs: Vec<_> = runs.entries().map(Result::unwrap).map(|run| (run.range, run.value)).collect();
    assert_eq!(runs, [(0..10, Run { number: 1 })]);
}

#[test]
fn an_ntuple_among_several_keeps_the_clusters_before() {
    let entries = all();
    let write = |storage: Full| {
        let file = RootFileWriter::new(storage, Default::default())?;
        let mut runs = file.writer::<Run>("Runs", options())?;
        runs.fill(&Run { number: 1 })?;
        let mut events = file.writer::<Event>("Events", options())?;
        for part in entries.chunks(CLUSTER) {
            let _ = events.fill_all(part).and_then(|()| events.commit_cluster());
        }
        let finished = events.finish();
        // There may be no room for this one, which costs the other nothing.
        let _ = runs.finish();
        file.finish()?;
        finished
    };
    let is_possible = |found: &[Event]| found.len().is_multiple_of(CLUSTER) && entries.starts_with(found);
    // The other ntuple takes room as well. Where all entries have room, what ends the file must have it too.
    sweep_within([3000, 8000], write, 0.6, is_possible);
}

#[test]
fn what_several_ntuples_write_in_turns_is_not_overwritten() {
    let entries = all();
    let whole = Full::new(u64::MAX);
    let write = |storage: Full| {
        let file = RootFileWriter::new(storage, Default::default()).unwrap();
        let mut writers = ["one", "two"].map(|path| file.writer::<Event>(path, options()).unwrap());
        for part in entries[..150].chunks(CLUSTER) {
            for writer in &mut writers {
                let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
            }
        }
        let finished = writers.map(Writer::finish);
        let ended = file.finish();
        (finished, ended.is_ok())
    };
    assert!(write(whole.clone()).1);
    let size = whole.memory().size();
    let mut readable_ntuples = 0;
    for limit in (size / 4..size).step_by(size as usize / 50) {
        let storage = Full::new(limit);
        let (finished, is_ended) = write(storage.clone());
        if !is_ended {
            continue;
        }
        let root = RootFile::from_storage(storage.memory()).unwrap();
        let report = check::check_file(&root, Default::default());
        assert!(report.faults.is_empty(), "{limit} of {size}: {report:?}");
        for (path, finished) in ["one", "two"].into_iter().zip(finished) {
            let said = match &finished {
                Ok(summary) => Some(summary.entries as usize),
                Err(error) => readable(error),
            };
            let Some(said) = said else { continue };
            let reader = Reader::<Event>::open(storage.memory(), path).unwrap();
            let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
            assert_eq!(found, entries[..said], "{limit} of {size}: {path}");
            readable_ntuples += 1;
        }
    }
    assert!(readable_ntuples > 5, "{readable_ntuples}");
}

#[test]
fn a_writer_keeps_clusters_of_all_groups() {
    let entries = all();
    let write = |storage: Full| {
        let mut writer = Writer::<Event, _>::new(storage, "Events", options())?;
        for (number, part) in entries.chunks(CLUSTER).enumerate() {
            let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
            if number % 5 == 4 {
                let _ = writer.commit_cluster_group();
            }
        }
        writer.finish()
    };
    // The clusters of a group share a page list, and are lost together.
    sweep(write, 0.5, |found| found.len().is_multiple_of(CLUSTER) && entries.starts_with(found));
}

#[test]
fn threads_keep_the_clusters_of_all() {
    let entries = all();
    let known: BTreeSet<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
    let write = |storage: Full| {
        let writer = ParallelWriter::<Event, _>::new(storage, "Events", options())?;
        let next = AtomicUsize::new(0);
        let _ = writer.scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|context| {
                    while let Some(part) = entries.chunks(CLUSTER).nth(next.fetch_add(1, Relaxed)) {
                        context.fill_all(part)?;
                        context.commit_cluster()?;
                    }
                    Ok(())
                });
            }
        });
        writer.finish()
    };
    sweep(write, 0.75, |found| {
        let texts: BTreeSet<String> = found.iter().map(|entry| format!("{entry:?}")).collect();
        texts.len() == found.len() && texts.is_subset(&known)
    });
}

#[test]
fn ordered_transactions_are_kept_whole() {
    let entries = all();
    let write = |storage: Full| {
        let writer = ParallelWriter::<Event, _>::new(storage, "Events", options())?;
        let writer = writer.ordered(Order::Transactions { first: 0 });
        let next = AtomicUsize::new(0);
        let _ = writer.scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|context| {
                    loop {
                        let key = next.fetch_add(1, Relaxed);
                        let Some(part) = entries.chunks(CLUSTER).nth(key) else { return Ok(()) };
                        let mut transaction = context.begin_ordered(key as u64)?;
                        transaction.fill_all(part)?;
                        transaction.commit()?;
                    }
                });
            }
        });
        writer.finish()
    };
    sweep(write, 0.75, |found| {
        let mut transactions = entries.chunks(CLUSTER);
        // In order, whatever is missing between them.
        found.chunks(CLUSTER).all(|transaction| transactions.any(|known| known == transaction))
    });
}

#[test]
fn without_clusters_before_the_file_is_empty_and_says_so() {
    let entries = all();
    let storage = Full::new(20_000);
    let mut writer = Writer::<Event, _>::new(
        storage.clone(),
        "Events",
        options().max_page_length(512).write_buffer_length(4000),
    )
    .unwrap();
    let filled = entries.iter().take_while(|entry| writer.fill(entry).is_ok()).count();
    assert!((10..ENTRIES - 10).contains(&filled), "{filled}");
    let error = writer.finish().unwrap_err();
    let text = error.to_string();
    let lost = format!("memory: Events: {} entries of an unfinished cluster were lost: offset ", filled + 1);
    assert!(text.starts_with(&lost), "{text}");
    assert!(text.ends_with("; 0 entries can be read"), "{text}");
    assert!(read(&storage.memory()).is_empty());
}

#[test]
fn the_last_clusters_make_room_for_the_end_of_the_file() {
    let entries = all();
    let write = |storage: Full, has_statistics: bool| {
        let options = options().statistics(has_statistics);
        let mut writer = Writer::<Event, _>::new(storage, "Events", options).unwrap();
        for part in entries[..200].chunks(CLUSTER) {
            writer.fill_all(part).unwrap();
            writer.commit_cluster().unwrap();
        }
        writer.finish()
    };
    let whole = Full::new(u64::MAX);
    write(whole.clone(), false).unwrap();
    // Statistics come after the page list, for which there is room.
    for has_statistics in [false, true] {
        // All clusters fit, and then nothing does.
        let storage = Full::new(whole.memory().size() - 1);
        let error = write(storage.clone(), has_statistics).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("made room for the end of the file"), "{text}");
        let found = read(&storage.memory());
        assert_eq!(readable(&error), Some(found.len()), "{text}");
        assert!((150..200).contains(&found.len()) && entries.starts_with(&found), "{text}");
    }
}

#[test]
fn a_resumed_writer_keeps_the_clusters_of_the_checkpoint() {
    let entries = all();
    let storage = Full::new(u64::MAX);
    let mut writer = Writer::<Event, _>::new(storage.clone(), "Events", options()).unwrap();
    for part in entries[..200].chunks(CLUSTER) {
        writer.fill_all(part).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.checkpoint().unwrap();
    drop(writer);
    let stopped = storage.memory();
    // Nothing more, clusters in the same group, and a group of their own.
    for (more, has_group) in [(0, false), (50, false), (50, true)] {
        let resume = |storage: Full| -> Result<Summary> {
            let mut writer = Writer::<Event, _>::resume_to(storage, "Events", options())?;
            if has_group {
                let _ = writer.commit_cluster_group();
            }
            for part in entries[200..200 + more].chunks(CLUSTER) {
                let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
            }
            writer.finish()
        };
        let whole = Full::of(stopped.clone(), u64::MAX);
        resume(whole.clone()).unwrap();
        let mut most = 0;
        for limit in (stopped.size()..whole.memory().size()).step_by(199) {
            let storage = Full::of(stopped.clone(), limit);
            let error = resume(storage.clone()).unwrap_err();
            let found = read(&storage.memory());
            assert!(found.len() >= 200 && entries.starts_with(&found), "{limit}: {}: {error}", found.len());
            most = most.max(found.len());
        }
        assert_eq!(most > 200, more > 0, "{most}");
    }
}

#[test]
fn what_was_in_the_file_before_stays() {
    let entries = all();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options()).unwrap();
    writer.fill_all(&entries[..100]).unwrap();
    let before = writer.finish_into().unwrap().1;
    let append = |storage: Full| -> Result<Summary> {
        let mut writer = Writer::<Event, _>::append_to(storage, "Events", options())?;
        for part in entries[100..].chunks(CLUSTER) {
            let _ = writer.fill_all(part).and_then(|()| writer.commit_cluster());
        }
        writer.finish()
    };
    let whole = Full::of(before.clone(), u64::MAX);
    append(whole.clone()).unwrap();
    let size = whole.memory().size();
    let mut most = 0;
    for limit in (before.size()..size).step_by(2999) {
        let storage = Full::of(before.clone(), limit);
        let error = append(storage.clone()).unwrap_err();
        let found = read(&storage.memory());
        assert!(found.len() >= 100 && entries.starts_with(&found), "{limit}: {}", found.len());
        match readable(&error) {
            Some(count) => assert_eq!(count, found.len(), "{error}"),
            // There was not even room for another footer.
            None => assert_eq!(found.len(), 100, "{error}"),
        }
        most = most.max(found.len());
    }
    assert!(most > 200, "{most}");
}
