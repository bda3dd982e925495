//! Writers that died, with checkpoints, appends, sets and several ntuples.

use rntuple::field::WriteField;
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{Entry, RNTuple, Reader, RootFile, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::disk::Disk;

use super::{assert_events, event, file, fill, recover};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    number: u32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Big {
    number: u64,
    bytes: Vec<u8>,
}

fn big(number: u64) -> Big {
    Big { number, bytes: (0..30_000).map(|at: u64| ((at * at * (number + 3)) >> 3) as u8).collect() }
}

fn options() -> WriteOptions {
    WriteOptions::new().compression(rntuple::Compression::NONE)
}

/// Clusters after the last checkpoint are saved: they are whole, though the file does not count them.
#[test]
fn what_came_after_a_checkpoint_is_saved() {
    let disk = Disk::default();
    let mut writer = Writer::<Big, _>::new(disk.clone(), "Big", options()).unwrap();
    fill(&mut writer, 0..20, 10, big);
    writer.checkpoint_with(&Run { number: 1 }).unwrap();
    fill(&mut writer, 20..47, 10, big);
    std::mem::forget(writer);
    let (recovery, file) = recover(disk.bytes()).unwrap();
    let ntuple = &recovery.ntuples[0];
    assert_eq!((ntuple.counted, &ntuple.saved[..]), (Some(20), &[0..40][..]));
    assert!(recovery.to_string().contains("20 more than it counts"), "{recovery}");
    // The state is for the writer that resumes.
    assert_eq!(file.ntuples().unwrap().len(), 1);
    assert!(rntuple::Dataset::open(&file, "Big").unwrap().attribute_sets().is_empty());
    let reader = Reader::<Big>::open(&file, "Big").unwrap();
    assert!((0..40).all(|number| reader.get(number).unwrap() == big(number)));
}

#[test]
fn an_append_that_was_never_finished_is_saved() {
    let mut writer = Writer::<Big, _>::new(Memory::new(), "Big", options()).unwrap();
    (0..15).for_each(|number| writer.fill(&big(number)).unwrap());
    let disk = Disk::new(writer.finish_into().unwrap().1.into_bytes());
    let mut writer = Writer::<Big, _>::append_to(disk.clone(), "Big", options()).unwrap();
    fill(&mut writer, 15..47, 10, big);
    std::mem::forget(writer);
    let (recovery, file) = recover(disk.bytes()).unwrap();
    assert_eq!((recovery.ntuples[0].counted, recovery.entries()), (Some(15), 40));
    let reader = Reader::<Big>::open(&file, "Big").unwrap();
    assert!((0..40).all(|number| reader.get(number).unwrap() == big(number)));
}

/// What two appends left that died, the second of which wrote less than the first.
#[test]
fn entries_of_two_writers_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.root");
    let mut writer = Writer::<Big>::create(&path, "Big", options()).unwrap();
    (0..20).for_each(|number| writer.fill(&big(number)).unwrap());
    writer.finish().unwrap();
    for (end, first) in [(50, 0), (30, 1000)] {
        let mut writer = Writer::<Big>::append(&path, "Big", options()).unwrap();
        fill(&mut writer, 20..end, 10, |number| big(number + first));
        drop(writer);
    }
    let (recovery, file) = recover(std::fs::read(&path).unwrap()).unwrap();
    let ntuple = &recovery.ntuples[0];
    assert_eq!((ntuple.counted, &ntuple.saved[..]), (Some(20), &[0..30][..]), "{recovery}");
    let reader = Reader::<Big>::open(&file, "Big").unwrap();
    assert!((20..30).all(|number| reader.get(number).unwrap() == big(number + 1000)));
}

/// Of storage that cannot be cut, the second of two writers may leave a part of what the first had written.
#[test]
fn entries_that_the_file_does_not_count_do_not_follow_a_gap() {
    let mut writer = Writer::<Big, _>::new(Memory::new(), "Big", options()).unwrap();
    (0..20).for_each(|number| writer.fill(&big(number)).unwrap());
    let disk = Disk::new(writer.finish_into().unwrap().1.into_bytes());
    for (numbers, length, first) in [(20..50, 10, 0), (20..30, 12, 1000)] {
        let mut writer = Writer::<Big, _>::append_to(disk.clone(), "Big", options()).unwrap();
        fill(&mut writer, numbers, length, |number| big(number + first));
        std::mem::forget(writer);
    }
    let (recovery, _) = recover(disk.bytes()).unwrap();
    let ntuple = &recovery.ntuples[0];
    assert_eq!((ntuple.counted, &ntuple.saved[..]), (Some(20), &[0..20][..]), "{recovery}");
    let lost: Vec<_> = ntuple.lost.iter().map(|loss| loss.entries.clone()).collect();
    assert_eq!(lost, [20..30, 30..40, 40..50]);
    assert!(recovery.to_string().contains("another writer"), "{recovery}");
}

fn with_sets() -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let mut writer = file.writer("a/Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    fill(&mut writer, 0..30, 10, event);
    runs.add(0..12, &Run { number: 1 }).unwrap();
    runs.add(12..30, &Run { number: 2 }).unwrap();
    drop(runs);
    writer.finish().unwrap();
    let mut other = file.writer("b/Other", WriteOptions::new()).unwrap();
    (0..5).for_each(|number| other.fill(&Run { number }).unwrap());
    other.finish().unwrap();
    file.finish().unwrap().into_bytes()
}

#[test]
fn all_ntuples_and_their_sets_are_saved_under_their_paths() {
    let (recovery, file) = recover(with_sets()).unwrap();
    assert!(recovery.is_complete(), "{recovery}");
    let paths: Vec<&str> = recovery.ntuples.iter().map(|ntuple| &*ntuple.path).collect();
    assert_eq!(paths, ["a/Events", "b/Other"]);
    let reader = Reader::<Run>::open(&file, "b/Other").unwrap();
    assert_eq!(reader.get(4).unwrap(), Run { number: 4 });
    let events = Reader::<super::Event>::open(&file, "a/Events").unwrap();
    let runs = events.attributes::<Run>("Runs").unwrap();
    assert_eq!(runs.attribute_count(), 2);
}

#[test]
fn sets_speak_of_entries_by_number_so_none_may_be_missing() {
    let bytes = with_sets();
    let root = RootFile::from_storage(bytes.clone()).unwrap();
    let dataset = rntuple::Dataset::open(&root, "a/Events").unwrap();
    let cluster = dataset.cluster(2).unwrap();
    let rntuple::schema::Locator::File { offset, .. } = cluster.columns[0].pages[0].locator else { panic!() };
    let mut damaged = bytes;
    damaged[offset as usize] ^= 1;
    let (recovery, file) = recover(damaged).unwrap();
    assert_eq!(recovery.ntuples[0].saved, [0..20]);
    let (name, why) = &recovery.ntuples[0].lost_sets[0];
    assert!(name == "Runs" && why.to_string().contains("by their numbers"), "{why}");
    assert!(rntuple::Dataset::open(&file, "a/Events").unwrap().attribute_sets().is_empty());
}

/// Two ntuples with the same header cannot be told apart by their page lists.
#[test]
fn twins_are_never_mixed_up() {
    let file_of = |end: bool| {
        let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
        for (path, base) in [("a/Events", 0), ("b/Events", 100)] {
            let mut writer = file.writer(path, options()).unwrap();
            fill(&mut writer, base..base + 30, 10, big);
            writer.finish().unwrap();
        }
        let mut bytes = file.finish().unwrap().into_bytes();
        if end {
            bytes.truncate(bytes.len() - 400);
        }
        bytes
    };
    for (bytes, are_known) in [(file_of(false), true), (file_of(true), false)] {
        let (recovery, file) = match recover(bytes) {
            Ok(saved) => saved,
            Err(error) => {
                assert!(!are_known && !error.to_string().contains("already"), "{error}");
                continue;
            }
        };
        for (ntuple, base) in recovery.ntuples.iter().zip([0, 100]) {
            assert!(!are_known || ntuple.entries == 30, "{recovery}");
            if ntuple.entries > 0 {
                let reader = Reader::<Big>::open(&file, &ntuple.path).unwrap();
                assert!((0..30).all(|number| reader.get(number).unwrap() == big(base + number)));
            }
        }
    }
}

/// A copy of a header takes few bytes, and a footer may have any number of columns and clusters.
#[test]
fn twins_do_not_have_one_footer() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    for path in ["a/Events", "b/Events"] {
        let mut writer = file.writer(path, options()).unwrap();
        fill(&mut writer, 0..30, 10, big);
        writer.finish().unwrap();
    }
    let mut bytes = file.finish().unwrap().into_bytes();
    // The members of an anchor are at the end of its record: version and header, the footer, the size of keys, a
    // checksum.
    let keys = RootFile::from_storage(bytes.clone()).unwrap().ntuples().unwrap();
    let members = |path: &str| {
        let key = keys.iter().find(|key| key.path() == path).unwrap();
        (key.offset + key.size) as usize - 72
    };
    let (first, second) = (members("a/Events"), members("b/Events"));
    bytes.copy_within(first + 32..first + 56, second + 32);
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[second..second + 64]);
    bytes[second + 64..second + 72].copy_from_slice(&checksum.to_be_bytes());
    let (recovery, _) = recover(bytes).unwrap();
    let found: Vec<_> = recovery.ntuples.iter().map(|ntuple| (&*ntuple.path, ntuple.entries)).collect();
    assert_eq!(found, [("a/Events", 30), ("b/Events", 0)], "{recovery}");
}

/// What two ntuples leave that are finished, in a file that is not: no directory lists them, and no anchor leads to them.
fn unlisted<T: Entry + WriteField>(second: impl Fn(u64) -> T) -> Vec<u8> {
    let disk = Disk::default();
    let file = RootFileWriter::new(disk.clone(), FileOptions::new()).unwrap();
    let mut writer = file.writer("mc/Events", options()).unwrap();
    fill(&mut writer, 0..30, 10, big);
    writer.finish().unwrap();
    let mut writer = file.writer("data/Events", options()).unwrap();
    fill(&mut writer, 0..5, 10, second);
    writer.finish().unwrap();
    std::mem::forget(file);
    disk.bytes()
}

#[test]
fn ntuples_of_one_name_whose_directories_are_lost_are_all_saved() {
    let (recovery, file) = recover(unlisted(|number| Run { number: number as u32 })).unwrap();
    let found: Vec<_> = recovery.ntuples.iter().map(|ntuple| (&*ntuple.path, ntuple.entries)).collect();
    assert_eq!(found, [("Events", 30), ("Events_2", 5)], "{recovery}");
    let first = Reader::<Big>::open(&file, "Events").unwrap();
    assert!((0..30).all(|number| first.get(number).unwrap() == big(number)));
    let second = Reader::<Run>::open(&file, "Events_2").unwrap();
    assert_eq!(second.get(4).unwrap(), Run { number: 4 });
}

/// The footer of one of them says nothing of the other.
#[test]
fn twins_to_which_no_anchor_leads_have_no_entries() {
    let (recovery, _) = recover(unlisted(|number| big(100 + number))).unwrap();
    assert_eq!(recovery.entries(), 0, "{recovery}");
    assert!(recovery.unknown_bytes > 30 * 30_000, "{recovery}");
}

/// What was recovered is a file like any other.
#[test]
fn what_was_saved_can_be_appended_to_and_recovered_again() {
    let (_, saved) = recover(file(35)).unwrap();
    let bytes = saved.storage().block(0..saved.end()).unwrap().to_vec();
    let mut writer =
        Writer::<super::Event, _>::append_to(Memory::from(bytes), "Events", WriteOptions::new()).unwrap();
    (35..50).for_each(|number| writer.fill(&event(number)).unwrap());
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    let (recovery, file) = recover(bytes).unwrap();
    assert!(recovery.is_complete());
    assert_events(&file, &[0..50]);
}
