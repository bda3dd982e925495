//! Attribute sets of files of which only some entries are merged.

use std::ops::Range;

use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, EntryList, Error, ErrorKind, RootFile, WriteOptions, Writer};
use rntuple_tests::places::places;

use super::common::assert_sound;
use super::sets::{Event, file, rows};

/// Entries of a file, without attribute sets.
fn part(numbers: impl IntoIterator<Item = u64>) -> RootFile {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    numbers.into_iter().for_each(|number| writer.fill(&Event { number }).unwrap());
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

/// Another file, and what is left of one, in two parts.
fn merge(whole: &RootFile, left: &EntryList, options: MergeOptions<'_>) -> Result<RootFile, Error> {
    let other = file(5, &[(1..3, 9)], Some(9), Compression::NONE);
    let half = left.entry_count() / 2;
    let [first, last] =
        [left.iter().take(half as usize).collect::<Vec<_>>(), left.iter().skip(half as usize).collect()];
    let first = Input::open(&part(first)).with_sets_of(&Dataset::open(whole, "Events")?, left.clone());
    let inputs = [Input::open(&other), first, Input::open(&part(last))];
    let (_, memory): (_, Memory) = merge_into(&inputs, Memory::new(), options)?;
    RootFile::from_storage(memory)
}

#[test]
fn ranges_have_what_is_left_of_them() {
    // Over several pages; the lengths of some fill a page, and are the same.
    let runs: Vec<(Range<u64>, u32)> =
        (0..60).map(|i| (i..(2 * i).min(100), i as u32)).chain((0..90).map(|i| (i..i + 10, 7))).collect();
    let lists: [EntryList; 4] =
        [(0..100).into(), (0..0).into(), [10..20, 50..51, 99..100].into_iter().collect(), (60..90).into()];
    for settings in [Compression::NONE, Compression::zstd(1)] {
        let whole = file(100, &runs, Some(3), settings);
        for left in &lists {
            let rank = |entry: u64| 5 + left.iter().filter(|left| *left < entry).count() as u64;
            let wanted: Vec<(Range<u64>, u32)> =
                runs.iter().map(|(range, run)| (rank(range.start)..rank(range.end), *run)).collect();
            for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::lz4(1))] {
                let merged = merge(&whole, left, options).unwrap();
                assert_sound(&merged);
                assert_eq!(rows(&merged, "Runs"), [&[(1..3, 9)], &wanted[..]].concat());
                assert_eq!(rows(&merged, "Setup"), [(0..0, 9), (5..5, 3)]);
            }
        }
    }
}

#[test]
fn entries_must_follow() {
    let whole = file(10, &[(0..10, 1)], None, Compression::NONE);
    let input = Input::open(&part(0..3)).with_sets_of(&Dataset::open(&whole, "Events").unwrap(), 0..5);
    let error = merge_into(&[input], Memory::new(), MergeOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "attribute sets are about 2 entries that do not follow");
}

#[test]
fn damaged_sets_do_not_panic_or_change_ranges() {
    let sound = file(4, &[(0..4, 1), (1..2, 2)], Some(3), Compression::NONE);
    let left: EntryList = [0..1, 2..4].into_iter().collect();
    let wanted = rows(&merge(&sound, &left, MergeOptions::new()).unwrap(), "Runs");
    let all = sound.storage().block(0..sound.end()).unwrap().to_vec();
    let (places, mut noticed) = (places(all.len()), 0);
    for position in places.clone() {
        let mut bytes = all.clone();
        bytes[position] ^= 0x10;
        let damaged = RootFile::from_storage(Memory::from(bytes));
        match damaged.and_then(|damaged| merge(&damaged, &left, MergeOptions::new())) {
            Ok(merged) => assert_eq!(rows(&merged, "Runs"), wanted),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > places.len() / 5, "{noticed} of {}", places.len());
}
