//! Every moment at which a writer can be cut off.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};

use rntuple::root::FileOptions;
use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{RootFile, RootFileWriter, WriteOptions};

use super::{Event, Run, event, events, read};

/// What a disk is asked for.
#[derive(Clone, Debug)]
enum Request {
    Write(u64, Vec<u8>),
    Flush,
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

#[test]
fn whatever_was_not_flushed_may_be_lost() {
    let (requests, marks) = record("events.root");
    let mut random = 7u64;
    let mut tried = 0;
    for reached in 0..=requests.len() {
        // Between two flushes, any of the writes may be on the medium.
        let flushed = requests[..reached].iter().rposition(|request| matches!(request, Request::Flush));
        let flushed = flushed.map_or(0, |last| last + 1);
        for _ in 0..8 {
            let kept = requests[flushed..reached].iter().filter(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                random >> 63 == 0
            });
            let bytes = after(requests[..flushed].iter().chain(kept));
            // The file may be shorter than it says, if its first write is lost.
            if flushed == 0 {
                continue;
            }
            check(bytes, flushed, &marks);
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
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
