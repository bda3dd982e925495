//! Whole files: those by ROOT, ours, damaged ones and big ones.

#![expect(clippy::cast_possible_truncation, reason = "sizes of small files")]

use std::io::IoSlice;
use std::time::{Duration, Instant};

use super::testing::{
    Sparse, file_with, put_dummy, reference_files, starting_at, with_class, with_extension,
};
use super::*;
use crate::ErrorKind;
use crate::bytes::Put;
use crate::storage::{LocalFile, Memory};

fn open(bytes: Vec<u8>) -> crate::Result<RootFile> {
    RootFile::from_storage(bytes)
}

fn paths(file: &RootFile) -> Vec<String> {
    file.ntuples().unwrap().iter().map(FileKey::path).collect()
}

#[track_caller]
fn assert_sound(file: &RootFile) -> FileReport {
    let report = file.verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    report
}

// --- files by ROOT

#[test]
fn ntuples_of_root_are_found_and_their_files_are_sound() {
    for stem in reference_files() {
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(with_extension(&stem, ".json")).unwrap()).unwrap();
        let file = RootFile::open(with_extension(&stem, ".root")).unwrap();
        assert_eq!(u64::from(file.root_version()), json["root_file_version"], "{file:?}");
        let expected = json["rntuples"].as_array().unwrap();
        let found = file.ntuples().unwrap();
        if json["unsupported"].is_string() {
            // The prototype is not read, but it is seen.
            assert!(expected.is_empty() && found.len() == 1);
            let error = file.anchor(&found[0].path()).unwrap_err();
            let is_seen = error.to_string().contains("pre-release format prototype");
            assert!(is_seen || error.kind() == ErrorKind::FeatureDisabled, "{error}");
        } else {
            let expected: Vec<&str> = expected.iter().map(|n| n["path"].as_str().unwrap()).collect();
            assert_eq!(paths(&file), expected, "{file:?}");
        }
        for ntuple in json["rntuples"].as_array().unwrap() {
            let path = ntuple["path"].as_str().unwrap();
            let key = found.iter().find(|key| key.path() == path).unwrap();
            assert_eq!(key.class, ntuple["anchor_class"].as_str().unwrap());
            let (found, anchor) = match file.anchor(path) {
                // The oldest anchors do not settle what they are, their envelopes do.
                Err(error) if error.kind() == ErrorKind::FeatureDisabled => continue,
                anchor => anchor.unwrap(),
            };
            assert_eq!(&found, key);
            assert_eq!(anchor.format_version.name(), ntuple["generation"].as_str().unwrap());
            let is_released = found.kind == KeyKind::Ntuple;
            assert_eq!(is_released, !anchor.format_version.is_pre_release());
            let version = anchor.version.map(|part| part.to_string()).join(".");
            assert_eq!(version, ntuple["format_version"].as_str().unwrap_or("0.0.0.0"));
            for span in [anchor.header, anchor.footer] {
                let bytes = file.payload(span.offset, span.size, anchor.max_key_size).unwrap();
                assert_eq!(bytes.len() as u64, span.size);
            }
        }
        assert_sound(&file);
    }
}

#[test]
fn damaged_files_of_root_do_no_harm() {
    let Some(stem) = reference_files().into_iter().find(|stem| stem.ends_with("minimal-v1.0.0.0")) else {
        return;
    };
    let bytes = std::fs::read(with_extension(&stem, ".root")).unwrap();
    damage(&bytes, "myntuple");
}

// --- our own files

#[test]
fn what_was_written_is_listed_and_read() {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new().name("x.root")).unwrap();
    let expected: Vec<_> = ["Events", "run/Lumi", "run/deep/er/Events", "Other", "run/Tail"]
        .map(|path| (path, put_dummy(&mut writer, path)))
        .into();
    let size = writer.any().finish().unwrap();
    let file = RootFile::from_storage(writer.into_inner()).unwrap();
    assert_eq!(file.end(), size);
    assert_eq!(paths(&file), ["Events", "Other", "run/Lumi", "run/Tail", "run/deep/er/Events"]);
    for (path, anchor) in expected {
        let (key, found) = file.anchor(path).unwrap();
        assert_eq!(key.path(), path);
        assert_eq!(found, anchor);
        assert_eq!(&*file.payload(found.header.offset, 40, found.max_key_size).unwrap(), [b'h'; 40]);
        assert_eq!(&*file.payload(found.footer.offset, 30, found.max_key_size).unwrap(), [b'f'; 30]);
    }
    let report = assert_sound(&file);
    // Root directory, 15 blobs, 5 anchors, 3 directories, 4 key lists, streamer info, free list.
    assert_eq!((report.records, report.gaps, report.keys), (30, 0, 8));
    assert_eq!(file.keys().unwrap().len(), 8);
}

#[test]
fn the_same_data_make_the_same_file() {
    let paths = ["Events", "run/Lumi"];
    assert_eq!(file_with(&paths), file_with(&paths));
    assert_ne!(file_with(&paths), file_with(&["Events", "run/Lumj"]));
}

#[test]
fn an_empty_file_is_sound() {
    let file = open(file_with(&[])).unwrap();
    assert!(file.keys().unwrap().is_empty());
    assert_eq!(assert_sound(&file).records, 4);
    let error = file.anchor("Events").unwrap_err();
    assert_eq!(error.to_string(), "memory: no ntuple \"Events\"; the file has no ntuple");
}

#[test]
fn a_missing_ntuple_is_answered_with_those_that_are_there() {
    let file = open(file_with(&["Events", "run/Lumi"])).unwrap();
    let error = file.anchor("Lumi").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "memory: no ntuple \"Lumi\"; the file has \"Events\", \"run/Lumi\"; did you mean \"run/Lumi\"?"
    );
    let misspelled = file.anchor("run/Lumy").unwrap_err().to_string();
    assert!(misspelled.ends_with("; did you mean \"run/Lumi\"?"), "{misspelled}");
    let other = file.anchor("Muons").unwrap_err().to_string();
    assert_eq!(other, "memory: no ntuple \"Muons\"; the file has \"Events\", \"run/Lumi\"");
    assert!(file.anchor("/run/Lumi").is_ok());
    assert_eq!(file.anchor("").unwrap_err().kind(), ErrorKind::NotFound);
}

/// What is said of a path, without the name of the file.
fn told(bytes: &[u8], path: &str) -> String {
    let error = open(bytes.to_vec()).unwrap().anchor(path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    error.to_string().strip_prefix("memory: ").unwrap().to_owned()
}

#[test]
fn what_is_no_ntuple_is_named_with_the_way_out() {
    let bytes = file_with(&["Events", "d/h", "nt", "thing"]);
    let bytes = with_class(bytes, "Events", "TTree");
    let bytes = with_class(bytes, "h", "TH1D");
    let mixed = with_class(bytes, "thing", "Evil\u{1b}Class");
    assert_eq!(
        told(&mixed, "Events"),
        "\"Events\" is a TTree, not an RNTuple; convert it with ROOT's RNTupleImporter"
    );
    assert_eq!(told(&mixed, "/d/h"), "\"d/h\" is a TH1D, not an RNTuple; the file has \"nt\"");
    assert_eq!(told(&mixed, "d"), "\"d\" is a directory, not an RNTuple; the file has \"nt\"");
    assert_eq!(
        told(&mixed, "thing"),
        "\"thing\" is an Evil\\u{1b}Class, not an RNTuple; the file has \"nt\""
    );
    assert_eq!(told(&mixed, "Muons"), "no ntuple \"Muons\"; the file has \"nt\"");

    let none = with_class(mixed, "nt", "TNtupleD");
    assert_eq!(told(&none, "d/h"), "\"d/h\" is a TH1D, not an RNTuple; the file has no ntuple");
    assert_eq!(
        told(&none, "x"),
        "no ntuple \"x\"; the file has no ntuple, but a TTree \"Events\", a TNtupleD \"nt\", \
         an Evil\\u{1b}Class \"thing\", a TH1D \"d/h\"; convert a TTree with ROOT's RNTupleImporter"
    );
}

#[test]
fn the_only_ntuple_is_found_without_its_path() {
    let only = |bytes: &[u8]| open(bytes.to_vec()).unwrap().only_ntuple();
    let bytes = file_with(&["d/Events"]);
    assert_eq!(only(&bytes).unwrap().path(), "d/Events");

    let error = only(&with_class(bytes, "Events", "TTree")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "memory: the file has no ntuple, but a TTree \"d/Events\"; convert a TTree with ROOT's RNTupleImporter"
    );
    assert_eq!(only(&file_with(&[])).unwrap_err().to_string(), "memory: the file has no ntuple");

    let names: Vec<String> = (0..12).map(|number| format!("nt{number}")).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    let error = only(&file_with(&names)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "memory: the file has 12 ntuples, choose one: \"nt0\", \"nt1\", \"nt2\", \"nt3\", \"nt4\", \"nt5\", \
         \"nt6\", \"nt7\", \"nt8\", \"nt9\" and 2 more"
    );
}

#[test]
fn the_highest_cycle_of_a_name_is_taken() {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    let old = put_dummy(&mut writer, "d/Events");
    let new = put_dummy(&mut writer, "d/Events");
    writer.any().finish().unwrap();
    let file = RootFile::from_storage(writer.into_inner()).unwrap();
    let (key, anchor) = file.anchor("d/Events").unwrap();
    assert_eq!((key.cycle, &anchor), (2, &new));
    assert_ne!(anchor, old);
    assert_eq!(file.ntuples().unwrap().len(), 1);
    let cycles: Vec<u16> = file.keys().unwrap().iter().map(|key| key.cycle).collect();
    assert_eq!(cycles, [1, 2, 1], "the directory, then the cycles of the ntuple, the highest first");
    assert_sound(&file);
}

#[test]
fn options_reach_the_file() {
    let time = std::time::UNIX_EPOCH + Duration::from_secs(1_731_503_784);
    let options = FileOptions::new().name("named.root").timestamp(time).uuid([7; 16]);
    let mut writer = FileWriter::create(Memory::new(), options).unwrap();
    put_dummy(&mut writer, "Events");
    writer.any().finish().unwrap();
    let bytes = writer.into_inner().into_bytes();
    assert_eq!(bytes[47..63], [7; 16]);
    assert!(bytes.windows(11).any(|window| window == b"\x0anamed.root"));
    let key = &open(bytes).unwrap().keys().unwrap()[0];
    assert_eq!(key.written.to_string(), "2024-11-13 13:16:24");
    let bad = FileWriter::create(Memory::new(), FileOptions::new().name("a\nb"));
    assert_eq!(bad.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn the_name_of_the_path_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run7.root");
    let mut writer = FileWriter::create(LocalFile::create(&path).unwrap(), FileOptions::new()).unwrap();
    put_dummy(&mut writer, "Events");
    writer.any().finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes[100..160].windows(10).any(|window| window == b"\x09run7.root"));
    assert_sound(&RootFile::open(&path).unwrap());
    let error = RootFile::open(&path).unwrap().anchor("x").unwrap_err();
    assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
}

#[test]
fn bad_paths_and_late_writes_are_refused() {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    writer.any().reserve("run/Events").unwrap();
    for path in ["", "a b", "run", "run/Events", "run/Events/x"] {
        assert_eq!(writer.any().reserve(path).unwrap_err().kind(), ErrorKind::InvalidArgument, "{path}");
    }
    let anchor = put_dummy(&mut writer, "Events");
    let size = writer.any().finish().unwrap();
    for error in [
        writer.any().finish().unwrap_err(),
        writer.any().reserve("late").unwrap_err(),
        writer.any().put_anchor("late", &anchor).unwrap_err(),
        writer.any().append_blob(&[], 0).unwrap_err(),
    ] {
        assert!(error.to_string().contains("finished already"), "{error}");
    }
    assert_eq!(writer.any().end(), size);
    // A reserved name without an anchor is not listed; its directory is.
    let file = RootFile::from_storage(writer.into_inner()).unwrap();
    assert_eq!(paths(&file), ["Events"]);
    assert_eq!(file.keys().unwrap().len(), 2);
    assert_sound(&file);
}

#[test]
fn a_blob_is_its_parts_one_behind_the_other() {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    let start = writer.any().end();
    let parts = [&b"one"[..], b"", b"three"].map(IoSlice::new);
    let offset = writer.any().append_blob(&parts, 1 << 40).unwrap();
    assert_eq!((offset, writer.any().end()), (start + 42, start + 50));
    writer.any().finish().unwrap();
    let file = RootFile::from_storage(writer.into_inner()).unwrap();
    assert_eq!(&*file.payload(offset, 8, 1 << 30).unwrap(), b"onethree");
}

#[test]
fn pages_without_checksums_make_the_identity_of_a_file_too() {
    let uuid = |first: u8, max: u64| {
        let mut bytes = [0; 100];
        bytes[0] = first;
        let page = PageBytes { parts: [&bytes, &[]], length: 100, is_raw: true };
        let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
        writer.any().append_pages(&[page], max).unwrap();
        writer.any().finish().unwrap();
        RootFile::from_storage(writer.into_inner()).unwrap().uuid()
    };
    // In one blob, and in several.
    for max in [1000, 64] {
        assert_eq!(uuid(1, max), uuid(1, max));
        assert_ne!(uuid(1, max), uuid(2, max));
    }
}

// --- payloads in several blobs

#[test]
fn chunked_payloads_come_back() {
    for max in [16, 24, 64, 100, 999, 1000, 1001] {
        for size in [1usize, 15, 16, 17, 32, 40, 41, 99, 100, 195, 200, 201, 995, 1000, 1001] {
            let bytes: Vec<u8> = (0..size).map(|i| (i * 7) as u8).collect();
            let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
            let Ok(offset) = writer.any().append_payload(&bytes, size as u64, max) else {
                assert!(8 * (size as u64 / max + 2) > max, "{size} {max}");
                continue;
            };
            writer.any().finish().unwrap();
            let file = RootFile::from_storage(writer.into_inner()).unwrap();
            assert_eq!(&*file.payload(offset, size as u64, max).unwrap(), bytes, "{size} {max}");
            assert_sound(&file);
            assert!(file.records().all(|record| record.unwrap().size <= (max + 42).max(1600)));
        }
    }
}

#[test]
fn payloads_that_leave_the_file_are_refused() {
    let file = open(file_with(&["Events"])).unwrap();
    let end = file.end();
    assert_eq!(file.payload(end, 0, 100).unwrap().len(), 0);
    for (offset, size, max) in [
        (end, 1, 100),
        (0, end + 1, u64::MAX),
        (u64::MAX, 1, 100),
        (u64::MAX, u64::MAX, u64::MAX),
        (0, u64::MAX, 1 << 40),
        (1, end, 0),
        (0, end, 9),
        (end - 90, 150, 100),
        (100, 150, 100), // chunk offsets that are not
    ] {
        let error = file.payload(offset, size, max).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{offset} {size} {max}");
        assert_eq!(error.location().file.as_deref(), Some("memory"));
    }
}

// --- files cut short

#[test]
fn a_file_that_was_not_finished_says_so() {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    let empty = writer.into_inner().into_bytes();
    assert_eq!(open(empty).unwrap_err().kind(), ErrorKind::Unfinished);
    writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    put_dummy(&mut writer, "Events");
    let bytes = writer.into_inner().into_bytes();
    let error = open(bytes.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "memory: the file is not finished: its writer is still at work, or ended without calling `finish`; \
         its entries cannot be read"
    );
    // A crash leaves any part of what was written behind the head.
    for length in 300..bytes.len() {
        assert_eq!(open(bytes[..length].to_vec()).unwrap_err().kind(), ErrorKind::Unfinished);
    }
}

/// A medium that fails for good after some writes.
#[derive(Debug)]
struct Failing(Memory, usize);

impl crate::storage::WriteAt for Failing {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> std::io::Result<()> {
        self.1 = self.1.checked_sub(1).ok_or(std::io::ErrorKind::StorageFull)?;
        self.0.write_at(offset, parts)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_file_is_finished_by_the_last_write_only() {
    for writes in 1.. {
        let mut writer = FileWriter::create(Failing(Memory::new(), writes), FileOptions::new()).unwrap();
        let blob = writer.any().append_blob(&[IoSlice::new(b"data")], 4);
        let finished = writer.any().finish();
        let bytes = writer.into_inner().0.into_bytes();
        if finished.is_ok() {
            assert!(blob.is_ok() && writes == 4, "head, blob, tail, head: {writes} writes");
            assert_sound(&open(bytes).unwrap());
            break;
        }
        assert_eq!(finished.unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(open(bytes).unwrap_err().kind(), ErrorKind::Unfinished);
    }
}

#[test]
fn a_head_that_was_half_rewritten_is_not_trusted() {
    let finished = file_with(&["Events"]);
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    put_dummy(&mut writer, "Events");
    let head = writer.into_inner().into_bytes();
    // The directory is new, the header is not.
    let mut torn = finished.clone();
    torn[..100].copy_from_slice(&head[..100]);
    assert_eq!(open(torn).unwrap_err().kind(), ErrorKind::Unfinished);
}

/// A write that fails half-way leaves its first bytes.
#[test]
fn a_head_that_is_written_in_part_is_unfinished() {
    let finished = file_with(&["Events"]);
    let writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    let first = writer.into_inner().into_bytes();
    for length in 0..first.len() {
        assert_eq!(open(first[..length].to_vec()).unwrap_err().kind(), ErrorKind::Unfinished, "{length}");
    }
    let head = first.len();
    let mut kinds = Vec::new();
    for length in 0..head {
        let torn = [&finished[..length], &first[length..], &finished[head..]].concat();
        let kind = open(torn).and_then(|file| file.anchor("Events")).map_err(|error| error.kind()).err();
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    // Within the number that leads to the keys it may lead anywhere.
    let (unfinished, torn) = (Some(ErrorKind::Unfinished), Some(ErrorKind::OutOfSpec));
    assert_eq!(kinds, [unfinished, torn, None]);
}

#[test]
fn a_file_cut_at_the_end_is_truncated() {
    let bytes = file_with(&["Events"]);
    let error = open(bytes[..bytes.len() - 1].to_vec()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(error.to_string().contains("truncated"), "{error}");
    // More bytes than the header tells of are nobody's business.
    let longer = open([&bytes[..], &[0xAB; 100]].concat()).unwrap();
    assert_eq!(longer.end(), bytes.len() as u64);
    assert_sound(&longer);
}

/// Every prefix and every changed byte: an answer in little time, and no panic.
fn damage(bytes: &[u8], path: &str) {
    let start = Instant::now();
    let probe = |bytes: Vec<u8>| {
        let Ok(file) = open(bytes) else { return };
        let _ = (file.ntuples(), file.keys(), file.verify());
        assert!(file.records().count() <= 10_000);
        if let Ok((_, anchor)) = file.anchor(path) {
            for span in [anchor.header, anchor.footer] {
                let _ = file.payload(span.offset, span.size, anchor.max_key_size);
            }
        }
    };
    for length in 0..bytes.len() {
        assert!(open(bytes[..length].to_vec()).is_err(), "{length}");
    }
    for at in 0..bytes.len() {
        for flip in [0x01, 0x10, 0x80, 0xFF] {
            let mut bad = bytes.to_vec();
            bad[at] ^= flip;
            probe(bad);
        }
        for value in [0, 0xFF] {
            let mut bad = bytes.to_vec();
            let end = (at + 4).min(bytes.len());
            bad[at..end].fill(value);
            probe(bad);
        }
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn damaged_files_of_ours_do_no_harm() {
    damage(&file_with(&["Events", "run/Lumi"]), "run/Lumi");
}

// --- hostile directories

/// Puts an offset into the copies of a key in a file of ours.
fn redirect(bytes: &mut [u8], name: &str, to: u64) {
    let pattern = [b"\x0aTDirectory", &[name.len() as u8][..], name.as_bytes()].concat();
    let places: Vec<usize> =
        (0..bytes.len() - pattern.len()).filter(|&at| bytes[at..].starts_with(&pattern)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at - 16..at - 8].copy_from_slice(&to.to_be_bytes());
    }
}

#[test]
fn a_directory_that_leads_back_is_entered_once() {
    let mut bytes = file_with(&["a/b/Events"]);
    let file = open(bytes.clone()).unwrap();
    let a = file.keys().unwrap().iter().find(|key| key.name == "a").unwrap().offset;
    redirect(&mut bytes, "b", a);
    let file = open(bytes.clone()).unwrap();
    assert!(file.ntuples().unwrap().is_empty());
    assert!(!file.verify().unwrap().is_sound());
    redirect(&mut bytes, "b", 100);
    assert!(open(bytes).unwrap().ntuples().unwrap().is_empty());
}

#[test]
fn a_list_that_directories_share_is_not_read_for_each_of_them() {
    let paths: Vec<String> = (0..50).map(|i| format!("d{i}/x")).collect();
    let mut bytes = file_with(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let file = open(bytes.clone()).unwrap();
    let list = file.top().keys_offset;
    for key in file.keys().unwrap().iter().filter(|key| key.kind == KeyKind::Directory) {
        let numbers = key.offset as usize + 34 + 11 + 2 * (1 + key.name.len());
        assert_eq!(bytes[numbers..numbers + 2], [0, 5]);
        bytes[numbers + 26..numbers + 30].copy_from_slice(&(list as u32).to_be_bytes());
    }
    let error = open(bytes).unwrap().keys().unwrap_err();
    assert!(error.to_string().contains("bigger than the file"), "{error}");
}

/// A key with 32-bit offsets, as older releases of ROOT write them.
fn small_key(payload: usize, cycle: i16, offset: u32, directory: u32, strings: [&str; 3]) -> Vec<u8> {
    let size = 26 + strings.iter().map(|text| 1 + text.len()).sum::<usize>();
    let mut key = Vec::new();
    key.put_u32_be((size + payload) as u32);
    key.put_u16_be(4);
    key.put_u32_be(payload as u32);
    key.put_u32_be(0);
    key.put_u16_be(size as u16);
    key.put_u16_be(cycle as u16);
    key.put_u32_be(offset);
    key.put_u32_be(directory);
    for text in strings {
        key.put_u8(text.len() as u8);
        key.put(text.as_bytes());
    }
    key
}

/// A directory of version 1, which ends before the UUID.
fn old_directory(keys_size: usize, name_size: usize, offset: u32, parent: u32, keys: u32) -> Vec<u8> {
    let mut out = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    for number in [keys_size as u32, name_size as u32, offset, parent, keys] {
        out.put_u32_be(number);
    }
    out
}

#[test]
fn a_file_of_old_layouts_is_read() {
    // fBEGIN 64, small keys, directories of version 1, a TDirectoryFile, another object, a negative
    // cycle, slack behind the keys, no free list.
    let begin = 64u32;
    let anchor = Anchor::new([1, 0, 0, 0], EnvelopeSpan::default(), EnvelopeSpan::default());
    let name_size = 26 + 6 + 6 + 1 + 7;
    let top_key = small_key(7 + 30, 1, begin, 0, ["TFile", "f.root", ""]);
    assert_eq!(name_size, top_key.len() + 6);
    let mut records = Vec::new();
    let mut place = |key: &dyn Fn(u32) -> Vec<u8>, payload: &[u8]| {
        let offset = begin + 76 + 6 + records.len() as u32;
        let key = key(offset);
        records.extend_from_slice(&key);
        records.extend_from_slice(payload);
        (offset, key)
    };
    let (_, tree) = place(&|at| small_key(9, 1, at, begin, ["TH1F", "Events", ""]), b"histogram");
    let (_, old) = place(&|at| small_key(78, 1, at, begin, ["ROOT::RNTuple", "Events", ""]), &[0; 78]);
    let (_, new) =
        place(&|at| small_key(78, -2, at, begin, ["ROOT::RNTuple", "Events", ""]), &anchor.write());
    let inner = |at| small_key(78, 1, at, 0, ["ROOT::RNTuple", "Lumi", "object title"]);
    let (_, inner) = place(&inner, &anchor.write());
    let list = [&[0, 0, 0, 1][..], &inner].concat();
    let (inner_list, key) = place(&|at| small_key(list.len(), 1, at, 0, ["TDirectoryFile", "d", ""]), &list);
    let numbers = old_directory(key.len() + list.len(), 44, 0, begin, inner_list);
    let (_, folder) =
        place(&|at| small_key(numbers.len(), 1, at, begin, ["TDirectoryFile", "d", ""]), &numbers);
    let list = [&[0, 0, 0, 4][..], &tree, &old, &folder, &new, &[0xEE; 24]].concat();
    let (top_list, key) = place(&|at| small_key(list.len(), 1, at, begin, ["TFile", "f.root", ""]), &list);

    let mut file = b"root".to_vec();
    let end = begin + 76 + 6 + records.len() as u32;
    for number in [51800, begin, end, 0, 0, 0, name_size as u32] {
        file.put_u32_be(number);
    }
    file.put_u8(4);
    file.resize(begin as usize, 0);
    file.put(&top_key);
    file.put(b"\x06f.root\0");
    file.resize(begin as usize + name_size, 0);
    file.put(&old_directory(key.len() + list.len(), name_size, begin, 0, top_list));
    file.resize(begin as usize + 76 + 6, 0);
    file.put(&records);

    let file = open(file).unwrap();
    assert_eq!(file.root_version(), 51_800);
    assert_eq!(paths(&file), ["Events", "d/Lumi"]);
    let (key, found) = file.anchor("Events").unwrap();
    assert_eq!((key.cycle, found), (2, anchor));
    assert_eq!(file.anchor("d/Lumi").unwrap().0.title, "object title");
    let kinds: Vec<KeyKind> = file.keys().unwrap().iter().map(|key| key.kind).collect();
    assert_eq!(
        kinds,
        [KeyKind::Other, KeyKind::Ntuple, KeyKind::Directory, KeyKind::Ntuple, KeyKind::Ntuple]
    );
}

#[test]
fn a_damaged_directory_hides_only_itself() {
    let mut bytes = file_with(&["a/Lost", "b/Events"]);
    redirect(&mut bytes, "a", 1 << 40);
    let file = open(bytes).unwrap();
    assert!(file.ntuples().is_err());
    assert!(file.anchor("b/Events").is_ok());
    assert_eq!(file.anchor("a/Lost").unwrap_err().kind(), ErrorKind::OutOfSpec);
    assert!(!file.verify().unwrap().is_sound());
}

#[test]
fn deep_directories_have_a_limit() {
    let deep = "d/".repeat(512) + "nt";
    let file = open(file_with(&[&deep])).unwrap();
    assert_eq!(paths(&file), [deep.as_str()]);
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    assert!(writer.any().reserve(&("d/".repeat(513) + "nt")).is_err());
}

// --- faults that only a check finds

#[test]
fn the_check_finds_what_readers_do_not_mind() {
    let good = file_with(&["Events"]);
    let number = |at: usize| u32::from_be_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    let (free, info) = (number(16), number(37));
    let faults = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let file = open(bytes).unwrap();
        assert!(file.anchor("Events").is_ok());
        file.verify().unwrap().faults.iter().map(|fault| fault.to_string()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(faults(&|_| ()), "");
    for (change, expected) in [
        (&(|bytes: &mut Vec<u8>| bytes[16..20].fill(0)) as &dyn Fn(&mut Vec<u8>), "no free list"),
        (&|bytes| bytes[37..41].fill(0), "no streamer info"),
        (&|bytes| bytes[41] ^= 1, "another size for the streamer info"),
        (&|bytes| bytes[info + 72..].copy_within(1.., 0), "no byte count"),
        (&|bytes| bytes[free + 40..].fill(0), "version 0"),
        (
            &|bytes| {
                let at = bytes.len() - 5;
                bytes[at] ^= 1;
            },
            "does not end in the bytes",
        ),
        (&|bytes| bytes[free..free + 4].fill(0), "a record has 0 bytes"),
        (&|bytes| bytes[free..free + 4].copy_from_slice(&(-30i32).to_be_bytes()), "does not know"),
        (&|bytes| bytes[free..free + 4].copy_from_slice(&(-3i32).to_be_bytes()), "a gap has 3 bytes"),
        (&|bytes| bytes[info + 3] += 1, "the next record begins after"),
        (&|bytes| bytes[info + 25] ^= 1, "says that the record is at"),
    ] {
        let found = faults(change);
        assert!(found.contains(expected), "{expected}: {found:?}");
    }
}

// --- big files

fn big_file(first_record: u64) -> (RootFile, u64) {
    let mut writer = starting_at(Sparse::default(), first_record);
    let start = writer.any().end();
    put_dummy(&mut writer, "Events");
    put_dummy(&mut writer, "run/Lumi");
    writer.any().finish().unwrap();
    (RootFile::from_storage(writer.into_inner()).unwrap(), start)
}

#[test]
fn every_layout_is_read_back_around_its_threshold() {
    for first in [
        0,
        1_999_900_000,
        2_000_000_000 - 3000,
        2_000_000_000 - 1000,
        2_000_000_000,
        2_000_000_250,
        (1 << 31) - 1,
        1 << 31,
        2_999_998_000,
        3_000_000_000,
        4_000_000_000,
        (1 << 32) - 1500,
        1 << 32,
        6_000_000_249,
        5 << 40,
    ] {
        let (file, start) = big_file(first);
        assert!(start >= first);
        assert_eq!(paths(&file), ["Events", "run/Lumi"]);
        let (_, anchor) = file.anchor("run/Lumi").unwrap();
        assert_eq!(&*file.payload(anchor.footer.offset, 30, anchor.max_key_size).unwrap(), [b'f'; 30]);
        let report = assert_sound(&file);
        assert_eq!(report.records, 14);
        if first > 0 {
            assert_eq!(report.gaps, (first - 228).div_ceil(2_000_000_000), "{first}");
        }
        let head = file.storage().block(0..250).unwrap();
        let large = file.end() > 2_000_000_000;
        assert_eq!(head[4..8] == 1_063_600u32.to_be_bytes(), large, "{first}");
    }
}

#[test]
fn a_sparse_file_of_the_system_is_read_beyond_4_gib() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big.root");
    let mut writer = starting_at(LocalFile::create(&path).unwrap(), 5 << 30);
    let anchor = put_dummy(&mut writer, "run/Events");
    let end = writer.any().finish().unwrap();
    drop(writer);
    assert!(anchor.header.offset > 1 << 32 && end > 5 << 30);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), end);
    let file = RootFile::open(&path).unwrap();
    assert_eq!(file.anchor("run/Events").unwrap().1, anchor);
    assert_eq!(assert_sound(&file).gaps, 3);
}

#[test]
fn a_file_can_be_shared_between_threads() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug>() {}
    check::<RootFile>();
    fn check_send<T: Send>() {}
    check_send::<FileWriter<Memory>>();
}

/// Writes files for other programs into the directory that `RNTUPLE_INTEROP_DIR` names.
#[test]
#[ignore = "writes files for other programs"]
fn files_for_other_programs() {
    let directory = std::path::PathBuf::from(std::env::var_os("RNTUPLE_INTEROP_DIR").unwrap());
    let write = |name: &str, paths: &[&str], first_record: u64, finish: bool| {
        let mut writer = starting_at(LocalFile::create(directory.join(name)).unwrap(), first_record);
        for path in paths {
            put_dummy(&mut writer, path);
        }
        if finish {
            writer.any().finish().unwrap();
        }
    };
    write("empty.root", &[], 0, true);
    write("one.root", &["Events"], 0, true);
    write("cycles.root", &["Events", "Events", "Other", "Events"], 0, true);
    write("several.root", &["Events", "run/Lumi", "Other", "run/deep/er/Events"], 0, true);
    for (name, first) in [("big_2g.root", 2_000_000_000), ("big_3g.root", 3 << 30), ("big_5g.root", 5 << 30)]
    {
        write(name, &["Events", "run/Lumi"], first, true);
    }
    write("unfinished_empty.root", &[], 0, false);
    write("unfinished.root", &["Events"], 0, false);
}

/// Reads the files in `RNTUPLE_INTEROP_DIR` after other programs have changed them.
#[test]
#[ignore = "reads files that other programs have changed"]
fn files_from_other_programs() {
    let directory = std::path::PathBuf::from(std::env::var_os("RNTUPLE_INTEROP_DIR").unwrap());
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match RootFile::open(&path) {
            Ok(file) => {
                let keys: Vec<String> = file
                    .keys()
                    .unwrap()
                    .iter()
                    .map(|key| format!("{};{} {}", key.path(), key.cycle, key.class))
                    .collect();
                for key in file.ntuples().unwrap() {
                    file.anchor(&key.path()).unwrap();
                }
                let report = file.verify().unwrap();
                println!("{}: {} {:?}", path.display(), report.records, keys);
                assert!(report.is_sound(), "{:?}", report);
            }
            Err(error) => println!("{error}"),
        }
    }
}
