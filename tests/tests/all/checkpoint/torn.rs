//! Writes of which a part is on the disk, into the places of earlier checkpoints.

use rntuple::storage::Memory;
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
