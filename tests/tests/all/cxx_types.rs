//! Types that C++ has and Rust has not: multimaps, multisets, `RVec`, `std::unique_ptr`, `std::atomic`; and encodings
//! of single fields below a member.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering};

use rntuple::cxx::{
    Atomic, Cardinality, CxxChar, MultiMap, MultiSet, RVec, UniquePtr, UnorderedMultiMap, UnorderedMultiSet,
};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::field::{ReadField, WriteField};
use rntuple::schema::Schema;
use rntuple::storage::Memory;
use rntuple::{Compression, ErrorKind, RNTuple, Reader, Value, WriteOptions, Writer};

fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

fn read<T: rntuple::Entry + ReadField>(file: &Memory) -> Vec<T> {
    let reader = Reader::<T>::open(file.clone(), "Events").unwrap();
    reader.entries().collect::<Result<_, _>>().unwrap()
}

fn type_name(schema: &Schema, path: &str) -> String {
    schema.field(schema.find(path).unwrap()).unwrap().type_name.to_string()
}

#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
#[rntuple(type_name = "Hit")]
struct Hit {
    layer: u8,
    energies: RVec<f32>,
}

#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Everything {
    multimap: MultiMap<String, i32>,
    multimap_of_maps: MultiMap<i32, MultiMap<String, Vec<u8>>>,
    unordered_multimap: UnorderedMultiMap<i32, UniquePtr<String>>,
    multiset: MultiSet<i32>,
    multiset_of_sets: MultiSet<MultiSet<u16>>,
    unordered_multiset: UnorderedMultiSet<UnorderedMultiSet<f64>>,
    rvec: RVec<RVec<bool>>,
    hits: RVec<Hit>,
    pointer: UniquePtr<Hit>,
    pointers: Vec<UniquePtr<UniquePtr<i64>>>,
    atomic: Atomic<f32>,
    atomics: [Atomic<CxxChar>; 3],
    maybe_atomic: Option<Atomic<bool>>,
    in_map: BTreeMap<i32, RVec<MultiSet<i8>>>,
    pointers_in_map: HashMap<String, UniquePtr<MultiMap<u8, Atomic<u64>>>>,
}

fn everything() -> Vec<Everything> {
    let hit = |layer| Hit { layer, energies: (0..layer).map(f32::from).collect() };
    let text = |text: &str| text.to_owned();
    let full = Everything {
        multimap: [(text("b"), 1), (text("a"), 2), (text("b"), 0)].into_iter().collect(),
        multimap_of_maps: [(7, [(text("x"), vec![1, 2]), (text("x"), vec![])].into_iter().collect())]
            .into_iter()
            .collect(),
        unordered_multimap: vec![
            (3, UniquePtr::new(text("c"))),
            (1, UniquePtr::null()),
            (3, UniquePtr::null()),
        ]
        .into(),
        multiset: vec![3, -1, 3, 2].into(),
        multiset_of_sets: vec![vec![2, 1].into(), MultiSet::new(), vec![1, 2].into()].into(),
        unordered_multiset: vec![vec![0.5, -0.5, 0.5].into(), UnorderedMultiSet::default()].into(),
        rvec: vec![vec![true, false].into(), RVec::default()].into(),
        hits: (0..4).map(hit).collect(),
        pointer: UniquePtr::new(hit(2)),
        pointers: vec![
            UniquePtr::new(UniquePtr::new(-5)),
            UniquePtr::null(),
            UniquePtr::new(UniquePtr::null()),
        ],
        atomic: Atomic(1.5),
        atomics: [b'a', b'b', b'c'].map(|char| Atomic(CxxChar(char))),
        maybe_atomic: Some(Atomic(true)),
        in_map: [(-1, vec![vec![2, 1].into(), MultiSet::new()].into())].into(),
        pointers_in_map: [
            (text("there"), UniquePtr::new([(1, Atomic(u64::MAX))].into_iter().collect())),
            (text("not"), UniquePtr::null()),
        ]
        .into(),
    };
    vec![full.clone(), Everything::default(), full]
}

#[test]
fn all_come_back_in_order_at_random_and_in_place() {
    let entries = everything();
    for settings in [Compression::NONE, Compression::lz4(1)] {
        for cluster_size in [1, 1 << 20] {
            let options = WriteOptions::new().compression(settings).cluster_size(cluster_size);
            let file = write(&entries, options);
            assert_eq!(read::<Everything>(&file), entries);
            let reader = Reader::<Everything>::open(file.clone(), "Events").unwrap();
            for index in [2, 0, 1] {
                assert_eq!(reader.get(index).unwrap(), entries[usize::try_from(index).unwrap()]);
            }
            let (mut slot, mut walk) = (entries[0].clone(), reader.entries());
            for entry in &entries {
                assert!(walk.read_into(&mut slot).unwrap());
                assert_eq!(slot, *entry);
            }
            let dynamic = read::<Value>(&file);
            let value = |entry: usize, name: &str| dynamic[entry].get(name).unwrap().clone();
            assert_eq!(value(0, "multiset").items().unwrap(), [-1, 2, 3, 3].map(Value::I32));
            assert_eq!((value(0, "atomic"), value(1, "atomic")), (Value::F32(1.5), Value::F32(0.0)));
            assert_eq!(value(1, "pointer"), Value::Option(None));
            let pairs = value(0, "multimap");
            let keys: Vec<_> = pairs.items().unwrap().iter().map(|pair| pair.get("_0").unwrap()).collect();
            assert_eq!(keys, ["a", "b", "b"].map(|key| Value::String(key.to_owned())).each_ref());
        }
    }
}

#[test]
fn they_have_the_names_of_cxx() {
    let schema = Schema::of::<Everything>(&WriteOptions::new()).unwrap();
    for (path, name) in [
        ("multimap", "std::multimap<std::string,std::int32_t>"),
        ("multimap._0", "std::pair<std::string,std::int32_t>"),
        ("unordered_multimap", "std::unordered_multimap<std::int32_t,std::unique_ptr<std::string>>"),
        ("multiset_of_sets", "std::multiset<std::multiset<std::uint16_t>>"),
        ("unordered_multiset", "std::unordered_multiset<std::unordered_multiset<double>>"),
        ("rvec", "ROOT::VecOps::RVec<ROOT::VecOps::RVec<bool>>"),
        ("hits", "ROOT::VecOps::RVec<Hit>"),
        ("pointer", "std::unique_ptr<Hit>"),
        ("atomic", "std::atomic<float>"),
        ("atomic._0", "float"),
        ("atomics", "std::array<std::atomic<char>,3>"),
    ] {
        assert_eq!(type_name(&schema, path), name, "{path}");
    }
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Of<T> {
    value: T,
}

/// What was written as one type, read as another.
fn read_as<A, B>(written: A, expected: &B)
where
    A: WriteField,
    B: ReadField + PartialEq + Debug,
{
    let file = write(&[Of { value: written }], WriteOptions::new());
    assert_eq!(read::<Of<B>>(&file)[0].value, *expected);
}

#[test]
fn each_is_read_as_its_kin() {
    let list = vec![3, 1, 3];
    read_as(list.clone(), &RVec::from(list.clone()));
    read_as(RVec::from(list.clone()), &list);
    read_as(RVec::from(list.clone()), &Cardinality(3_u64));
    // Sorted here, wherever the items come from.
    read_as(list.clone(), &MultiSet::from(list.clone()));
    read_as(UnorderedMultiSet::from(list.clone()), &MultiSet::from(list.clone()));
    read_as(MultiSet::from(list.clone()), &vec![1, 3, 3]);
    let pairs = vec![(2, 'b'), (1, 'c'), (2, 'a')].into_iter().map(|(key, value)| (key, u32::from(value)));
    let pairs: Vec<(i32, u32)> = pairs.collect();
    read_as(pairs.clone(), &MultiMap::from(pairs.clone()));
    read_as(UnorderedMultiMap::from(pairs.clone()), &pairs);
    read_as(MultiMap::from(pairs), &vec![(1, 99), (2, 98), (2, 97)]);
    let map: BTreeMap<i32, f32> = [(1, 0.5), (2, 1.5)].into();
    read_as(map.clone(), &map.iter().map(|(key, value)| (*key, *value)).collect::<MultiMap<_, _>>());
    read_as(map.clone().into_iter().collect::<MultiMap<_, _>>(), &map);
    read_as(Some(4_u8), &UniquePtr::new(4_u8));
    read_as(UniquePtr::<u8>::null(), &None::<u8>);
    read_as(7_u8, &UniquePtr::new(7_u8));
    read_as(7_i16, &Atomic(7_i16));
    read_as(Atomic(7_i16), &7_i32);
    read_as(UniquePtr::new(Atomic(7_i16)), &Some(7_i16));
}

#[test]
fn a_key_that_is_there_twice_needs_a_multimap() {
    let pairs: MultiMap<i32, i32> = [(1, 2), (1, 3)].into_iter().collect();
    let file = write(&[Of { value: pairs.clone() }], WriteOptions::new());
    let error = Reader::<Of<BTreeMap<i32, i32>>>::open(file.clone(), "Events").unwrap().get(0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(read::<Of<MultiMap<i32, i32>>>(&file)[0].value, pairs);
}

#[test]
fn atomics_of_rust_are_those_of_cxx() {
    #[derive(Debug, RNTuple)]
    struct Counters {
        is_on: AtomicBool,
        small: AtomicU8,
        sum: AtomicI64,
        all: Vec<AtomicU8>,
    }

    let counters = Counters {
        is_on: AtomicBool::new(true),
        small: AtomicU8::new(200),
        sum: AtomicI64::new(-1),
        all: vec![AtomicU8::new(1), AtomicU8::new(2)],
    };
    let file = write(&[counters], WriteOptions::new());
    let back = &read::<Counters>(&file)[0];
    assert!(back.is_on.load(Ordering::Relaxed) && back.small.load(Ordering::Relaxed) == 200);
    assert_eq!(back.sum.load(Ordering::Relaxed), -1);
    assert_eq!(back.all.iter().map(|number| number.load(Ordering::Relaxed)).collect::<Vec<_>>(), [1, 2]);

    #[derive(Debug, PartialEq, RNTuple)]
    struct Plain {
        is_on: bool,
        small: Atomic<u8>,
        sum: i64,
        all: Vec<u8>,
    }
    let plain = Plain { is_on: true, small: Atomic(200), sum: -1, all: vec![1, 2] };
    assert_eq!(read::<Plain>(&file), [plain]);
}

#[test]
fn columns_hold_them() {
    #[derive(Clone, Debug, PartialEq, RNTuple)]
    #[rntuple(columnar)]
    struct Event {
        rvec: RVec<f32>,
        bag: UnorderedMultiSet<i32>,
        pointer: UniquePtr<i32>,
        atomic: Atomic<u8>,
        set: MultiSet<i32>,
        map: MultiMap<i32, f32>,
    }

    let entries = vec![
        Event {
            rvec: vec![1.0, 2.0].into(),
            bag: vec![2, 1].into(),
            pointer: UniquePtr::new(5),
            atomic: Atomic(1),
            set: vec![2, 1].into(),
            map: vec![(2, 0.5), (1, 1.5)].into(),
        },
        Event {
            rvec: RVec::default(),
            bag: vec![3].into(),
            pointer: UniquePtr::null(),
            atomic: Atomic(2),
            set: MultiSet::new(),
            map: MultiMap::new(),
        },
    ];
    let file = write(&entries, WriteOptions::new());
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    let columns = reader.batches(10).next().unwrap().unwrap();
    let mut batches = reader.batches(10);
    for events in [columns.as_slice(), batches.lend().unwrap().unwrap()] {
        assert_eq!((events.rvec.get(0), events.bag.items()), (Some(&[1.0, 2.0][..]), &[2, 1, 3][..]));
        assert!(events.pointer.mask().eq([true, false]) && events.atomic == [1, 2]);
        assert!(events.set.items() == [1, 2] && events.map.counts().eq([2, 0]));
        let first = events.get(0).unwrap();
        assert_eq!((first.rvec, first.bag, first.pointer), (&[1.0, 2.0][..], &[2, 1][..], Some(5)));
        assert_eq!((first.set, first.map.0, first.map.1), (&[1, 2][..], &[1, 2][..], &[1.5, 0.5][..]));

        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        writer.fill_columns(events).unwrap();
        assert_eq!(read::<Event>(&writer.finish_into().unwrap().1), entries);
    }
}

#[test]
fn encodings_can_be_asked_for_one_field_below_a_member() {
    #[derive(RNTuple)]
    struct Event {
        #[rntuple(
            offsets = "Index32",
            at("_0._0", offsets = "SplitIndex64"),
            at("_0._1._0", truncate(bits = 12)),
            at("_0._1", offsets = "Index64")
        )]
        map: BTreeMap<String, Vec<f32>>,
        #[rntuple(flatten, prefix = "in_", at("pair._1", encoding = "Real32"))]
        inner: Inner,
    }

    #[derive(RNTuple)]
    struct Inner {
        pair: (f64, f64),
    }

    let of = |options: &WriteOptions, path: &str| {
        let schema = Schema::of::<Event>(options).unwrap();
        let column = schema.representations(schema.find(path).unwrap())[0][0];
        let column = schema.column(column).unwrap();
        (ColumnType::from_code(column.type_code).unwrap().name(), column.bits)
    };
    let options = WriteOptions::new();
    assert_eq!(of(&options, "map"), ("Index32", 32));
    assert_eq!(of(&options, "map._0._0"), ("SplitIndex64", 64));
    assert_eq!(of(&options, "map._0._1"), ("Index64", 64));
    assert_eq!(of(&options, "map._0._1._0"), ("Real32Trunc", 12));
    assert_eq!(of(&options, "in_pair._0"), ("SplitReal64", 64));
    assert_eq!(of(&options, "in_pair._1"), ("Real32", 32));
    // Whoever writes has the last word.
    let options = options.encoding("map._0._0", ColumnEncoding::of(ColumnType::Index32));
    assert_eq!(of(&options, "map._0._0"), ("Index32", 32));
    assert_eq!(of(&options, "map._0._1"), ("Index64", 64));
}

#[test]
fn a_field_below_a_member_must_be_there_and_suit() {
    #[derive(RNTuple)]
    struct Nowhere {
        #[rntuple(at("_1", offsets = "Index32"))]
        list: Vec<String>,
    }

    #[derive(RNTuple)]
    struct Unsuited {
        #[rntuple(at("_0", f16))]
        list: Vec<String>,
    }

    let error = Schema::of::<Nowhere>(&WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "schema: list._1: no such field; did you mean \"list._0\"?");
    let error = Schema::of::<Unsuited>(&WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("list._0") && error.to_string().contains("Real16"), "{error}");
}
