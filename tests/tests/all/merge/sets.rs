//! Attribute sets: what is said of ranges of entries goes on being said of the same entries.

use std::ops::Range;

use rntuple::field::WriteField;
use rntuple::merge::{AttributePolicy, MergeOptions, merge_into};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, Entry, ErrorKind, RNTuple, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::disk::Disk;
use rntuple_tests::places::places;

use super::common::{merge, refused};

#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) number: u64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    number: u32,
    comment: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Other {
    number: u64,
    comment: String,
}

/// So many entries, and what is said of them in two sets.
pub(super) fn file(
    entries: u64,
    runs: &[(Range<u64>, u32)],
    setup: Option<u32>,
    settings: Compression,
) -> RootFile {
    let options = WriteOptions::new().compression(settings).max_page_length(32);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..entries {
        writer.fill(&Event { number }).unwrap();
    }
    let set = writer.attributes("Runs").unwrap();
    for (range, number) in runs {
        set.add(range.clone(), &Run { number: *number, comment: "x".repeat(*number as usize % 5) }).unwrap();
    }
    if let Some(number) = setup {
        writer.attributes("Setup").unwrap().add(0..0, &Run { number, comment: String::new() }).unwrap();
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

pub(super) fn rows(file: &RootFile, name: &str) -> Vec<(Range<u64>, u32)> {
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    let set = reader.attributes::<Run>(name).unwrap();
    set.entries().map(Result::unwrap).map(|row| (row.range, row.value.number)).collect()
}

fn names(file: &RootFile) -> Vec<String> {
    let dataset = Dataset::open(file, "Events").unwrap();
    dataset.attribute_sets().iter().map(|set| set.name.clone()).collect()
}

#[test]
fn rows_follow_each_other_and_speak_of_the_same_entries() {
    let many: Vec<(Range<u64>, u32)> = (0..50).map(|i| (i..2 * i, i as u32)).collect();
    for (first, second) in
        [(Compression::NONE, Compression::zstd(1)), (Compression::lz4(1), Compression::NONE)]
    {
        let a = file(100, &many, Some(7), first);
        let b = file(20, &[(0..20, 1000), (5..5, 1001)], None, second);
        let empty = file(0, &[(0..0, 2000)], None, first);
        for options in
            [MergeOptions::new(), MergeOptions::new().compression(Compression::zlib(1)).single_group(true)]
        {
            let files = [a.clone(), empty.clone(), b.clone(), a.clone(), b.clone()];
            let (summary, merged) = merge(&files, options);
            assert_eq!((summary.entries, summary.attribute_sets), (240, 2));
            let moved = |rows: &[(Range<u64>, u32)], by: u64| {
                let moved = |(range, n): &(Range<u64>, u32)| (range.start + by..range.end + by, *n);
                rows.iter().map(moved).collect::<Vec<_>>()
            };
            let b_rows = [(0..20, 1000), (5..5, 1001)];
            let wanted = [
                many.clone(),
                vec![(100..100, 2000)],
                moved(&b_rows, 100),
                moved(&many, 120),
                moved(&b_rows, 220),
            ];
            assert_eq!(rows(&merged, "Runs"), wanted.concat());
            assert_eq!(rows(&merged, "Setup"), [(0..0, 7), (120..120, 7)]);
            assert_eq!(names(&merged), ["Runs", "Setup"]);
            // Merged files are inputs like others.
            let twice = merge(&[merged.clone(), merged], MergeOptions::new()).1;
            assert_eq!(rows(&twice, "Setup"), [(0..0, 7), (120..120, 7), (240..240, 7), (360..360, 7)]);
        }
    }
}

#[test]
fn policies_keep_one_or_none() {
    let a = file(10, &[(0..10, 1)], Some(7), Compression::zstd(1));
    let b = file(10, &[(0..5, 2)], Some(7), Compression::NONE);
    let c = file(10, &[(0..5, 2)], Some(8), Compression::NONE);
    let equal = || MergeOptions::new().attributes_of("Setup", AttributePolicy::Equal);
    let (_, merged) = merge(&[a.clone(), b.clone()], equal());
    assert_eq!(rows(&merged, "Setup"), [(0..0, 7)]);
    assert_eq!(rows(&merged, "Runs"), [(0..10, 1), (10..15, 2)]);
    let error = refused(&[a.clone(), c.clone()], equal());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let wanted = "memory: Events, attribute set Setup: the rows are not those of memory: row 0 differs";
    assert_eq!(error.to_string(), wanted);
    let without = file(10, &[], None, Compression::NONE);
    for files in [[a.clone(), without.clone()], [without, a.clone()]] {
        let error = refused(&files, equal());
        assert!(error.to_string().contains("some lack it"), "{error}");
    }
    let first = MergeOptions::new().attributes(AttributePolicy::First);
    let (_, merged) = merge(&[b.clone(), a.clone(), c.clone()], first);
    assert_eq!((rows(&merged, "Runs"), rows(&merged, "Setup")), (vec![(0..5, 2)], vec![(0..0, 7)]));
    let drop =
        MergeOptions::new().attributes(AttributePolicy::Drop).attributes_of("Runs", AttributePolicy::Concat);
    let (summary, merged) = merge(&[b.clone(), a.clone()], drop);
    assert_eq!((names(&merged), summary.attribute_sets), (vec!["Runs".to_owned()], 1));
    let none = MergeOptions::new().attributes(AttributePolicy::Drop);
    let merged = merge(&[a, b], none).1;
    assert!(names(&merged).is_empty());
}

#[test]
fn sets_of_other_fields_are_refused() {
    let a = file(10, &[(0..10, 1)], None, Compression::zstd(1));
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Event { number: 1 }).unwrap();
    let row = Other { number: 1, comment: String::new() };
    writer.attributes("Runs").unwrap().add(0..1, &row).unwrap();
    let b = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let error = refused(&[a.clone(), b.clone()], MergeOptions::new());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let wanted =
        "Events, attribute set Runs: _userData.number: std::uint64_t here, but std::uint32_t in memory";
    assert!(error.to_string().contains(wanted), "{error}");
    merge(&[a, b], MergeOptions::new().attributes_of("Runs", AttributePolicy::First));
}

/// What a writer has left that was killed after its first checkpoint.
fn stopped(state: &(impl Entry + WriteField)) -> RootFile {
    let disk = Disk::default();
    let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Event { number: 1 }).unwrap();
    writer.checkpoint_with(state).unwrap();
    std::mem::forget(writer);
    RootFile::from_storage(disk.bytes()).unwrap()
}

/// Each is for the writer that resumes its own file, and they may be of different types.
#[test]
fn states_of_checkpoints_are_dropped() {
    let comment = String::new();
    let run = stopped(&Run { number: 1, comment: comment.clone() });
    let other = stopped(&Other { number: 1, comment });
    assert_eq!(names(&run), ["rntuple_checkpoint"]);
    for files in [[run.clone(), run.clone()], [run, other]] {
        let (summary, merged) = merge(&files, MergeOptions::new());
        assert_eq!((summary.entries, summary.attribute_sets), (2, 0));
        assert!(names(&merged).is_empty());
    }
}

#[test]
fn damaged_sets_do_not_panic_or_change_ranges() {
    let sound = file(4, &[(0..4, 1), (1..2, 2)], Some(3), Compression::NONE);
    let all = sound.storage().block(0..sound.end()).unwrap().to_vec();
    let wanted = rows(&merge(&[sound.clone(), sound.clone()], MergeOptions::new()).1, "Runs");
    let (places, mut noticed) = (places(all.len()), 0);
    for position in places.clone() {
        let mut bytes = all.clone();
        bytes[position] ^= 0x10;
        let Ok(damaged) = RootFile::from_storage(Memory::from(bytes)) else { continue };
        let inputs = super::common::inputs(&[sound.clone(), damaged]);
        match merge_into(&inputs, Memory::new(), MergeOptions::new()) {
            Ok((_, memory)) => assert_eq!(rows(&RootFile::from_storage(memory).unwrap(), "Runs"), wanted),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > places.len() / 5, "{noticed} of {}", places.len());
}
