//! Inputs of different schemas.

use rntuple::encoding::ColumnEncoding;
use rntuple::merge::{MergeOptions, SchemaMode};
use rntuple::{Compression, Dataset, ErrorKind, RNTuple, RootFile, WriteOptions};
use rntuple_tests::sample::Process;

use super::common::{assert_sound, merge, refused, typed, write};
use crate::sides::{Grown, Side, Swapped};

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Muon {
    pt: f32,
    #[rntuple(default)]
    hits: [u16; 3],
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct BareMuon {
    pt: f32,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Full {
    number: u32,
    muons: Vec<Muon>,
    label: String,
    pairs: [(bool, f64); 2],
    weight: Option<f32>,
    tags: Vec<Vec<String>>,
    process: Option<Process>,
    bits: [bool; 11],
    spot: Muon,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Bare {
    muons: Vec<BareMuon>,
    number: u32,
    spot: BareMuon,
}

fn full(count: u32) -> Vec<Full> {
    let entry = |i: u32| Full {
        number: i,
        muons: (0..i % 3).map(|j| Muon { pt: j as f32 + 0.5, hits: [1, i as u16, 3] }).collect(),
        label: format!("label {i}"),
        pairs: [(true, 1.5), (i.is_multiple_of(2), -2.0)],
        weight: i.is_multiple_of(2).then_some(0.5),
        tags: vec![vec!["a".to_owned(); i as usize % 3]; i as usize % 2],
        process: (i % 2 == 1).then(Process::default),
        bits: [true; 11],
        spot: Muon { pt: 9.0, hits: [i as u16; 3] },
    };
    (0..count).map(entry).collect()
}

fn bare(count: u32) -> Vec<Bare> {
    let entry = |i: u32| Bare {
        muons: (0..i % 4).map(|j| BareMuon { pt: j as f32 - 7.0 }).collect(),
        number: i + 1000,
        spot: BareMuon { pt: i as f32 },
    };
    (0..count).map(entry).collect()
}

/// What a full entry is where only these parts are.
fn filled(bare: &[Bare]) -> Vec<Full> {
    let muon = |muon: &BareMuon| Muon { pt: muon.pt, ..Muon::default() };
    let entry = |bare: &Bare| Full {
        number: bare.number,
        muons: bare.muons.iter().map(muon).collect(),
        spot: muon(&bare.spot),
        ..Full::default()
    };
    bare.iter().map(entry).collect()
}

fn small(settings: Compression) -> WriteOptions {
    WriteOptions::new().cluster_size(800).max_page_length(64).compression(settings)
}

fn both(settings: Compression) -> [RootFile; 2] {
    [write(&full(50), small(settings)), write(&bare(70), small(settings))]
}

#[test]
fn a_union_has_zeros_where_a_field_was_missing() {
    for settings in [Compression::NONE, Compression::zstd(1)] {
        let [full_file, bare_file] = both(settings);
        let union = || MergeOptions::new().schema(SchemaMode::Union);
        let (summary, merged) = merge(&[full_file.clone(), bare_file.clone()], union());
        let wanted = [full(50), filled(&bare(70))].concat();
        assert_eq!(typed::<Full>(&merged), wanted);
        assert!(summary.zero_pages > 0);
        let again = merge(&[merged.clone(), bare_file.clone()], union()).1;
        assert_eq!(typed::<Full>(&again), [wanted, filled(&bare(70))].concat());
        // The other way round, and compressed anew.
        for options in [union(), union().compression(Compression::lz4(1))] {
            let (_, merged) = merge(&[bare_file.clone(), full_file.clone(), bare_file.clone()], options);
            let wanted = [filled(&bare(70)), full(50), filled(&bare(70))].concat();
            assert_eq!(typed::<Full>(&merged), wanted);
            let names: Vec<String> = {
                let dataset = Dataset::open(&merged, "Events").unwrap();
                let schema = dataset.schema();
                schema.top_level().iter().map(|id| schema.field(*id).unwrap().name.clone()).collect()
            };
            assert_eq!(&names[..4], ["muons", "number", "spot", "label"]);
            let alone = merge(&[merged.clone(), merged], MergeOptions::new()).1;
            assert_eq!(typed::<Full>(&alone).len(), 380);
        }
    }
}

#[test]
fn zeros_of_one_length_are_stored_once() {
    let options = || WriteOptions::new().cluster_size(1000);
    let [full_file, bare_file] = [write(&full(5), options()), write(&bare(20_000), options())];
    let (summary, merged) = merge(&[full_file, bare_file], MergeOptions::new().schema(SchemaMode::Union));
    assert_eq!(typed::<Full>(&merged).len(), 20_005);
    assert!(summary.clusters > 20 && summary.zero_pages > 200, "{summary:?}");
    assert!(merged.end() < 200_000, "{}", merged.end());
}

#[test]
fn nothing_but_the_first_input_s_fields_is_kept_by_a_filter() {
    let [full_file, bare_file] = both(Compression::zstd(1));
    let filter = || MergeOptions::new().schema(SchemaMode::Filter);
    let (summary, merged) = merge(&[bare_file.clone(), full_file.clone()], filter());
    let kept = |full: Full| Bare {
        muons: full.muons.iter().map(|muon| BareMuon { pt: muon.pt }).collect(),
        number: full.number,
        spot: BareMuon { pt: full.spot.pt },
    };
    let wanted: Vec<Bare> = bare(70).into_iter().chain(full(50).into_iter().map(kept)).collect();
    assert_eq!(typed::<Bare>(&merged), wanted);
    assert_eq!(summary.zero_pages, 0);
    assert!(Dataset::open(&merged, "Events").unwrap().schema().find("label").is_none());
    let error = refused(&[full_file, bare_file], filter());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(error.to_string().contains("missing, but memory has it"), "{error}");
}

#[test]
fn strict_is_the_default() {
    let [full_file, bare_file] = both(Compression::zstd(1));
    let error = refused(&[full_file.clone(), bare_file.clone()], MergeOptions::new());
    assert!(error.to_string().contains("muons._0.hits: missing, but memory has it"), "{error}");
    let error = refused(&[bare_file, full_file], MergeOptions::new());
    assert!(error.to_string().contains("muons._0.hits: a field that memory lacks"), "{error}");
}

#[test]
fn the_order_of_fields_may_differ() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Ab {
        a: u8,
        b: Vec<f32>,
        c: (String, bool),
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Ba {
        c: (String, bool),
        b: Vec<f32>,
        a: u8,
    }
    let ab = vec![Ab { a: 1, b: vec![2.0, 3.0], c: ("four".to_owned(), true) }; 5];
    let ba = vec![Ba { a: 9, b: vec![], c: ("eight".to_owned(), false) }; 5];
    let files = [write(&ab, WriteOptions::new()), write(&ba, WriteOptions::new())];
    let merged = merge(&files, MergeOptions::new()).1;
    let other = vec![Ab { a: 9, b: vec![], c: ("eight".to_owned(), false) }; 5];
    assert_eq!(typed::<Ab>(&merged), [ab, other].concat());
}

#[test]
fn fields_that_differ_are_refused_by_name() {
    #[derive(RNTuple, Clone)]
    struct Numbers {
        x: f32,
        y: [u8; 3],
        z: Vec<i16>,
    }
    #[derive(RNTuple, Clone)]
    struct Double {
        x: f64,
        y: [u8; 3],
        z: Vec<i16>,
    }
    #[derive(RNTuple, Clone)]
    struct Long {
        x: f32,
        y: [u8; 4],
        z: Vec<i16>,
    }
    #[derive(RNTuple, Clone)]
    struct Other {
        x: f32,
        y: [u8; 3],
        z: Vec<u16>,
    }
    let numbers = write(&[Numbers { x: 1.0, y: [1; 3], z: vec![] }], WriteOptions::new());
    let double = write(&[Double { x: 1.0, y: [1; 3], z: vec![] }], WriteOptions::new());
    let long = write(&[Long { x: 1.0, y: [1; 4], z: vec![] }], WriteOptions::new());
    let other = write(&[Other { x: 1.0, y: [1; 3], z: vec![] }], WriteOptions::new());
    for mode in [SchemaMode::Strict, SchemaMode::Union, SchemaMode::Filter] {
        for (file, wanted) in [
            (&double, "x: double here, but float in memory"),
            (&long, "y: an array of 4 here, but an array of 3 in memory"),
            (&other, "z: std::vector<std::uint16_t> here, but std::vector<std::int16_t> in memory"),
        ] {
            let error = refused(&[numbers.clone(), file.clone()], MergeOptions::new().schema(mode));
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
            assert!(error.to_string().contains(wanted), "{error}");
            assert!(error.to_string().starts_with("memory: Events: "), "{error}");
        }
    }
}

#[test]
fn descriptions_that_contradict_each_other_are_refused_and_variants_may_be_added() {
    #[derive(RNTuple)]
    #[repr(u8)]
    enum Turned {
        Right = 1,
        Up,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Hit<T> {
        side: T,
        #[rntuple(unit = "mm")]
        x: f32,
    }
    #[derive(RNTuple)]
    struct InCentimetres {
        side: Side,
        #[rntuple(unit = "cm")]
        x: f32,
    }
    let left = write(&[Hit { side: Side::Left, x: 1.0 }], WriteOptions::new());
    let right = write(&[Hit { side: Side::Right, x: 1.0 }], WriteOptions::new());
    let swapped = [Hit { side: Swapped::Left, x: 1.0 }, Hit { side: Swapped::Right, x: 1.0 }];
    let swapped = write(&swapped, WriteOptions::new());
    let centimetres = write(&[InCentimetres { side: Side::Left, x: 1.0 }], WriteOptions::new());
    for (file, wanted) in [
        (swapped, "side: `Right` as 0 here, but `Right` as 1 in memory"),
        (centimetres, "x: values in cm here, but values in mm in memory"),
    ] {
        let error = refused(&[left.clone(), file], MergeOptions::new());
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let grown = write(&[Hit { side: Grown::Top, x: 2.0 }], WriteOptions::new());
    let turned = [Hit { side: Turned::Right, x: 1.0 }];
    let turned = write(&turned, WriteOptions::new());
    // What the first file does not say, the second one does.
    let error = refused(&[left.clone(), grown.clone(), turned.clone()], MergeOptions::new());
    assert!(error.to_string().contains("side: `Up` as 2 here, but `Top` as 2 in memory"), "{error}");
    // Each has a variant that the other one lacks.
    let merged = merge(&[left.clone(), turned], MergeOptions::new()).1;
    let dataset = Dataset::open(&merged, "Events").unwrap();
    let schema = dataset.schema();
    let side = schema.find("side").and_then(|id| schema.field(id)).unwrap();
    assert_eq!(side.enumerators(), [("Left", 0), ("Right", 1), ("Up", 2)]);
    let merged = merge(&[left, right, grown], MergeOptions::new()).1;
    let dataset = Dataset::open(&merged, "Events").unwrap();
    let schema = dataset.schema();
    let side = schema.find("side").and_then(|id| schema.field(id)).unwrap();
    assert_eq!(side.enumerators(), [("Left", 0), ("Right", 1), ("Top", 2)]);
    let hit = |side, x| Hit { side, x };
    assert_eq!(
        typed::<Hit<Grown>>(&merged),
        [hit(Grown::Left, 1.0), hit(Grown::Right, 1.0), hit(Grown::Top, 2.0)]
    );
}

#[test]
fn zeros_that_a_quantised_field_cannot_hold_are_refused() {
    #[derive(RNTuple, Clone)]
    struct Quantised {
        a: u8,
        x: f64,
    }
    #[derive(RNTuple, Clone)]
    struct Without {
        a: u8,
    }
    let without = write(&[Without { a: 1 }], WriteOptions::new());
    let quantised = |min, max| {
        let options = WriteOptions::new().encoding("x", ColumnEncoding::quantized(8, min, max).unwrap());
        write(&[Quantised { a: 2, x: max }], options)
    };
    let union = || MergeOptions::new().schema(SchemaMode::Union);
    let error = refused(&[without.clone(), quantised(1.0, 2.0)], union());
    assert!(error.to_string().contains("x: entries without it would be zero"), "{error}");
    let merged = merge(&[without, quantised(-1.0, 1.0)], union()).1;
    assert_sound(&merged);
    let found: Vec<f64> = typed::<Quantised>(&merged).iter().map(|entry| entry.x).collect();
    assert!(found[0].abs() < 0.01 && found[1] == 1.0, "{found:?}");
}

#[test]
fn inputs_without_entries_bring_their_fields() {
    let empty = write::<Full>(&[], WriteOptions::new());
    let bare_file = write(&bare(3), WriteOptions::new());
    let (summary, merged) =
        merge(&[empty.clone(), bare_file, empty.clone()], MergeOptions::new().schema(SchemaMode::Union));
    assert_eq!((summary.entries, summary.clusters), (3, 1));
    assert_eq!(typed::<Full>(&merged), filled(&bare(3)));
    let (summary, merged) = merge(&[empty.clone(), empty], MergeOptions::new());
    assert_eq!(summary.entries, 0);
    assert!(typed::<Full>(&merged).is_empty());
}
