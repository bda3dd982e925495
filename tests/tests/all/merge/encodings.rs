//! One field, stored in several ways.

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::merge::MergeOptions;
use rntuple::{Compression, Dataset, ErrorKind, RNTuple, RootFile, WriteOptions};
use rntuple_tests::sample::{Event, samples};

use super::common::{merge, refused, typed, write};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Record {
    number: i32,
    x: f32,
    name: String,
    list: Vec<u16>,
}

fn records(count: i32) -> Vec<Record> {
    let record = |i: i32| Record {
        number: i - 5,
        x: (i % 7) as f32 * 0.25,
        name: "n".repeat(i as usize % 4),
        list: (0..i as u16 % 5).collect(),
    };
    (0..count).map(record).collect()
}

fn with(changes: &[(&str, ColumnEncoding)]) -> RootFile {
    let mut options = WriteOptions::new();
    for (path, packing) in changes {
        options = options.encoding(*path, *packing);
    }
    write(&records(40), options)
}

#[test]
fn other_encodings_become_other_representations() {
    let plain = [
        ("number", ColumnEncoding::of(ColumnType::Int32)),
        ("x", ColumnEncoding::truncated(20).unwrap()),
        ("name", ColumnEncoding::of(ColumnType::Index32)),
        ("list", ColumnEncoding::of(ColumnType::SplitIndex32)),
    ];
    let files = [with(&[]), with(&plain), with(&[]), with(&plain[..1])];
    let (summary, merged) = merge(&files, MergeOptions::new());
    assert_eq!(summary.recompressed_pages, 0);
    let wanted: Vec<Record> = std::iter::repeat_with(|| records(40)).take(4).flatten().collect();
    assert_eq!(typed::<Record>(&merged), wanted);
    let dataset = Dataset::open(&merged, "Events").unwrap();
    let schema = dataset.schema();
    for path in ["number", "x", "name", "list"] {
        let lists = schema.representations(schema.find(path).unwrap());
        assert_eq!(lists.len(), 2, "{path}");
        let active = |cluster: u64, list: usize| {
            let column = &dataset.cluster(cluster).unwrap().columns[lists[list][0].index()];
            column.first_element
        };
        assert_eq!((active(0, 0), active(0, 1)), (Some(0), None), "{path}");
        assert_eq!((active(1, 0), active(1, 1)), (None, Some(40)), "{path}");
        assert_eq!((active(2, 0), active(2, 1)), (Some(80), None), "{path}");
    }
    assert_eq!(schema.representations(schema.find("list._0").unwrap()).len(), 1);
    // Merged files are inputs like others.
    let twice = merge(&[merged.clone(), merged], MergeOptions::new()).1;
    assert_eq!(typed::<Record>(&twice), [wanted.clone(), wanted].concat());
}

#[test]
fn compressed_and_uncompressed_events_merge() {
    let entries: Vec<Event> = samples(100, 3);
    let none = write(&entries, WriteOptions::new().compression(Compression::NONE));
    let zstd = write(&entries, WriteOptions::new());
    for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::zlib(1))] {
        let merged = merge(&[none.clone(), zstd.clone(), none.clone()], options).1;
        assert_eq!(typed::<Event>(&merged), [&*entries, &*entries, &*entries].concat());
    }
}

#[test]
fn strict_encodings_refuse_them() {
    let files = [with(&[]), with(&[("x", ColumnEncoding::of(ColumnType::Real16))])];
    let error = refused(&files, MergeOptions::new().strict_encoding(true));
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(error.to_string().contains("x: Real16 here, but SplitReal32 in memory"), "{error}");
    merge(&[files[0].clone(), files[0].clone()], MergeOptions::new().strict_encoding(true));
    let mixed = merge(&files, MergeOptions::new()).1;
    let error = refused(&[mixed], MergeOptions::new().strict_encoding(true));
    assert!(error.to_string().contains("x: Real16 here, but SplitReal32"), "{error}");
}

#[test]
fn ranges_of_quantised_values_must_be_the_same() {
    let file = |bits, max| with(&[("x", ColumnEncoding::quantized(bits, 0.0, max).unwrap())]);
    let error = refused(&[file(10, 2.0), file(10, 4.0)], MergeOptions::new());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let wanted = "x: Real32Quant(10, 0..4) here, but Real32Quant(10, 0..2) in memory";
    assert!(error.to_string().contains(wanted), "{error}");
    let (_, merged) = merge(&[file(10, 2.0), file(12, 2.0), with(&[])], MergeOptions::new());
    assert_eq!(typed::<Record>(&merged).len(), 120);
}
