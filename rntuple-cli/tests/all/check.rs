//! What this project writes is sound by its own measure, in every layout.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::check::{CheckOptions, NoteKind, Report, Verdict, check_file};
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{Compression, RootFile, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, One, samples};

fn check(file: Memory) -> Report {
    let report = check_file(&RootFile::from_storage(file).unwrap(), CheckOptions::new());
    assert!(report.is_sound(), "{:#?}", report.faults);
    assert!(report.notes.is_empty(), "{:#?}", report.notes);
    report
}

fn write(entries: &[Event], options: WriteOptions) -> Memory {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

#[test]
fn files_of_every_layout_are_sound() {
    let entries: Vec<Event> = samples(200, 1);
    let small = || WriteOptions::new().cluster_size(4000).max_page_length(256);
    let all = [
        WriteOptions::new(),
        small(),
        small().compression(Compression::NONE),
        small().compression(Compression::lz4(1)),
        small().compression(Compression::zlib(1)),
        small().compression_of("number", Compression::NONE).compression_of("muons", Compression::lz4(4)),
        small().checksums(false),
        small().share_pages(false),
        // Envelopes and pages in several blobs.
        small().max_key_size(1100).compression(Compression::NONE),
    ];
    for options in all {
        let report = check(write(&entries, options));
        let ntuple = &report.ntuples[0];
        assert_eq!((ntuple.entries, ntuple.is_checked), (200, true));
        assert!(ntuple.pages > 20, "{}", ntuple.pages);
    }
}

#[test]
fn empty_ntuples_and_groups_are_sound() {
    assert_eq!(check(write(&[], WriteOptions::new())).pages(), 0);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for entry in samples::<Event>(30, 2) {
        writer.fill(&entry).unwrap();
        if writer.entry_count() % 7 == 0 {
            writer.commit_cluster_group().unwrap();
        }
    }
    let report = check(writer.finish_into().unwrap().1);
    assert_eq!((report.ntuples[0].clusters, report.ntuples[0].entries), (5, 30));
}

#[test]
fn several_ntuples_of_a_file_are_sound() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let mut events = file.writer::<Event>("a/Events", WriteOptions::new()).unwrap();
    let mut numbers = file.writer::<One<u8>>("Numbers", WriteOptions::new()).unwrap();
    events.fill_all(&samples::<Event>(20, 3)).unwrap();
    numbers.fill(&One { value: 7 }).unwrap();
    events.finish().unwrap();
    numbers.finish().unwrap();
    let report = check(file.finish().unwrap());
    let paths: Vec<&str> = report.ntuples.iter().map(|ntuple| &*ntuple.path).collect();
    assert_eq!(paths.len(), 2);
    assert!(paths.contains(&"a/Events") && paths.contains(&"Numbers"));
}

#[test]
fn files_by_root_are_sound() {
    for reference in reference::files("-v1.").into_iter().chain(reference::files("-epoch0-")) {
        let report = check_file(&RootFile::open(&reference.file).unwrap(), CheckOptions::new());
        assert!(report.is_sound() && report.notes.is_empty(), "{:#?}", report.faults);
        let ntuples = reference.expected["rntuples"].as_array().unwrap();
        assert_eq!(report.ntuples.len(), ntuples.len());
        for (found, wanted) in report.ntuples.iter().zip(ntuples) {
            assert_eq!(found.path, wanted["path"].as_str().unwrap());
            assert_eq!(found.entries, wanted["num_entries"].as_u64().unwrap());
            assert_eq!(found.clusters, wanted["num_clusters"].as_u64().unwrap());
            assert_eq!(found.format_version.unwrap().name(), wanted["generation"].as_str().unwrap());
            assert!(found.is_checked);
        }
    }
}

#[test]
fn the_prototype_is_a_note() {
    for reference in reference::files("-prototype-") {
        let report = check_file(&RootFile::open(&reference.file).unwrap(), CheckOptions::new());
        assert_eq!(report.verdict, Verdict::Incomplete, "{:#?}", report.faults);
        assert_eq!(report.notes.len(), report.ntuples.len());
        assert!(report.notes.iter().all(|note| note.kind == NoteKind::Unchecked));
        assert!(report.notes[0].to_string().contains("pre-release format prototype"));
        assert_eq!(report.ntuples[0].format_version, None);
        assert!(!report.ntuples[0].is_checked);
    }
}
