//! Writes of which a part is on the disk, into the places of earlier checkpoints.

use std::io::{self, IoSlice};

use rntuple::checkpoint::Interval;
use rntuple::storage::{Memory, WriteAt};
use rntuple::{Compression, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::chain;
use rntuple_tests::disk::{Disk, Fault};

use super::{Event, event, events, read};

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

/// A checkpoint after each of these entries; those that fail are left out.
const ENTRIES: u64 = 12;

/// Whether the file was finished.
fn write(writer: Result<Writer<Event, Disk>>) -> bool {
    let Ok(mut writer) = writer else { return false };
    for number in writer.entry_count()..ENTRIES {
        if writer.fill(&event(number)).is_err() {
            return false;
        }
        let _ = writer.checkpoint();
    }
    writer.finish().is_ok()
}

fn create(disk: &Disk) -> bool {
    write(Writer::new(disk.clone(), "Events", options()))
}

fn resume(disk: &Disk) -> bool {
    write(Writer::resume_to(disk.clone(), "Events", options()))
}

fn assert_whole(bytes: Vec<u8>, at: &str) {
    chain::follow(&bytes).unwrap_or_else(|error| panic!("{at}: {error}"));
    let file = RootFile::from_storage(Memory::from(bytes)).unwrap();
    assert_eq!(read(&file, "Events"), events(ENTRIES), "{at}");
}

#[test]
fn a_writer_that_goes_on_after_a_torn_write_leaves_no_broken_record() {
    let whole = Disk::default();
    assert!(create(&whole));
    let mut finished = 0;
    for call in 0..whole.calls() {
        let disk = Disk::failing(Vec::new(), call, Fault::Short);
        if create(&disk) {
            assert_whole(disk.bytes(), &format!("torn at {call}"));
            finished += 1;
        }
    }
    // Each checkpoint has a write of records and one of what leads to them.
    assert!(finished > 2 * ENTRIES, "{finished}");
}

#[test]
fn the_next_writer_mends_what_a_killed_one_has_torn() {
    let whole = Disk::default();
    assert!(create(&whole));
    let mut resumed = 0;
    for call in 0..whole.calls() {
        let killed = Disk::stopping_at(Vec::new(), call);
        create(&killed);
        for image in killed.left() {
            let disk = Disk::new(image);
            if resume(&disk) {
                assert_whole(disk.bytes(), &format!("killed at {call}"));
                resumed += 1;
            }
        }
    }
    assert!(resumed > whole.calls(), "{resumed}");
}

/// A disk whose flushes begin at once, and fail when they end.
struct Late(Disk);

impl WriteAt for Late {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.0.write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn begin_flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end_flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Entries in small clusters, with checkpoints by hand and by themselves; returns how many entries the last one had that
/// succeeded. The process ends before the file is finished.
fn interrupted<W: WriteAt>(disk: W, finishes: bool) -> u64 {
    let options = options().checkpoint_every(Interval::Entries(3));
    let Ok(mut writer) = Writer::<Event, _>::new(disk, "Events", options) else { return 0 };
    let mut safe = 0;
    for number in 0..ENTRIES {
        if writer.fill(&event(number)).is_err() {
            break;
        }
        if number % 5 == 4 {
            if writer.checkpoint().is_ok() {
                safe = number + 1;
            }
        } else if number % 2 == 1 {
            let _ = writer.commit_cluster();
        }
    }
    if finishes {
        let _ = writer.finish();
    } else {
        std::mem::forget(writer);
    }
    safe
}

/// What a flush has lost is never led to, whoever asks for the next one.
#[test]
fn a_checkpoint_stays_when_the_flush_of_a_later_one_fails() {
    let (mut calls, mut kept) = (0, 0);
    for call in 0.. {
        for (is_late, finishes) in [(false, false), (true, false), (false, true), (true, true)] {
            let disk = Disk::failing(Vec::new(), call, Fault::LostCache);
            let safe = match is_late {
                true => interrupted(Late(disk.clone()), finishes),
                false => interrupted(disk.clone(), finishes),
            };
            calls = calls.max(disk.calls());
            let Ok(file) = RootFile::from_storage(Memory::from(disk.lasting())) else {
                assert_eq!(safe, 0, "{call}");
                continue;
            };
            let found = read(&file, "Events");
            assert_eq!(found, events(found.len() as u64), "{call}");
            assert!(found.len() as u64 >= safe, "{call}: {} of {safe}", found.len());
            kept += u64::from(safe > 0);
        }
        if call > calls {
            break;
        }
    }
    assert!(kept > 40, "{kept}");
}
