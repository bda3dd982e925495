//! `f16`, `truncate`, `quantize`, `double32`, `encoding`, `index`, `compression`.

use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, WriteOptions, Writer};

use super::common::{columns, dataset, field, list, many, round_trip, schema_of, text};

/// Values that all of the encodings hold exactly.
fn exact(n: u64) -> f32 {
    (n % 8) as f32 * 0.5
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Coarse {
    #[rntuple(f16)]
    half: f32,
    #[rntuple(f16)]
    halves: Vec<[f64; 2]>,
    #[rntuple(truncate(bits = 14))]
    cut: f32,
    #[rntuple(truncate(bits = 20))]
    cuts: Vec<Option<f64>>,
    #[rntuple(quantize(bits = 9, min = -255.5, max = 0.0))]
    steps: f32,
    #[rntuple(quantize(bits = 9, min = -255.5, max = 0.0))]
    all_steps: Vec<(u8, f64)>,
    #[rntuple(double32)]
    double32: f64,
    #[rntuple(double32)]
    doubles: Vec<Vec<f64>>,
}

fn coarse(n: u64) -> Coarse {
    let wide = |n| f64::from(exact(n));
    Coarse {
        half: exact(n),
        halves: list(n, |i| [wide(i), -1.0]),
        cut: exact(n),
        cuts: list(n, |i| (i.is_multiple_of(2)).then(|| wide(i))),
        steps: -exact(n),
        all_steps: list(n, |i| (i as u8, -wide(i))),
        double32: wide(n),
        doubles: list(n, |i| list(i, wide)),
    }
}

#[test]
fn floating_point_may_be_narrower() {
    let entries = many(coarse);
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    for (path, column, bits) in [
        ("half", "Real16", 16),
        ("halves._0._0", "Real16", 16),
        ("cut", "Real32Trunc", 14),
        ("cuts._0._0", "Real32Trunc", 20),
        ("steps", "Real32Quant", 9),
        ("all_steps._0._1", "Real32Quant", 9),
        ("double32", "SplitReal32", 32),
        ("doubles._0._0", "SplitReal32", 32),
    ] {
        assert_eq!(columns(&schema, path), [column], "{path}");
        let id = schema.representations(schema.find(path).unwrap())[0][0];
        assert_eq!(schema.column(id).unwrap().bits, bits, "{path}");
    }
    let id = schema.representations(schema.find("steps").unwrap())[0][0];
    assert_eq!(schema.column(id).unwrap().range, Some((-255.5, 0.0)));
    // The integers beside them are as they were.
    assert_eq!(columns(&schema, "all_steps._0._0"), ["UInt8"]);
    let double = field(&schema, "double32");
    assert_eq!((&*double.type_name, &*double.type_alias), ("double", "Double32_t"));
    let doubles = field(&schema, "doubles");
    assert_eq!(doubles.type_name, "std::vector<std::vector<double>>");
    assert_eq!(doubles.type_alias, "std::vector<std::vector<Double32_t>>");
    assert_eq!(field(&schema, "half").type_alias, "");
}

#[test]
fn what_is_between_steps_comes_back_near() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Values {
        #[rntuple(f16)]
        half: f32,
        #[rntuple(truncate(bits = 16))]
        cut: f32,
        #[rntuple(quantize(bits = 16, min = -10.0, max = 10.0))]
        step: f32,
        #[rntuple(double32)]
        double: f64,
    }
    let value = |n: u64| (n as f32 / 7.0 - 2.5) * 1.1;
    let entries = many(|n| Values { half: value(n), cut: value(n), step: value(n), double: value(n).into() });
    let file = super::common::write(&entries);
    for (read, wanted) in super::common::open::<Values>(&file).unwrap().entries().zip(&entries) {
        let read = read.unwrap();
        let near = |read: f32, wanted: f32, relative: f32| (read - wanted).abs() <= wanted.abs() * relative;
        assert!(near(read.half, wanted.half, 1.0 / 2048.0), "{read:?} {wanted:?}");
        assert!(near(read.cut, wanted.cut, 1.0 / 128.0) && read.cut.abs() <= wanted.cut.abs(), "{read:?}");
        assert!((read.step - wanted.step).abs() <= 20.0 / 65535.0, "{read:?} {wanted:?}");
        assert_eq!(read.double, wanted.double);
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Chosen {
    #[rntuple(encoding = "Real32")]
    double: f64,
    #[rntuple(encoding = "Int16")]
    short: i16,
    #[rntuple(encoding = "UInt64")]
    numbers: Vec<u64>,
    #[rntuple(encoding = "Index32")]
    label: String,
    #[rntuple(offsets = "Index32")]
    hits: Vec<Hit>,
    #[rntuple(offsets = "SplitIndex32", encoding = "Real64")]
    sums: Vec<Vec<f64>>,
    #[rntuple(encoding = "Bit")]
    flags: Vec<bool>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hit {
    /// Not what the member above asks for.
    #[rntuple(offsets = "Index64")]
    notes: Vec<String>,
    cells: Vec<u8>,
}

#[test]
fn column_types_are_chosen_by_name() {
    let entries = many(|n| Chosen {
        double: exact(n).into(),
        short: n as i16 - 20,
        numbers: list(n, |i| i << 40),
        label: text(n),
        hits: list(n, |i| Hit { notes: list(i, text), cells: list(i, |i| i as u8) }),
        sums: list(n, |i| list(i, |i| i as f64 / 3.0)),
        flags: list(n, |i| i.is_multiple_of(2)),
    });
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    for (path, expected) in [
        ("double", &["Real32"][..]),
        ("short", &["Int16"]),
        ("numbers", &["SplitIndex64"]),
        ("numbers._0", &["UInt64"]),
        ("label", &["Index32", "Char"]),
        ("hits", &["Index32"]),
        ("hits._0.notes", &["Index64"]),
        // The nearest wish holds for all below it.
        ("hits._0.notes._0", &["Index64", "Char"]),
        ("hits._0.cells", &["Index32"]),
        ("sums", &["SplitIndex32"]),
        ("sums._0", &["SplitIndex32"]),
        ("sums._0._0", &["Real64"]),
        ("flags._0", &["Bit"]),
    ] {
        assert_eq!(columns(&schema, path), expected, "{path}");
    }
    // `double` is no `Double32_t`, though as wide.
    assert_eq!(field(&schema, "double").type_alias, "");
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Packed {
    usual: u64,
    #[rntuple(compression = "lz4:4")]
    fast: Vec<u64>,
    #[rntuple(compression = "none")]
    noise: u64,
    #[rntuple(compression = "zlib")]
    inner: Inner,
    #[rntuple(flatten, compression = "lzma:2")]
    group: Group,
    choice: Choice,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Inner {
    value: u64,
    #[rntuple(compression = "zstd:9")]
    nearest: u64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Group {
    member: u64,
    #[rntuple(compression = "zstd:7")]
    nearest_member: Vec<u64>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Choice {
    Number(#[rntuple(compression = "zlib:3")] u64),
    Pair {
        #[rntuple(compression = "lz4")]
        first: u64,
        second: u64,
    },
}

fn packed(n: u64) -> Packed {
    Packed {
        usual: n,
        fast: list(n, |i| i),
        noise: n,
        inner: Inner { value: n, nearest: n },
        group: Group { member: n, nearest_member: list(n, |i| i) },
        choice: if n.is_multiple_of(2) { Choice::Number(n) } else { Choice::Pair { first: n, second: n } },
    }
}

#[test]
fn members_are_compressed_as_they_say() {
    let entries = many(packed);
    round_trip(&entries);

    let mut writer = Writer::<Packed, _>::new(
        Memory::new(),
        "Events",
        WriteOptions::new().compression(Compression::zstd(1)),
    )
    .unwrap();
    writer.fill_all(&(0..2000).map(packed).collect::<Vec<_>>()).unwrap();
    let dataset = dataset(&writer.finish_into().unwrap().1);
    let schema = dataset.schema();
    for (path, settings) in [
        ("usual", Compression::zstd(1)),
        ("fast", Compression::lz4(4)),
        ("fast._0", Compression::lz4(4)),
        ("noise", Compression::NONE),
        ("inner.value", Compression::zlib(6)),
        ("inner.nearest", Compression::zstd(9)),
        ("member", Compression::lzma(2)),
        ("nearest_member", Compression::zstd(7)),
        ("nearest_member._0", Compression::zstd(7)),
        ("choice", Compression::zstd(1)),
        ("choice._0", Compression::zlib(3)),
        ("choice._1.first", Compression::lz4(4)),
        ("choice._1.second", Compression::zstd(1)),
    ] {
        let id = schema.representations(schema.find(path).unwrap())[0][0];
        let found = dataset.cluster(0).unwrap().columns[id.index()].compression;
        assert_eq!(found, settings.code(), "{path}");
        // Where nothing is compressed, nothing is split.
        let name = columns(schema, path)[0];
        if name.contains("64") && !matches!(path, "choice") {
            assert_eq!(name.starts_with("Split"), path != "noise", "{path} as {name}");
        }
    }
}
