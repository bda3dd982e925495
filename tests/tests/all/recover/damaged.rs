//! Bytes that a medium has changed.

use rntuple::recover::{RecoverOptions, recover_into};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Dataset, ErrorKind, RootFile};
use rntuple_tests::counting::Counting;
use rntuple_tests::places::places;

use super::{assert_events, file, recover};

fn page_of(bytes: &[u8], cluster: u64, field: &str) -> usize {
    let file = RootFile::from_storage(bytes.to_vec()).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let schema = dataset.schema().clone();
    let column = schema.representations(schema.find(field).unwrap())[0][0];
    let cluster = dataset.cluster(cluster).unwrap();
    let Locator::File { offset, .. } = cluster.columns[column.index()].pages[0].locator else { panic!() };
    offset as usize
}

#[test]
fn a_sound_file_is_copied() {
    let bytes = file(35);
    let (recovery, copy) = recover(bytes.clone()).unwrap();
    let events = &recovery.ntuples[0];
    assert!(recovery.is_complete() && events.lost.is_empty());
    assert_eq!((events.entries, events.clusters, events.counted), (35, 4, Some(35)));
    assert_eq!((&*events.path, &events.saved[..]), ("Events", &[0..35][..]));
    assert_events(&copy, &[0..35]);
}

#[test]
fn clusters_around_a_damaged_page_are_saved() {
    let mut bytes = file(35);
    let place = page_of(&bytes, 1, "hits");
    bytes[place] ^= 0x40;
    let (recovery, copy) = recover(bytes).unwrap();
    let events = &recovery.ntuples[0];
    assert!(!recovery.is_complete());
    assert_eq!(events.saved, [0..10, 20..35]);
    assert_eq!((events.lost.len(), events.lost_entries()), (1, 10));
    assert_eq!(events.lost[0].entries, 10..20);
    let fault = events.lost[0].faults[0].location();
    assert_eq!((fault.field.as_deref(), fault.offset), (Some("hits"), Some(place as u64)));
    assert_events(&copy, &[0..10, 20..35]);
    let text = recovery.to_string();
    assert!(text.contains("Events: 25 entries saved in 3 clusters\n  entries 10 to 20 are lost\n"), "{text}");
}

/// Whatever byte is damaged, what is saved is right, and what is not is said to be lost.
#[test]
fn no_damage_changes_what_is_saved() {
    let bytes = file(35);
    let mut counts = std::collections::BTreeMap::<u64, u32>::new();
    let places = places(bytes.len());
    for place in places.clone() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let (recovery, copy) = match recover(damaged) {
            Ok(recovered) => recovered,
            // Only the header of the ntuple is there once.
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::NotFound, "{place}: {error}");
                *counts.entry(0).or_default() += 1;
                continue;
            }
        };
        let events = &recovery.ntuples[0];
        assert_events(&copy, &events.saved);
        assert_eq!(events.entries + events.lost_entries(), 35, "{place}: {recovery}");
        *counts.entry(events.entries).or_default() += 1;
    }
    // Bytes of pages cost a cluster, those of the only page list all.
    let share = |entries| f64::from(counts[&entries]) / places.len() as f64;
    assert!(share(35) > 0.1 && share(25) > 0.2 && share(30) > 0.02, "{counts:?} of {}", places.len());
    assert!(counts.keys().all(|entries| [0, 25, 30, 35].contains(entries)), "{counts:?}");
}

#[test]
fn sectors_of_zeros_are_survived() {
    let bytes = file(60);
    for start in (0..bytes.len()).step_by(64) {
        let mut damaged = bytes.clone();
        let end = (start + 512).min(bytes.len());
        damaged[start..end].fill(0);
        if let Ok((recovery, copy)) = recover(damaged) {
            let events = &recovery.ntuples[0];
            assert_events(&copy, &events.saved);
            // Without page list and footer, no one knows how many there were.
            let all = events.entries + events.lost_entries();
            assert!(all == 60 || all == 0 && events.counted.is_none(), "{start}");
        }
    }
}

#[test]
fn what_is_no_ntuple_is_refused() {
    for bytes in [vec![], b"root".to_vec(), vec![0; 5000], b"\x05RBlob".repeat(1000)] {
        assert_eq!(recover(bytes).unwrap_err().kind(), ErrorKind::NotFound);
    }
}

/// Records that all claim to end at one place, where nothing begins, so that each is followed through the same bytes.
#[test]
fn records_that_overlap_are_not_followed_without_end() {
    const RECORDS: usize = 300;
    const CHUNKS: usize = 3000;
    // A key, and the header of a chunk that ends where the other chunks begin.
    let record = 34 + 9;
    let chunks = 100 + RECORDS * record;
    let end = chunks + 9 * CHUNKS;
    let mut bytes = vec![0u8; 100];
    for number in 0..RECORDS {
        let offset = bytes.len();
        bytes.extend(((end - offset) as u32).to_be_bytes());
        bytes.extend([0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 34, 0, 1]);
        bytes.extend((offset as u32).to_be_bytes());
        bytes.extend([0, 0, 0, 100]);
        bytes.extend(b"\x05RBlob\0\0");
        let size = (RECORDS - number - 1) * record;
        bytes.extend([0; 3]);
        bytes.extend(&(size as u32).to_le_bytes()[..3]);
        bytes.extend([1, 0, 0]);
    }
    for _ in 0..CHUNKS {
        bytes.extend([0, 0, 0, 0, 0, 0, 1, 0, 0]);
    }
    assert_eq!(bytes.len(), end);
    bytes.extend([1; 200]);
    let file = Counting::new(Memory::from(bytes));
    let error = recover_into(file.clone(), Memory::new(), RecoverOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let reads = file.take_reads().len();
    assert!(reads < 10_000, "{reads} reads");
}

#[test]
fn the_damaged_file_is_not_touched_and_no_other_without_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bytes = file(20);
    std::fs::write(path("a.root"), &bytes[..bytes.len() - 10]).unwrap();
    std::fs::write(path("other.root"), "mine").unwrap();
    let recover = |out: &str, overwrite| {
        let options = RecoverOptions::new().overwrite(overwrite);
        rntuple::recover::recover_file(path("a.root"), path(out), options)
    };
    assert!(recover("a.root", true).is_err());
    assert!(recover("other.root", false).is_err());
    assert_eq!(std::fs::read(path("other.root")).unwrap(), b"mine");
    recover("new.root", false).unwrap();
    recover("other.root", true).unwrap();
    assert_eq!(std::fs::read(path("a.root")).unwrap(), bytes[..bytes.len() - 10]);
    assert_events(&RootFile::open(path("other.root")).unwrap(), &[0..20]);
    // Nothing else is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}
