//! Columns of one ntuple compressed in different ways, as types and options ask.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::encoding::ColumnType;
use rntuple::field::{ColumnWriter, Commit, FieldBuilder, FieldWriter, Gathered, WriteField};
use rntuple::schema::{Schema, TypeName};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, ErrorKind, RNTuple, Reader, RootFile, Value, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::sample::{Event, samples};

/// A record whose second member asks for something.
#[derive(Clone, Copy)]
struct Hit {
    energy: f32,
    time: f32,
}

struct HitWriter {
    energy: ColumnWriter<f32>,
    time: ColumnWriter<f32>,
}

impl WriteField for Hit {
    type Writer = HitWriter;

    fn type_name() -> TypeName {
        TypeName::untyped("Hit")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> HitWriter {
        field.record(&Self::type_name());
        HitWriter {
            energy: f32::declare(&mut field.subfield("energy")),
            time: f32::declare(&mut field.subfield("time").compression(Compression::NONE)),
        }
    }
}

impl Commit for HitWriter {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.energy.commit(cluster);
        self.time.commit(cluster);
    }
}

impl FieldWriter<Hit> for HitWriter {
    fn append(&mut self, hit: &Hit) -> usize {
        self.energy.push(hit.energy) + self.time.push(hit.time)
    }
}

#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Readout {
    number: u64,
    hits: Vec<Hit>,
}

fn readouts() -> Vec<Readout> {
    let hit = |i: u64| Hit { energy: (i % 9) as f32, time: i as f32 };
    (0..500).map(|number| Readout { number, hits: (0..number % 5).map(hit).collect() }).collect()
}

fn write<T: rntuple::Entry + WriteField>(entries: &[T], options: WriteOptions) -> Memory {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

/// Path, column types, codes of all clusters.
fn columns(file: &Memory) -> Vec<(String, ColumnType, u32)> {
    let file = RootFile::from_storage(file.clone()).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let schema = dataset.schema();
    schema
        .columns()
        .map(|(id, column)| {
            let codes: Vec<u32> =
                clusters(&dataset).iter().map(|c| c.columns[id.index()].compression).collect();
            assert!(codes.iter().all(|code| *code == codes[0]), "{codes:?}");
            (schema.path(column.field), column.column_type().unwrap(), codes[0])
        })
        .collect()
}

fn expect(file: &Memory, wanted: &[(&str, ColumnType, u32)]) {
    let found = columns(file);
    let found: Vec<_> = found.iter().map(|(path, kind, code)| (&**path, *kind, *code)).collect();
    assert_eq!(found, wanted);
}

/// The times of all hits, read back.
fn times(file: Memory) -> Vec<Vec<f32>> {
    #[derive(RNTuple)]
    struct Time {
        time: f32,
    }
    #[derive(RNTuple)]
    struct Times {
        hits: Vec<Time>,
    }
    let reader = Reader::<Times>::open(file, "Events").unwrap();
    reader.entries().map(|entry| entry.unwrap().hits.iter().map(|hit| hit.time).collect()).collect()
}

#[test]
fn a_type_asks_for_a_member() {
    let entries = readouts();
    let wanted: Vec<Vec<f32>> =
        entries.iter().map(|entry| entry.hits.iter().map(|hit| hit.time).collect()).collect();
    let file = write(&entries, WriteOptions::new().compression(Compression::lzma(2)).cluster_size(2000));
    let number = ("number", ColumnType::SplitUInt64, 202);
    let (hits, energy) =
        (("hits", ColumnType::SplitIndex64, 202), ("hits._0.energy", ColumnType::SplitReal32, 202));
    // What is not compressed is not split either.
    expect(&file, &[number, hits, energy, ("hits._0.time", ColumnType::Real32, 0)]);
    assert_eq!(times(file), wanted);

    let none = write(&entries, WriteOptions::new().compression(Compression::NONE));
    expect(
        &none,
        &[
            ("number", ColumnType::UInt64, 0),
            ("hits", ColumnType::Index64, 0),
            ("hits._0.energy", ColumnType::Real32, 0),
            ("hits._0.time", ColumnType::Real32, 0),
        ],
    );
}

#[test]
fn the_nearest_wish_wins_and_options_have_the_last_word() {
    let entries = readouts();
    // For all below the path, but not for what is asked for nearer.
    let file = write(&entries, WriteOptions::new().compression_of("hits", Compression::lz4(4)));
    let codes = |file: &Memory| columns(file).iter().map(|column| column.2).collect::<Vec<_>>();
    assert_eq!(codes(&file), [501, 404, 404, 0]);
    // For the very field that the type asks for.
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .compression_of("hits._0.time", Compression::zlib(6))
        .compression_of("hits._0.time", Compression::zstd(5));
    let file = write(&entries, options);
    assert_eq!(codes(&file), [0, 0, 0, 505]);
    assert_eq!(columns(&file)[3].1, ColumnType::SplitReal32);
    assert_eq!(times(file).len(), 500);
}

#[test]
fn every_page_comes_back() {
    let entries: Vec<Event> = samples(300, 3);
    let schema = Schema::of::<Event>(&WriteOptions::new()).unwrap();
    let all = [
        Compression::NONE,
        Compression::lz4(4),
        Compression::zstd(5),
        Compression::zlib(6),
        Compression::lzma(1),
    ];
    for default in all {
        let mut options = WriteOptions::new().compression(default).max_page_length(512).cluster_size(8000);
        for ((id, _), settings) in schema.fields().zip(all.into_iter().cycle()) {
            options = options.compression_of(schema.path(id), settings);
        }
        let file = write(&entries, options);
        let codes: std::collections::BTreeSet<u32> = columns(&file).iter().map(|column| column.2).collect();
        assert_eq!(codes.into_iter().collect::<Vec<_>>(), [0, 106, 201, 404, 505]);
        let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
        assert_eq!(reader.entries().collect::<Result<Vec<_>, _>>().unwrap(), entries);
        let dynamic = Reader::<Value>::open(file.clone(), "Events").unwrap();
        assert_eq!(dynamic.entries().filter(Result::is_ok).count(), 300);
        let report = rntuple::check::check_file(
            &RootFile::from_storage(file).unwrap(),
            rntuple::check::CheckOptions::new(),
        );
        assert!(report.is_sound() && report.notes.is_empty(), "{:#?}", report.faults);
    }
}

#[test]
fn pages_are_shared_where_a_reader_takes_them_for_the_same() {
    #[derive(RNTuple)]
    struct Twice {
        raw: Vec<u8>,
        packed: Vec<u8>,
    }
    let packed =
        WriteOptions::new().compression(Compression::NONE).compression_of("packed", Compression::lz4(4));
    let check = |entries: &[Twice], shared: u64| {
        let mut writer = Writer::<Twice, _>::new(Memory::new(), "Events", packed.clone()).unwrap();
        writer.fill_all(entries).unwrap();
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!(summary.shared_pages, shared);
        assert_eq!(summary.page_length, 2 * 8 * entries.len() as u64 + lengths(entries));
        let reader = Reader::<Twice>::open(file, "Events").unwrap();
        for (read, wanted) in reader.entries().zip(entries) {
            let read = read.unwrap();
            assert_eq!((&read.raw, &read.packed), (&wanted.raw, &wanted.packed));
        }
    };
    fn lengths(entries: &[Twice]) -> u64 {
        entries.iter().map(|entry| (entry.raw.len() + entry.packed.len()) as u64).sum()
    }
    // Nothing here gets smaller, so both columns have raw pages, offsets included.
    let noise: Vec<u8> = (0..200).collect();
    check(&[Twice { raw: noise.clone(), packed: noise }], 2);
    // Only one of them is compressed.
    check(&[Twice { raw: vec![7; 200], packed: vec![7; 200] }], 1);
}

#[test]
fn a_wish_that_cannot_be_granted_costs_no_existing_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("precious.root");
    std::fs::write(&path, b"precious").unwrap();
    for unknown in ["nope", "", "hits._0.nope", "hits.time"] {
        let options = WriteOptions::new().compression_of(unknown, Compression::lz4(4));
        let error = Writer::<Readout>::create(&path, "Events", options.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{unknown}");
        assert!(error.message().starts_with("no such field"), "{error}");
        assert_eq!(error.location().field.as_deref(), Some(unknown));
        assert!(Schema::of::<Readout>(&options).is_err());
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn the_schema_of_a_type_is_the_one_in_its_files() {
    let options = WriteOptions::new().compression_of("met", Compression::NONE);
    let planned = Schema::of::<Event>(&options).unwrap();
    let file = RootFile::from_storage(write(&samples::<Event>(3, 1), options)).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let fields = |schema: &Schema| schema.fields().map(|(_, field)| field.clone()).collect::<Vec<_>>();
    let columns = |schema: &Schema| schema.columns().map(|(_, column)| column.clone()).collect::<Vec<_>>();
    assert_eq!(fields(&planned), fields(dataset.schema()));
    assert_eq!(columns(&planned), columns(dataset.schema()));
    let met = planned.representations(planned.find("met").unwrap())[0][0];
    assert_eq!(planned.column(met).unwrap().type_code, ColumnType::Real32 as u16);
}
