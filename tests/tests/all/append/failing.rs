//! A disk that stops at any call, and loses what was not flushed: the file is the old one or the new one.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};

use rntuple::root::FileOptions;
use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{ColumnAdder, RNTuple, Result, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::sample::{Muon, samples};

use super::{append, assert_sound, open, read, write};

/// What a disk writes whole or not at all.
const SECTOR: u64 = 512;

/// Bytes behind a cache: a flush makes what is in the cache lasting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    lasting: Vec<u8>,
    cached: Vec<(u64, Vec<u8>)>,
    calls: usize,
    /// The call that fails, and all behind it.
    stop: Option<usize>,
    /// The last write that was asked for.
    last: Option<(u64, Vec<u8>)>,
}

fn put(bytes: &mut Vec<u8>, (offset, part): &(u64, Vec<u8>)) {
    let start = *offset as usize;
    bytes.resize(bytes.len().max(start + part.len()), 0);
    bytes[start..start + part.len()].copy_from_slice(part);
}

impl State {
    fn image(&self) -> Vec<u8> {
        let mut bytes = self.lasting.clone();
        self.cached.iter().for_each(|write| put(&mut bytes, write));
        bytes
    }

    fn call(&mut self) -> io::Result<()> {
        let number = self.calls;
        self.calls += 1;
        if self.stop.is_some_and(|stop| number >= stop) {
            return Err(io::Error::other("the disk has stopped"));
        }
        Ok(())
    }
}

impl Disk {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(State { lasting: bytes, ..State::default() })))
    }

    pub(crate) fn stopping_at(bytes: Vec<u8>, call: usize) -> Self {
        let disk = Self::new(bytes);
        disk.0.lock().unwrap().stop = Some(call);
        disk
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().image()
    }

    pub(crate) fn calls(&self) -> usize {
        self.0.lock().unwrap().calls
    }

    /// What may be on the disk when it comes back: of the cached writes any, each of them whole or, where it is more
    /// than a sector, in parts; of the one that failed a part.
    pub(crate) fn left(&self, old_end: u64) -> Vec<Vec<u8>> {
        let state = self.0.lock().unwrap();
        let mut images = vec![state.lasting.clone(), state.image()];
        for (number, (offset, bytes)) in state.cached.iter().enumerate() {
            let alone = (*offset, bytes.clone());
            let mut image = state.lasting.clone();
            put(&mut image, &alone);
            images.push(image);
            let mut image = state.lasting.clone();
            for other in state.cached.iter().enumerate().filter(|(other, _)| *other != number) {
                put(&mut image, other.1);
            }
            images.push(image);
        }
        if let Some((offset, bytes)) = &state.last {
            // What the old file does not reach is nobody's yet: any part of it will do. What leads to the new records
            // lies in one sector, so it is there or not.
            let parts: &[usize] = if *offset >= old_end { &[1, 3, 4] } else { &[0, 4] };
            for part in parts {
                let mut image = state.image();
                put(&mut image, &(*offset, bytes[..bytes.len() * part / 4].to_vec()));
                images.push(image);
            }
        }
        images
    }
}

impl ReadAt for Disk {
    fn size(&self) -> u64 {
        self.bytes().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.bytes().read_at(offset, buffer)
    }

    fn name(&self) -> &str {
        "disk"
    }
}

impl WriteAt for Disk {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let mut state = self.0.lock().unwrap();
        let called = state.call();
        if state.stop.is_none_or(|stop| state.calls <= stop + 1) {
            state.last = Some((offset, bytes.clone()));
        }
        called?;
        state.cached.push((offset, bytes));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        // What is flushed in vain stays in the cache.
        state.call()?;
        state.lasting = state.image();
        state.cached.clear();
        state.last = None;
        Ok(())
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.read_at(offset, buffer).map(|()| true)
    }

    fn name(&self) -> &str {
        "disk"
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct More {
    more: Vec<u16>,
}

/// Stops `work` at each of its calls, and looks at everything that may then be left.
fn stop_everywhere(path: &str, old: &[u8], columns: usize, work: impl Fn(Disk) -> Result<()>) {
    let end = open(old).end();
    let whole = Disk::new(old.to_vec());
    work(whole.clone()).unwrap();
    let (calls, new) = (whole.calls(), whole.bytes());
    assert_sound(&new);
    let (before, after): (Vec<Muon>, Vec<Muon>) = (read(old, path), read(&new, path));
    let fields =
        |bytes: &[u8]| rntuple::Dataset::open(&open(bytes), path).unwrap().schema().top_level().len();
    let (old_fields, new_fields) = (fields(old), fields(&new));
    assert!(after.len() > before.len() || new_fields == old_fields + columns && columns > 0);
    let mut found_new = 0;
    for call in 0..calls {
        let disk = Disk::stopping_at(old.to_vec(), call);
        assert!(work(disk.clone()).is_err(), "{call}");
        for image in disk.left(end) {
            let found: Vec<Muon> = read(&image, path);
            let is_new = (found.len(), fields(&image)) == (after.len(), new_fields);
            let wanted = if is_new { &after } else { &before };
            assert_eq!(&found, wanted, "call {call} of {calls}");
            assert!(is_new || fields(&image) == old_fields, "call {call} of {calls}");
            // The last write and the flush behind it.
            assert!(!is_new || call >= calls - 2, "call {call} of {calls}");
            found_new += usize::from(is_new);
            assert_sound(&image);
            if !is_new {
                let again = Disk::new(image);
                work(again.clone()).unwrap();
                assert_sound(&again.bytes());
                assert_eq!(read::<Muon>(&again.bytes(), path), after);
            }
        }
    }
    assert!(found_new > 0);
    // What leads to the new records is in one sector, each write for itself.
    let changed: Vec<u64> = (0..end).filter(|&at| old[at as usize] != new[at as usize]).collect();
    let sectors: std::collections::BTreeSet<u64> = changed.iter().map(|at| at / SECTOR).collect();
    assert!(sectors.len() <= 2, "{sectors:?}");
}

fn more_entries(path: &str) -> impl Fn(Disk) -> Result<()> {
    move |disk| {
        let mut writer = Writer::<Muon, _>::append_to(disk, path, WriteOptions::new())?;
        for part in samples::<Muon>(9, 5).chunks(3) {
            writer.fill_all(part)?;
            writer.commit_cluster()?;
        }
        writer.finish().map(drop)
    }
}

#[test]
fn entries_are_all_there_or_none() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    stop_everywhere("nt", &old, 0, more_entries("nt"));
    let twice = append(old, "nt", &samples::<Muon>(2, 2), WriteOptions::new());
    stop_everywhere("nt", &twice, 0, more_entries("nt"));
}

fn several(name: String) -> Vec<u8> {
    let file = RootFileWriter::new(rntuple::storage::Memory::new(), FileOptions::new().name(name)).unwrap();
    for path in ["nt", "a/nt", "a/b/nt"] {
        let mut writer = file.writer::<Muon>(path, WriteOptions::new()).unwrap();
        writer.fill_all(&samples(5, 1)).unwrap();
        writer.finish().unwrap();
    }
    file.finish().unwrap().into_bytes()
}

#[test]
fn the_same_holds_in_directories() {
    let old = several("short.root".to_owned());
    for path in ["nt", "a/nt", "a/b/nt"] {
        stop_everywhere(path, &old, 0, more_entries(path));
    }
}

#[test]
fn the_same_holds_for_a_root_directory_in_the_second_sector() {
    for length in [150, 254] {
        stop_everywhere("nt", &several("x".repeat(length)), 0, more_entries("nt"));
    }
}

#[test]
fn columns_are_all_there_or_none() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    let old = append(old, "nt", &samples::<Muon>(3, 2), WriteOptions::new());
    stop_everywhere("nt", &old, 1, |disk| {
        let mut adder = ColumnAdder::<More, _>::new(disk, "nt", WriteOptions::new())?;
        for k in 0..7 {
            adder.fill(&More { more: vec![k; 2] })?;
        }
        adder.finish().map(drop)
    });
}

#[test]
fn entries_and_columns_come_together() {
    let old = write("nt", &samples::<Muon>(4, 1), WriteOptions::new());
    stop_everywhere("nt", &old, 1, |disk| {
        let writer = Writer::<Muon, _>::append_to(disk, "nt", WriteOptions::new())?;
        let mut writer = writer.extend::<More>()?;
        for (muon, k) in samples::<Muon>(5, 3).iter().zip(0..) {
            writer.fill_both(muon, &More { more: vec![k; 2] })?;
        }
        writer.finish().map(drop)
    });
}
