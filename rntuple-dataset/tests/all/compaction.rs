//! Compaction of files that are not as the data set would have written them.

use std::collections::BTreeMap;
use std::path::Path;

use rntuple::encoding::ColumnType;
use rntuple::schema::{ColumnId, Locator};
use rntuple::statistics::{Bounds, Statistics};
use rntuple::{Compression, Dataset, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_dataset::format::transaction::Overwrite;
use rntuple_dataset::format::{DataFragment, RowIdSequence, RowIds, Transaction};
use rntuple_dataset::{Adopt, CleanupOptions, CompactOptions, Snapshot, Source, Table};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: i64,
    met: f64,
}

/// Its fields are narrower.
#[derive(RNTuple)]
struct Narrow {
    number: i16,
    met: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Run {
    run: u32,
}

/// Of another type, under the same name.
#[derive(RNTuple)]
struct OtherRun {
    label: String,
}

fn numbers(snapshot: &Snapshot) -> Vec<i64> {
    let reader = snapshot.reader::<Event>().unwrap();
    reader.entries().map(|event| event.unwrap().number).collect()
}

fn narrow(path: &Path, numbers: std::ops::Range<i16>) -> Source {
    let mut writer = Writer::<Narrow>::create(path, "Events", WriteOptions::new()).unwrap();
    numbers.for_each(|number| writer.fill(&Narrow { number, met: number.into() }).unwrap());
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

fn append(table: &Table, numbers: std::ops::Range<i64>) -> Snapshot {
    table
        .append::<Event>(|writer| {
            numbers.into_iter().try_for_each(|number| writer.fill(&Event { number, met: 0.5 }))
        })
        .unwrap()
}

#[test]
fn files_of_narrower_types_are_compacted_among_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let table = Table::create::<Event>(path("events.rnds").to_str().unwrap(), "Events").unwrap();
    append(&table, 0..10);
    append(&table, 10..20);
    let files = [narrow(&path("a.root"), 20..30), narrow(&path("b.root"), 30..40)];
    let before = table.append_files(&files).unwrap();
    let rows = numbers(&before);
    table.delete::<Event>(|event| event.number == 25 || event.number == 5).unwrap();
    let after = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(after.fragments().len(), 2);
    assert_eq!(numbers(&after), rows.iter().copied().filter(|it| *it != 25 && *it != 5).collect::<Vec<_>>());
    let ids = [0, 9, 19, 29, 39];
    assert_eq!(before.take::<Event>(&ids).unwrap(), after.take::<Event>(&ids).unwrap());
    assert!(table.check(true).unwrap().is_sound());
}

/// A file whose attribute set says of the entries which run they are of.
fn with_runs(path: &Path, numbers: std::ops::Range<i64>, is_other: bool) -> Source {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    let count = (numbers.end - numbers.start) as u64;
    numbers.for_each(|number| writer.fill(&Event { number, met: 0.5 }).unwrap());
    match is_other {
        true => {
            writer.attributes("Runs").unwrap().add(0..count, &OtherRun { label: "a".to_owned() }).unwrap()
        }
        false => writer.attributes("Runs").unwrap().add(0..count, &Run { run: 7 }).unwrap(),
    }
    writer.finish().unwrap();
    Source::new(path.to_str().unwrap(), Adopt::InPlace)
}

fn runs(snapshot: &Snapshot, position: usize) -> Vec<(std::ops::Range<u64>, u32)> {
    let path = snapshot.location().data_file(&snapshot.fragments()[position].files[0].path);
    let reader = rntuple::Reader::<Event>::open(RootFile::open(path).unwrap(), "Events").unwrap();
    let runs = reader.attributes::<Run>("Runs").unwrap();
    runs.entries().map(|run| run.map(|run| (run.range, run.value.run)).unwrap()).collect()
}

#[test]
fn attribute_sets_are_never_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let first = with_runs(&path("a.root"), 0..10, false);
    let table = Table::create_from(path("events.rnds").to_str().unwrap(), "Events", &first).unwrap();
    let others = [
        with_runs(&path("b.root"), 10..20, false),
        with_runs(&path("c.root"), 20..30, true),
        with_runs(&path("d.root"), 30..40, false),
    ];
    let before = table.append_files(&others).unwrap();
    let rows = numbers(&before);
    // Sets of the same fields become one; those of others stay in their files.
    let after = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!((after.fragments().len(), numbers(&after).len()), (3, 40));
    let place = after.fragments().iter().position(|fragment| fragment.physical_rows == 20).unwrap();
    assert_eq!(runs(&after, place), [(0..10, 7), (10..20, 7)]);
    let mut found = numbers(&after);
    found.sort_unstable();
    assert_eq!(found, rows);
    // Where rows are deleted, ranges have what is left: of the last file all but one, of the first two half of one.
    table.delete::<Event>(|event| event.number < 15).unwrap();
    table.delete::<Event>(|event| event.number == 35).unwrap();
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    let mut found = numbers(&compacted);
    found.sort_unstable();
    assert_eq!(found, (15..40).filter(|number| *number != 35).collect::<Vec<_>>());
    let ranges: Vec<_> = (0..compacted.fragments().len())
        .filter(|place| compacted.fragments()[*place].physical_rows != 10)
        .map(|place| runs(&compacted, place))
        .collect();
    assert_eq!(ranges, [vec![(0..9, 7), (9..9, 7), (9..14, 7)]]);
    assert!(table.check(true).unwrap().is_sound());
}

/// Ranges of many lengths, which overlap, in clusters of 50 entries and pages of few ranges.
fn with_ranges(path: &Path, count: i64) -> (Source, Vec<std::ops::Range<u64>>) {
    let mut writer =
        Writer::<Event>::create(path, "Events", WriteOptions::new().max_page_length(64)).unwrap();
    let ranges: Vec<_> = (0..count as u64).map(|n| n * 7 % 300..(n * 7 % 300 + n % 40).min(300)).collect();
    let sets = writer.attributes("Runs").unwrap();
    for number in 0..300 {
        writer.fill(&Event { number, met: 0.5 }).unwrap();
        if number % 50 == 49 {
            writer.commit_cluster().unwrap();
        }
    }
    ranges.iter().zip(0..).try_for_each(|(range, run)| sets.add(range.clone(), &Run { run })).unwrap();
    writer.finish().unwrap();
    (Source::new(path.to_str().unwrap(), Adopt::InPlace), ranges)
}

#[test]
fn ranges_have_the_entries_that_are_left() {
    let gone: [fn(i64) -> bool; 5] = [
        // Whole clusters and parts of them.
        |number| (40..120).contains(&number) || number == 299,
        |number| number % 3 == 0,
        |number| number >= 10,
        |number| number == 0,
        |_| true,
    ];
    for gone in gone {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let (source, ranges) = with_ranges(&path("a.root"), 2000);
        let table = Table::create_from(path("events.rnds").to_str().unwrap(), "Events", &source).unwrap();
        let deleted = table.delete::<Event>(|event| gone(event.number)).unwrap();
        let live =
            |range: &std::ops::Range<u64>| range.clone().filter(|entry| !gone(*entry as i64)).count() as u64;
        let left = |range: &std::ops::Range<u64>| {
            let start = live(&(0..range.start));
            start..start + live(range)
        };
        let wanted: Vec<_> = ranges.iter().map(left).zip(0..).collect();
        deleted.export(path("all.root").to_str().unwrap()).unwrap();
        let exported = rntuple::Reader::<Event>::open(path("all.root"), "Events").unwrap();
        let exported = exported.attributes::<Run>("Runs").unwrap();
        let exported: Vec<_> =
            exported.entries().map(|run| run.map(|run| (run.range, run.value.run)).unwrap()).collect();
        assert_eq!(exported, wanted);
        let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
        assert_eq!(compacted.entry_count(), live(&(0..300)));
        assert_eq!(runs(&compacted, 0), wanted);
        assert!(table.check(true).unwrap().is_sound());
        // Files that follow have their own ranges after these.
        let (other, others) = with_ranges(&path("b.root"), 100);
        table.append_files(&[other]).unwrap();
        let count = compacted.entry_count();
        let others = others.iter().map(|range| range.start + count..range.end + count).zip(0..);
        let merged = table.compact(&CompactOptions::new()).unwrap();
        assert_eq!(merged.fragments().len(), 1);
        assert_eq!(runs(&merged, 0), wanted.into_iter().chain(others).collect::<Vec<_>>());
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hit {
    energy: f32,
    channel: u16,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Shower {
    number: u32,
    label: String,
    hits: Vec<Hit>,
}

fn shower(number: u32) -> Shower {
    let hit = |n: u32| Hit { energy: (number * n % 17) as f32, channel: (n % 5) as u16 };
    Shower { number, label: format!("shower {}", number % 10), hits: (0..number % 40).map(hit).collect() }
}

/// A page: how many elements it has, and its bytes in the file with their checksum.
type Page = (u32, Vec<u8>);

/// The columns of a cluster, by the path of their field and their number among its columns: their type, their setting of
/// compression, and their pages.
type Columns = BTreeMap<(String, usize), (ColumnType, u32, Vec<Page>)>;

/// The clusters of the first file of a fragment.
fn clusters(snapshot: &Snapshot, position: usize) -> Vec<Columns> {
    let path = snapshot.location().data_file(&snapshot.fragments()[position].files[0].path);
    let bytes = std::fs::read(&path).unwrap();
    let dataset = Dataset::open(&RootFile::open(&path).unwrap(), "Events").unwrap();
    let schema = dataset.schema();
    let page = |page: &rntuple::schema::PageLocation| {
        let Locator::File { offset, size } = page.locator else { panic!("{page:?}") };
        let size = size + if page.has_checksum { 8 } else { 0 };
        (page.count, bytes[offset as usize..(offset + size) as usize].to_vec())
    };
    let columns = |cluster: rntuple::Result<std::sync::Arc<rntuple::schema::ClusterDescriptor>>| {
        let mut columns = Columns::new();
        let cluster = cluster.unwrap();
        let ranges = (0..).map(ColumnId).zip(&cluster.columns);
        for (id, range) in ranges.filter(|(_, range)| range.first_element.is_some()) {
            let path = schema.path(schema.field_of(id).unwrap());
            let number = columns.keys().filter(|(known, _)| *known == path).count();
            let column_type = schema.column(id).unwrap().column_type().unwrap();
            let pages = range.pages.iter().map(page).collect();
            columns.insert((path, number), (column_type, range.compression, pages));
        }
        columns
    };
    dataset.clusters().map(columns).collect()
}

/// Appends showers in clusters of 50.
fn append_showers(table: &Table, numbers: std::ops::Range<u32>, options: WriteOptions) {
    table
        .append_with::<Shower>(options.statistics(true), |writer| {
            for number in numbers {
                writer.fill(&shower(number))?;
                if number % 50 == 49 {
                    writer.commit_cluster()?;
                }
            }
            Ok(())
        })
        .unwrap();
}

fn create_showers(directory: &Path) -> Table {
    Table::create::<Shower>(directory.join("events.rnds").to_str().unwrap(), "Events").unwrap()
}

#[test]
fn clusters_without_deleted_rows_are_copied_byte_for_byte() {
    let directory = tempfile::tempdir().unwrap();
    let table = create_showers(directory.path());
    append_showers(&table, 0..300, WriteOptions::new());
    append_showers(&table, 300..500, WriteOptions::new());
    append_showers(&table, 500..600, WriteOptions::new());
    // Of the first fragment a row of the second cluster, and all of the fifth; of the second fragment nothing; of the third
    // some of each cluster.
    let gone = |number: u32| {
        number == 77 || (200..250).contains(&number) || number >= 500 && number.is_multiple_of(3)
    };
    let before = table.delete::<Shower>(|row| gone(row.number)).unwrap();
    let old: Vec<Columns> =
        (0..before.fragments().len()).flat_map(|position| clusters(&before, position)).collect();
    assert_eq!(old.len(), 12);
    let after = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(after.fragments().len(), 1);
    let new = clusters(&after, 0);
    let is_touched = |number: usize| [1, 4, 10, 11].contains(&number);
    // The clusters that are left, in their order.
    let left: Vec<usize> = (0..12).filter(|number| *number != 4).collect();
    assert_eq!(new.len(), left.len());
    let mut copied = 0;
    for (new, number) in new.iter().zip(left) {
        let old = &old[number];
        assert_eq!(new.keys().collect::<Vec<_>>(), old.keys().collect::<Vec<_>>());
        for (column, (column_type, compression, pages)) in new {
            let (old_type, old_compression, old_pages) = &old[column];
            assert_eq!((column_type, compression), (old_type, old_compression), "{column:?} of {number}");
            assert!(!pages.is_empty(), "{column:?}");
            assert_eq!(pages == old_pages, !is_touched(number), "{column:?} of cluster {number}");
            copied += usize::from(pages == old_pages);
        }
    }
    assert_eq!(copied, 8 * old[0].len());
    let rows: Vec<Shower> = after.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows, (0..600).filter(|number| !gone(*number)).map(shower).collect::<Vec<_>>());
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn rows_that_are_written_again_are_as_those_of_their_file() {
    let settings = [Compression::zstd(3), Compression::lz4(4), Compression::zlib(6), Compression::NONE];
    for compression in settings {
        let directory = tempfile::tempdir().unwrap();
        let table = create_showers(directory.path());
        // One field is compressed otherwise, and pages are short.
        let options = WriteOptions::new()
            .compression(compression)
            .compression_of("hits._0.energy", Compression::lzma(2))
            .max_page_length(128);
        append_showers(&table, 0..400, options);
        let before = table.delete::<Shower>(|row| row.number % 5 == 0).unwrap();
        let old = clusters(&before, 1);
        let after = table.compact(&CompactOptions::new()).unwrap();
        let position = after.fragments().iter().position(|it| it.physical_rows == 320).unwrap();
        let new = clusters(&after, position);
        // They were 8 of 50 rows, of which 40 are left.
        assert_eq!((old.len(), new.len()), (8, 8), "{compression}");
        for columns in &new {
            assert_eq!(columns.len(), old[0].len());
            for (column, (column_type, code, pages)) in columns {
                let is_other = column.0 == "hits._0.energy";
                let wanted = if is_other { Compression::lzma(2) } else { compression };
                assert_eq!((*column_type, *code), (old[0][column].0, wanted.code()), "{column:?}");
                let longest = |columns: &Columns| columns[column].2.iter().map(|(count, _)| *count).max();
                let most = old.iter().filter_map(longest).max().unwrap();
                assert!(pages.iter().all(|(count, _)| *count <= most), "{column:?}: over {most} elements");
            }
        }
        // Nor are there more of them.
        let count = |clusters: &[Columns]| -> usize {
            clusters.iter().flat_map(Columns::values).map(|(_, _, pages)| pages.len()).sum()
        };
        assert!(count(&new) <= count(&old), "{compression}: {} and {} pages", count(&new), count(&old));
        let rows: Vec<Shower> = after.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, (0..400).filter(|number| number % 5 != 0).map(shower).collect::<Vec<_>>());
        assert!(table.check(true).unwrap().is_sound());
    }
}

#[test]
fn what_is_left_of_several_clusters_becomes_one() {
    let directory = tempfile::tempdir().unwrap();
    let table = create_showers(directory.path());
    append_showers(&table, 0..500, WriteOptions::new());
    // Of the first five clusters a fifth is left, of the next two a half; of the others all but one row.
    let gone = |number: u32| match number {
        0..250 => !number.is_multiple_of(5),
        250..350 => !number.is_multiple_of(2),
        _ => number % 50 == 3,
    };
    table.delete::<Shower>(|row| gone(row.number)).unwrap();
    let after = table.compact(&CompactOptions::new()).unwrap();
    let dataset = after.fragment(0).unwrap();
    let lengths: Vec<u64> = dataset.clusters().map(|cluster| cluster.unwrap().entry_count).collect();
    assert_eq!(lengths, [50, 50, 49, 49, 49]);
    let rows: Vec<Shower> = after.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows, (0..500).filter(|number| !gone(*number)).map(shower).collect::<Vec<_>>());
}

#[derive(RNTuple)]
struct Measured {
    number: u64,
    name: String,
    met: Option<f32>,
}

/// What is known of the values of a column in each cluster of the first file of a fragment, by statistics next to it.
fn known(
    table: &Table,
    snapshot: &Snapshot,
    position: usize,
    field: &str,
) -> Vec<(Vec<Bounds>, u64, String)> {
    let name = &snapshot.fragments()[position].files[0].path;
    let path = snapshot.location().data_file(name);
    let dataset = Dataset::open(&RootFile::open(path).unwrap(), "Events").unwrap();
    let side = RootFile::open(format!("{}/_stats/{name}", table.location().root())).unwrap();
    let statistics = Statistics::open(&side, &dataset).unwrap();
    let field = statistics.field(dataset.schema().find(field).unwrap(), 0).unwrap();
    let clusters = field.clusters().map(|(number, whole)| {
        let pages = field.pages(number).unwrap().iter().map(|page| page.bounds).collect();
        (pages, whole.nulls, format!("{:?}", whole.text))
    });
    clusters.collect()
}

#[test]
fn statistics_of_copied_clusters_are_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // Its bytes can be changed unnoticed.
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .checksums(false)
        .max_page_length(80)
        .statistics(true);
    let mut writer = Writer::<Measured>::create(path("a.root"), "Events", options).unwrap();
    for number in 0..200 {
        let met = (number % 4 != 0).then_some(number as f32);
        writer.fill(&Measured { number: 1_000_000 + number, name: format!("name {number}"), met }).unwrap();
        if number % 50 == 49 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
    // Where the greatest number of the first and of the second cluster was, there is a lower one: statistics still say what
    // is so, and not as well as they could.
    let mut bytes = std::fs::read(path("a.root")).unwrap();
    for number in [1_000_049_u64, 1_000_099] {
        let place = bytes.windows(8).position(|bytes| bytes == number.to_le_bytes()).unwrap();
        bytes[place..place + 8].copy_from_slice(&(number - 4).to_le_bytes());
    }
    std::fs::write(path("a.root"), bytes).unwrap();
    let source = Source::new(path("a.root").to_str().unwrap(), Adopt::InPlace);
    let table = Table::create_from(path("events.rnds").to_str().unwrap(), "Events", &source).unwrap();
    let before = table.delete_rows(&[60, 61]).unwrap();
    let findings = table.check(true).unwrap().findings;
    assert!(findings.is_empty(), "{findings:?}");
    let after = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!((before.len(), after.entry_count()), (198, 198));
    let numbers = known(&table, &after, 0, "number");
    let last = |cluster: usize| *numbers[cluster].0.last().unwrap();
    assert_eq!(numbers.len(), 4);
    // The first cluster was copied; the second one was written again.
    assert_eq!(last(0), Bounds::Unsigned { min: 1_000_040, max: 1_000_049 });
    assert_eq!(last(3), Bounds::Unsigned { min: 1_000_190, max: 1_000_199 });
    let Bounds::Unsigned { max, .. } = last(1) else { panic!("{numbers:?}") };
    assert_eq!(max, 1_000_098);
    let findings = table.check(true).unwrap().findings;
    assert!(findings.is_empty(), "{findings:?}");

    // All else is as if it had been computed.
    for field in ["name", "met", "met._0"] {
        let taken_over = known(&table, &after, 0, field);
        let file = &after.fragments()[0].files[0].path;
        let side = format!("{}/_stats/{file}", table.location().root());
        let old = std::fs::read(&side).unwrap();
        std::fs::remove_file(&side).unwrap();
        assert_eq!(table.add_statistics().unwrap(), 1);
        assert_eq!(known(&table, &after, 0, field), taken_over, "{field}");
        assert_ne!(known(&table, &after, 0, "number"), numbers);
        std::fs::write(side, old).unwrap();
    }

    // A second compaction takes over what the first one has written, for each of its files.
    let more = Source::new(path("a.root").to_str().unwrap(), Adopt::Copy);
    table.append_files(&[more]).unwrap();
    let merged = table.compact(&CompactOptions::new()).unwrap();
    let numbers = known(&table, &merged, 0, "number");
    assert_eq!((merged.fragments().len(), numbers.len()), (1, 8));
    for cluster in [0, 4] {
        let last = *numbers[cluster].0.last().unwrap();
        assert_eq!(last, Bounds::Unsigned { min: 1_000_040, max: 1_000_049 });
    }
    assert_eq!(*numbers[5].0.last().unwrap(), Bounds::Unsigned { min: 1_000_090, max: 1_000_099 });
    let findings = table.check(true).unwrap().findings;
    assert!(findings.is_empty(), "{findings:?}");
}

fn ids(snapshot: &Snapshot) -> Vec<u64> {
    let live = snapshot.live().unwrap();
    live.iter().map(|entry| snapshot.row_id(entry).unwrap().unwrap()).collect()
}

#[test]
fn files_are_written_together_up_to_a_size() {
    const ROWS: i64 = 20_000;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    let options = || WriteOptions::new().compression(Compression::NONE);
    let append = |numbers: std::ops::Range<i64>| {
        let fill = |writer: &mut Writer<Event>| {
            numbers.into_iter().try_for_each(|number| writer.fill(&Event { number, met: number as f64 }))
        };
        table.append_with::<Event>(options(), fill).unwrap()
    };
    let size = |snapshot: &Snapshot, position: usize| {
        snapshot.fragments()[position].files.iter().map(|file| file.file_size_bytes).sum::<u64>()
    };
    // One of more than half of the target, in front of twelve others.
    append(0..3 * ROWS);
    for part in 3..15 {
        append(part * ROWS..(part + 1) * ROWS);
    }
    let before = table.snapshot().unwrap();
    let target = 4 * size(&before, 2) + size(&before, 2) / 2;
    assert!(size(&before, 1) > target / 2);
    let options = CompactOptions::new().target_size(target);
    let after = table.compact(&options).unwrap();

    let rows: Vec<u64> = after.fragments().iter().map(|fragment| fragment.physical_rows).collect();
    assert_eq!(rows, [0, 60_000, 80_000, 80_000, 80_000]);
    assert_eq!(after.fragments()[1], before.fragments()[1]);
    for position in 2..5 {
        let size = size(&after, position);
        assert!((target * 3 / 4..=target).contains(&size), "{size} of {target}");
    }
    assert_eq!(numbers(&after), numbers(&before));
    assert_eq!(ids(&after), ids(&before));
    assert!(table.check(true).unwrap().is_sound());
    // There is nothing more to do.
    assert_eq!(table.compact(&options).unwrap().version(), after.version());
}

/// Each version has all row ids: where they take much space, versions name a file that has them.
#[test]
fn many_row_ids_are_in_a_file() {
    // Too many for offsets of two bytes.
    const ROWS: u64 = 66_000;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    let old = append(&table, 0..ROWS as i64);
    // As if the rows had been moved one by one.
    let id = |row: u64| row * 7919 % ROWS;
    let ids = RowIdSequence::from_ids((0..ROWS).map(id)).unwrap();
    let moved = DataFragment {
        row_id_sequence: Some(RowIds::Inline(ids.to_bytes())),
        ..old.fragments().last().unwrap().clone()
    };
    let overwrite = Overwrite {
        fragments: vec![moved],
        schema: old.fields().to_vec(),
        schema_metadata: old.manifest().schema_metadata.clone(),
        ..Overwrite::default()
    };
    let (log, transaction) = (table.log().clone(), Transaction::new(old.version(), overwrite));
    rntuple_object_store::wait(async move { log.commit(transaction, old.manifest()).await }).unwrap();
    table.delete_where(&"number >= 100 and number < 105".parse().unwrap()).unwrap();

    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    let [fragment] = compacted.fragments() else { panic!("{:?}", compacted.fragments()) };
    let Some(RowIds::External(file)) = &fragment.row_id_sequence else { panic!("{fragment:?}") };
    assert!(file.path.starts_with("_rowids/") && file.size >= 200_000, "{file:?}");
    assert_eq!(std::fs::metadata(path.join(&file.path)).unwrap().len(), file.size);

    // It is needed as long as a version names it.
    let clean_up = || {
        let options = CleanupOptions::older_than(std::time::Duration::ZERO)
            .unreferenced_after(std::time::Duration::ZERO);
        table.cleanup(&options).unwrap().files
    };
    clean_up();
    let rows = [ROWS - 1, 7, 99, 105];
    let taken = table.snapshot().unwrap().take::<Event>(&rows.map(id)).unwrap();
    assert_eq!(taken.iter().map(|row| row.number as u64).collect::<Vec<_>>(), rows);
    assert_eq!(compacted.entry_of(id(101)).unwrap(), None);
    let text = rntuple_dataset::lance_info::describe(&path, None).unwrap();
    let line = format!("    row ids in {} bytes of {} at 0: {}, ", file.size, file.path, id(0));
    assert!(text.lines().any(|found| found.starts_with(&line)), "{text}");
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    // Nothing is known of the rows without it.
    let away = path.join("_rowids/away");
    std::fs::rename(path.join(&file.path), &away).unwrap();
    assert!(!table.check(true).unwrap().is_sound());
    std::fs::rename(away, path.join(&file.path)).unwrap();

    // Of fewer rows, they are in the manifest.
    table.delete_where(&"number >= 1000".parse().unwrap()).unwrap();
    let few = table.compact(&CompactOptions::new()).unwrap();
    assert!(matches!(few.fragments()[0].row_id_sequence, Some(RowIds::Inline(_))), "{few:?}");
    assert!(clean_up().contains(&file.path));
    assert_eq!(few.take::<Event>(&[id(999)]).unwrap()[0].number, 999);
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn rows_whose_values_mean_something_else_stay_apart() {
    #[derive(RNTuple, Debug, PartialEq)]
    #[repr(u8)]
    enum Side {
        Left,
        Right,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[repr(u8)]
    enum Swapped {
        Right,
        Left,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Hit<T> {
        side: T,
        #[rntuple(unit = "mm")]
        x: f32,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct InCentimetres {
        side: Swapped,
        #[rntuple(unit = "cm")]
        x: f32,
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hits.rnds");
    let table = Table::create::<Hit<Side>>(path.to_str().unwrap(), "Hits").unwrap();
    for _ in 0..2 {
        table.append::<Hit<Side>>(|writer| writer.fill(&Hit { side: Side::Left, x: 1.0 })).unwrap();
    }
    for _ in 0..2 {
        table.append::<Hit<Swapped>>(|writer| writer.fill(&Hit { side: Swapped::Left, x: 2.0 })).unwrap();
    }
    for _ in 0..2 {
        let hit = InCentimetres { side: Swapped::Left, x: 0.3 };
        table.append::<InCentimetres>(|writer| writer.fill(&hit)).unwrap();
    }
    let after = table.compact(&CompactOptions::new()).unwrap();
    let mut files = after.fragments().iter().map(|fragment| {
        let path = after.location().data_file(&fragment.files[0].path);
        RootFile::open(path).unwrap()
    });
    let mut next = || files.next().unwrap();
    let hits = rntuple::Reader::<Hit<Side>>::open(next(), "Hits").unwrap();
    let hits: Vec<_> = hits.entries().map(Result::unwrap).collect();
    assert_eq!(hits, [Hit { side: Side::Left, x: 1.0 }, Hit { side: Side::Left, x: 1.0 }]);
    let hits = rntuple::Reader::<Hit<Swapped>>::open(next(), "Hits").unwrap();
    let hits: Vec<_> = hits.entries().map(Result::unwrap).collect();
    assert_eq!(hits, [Hit { side: Swapped::Left, x: 2.0 }, Hit { side: Swapped::Left, x: 2.0 }]);
    let hits = rntuple::Reader::<InCentimetres>::open(next(), "Hits").unwrap();
    assert_eq!(hits.entries().map(|hit| hit.unwrap().x).collect::<Vec<_>>(), [0.3, 0.3]);
    assert_eq!(files.count(), 0);
}
