//! Pages and page lists that continue in other records (format, section 7.6).

use rntuple::encoding::ColumnEncoding;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, ErrorKind, ParallelWriter, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::disk::Disk;

use super::every_reader::{Event, check, events};

fn write(events: &[Event], options: WriteOptions) -> Memory {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(events).unwrap();
    writer.finish_into().unwrap().1
}

/// Sizes of the pages, checksums included.
fn page_sizes(file: &Memory) -> Vec<u64> {
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let clusters = clusters(&reader.dataset(0).unwrap());
    let pages = clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages);
    let size = |locator| match locator {
        Locator::File { size, .. } => size,
        _ => panic!("{locator:?}"),
    };
    pages.map(|page| size(page.locator) + if page.has_checksum { 8 } else { 0 }).collect()
}

#[test]
fn pages_longer_than_a_record_continue_in_others() {
    let events = events(700);
    for (limit, page) in [(512, 3000), (900, 4096), (4096, 20_000)] {
        for compression in [Compression::NONE, Compression::zstd(1)] {
            for checksums in [true, false] {
                let options = WriteOptions::new()
                    .compression(compression)
                    .checksums(checksums)
                    .max_page_length(page)
                    .cluster_size(60_000)
                    .max_key_size(limit);
                let file = write(&events, options);
                let sizes = page_sizes(&file);
                if compression.is_none() {
                    assert!(sizes.iter().any(|size| *size > limit), "{limit}: {sizes:?}");
                }
                let records = RootFile::from_storage(file.clone()).unwrap();
                // A key takes 42 bytes; head, tail and streamer info are the file's, not the ntuple's.
                let blobs = records.records().map(Result::unwrap).filter(|record| record.size > 1700);
                assert_eq!(blobs.filter(|blob| blob.size > limit + 42).count(), 0);
                check(&file, &events);
            }
        }
    }
}

#[test]
fn a_page_is_cut_just_where_its_checksum_no_longer_fits() {
    // 64 values of 8 bytes, and 8 bytes of checksum.
    let events = events(64);
    for (limit, is_cut) in [(519, true), (520, false)] {
        let options =
            WriteOptions::new().compression(Compression::NONE).max_key_size(limit).max_page_length(512);
        let file = write(&events, options);
        assert_eq!(page_sizes(&file).iter().max(), Some(&520), "the page of the numbers");
        let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
        let dataset = reader.dataset(0).unwrap();
        let cluster = dataset.cluster(0).unwrap();
        let Locator::File { offset, .. } = cluster.columns[0].pages[0].locator else { panic!() };
        let root_file = RootFile::from_storage(file.clone()).unwrap();
        let record = root_file
            .records()
            .map(Result::unwrap)
            .find(|record| offset < record.offset + record.size)
            .unwrap();
        // The first blob of several is filled to the last byte by the places of the others.
        assert_eq!(record.size == limit + 42, is_cut, "{record:?}");
        check(&file, &events);
    }
}

#[test]
fn contexts_of_many_threads_cut_pages_too() {
    let events = events(300);
    let options = WriteOptions::new().compression(Compression::NONE).max_page_length(3000).max_key_size(512);
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    let mut context = writer.context();
    context.fill_all(&events).unwrap();
    drop(context);
    check(&writer.finish_into().unwrap().1, &events);
}

#[test]
fn records_that_are_too_small_are_refused_before_there_is_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    for (limit, page, expected) in [
        (63, 64, "records cannot be smaller than 64 bytes"),
        (
            512,
            65_536,
            "pages of 65536 bytes (`max_page_length`) cannot be cut into records of 512 bytes (`max_key_size`)",
        ),
        ((1 << 30) + 1, 512, "records cannot be larger than 1 GiB"),
    ] {
        let options = WriteOptions::new().max_page_length(page).max_key_size(limit);
        let error = Writer::<Event>::create(&path, "Events", options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(!path.exists());
    }
}

#[derive(rntuple::RNTuple, Debug, PartialEq)]
struct Small {
    a: u64,
}

fn smallest() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .encoding("a", ColumnEncoding::of(rntuple::encoding::ColumnType::UInt64))
        .max_page_length(200)
        .max_key_size(64)
}

#[test]
fn the_smallest_records_hold_a_small_ntuple() {
    let options = smallest();
    let mut writer = Writer::<Small, _>::new(Memory::new(), "S", options).unwrap();
    (0..40).for_each(|a| writer.fill(&Small { a }).unwrap());
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Small>::open(file, "S").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq((0..40).map(|a| Small { a })));
}

#[test]
fn page_lists_fit_into_small_records_whatever_the_number_of_pages() {
    let options = smallest().max_page_length(128).max_key_size(256);
    let mut writer = Writer::<Small, _>::new(Memory::new(), "S", options).unwrap();
    (0..30_000).for_each(|a| writer.fill(&Small { a }).unwrap());
    let reader = Reader::<Small>::open(writer.finish_into().unwrap().1, "S").unwrap();
    // In records of 256 bytes there is room for 8192: not for the places of 1875 pages.
    let dataset = reader.dataset(0).unwrap();
    let lengths: Vec<u64> = dataset.cluster_groups().iter().map(|group| group.page_list_length).collect();
    assert!(lengths.len() > 1 && lengths.iter().all(|length| *length < 8192), "{lengths:?}");
    assert!(reader.entries().map(Result::unwrap).eq((0..30_000).map(|a| Small { a })));
}

#[test]
fn a_footer_that_is_too_long_for_its_records_costs_the_last_groups_alone() {
    let disk = Disk::default();
    let mut writer = Writer::<Small, _>::new(disk.clone(), "S", smallest()).unwrap();
    for a in 0..40 {
        writer.fill(&Small { a }).unwrap();
        writer.commit_cluster_group().unwrap();
    }
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    let reader = Reader::<Small>::open(Memory::from(disk.bytes()), "S").unwrap();
    let found: Vec<Small> = reader.entries().map(Result::unwrap).collect();
    assert!((2..40).contains(&found.len()), "{}", found.len());
    assert!(error.to_string().ends_with(&format!("; {} entries can be read", found.len())), "{error}");
    assert!(found.iter().map(|small| small.a).eq(0..found.len() as u64));
}
