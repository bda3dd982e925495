//! Damaged files in every way that one byte or one cut can damage them: no panic, no waiting, and no damage
//! unseen where a checksum covers it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::ops::Range;
use std::time::{Duration, Instant};

use rntuple::check::{CheckOptions, Report, check_file};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Dataset, Error, RootFile};
use rntuple_tests::reference;

/// Much more than any of them takes, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
const SAMPLES: [&str; 3] = ["minimal-v1", "int_float-v1", "stl_containers-v1"];

fn samples() -> Vec<(String, Vec<u8>)> {
    let files = SAMPLES.iter().flat_map(|name| reference::files(name));
    let files = files.filter(|file| !file.name.starts_with("1jag"));
    files.map(|file| (file.name, std::fs::read(&file.file).unwrap())).collect()
}

fn check(bytes: Vec<u8>) -> Result<Report, Error> {
    let started = Instant::now();
    let report =
        RootFile::from_storage(Memory::from(bytes)).map(|file| check_file(&file, CheckOptions::new()));
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    report
}

/// The bytes that some checksum covers: anchor, envelopes, pages. What is in an envelope is signed before it
/// is compressed: there, a change that the codec does not mind changes nothing.
fn covered(bytes: &[u8]) -> Vec<Range<u64>> {
    let file = RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap();
    let mut ranges = Vec::new();
    for key in file.ntuples().unwrap() {
        let dataset = Dataset::open(&file, &key.path()).unwrap();
        let end = key.offset + key.size;
        // The first six bytes are framing, and no checksum covers them.
        ranges.push(end - 72..end);
        let anchor = dataset.anchor();
        for envelope in [anchor.header, anchor.footer] {
            if envelope.size == envelope.length {
                ranges.push(envelope.offset..envelope.offset + envelope.size);
            }
        }
        for group in dataset.cluster_groups() {
            let Locator::File { offset, size } = group.page_list else { panic!() };
            if size == group.page_list_length {
                ranges.push(offset..offset + size);
            }
        }
        let columns = dataset.clusters().flat_map(|cluster| cluster.unwrap().columns.clone());
        for page in columns.flat_map(|column| column.pages) {
            let Locator::File { offset, size } = page.locator else { panic!() };
            assert!(page.has_checksum);
            ranges.push(offset..offset + size + 8);
        }
    }
    ranges
}

#[test]
fn no_prefix_is_sound() {
    for (name, bytes) in samples() {
        for length in 0..bytes.len() {
            assert!(check(bytes[..length].to_vec()).is_err(), "{name}, {length} bytes");
        }
    }
}

/// Cut short, with a header that does not admit it: then the records themselves are missing.
#[test]
fn no_prefix_with_an_honest_header_is_sound() {
    for (name, bytes) in samples() {
        for length in 100..bytes.len() {
            let mut cut = bytes[..length].to_vec();
            cut[12..16].copy_from_slice(&u32::try_from(length).unwrap().to_be_bytes());
            if let Ok(report) = check(cut) {
                assert!(report.fault_count() > 0, "{name}, {length} bytes");
            }
        }
    }
}

#[test]
fn every_changed_byte_under_a_checksum_is_noticed() {
    for (name, bytes) in samples() {
        assert!(check(bytes.clone()).unwrap().is_sound());
        let covered = covered(&bytes);
        let mut noticed = 0;
        for at in 0..bytes.len() {
            let must = covered.iter().any(|range| range.contains(&(at as u64)));
            for flip in [0x01, 0xff] {
                let mut bad = bytes.clone();
                bad[at] ^= flip;
                let is_noticed = check(bad).map_or(true, |report| report.fault_count() > 0);
                assert!(is_noticed || !must, "{name}, byte {at} ^ {flip:#x}");
                noticed += usize::from(is_noticed);
            }
        }
        println!("{name}: {noticed} of {} changes noticed", bytes.len() * 2);
    }
}
