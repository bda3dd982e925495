//! Random entries, in random pages and clusters.

use half::f16;
use proptest::prelude::*;
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::statistics::Statistics;
use rntuple::storage::Memory;
use rntuple::{Compression, ParallelWriter, Pool, RNTuple, RootFile, WriteOptions, Writer};

use super::naive::{assert_right, dataset};

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
pub(super) struct Muon {
    pub(super) pt: f32,
    charge: i8,
    tags: Vec<u16>,
    label: String,
    quality: Option<f64>,
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
pub(super) struct Event {
    flag: bool,
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    u8: u8,
    u16: u16,
    pub(super) u32: u32,
    u64: u64,
    half: f16,
    pub(super) met: f32,
    wide: f64,
    #[rntuple(quantize(bits = 11, min = -3.7, max = 5.3, outside = "saturate"))]
    quant: f32,
    #[rntuple(truncate(bits = 17))]
    trunc: f32,
    #[rntuple(truncate(bits = 10))]
    short: f64,
    narrow: f64,
    name: String,
    maybe: Option<i32>,
    pair: (u8, f32),
    four: [i16; 4],
    pub(super) muons: Vec<Muon>,
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        1 => prop::num::f64::ANY,
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)],
    ]
}

fn single() -> impl Strategy<Value = f32> {
    prop_oneof![number().prop_map(|value| value as f32), any::<u32>().prop_map(f32::from_bits)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,3}", "[a\u{7F}\u{7FF}\u{D7FF}\u{10FFFF}]{0,80}"]
}

prop_compose! {
    fn muon()(
        pt in single(),
        charge in any::<i8>(),
        tags in prop::collection::vec(any::<u16>(), 0..3),
        label in text(),
        quality in prop::option::of(number()),
    ) -> Muon {
        Muon { pt, charge, tags, label, quality }
    }
}

prop_compose! {
    pub(super) fn event()(
        (flag, i8, i16, i32, i64) in any::<(bool, i8, i16, i32, i64)>(),
        (u8, u16, u32, u64) in any::<(u8, u16, u32, u64)>(),
        (half, met, wide, quant) in (single(), single(), number(), -10.0..10.0f32),
        (trunc, short, narrow, name) in (single(), number(), number(), text()),
        (maybe, pair, four) in any::<(Option<i32>, (u8, f32), [i16; 4])>(),
        muons in prop::collection::vec(muon(), 0..4),
    ) -> Event {
        let half = f16::from_f32(half);
        Event {
            flag, i8, i16, i32, i64, u8, u16, u32, u64, half, met, wide, quant, trunc, short, narrow, name,
            maybe, pair, four, muons,
        }
    }
}

/// Columns of other types than by default, and small pages.
pub(super) fn options(page_length: usize, compression: Compression, plain: bool) -> WriteOptions {
    let types = [
        ("narrow", ColumnType::SplitReal32),
        ("pair._1", ColumnType::Real16),
        ("muons", ColumnType::SplitIndex32),
        ("i32", if plain { ColumnType::Int32 } else { ColumnType::SplitInt32 }),
    ];
    let options =
        types.into_iter().fold(WriteOptions::new().statistics(true), |options, (path, column_type)| {
            options.encoding(path, ColumnEncoding::of(column_type))
        });
    options.max_page_length(page_length).initial_page_length(8).compression(compression)
}

fn compression() -> impl Strategy<Value = Compression> {
    prop_oneof![Just(Compression::NONE), Just(Compression::zstd(1))]
}

/// What is kept is what is found, by brute force, and computed from the file.
pub(super) fn assert_all(storage: &Memory) {
    let dataset = dataset(storage);
    let kept = Statistics::of(&dataset).unwrap().unwrap();
    assert_eq!(assert_right(storage, &kept), 30);
    let computed = Statistics::compute(&dataset).unwrap();
    for (column, _) in dataset.schema().columns() {
        let (kept, computed) = (kept.column(column).unwrap(), computed.column(column).unwrap());
        for cluster in 0..dataset.cluster_count() {
            let cluster = rntuple::schema::ClusterId(cluster as u32);
            assert_eq!(kept.cluster(cluster), computed.cluster(cluster), "column {column}");
            assert_eq!(kept.pages(cluster), computed.pages(cluster), "column {column}");
        }
    }
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let report = rntuple::check::check_file(&file, rntuple::check::CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn statistics_are_those_of_the_values(
        events in prop::collection::vec(event(), 1..60),
        page_length in 1usize..200,
        cluster in 1usize..40,
        compression in compression(),
        plain: bool,
    ) {
        let mut writer = Writer::new(Memory::new(), "Events", options(page_length, compression, plain)).unwrap();
        for events in events.chunks(cluster) {
            writer.fill_all(events).unwrap();
            writer.commit_cluster().unwrap();
        }
        assert_all(&writer.finish_into().unwrap().1);
    }

    #[test]
    fn statistics_of_many_threads(
        events in prop::collection::vec(event(), 1..60),
        page_length in 8usize..200,
        compression in compression(),
        keys: bool,
    ) {
        let mut options = options(page_length, compression, false).cluster_size(400);
        if keys {
            options = options.pool(&Pool::new(1).unwrap());
        }
        let mut writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", options).unwrap();
        if keys {
            writer = writer.ordered(rntuple::parallel::Order::Transactions { first: 0 });
        }
        writer.scope(|scope| {
            for (thread, events) in events.chunks(events.len().div_ceil(3)).enumerate().rev() {
                scope.spawn(move |context| {
                    if !keys {
                        return events.iter().try_for_each(|event| context.fill(event));
                    }
                    let mut transaction = context.begin_ordered(thread as u64)?;
                    events.iter().try_for_each(|event| transaction.fill(event))?;
                    transaction.commit()
                });
            }
        }).unwrap();
        assert_all(&writer.finish_into().unwrap().1);
    }
}
