//! Fields of several files as those of one, and readers of some of the entries.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

use std::time::Duration;

use proptest::prelude::*;
use rayon::iter::ParallelIterator as _;
use rntuple::extend::Extended;
use rntuple::field::WriteField;
use rntuple::join::{DuplicateKeys, Overlay};
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::schema::{FieldId, Locator};
use rntuple::statistics::{Bounds, ElementStatistics};
use rntuple::storage::Memory;
use rntuple::training::Epoch;
use rntuple::{
    Compression, Dataset, Entry, EntryList, ErrorKind, Pool, RNTuple, ReadOptions, Reader, RootFile, Value,
    WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::far::Far;
use rntuple_tests::forge::Forge;

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    number: u64,
    muons: Vec<Muon>,
    name: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Side {
    weight: Option<f64>,
    scores: Vec<f32>,
}

/// Both as one.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Both {
    scores: Vec<f32>,
    number: u64,
    weight: Option<f64>,
    muons: Vec<Muon>,
    name: String,
}

fn event(number: u64) -> Event {
    let muon =
        |i: u64| Muon { pt: (number * 10 + i) as f32, charge: if i.is_multiple_of(2) { 1 } else { -1 } };
    Event { number, muons: (0..number % 4).map(muon).collect(), name: "x".repeat((number % 3) as usize) }
}

fn side(number: u64) -> Side {
    let weight = (!number.is_multiple_of(3)).then_some(number as f64 / 2.0);
    Side { weight, scores: (0..number % 5).map(|i| (number + i) as f32).collect() }
}

fn both(number: u64) -> Both {
    let (Event { number, muons, name }, Side { weight, scores }) = (event(number), side(number));
    Both { scores, number, weight, muons, name }
}

/// Entries in clusters of these sizes.
fn file<T: Entry + WriteField>(name: &str, start: u64, sizes: &[u64], value: impl Fn(u64) -> T) -> Memory {
    file_with(WriteOptions::new().max_page_length(64).statistics(true), name, start, sizes, value)
}

fn file_with<T: Entry + WriteField>(
    options: WriteOptions,
    name: &str,
    start: u64,
    sizes: &[u64],
    value: impl Fn(u64) -> T,
) -> Memory {
    let mut writer = Writer::<T, _>::new(Memory::new(), name, options).unwrap();
    let mut number = start;
    for size in sizes {
        for _ in 0..*size {
            writer.fill(&value(number)).unwrap();
            number += 1;
        }
        writer.commit_cluster().unwrap();
    }
    writer.finish_into().unwrap().1
}

fn overlay(start: u64, sizes: &[u64]) -> Overlay {
    Overlay::new(file("Events", start, sizes, event)).side(file("Side", start, sizes, side), "Side")
}

fn fields(storage: &Memory, path: &str, names: &[(&str, &str)]) -> Vec<(FieldId, String)> {
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let dataset = Dataset::open(&file, path).unwrap();
    names.iter().map(|(from, to)| (dataset.schema().find(from).unwrap(), (*to).to_owned())).collect()
}

#[test]
fn fields_of_two_files_are_read_as_those_of_one() {
    let sizes = [3, 50, 1, 20];
    let wanted: Vec<Both> = (0..74).map(both).collect();
    let reader = Reader::<Both>::open(overlay(0, &sizes), "Events").unwrap();
    assert_eq!(reader.entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
    assert_eq!(reader.take(&[73, 0, 3]).unwrap(), [both(73), both(0), both(3)]);
    let parallel: Vec<_> = reader.par_entries().collect::<rntuple::Result<_>>().unwrap();
    assert_eq!(parallel, wanted);
    let mut batches = reader.batches(7);
    let mut numbers = Vec::new();
    let mut scores = 0;
    while let Some(batch) = batches.lend().unwrap() {
        numbers.extend_from_slice(batch.number);
        scores += batch.scores.items().len();
    }
    assert_eq!(numbers, (0..74).collect::<Vec<_>>());
    assert_eq!(scores, wanted.iter().map(|both| both.scores.len()).sum::<usize>());
    // What is known only at run time.
    let values = Reader::<Value>::open(overlay(0, &sizes), "Events").unwrap();
    let names: Vec<&str> =
        values.schema().top_level().iter().map(|id| &*values.schema().field(*id).unwrap().name).collect();
    assert_eq!(names, ["number", "muons", "name", "weight", "scores"]);
    assert_eq!(values.column::<u64>("number").unwrap().next_chunk().unwrap().unwrap()[..3], [0, 1, 2]);
}

#[test]
fn overlays_are_files_among_others() {
    let whole = file("Events", 10, &[4, 4], both);
    let files = [overlay(0, &[10]), Overlay::new(whole), overlay(18, &[1, 2])];
    let pool = Pool::new(2).unwrap();
    let options = ReadOptions::new().pool(&pool).open_files(1);
    let reader = Reader::<Both>::open_with(files, "Events", options).unwrap();
    let read: Vec<Both> = reader.entries().collect::<rntuple::Result<_>>().unwrap();
    assert_eq!(read, (0..21).map(both).collect::<Vec<_>>());
    assert_eq!(reader.locate(18).unwrap(), Some((2, 0)));
}

#[test]
fn overlays_in_storages_of_one_name_are_distinguished() {
    let reader = Reader::<Both>::open([overlay(0, &[3]), overlay(3, &[4])], "Events").unwrap();
    assert_eq!(reader.files(), ["memory (file 0)", "memory (file 1)"]);
    assert!(reader.entries().map(Result::unwrap).eq((0..7).map(both)));
    let differs = Overlay::new(file("Events", 3, &[4], event)).side(file("Side", 3, &[5], side), "Side");
    let error = Reader::<Both>::open([overlay(0, &[3]), differs], "Events").unwrap_err();
    assert_eq!(error.location().file.as_deref(), Some("memory (file 1)"));
    assert_eq!(error.message(), "it has 5 entries, memory (file 1) has 4");
    // One file, listed twice.
    let base = RootFile::from_storage(file("Events", 0, &[3], event)).unwrap();
    let reader = Reader::<Event>::open([Overlay::new(&base), Overlay::new(&base)], "Events").unwrap();
    assert_eq!(reader.files(), ["memory", "memory"]);
    assert_eq!(reader.entry_count().unwrap(), 6);
}

#[test]
fn fields_are_renamed_removed_and_replaced() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Mu {
        momentum: f32,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Renamed {
        id: u64,
        mu: Vec<Mu>,
    }
    let base = file("Events", 0, &[5, 5], event);
    let seen = fields(
        &base,
        "Events",
        &[("number", "id"), ("muons", "mu"), ("muons._0", "_0"), ("muons._0.pt", "momentum")],
    );
    let reader = Reader::<Renamed>::open(Overlay::new(base.clone()).fields(seen.clone()), "Events").unwrap();
    let muons = |number| event(number).muons.iter().map(|muon| Mu { momentum: muon.pt }).collect();
    let wanted: Vec<Renamed> = (0..10).map(|number| Renamed { id: number, mu: muons(number) }).collect();
    assert_eq!(reader.entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
    let error = Reader::<Event>::open(Overlay::new(base.clone()).fields(seen), "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);

    // A later file has a field of the same name.
    #[derive(RNTuple, Debug, PartialEq)]
    struct Named {
        name: f64,
    }
    let names = file("Names", 0, &[5, 5], |number| Named { name: number as f64 });
    let replaced = Overlay::new(base.clone()).side(names, "Names");
    let reader = Reader::<Named>::open(replaced, "Events").unwrap();
    assert_eq!(reader.get(7).unwrap().name, 7.0);

    // A part that is not a member cannot be missing.
    let lacks = fields(&base, "Events", &[("muons", "muons")]);
    let error = Reader::<Value>::open(Overlay::new(base.clone()).fields(lacks), "Events").unwrap_err();
    assert!(error.to_string().contains("muons._0 is a part of its field"), "{error}");
    let none = vec![(FieldId(99), "x".to_owned())];
    let error = Reader::<Value>::open(Overlay::new(base).fields(none), "Events").unwrap_err();
    assert!(error.to_string().contains("there is no field 99"), "{error}");
}

#[test]
fn files_whose_clusters_differ_are_refused() {
    for (sizes, message) in [
        (&[5, 5][..], "its clusters do not have the same entries"),
        (&[4, 6][..], ""),
        (&[4, 5][..], "it has 9 entries, memory has 10"),
        (&[4, 6, 1][..], "it has 11 entries, memory has 10"),
    ] {
        let base = file("Events", 0, &[4, 6], event);
        let both = Overlay::new(base).side(file("Side", 0, sizes, side), "Side");
        match Reader::<Both>::open(both, "Events") {
            Ok(_) => assert_eq!(message, ""),
            Err(error) => assert!(!message.is_empty() && error.to_string().contains(message), "{error}"),
        }
    }
}

#[test]
fn each_file_has_records_of_a_length_of_its_own() {
    let sizes = [3000, 500];
    let options = || WriteOptions::new().compression(Compression::NONE);
    let base = |options| file_with(options, "Events", 0, &sizes, event);
    let extra = |options| file_with(options, "Side", 0, &sizes, side);
    let longest = |file: &Memory, path: &str| {
        let dataset = Dataset::open(&RootFile::from_storage(file.clone()).unwrap(), path).unwrap();
        let clusters = clusters(&dataset);
        let pages = clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages);
        let size = |locator| match locator {
            Locator::File { size, .. } => size,
            other => panic!("{other:?}"),
        };
        pages.map(|page| size(page.locator)).max().unwrap()
    };

    let (plain, short) = (base(options()), extra(options().max_page_length(1000).max_key_size(4096)));
    assert!(longest(&plain, "Events") > 4096 && longest(&short, "Side") < 4096);
    let cut = base(options().checksums(false).max_page_length(3000).max_key_size(512));
    let long = extra(options());
    assert!(longest(&cut, "Events") > 512 && longest(&long, "Side") > 512);
    // As uproot writes it.
    let without = Memory::from(Forge::new(long.as_bytes().to_vec()).max_key_size(0).into_bytes());
    let wanted: Vec<Both> = (0..3500).map(both).collect();
    for (base, side) in [(&plain, &short), (&cut, &long), (&cut, &without), (&plain, &without)] {
        for options in [ReadOptions::new(), ReadOptions::new().pool(&Pool::new(2).unwrap())] {
            let overlay = Overlay::new(base.clone()).side(side.clone(), "Side");
            let reader = Reader::<Both>::open_with(overlay, "Events", options).unwrap();
            assert_eq!(reader.entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
            let input = Input::dataset(&reader.dataset(0).unwrap());
            let (_, merged) = merge_into(&[input], Memory::new(), MergeOptions::new()).unwrap();
            let merged = Reader::<Both>::open(merged, "Events").unwrap();
            assert_eq!(merged.entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
        }
    }

    // A page that only its checksum makes too long for one record.
    let side = extra(options().max_page_length(512).max_key_size(512));
    assert_eq!(longest(&side, "Side"), 512);
    let error = Reader::<Both>::open(Overlay::new(plain).side(side, "Side"), "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("in several records"), "{error}");
}

#[test]
fn members_that_came_later_are_still_missing_before() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Later {
        late: u32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct All {
        number: u64,
        late: u32,
        weight: Option<f64>,
    }
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..5 {
        writer.fill(&event(number)).unwrap();
    }
    let mut writer = writer.extend::<Later>().unwrap();
    for number in 5..9 {
        writer.fill(&Extended { base: event(number), extra: Later { late: number as u32 } }).unwrap();
    }
    let base = writer.finish_into().unwrap().1;
    let file_of_base = RootFile::from_storage(base.clone()).unwrap();
    let sizes: Vec<u64> =
        Dataset::open(&file_of_base, "Events").unwrap().clusters().map(|c| c.unwrap().entry_count).collect();
    let both = Overlay::new(base).side(file("Side", 0, &sizes, side), "Side");
    let reader = Reader::<All>::open(both, "Events").unwrap();
    for (number, all) in (0..).zip(reader.entries()) {
        let late = if number < 5 { 0 } else { number as u32 };
        assert_eq!(all.unwrap(), All { number, late, weight: side(number).weight });
    }
}

#[test]
fn far_files_are_read_together() {
    let sizes = [8000, 8000, 8000];
    let far = |file| Far::new(file, Duration::ZERO);
    let (base, beside) = (far(file("Events", 0, &sizes, event)), far(file("Side", 0, &sizes, side)));
    let reader =
        Reader::<Both>::open(Overlay::new(base.clone()).side(beside.clone(), "Side"), "Events").unwrap();
    let _ = (base.take_calls(), beside.take_calls());
    let read: Vec<Both> = reader.entries().collect::<rntuple::Result<_>>().unwrap();
    assert_eq!(read, (0..24000).map(both).collect::<Vec<_>>());
    for file in [base, beside] {
        let calls = file.take_calls().len();
        assert!((1..=2).contains(&calls), "{calls}");
    }
}

#[test]
fn what_a_reader_was_not_given_is_nowhere() {
    let only: EntryList = [0..2, 5..9, 30..74].into_iter().collect();
    let numbers: Vec<u64> = only.iter().collect();
    let options = || ReadOptions::new().only(&only);
    let open = || Reader::<Both>::open_with(overlay(0, &[3, 50, 1, 20]), "Events", options()).unwrap();
    let reader = open();
    let wanted: Vec<Both> = numbers.iter().copied().map(both).collect();
    assert_eq!(reader.entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
    assert_eq!(reader.par_entries().collect::<rntuple::Result<Vec<_>>>().unwrap(), wanted);
    assert_eq!(reader.entries_in(1..7).count(), 3);
    assert_eq!(
        reader.select(|both| both.number % 2 == 0).unwrap().iter().collect::<Vec<_>>()[..3],
        [0, 6, 8]
    );
    let mut batches = reader.batches(1000);
    let mut batched = Vec::new();
    while let Some(batch) = batches.lend().unwrap() {
        batched.extend_from_slice(batch.number);
    }
    assert_eq!(batched, numbers);
    assert!(reader.get(2).unwrap_err().to_string().contains("entry 2 is not among those"));
    assert_eq!(reader.take(&[8, 2]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(reader.take(&[8, 0]).unwrap(), [both(8), both(0)]);
    let (mut column, mut sizes, mut items) = (Vec::new(), Vec::new(), Vec::new());
    reader.column::<u64>("number").unwrap().read_into(usize::MAX, &mut column).unwrap();
    assert_eq!(column, numbers);
    reader.sizes("muons").unwrap().read_into(usize::MAX, &mut sizes).unwrap();
    assert_eq!(sizes, wanted.iter().map(|both| both.muons.len() as u64).collect::<Vec<_>>());
    let mut muons = reader.items::<Muon>("muons").unwrap();
    while let Some(some) = muons.lend(7).unwrap() {
        items.extend_from_slice(some.pt);
    }
    assert_eq!(items, wanted.iter().flat_map(|both| &both.muons).map(|muon| muon.pt).collect::<Vec<_>>());
    let mut mixed: Vec<u64> =
        reader.epoch(&Epoch::new(3)).unwrap().map(|both| both.unwrap().number).collect();
    assert_ne!(mixed, numbers);
    mixed.sort_unstable();
    assert_eq!(mixed, numbers);

    // On either side of a join.
    let all = Reader::<Event>::open(file("Events", 0, &[74], event), "Events").unwrap();
    for pairs in [
        all.zip(&reader)
            .unwrap()
            .entries()
            .map(|pair| pair.map(|pair| (pair.0.number, pair.1.number)))
            .collect(),
        reader
            .zip(&all)
            .unwrap()
            .entries()
            .map(|pair| pair.map(|pair| (pair.0.number, pair.1.number)))
            .collect(),
    ] as [rntuple::Result<Vec<_>>; 2]
    {
        assert_eq!(pairs.unwrap(), numbers.iter().map(|number| (*number, *number)).collect::<Vec<_>>());
    }
    #[derive(RNTuple, PartialEq, Eq, Hash)]
    struct Key {
        number: u64,
    }
    for inner in [
        all.join_on_with::<Key, _>(&reader, DuplicateKeys::Refuse).unwrap().inner().count(),
        reader.join_on_with::<Key, _>(&all, DuplicateKeys::Refuse).unwrap().inner().count(),
    ] {
        assert_eq!(inner, numbers.len());
    }
}

#[test]
fn statistics_of_each_file_are_those_of_its_columns() {
    let sizes = [10, 20, 30, 14];
    for (text, matches, skipped) in [
        ("weight > 30", (|both| both.weight.is_some_and(|weight| weight > 30.0)) as fn(&Both) -> bool, 3),
        ("number < 5", |both| both.number < 5, 3),
        (
            "number >= 10 and weight < 14",
            |both| both.number >= 10 && both.weight.is_some_and(|weight| weight < 14.0),
            3,
        ),
        ("any(scores, item > 70)", |both| both.scores.iter().any(|score| *score > 70.0), 3),
        ("name == \"xx\"", |both| both.name == "xx", 0),
    ] {
        let reader = Reader::<Both>::open(overlay(0, &sizes), "Events").unwrap();
        let filtered = reader.filter(&text.parse().unwrap()).unwrap();
        let found: Vec<Both> = filtered.entries().collect::<rntuple::Result<_>>().unwrap();
        let wanted: Vec<Both> = (0..74).map(both).filter(matches).collect();
        assert_eq!(found, wanted, "{text}");
        assert!(!wanted.is_empty(), "{text}");
        assert_eq!(filtered.counters().clusters.skipped, skipped, "{text}");
    }
    // What is deleted does not match.
    let options = ReadOptions::new().only(0..3);
    let reader = Reader::<Both>::open_with(overlay(0, &sizes), "Events", options).unwrap();
    let filtered = reader.filter(&"number >= 1".parse().unwrap()).unwrap();
    assert_eq!(filtered.matching().unwrap(), EntryList::from(1..3));
    assert_eq!(filtered.par_entries().count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_clusters_and_any_entries(
        sizes in prop::collection::vec(1u64..40, 1..6),
        ranges in prop::collection::vec((0u64..120, 0u64..20), 0..6),
    ) {
        let total: u64 = sizes.iter().sum();
        let only: EntryList = ranges.into_iter().map(|(start, length)| start..start + length).collect();
        let options = ReadOptions::new().only(&only);
        let reader = Reader::<Both>::open_with(overlay(0, &sizes), "Events", options).unwrap();
        let read: Vec<Both> = reader.entries().collect::<rntuple::Result<_>>().unwrap();
        let wanted: Vec<Both> = only.iter().filter(|entry| *entry < total).map(both).collect();
        prop_assert_eq!(read, wanted);
    }
}

#[test]
fn files_that_a_filter_excludes_are_not_opened_by_any_thread() {
    let directory = tempfile::tempdir().unwrap();
    let path = |number: usize| directory.path().join(format!("{number}.root"));
    std::fs::write(path(0), file("Events", 0, &[2], event).as_bytes()).unwrap();
    // The other files are not there.
    for files in [3, 993] {
        let overlays = || -> rntuple::Files {
            let absent = (1..files).map(|number| Overlay::new(path(number)).entry_count(1_000_000));
            std::iter::once(Overlay::new(path(0)).entry_count(2)).chain(absent).collect()
        };
        let options = || ReadOptions::new().same_schema(true).pool(&Pool::new(4).unwrap());
        for options in [options(), options().memory_budget(64 << 20)] {
            let reader = Reader::<Event>::open_with(overlays(), "Events", options).unwrap();
            let filtered = reader.filter(&"number < 2".parse().unwrap()).unwrap();
            let filtered = filtered.with_file_statistics(|file, field| {
                let min = file as u64 * 1_000_000;
                let bounds = Bounds::Unsigned { min, max: min + 1 };
                (field == "number").then(|| ElementStatistics::new(1, bounds))
            });
            let found: Vec<Event> = filtered.par_entries().collect::<rntuple::Result<_>>().unwrap();
            assert_eq!(found, [event(0), event(1)]);
            let walks = [0..2_u64, 2..2_000_000].map(|range| filtered.clone().within(range).entries());
            let read = walks.map(|walk| walk.collect::<rntuple::Result<Vec<_>>>().unwrap().len());
            assert_eq!(read, [2, 0]);
        }
    }
}

#[test]
fn counts_that_are_stated_find_entries_without_the_files_before() {
    let directory = tempfile::tempdir().unwrap();
    let path = |number: usize| directory.path().join(format!("{number}.root"));
    let sizes: [u64; 5] = [3, 0, 20, 7, 5];
    let mut start = 0;
    for (number, size) in sizes.into_iter().enumerate() {
        std::fs::write(path(number), file("Events", start, &[size], event).as_bytes()).unwrap();
        start += size;
    }
    let wanted: Vec<Event> = (0..35).map(event).collect();
    let same = || ReadOptions::new().same_schema(true).open_files(0);
    // All of them, some of them, and none.
    for stated in [0b11111_u32, 0b10110, 0b01001, 0] {
        let overlays = || -> rntuple::Files {
            let overlay = |(number, size)| match stated >> number & 1 {
                1 => Overlay::new(path(number)).entry_count(size),
                _ => Overlay::new(path(number)),
            };
            sizes.into_iter().enumerate().map(overlay).collect()
        };
        let open = |options| Reader::<Event>::open_with(overlays(), "Events", options).unwrap();
        for options in [same(), ReadOptions::new(), same().pool(&Pool::new(2).unwrap())] {
            let reader = open(options.clone());
            for entry in [34, 3, 22, 30, 29, 0] {
                assert_eq!(reader.get(entry).unwrap(), wanted[entry as usize]);
            }
            assert_eq!(open(options.clone()).entry_count().unwrap(), 35);
            assert_eq!(open(options.clone()).locate(23).unwrap(), Some((3, 0)));
            assert_eq!(open(options.clone()).entries_of_file(2).unwrap(), 3..23);
            assert!(open(options.clone()).entries_in(20..33).map(Result::unwrap).eq(wanted[20..33].to_vec()));
            let parallel: Vec<Event> = open(options).par_entries().collect::<rntuple::Result<_>>().unwrap();
            assert_eq!(parallel, wanted);
        }
    }

    let overlays =
        |count| [Overlay::new(path(0)), Overlay::new(path(2)).entry_count(count), Overlay::new(path(3))];
    let error = Reader::<Event>::open(overlays(21), "Events").unwrap_err();
    assert_eq!(error.location().file.as_deref(), path(2).to_str());
    assert_eq!(error.message(), "the file has 20 entries, expected 21, as was stated for it");
    let reader = Reader::<Event>::open_with(overlays(21), "Events", same()).unwrap();
    assert_eq!(reader.entry_count().unwrap(), 31);
    assert_eq!(reader.get(30).unwrap(), event(29), "of the last file, which is sound");
    assert!(reader.get(3).is_err() && reader.entries().any(|entry| entry.is_err()));
    let error = Reader::<Event>::open(overlays(u64::MAX), "Events").unwrap_err();
    assert!(error.to_string().contains("2^64"), "{error}");
}

/// That a file does not have what the type asks for is said once, not for each entry that it is said to have.
#[test]
fn a_file_that_does_not_fit_ends_a_walk_of_slices() {
    #[derive(RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Number {
        number: u64,
    }
    #[derive(RNTuple)]
    struct Other {
        other: u64,
    }
    let write = |count: u64| {
        let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        (0..count).for_each(|number| writer.fill(&Number { number }).unwrap());
        writer.finish_into().unwrap().1
    };
    let mut writer = Writer::<Other, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    (0..1000).for_each(|other| writer.fill(&Other { other }).unwrap());
    let files = [
        Overlay::new(write(2)).entry_count(2),
        Overlay::new(writer.finish_into().unwrap().1).entry_count(1000),
    ];
    let options = ReadOptions::new().same_schema(true);
    let reader = Reader::<Number>::open_with(files, "Events", options).unwrap();
    let mut batches = reader.batches(1);
    assert!((0..2).all(|_| batches.lend().unwrap().is_some()));
    assert_eq!(batches.lend().unwrap_err().kind(), ErrorKind::SchemaMismatch);
    assert!(batches.lend().unwrap().is_none());
}
