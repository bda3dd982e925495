//! Clusters without a page list, as of a ROOT job that died: what their pages alone say.

use rntuple::recover::{RecoverOptions, Recovery};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, RNTuple, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::died::{blob, died};

use super::{Event, assert_events, event, file, fill, recover_with, values};

fn deduce(bytes: Vec<u8>) -> Result<(Recovery, RootFile)> {
    recover_with(bytes, RecoverOptions::new().deduce(true))
}

#[test]
fn the_order_of_the_pages_says_which_columns_they_are_of() {
    for compression in [Compression::NONE, Compression::lz4(1), Compression::zstd(5)] {
        for length in [16, 40, 4096] {
            let options = WriteOptions::new().compression(compression).max_page_length(length);
            let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
            fill(&mut writer, 0..333, 100, event);
            let bytes = writer.finish_into().unwrap().1.into_bytes();
            let died = died(&bytes, |_, _| ());
            let (plain, _) = recover_with(died.clone(), RecoverOptions::new()).unwrap();
            assert_eq!((plain.entries(), plain.unknown_records), (0, 4));
            let (recovery, copy) = deduce(died).unwrap();
            assert_eq!(recovery.ntuples[0].deduced, [0..333], "{compression} {length}: {recovery}");
            assert!(recovery.is_complete(), "{recovery}");
            assert!(recovery.to_string().contains("entries 0 to 333: which pages"), "{recovery}");
            assert_events(&copy, &[0..333]);
        }
    }
}

/// One that is not whole cannot be deduced, and those after it have lower numbers.
#[test]
fn damaged_and_missing_pages_cost_their_cluster() {
    type Change = fn(&mut Vec<Vec<u8>>);
    let changes: [Change; 4] = [
        |pages| pages[3][0] ^= 1,
        |pages| drop(pages.remove(2)),
        |pages| drop(pages.pop()),
        |pages| pages.push(pages[0].clone()),
    ];
    for change in changes {
        let died = died(&file(30), |number, pages| {
            if number == 1 {
                change(pages)
            }
        });
        let (recovery, copy) = deduce(died).unwrap();
        assert_eq!(recovery.ntuples[0].deduced, [0..20], "{recovery}");
        assert_eq!((recovery.unknown_records, recovery.not_deduced.len()), (1, 1));
        assert!(!recovery.is_complete());
        assert_events(&copy, &[0..10, 20..30]);
    }
}

#[test]
fn the_record_that_was_being_written_is_not_looked_at() {
    let died = died(&file(30), |_, _| ());
    let (recovery, copy) = deduce(died[..died.len() - 1].to_vec()).unwrap();
    assert_eq!(recovery.ntuples[0].deduced, [0..20]);
    assert!(recovery.not_deduced[0].to_string().contains("cut short"), "{recovery}");
    assert_events(&copy, &[0..20]);
}

/// Where the footer counts entries, what was deduced must come to as many.
#[test]
fn gaps_are_filled_exactly_or_not_at_all() {
    let bytes = file(30);
    let root = RootFile::from_storage(bytes.clone()).unwrap();
    let footer = Dataset::open(&root, "Events").unwrap().anchor().footer;
    let stored = &bytes[footer.offset as usize..(footer.offset + footer.size) as usize];
    let with_footer = |mut died: Vec<u8>| {
        died.extend(blob(died.len(), stored, footer.length as usize));
        // Its page list is not where it was.
        deduce(died).unwrap()
    };
    let (recovery, copy) = with_footer(died(&bytes, |_, _| ()));
    assert_eq!((&recovery.ntuples[0].deduced[..], recovery.ntuples[0].counted), (&[0..30][..], Some(30)));
    assert_eq!(values(&copy, "Events"), values(&root, "Events"));
    let (recovery, _) = with_footer(died(&bytes, |number, pages| {
        if number == 0 {
            pages[0][0] ^= 1
        }
    }));
    assert_eq!((recovery.entries(), recovery.ntuples[0].lost_entries()), (0, 30), "{recovery}");
}

#[derive(RNTuple, Clone, Copy)]
struct Flags {
    first: bool,
    second: bool,
}

/// 9 entries take two bytes of each column, and so do 16.
#[test]
fn what_fits_in_two_ways_is_not_saved() {
    let mut writer = Writer::<Flags, _>::new(Memory::new(), "Flags", WriteOptions::new()).unwrap();
    (0..12).for_each(|n| writer.fill(&Flags { first: n % 3 == 1, second: n % 3 == 2 }).unwrap());
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    let (recovery, _) = deduce(died(&bytes, |_, _| ())).unwrap();
    assert_eq!(recovery.entries(), 0);
    assert!(recovery.not_deduced[0].to_string().contains("in more than one way"), "{recovery}");
}

/// Each record says that it reaches almost to the end of the file, over all that follow.
#[test]
fn records_that_overlap_are_not_all_looked_at() {
    let mut bytes = died(&file(30), |_, _| ());
    let end = bytes.len() + 64_000;
    while bytes.len() < end - 100 {
        let fake = blob(bytes.len(), &vec![1; end - bytes.len() - 50], 64_000);
        bytes.extend(&fake[..64]);
    }
    bytes.resize(end, 1);
    let (recovery, copy) = deduce(bytes).unwrap();
    assert_eq!(recovery.ntuples[0].deduced, [0..30]);
    assert_events(&copy, &[0..30]);
    let failures: Vec<_> = recovery.not_deduced.iter().map(ToString::to_string).collect();
    assert!(failures.last().unwrap().contains("the records overlap"), "{failures:?}");
}
