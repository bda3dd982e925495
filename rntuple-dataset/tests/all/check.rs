//! What a check finds: transactions that are not those of their versions, and statistics that are not those of their pages.

use std::path::{Path, PathBuf};

use rntuple::{Compression, RNTuple, WriteOptions, Writer};
use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::transaction::Operation;
use rntuple_dataset::format::{ExternalFile, Manifest, ManifestFile, RowIds, Transaction};
use rntuple_dataset::{Adopt, CompactOptions, ErrorKind, IndexOptions, Snapshot, Source, Table};
use tempfile::TempDir;

use crate::sample::{Event, append, create};

/// What is found with all pages.
fn findings(table: &Table) -> Vec<String> {
    table.check(true).unwrap().findings.iter().map(ToString::to_string).collect()
}

/// A data set with a version of each kind, some of them by writers that have lost a race. The last five are: rows of one
/// fragment that two writers have deleted, an old version, a compaction, an index, a column that was dropped.
fn lived() -> (TempDir, Table) {
    #[derive(RNTuple)]
    struct Extra {
        extra: u64,
    }
    let (directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..20);
    let extra = |rows: Vec<Event>| rows.iter().map(|row| Extra { extra: row.number }).collect();
    table.add_columns(extra).unwrap();
    table.rename_column("extra", "more").unwrap();
    // Another writer commits meanwhile.
    let other = Table::open(table.location().root()).unwrap();
    let mut has_raced = false;
    let deleted = table.delete::<Event>(|row| {
        if !std::mem::replace(&mut has_raced, true) {
            other.delete_where(&"number == 7".parse().unwrap()).unwrap();
        }
        row.number == 3
    });
    assert_eq!(deleted.unwrap().len(), 36);
    table.restore(3).unwrap();
    table.delete::<Event>(|row| row.number == 4).unwrap();
    table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    table.index_bounds(&IndexOptions::new()).unwrap();
    table.drop_columns(&["met"]).unwrap();
    (directory, table)
}

fn manifest_path(table: &Table, version: u64) -> PathBuf {
    Path::new(table.location().root()).join(NamingScheme::V2.manifest(version))
}

fn manifest(table: &Table, version: u64) -> ManifestFile {
    ManifestFile::read(&std::fs::read(manifest_path(table, version)).unwrap()).unwrap()
}

fn transaction_path(table: &Table, version: u64) -> PathBuf {
    let name = manifest(table, version).manifest.transaction_file;
    Path::new(table.location().root()).join("_transactions").join(name)
}

fn newest(table: &Table) -> u64 {
    table.snapshot().unwrap().version()
}

#[test]
fn transactions_of_all_kinds_make_their_versions() {
    let (_directory, table) = lived();
    assert_eq!(findings(&table), [""; 0]);
    let operations: Vec<_> =
        table.versions().unwrap().iter().filter_map(|version| version.operation).collect();
    let wanted = [
        "Overwrite",
        "Append",
        "Append",
        "Merge",
        "Project",
        "Delete",
        "Delete",
        "Restore",
        "Delete",
        "Rewrite",
        "CreateIndex",
        "Project",
    ];
    assert_eq!(operations, wanted);
    // Both deletions were made from one version.
    let read = |version| manifest(&table, version).transaction.unwrap().read_version;
    assert_eq!((read(6), read(7)), (5, 5));
}

#[test]
fn transactions_that_cannot_be_read_are_found() {
    let (_directory, table) = lived();
    for version in 1..=newest(&table) {
        let path = transaction_path(&table, version);
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let other = transaction_path(&table, if version == 1 { 2 } else { 1 });
        let damages = [None, Some(b"no transaction".to_vec()), Some(std::fs::read(other).unwrap())];
        for damage in damages {
            match &damage {
                Some(damage) => std::fs::write(&path, damage).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            let found = table.check(false).unwrap().findings;
            assert_eq!(found.len(), 1, "{damage:?}: {found:?}");
            assert_eq!(found[0].version, Some(version));
            assert!(found[0].message.contains(&name), "{found:?}");
            std::fs::write(&path, &bytes).unwrap();
        }
    }
    assert!(table.check(false).unwrap().is_sound());
}

/// Has a manifest say something else than its transaction does.
fn forge(table: &Table, version: u64, change: impl Fn(&mut Manifest)) {
    let mut file = manifest(table, version);
    change(&mut file.manifest);
    std::fs::write(manifest_path(table, version), file.to_bytes().unwrap()).unwrap();
}

#[test]
fn manifests_that_their_transactions_do_not_make_are_found() {
    type Change = fn(&mut Manifest);
    let changes: [(u64, &str, Change); 8] = [
        (1, "another configuration", |it| drop(it.config.insert("key".to_owned(), "value".to_owned()))),
        (2, "the fragments [0, 1], found [0]", |it| drop(it.fragments.pop())),
        (3, "the next row id 40, found 41", |it| it.next_row_id += 1),
        (4, "another schema", |it| it.fields[0].nullable = true),
        // What one of two writers has deleted is there again.
        (7, "the deletions of fragment 1 are lost", |it| it.fragments[1].deletion_file = None),
        (8, "other properties", |it| it.max_fragment_id = Some(9)),
        (10, "another fragment 3", |it| it.fragments[0].files[0].file_size_bytes += 1),
        (12, "another schema", |it| it.fields.swap(0, 1)),
    ];
    for (version, text, change) in changes {
        let (_directory, table) = lived();
        forge(&table, version, change);
        let found = table.check(false).unwrap().findings;
        let wanted = |finding: &rntuple_dataset::Finding| {
            finding.version == Some(version) && finding.message.contains(text)
        };
        assert!(found.iter().any(wanted), "version {version}, {text}: {found:?}");
    }
}

#[test]
fn deletions_that_are_not_those_of_both_writers_are_found() {
    let (_directory, table) = lived();
    // The file of the first writer, in place of that of both.
    let file = |version| manifest(&table, version).manifest.fragments[1].deletion_file.unwrap();
    let path = |version| {
        let name = rntuple_dataset::format::names::deletion_file(1, &file(version)).unwrap();
        Path::new(table.location().root()).join(name)
    };
    let (first, both) = (file(6), file(7));
    assert_eq!((first.num_deleted_rows, both.num_deleted_rows), (1, 2));
    let deleted: rntuple_dataset::format::DeletionVector = [7, 8].into_iter().collect();
    std::fs::write(path(7), deleted.to_bytes().unwrap().1).unwrap();
    let found = table.check(false).unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].version, Some(7));
    assert!(
        found[0].message.contains("the deletions of fragment 1 are not those of both writers"),
        "{found:?}"
    );
}

#[test]
fn indices_that_no_transaction_makes_are_found() {
    let (_directory, table) = lived();
    let version = newest(&table);
    let mut file = manifest(&table, version);
    file.indices.as_mut().unwrap().indices[0].dataset_version += 1;
    std::fs::write(manifest_path(&table, version), file.to_bytes().unwrap()).unwrap();
    let found = table.check(false).unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("it makes other indices"), "{found:?}");
}

#[test]
fn a_transaction_in_the_manifest_is_that_of_the_file() {
    let (_directory, table) = lived();
    let mut file = manifest(&table, 2);
    let Some(Operation::Append(append)) = &mut file.transaction.as_mut().unwrap().operation else { panic!() };
    append.fragments[0].physical_rows = 3;
    std::fs::write(manifest_path(&table, 2), file.to_bytes().unwrap()).unwrap();
    let found = table.check(false).unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("the file of the manifest has another transaction"), "{found:?}");
}

/// A transaction may state any number.
#[test]
fn numbers_of_damaged_transactions_do_no_harm() {
    let (_directory, table) = lived();
    for number in [0, 1, 11, u64::MAX - 1, u64::MAX] {
        let path = transaction_path(&table, 10);
        let bytes = std::fs::read(&path).unwrap();
        let mut transaction = Transaction::read(&bytes).unwrap();
        let Some(Operation::Rewrite(rewrite)) = &mut transaction.operation else { panic!() };
        for fragment in rewrite.groups.iter_mut().flat_map(|group| &mut group.new_fragments) {
            (fragment.id, fragment.physical_rows) = (number, number);
        }
        let mut file = manifest(&table, 10);
        file.transaction = Some(transaction.clone());
        std::fs::write(manifest_path(&table, 10), file.to_bytes().unwrap()).unwrap();
        std::fs::write(&path, transaction.to_bytes()).unwrap();
        let found = table.check(false).unwrap().findings;
        assert_eq!(found.first().and_then(|finding| finding.version), Some(10), "{number}: {found:?}");
        std::fs::write(&path, bytes).unwrap();
    }
}

#[derive(RNTuple)]
struct Row {
    number: u64,
    label: String,
    values: Vec<f64>,
}

/// A value that no other row has.
const MARKED: f64 = 123.456_789;

fn row(number: u64) -> Row {
    let values = (0..number % 3).map(|value| if number == 71 { MARKED } else { value as f64 + 100.0 });
    Row { number: 1_000_000 + number, label: format!("row {}", number % 10), values: values.collect() }
}

/// A file of rows in clusters of 50, in which bytes can be changed unnoticed.
fn write(path: &Path, statistics: bool) {
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .checksums(false)
        .max_page_length(80)
        .statistics(statistics);
    let mut writer = Writer::<Row>::create(path, "Rows", options).unwrap();
    for number in 0..150 {
        writer.fill(&row(number)).unwrap();
        if number % 50 == 49 {
            writer.commit_cluster().unwrap();
        }
    }
    writer.finish().unwrap();
}

/// A data set of a file of rows, that is known by its path.
fn of_file(directory: &Path, statistics: bool) -> (Table, PathBuf) {
    let path = directory.join("rows.root");
    write(&path, statistics);
    let source = Source::new(path.to_str().unwrap(), Adopt::InPlace);
    let dataset = directory.join("rows.rnds");
    let table = Table::create_from(dataset.to_str().unwrap(), "Rows", &source).unwrap();
    (table, path)
}

/// Replaces bytes that occur once in a file.
fn replace(path: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert_eq!(places.len(), 1, "{places:?}");
    bytes[places[0]..places[0] + to.len()].copy_from_slice(to);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn statistics_that_exclude_values_are_found() {
    for statistics in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let (table, path) = of_file(directory.path(), statistics);
        assert_eq!(table.add_statistics().unwrap(), usize::from(!statistics));
        assert_eq!(findings(&table), [""; 0]);
        let original = std::fs::read(&path).unwrap();
        // Numbers are in pages of 10: number 87 is in the second cluster, and in its fourth page.
        replace(&path, &1_000_087_u64.to_le_bytes(), &2_000_000_u64.to_le_bytes());
        let found = findings(&table);
        assert_eq!(found.len(), 1, "{found:?}");
        let file = path.to_str().unwrap();
        let place = format!("version 1: {file}: field number, column 0, cluster 1, page 3: ");
        assert!(found[0].starts_with(&place), "{found:?}");
        assert!(found[0].contains("1000080 to 1000089; there are 10 elements"), "{found:?}");
        assert!(found[0].ends_with("1000080 to 2000000"), "{found:?}");
        let side = if statistics { file } else { "/_stats/" };
        assert!(found[0].contains("statistics in ") && found[0].contains(side), "{found:?}");
        // Without the pages, nothing is known of them.
        assert!(table.check(false).unwrap().is_sound());

        // Where a value within the bounds is another one, nothing is wrong with them.
        std::fs::write(&path, &original).unwrap();
        replace(&path, &1_000_087_u64.to_le_bytes(), &1_000_081_u64.to_le_bytes());
        assert_eq!(findings(&table), [""; 0]);

        // Nor is NaN within bounds: it has to be counted. One that is greater than all others is below a field.
        for (value, text) in [(f64::NAN, "1 NaN"), (5000.0, "to 5000")] {
            std::fs::write(&path, &original).unwrap();
            let marked = MARKED.to_le_bytes();
            let twice = [marked, marked].concat();
            replace(&path, &twice, &[value.to_le_bytes(), marked].concat());
            let found = findings(&table);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].starts_with(&format!("version 1: {file}: field values._0, column ")),
                "{found:?}"
            );
            assert!(found[0].contains(", cluster 1, page ") && found[0].contains(text), "{found:?}");
        }
    }
}

#[test]
fn statistics_of_strings_that_exclude_some_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let (table, path) = of_file(directory.path(), true);
    // The characters of the strings before the second cluster, and the next ones.
    let text: String = (0..10).map(|number| format!("row {number}")).collect();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = (0..bytes.len()).find(|at| bytes[*at..].starts_with(text.as_bytes())).unwrap();
    bytes[at] = b'z';
    std::fs::write(&path, bytes).unwrap();
    let found = findings(&table);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("field label, column 1, cluster 0: statistics in "), "{found:?}");
    assert!(found[0].contains("to \"row 9\"; there are ") && found[0].ends_with("to \"zow 0\""), "{found:?}");
}

#[test]
fn statistics_next_to_a_file_that_cannot_be_read_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let (table, _) = of_file(directory.path(), false);
    table.add_statistics().unwrap();
    let folder = std::fs::read_dir(directory.path().join("rows.rnds/_stats")).unwrap();
    let sides: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    let [side] = &*sides else { panic!("{sides:?}") };
    let bytes = std::fs::read(side).unwrap();
    let mut found = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 100) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(side, damaged).unwrap();
        let findings = findings(&table);
        assert!(findings.iter().all(|finding| finding.contains("/_stats/")), "{findings:?}");
        found += usize::from(!findings.is_empty());
    }
    // Some bytes are of no use to anyone, such as names.
    assert!(found > 50, "{found}");
}

#[test]
fn row_ids_may_be_in_a_file_of_their_own() {
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..5);
    table.delete::<Event>(|row| row.number == 3).unwrap();
    let ids = |snapshot: &Snapshot| {
        let live = snapshot.live()?;
        live.iter()
            .map(|entry| Ok(snapshot.row_id(entry)?.unwrap()))
            .collect::<rntuple_dataset::Result<Vec<_>>>()
    };
    let before = table.snapshot().unwrap();
    let mut moved = manifest(&table, before.version());
    let mut bytes = b"something else".to_vec();
    for fragment in &mut moved.manifest.fragments {
        let Some(RowIds::Inline(own)) = &fragment.row_id_sequence else { continue };
        let (offset, size) = (bytes.len() as u64, own.len() as u64);
        bytes.extend_from_slice(own);
        let file = ExternalFile { path: "_rowids/all".to_owned(), offset, size };
        fragment.row_id_sequence = Some(RowIds::External(file));
    }
    std::fs::write(manifest_path(&table, before.version()), moved.to_bytes().unwrap()).unwrap();
    let folder = Path::new(table.location().root()).join("_rowids");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("all"), &bytes).unwrap();
    let snapshot = table.snapshot().unwrap();
    assert_eq!(ids(&snapshot).unwrap(), ids(&before).unwrap());
    assert_eq!(snapshot.take::<Event>(&[22]).unwrap(), before.take::<Event>(&[22]).unwrap());
    // Later versions still name it.
    append(&table, 3, 0..2);
    assert_eq!(ids(&table.snapshot().unwrap()).unwrap().len(), 25);

    std::fs::write(folder.join("all"), &bytes[..bytes.len() - 1]).unwrap();
    let error = ids(&table.at(before.version()).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(error.to_string().contains("fragment 2: the file of its row ids is too short"), "{error}");
    std::fs::remove_file(folder.join("all")).unwrap();
    assert_eq!(ids(&table.at(before.version()).unwrap()).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A few bytes could have the ids of any number of fragments.
#[test]
fn row_ids_of_fragments_are_apart_in_a_file() {
    let (_directory, table) = create();
    (1..4).for_each(|run| drop(append(&table, run, 0..20)));
    let before = table.snapshot().unwrap();
    let own = [1, 2, 3].map(|position| match &before.fragments()[position].row_id_sequence {
        Some(RowIds::Inline(own)) => own.clone(),
        other => panic!("{other:?}"),
    });
    let [one, two, three] = own.each_ref().map(|own| own.len() as u64);
    let folder = Path::new(table.location().root()).join("_rowids");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("odd"), [&*own[2], &*own[0]].concat()).unwrap();
    std::fs::write(folder.join("even"), &own[1]).unwrap();
    let ids_in = |parts: [(&str, u64, u64); 3]| {
        let mut moved = manifest(&table, before.version());
        for (fragment, (name, offset, size)) in moved.manifest.fragments[1..].iter_mut().zip(parts) {
            let file = ExternalFile { path: format!("_rowids/{name}"), offset, size };
            fragment.row_id_sequence = Some(RowIds::External(file));
        }
        std::fs::write(manifest_path(&table, before.version()), moved.to_bytes().unwrap()).unwrap();
        let snapshot = table.snapshot().unwrap();
        (0..60).map(|entry| Ok(snapshot.row_id(entry)?.unwrap())).collect::<rntuple_dataset::Result<Vec<_>>>()
    };
    let apart = ids_in([("odd", three, one), ("even", 0, two), ("odd", 0, three)]).unwrap();
    assert!(apart.into_iter().eq(0..60));
    let error = ids_in([("even", 0, two), ("even", 0, two), ("odd", 0, three)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{error}");
    assert!(error.to_string().contains("another fragment has its row ids in the same bytes"), "{error}");
}
