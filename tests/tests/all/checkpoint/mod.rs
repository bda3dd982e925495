//! What is in a file after a checkpoint, whatever becomes of its writer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

mod crashes;
mod resumed;
mod torn;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rntuple::check::{CheckOptions, check_file};
use rntuple::checkpoint::Interval;
use rntuple::parallel::Order;
use rntuple::storage::{LocalFile, Memory};
use rntuple::{
    Compression, ErrorKind, ParallelWriter, RNTuple, ReadOptions, Reader, Result, RootFile, RootFileWriter,
    WriteOptions, Writer,
};
use rntuple_tests::disk::Disk;

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    number: u32,
}

fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 5).map(|hit| hit as f32).collect() }
}

fn events(count: u64) -> Vec<Event> {
    (0..count).map(event).collect()
}

/// The entries of a file without faults.
#[track_caller]
fn read(file: &RootFile, path: &str) -> Vec<Event> {
    let report = check_file(file, CheckOptions::new());
    assert!(report.faults.is_empty(), "{report:?}");
    Reader::<Event>::open(file, path).unwrap().entries().collect::<Result<_>>().unwrap()
}

#[test]
fn each_checkpoint_opens_under_the_partial_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    fs::write(&path, "an old file").unwrap();
    let partial = LocalFile::partial(&path).unwrap();
    assert_eq!(partial.file_name().unwrap(), "events.root.partial");
    let mut writer = Writer::<Event>::create(&path, "a/Events", WriteOptions::new()).unwrap();
    for count in 0..20 {
        writer.fill(&event(count)).unwrap();
        assert_eq!(partial.exists(), count > 0);
        writer.checkpoint().unwrap();
        let entries = read(&RootFile::open(&partial).unwrap(), "a/Events");
        assert_eq!(entries, events(count + 1));
        assert_eq!(fs::read(&path).unwrap(), b"an old file");
    }
    writer.fill(&event(20)).unwrap();
    let summary = writer.finish().unwrap();
    assert_eq!((summary.checkpoints, summary.entries), (20, 21));
    assert!(summary.checkpoint_size > 20 * 500 && summary.checkpoint_time > Duration::ZERO);
    assert!(!partial.exists());
    assert_eq!(read(&RootFile::open(&path).unwrap(), "a/Events"), events(21));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn what_has_a_checkpoint_stays_when_its_writer_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let partial = LocalFile::partial(&path).unwrap();
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.checkpoint().unwrap();
    // Another writer waits until this one is gone ..
    let error = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("another writer is creating the file"), "{error}");
    assert!(Writer::<Event>::resume(&path, "Events", WriteOptions::new()).is_err());
    writer.fill(&event(1)).unwrap();
    drop(writer);
    assert_eq!(read(&RootFile::open(&partial).unwrap(), "Events"), events(1));
    // .. and then does not touch what it left.
    let options = WriteOptions::new().checkpoint_every(Interval::Entries(1));
    let error = Writer::<Event>::create(&path, "Events", options).unwrap_err();
    assert!(error.to_string().contains("which an earlier writer left: resume it"), "{error}");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    let error = writer.checkpoint().unwrap_err();
    assert!(error.to_string().contains("which an earlier writer left: resume it"), "{error}");
    writer.finish().unwrap();
    assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(1));
    assert_eq!(read(&RootFile::open(&partial).unwrap(), "Events"), events(1));
}

#[test]
fn in_place_the_file_itself_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let options = WriteOptions::new().in_place(true);
    let mut writer = Writer::<Event>::create(&path, "Events", options.clone()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.checkpoint().unwrap();
    writer.fill(&event(1)).unwrap();
    drop(writer);
    assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(1));
    let mut writer = Writer::<Event>::resume(&path, "Events", options).unwrap();
    writer.fill(&event(1)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(2));
}

/// A job that always resumes, and whose first run was killed before it wrote an entry.
#[test]
fn in_place_a_file_without_entries_is_created_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let options = || WriteOptions::new().in_place(true);
    drop(Writer::<Event>::create(&path, "Events", options()).unwrap());
    let begun = fs::read(&path).unwrap();
    // Also within the header of the file, its root directory, and the header of the ntuple.
    for length in [0, 10, 80, 150, begun.len() - 1, begun.len()] {
        let leave = || fs::write(&path, &begun[..length]).unwrap();
        leave();
        assert_eq!(RootFile::open(&path).unwrap_err().kind(), ErrorKind::Unfinished, "{length}");
        let mut writer = Writer::<Event>::resume(&path, "Events", options()).unwrap();
        writer.fill(&event(0)).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(1));
        leave();
        let (writer, state) = Writer::<Event>::resume_with::<Run>(&path, "Events", options()).unwrap();
        assert_eq!((writer.entry_count(), state), (0, None));
        drop(writer);
        leave();
        let writer = ParallelWriter::<Event>::resume(&path, "Events", options()).unwrap();
        assert_eq!(writer.finish().unwrap().entries, 0);
    }
}

#[test]
fn in_place_entries_without_a_checkpoint_are_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let options = || WriteOptions::new().in_place(true);
    let mut writer = Writer::<Event>::create(&path, "Events", options()).unwrap();
    writer.fill_all(&events(10)).unwrap();
    writer.commit_cluster().unwrap();
    drop(writer);
    let left = fs::read(&path).unwrap();
    let error = Writer::<Event>::resume(&path, "Events", options()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unfinished);
    assert!(error.to_string().contains("save what is whole with `rntuple recover`"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), left);
}

#[test]
fn an_interval_makes_checkpoints_at_the_ends_of_clusters() {
    let directory = tempfile::tempdir().unwrap();
    for (interval, at_least) in [
        (Interval::Entries(100), 2),
        (Interval::Entries(1), 4),
        (Interval::Bytes(3000), 2),
        (Interval::Time(Duration::ZERO), 4),
    ] {
        let path = directory.path().join("events.root");
        let options =
            WriteOptions::fast().compression(Compression::NONE).cluster_size(2000).checkpoint_every(interval);
        let mut writer = Writer::<Event>::create(&path, "Events", options).unwrap();
        writer.fill_all(&events(1000)).unwrap();
        let partial = RootFile::open(LocalFile::partial(&path).unwrap()).unwrap();
        let entries = read(&partial, "Events");
        assert!(!entries.is_empty() && events(1000).starts_with(&entries), "{interval:?}");
        let summary = writer.finish().unwrap();
        assert!(summary.checkpoints >= at_least, "{interval:?}: {summary:?}");
        assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(1000));
    }
}

#[test]
fn attribute_sets_are_part_of_a_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let partial = LocalFile::partial(&path).unwrap();
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    for number in 0..5u32 {
        let range = runs.begin(&writer).unwrap();
        writer.fill_all(&events(10)).unwrap();
        range.commit(&writer, &Run { number }).unwrap();
        writer.checkpoint().unwrap();
        let reader = Reader::<Event>::open(&partial, "Events").unwrap();
        let runs: Vec<_> =
            reader.attributes::<Run>("Runs").unwrap().entries().collect::<Result<_>>().unwrap();
        assert_eq!(runs.len(), number as usize + 1);
        assert_eq!(
            (runs[number as usize].value.number, runs[number as usize].range.end),
            (number, u64::from(number + 1) * 10)
        );
        let report = check_file(&RootFile::open(&partial).unwrap(), CheckOptions::new());
        assert!(report.is_sound(), "{report:?}");
    }
    drop(runs);
    writer.finish().unwrap();
    let file = RootFile::open(&path).unwrap();
    assert!(check_file(&file, CheckOptions::new()).is_sound());
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    assert_eq!(reader.attributes::<Run>("Runs").unwrap().entries().count(), 5);
}

#[test]
fn ntuples_of_one_file_have_checkpoints_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let partial = LocalFile::partial(&path).unwrap();
    let file = RootFileWriter::create(&path, rntuple::root::FileOptions::new()).unwrap();
    let mut one = file.writer::<Event>("one", WriteOptions::new()).unwrap();
    let mut two = file.writer::<Event>("sub/two", WriteOptions::new()).unwrap();
    one.fill_all(&events(3)).unwrap();
    two.fill_all(&events(5)).unwrap();
    one.checkpoint().unwrap();
    let open = || RootFile::open(&partial).unwrap();
    assert_eq!(read(&open(), "one"), events(3));
    assert_eq!(open().anchor("sub/two").unwrap_err().kind(), ErrorKind::NotFound);
    two.checkpoint().unwrap();
    one.fill(&event(3)).unwrap();
    one.checkpoint().unwrap();
    two.fill(&event(5)).unwrap();
    assert_eq!((read(&open(), "one"), read(&open(), "sub/two")), (events(4), events(5)));
    one.finish().unwrap();
    two.finish().unwrap();
    file.finish().unwrap();
    let file = RootFile::open(&path).unwrap();
    assert_eq!((read(&file, "one"), read(&file, "sub/two")), (events(4), events(6)));
    assert_eq!(file.ntuples().unwrap().len(), 2);
}

#[test]
fn an_ntuple_with_checkpoints_may_follow_another_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let options = || WriteOptions::new().checkpoint_every(Interval::Time(Duration::from_secs(600)));
    let file = RootFileWriter::create(&path, rntuple::root::FileOptions::new()).unwrap();
    let mut one = file.writer::<Event>("one", options()).unwrap();
    one.fill_all(&events(3)).unwrap();
    one.checkpoint().unwrap();
    // While the first is written, and after it.
    let mut two = file.writer::<Event>("two", options()).unwrap();
    one.finish().unwrap();
    let mut three = file.writer::<Event>("three", options()).unwrap();
    for writer in [&mut two, &mut three] {
        writer.fill_all(&events(4)).unwrap();
        writer.checkpoint().unwrap();
    }
    two.finish().unwrap();
    three.finish().unwrap();
    file.finish().unwrap();
    let file = RootFile::open(&path).unwrap();
    assert_eq!(["one", "two", "three"].map(|name| read(&file, name).len()), [3, 4, 4]);
}

#[test]
fn an_append_has_checkpoints() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events(10)).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::<Event>::append(&path, "Events", WriteOptions::new()).unwrap();
    for number in 10..30 {
        writer.fill(&event(number)).unwrap();
        writer.checkpoint().unwrap();
        assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(number + 1));
    }
    writer.fill(&event(30)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(31));
}

#[test]
fn what_is_added_to_a_file_has_no_checkpoints_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events(10)).unwrap();
    writer.finish().unwrap();
    let mut writer = Writer::<Event>::create_in(&path, "More", WriteOptions::new()).unwrap();
    writer.fill_all(&events(5)).unwrap();
    let error = writer.checkpoint().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    writer.finish().unwrap();
    let file = RootFile::open(&path).unwrap();
    assert_eq!((read(&file, "Events"), read(&file, "More")), (events(10), events(5)));
}

#[test]
fn parallel_writers_publish_whole_clusters_and_transactions() {
    for is_ordered in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.root");
        let partial = LocalFile::partial(&path).unwrap();
        let mut writer = ParallelWriter::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
        if is_ordered {
            writer = writer.ordered(Order::Transactions { first: 0 });
        }
        let (mut one, mut two) = (writer.context(), writer.context());
        if is_ordered {
            let mut later = two.begin_ordered(1).unwrap();
            later.fill(&event(1)).unwrap();
            later.commit().unwrap();
            // What it waits for is not there.
            writer.checkpoint().unwrap();
            assert_eq!(read(&RootFile::open(&partial).unwrap(), "Events"), []);
            let mut first = one.begin_ordered(0).unwrap();
            first.fill(&event(0)).unwrap();
            first.commit().unwrap();
        } else {
            one.fill(&event(0)).unwrap();
            one.commit_cluster().unwrap();
            two.fill(&event(1)).unwrap();
            writer.checkpoint().unwrap();
            assert_eq!(read(&RootFile::open(&partial).unwrap(), "Events"), events(1));
            two.commit_cluster().unwrap();
        }
        writer.checkpoint_with(&Run { number: 7 }).unwrap();
        drop((one, two));
        drop(writer);
        assert_eq!(read(&RootFile::open(&partial).unwrap(), "Events"), events(2));
        let (writer, state) =
            ParallelWriter::<Event>::resume_with::<Run>(&path, "Events", WriteOptions::new()).unwrap();
        assert_eq!(state, Some(Run { number: 7 }));
        writer.context().fill(&event(2)).unwrap();
        assert_eq!(writer.finish().unwrap().entries, 1);
        assert_eq!(read(&RootFile::open(&path).unwrap(), "Events"), events(3));
    }
}

/// A file that has its first state until it is asked for the last one.
struct Growing(Vec<Vec<u8>>, AtomicUsize);

impl Growing {
    fn now(&self) -> &Vec<u8> {
        &self.0[self.1.load(Ordering::Relaxed)]
    }
}

impl rntuple::storage::ReadAt for Growing {
    fn size(&self) -> u64 {
        self.now().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        rntuple::storage::ReadAt::read_at(self.now(), offset, buffer)
    }

    fn refresh(&self) -> std::io::Result<()> {
        self.1.store(self.0.len() - 1, Ordering::Relaxed);
        Ok(())
    }
}

/// What a file has by now is seen when it is looked for, also where two files have one name.
#[test]
fn the_last_of_two_files_with_one_name_is_followed() {
    let disk = Disk::default();
    let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", WriteOptions::new()).unwrap();
    let mut states = Vec::new();
    for number in 0..2 {
        writer.fill(&event(number)).unwrap();
        writer.checkpoint().unwrap();
        states.push(disk.bytes());
    }
    let whole = Memory::from(states[1].clone());
    let growing = Growing(states, AtomicUsize::new(0));
    let files: Vec<std::sync::Arc<dyn rntuple::storage::ReadAt>> =
        vec![std::sync::Arc::new(whole), std::sync::Arc::new(growing)];
    let files: rntuple::Files = files.into_iter().collect();
    let mut reader = Reader::<Event>::open(files, "Events").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 3);
    assert_eq!(reader.refresh().unwrap(), 4);
}

#[test]
fn another_file_in_place_of_the_last_one_is_refused() {
    let states = |numbers: std::ops::Range<u64>| -> Vec<Vec<u8>> {
        let disk = Disk::default();
        let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", WriteOptions::new()).unwrap();
        let state = |number| {
            writer.fill(&event(number)).unwrap();
            writer.checkpoint().unwrap();
            disk.bytes()
        };
        numbers.map(state).collect()
    };
    let (same, other) = (states(0..2), states(7..10).pop().unwrap());
    let (one, two) = (&same[0], &same[1]);
    for (before, now, message) in
        [(one, &other, "another file was written over it"), (two, one, "it had 2 entries and has 1")]
    {
        let growing = Growing(vec![before.clone(), now.clone()], AtomicUsize::new(0));
        let mut reader = Reader::<Event>::open(RootFile::from_storage(growing).unwrap(), "Events").unwrap();
        let error = reader.refresh().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().ends_with(message), "{error}");
    }
}

#[test]
fn the_last_file_is_followed_after_another_job_has_taken_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let [first, last] = ["first.root", "last.root"].map(|name| directory.path().join(name));
    let mut writer = Writer::<Event>::create(&first, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.finish().unwrap();
    let begin = |path: &Path, number| {
        let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
        writer.fill(&event(number)).unwrap();
        writer.checkpoint().unwrap();
        writer
    };
    let mut writer = begin(&last, 1);
    let partial = LocalFile::partial(&last).unwrap();
    let files = [first, partial.clone()];
    let mut reader = Reader::<Event>::open_with(files, "Events", ReadOptions::new().open_files(0)).unwrap();
    assert_eq!(reader.refresh().unwrap(), 2);
    writer.fill(&event(2)).unwrap();
    writer.finish().unwrap();
    // This process does not write over a file that it reads, and another job would.
    let other = directory.path().join("other.root");
    begin(&other, 7).finish().unwrap();
    fs::rename(other, partial).unwrap();
    assert_eq!(reader.refresh().unwrap(), 3);
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), events(3));
}

#[test]
fn a_reader_follows_a_running_job() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.checkpoint().unwrap();
    let mut reader = Reader::<Event>::open(LocalFile::partial(&path).unwrap(), "Events").unwrap();
    assert_eq!(reader.refresh().unwrap(), 1);
    for number in 1..40 {
        writer.fill(&event(number)).unwrap();
        assert_eq!(reader.refresh().unwrap(), number);
        writer.checkpoint().unwrap();
        assert_eq!(reader.refresh().unwrap(), number + 1);
        assert_eq!(reader.entries_in(number..number + 1).next().unwrap().unwrap(), event(number));
    }
    writer.fill(&event(40)).unwrap();
    writer.finish().unwrap();
    assert_eq!(reader.refresh().unwrap(), 41);
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), events(41));
}

#[test]
fn many_checkpoints_take_little_room() {
    let mut plain = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let mut safe = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..400 {
        for writer in [&mut plain, &mut safe] {
            writer.fill(&event(number)).unwrap();
            writer.commit_cluster().unwrap();
        }
        safe.checkpoint().unwrap();
    }
    let (plain, safe) = (plain.finish().unwrap(), safe.finish().unwrap());
    // All page lists together: 200 times as long as the last one on average, each half as long.
    assert!(safe.checkpoint_size > 400 * 2000, "{safe:?}");
    let last = safe.checkpoint_size / 200;
    assert!(safe.file_size - plain.file_size < 10 * last, "{plain:?} {safe:?}");
}

#[test]
fn checkpoints_that_cannot_be_are_refused_before_there_is_work_to_lose() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let options = || WriteOptions::new().checkpoint_every(Interval::Entries(1));
    Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap().finish().unwrap();
    let before = fs::read(&path).unwrap();
    // In a file that exists.
    let refused = Writer::<Run>::create_in(&path, "Runs", options()).unwrap_err();
    assert!(refused.to_string().contains("has no checkpoints"), "{refused}");
    let file = RootFileWriter::append(&path, rntuple::root::FileOptions::new()).unwrap();
    assert_eq!(file.writer::<Run>("Runs", options()).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(file.parallel_writer::<Run>("Runs", options()).unwrap_err().kind(), ErrorKind::Unsupported);
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), before);
    // Where an earlier writer has left what they would be called.
    let partial = LocalFile::partial(&path).unwrap();
    fs::write(&partial, "earlier work").unwrap();
    let file = RootFileWriter::create(&path, rntuple::root::FileOptions::new()).unwrap();
    let refused = file.writer::<Run>("Runs", options()).unwrap_err().to_string();
    assert!(refused.contains("events.root.partial"), "{refused}");
    file.writer::<Run>("Runs", WriteOptions::new()).unwrap().finish().unwrap();
    file.finish().unwrap();
    assert_eq!(fs::read(&partial).unwrap(), b"earlier work");
}
