//! What is written comes back: every type, every encoding, every codec, every layout.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;

use half::f16;
use rntuple::cxx::{BitSet, Byte, CxxChar};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, Value, WriteOptions, Writer};
use rntuple_tests::sample::{
    Cascade, Detector, Energy, Event, Jet, Marker, Muon, One, Pair, Process, Sample, Track, Vertex, samples,
};

const CODECS: [Compression; 5] = [
    Compression::NONE,
    Compression::zstd(1),
    Compression::lz4(1),
    Compression::zlib(6),
    Compression::lzma(1),
];

fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!(summary.entries, entries.len() as u64);
    assert_eq!(summary.file_size, file.as_bytes().len() as u64);
    file
}

/// Typed in order, typed at random, reused, and dynamic.
fn check<T>(entries: &[T], file: Memory)
where
    T: rntuple::Entry + WriteField + ReadField + PartialEq + Debug + Clone,
{
    let reader = Reader::<T>::open(file.clone(), "Events").unwrap();
    assert_eq!(reader.entry_count().unwrap(), entries.len() as u64);
    let read: Vec<T> = reader.entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, entries);
    for index in (0..entries.len()).rev().step_by(3) {
        assert_eq!(reader.get(index as u64).unwrap(), entries[index], "entry {index}");
    }
    if let Some(mut slot) = entries.last().cloned() {
        let mut walk = reader.entries();
        for wanted in entries {
            assert!(walk.read_into(&mut slot).unwrap());
            assert_eq!(slot, *wanted);
        }
        assert!(!walk.read_into(&mut slot).unwrap());
    }
    let middle = entries.len() / 3;
    let part: Vec<T> = reader.entries_in(middle as u64..u64::MAX).collect::<Result<_, _>>().unwrap();
    assert_eq!(part, entries[middle..]);
    let dynamic = Reader::<Value>::open(file, "Events").unwrap();
    assert_eq!(dynamic.entries().filter(Result::is_ok).count(), entries.len());
}

/// A type as the only member of an entry, in small clusters of small pages.
fn check_type<T>()
where
    T: Sample + WriteField + ReadField + PartialEq + Debug + Clone,
{
    let entries: Vec<One<T>> = samples::<T>(200, 7).into_iter().map(|value| One { value }).collect();
    for compression in CODECS {
        let options = WriteOptions::new().compression(compression).max_page_length(512).cluster_size(2048);
        check(&entries, write(&entries, options));
    }
    check(&entries[..0], write(&entries[..0], WriteOptions::new()));
    check(&entries[..1], write(&entries[..1], WriteOptions::new()));
}

macro_rules! types {
    ($($name:ident: $type:ty;)*) => {$(
        #[test]
        fn $name() {
            check_type::<$type>();
        }
    )*};
}

types! {
    booleans: bool;
    signed_8: i8;
    unsigned_8: u8;
    signed_16: i16;
    unsigned_16: u16;
    signed_32: i32;
    unsigned_32: u32;
    signed_64: i64;
    unsigned_64: u64;
    halves: f16;
    floats: f32;
    doubles: f64;
    bytes: Byte;
    characters: CxxChar;
    strings: String;
    boxed_strings: Box<str>;
    cows: Cow<'static, str>;
    vectors: Vec<f32>;
    vectors_of_bool: Vec<bool>;
    vectors_of_strings: Vec<String>;
    nested_vectors: Vec<Vec<Vec<i16>>>;
    boxed_slices: Box<[u32]>;
    deques: VecDeque<u8>;
    options: Option<f64>;
    options_of_strings: Option<String>;
    nested_options: Option<Option<i32>>;
    boxes: Box<Muon>;
    options_of_boxes: Option<Box<Jet>>;
    arrays: [f32; 3];
    arrays_of_arrays: [[i32; 2]; 3];
    arrays_of_strings: [String; 2];
    arrays_of_bool: [bool; 11];
    arrays_of_bitsets: [BitSet<5>; 3];
    bitsets: BitSet<70>;
    vectors_of_bitsets: Vec<BitSet<9>>;
    singles: (u8,);
    pairs: (i32, String);
    triples: (f32, Vec<u8>, Option<bool>);
    twelves: (u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, bool, String);
    ordered_maps: BTreeMap<String, f32>;
    hash_maps: HashMap<u32, Vec<Muon>>;
    ordered_sets: BTreeSet<i64>;
    hash_sets: HashSet<String>;
    maps_of_maps: BTreeMap<i8, BTreeMap<u8, String>>;
    structs: Muon;
    structs_of_collections: Jet;
    named_structs: Vertex;
    generic_structs: Track<f64>;
    newtypes: Energy;
    tuple_structs: Pair;
    vectors_of_newtypes: Vec<Energy>;
    plain_enums: Detector;
    vectors_of_enums: Vec<Detector>;
    maps_by_enum: BTreeMap<Detector, u8>;
    enums: Process;
    vectors_of_variants: Vec<Process>;
    enums_in_vectors_in_enums: Vec<Cascade>;
    vectors_of_options_of_arrays_of_structs: Vec<Option<[Muon; 2]>>;
    maps_of_vectors_of_structs: BTreeMap<u16, Vec<Jet>>;
    markers_beside_values: (Marker, u8);
    vectors_of_structs: Vec<Jet>;
}

#[test]
fn whole_events_in_every_layout() {
    let entries: Vec<Event> = samples(500, 1);
    for compression in CODECS {
        for cluster_size in [1, 10_000, 1 << 30] {
            for (checksums, share) in [(true, true), (false, false)] {
                let options = WriteOptions::new()
                    .compression(compression)
                    .cluster_size(cluster_size)
                    .checksums(checksums)
                    .share_pages(share)
                    .max_page_length(if cluster_size == 1 { 64 } else { 4096 });
                check(&entries, write(&entries, options));
            }
        }
    }
}

#[test]
fn references_are_written_as_what_they_point_to() {
    #[derive(RNTuple)]
    struct Borrowed<'a> {
        label: &'a str,
        hits: &'a [f32],
        muons: &'a Vec<Muon>,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Owned {
        label: String,
        hits: Vec<f32>,
        muons: Vec<Muon>,
    }
    let muons = samples(3, 9);
    let entry = Borrowed { label: "from elsewhere", hits: &[1.0, 2.5], muons: &muons };
    let file = write(&[entry], WriteOptions::new());
    let read = Reader::<Owned>::open(file, "Events").unwrap().get(0).unwrap();
    assert_eq!(read, Owned { label: "from elsewhere".into(), hits: vec![1.0, 2.5], muons });
}

/// Values that a column type holds exactly come back exactly from it.
#[test]
fn every_encoding_of_a_scalar() {
    fn check_encodings<T>(values: Vec<T>)
    where
        T: WriteField + ReadField + rntuple::encoding::Element,
    {
        let entries: Vec<One<T>> = values.into_iter().map(|value| One { value }).collect();
        for &column_type in T::WRITES {
            let bits = column_type.bit_range();
            for bits in [*bits.start(), (bits.start() + bits.end()) / 2, *bits.end()] {
                let range = (column_type == ColumnType::Real32Quant).then_some((0.0, 1.0));
                let packing = ColumnEncoding::checked(column_type, bits, range).unwrap();
                for compression in CODECS {
                    let options = WriteOptions::new()
                        .compression(compression)
                        .encoding("value", packing)
                        .max_page_length(256);
                    check(&entries, write(&entries, options));
                }
            }
        }
    }
    check_encodings(samples::<bool>(300, 1));
    check_encodings(samples::<i16>(300, 2));
    check_encodings(samples::<u16>(300, 3));
    check_encodings(samples::<i32>(300, 4));
    check_encodings(samples::<u32>(300, 5));
    check_encodings(samples::<i64>(300, 6));
    check_encodings(samples::<u64>(300, 7));
    check_encodings(samples::<f16>(300, 8));
    // Zero and one are exact in all of these, and the ends of the quantised range.
    check_encodings((0..300u16).map(|i| f32::from(i % 2)).collect());
    check_encodings((0..300u16).map(|i| f64::from(i % 2)).collect());
}

#[test]
fn every_encoding_of_offsets() {
    let entries: Vec<One<Vec<String>>> =
        samples::<Vec<String>>(300, 3).into_iter().map(|value| One { value }).collect();
    for column_type in
        [ColumnType::Index32, ColumnType::Index64, ColumnType::SplitIndex32, ColumnType::SplitIndex64]
    {
        let options =
            WriteOptions::new().encoding("value", ColumnEncoding::of(column_type)).max_page_length(128);
        check(&entries, write(&entries, options));
    }
}

#[test]
fn not_a_number_keeps_its_bits() {
    let bits = [0x7FC0_0001u32, 0xFFC1_2345, 0x7F80_0001];
    let entries: Vec<One<f32>> = bits.iter().map(|&bits| One { value: f32::from_bits(bits) }).collect();
    let reader = Reader::<One<f32>>::open(write(&entries, WriteOptions::new()), "Events").unwrap();
    let read: Vec<u32> = reader.entries().map(|entry| entry.unwrap().value.to_bits()).collect();
    assert_eq!(read, bits);
}
