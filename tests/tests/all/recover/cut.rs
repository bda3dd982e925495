//! Files that end too early.

use rntuple::Dataset;
use rntuple::schema::Locator;
use rntuple_tests::places::places;

use super::{assert_events, file, recover};

#[test]
fn as_soon_as_a_page_list_is_there_all_before_is_saved() {
    let bytes = file(35);
    let root = rntuple::RootFile::from_storage(bytes.clone()).unwrap();
    let group = Dataset::open(&root, "Events").unwrap().cluster_groups()[0].clone();
    let Locator::File { offset, size } = group.page_list else { panic!() };
    let end = (offset + size) as usize;
    for length in places(bytes.len()) {
        let result = recover(&bytes[..length]);
        if length < end {
            // Small clusters have no records of their own.
            let saved = result.map_or(0, |(recovery, _)| recovery.entries());
            assert_eq!(saved, 0, "{length}");
            continue;
        }
        let (recovery, copy) = result.unwrap();
        assert!(recovery.ntuples[0].is_complete(), "{length}: {recovery}");
        assert_events(&copy, &[0..35]);
        // The anchor is after the footer.
        let counted = recovery.ntuples[0].counted;
        assert!(counted.is_none() || counted == Some(35), "{counted:?}");
    }
}

#[test]
fn a_missing_tail_is_reported() {
    let bytes = file(35);
    let (recovery, _) = recover(&bytes[..bytes.len() / 2]).unwrap();
    assert!(!recovery.is_complete());
    assert_eq!((recovery.entries(), recovery.ntuples[0].counted), (0, None));
    assert!(recovery.unknown_bytes > 500 && recovery.unknown_records > 0, "{recovery}");
    assert!(recovery.to_string().contains("of no known cluster"), "{recovery}");
}
