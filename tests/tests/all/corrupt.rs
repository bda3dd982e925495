//! Damaged files get an error and nothing else: every prefix and every flipped byte of small files.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::ops::Range;

use rntuple::check::{CheckOptions, check_file};
use rntuple::field::{ReadField, WriteField};
use rntuple::root::{FileOptions, FormatVersion};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, ErrorKind, RNTuple, Reader, RootFile, RootFileWriter, Value, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::places::places;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, Marker, One, Process, Sample, samples};

/// All entries, if they can be read without an error.
fn read_all<T: rntuple::Entry + ReadField>(file: &RootFile, path: &str) -> Option<Vec<T>> {
    match Reader::<T>::open(file, path) {
        Ok(reader) => reader.entries().collect::<Result<_, _>>().ok(),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// The values of all ntuples, if the checker finds no fault and everything can be read, by type and without one.
fn contents<T: rntuple::Entry + ReadField>(bytes: Vec<u8>, paths: &[String]) -> Option<Vec<Value>> {
    let file = RootFile::from_storage(Memory::from(bytes)).ok()?;
    let listed = file.ntuples().is_ok_and(|keys| keys.len() == paths.len());
    let is_sound = check_file(&file, CheckOptions::new()).faults.is_empty();
    let mut contents = (listed && is_sound).then(Vec::new);
    // Each is tried, also behind one that fails: none may panic.
    for path in paths {
        let (values, typed) = (read_all::<Value>(&file, path), read_all::<T>(&file, path));
        match (&mut contents, values, typed) {
            (Some(contents), Some(values), Some(typed)) if values.len() == typed.len() => {
                contents.extend(values)
            }
            _ => contents = None,
        }
    }
    contents
}

/// The bytes that a checksum covers.
fn covered(file: &RootFile, paths: &[String]) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    for key in file.ntuples().unwrap() {
        let end = key.offset + key.size;
        let signed = match Dataset::open(file, &key.path()).unwrap().anchor().format_version {
            FormatVersion::Rc10 | FormatVersion::Rc11 | FormatVersion::Rc12 => 0,
            FormatVersion::Rc20 => 64,
            _ => 72,
        };
        if key.size >= signed {
            ranges.push(end - signed..end);
        }
    }
    for path in paths {
        let dataset = Dataset::open(file, path).unwrap();
        let mut add = |offset: u64, size: u64| ranges.push(offset..offset + size);
        // The checksum of an envelope is that of its bytes before compression.
        for span in [dataset.anchor().header, dataset.anchor().footer] {
            if span.size == span.length {
                add(span.offset, span.size);
            }
        }
        for group in dataset.cluster_groups() {
            if let Locator::File { offset, size } = group.page_list
                && size == group.page_list_length
            {
                add(offset, size);
            }
        }
        for page in
            clusters(&dataset).iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages)
        {
            if let (Locator::File { offset, size }, true) = (page.locator, page.has_checksum) {
                add(offset, size + 8);
            }
        }
    }
    ranges
}

fn torture<T: rntuple::Entry + ReadField>(bytes: &[u8], name: &str) {
    let file = RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap();
    let paths: Vec<String> = file.ntuples().unwrap().iter().map(|key| key.path()).collect();
    let sound = contents::<T>(bytes.to_vec(), &paths).unwrap();
    let covered = covered(&file, &paths);
    let has_checksums = paths.iter().all(|path| {
        let dataset = Dataset::open(&file, path).unwrap();
        let clusters = clusters(&dataset);
        let mut columns = clusters.iter().flat_map(|cluster| &cluster.columns);
        columns.all(|column| column.pages.iter().all(|page| page.has_checksum))
    });
    for length in places(bytes.len()) {
        assert!(contents::<T>(bytes[..length].to_vec(), &paths).is_none(), "{name} cut at {length}");
    }
    for position in places(bytes.len()) {
        for mask in [0x01, 0x80] {
            let mut damaged = bytes.to_vec();
            damaged[position] ^= mask;
            let Some(contents) = contents::<T>(damaged, &paths) else { continue };
            let is_covered = covered.iter().any(|range| range.contains(&(position as u64)));
            assert!(!is_covered, "{name}: byte {position} flipped by {mask:#x} goes unnoticed");
            // Where no checksum covers the byte (dates, titles, ways to compress), it must not matter.
            assert!(
                contents == sound || !has_checksums,
                "{name}: byte {position} flipped by {mask:#x} changes values"
            );
        }
    }
}

fn written<T: rntuple::Entry + WriteField + Sample>(count: usize, options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&samples(count, 11)).unwrap();
    writer.finish_into().unwrap().1.into_bytes()
}

#[test]
fn flat_files_of_every_codec() {
    for compression in [
        Compression::NONE,
        Compression::zstd(1),
        Compression::lz4(1),
        Compression::zlib(6),
        Compression::lzma(1),
    ] {
        let options = WriteOptions::new().compression(compression).max_page_length(256).cluster_size(400);
        torture::<One<Vec<String>>>(&written::<One<Vec<String>>>(20, options), &compression.to_string());
    }
}

#[test]
fn files_without_checksums() {
    let options = WriteOptions::new().checksums(false).max_page_length(128);
    torture::<One<Vec<Process>>>(&written::<One<Vec<Process>>>(4, options), "without checksums");
}

#[test]
fn nested_files() {
    torture::<Event>(&written::<Event>(1, WriteOptions::new()), "nested");
}

#[test]
fn records_without_columns() {
    torture::<One<Vec<(Marker, u8)>>>(&written::<One<Vec<(Marker, u8)>>>(3, WriteOptions::new()), "markers");
}

#[test]
fn files_of_several_ntuples() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    for path in ["a", "d/b", "d/e/c"] {
        let mut writer = file.writer::<One<u16>>(path, WriteOptions::new()).unwrap();
        writer.fill_all(&samples(5, 1)).unwrap();
        writer.finish().unwrap();
    }
    torture::<One<u16>>(&file.finish().unwrap().into_bytes(), "several");
}

#[test]
fn files_by_root() {
    whole_files("-v1.", 2600);
}

#[test]
fn files_of_release_candidate_1() {
    whole_files("-epoch0-rc1.", 2000);
}

#[test]
fn files_of_release_candidate_2() {
    whole_files("-epoch0-rc2.", 2000);
}

/// Damages the files by ROOT of less than `length` bytes whose names have this part.
fn whole_files(part: &str, length: usize) {
    for reference in reference::files(part) {
        let bytes = std::fs::read(&reference.file).unwrap();
        let ntuples = reference.expected["rntuples"].as_array().unwrap();
        let entries: u64 = ntuples.iter().filter_map(|ntuple| ntuple["num_entries"].as_u64()).sum();
        if bytes.len() < length && entries <= 30 {
            torture::<Value>(&bytes, &reference.name);
        }
    }
}

/// What `int_float` holds in every generation.
#[derive(Debug, RNTuple)]
struct Numbers {
    one_integers: i32,
    two_floats: f32,
}

#[test]
fn numbers_of_before_version_1_by_type() {
    for reference in reference::files("int_float-epoch0-") {
        if !reference.name.starts_with("1jag") {
            let file = RootFile::open(&reference.file).unwrap();
            let numbers = read_all::<Numbers>(&file, "ntuple").unwrap();
            assert_eq!((numbers[0].one_integers, numbers[0].two_floats), (9, 9.9));
            torture::<Numbers>(&std::fs::read(&reference.file).unwrap(), &reference.name);
        }
    }
}

/// What `stl_containers` holds in every generation; rc1.0 has the members of its tuples backwards.
#[derive(Debug, RNTuple)]
struct Containers {
    string: String,
    vector_vector_int32: Vec<Vec<i32>>,
    vector_string: Vec<String>,
    tuple_int32_string: (i32, String),
    vector_tuple_int32_string: Vec<(i32, String)>,
}

#[test]
fn containers_of_before_version_1_by_type() {
    for reference in reference::files("stl_containers-epoch0-") {
        let file = RootFile::open(&reference.file).unwrap();
        let containers = read_all::<Containers>(&file, "ntuple").unwrap();
        let two = &containers[1];
        assert_eq!((&*two.string, &two.vector_string), ("two", &vec!["one".to_owned(), "two".to_owned()]));
        assert_eq!(two.vector_vector_int32, [[1], [2]]);
        assert_eq!(two.tuple_int32_string, (2, "two".to_owned()));
        assert_eq!(two.vector_tuple_int32_string[0], (1, "one".to_owned()));
        if reference.name.ends_with("rc1.0") {
            torture::<Containers>(&std::fs::read(&reference.file).unwrap(), &reference.name);
        }
    }
}

#[test]
fn errors_name_file_field_and_offset() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.root");
    let bytes = written::<Event>(50, WriteOptions::new());
    let file = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let met = dataset.schema().find("met").unwrap();
    let column = dataset.schema().representations(met)[0][0];
    let Locator::File { offset, .. } = clusters(&dataset)[0].columns[column.index()].pages[0].locator else {
        panic!("in the file")
    };
    let mut damaged = bytes;
    damaged[usize::try_from(offset).unwrap() + 3] ^= 4;
    std::fs::write(&path, damaged).unwrap();
    let error = Reader::<Event>::open(&path, "Events").unwrap().get(7).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    let at = error.location();
    assert_eq!((at.field.as_deref(), at.page, at.offset), (Some("met"), Some(0), Some(offset)));
    assert_eq!((at.column, at.cluster, at.entry), (Some(column.0.into()), Some(0), Some(7)));
    let text = error.to_string();
    assert!(text.contains("damaged.root") && text.ends_with("checksum differs"), "{text}");
}
