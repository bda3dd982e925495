//! Fields with several representations, which change from cluster to cluster (format, sections 5.2 and 7.4).

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::parallel::Order;
use rntuple::schema::{ColumnRange, Schema};
use rntuple::storage::Memory;
use rntuple::{
    Compression, ErrorKind, ParallelWriter, Pool, RNTuple, Reader, RootFile, WriteOptions, Writer,
};
use rntuple_tests::clusters;

use super::every_reader::{Event, check, events};

fn of(types: &[ColumnType]) -> Vec<ColumnEncoding> {
    types.iter().map(|&column_type| ColumnEncoding::of(column_type)).collect()
}

/// Small clusters of small pages; strings, collections and numbers are stored in two or three ways.
fn options(compression: Compression) -> WriteOptions {
    use ColumnType::{Index32, Index64, Int32, Real16, Real32, SplitIndex64, SplitInt32, SplitReal32};
    let quantized = ColumnEncoding::quantized(12, 0.0, 4095.0).unwrap();
    WriteOptions::new()
        .compression(compression)
        .max_page_length(512)
        .representations("name", of(&[SplitIndex64, Index32]))
        .representations(
            "met",
            [ColumnEncoding::of(SplitReal32), quantized, ColumnEncoding::truncated(20).unwrap()],
        )
        .representations("muons", of(&[Index64, SplitIndex64]))
        .representations("muons._0.pt", of(&[Real32, Real16]))
        .representations("lists._0._0", of(&[SplitInt32, Int32]))
        .representations("vertex", of(&[ColumnType::SplitReal64, Real32]))
        .representations("best", of(&[Real32, Real16]))
}

const FIELDS: [(&str, usize); 7] =
    [("name", 2), ("met", 3), ("muons", 2), ("muons.pt", 2), ("lists._0._0", 2), ("vertex", 2), ("best", 2)];

/// What a cluster has of each column: `None` where it is suppressed.
fn active(file: &Memory) -> Vec<Vec<Option<u64>>> {
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let first = |range: &ColumnRange| range.first_element;
    clusters(&reader.dataset(0).unwrap())
        .iter()
        .map(|cluster| cluster.columns.iter().map(first).collect())
        .collect()
}

#[test]
fn every_reader_follows_the_changes() {
    let events = events(900);
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options(compression)).unwrap();
        for (number, events) in events.chunks(100).enumerate() {
            for (field, (path, count)) in FIELDS.iter().enumerate() {
                writer.use_representation(path, (number + field) % count).unwrap();
            }
            writer.fill_all(events).unwrap();
            writer.commit_cluster().unwrap();
        }
        let file = writer.finish_into().unwrap().1;
        check(&file, &events);

        let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
        let schema = reader.schema();
        let all = active(&file);
        assert_eq!(all.len(), 9);
        for (number, columns) in all.iter().enumerate() {
            assert_eq!(columns.len(), schema.columns().count());
            for (id, field) in schema.fields() {
                let representations = schema.representations(id);
                for lane in 0..representations.first().map_or(0, Vec::len) {
                    let found: Vec<usize> = (0..representations.len())
                        .filter(|&one| columns[representations[one][lane].index()].is_some())
                        .collect();
                    assert_eq!(found.len(), 1, "{}: one is active", field.name);
                    let path = schema.path(id).replace("muons._0.pt", "muons.pt");
                    let expected = FIELDS.iter().position(|(field, _)| path == *field);
                    // The items of `vertex` and `best` have what was asked for these.
                    if let Some(field) = expected.filter(|_| representations.len() > 1) {
                        assert_eq!(found, [(number + field) % FIELDS[field].1], "{path}");
                    }
                }
            }
        }
        // The elements go on counting through all representations.
        let id = schema.find("met").unwrap();
        let starts: Vec<u64> = all
            .iter()
            .map(|columns| schema.representations(id).iter().find_map(|ids| columns[ids[0].index()]).unwrap())
            .collect();
        assert_eq!(starts, (0..9).map(|cluster| cluster * 100).collect::<Vec<_>>());
    }
}

#[test]
fn columns_stand_as_root_puts_them() {
    let schema = Schema::of::<Event>(&options(Compression::zstd(1))).unwrap();
    let places: Vec<_> = schema.columns().map(|(_, column)| (column.field, column.representation)).collect();
    assert!(places.is_sorted(), "by field, then by representation: {places:?}");
    let name = schema.find("name").unwrap();
    let types = |ids: &[rntuple::schema::ColumnId]| -> Vec<u16> {
        ids.iter().map(|&id| schema.column(id).unwrap().type_code).collect()
    };
    let types: Vec<_> = schema.representations(name).iter().map(|ids| types(ids)).collect();
    assert_eq!(types, [[0x1b, 0x02], [0x0e, 0x02]], "characters are the same in both");
}

#[test]
fn a_choice_holds_from_the_next_cluster_on() {
    let packings = of(&[ColumnType::Real32, ColumnType::Real16]);
    let options = WriteOptions::new().representations("met", packings);
    let events = events(40);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    // The open cluster is empty: it is the next one.
    writer.use_representation("met", 1).unwrap();
    writer.fill_all(&events[..10]).unwrap();
    // It is not empty any more.
    writer.use_representation("met", 0).unwrap();
    writer.fill_all(&events[10..20]).unwrap();
    writer.commit_cluster().unwrap();
    writer.fill_all(&events[20..30]).unwrap();
    writer.commit_cluster().unwrap();
    writer.use_representation("met", 1).unwrap();
    writer.use_representation("met", 0).unwrap();
    writer.fill_all(&events[30..]).unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let met = reader.schema().representations(reader.schema().find("met").unwrap()).to_vec();
    let second: Vec<bool> =
        active(&file).iter().map(|columns| columns[met[1][0].index()].is_some()).collect();
    assert_eq!(second, [true, false, false]);
    check(&file, &events);
}

#[test]
fn one_word_is_for_all_fields_below_it() {
    let packings = of(&[ColumnType::SplitReal32, ColumnType::Real16]);
    let mut writer = Writer::<Event, _>::new(
        Memory::new(),
        "Events",
        WriteOptions::new().representations("muons", packings),
    )
    .unwrap();
    writer.use_representation("muons", 1).unwrap();
    let events = events(50);
    writer.fill_all(&events).unwrap();
    for (path, number, expected) in [
        ("met", 1, "no field here has several representations"),
        ("muons.eta", 0, "no field here has several representations"),
        ("", 0, "no field here has several representations"),
        ("muons", 2, "the field has no representation 2, only 2 representations, counted from 0"),
        (
            "muons._0.pt",
            usize::MAX,
            "the field has no representation 65535, only 2 representations, counted from 0",
        ),
    ] {
        let error = writer.use_representation(path, number).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    check(&writer.finish_into().unwrap().1, &events);
}

#[test]
fn lists_of_representations_that_cannot_be_are_refused() {
    use ColumnType::{Index32, Real16, Real32};
    let refused = |path: &str, packings: Vec<ColumnEncoding>| {
        let options = WriteOptions::new().representations(path, packings);
        Schema::of::<Event>(&options).unwrap_err().to_string()
    };
    assert_eq!(refused("met", vec![]), "schema: met: a field needs at least one representation");
    assert_eq!(
        refused("met", of(&[Real32, Real16, Real32])),
        "schema: met: Real32 is given twice as a representation"
    );
    assert_eq!(
        refused("met", of(&[Real32, Index32])),
        "schema: met: the field has no column that can be stored as Real32 or Index32"
    );
}

/// Ordered transactions: the file does not depend on who filled what.
#[test]
fn transactions_begin_with_the_first_representation() {
    let events = events(600);
    let write = |threads: u64, pool: Option<&Pool>| {
        let mut options = options(Compression::zstd(1));
        if let Some(pool) = pool {
            options = options.pool(pool);
        }
        let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", options).unwrap();
        let writer = writer.ordered(Order::Transactions { first: 0 });
        let events = &events;
        writer
            .scope(|scope| {
                for thread in 0..threads {
                    scope.spawn(move |context| {
                        for key in (thread..6).step_by(threads as usize) {
                            let mut transaction = context.begin_ordered(key)?;
                            let (first, second) =
                                events[100 * key as usize..100 * (key as usize + 1)].split_at(60);
                            transaction.fill_all(first)?;
                            if key % 2 == 0 {
                                transaction.use_representation("met", 2)?;
                                transaction.use_representation("muons", 1)?;
                            }
                            transaction.commit_cluster()?;
                            transaction.fill_all(second)?;
                            transaction.commit()?;
                        }
                        Ok(())
                    });
                }
            })
            .unwrap();
        writer.finish_into().unwrap().1
    };
    let alone = write(1, None);
    assert!(alone.as_bytes() == write(3, None).as_bytes());
    assert!(alone.as_bytes() == write(2, Some(&Pool::new(2).unwrap())).as_bytes());
    let reader = Reader::<Event>::open(alone.clone(), "Events").unwrap();
    let met = reader.schema().representations(reader.schema().find("met").unwrap()).to_vec();
    let third: Vec<bool> =
        active(&alone).iter().map(|columns| columns[met[2][0].index()].is_some()).collect();
    let expected = [false, true, false, false, false, true, false, false, false, true, false, false];
    assert_eq!(third, expected);
    check(&alone, &events);
}

#[test]
fn contexts_choose_for_themselves() {
    let events = events(300);
    let writer =
        ParallelWriter::<Event, _>::new(Memory::new(), "Events", options(Compression::NONE)).unwrap();
    let mut one = writer.context();
    let mut other = writer.context();
    one.use_representation("met", 1).unwrap();
    one.fill_all(&events[..100]).unwrap();
    other.fill_all(&events[100..200]).unwrap();
    one.commit_cluster().unwrap();
    other.commit_cluster().unwrap();
    let mut transaction = other.begin().unwrap();
    transaction.use_representation("met", 2).unwrap();
    transaction.fill_all(&events[200..250]).unwrap();
    transaction.commit().unwrap();
    other.fill_all(&events[250..]).unwrap();
    drop((one, other));
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Event>::open(file.clone(), "Events").unwrap();
    let met = reader.schema().representations(reader.schema().find("met").unwrap()).to_vec();
    let found: Vec<usize> = active(&file)
        .iter()
        .map(|columns| met.iter().position(|ids| columns[ids[0].index()].is_some()).unwrap())
        .collect();
    assert_eq!(found, [1, 0, 2, 0]);
    check(&file, &events);
}

#[test]
fn a_value_that_one_representation_cannot_hold_names_its_field() {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options(Compression::NONE)).unwrap();
    writer.use_representation("met", 1).unwrap();
    let mut events = events(2);
    events[1].met = 5000.0;
    let error = writer.fill_all(&events).unwrap_err();
    let schema = Schema::of::<Event>(&options(Compression::NONE)).unwrap();
    let met = schema.representations(schema.find("met").unwrap())[0][0];
    assert_eq!(error.location().field.as_deref(), Some("met"));
    assert_eq!(error.location().column, Some(u64::from(met.0)));
}

#[test]
fn another_struct_reads_what_it_wants() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Part {
        met: f64,
        name: Option<String>,
        vertex: Vec<f32>,
    }
    let events = events(60);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options(Compression::NONE)).unwrap();
    for (number, events) in events.chunks(20).enumerate() {
        writer.use_representation("met", number).unwrap();
        writer.use_representation("name", number % 2).unwrap();
        writer.use_representation("vertex", number % 2).unwrap();
        writer.fill_all(events).unwrap();
        writer.commit_cluster().unwrap();
    }
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let reader = Reader::<Part>::open(&file, "Events").unwrap();
    for (part, event) in reader.entries().zip(events) {
        let vertex = event.vertex.map(|value| value as f32).to_vec();
        assert_eq!(part.unwrap(), Part { met: event.met.into(), name: Some(event.name), vertex });
    }
}
