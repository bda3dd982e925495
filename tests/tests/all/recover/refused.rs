//! What a new file cannot have costs the ntuple that has it, and no other one.

use std::ops::Range;

use rntuple::recover::RecoverOptions;
use rntuple::root::FileOptions;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, ErrorKind, Limits, Reader, RootFile, RootFileWriter, WriteOptions, Writer,
};
use rntuple_tests::sample::One;
use xxhash_rust::xxh3::xxh3_64;

use super::{assert_events, event, fill, recover, recover_with};

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

/// Twenty events, and an ntuple of five numbers.
fn two_ntuples() -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let mut events = file.writer("Events", options()).unwrap();
    fill(&mut events, 0..20, 10, event);
    events.finish().unwrap();
    let mut numbers = file.writer("my_tuple", options()).unwrap();
    fill(&mut numbers, 0..5, 10, |value| One { value: value as u32 });
    numbers.finish().unwrap();
    file.finish().unwrap().into_bytes()
}

/// Where header, footer and page lists of an ntuple are, which are not compressed.
fn envelopes(bytes: &[u8], path: &str) -> Vec<Range<usize>> {
    let file = RootFile::from_storage(bytes.to_vec()).unwrap();
    let dataset = Dataset::open(&file, path).unwrap();
    let (header, footer) = (dataset.anchor().header, dataset.anchor().footer);
    let lists = dataset.cluster_groups().iter().map(|group| {
        let Locator::File { offset, size } = group.page_list else { panic!() };
        (offset, size)
    });
    let all = [(header.offset, header.length), (footer.offset, footer.length)].into_iter().chain(lists);
    all.map(|(offset, size)| offset as usize..(offset + size) as usize).collect()
}

fn sign(bytes: &mut [u8], envelope: &Range<usize>) {
    let checksum = xxh3_64(&bytes[envelope.start..envelope.end - 8]);
    bytes[envelope.end - 8..envelope.end].copy_from_slice(&checksum.to_le_bytes());
}

/// Where `part` is in an envelope.
fn find(bytes: &[u8], envelope: &Range<usize>, part: &[u8]) -> usize {
    let place = bytes[envelope.clone()].windows(part.len()).position(|found| found == part);
    envelope.start + place.unwrap()
}

/// The file with another header of an ntuple, which footer and page lists name.
fn with_header(mut bytes: Vec<u8>, path: &str, change: impl FnOnce(&mut [u8], &Range<usize>)) -> Vec<u8> {
    let all = envelopes(&bytes, path);
    let header = &all[0];
    let checksum = |bytes: &[u8]| bytes[header.end - 8..header.end].to_vec();
    let old = checksum(&bytes);
    change(&mut bytes, header);
    sign(&mut bytes, header);
    let new = checksum(&bytes);
    for envelope in &all[1..] {
        let place = find(&bytes, envelope, &old);
        bytes[place..place + 8].copy_from_slice(&new);
        sign(&mut bytes, envelope);
    }
    bytes
}

#[test]
fn an_ntuple_with_a_name_that_no_writer_takes_gets_another_one() {
    let bytes = with_header(two_ntuples(), "my_tuple", |bytes, header| {
        let place = find(bytes, header, b"my_tuple");
        bytes[place..place + 8].copy_from_slice(b"my tuple");
    });
    let (recovery, file) = recover(bytes).unwrap();
    let found: Vec<_> = recovery.ntuples.iter().map(|ntuple| (&*ntuple.path, ntuple.entries)).collect();
    assert_eq!(found, [("Events", 20), ("my_tuple", 5)], "{recovery}");
    assert!(recovery.is_complete(), "{recovery}");
    assert_events(&file, &[0..20]);
    let numbers = Reader::<One<u32>>::open(&file, "my_tuple").unwrap();
    assert_eq!(numbers.get(4).unwrap().value, 4);
}

#[test]
fn a_field_of_a_later_version_costs_its_own_ntuple() {
    let bytes = with_header(two_ntuples(), "my_tuple", |bytes, header| {
        // Two versions, the parent, role and flags are before the name.
        let place = find(bytes, header, b"\x05\0\0\0value") - 16;
        bytes[place] = 1;
    });
    let (recovery, file) = recover(bytes).unwrap();
    assert_eq!((recovery.entries(), recovery.ntuples.len()), (20, 2), "{recovery}");
    let error = recovery.ntuples[1].error.as_ref().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("my_tuple: value: a field that cannot be merged"), "{error}");
    assert!(!recovery.is_complete());
    assert_events(&file, &[0..20]);
    assert_eq!(file.ntuples().unwrap().len(), 1);
}

#[test]
fn of_two_attribute_sets_of_one_name_the_first_is_saved() {
    let mut writer = Writer::<super::Event, _>::new(Memory::new(), "Events", options()).unwrap();
    fill(&mut writer, 0..20, 10, event);
    for (name, value) in [("Runs", 1), ("Rans", 2)] {
        writer.attributes::<One<u16>>(name).unwrap().add(0..1, &One { value }).unwrap();
    }
    let mut bytes = writer.finish_into().unwrap().1.into_bytes();
    let footer = envelopes(&bytes, "Events").swap_remove(1);
    let place = find(&bytes, &footer, b"Rans");
    bytes[place..place + 4].copy_from_slice(b"Runs");
    sign(&mut bytes, &footer);
    let (recovery, file) = recover(bytes).unwrap();
    assert_events(&file, &[0..20]);
    let [(name, why)] = &recovery.ntuples[0].lost_sets[..] else { panic!("{recovery}") };
    assert!(name == "Runs" && why.to_string().contains("another set of this name"), "{why}");
    let runs = Reader::<super::Event>::open(&file, "Events").unwrap().attributes::<One<u16>>("Runs").unwrap();
    assert_eq!(runs.get(0).unwrap().value.value, 1);
}

/// A few bytes may have any number of rows, so all sets of an ntuple together may have a limited number.
#[test]
fn attribute_sets_with_too_many_rows_together_cost_no_ntuple() {
    let rows = 100_000;
    let mut writer = Writer::<super::Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    fill(&mut writer, 0..20, 10, event);
    for name in ["Runs", "Rans"] {
        let set = writer.attributes::<One<u16>>(name).unwrap();
        (0..rows).for_each(|_| set.add(0..1, &One { value: 1 }).unwrap());
    }
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    assert!(bytes.len() < rows, "{}", bytes.len());
    let limits = Limits::new().attribute_count(rows as u64);
    let (recovery, file) = recover_with(bytes, RecoverOptions::new().limits(limits)).unwrap();
    assert_events(&file, &[0..20]);
    let [(name, why)] = &recovery.ntuples[0].lost_sets[..] else { panic!("{recovery}") };
    assert_eq!((&**name, why.kind()), ("Rans", ErrorKind::LimitExceeded));
    let events = Reader::<super::Event>::open(&file, "Events").unwrap();
    assert_eq!(events.attributes::<One<u16>>("Runs").unwrap().attribute_count(), rows as u64);
}
