//! Collections of one entry that are written in pieces.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use proptest::prelude::*;
use rntuple::check::{CheckOptions, check_file};
use rntuple::cxx::{MultiSet, UniquePtr};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::parallel::Order;
use rntuple::storage::Memory;
use rntuple::{
    Compression, ErrorKind, ParallelWriter, RNTuple, Reader, Result, RootFile, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::disk::Disk;

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Hit {
    energy: f32,
    samples: Vec<i16>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Detector {
    hits: Vec<Hit>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Readout {
    number: u64,
    trace: Vec<i16>,
    detector: Detector,
    twice: [Vec<u8>; 2],
    label: String,
}

/// Small pages and clusters, so that they end within entries, and would between pieces.
fn small() -> WriteOptions {
    WriteOptions::new().initial_page_length(64).max_page_length(64).cluster_size(600).write_buffer_length(100)
}

/// Writes entries, each collection in pieces of this many items; the last piece comes with the entry.
fn write(entries: &[Readout], piece: usize, options: WriteOptions) -> Result<Memory> {
    let mut writer = Writer::<Readout, _>::new(Memory::new(), "Readouts", options)?;
    for entry in entries {
        let mut rest = entry.clone();
        while rest.trace.len() > piece || rest.detector.hits.len() > piece {
            let trace: Vec<i16> = rest.trace.drain(..piece.min(rest.trace.len())).collect();
            writer.append_items("trace", &trace)?;
            let hits = &mut rest.detector.hits;
            let hits: Vec<Hit> = hits.drain(..piece.min(hits.len())).collect();
            writer.append_items("detector.hits", &hits)?;
        }
        writer.fill(&rest)?;
    }
    Ok(writer.finish_into()?.1)
}

fn read(storage: Memory) -> Result<Vec<Readout>> {
    Reader::<Readout>::open(storage, "Readouts")?.entries().collect()
}

fn hit() -> impl Strategy<Value = Hit> {
    (-1e3f32..1e3, prop::collection::vec(any::<i16>(), 0..5))
        .prop_map(|(energy, samples)| Hit { energy, samples })
}

fn readout() -> impl Strategy<Value = Readout> {
    let trace = prop::collection::vec(any::<i16>(), 0..200);
    let hits = prop::collection::vec(hit(), 0..40);
    (any::<u64>(), trace, hits, prop::array::uniform2(prop::collection::vec(any::<u8>(), 0..3)), ".{0,5}")
        .prop_map(|(number, trace, hits, twice, label)| Readout {
            number,
            trace,
            detector: Detector { hits },
            twice,
            label,
        })
}

proptest! {
    #[test]
    fn pieces_are_read_as_the_whole(
        entries in prop::collection::vec(readout(), 0..6),
        piece in 1usize..100,
    ) {
        prop_assert_eq!(&read(write(&entries, piece, small()).unwrap()).unwrap(), &entries);
    }
}

#[test]
fn an_entry_in_pieces_is_in_one_cluster() {
    let entry = Readout { trace: (0..10_000).collect(), ..Readout::default() };
    let entries = [entry.clone(), Readout::default(), entry];
    for options in [small(), small().compression(Compression::NONE), WriteOptions::new()] {
        let storage = write(&entries, 70, options).unwrap();
        let reader = Reader::<Readout>::open(storage.clone(), "Readouts").unwrap();
        let counts: Vec<u64> =
            clusters(&reader.dataset(0).unwrap()).iter().map(|cluster| cluster.entry_count).collect();
        assert_eq!(counts.iter().sum::<u64>(), 3, "{counts:?}");
        let report = check_file(&RootFile::from_storage(storage.clone()).unwrap(), CheckOptions::new());
        assert!(report.is_sound(), "{report:?}");
        assert_eq!(read(storage).unwrap(), entries);
    }
}

/// A full cluster cannot end within an entry, whose pages still go to storage many at a time.
#[test]
fn pages_of_a_long_entry_are_written_together() {
    let options = small().compression(Compression::NONE).write_buffer_length(2000);
    for options in [options.clone(), options.max_cluster_length(600)] {
        let disk = Disk::default();
        let mut writer = Writer::<Readout, _>::new(disk.clone(), "Readouts", options).unwrap();
        let before = disk.calls();
        let trace: Vec<i16> = (0..10_000).collect();
        for sample in &trace {
            writer.append_items("trace", &[*sample]).unwrap();
        }
        // 312 pages of 64 bytes.
        let calls = disk.calls() - before;
        assert!((5..20).contains(&calls), "{calls} writes");
        // The cluster ends with the entry, though the buffer has room for more.
        let entries = [Readout { trace, ..Readout::default() }, Readout::default()];
        writer.fill(&Readout::default()).unwrap();
        writer.fill(&entries[1]).unwrap();
        writer.finish().unwrap();
        let file = Memory::from(disk.bytes());
        let reader = Reader::<Readout>::open(file.clone(), "Readouts").unwrap();
        let clusters = clusters(&reader.dataset(0).unwrap());
        let counts: Vec<u64> = clusters.iter().map(|cluster| cluster.entry_count).collect();
        assert_eq!(counts, [1, 1]);
        assert_eq!(read(file).unwrap(), entries);
    }
}

#[test]
fn only_a_collection_that_each_entry_has_once_takes_items() {
    let mut writer = Writer::<Readout, _>::new(Memory::new(), "Readouts", WriteOptions::new()).unwrap();
    for (path, message) in [
        ("traces", "no collection is here that each entry has once"),
        ("number", "the field does not have items of the type `std::int16_t`"),
        ("label", "the field does not have items of the type `std::int16_t`"),
        ("detector", "no collection is here that each entry has once"),
        ("detector.hits", "the field does not have items of the type `std::int16_t`"),
        ("detector.hits._0.samples", "no collection is here that each entry has once"),
        ("twice._0", "no collection is here that each entry has once"),
    ] {
        let error = writer.append_items::<i16>(path, &[1, 2]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        assert!(error.to_string().contains(message), "{path}: {error}");
        assert_eq!(error.location().field.as_deref(), Some(path));
        assert_eq!(error.location().ntuple.as_deref(), Some("Readouts"));
    }
    // Nothing has begun.
    writer.commit_cluster().unwrap();
    writer.fill(&Readout::default()).unwrap();
    assert_eq!(read(writer.finish_into().unwrap().1).unwrap(), [Readout::default()]);
}

/// Pieces may repeat items, and the items of an option are at most one.
#[test]
fn options_sets_and_maps_are_not_written_in_pieces() {
    #[derive(RNTuple, Debug, Default, PartialEq)]
    struct Event {
        weight: Option<f32>,
        pointer: UniquePtr<f32>,
        set: BTreeSet<u32>,
        hashed: HashSet<u32>,
        sorted: MultiSet<u32>,
        map: BTreeMap<u32, u32>,
        queue: VecDeque<f32>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let refused = [
        ("weight", writer.append_items("weight", &[1.0f32])),
        ("pointer", writer.append_items("pointer", &[1.0f32])),
        ("set", writer.append_items("set", &[1u32, 1])),
        ("hashed", writer.append_items("hashed", &[1u32, 1])),
        ("sorted", writer.append_items("sorted", &[2u32, 1])),
        ("map", writer.append_items("map", &[(1u32, 2u32), (1, 3)])),
    ];
    for (path, result) in refused {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        assert!(error.to_string().contains("cannot be written in pieces"), "{path}: {error}");
        assert_eq!(error.location().field.as_deref(), Some(path));
    }
    writer.append_items("queue", &[1.0f32]).unwrap();
    writer.fill(&Event { weight: Some(3.0), queue: [2.0].into(), ..Event::default() }).unwrap();
    let reader = Reader::<Event>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let wanted = Event { weight: Some(3.0), queue: [1.0, 2.0].into(), ..Event::default() };
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), [wanted]);
}

#[test]
fn no_items_begin_no_entry() {
    let mut writer = Writer::<Readout, _>::new(Memory::new(), "Readouts", WriteOptions::new()).unwrap();
    writer.append_items::<i16>("trace", &[]).unwrap();
    writer.commit_cluster().unwrap();
    writer.fill(&Readout::default()).unwrap();
    assert!(writer.append_items::<i16>("traces", &[]).is_err());
    writer.append_items::<i16>("trace", &[]).unwrap();
    // The last cluster has all its entries.
    assert_eq!(read(writer.finish_into().unwrap().1).unwrap(), [Readout::default()]);
}

#[test]
fn items_without_their_entry_are_reported() {
    let whole = Readout { trace: vec![1], ..Readout::default() };
    let mut writer = Writer::<Readout, _>::new(Memory::new(), "Readouts", WriteOptions::new()).unwrap();
    writer.fill(&whole).unwrap();
    writer.commit_cluster().unwrap();
    writer.append_items::<i16>("trace", &[1, 2]).unwrap();
    let error = writer.commit_cluster().unwrap_err();
    assert!(error.to_string().contains("items of an entry were appended, but the entry was not"), "{error}");
    // The entry may still come.
    writer.fill(&whole).unwrap();
    writer.commit_cluster().unwrap();
    writer.append_items::<i16>("trace", &[1, 2]).unwrap();
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("the entry was not"), "{error}");
    assert!(error.to_string().contains("2 entries can be read"), "{error}");
}

#[test]
fn representations_wait_for_the_next_cluster() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Event {
        pt: Vec<f32>,
    }
    let packings = [ColumnType::SplitReal32, ColumnType::Real16].map(ColumnEncoding::of);
    let options = WriteOptions::new().representations("pt", packings);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.append_items("pt", &[1.0001f32]).unwrap();
    writer.use_representation("pt", 1).unwrap();
    writer.fill(&Event { pt: vec![1.0001] }).unwrap();
    writer.commit_cluster().unwrap();
    writer.append_items("pt", &[1.0001f32]).unwrap();
    writer.fill(&Event { pt: vec![1.0001] }).unwrap();
    let reader = Reader::<Event>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    let events: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    assert_eq!(events, [Event { pt: vec![1.0001; 2] }, Event { pt: vec![1.0; 2] }]);
}

#[test]
fn contexts_and_transactions_take_items() {
    let writer = ParallelWriter::<Readout, _>::new(Memory::new(), "Readouts", small()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let entry = |number: u64| Readout { number, trace: vec![7; 100], ..Readout::default() };
    std::thread::scope(|threads| {
        for thread in 0..2u64 {
            let writer = &writer;
            threads.spawn(move || {
                let mut context = writer.context();
                for key in (0..10).filter(|key| key % 2 == thread) {
                    let mut transaction = context.begin_ordered(key).unwrap();
                    for _ in 0..5 {
                        transaction.append_items("trace", &[7i16; 20]).unwrap();
                    }
                    transaction.fill(&Readout { number: key, ..Readout::default() }).unwrap();
                    transaction.commit().unwrap();
                }
            });
        }
    });
    let entries = read(writer.finish_into().unwrap().1).unwrap();
    assert_eq!(entries, (0..10).map(entry).collect::<Vec<_>>());
}

#[test]
fn items_outside_a_transaction_are_refused_alone() {
    let writer = ParallelWriter::<Readout, _>::new(Memory::new(), "Readouts", small()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let mut context = writer.context();
    let error = context.append_items("trace", &[7i16; 20]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let mut transaction = context.begin_ordered(0).unwrap();
    transaction.fill(&Readout::default()).unwrap();
    transaction.commit().unwrap();
    drop(context);
    assert_eq!(read(writer.finish_into().unwrap().1).unwrap(), [Readout::default()]);
}

#[test]
fn a_context_given_back_within_an_entry_loses_it() {
    let writer = ParallelWriter::<Readout, _>::new(Memory::new(), "Readouts", WriteOptions::new()).unwrap();
    let mut context = writer.context();
    context.fill(&Readout::default()).unwrap();
    context.commit_cluster().unwrap();
    context.append_items("trace", &[7i16; 20]).unwrap();
    drop(context);
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("the entry was not"), "{error}");
    assert!(error.to_string().contains("1 entry can be read"), "{error}");
}

#[test]
fn added_columns_take_items_and_slices() {
    #[derive(RNTuple)]
    struct Event {
        number: u64,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(columnar)]
    struct Trace {
        samples: Vec<i16>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..10 {
        writer.fill(&Event { number }).unwrap();
        if number % 3 == 0 {
            writer.commit_cluster().unwrap();
        }
    }
    let storage = writer.finish_into().unwrap().1;
    let traces: Vec<Trace> = (0..10).map(|number| Trace { samples: vec![number; 50] }).collect();
    let mut columns = TraceColumns::default();
    traces[..6].iter().for_each(|trace| columns.push(trace));

    let mut adder = ColumnAdder::<Trace, _>::append_to(storage, "Events", small()).unwrap();
    // Slices end where the clusters of the file do not.
    adder.fill_columns(columns.as_slice()).unwrap();
    assert_eq!(adder.filled(), 6);
    for trace in &traces[6..9] {
        adder.append_items("samples", &trace.samples[..30]).unwrap();
        adder.fill(&Trace { samples: trace.samples[30..].to_vec() }).unwrap();
    }
    adder.fill_all(&traces[9..]).unwrap();
    let error = adder.append_items("samples", &[1i16]).unwrap_err();
    assert!(error.to_string().contains("each has a value already"), "{error}");
    let error = adder.fill_columns(columns.as_slice()).unwrap_err();
    assert!(error.to_string().contains("each has a value already"), "{error}");
    let reader = Reader::<Trace>::open(adder.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>>>().unwrap(), traces);
}
