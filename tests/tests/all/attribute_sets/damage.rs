//! Damaged files get an error and nothing else.

use rntuple::ErrorKind;
use rntuple::schema::Locator;
use rntuple_tests::places::places;

use super::*;

fn small(options: WriteOptions) -> Vec<u8> {
    let mut writer = writer(options);
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 3);
    runs.add(0..2, &info(1)).unwrap();
    runs.add(1..3, &info(2)).unwrap();
    writer.finish_into().unwrap().1.into_bytes()
}

/// All attributes, those of an entry, and whether the checker has nothing to say.
fn contents(bytes: Vec<u8>) -> Option<Vec<Attribute<RunInfo>>> {
    let file = RootFile::from_storage(Memory::from(bytes)).ok()?;
    let is_sound = check_file(&file, CheckOptions::new()).faults.is_empty();
    let reader = Reader::<Event>::open(&file, "Events").ok()?;
    let runs = reader.attributes::<RunInfo>("runs").ok()?;
    let one: Result<Vec<_>, _> = runs.covering(0).collect();
    let mut all: Vec<_> = runs.entries().collect::<Result<_, _>>().ok()?;
    all.extend(one.ok()?);
    is_sound.then_some(all)
}

#[test]
fn no_prefix_and_no_flipped_byte_panics_or_lies() {
    let bytes = small(WriteOptions::new());
    let sound = contents(bytes.clone()).unwrap();
    assert_eq!(sound, [said(0..2, 1), said(1..3, 2), said(0..2, 1)]);
    for length in places(bytes.len()) {
        assert_eq!(contents(bytes[..length].to_vec()), None, "cut at {length}");
    }
    for position in places(bytes.len()) {
        for mask in [0x01, 0x80] {
            let mut damaged = bytes.clone();
            damaged[position] ^= mask;
            if let Some(found) = contents(damaged) {
                assert_eq!(found, sound, "byte {position} flipped by {mask:#x}");
            }
        }
    }
}

/// The footer again, changed and with a checksum that is right.
fn with_footer(change: impl FnOnce(&mut [u8])) -> RootFile {
    let mut bytes = small(WriteOptions::new().compression(rntuple::Compression::NONE));
    let file = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
    let footer = Dataset::open(&file, "Events").unwrap().anchor().footer;
    let range = footer.offset as usize..(footer.offset + footer.length) as usize;
    let body = range.start..range.end - 8;
    change(&mut bytes[body.clone()]);
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[body.clone()]);
    bytes[body.end..range.end].copy_from_slice(&checksum.to_le_bytes());
    RootFile::from_storage(Memory::from(bytes)).unwrap()
}

/// From the end: version (2 + 2), length (4), locator (4 + 8), name (4 + 4).
const RECORD: usize = 28;

#[test]
fn a_set_of_another_major_version_hides_itself_alone() {
    for (at, value, is_readable) in [(0, 2, false), (0, 0, false), (2, 9, true)] {
        let file = with_footer(|footer| {
            let start = footer.len() - RECORD;
            footer[start + at] = value;
        });
        let reader = open(&file, "Events");
        assert_eq!(reader.entries().filter(Result::is_ok).count(), 3);
        let set = reader.attributes::<RunInfo>("runs");
        match set {
            Ok(set) => assert!(is_readable && set.attribute_count() == 2),
            Err(error) => {
                assert!(!is_readable && error.kind() == ErrorKind::Unsupported, "{error}");
                let wanted = format!(
                    "Events, attribute set runs: the attribute set has version {value}.0, supported is 1.x"
                );
                assert!(error.to_string().contains(&wanted), "{error}");
            }
        }
        let report = check_file(&file, CheckOptions::new());
        assert!(report.faults.is_empty() && report.is_sound() == is_readable);
        assert_eq!(report.notes.len(), usize::from(!is_readable));
    }
}

#[test]
fn an_anchor_may_be_said_to_be_anywhere() {
    let link = |offset: u64, size: u32, length: u32| {
        with_footer(|footer| {
            let start = footer.len() - RECORD;
            footer[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
            footer[start + 8..start + 12].copy_from_slice(&size.to_le_bytes());
            footer[start + 12..start + 20].copy_from_slice(&offset.to_le_bytes());
        })
    };
    for (offset, size, length) in [
        (0, 78, 78),
        (u64::MAX, 78, 78),
        (u64::MAX - 10, 78, 78),
        (100, i32::MAX as u32, 78),
        (100, 78, u32::MAX),
        (100, 0, 0),
        (100, 20, 78),
    ] {
        let file = link(offset, size, length);
        let reader = open(&file, "Events");
        assert_eq!(reader.entries().filter(Result::is_ok).count(), 3);
        let error = reader.attributes::<RunInfo>("runs").unwrap_err();
        assert!(error.to_string().contains("attribute set runs"), "{error}");
        let report = check_file(&file, CheckOptions::new());
        assert!(report.fault_count() > 0 || report.notes.len() == 1, "{offset} {size} {length}");
    }

    // At the anchor of the ntuple that links it: an ntuple, but no set, and without sets of its own.
    let plain = RootFile::from_storage(Memory::from(small(
        WriteOptions::new().compression(rntuple::Compression::NONE),
    )));
    let key = plain.unwrap().ntuples().unwrap().remove(0);
    let file = link(key.offset + key.size - 78, 78, 78);
    let dataset = Dataset::open(&file, "Events").unwrap();
    let Locator::File { .. } = dataset.attribute_sets()[0].anchor else { panic!() };
    let set = dataset.attribute_set("runs").unwrap();
    assert!(set.attribute_sets().is_empty());
    let error = open(&file, "Events").attributes::<RunInfo>("runs").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let report = check_file(&file, CheckOptions::new());
    assert_eq!(report.fault_count(), 1);
    assert!(report.faults[0].to_string().contains("an attribute set, and the ntuple Events as well"));
}
