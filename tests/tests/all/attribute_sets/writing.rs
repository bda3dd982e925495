//! What goes in comes out, whoever writes; and mistakes are told.

use rntuple::parallel::Order;
use rntuple::root::FileOptions;
use rntuple::{
    Compression, ErrorKind, ParallelWriter, Pool, RNTuple, ReadOptions, Reader, RootFileWriter, Value,
};
use rntuple_tests::clusters;

use super::*;

#[test]
fn ranges_follow_the_entries() {
    let mut writer = writer(WriteOptions::new());
    let runs = writer.attributes::<RunInfo>("RunInfo").unwrap();
    assert_eq!(runs.name(), "RunInfo");
    for run in 0..3 {
        let range = runs.begin(&writer).unwrap();
        assert_eq!(range.start(), 10 * u64::from(run));
        fill(&mut writer, 10);
        let range = range.commit(&writer, &info(run)).unwrap();
        assert_eq!(range, 10 * u64::from(run)..10 * u64::from(run) + 10);
    }
    let file = close(writer);
    assert_sound(&file);
    let runs = set(&file, "RunInfo");
    assert_eq!(runs.attribute_count(), 3);
    assert_eq!(all(&runs), [said(0..10, 0), said(10..20, 1), said(20..30, 2)]);
    assert_eq!((&runs).into_iter().count(), 3);
    // The entries are as they are without a set.
    let events: Vec<Event> = open(&file, "Events").entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(events, (0..30).map(event).collect::<Vec<_>>());
    assert_eq!(file.ntuples().unwrap().len(), 1);
}

#[test]
fn ranges_overlap_are_empty_and_cross_clusters() {
    let mut writer = writer(WriteOptions::new());
    let sets = writer.attributes::<RunInfo>("a").unwrap();
    let outer = sets.begin(&writer).unwrap();
    let empty = sets.begin(&writer).unwrap();
    empty.commit(&writer, &info(1)).unwrap();
    fill(&mut writer, 4);
    let inner = sets.begin(&writer).unwrap();
    writer.commit_cluster().unwrap();
    fill(&mut writer, 4);
    sets.add(7..8, &info(2)).unwrap();
    outer.commit(&writer, &info(3)).unwrap();
    fill(&mut writer, 1);
    inner.commit(&writer, &info(4)).unwrap();
    // Before they are filled.
    sets.add(9..11, &info(5)).unwrap();
    fill(&mut writer, 2);
    sets.begin(&writer).unwrap().discard();
    sets.add(11..11, &info(6)).unwrap();
    let file = close(writer);
    assert_sound(&file);
    let wanted =
        [said(0..0, 1), said(7..8, 2), said(0..8, 3), said(4..9, 4), said(9..11, 5), said(11..11, 6)];
    assert_eq!(all(&set(&file, "a")), wanted);
}

#[test]
fn several_sets_stand_beside_each_other() {
    #[derive(Debug, PartialEq, RNTuple)]
    #[rntuple(type_name = "exp::Quality")]
    struct Quality {
        good: bool,
        by: Option<[u8; 2]>,
    }
    let mut writer = writer(WriteOptions::new());
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let quality = writer.attributes::<Quality>("quality").unwrap();
    let nothing = writer.attributes::<Quality>("nothing").unwrap();
    fill(&mut writer, 5);
    quality.add(0..5, &Quality { good: true, by: Some([1, 2]) }).unwrap();
    runs.add(1..2, &info(9)).unwrap();
    quality.add(3..4, &Quality { good: false, by: None }).unwrap();
    drop((runs, quality, nothing));
    let file = close(writer);
    assert_sound(&file);
    let reader = open(&file, "Events");
    let dataset = reader.dataset(0).unwrap();
    let names: Vec<&str> = dataset.attribute_sets().iter().map(|set| &*set.name).collect();
    assert_eq!(names, ["runs", "quality", "nothing"]);
    assert_eq!(all(&set(&file, "runs")), [said(1..2, 9)]);
    let quality = all(&reader.attributes::<Quality>("quality").unwrap());
    assert_eq!(quality[1], Attribute { range: 3..4, value: Quality { good: false, by: None } });
    // A set without attributes is there, and knows its type.
    let nothing = reader.attributes::<Quality>("nothing").unwrap();
    assert!(nothing.attribute_count() == 0 && nothing.covering(0).next().is_none());
    // Untyped in a set, whatever class it is elsewhere.
    let set = dataset.attribute_set("nothing").unwrap();
    let schema = set.schema();
    let user_data = schema.field(schema.find("_userData").unwrap()).unwrap();
    assert_eq!((&*user_data.type_name, user_data.type_version), ("", 0));
    assert_eq!(schema.children(schema.find("_userData").unwrap()).len(), 2);
}

#[test]
fn many_attributes_fill_several_clusters() {
    let mut writer = writer(WriteOptions::new().cluster_size(8 << 10).compression(Compression::NONE));
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    for number in 0..20_000u64 {
        writer.fill(&event(number)).unwrap();
        runs.add(number..number + 1, &info(number as u32)).unwrap();
    }
    let file = close(writer);
    assert_sound(&file);
    let runs = set(&file, "runs");
    let dataset = open(&file, "Events").dataset(0).unwrap().attribute_set("runs").unwrap();
    assert!(dataset.cluster_count() > 10, "{}", dataset.cluster_count());
    let clusters = clusters(&dataset);
    let longest = clusters.iter().flat_map(|cluster| &cluster.columns);
    let longest = longest.flat_map(|column| &column.pages).map(|page| page.count).max().unwrap();
    assert!(longest <= 16 << 10);
    assert_eq!(runs.get(19_999).unwrap(), said(19_999..20_000, 19_999));
    for (number, attribute) in (0..).zip(runs.entries()) {
        assert_eq!(attribute.unwrap(), said(number..number + 1, number as u32));
    }
    let found: Vec<_> = runs.covering(12_345).collect::<Result<_, _>>().unwrap();
    assert_eq!(found, [said(12_345..12_346, 12_345)]);
}

#[test]
fn each_ntuple_of_a_file_has_sets_of_its_own() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let mut one = file.writer::<Event>("Events", WriteOptions::new()).unwrap();
    let mut two = file.writer::<Event>("directory/Events", WriteOptions::new().checksums(false)).unwrap();
    let of_one = one.attributes::<RunInfo>("runs").unwrap();
    let of_two = two.attributes::<RunInfo>("runs").unwrap();
    fill(&mut one, 3);
    of_one.add(0..3, &info(1)).unwrap();
    of_two.add(0..0, &info(2)).unwrap();
    // Not of this ntuple.
    let error = of_one.begin(&two).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("runs belongs to another ntuple"), "{error}");
    let range = of_one.begin(&one).unwrap();
    assert!(range.commit(&two, &info(3)).is_err());
    two.finish().unwrap();
    // The range that went astray is told of, behind a file that is whole.
    assert!(one.finish().unwrap_err().to_string().contains("a range was begun"));
    let file = RootFile::from_storage(file.finish().unwrap()).unwrap();
    assert_sound(&file);
    assert_eq!(all(&set(&file, "runs")), [said(0..3, 1)]);
    let reader = open(&file, "directory/Events");
    let other = reader.attributes::<RunInfo>("runs").unwrap();
    assert_eq!(all(&other), [said(0..0, 2)]);
    // As its ntuple is written, so is the set.
    let set = reader.dataset(0).unwrap().attribute_set("runs").unwrap();
    let clusters = clusters(&set);
    let mut pages = clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages);
    assert!(pages.all(|page| !page.has_checksum));
    assert_eq!(file.ntuples().unwrap().len(), 2);
}

#[test]
fn threads_add_to_one_set() {
    let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let result = writer.scope(|scope| {
        for thread in 0..3 {
            let runs = &runs;
            scope.spawn(move |context| {
                for key in (thread..30u64).step_by(3) {
                    let mut transaction = context.begin_ordered(key)?;
                    for number in 0..10 {
                        transaction.fill(&event(10 * key + number))?;
                    }
                    transaction.commit()?;
                    // Transactions of ten entries in order: where they will be is known.
                    runs.add(10 * key..10 * key + 10, &info(key as u32))?;
                }
                Ok(())
            });
        }
    });
    result.unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    assert_sound(&file);
    let runs = set(&file, "runs");
    assert_eq!(runs.attribute_count(), 30);
    for entry in [0, 137, 299] {
        let found: Vec<_> = runs.covering(entry).collect::<Result<_, _>>().unwrap();
        assert_eq!(found, [said(entry / 10 * 10..entry / 10 * 10 + 10, (entry / 10) as u32)]);
    }
}

#[test]
fn a_pool_and_a_budget_change_nothing_about_sets() {
    let options = WriteOptions::new().pool(&Pool::new(2).unwrap()).memory_budget(8 << 20);
    let mut writer = writer(options);
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    for run in 0..1000 {
        fill(&mut writer, 20);
        runs.add(0..writer.entry_count(), &info(run)).unwrap();
    }
    let file = close(writer);
    assert_sound(&file);
    assert_eq!(set(&file, "runs").get(999).unwrap(), said(0..20_000, 999));
    let options = ReadOptions::new().memory_budget(8 << 20).pool(&Pool::new(1).unwrap());
    let reader = Reader::<Event>::open_with(&file, "Events", options).unwrap();
    assert_eq!(all(&reader.attributes::<RunInfo>("runs").unwrap()).len(), 1000);
}

#[test]
fn the_same_attributes_give_the_same_bytes() {
    let write = |text: &str| {
        let mut writer = writer(WriteOptions::new());
        let runs = writer.attributes::<RunInfo>("runs").unwrap();
        fill(&mut writer, 10);
        runs.add(0..10, &RunInfo { generator: text.to_owned(), ..info(1) }).unwrap();
        writer.finish_into().unwrap().1.into_bytes()
    };
    assert_eq!(write("a"), write("a"));
    assert_ne!(write("a"), write("b"));
}

#[test]
fn names_of_sets_are_those_of_the_format() {
    let mut writer = writer(WriteOptions::new());
    let _runs = writer.attributes::<RunInfo>("runs").unwrap();
    for (name, why) in [
        ("", "empty"),
        ("runs", "already"),
        ("__mine", "reserved"),
        ("a/b", "cannot be a path"),
        ("a.b", "dot"),
        ("a b", "space"),
    ] {
        let error = writer.attributes::<RunInfo>(name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(why), "{name:?}: {error}");
    }
    // What was refused left nothing behind.
    let file = close(writer);
    assert_sound(&file);
    assert_eq!(Dataset::open(&file, "Events").unwrap().attribute_sets().len(), 1);
}

#[test]
fn ranges_are_those_of_the_entries() {
    let mut writer = writer(WriteOptions::new());
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 3);
    #[expect(clippy::reversed_empty_ranges, reason = "that is the point")]
    let error = runs.add(3..2, &info(0)).unwrap_err();
    assert!(error.to_string().contains("begins with entry 3 and ends before entry 2"), "{error}");
    runs.add(1..5, &info(1)).unwrap();
    fill(&mut writer, 1);
    let (shared, error) = {
        let error = writer.finish_into().unwrap_err();
        (runs, error)
    };
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().contains("a range ends with entry 5, but the ntuple has only 4 entries"),
        "{error}"
    );
    // Its ntuple has ended, and so has the set.
    let error = shared.add(0..1, &info(2)).unwrap_err();
    assert!(error.to_string().contains("finished"), "{error}");
}

#[test]
fn a_range_that_is_forgotten_is_told_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let _kept = runs.begin(&writer).unwrap();
    drop(runs.begin(&writer).unwrap());
    let range = runs.begin(&writer).unwrap();
    writer.fill(&event(0)).unwrap();
    range.commit(&writer, &info(1)).unwrap();
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("2 ranges were begun and neither committed"), "{error}");
    // The file is closed all the same.
    let file = RootFile::open(&path).unwrap();
    assert_sound(&file);
    assert_eq!(all(&set(&file, "runs")), [said(0..1, 1)]);
}

#[test]
fn a_set_of_whatever_there_is() {
    let mut writer = writer(WriteOptions::new());
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 2);
    runs.add(0..2, &info(4)).unwrap();
    let file = close(writer);
    let values = all(&open(&file, "Events").attributes::<Value>("runs").unwrap());
    let Value::Record(record) = &values[0].value else { panic!("{values:?}") };
    assert_eq!(record.get("run"), Some(&Value::U32(4)));
    assert_eq!(values[0].range, 0..2);
}
