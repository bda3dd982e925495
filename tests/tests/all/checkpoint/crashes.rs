//! Every moment at which a writer can be cut off.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};

use rntuple::check::{CheckOptions, check_file};
use rntuple::checkpoint::Interval;
use rntuple::root::FileOptions;
use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{Compression, RootFile, RootFileWriter, WriteOptions, Writer};

use super::{Event, Run, event, events, read};

/// What a disk is asked for.
#[derive(Clone, Debug)]
enum Request {
    Write(u64, Vec<u8>),
    Flush,
    /// Begins a flush of what was written before.
    Begin,
    /// The flush that was begun is over.
    End,
}

/// A storage that remembers all requests.
#[derive(Clone, Default)]
struct Recorder {
    requests: Arc<Mutex<Vec<Request>>>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

fn write(bytes: &mut Vec<u8>, offset: u64, part: &[u8]) {
    let start = usize::try_from(offset).unwrap();
    if bytes.len() < start + part.len() {
        bytes.resize(start + part.len(), 0);
    }
    bytes[start..start + part.len()].copy_from_slice(part);
}

impl WriteAt for Recorder {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let part = parts.iter().flat_map(|part| part.iter().copied()).collect::<Vec<u8>>();
        write(&mut self.bytes.lock().unwrap(), offset, &part);
        self.requests.lock().unwrap().push(Request::Write(offset, part));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.requests.lock().unwrap().push(Request::Flush);
        Ok(())
    }

    fn begin_flush(&mut self) -> io::Result<()> {
        self.requests.lock().unwrap().push(Request::Begin);
        Ok(())
    }

    fn end_flush(&mut self) -> io::Result<()> {
        let mut requests = self.requests.lock().unwrap();
        if requests
            .iter()
            .rev()
            .find(|request| !matches!(request, Request::Write(..)))
            .is_some_and(|last| matches!(last, Request::Begin))
        {
            requests.push(Request::End);
        }
        Ok(())
    }
}

impl ReadAt for Recorder {
    fn size(&self) -> u64 {
        self.bytes.lock().unwrap().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.bytes.lock().unwrap().read_at(offset, buffer)
    }
}

/// Checkpoints: how many requests there were, and how many entries count.
type Marks = Vec<(usize, u64)>;

fn record(name: &str) -> (Vec<Request>, Marks) {
    let storage = Recorder::default();
    let count = || storage.requests.lock().unwrap().len();
    let mut marks = vec![];
    let file = RootFileWriter::new(storage.clone(), FileOptions::new().name(name)).unwrap();
    let mut writer = file.writer::<Event>("Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    for number in 0..12 {
        writer.fill(&event(number)).unwrap();
        runs.add(number..number + 1, &Run { number: 1 }).unwrap();
        if number % 3 == 2 {
            writer.commit_cluster().unwrap();
        }
        if number % 2 == 1 {
            writer.checkpoint_with(&Run { number: 3 }).unwrap();
            marks.push((count(), number + 1));
        }
    }
    writer.fill(&event(12)).unwrap();
    drop(runs);
    writer.finish().unwrap();
    file.finish().unwrap();
    marks.push((count(), 13));
    let requests = storage.requests.lock().unwrap().clone();
    (requests, marks)
}

/// What the file has after the requests that reached the medium.
fn after<'a>(requests: impl IntoIterator<Item = &'a Request>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for request in requests {
        if let Request::Write(offset, part) = request {
            write(&mut bytes, *offset, part);
        }
    }
    bytes
}

/// The file is that of the last checkpoint, or of the next one.
#[track_caller]
fn check(bytes: Vec<u8>, reached: usize, marks: &Marks) -> u64 {
    let before = marks.iter().rfind(|(count, _)| *count <= reached).map(|mark| mark.1);
    let next = marks.iter().find(|(count, _)| *count > reached).map(|mark| mark.1);
    let file = match (RootFile::from_storage(bytes), before) {
        (Err(_), None) => return 0,
        (file, _) => file.unwrap(),
    };
    let entries = read(&file, "Events");
    let count = entries.len() as u64;
    assert!(Some(count) == before || Some(count) == next, "{count}: {before:?} {next:?}");
    assert_eq!(entries, events(count));
    count
}

#[test]
fn after_each_request_a_checkpoint_opens() {
    // With the long one, the root directory is not in the first sector.
    for name in ["events.root", &"n".repeat(250)] {
        let (requests, marks) = record(name);
        let mut seen = std::collections::BTreeSet::new();
        for reached in 0..=requests.len() {
            seen.insert(check(after(&requests[..reached]), reached, &marks));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10, 12, 13]);
    }
}

/// How many of the first requests are on the medium for certain.
fn flushed(requests: &[Request]) -> usize {
    let last = requests.iter().rposition(|request| matches!(request, Request::Flush | Request::End));
    match last {
        None => 0,
        Some(last) if matches!(requests[last], Request::Flush) => last + 1,
        // What came while it was at work need not be.
        Some(last) => requests[..last].iter().rposition(|request| matches!(request, Request::Begin)).unwrap(),
    }
}

/// Loses any of the writes that were not flushed, several times after each request.
fn lose_any(requests: &[Request], mut check: impl FnMut(Vec<u8>, usize)) {
    let mut random = 7u64;
    let mut tried = 0;
    for reached in 0..=requests.len() {
        let flushed = flushed(&requests[..reached]);
        // The file may be shorter than it says, if its first write is lost.
        if flushed == 0 {
            continue;
        }
        for _ in 0..8 {
            let kept = requests[flushed..reached].iter().filter(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                random >> 63 == 0
            });
            check(after(requests[..flushed].iter().chain(kept)), flushed);
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn whatever_was_not_flushed_may_be_lost() {
    let (requests, marks) = record("events.root");
    lose_any(&requests, |bytes, flushed| {
        check(bytes, flushed, &marks);
    });
}

/// Checkpoints that come of their own accord are flushed while the next cluster is filled: at most one cluster more is
/// lost.
#[test]
fn checkpoints_may_come_one_cluster_late() {
    let storage = Recorder::default();
    let options = WriteOptions::new().checkpoint_every(Interval::Entries(1));
    let mut writer = Writer::<Event, _>::new(storage.clone(), "Events", options).unwrap();
    let mut clusters = vec![];
    for number in 0..30 {
        writer.fill(&event(number)).unwrap();
        if number % 2 == 1 {
            writer.commit_cluster().unwrap();
            clusters.push((storage.requests.lock().unwrap().len(), number + 1));
            if number == 15 {
                // This one is waited for.
                writer.fill(&event(16)).unwrap();
                writer.checkpoint().unwrap();
                clusters.push((storage.requests.lock().unwrap().len(), 17));
                assert_eq!(read(&RootFile::from_storage(storage.clone()).unwrap(), "Events"), events(17));
                (17..18).for_each(|number| writer.fill(&event(number)).unwrap());
                writer.commit_cluster().unwrap();
                clusters.push((storage.requests.lock().unwrap().len(), 18));
                break;
            }
        }
    }
    for number in 18..30 {
        writer.fill(&event(number)).unwrap();
        writer.commit_cluster().unwrap();
        clusters.push((storage.requests.lock().unwrap().len(), number + 1));
    }
    let summary = writer.finish().unwrap();
    // The one that was asked for came after one for its cluster.
    assert_eq!(summary.checkpoints as usize, clusters.len() + 1);
    let requests = storage.requests.lock().unwrap().clone();
    let begun = requests.iter().filter(|request| matches!(request, Request::Begin)).count();
    assert!(begun >= clusters.len() - 3, "{begun}");
    clusters.push((requests.len(), 30));
    let at_most_one_late = |bytes: Vec<u8>, reached: usize| {
        let ended = clusters.iter().filter(|(count, _)| *count <= reached).count();
        let file = match RootFile::from_storage(bytes) {
            Err(_) if ended == 0 => return,
            file => file.unwrap(),
        };
        let entries = read(&file, "Events");
        let count = entries.len() as u64;
        assert_eq!(entries, events(count));
        let allowed: Vec<u64> =
            clusters[ended.saturating_sub(2)..].iter().take(3).map(|cluster| cluster.1).collect();
        assert!(allowed.contains(&count), "{count} of {allowed:?} after {reached} requests");
    };
    // As a process sees it that is killed after any request ..
    for reached in 0..=requests.len() {
        at_most_one_late(after(&requests[..reached]), reached);
    }
    // .. and as the medium has it, if the power fails: what was flushed in vain is one more that may be missing.
    let mut counts = std::collections::BTreeSet::new();
    lose_any(&requests, |bytes, _| {
        let Ok(file) = RootFile::from_storage(bytes) else { return };
        let entries = read(&file, "Events");
        assert_eq!(entries, events(entries.len() as u64));
        counts.insert(entries.len());
    });
    assert!(counts.len() > 15, "{counts:?}");
    // Nothing is left of the checkpoints.
    let whole = RootFile::from_storage(after(&requests)).unwrap();
    assert_eq!(read(&whole, "Events"), events(30));
    let report = check_file(&whole, CheckOptions::new());
    assert!(report.is_sound(), "{report:?}");
}

/// A checkpoint that leads to the new anchor of a finished ntuple may be lost: the old one is not overwritten before.
#[test]
fn a_finished_ntuple_survives_the_checkpoints_of_another_one() {
    let storage = Recorder::default();
    let file = RootFileWriter::new(storage.clone(), FileOptions::new()).unwrap();
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut one = file.writer::<Event>("one", options.clone()).unwrap();
    let mut two = file.writer::<Event>("two", options.checkpoint_every(Interval::Entries(1))).unwrap();
    // Many clusters, so that its place has room for each checkpoint of the other.
    for number in 0..30 {
        one.fill(&event(number)).unwrap();
        one.commit_cluster().unwrap();
    }
    one.checkpoint().unwrap();
    for number in 0..2 {
        two.fill(&event(number)).unwrap();
        two.commit_cluster().unwrap();
    }
    one.finish().unwrap();
    let safe = storage.requests.lock().unwrap().len();
    for number in 2..14 {
        two.fill(&event(number)).unwrap();
        two.commit_cluster().unwrap();
    }
    two.finish().unwrap();
    file.finish().unwrap();
    let requests = storage.requests.lock().unwrap().clone();
    lose_any(&requests, |bytes, flushed| {
        if flushed < safe {
            return;
        }
        let file = RootFile::from_storage(bytes).unwrap();
        assert_eq!(read(&file, "one"), events(30));
        let found = read(&file, "two");
        assert_eq!(found, events(found.len() as u64));
    });
}

#[test]
fn writes_that_lead_to_a_checkpoint_cannot_tear() {
    let (requests, marks) = record("events.root");
    for (number, request) in requests.iter().enumerate() {
        let Request::Write(offset, part) = request else { continue };
        // What is overwritten and counts is in the first sector.
        if *offset == 0 {
            assert!(part.len() <= 512, "{}", part.len());
            continue;
        }
        // Elsewhere a write may end anywhere.
        for cut in [part.len() / 3, part.len() - 1] {
            let torn = Request::Write(*offset, part[..cut].to_vec());
            check(after(requests[..number].iter().chain([&torn])), number, &marks);
        }
    }
}
