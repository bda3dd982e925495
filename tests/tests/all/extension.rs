//! Members that join while the entries are written: deferred columns (format, section 5.3).
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use proptest::prelude::*;
use rntuple::check::{CheckOptions, check_file};
use rntuple::compression::Algorithm;
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::Extended;
use rntuple::schema::FieldDescriptor;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, ErrorKind, Pool, RNTuple, Reader, RootFile, Value, WriteOptions, Writer,
};
use rntuple_tests::disk::Disk;

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Point {
    x: f64,
    name: String,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Extra {
    scale: f32,
    good: bool,
    cells: [[i16; 3]; 2],
    bits: [bool; 5],
    place: Point,
    label: String,
    words: Vec<String>,
    weight: Option<f64>,
    pairs: Vec<(u8, Vec<i64>)>,
    points: [Point; 2],
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Late {
    last: u16,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct All {
    #[rntuple(flatten)]
    event: Event,
    #[rntuple(flatten)]
    extra: Extra,
    #[rntuple(flatten)]
    late: Late,
}

fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 4).map(|i| i as f32 + 0.5).collect() }
}

fn extra(seed: u64) -> Extra {
    let point = |shift: u64| Point { x: (seed + shift) as f64, name: "n".repeat((seed % 3) as usize) };
    Extra {
        scale: seed as f32,
        good: !seed.is_multiple_of(2),
        cells: [[seed as i16, -1, 2], [3, 4, -(seed as i16)]],
        bits: [true, seed.is_multiple_of(3), false, true, seed.is_multiple_of(5)],
        place: point(0),
        label: format!("label {seed}"),
        words: (0..seed % 3).map(|i| format!("w{i}")).collect(),
        weight: (seed.is_multiple_of(2)).then_some(seed as f64),
        pairs: (0..seed % 4).map(|i| (i as u8, vec![-(i as i64); i as usize])).collect(),
        points: [point(1), point(2)],
    }
}

/// Writes so many entries without, with, and with both kinds of later members.
fn write(counts: [u64; 3], cluster: u64, options: WriteOptions) -> (RootFile, Vec<All>) {
    let mut expected = Vec::new();
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..counts[0] {
        writer.fill(&event(number)).unwrap();
        expected.push(All { event: event(number), ..All::default() });
        if number % cluster == cluster - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    let mut writer = writer.extend::<Extra>().unwrap();
    for number in (counts[0]..).take(counts[1] as usize) {
        writer.fill_both(&event(number), &extra(number)).unwrap();
        expected.push(All { event: event(number), extra: extra(number), ..All::default() });
        if number % cluster == cluster - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    assert_eq!(writer.entry_count(), counts[0] + counts[1]);
    let mut writer = writer.extend::<Late>().unwrap();
    for number in (counts[0] + counts[1]..).take(counts[2] as usize) {
        let (event, extra, late) = (event(number), extra(number), Late { last: number as u16 + 1 });
        writer.fill_as(&(&Extended { base: event.clone(), extra: extra.clone() }, &late)).unwrap();
        expected.push(All { event, extra, late });
        if number % cluster == cluster - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    let (summary, storage) = writer.finish_into().unwrap();
    assert_eq!(summary.entries, expected.len() as u64);
    (RootFile::from_storage(storage).unwrap(), expected)
}

fn assert_reads(file: &RootFile, expected: &[All]) {
    let reader = Reader::<All>::open(file, "Events").unwrap();
    let found: Vec<All> = reader.entries().map(Result::unwrap).collect();
    assert_eq!(found, expected);
    // Backwards, from whatever cluster.
    for (index, all) in expected.iter().enumerate().rev() {
        assert_eq!(reader.get(index as u64).unwrap(), *all, "entry {index}");
    }
    let mut late = reader.column::<u16>("last").unwrap();
    let mut values = Vec::new();
    while late.read_into(1000, &mut values).unwrap() > 0 {}
    assert_eq!(values, expected.iter().map(|all| all.late.last).collect::<Vec<_>>());
    let dynamic = Reader::<Value>::open(file, "Events").unwrap();
    for (value, all) in dynamic.entries().zip(expected) {
        let value = serde_json::to_value(value.unwrap()).unwrap();
        assert_eq!(value["scale"], serde_json::json!(all.extra.scale));
        assert_eq!(value["label"], serde_json::json!(all.extra.label));
        assert_eq!(value["cells"], serde_json::json!(all.extra.cells));
        assert_eq!(value["words"], serde_json::json!(all.extra.words));
        assert_eq!(value["points"][1]["name"], serde_json::json!(all.extra.points[1].name));
    }
    let report = check_file(file, CheckOptions::new());
    assert!(report.is_sound(), "{report:?}");
}

#[test]
fn entries_before_have_zeros() {
    for options in [
        WriteOptions::new(),
        WriteOptions::new().compression(Compression::NONE).initial_page_length(16).max_page_length(64),
        WriteOptions::new().compression(Compression::new(Algorithm::Lz4, 4).unwrap()),
        WriteOptions::new().pool(&Pool::new(2).unwrap()).memory_budget(8 << 20),
    ] {
        for (counts, cluster) in [
            ([10, 10, 10], 1000),
            ([7, 9, 5], 4),
            ([8, 8, 8], 8),
            ([5, 0, 3], 2),
            ([3, 2, 0], 100),
            ([1, 0, 0], 1),
        ] {
            let (file, expected) = write(counts, cluster, options.clone());
            assert_reads(&file, &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn wherever_they_join(counts in [0..40u64, 0..40u64, 0..40u64], cluster in 1..30u64, page in 16..200usize) {
        let (file, expected) = write(counts, cluster, WriteOptions::new().initial_page_length(16).max_page_length(page));
        assert_reads(&file, &expected);
    }
}

#[test]
fn only_columns_of_entries_begin_in_the_middle() {
    let (file, _) = write([10, 1, 1], 4, WriteOptions::new());
    let dataset = Dataset::open(&file, "Events").unwrap();
    assert_eq!(dataset.header_field_count(), 3);
    let schema = dataset.schema();
    let first = |path: &str| {
        let field = schema.find(path).unwrap();
        let columns = &schema.representations(field)[0];
        columns.iter().map(|id| schema.column(*id).unwrap().first_element).collect::<Vec<_>>()
    };
    assert_eq!(first("number"), [None]);
    assert_eq!(first("scale"), [Some(10)]);
    assert_eq!(first("cells._0._0"), [Some(60)]);
    assert_eq!(first("bits"), [Some(50)]);
    assert_eq!(first("label"), [Some(10), None]);
    assert_eq!(first("words"), [Some(10)]);
    assert_eq!(first("words._0"), [None, None]);
    assert_eq!(first("pairs._0._1._0"), [None]);
    assert_eq!(first("points._0.name"), [Some(20), None]);
    assert_eq!(first("last"), [Some(11)]);
}

#[test]
fn before_the_first_entry_they_are_as_if_declared() {
    let (file, expected) = write([0, 6, 0], 4, WriteOptions::new());
    let dataset = Dataset::open(&file, "Events").unwrap();
    let deferred = dataset.schema().columns().filter(|(_, column)| column.first_element.is_some()).count();
    // Only `last` came behind entries.
    assert_eq!(deferred, 1);
    assert_reads(&file, &expected);
}

#[test]
fn a_refused_extension_costs_nothing() {
    #[derive(RNTuple)]
    struct Clash {
        fresh: u8,
        hits: Vec<f32>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(1)).unwrap();
    let refused = writer.extend::<Clash>().unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::InvalidArgument);
    assert!(refused.error.to_string().contains("hits: two fields have this name"), "{}", refused.error);
    let mut writer = refused.writer;
    writer.fill(&event(2)).unwrap();
    let wish = ColumnEncoding::of(ColumnType::Real16);
    let refused = writer.extend_with::<Late>(&WriteOptions::new().encoding("last", wish)).unwrap_err();
    assert!(refused.to_string().contains("last"), "{refused}");
    let mut writer = refused.writer.extend::<Late>().map_err(|refused| refused.error).unwrap();
    writer.fill_both(&event(3), &Late { last: 9 }).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let names: Vec<_> = dataset.schema().fields().map(|(_, FieldDescriptor { name, .. })| name).collect();
    assert_eq!(names, ["number", "hits", "_0", "last"]);
    let reader = Reader::<Late>::open(&file, "Events").unwrap();
    let last: Vec<u16> = reader.entries().map(|late| late.unwrap().last).collect();
    assert_eq!(last, [0, 0, 9]);
}

/// Columns that came after entries that are lost begin after those that are left.
#[test]
fn a_loss_leaves_a_file_that_can_be_continued() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Both {
        #[rntuple(flatten)]
        event: Event,
        #[rntuple(flatten)]
        extra: Extra,
    }
    for kept in [0, 4] {
        let disk = Disk::default();
        let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", WriteOptions::new()).unwrap();
        for number in 0..10 {
            writer.fill(&event(number)).unwrap();
            if number + 1 == kept {
                writer.commit_cluster().unwrap();
            }
        }
        let mut writer = writer.extend::<Extra>().unwrap();
        // Items of an entry that never comes.
        writer.append_items("hits", &[1.0f32]).unwrap();
        let error = writer.finish().unwrap_err().to_string();
        assert!(error.ends_with(&format!("{kept} entries can be read")), "{error}");
        let left = Memory::from(disk.bytes());
        let mut writer =
            Writer::<Extended<Event, Extra>, _>::append_to(left, "Events", WriteOptions::new()).unwrap();
        let mut expected: Vec<_> =
            (0..kept).map(|number| Both { event: event(number), extra: Extra::default() }).collect();
        for number in 20..23 {
            writer.fill_both(&event(number), &extra(number)).unwrap();
            expected.push(Both { event: event(number), extra: extra(number) });
        }
        let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
        let report = check_file(&file, CheckOptions::new());
        assert!(report.faults.is_empty(), "{report:?}");
        let reader = Reader::<Both>::open(&file, "Events").unwrap();
        assert_eq!(reader.entries().map(Result::unwrap).collect::<Vec<_>>(), expected);
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Choice {
    Number(u8),
    Text(String),
}

#[derive(RNTuple)]
struct Chosen {
    bare: Choice,
    perhaps: Option<Choice>,
}

#[test]
fn a_variant_has_no_zero() {
    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    struct Perhaps {
        perhaps: Option<Choice>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(1)).unwrap();
    let mut writer = writer.extend::<Chosen>().unwrap();
    let choice = Choice::Text("late".into());
    writer.fill_both(&event(2), &Chosen { bare: choice.clone(), perhaps: Some(Choice::Number(7)) }).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let reader = Reader::<Chosen>::open(&file, "Events").unwrap();
    let error = reader.get(0).err().unwrap();
    assert!(error.to_string().contains("bare"), "{error}");
    assert_eq!(reader.get(1).unwrap().bare, choice);
    let reader = Reader::<Perhaps>::open(&file, "Events").unwrap();
    let found: Vec<_> = reader.entries().map(|entry| entry.unwrap().perhaps).collect();
    assert_eq!(found, [None, Some(Choice::Number(7))]);
}

#[derive(RNTuple)]
struct Lists {
    lists: Vec<Vec<u32>>,
}

/// Statistics exclude pages of items of a collection that its cluster has not from the first entry on.
#[test]
fn matches_in_a_late_collection_are_found_by_its_pages() {
    let options = WriteOptions::new().statistics(true).initial_page_length(256).max_page_length(256);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..5_000 {
        writer.fill(&event(number)).unwrap();
    }
    let mut writer = writer.extend::<Lists>().unwrap();
    for number in 5_000..10_000 {
        let list = |first: u64| vec![first as u32; first as usize % 3];
        writer.fill_both(&event(number), &Lists { lists: vec![list(number), list(number + 1)] }).unwrap();
    }
    let reader = Reader::<Value>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.dataset(0).unwrap().cluster_count(), 1);
    // 7001 is in two entries, and 9000 is empty.
    for (wanted, expected) in [(7001, vec![7000, 7001]), (9000, vec![])] {
        let predicate = format!("any(lists, any(item, item == {wanted}))").parse().unwrap();
        let filtered = reader.filter(&predicate).unwrap();
        assert!(filtered.matching().unwrap().iter().eq(expected));
        assert!(filtered.counters().entries.read() < 200, "{}", filtered.counters());
    }
}

/// An entry has one zero of each of them, not as many as are made ahead.
#[test]
fn over_a_thousand_columns_may_come_late() {
    type Twelve<T> = (T, T, T, T, T, T, T, T, T, T, T, T);
    fn twelve<T: Copy>(value: T) -> Twelve<T> {
        (value, value, value, value, value, value, value, value, value, value, value, value)
    }
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    struct Wide {
        columns: Twelve<Twelve<Twelve<f32>>>,
    }
    let wide = |value: f32| Wide { columns: twelve(twelve(twelve(value))) };
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    (0..2000).for_each(|number| writer.fill(&event(number)).unwrap());
    let mut writer = writer.extend::<Wide>().unwrap();
    writer.fill_both(&event(2000), &wide(1.5)).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let reader = Reader::<Wide>::open(&file, "Events").unwrap();
    assert_eq!([0, 1999, 2000].map(|entry| reader.get(entry).unwrap()), [wide(0.0), wide(0.0), wide(1.5)]);
    assert!(reader.entries().map(Result::unwrap).eq((0..2001).map(|n| wide(if n < 2000 {
        0.0
    } else {
        1.5
    }))));
    let values = Reader::<Value>::open(&file, "Events").unwrap();
    assert_eq!(values.entries().filter(Result::is_ok).count(), 2001);
}

#[test]
fn a_member_of_two_structs_has_the_class_of_neither() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "ClassA")]
    struct A {
        a: u32,
    }
    #[derive(RNTuple)]
    struct B {
        b: u32,
    }
    #[derive(RNTuple)]
    #[rntuple(skip_reading)]
    struct Pair {
        both: Extended<A, B>,
    }
    let mut writer = Writer::<Pair, _>::new(Memory::new(), "Pairs", WriteOptions::new()).unwrap();
    writer.fill(&Pair { both: Extended { base: A { a: 1 }, extra: B { b: 2 } } }).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let pairs = Dataset::open(&file, "Pairs").unwrap();
    let schema = pairs.schema();
    let named = |path: &str| schema.field(schema.find(path).unwrap()).unwrap();
    assert_eq!(named("both").type_name, "");
    assert_eq!(
        (&*named("both.a").type_name, &*named("both.b").type_name),
        ("std::uint32_t", "std::uint32_t")
    );
}
