//! Files that change after their statistics were written, and statistics that come later.

use std::io::{self, IoSlice};

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::schema::ClusterId;
use rntuple::statistics::{Bounds, Statistics};
use rntuple::storage::{Memory, WriteAt};
use rntuple::{
    Compression, Dataset, ErrorKind, RNTuple, Reader, RootFile, RootFileWriter, WriteOptions, Writer,
};
use rntuple_tests::places::places;

use super::naive::{assert_right, dataset};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    run: u32,
    met: f32,
    maybe: Option<i16>,
    name: String,
}

#[derive(RNTuple)]
struct Added {
    weight: f64,
}

fn event(run: u32) -> Event {
    Event { run, met: run as f32 / 2.0, maybe: None, name: format!("run {run}") }
}

fn with_statistics() -> WriteOptions {
    WriteOptions::new().statistics(true)
}

/// A file of clusters of two entries, the first of which begins with `first`.
fn write(first: u32, clusters: u32, options: WriteOptions) -> Memory {
    fill(Writer::new(Memory::new(), "Events", options).unwrap(), first, clusters)
}

fn fill(mut writer: Writer<Event, Memory>, first: u32, clusters: u32) -> Memory {
    for cluster in 0..clusters {
        writer.fill(&event(first + 2 * cluster)).unwrap();
        writer.fill(&event(first + 2 * cluster + 1)).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.finish_into().unwrap().1
}

fn append(storage: Memory, first: u32, clusters: u32, options: WriteOptions) -> Memory {
    fill(Writer::append_to(storage, "Events", options).unwrap(), first, clusters)
}

fn runs(storage: &Memory) -> Vec<u32> {
    let reader = Reader::<Event>::open(storage.clone(), "Events").unwrap();
    reader.entries().map(|event| event.unwrap().run).collect()
}

/// The bounds of `run` in each cluster.
fn bounds(dataset: &Dataset, statistics: &Statistics) -> Vec<Option<(u64, u64)>> {
    let run = statistics.field(dataset.schema().find("run").unwrap(), 0).unwrap();
    let clusters = (0..dataset.cluster_count()).map(|cluster| {
        run.cluster(ClusterId(cluster as u32)).map(|cluster| match cluster.bounds {
            Bounds::Unsigned { min, max } => (min, max),
            other => panic!("{other:?}"),
        })
    });
    clusters.collect()
}

/// The same of what is kept in the file.
fn kept(storage: &Memory) -> Option<Vec<Option<(u64, u64)>>> {
    let dataset = dataset(storage);
    Statistics::of(&dataset).unwrap().map(|statistics| bounds(&dataset, &statistics))
}

fn assert_sound(storage: &Memory) {
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let report = rntuple::check::check_file(&file, rntuple::check::CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    assert_eq!(kept(&write(0, 1, WriteOptions::new())), None);
    assert_eq!(kept(&write(0, 0, with_statistics())), None, "there are no values");
    assert_eq!(kept(&write(0, 2, with_statistics())), Some(vec![Some((0, 1)), Some((2, 3))]));
}

#[test]
fn of_options_without_a_value_the_extremes_of_the_type_remain() {
    let storage = write(0, 1, with_statistics());
    let dataset = dataset(&storage);
    let statistics = Statistics::of(&dataset).unwrap().unwrap();
    let maybe = statistics.field(dataset.schema().find("maybe").unwrap(), 0).unwrap();
    let maybe = maybe.cluster(ClusterId(0)).unwrap();
    assert_eq!((maybe.elements, maybe.nulls, maybe.bounds), (2, 2, Bounds::Unsigned { min: 0, max: 0 }));
    let item = statistics.field(dataset.schema().find("maybe._0").unwrap(), 0).unwrap();
    let item = item.cluster(ClusterId(0)).unwrap();
    assert_eq!((item.elements, item.bounds), (0, Bounds::Signed { min: -32_768, max: 32_767 }));
}

#[test]
fn what_is_appended_without_statistics_is_not_known() {
    let old = write(0, 2, with_statistics());
    let grown = append(old.clone(), 10, 1, WriteOptions::new());
    assert_eq!(kept(&grown), Some(vec![Some((0, 1)), Some((2, 3)), None]));
    let file = dataset(&grown);
    let statistics = Statistics::of(&file).unwrap().unwrap();
    assert_eq!(statistics.field(file.schema().find("run").unwrap(), 0).unwrap().file(), None);
    // One that keeps them again knows those before, and still not what came in between.
    let more = append(grown.clone(), 20, 1, with_statistics());
    assert_eq!(kept(&more), Some(vec![Some((0, 1)), Some((2, 3)), None, Some((20, 21))]));
    let all = append(old, 10, 1, with_statistics());
    assert_eq!(kept(&all), Some(vec![Some((0, 1)), Some((2, 3)), Some((10, 11))]));
    for storage in [&grown, &more, &all] {
        assert_sound(storage);
    }
    assert_eq!(runs(&more), [0, 1, 2, 3, 10, 11, 20, 21]);
    assert!(assert_right(&all, &Statistics::of(&dataset(&all)).unwrap().unwrap()) > 0);
    // Nothing new, nothing to write.
    let same = append(all.clone(), 0, 0, with_statistics());
    assert_eq!(kept(&same), kept(&all));
}

#[test]
fn columns_that_are_added_end_the_statistics() {
    let storage = write(0, 2, with_statistics());
    let mut adder = ColumnAdder::<Added, _>::append_to(storage, "Events", with_statistics()).unwrap();
    (0..4).for_each(|number| adder.fill(&Added { weight: number.into() }).unwrap());
    let storage = adder.finish_into().unwrap().1;
    assert_eq!(kept(&storage), None);
    assert_sound(&storage);
}

#[test]
fn columns_that_come_later_are_known_from_then_on() {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", with_statistics()).unwrap();
    writer.fill(&event(1)).unwrap();
    writer.commit_cluster().unwrap();
    writer.fill(&event(2)).unwrap();
    let mut writer = writer.extend::<Added>().unwrap();
    for run in 3..=5 {
        writer.fill_both(&event(run), &Added { weight: 7.0 }).unwrap();
        writer.commit_cluster().unwrap();
    }
    let storage = writer.finish_into().unwrap().1;
    let dataset = dataset(&storage);
    let kept = Statistics::of(&dataset).unwrap().unwrap();
    let computed = Statistics::compute(&dataset).unwrap();
    for statistics in [kept, computed] {
        assert_eq!(bounds(&dataset, &statistics), [(1, 1), (2, 3), (4, 4), (5, 5)].map(Some));
        let weight = statistics.field(dataset.schema().find("weight").unwrap(), 0).unwrap();
        // In the second cluster, the first weight is 0, as none was filled.
        assert_eq!([0, 1].map(|cluster| weight.cluster(ClusterId(cluster))), [None, None]);
        for cluster in [2, 3] {
            let found = weight.cluster(ClusterId(cluster)).unwrap();
            assert_eq!(found.bounds, Bounds::Real { min: 7.0, max: 7.0 });
        }
        assert_eq!(weight.file(), None);
    }
}

#[test]
fn merged_files_have_none() {
    let inputs = [write(0, 1, with_statistics()), write(10, 1, with_statistics())];
    let inputs = inputs.map(|storage| Input::open(&RootFile::from_storage(storage).unwrap()));
    let (_, merged) = merge_into(&inputs, Memory::new(), MergeOptions::new()).unwrap();
    assert_eq!(kept(&merged), None);
    assert_eq!(runs(&merged), [0, 1, 10, 11]);
}

#[test]
fn each_cluster_has_the_representation_that_it_has() {
    let packings = [ColumnType::SplitReal32, ColumnType::Real16].map(ColumnEncoding::of);
    let options = with_statistics().representations("met", packings);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&Event { met: 1.0001, ..event(1) }).unwrap();
    writer.commit_cluster().unwrap();
    writer.use_representation("met", 1).unwrap();
    writer.fill(&Event { met: 1.0001, ..event(2) }).unwrap();
    let storage = writer.finish_into().unwrap().1;
    let dataset = dataset(&storage);
    let statistics = Statistics::of(&dataset).unwrap().unwrap();
    assert_right(&storage, &statistics);
    let met = dataset.schema().find("met").unwrap();
    let all = statistics.field(met, 0).unwrap().file().unwrap();
    assert_eq!(all.bounds, Bounds::Real { min: 1.0, max: f64::from(1.0001f32) });
    let [wide, narrow] = [0, 1].map(|number| dataset.schema().representations(met)[number][0]);
    assert_eq!(statistics.column(wide).unwrap().cluster(ClusterId(1)), None);
    assert_eq!(statistics.column(narrow).unwrap().cluster(ClusterId(0)), None);
}

#[test]
fn statistics_are_added_to_a_file_that_has_none() {
    let expected = Some(vec![Some((0, 1)), Some((2, 3))]);
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let storage = write(0, 2, WriteOptions::new().compression(compression));
        let statistics = Statistics::compute(&dataset(&storage)).unwrap();
        let storage = statistics.add_to_storage(storage, WriteOptions::new()).unwrap();
        assert_eq!(kept(&storage), expected);
        assert_eq!(runs(&storage), [0, 1, 2, 3]);
        assert_sound(&storage);
        // Those that are there take another form, or are replaced.
        let again = Statistics::of(&dataset(&storage)).unwrap().unwrap();
        let storage = again.add_to_storage(storage.clone(), WriteOptions::new());
        let storage = storage.unwrap();
        assert_eq!(kept(&storage), expected);
        assert_sound(&storage);
        assert!(assert_right(&storage, &Statistics::of(&dataset(&storage)).unwrap().unwrap()) > 0);
    }
    let stale = Statistics::compute(&dataset(&write(0, 2, WriteOptions::new()))).unwrap();
    let grown = append(write(0, 2, WriteOptions::new()), 10, 1, WriteOptions::new());
    let error = stale.add_to_storage(grown, WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn statistics_next_to_a_file_are_about_this_file() {
    let directory = tempfile::tempdir().unwrap();
    let side = directory.path().join("statistics.root");
    let storage = write(0, 2, WriteOptions::new().compression(Compression::NONE));
    let statistics = Statistics::compute(&dataset(&storage)).unwrap();
    statistics.save(&side, WriteOptions::new()).unwrap();
    let side = RootFile::open(&side).unwrap();
    let found = Statistics::open(&side, &dataset(&storage)).unwrap();
    assert_eq!(bounds(&dataset(&storage), &found), [Some((0, 1)), Some((2, 3))]);
    assert!(assert_right(&storage, &found) > 0);
    // Of more entries, those that were there are known.
    let grown = append(storage, 10, 1, WriteOptions::new());
    let found = Statistics::open(&side, &dataset(&grown)).unwrap();
    assert_eq!(bounds(&dataset(&grown), &found), [Some((0, 1)), Some((2, 3)), None]);
    // The same layout, byte for byte, of other values.
    let other = write(50, 2, WriteOptions::new().compression(Compression::NONE));
    let error = Statistics::open(&side, &dataset(&other)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("about another file"), "{error}");
}

#[test]
fn statistics_next_to_a_file_without_checksums_are_about_its_values() {
    #[derive(RNTuple)]
    struct Number {
        number: u32,
    }
    let write = |first: u32| {
        let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
        let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", options).unwrap();
        writer.fill(&Number { number: first }).unwrap();
        (0..100).for_each(|_| writer.fill(&Number { number: 0 }).unwrap());
        writer.finish_into().unwrap().1
    };
    let directory = tempfile::tempdir().unwrap();
    let side = directory.path().join("statistics.root");
    let statistics = Statistics::compute(&dataset(&write(1))).unwrap();
    statistics.save(&side, WriteOptions::new()).unwrap();
    let side = RootFile::open(&side).unwrap();
    Statistics::open(&side, &dataset(&write(1))).unwrap();
    let error = Statistics::open(&side, &dataset(&write(2))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("about another file"), "{error}");
}

#[test]
fn several_ntuples_of_a_file_have_their_own() {
    let file = RootFileWriter::new(Memory::new(), Default::default()).unwrap();
    let mut one = file.writer::<Event>("Events", with_statistics()).unwrap();
    let mut two = file.writer::<Event>("d/More", with_statistics()).unwrap();
    for run in 0..4 {
        one.fill(&event(run)).unwrap();
        two.fill(&event(10 * run)).unwrap();
    }
    one.finish().unwrap();
    two.finish().unwrap();
    let storage = file.finish().unwrap();
    assert_eq!(kept(&storage), Some(vec![Some((0, 3))]));
    let more = Dataset::open(&RootFile::from_storage(storage.clone()).unwrap(), "d/More").unwrap();
    assert_eq!(bounds(&more, &Statistics::of(&more).unwrap().unwrap()), [Some((0, 30))]);
    assert_sound(&storage);
}

#[test]
fn a_set_of_this_name_that_is_something_else_is_refused() {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for own in ["rntuple_statistics", "rntuple_checkpoint"] {
        let error = writer.attributes::<Added>(own).unwrap_err();
        assert!(error.to_string().contains("is for what this crate notes of a file"), "{error}");
    }
    writer.attributes("rntuple_statistic_").unwrap().add(0..0, &Added { weight: 1.0 }).unwrap();
    let storage = writer.finish_into().unwrap().1;
    // Another writer may call a set that.
    let footer = dataset(&storage).anchor().footer;
    let mut bytes = storage.into_bytes();
    let footer = &mut bytes[footer.offset as usize..][..footer.length as usize];
    let (body, checksum) = footer.split_at_mut(footer.len() - 8);
    let at = body.windows(18).position(|name| name == b"rntuple_statistic_").unwrap();
    body[at + 17] = b's';
    checksum.copy_from_slice(&xxhash_rust::xxh3::xxh3_64(body).to_le_bytes());
    let storage = Memory::from(bytes);
    assert_eq!(Statistics::of(&dataset(&storage)).unwrap_err().kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn damage_is_an_error_or_has_no_effect() {
    let storage = write(0, 3, with_statistics().compression(Compression::NONE));
    let bytes = storage.as_bytes().to_vec();
    let expected = kept(&storage).unwrap();
    for position in places(bytes.len()) {
        let mut bytes = bytes.clone();
        bytes[position] ^= 0x21;
        let Ok(file) = RootFile::from_storage(Memory::from(bytes)) else { continue };
        let Ok(dataset) = Dataset::open(&file, "Events") else { continue };
        let Ok(Some(statistics)) = Statistics::of(&dataset) else { continue };
        let Some(run) = dataset.schema().find("run") else { continue };
        let Ok(run) = statistics.field(run, 0) else { continue };
        for (cluster, expected) in expected.iter().enumerate() {
            let found = run.cluster(ClusterId(cluster as u32)).map(|cluster| cluster.bounds);
            let expected = expected.map(|(min, max)| Bounds::Unsigned { min, max });
            assert!(found.is_none() || found == expected, "byte {position}");
        }
    }
}

/// A storage with room for this many bytes.
struct Full(Memory, u64);

impl WriteAt for Full {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if offset + length as u64 > self.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn a_storage_that_is_full_has_entries_rather_than_statistics() {
    let whole = write(0, 30, with_statistics()).as_bytes().len() as u64;
    let plain = write(0, 30, WriteOptions::new()).as_bytes().len() as u64;
    assert!(plain < whole);
    let (mut with, mut without) = (0, 0);
    for room in (plain - 1500..whole + 200).step_by(40) {
        let storage = Full(Memory::new(), room);
        let mut writer = Writer::<Event, _>::new(storage, "Events", with_statistics()).unwrap();
        let mut filled = Ok(());
        for run in 0..60 {
            filled = filled.and_then(|()| writer.fill(&event(run)));
            if run % 2 == 1 {
                filled = filled.and_then(|()| writer.commit_cluster());
            }
        }
        let finished = writer.finish_into();
        let Ok((summary, Full(storage, _))) = finished else { continue };
        assert_eq!((filled.is_ok(), summary.entries), (true, 60));
        match kept(&storage) {
            Some(kept) => {
                assert!(kept.iter().all(Option::is_some));
                assert_eq!(summary.statistics, 30 * 5);
                with += 1;
            }
            None => {
                assert_eq!(summary.statistics, 0);
                without += 1;
            }
        }
    }
    assert!(with > 0 && without > 0);
}
