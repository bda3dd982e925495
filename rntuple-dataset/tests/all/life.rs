//! What a data set goes through.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer};
use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::{DataFragment, ManifestFile};
use rntuple_dataset::{Adopt, At, CleanupOptions, CompactOptions, ErrorKind, Source, Table};

use crate::sample::{Event, append, create, event};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Numbers {
    run: u32,
    number: u64,
}

fn numbers(snapshot: &rntuple_dataset::Snapshot) -> Vec<(u32, u64)> {
    let reader = snapshot.reader::<Numbers>().unwrap();
    reader.entries().map(|row| row.map(|row| (row.run, row.number)).unwrap()).collect()
}

#[test]
fn rows_come_and_go_and_versions_stay() {
    let (_directory, table) = create();
    let empty = table.snapshot().unwrap();
    assert_eq!((empty.version(), empty.len()), (1, 0));
    assert_eq!(empty.reader::<Event>().unwrap().entries().count(), 0);
    let first = append(&table, 1, 0..20);
    let second = append(&table, 2, 0..30);
    assert_eq!((second.version(), second.len(), second.fragments().len()), (3, 50, 3));
    let all: Vec<Event> = second.reader::<Event>().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(all, (0..20).map(|n| event(1, n)).chain((0..30).map(|n| event(2, n))).collect::<Vec<_>>());

    let third = table.delete::<Numbers>(|row| row.number.is_multiple_of(2)).unwrap();
    assert_eq!(third.len(), 25);
    assert!(numbers(&third).iter().all(|(_, number)| number % 2 == 1));
    // More of the same fragments.
    let fourth = table.delete::<Numbers>(|row| row.number < 5).unwrap();
    assert_eq!(numbers(&fourth), numbers(&third).into_iter().filter(|row| row.1 >= 5).collect::<Vec<_>>());
    assert_eq!((numbers(&first).len(), numbers(&second).len()), (20, 50));

    // Rows by their ids: those of the first run begin with 0.
    assert_eq!(
        fourth.take::<Numbers>(&[27, 7, 9]).unwrap().iter().map(|row| row.number).collect::<Vec<_>>(),
        [7, 7, 9]
    );
    assert_eq!(fourth.take::<Numbers>(&[8]).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(fourth.row_id(fourth.entry_of(27).unwrap().unwrap()).unwrap(), Some(27));
    let fifth = table.delete_rows(&[7, 27]).unwrap();
    assert_eq!(fifth.len(), fourth.len() - 2);
    assert_eq!(table.delete_rows(&[7]).unwrap_err().kind(), ErrorKind::NotFound);

    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!((report.versions, report.files), (6, 3));

    // Old versions, by number, tag and time.
    table.tag("before", 3).unwrap();
    assert_eq!(numbers(&table.at("before").unwrap()), numbers(&second));
    assert!(
        table.tag("before", 2).unwrap_err().to_string().contains("there is a tag \"before\", for version 3")
    );
    assert_eq!(table.at(2).unwrap().len(), 20);
    assert_eq!(table.at(9).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(table.at(first.created().unwrap()).unwrap().version(), 2);
    assert_eq!(table.at(SystemTime::UNIX_EPOCH).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(table.at(At::Latest).unwrap().version(), 6);
    let operations: Vec<_> = table.versions().unwrap().iter().map(|it| it.operation.unwrap()).collect();
    assert_eq!(operations, ["Overwrite", "Append", "Append", "Delete", "Delete", "Delete"]);
    let restored = table.restore(3).unwrap();
    assert_eq!((restored.version(), numbers(&restored)), (7, numbers(&second)));
    assert_eq!(table.versions().unwrap()[2].tags, ["before"]);
    table.untag("before").unwrap();
    assert_eq!(table.at("before").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn columns_come_and_go() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Calibrated {
        calibrated: f32,
        run: String,
    }
    let (_directory, table) = create();
    append(&table, 1, 0..20);
    append(&table, 2, 0..9);
    table.delete::<Numbers>(|row| row.number == 3).unwrap();
    let added = table
        .add_columns(|rows: Vec<Numbers>| {
            let value = |row: &Numbers| Calibrated {
                calibrated: 1.5 * row.number as f32,
                run: format!("run {}", row.run),
            };
            rows.iter().map(value).collect()
        })
        .unwrap();
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Both {
        number: u64,
        calibrated: f32,
        run: String,
        muons: Vec<crate::sample::Muon>,
    }
    let rows: Vec<Both> = added.reader::<Both>().unwrap().entries().collect::<Result<_, _>>().unwrap();
    let wanted = (0..20).map(|n| (1, n)).chain((0..9).map(|n| (2, n))).filter(|row| row.1 != 3);
    let wanted: Vec<Both> = wanted
        .map(|(run, number)| Both {
            number,
            calibrated: 1.5 * number as f32,
            run: format!("run {run}"),
            muons: event(run, number).muons,
        })
        .collect();
    assert_eq!(rows, wanted);
    // The old version has the old column of that name.
    assert_eq!(numbers(&table.at(4).unwrap()).len(), 27);
    assert_eq!(added.take::<Both>(&[19]).unwrap()[0].calibrated, 28.5);

    table.rename_column("calibrated", "energy").unwrap();
    table.rename_column("muons._0.pt", "momentum").unwrap();
    let dropped = table.drop_columns(&["muons._0.charge", "met"]).unwrap();
    #[derive(RNTuple, Debug, PartialEq)]
    struct Mu {
        momentum: f32,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Renamed {
        energy: f32,
        muons: Vec<Mu>,
    }
    let rows: Vec<Renamed> =
        dropped.reader::<Renamed>().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), wanted.len());
    for (row, old) in rows.iter().zip(&wanted) {
        assert_eq!(row.energy, old.calibrated);
        assert_eq!(
            row.muons.iter().map(|mu| mu.momentum).collect::<Vec<_>>(),
            old.muons.iter().map(|mu| mu.pt).collect::<Vec<_>>()
        );
    }
    let values = dropped.reader::<Value>().unwrap();
    let schema = values.schema();
    let names: Vec<&str> = schema.top_level().iter().map(|id| &*schema.field(*id).unwrap().name).collect();
    assert_eq!(names, ["number", "muons", "energy", "run"]);
    for (error, text) in [
        (table.drop_columns(&["met"]).unwrap_err(), "no field \"met\""),
        (table.drop_columns(&["muons._0"]).unwrap_err(), "is a part of its field"),
        (table.rename_column("energy", "run").unwrap_err(), "there is a field \"run\""),
        (table.rename_column("energy", "a.b").unwrap_err(), "cannot be the name"),
        (
            table.add_columns(|_: Vec<Renamed>| Vec::<Calibrated>::new()).unwrap_err(),
            "there are 0 values for",
        ),
    ] {
        assert!(error.to_string().contains(text), "{error}");
    }
    // An event of the old type has not all fields.
    let error = table.append::<Event>(|writer| writer.fill(&event(1, 1))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn rows_are_updated_under_new_ids() {
    let (_directory, table) = create();
    append(&table, 1, 0..10);
    let updated = table
        .update::<Event>(|event| {
            let is_wanted = event.number > 6;
            if is_wanted {
                event.run = 99;
            }
            is_wanted
        })
        .unwrap();
    let wanted: Vec<(u32, u64)> = (0..7).map(|n| (1, n)).chain((7..10).map(|n| (99, n))).collect();
    assert_eq!(numbers(&updated), wanted);
    assert_eq!(updated.take::<Numbers>(&[10]).unwrap()[0].number, 7);
    assert_eq!(updated.entry_of(7).unwrap(), None);
    assert_eq!(table.update::<Event>(|_| false).unwrap().version(), updated.version());
}

#[test]
fn an_update_that_changes_nothing_leaves_nothing() {
    let (_directory, table) = create();
    let before = append(&table, 1, 0..5);
    let files = || std::fs::read_dir(format!("{}/data", table.location().root())).unwrap().count();
    let count = files();
    let after = table.update::<Event>(|_| false).unwrap();
    assert_eq!((after.version(), files()), (before.version(), count));
}

#[test]
fn files_are_written_together_and_rows_keep_their_ids() {
    let (_directory, table) = create();
    for run in 1..6 {
        append(&table, run, 0..40);
    }
    let before = table.delete::<Numbers>(|row| row.run == 2 || row.number == 8).unwrap();
    let ids: Vec<u64> =
        before.live().unwrap().iter().map(|entry| before.row_id(entry).unwrap().unwrap()).collect();
    let after = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!(after.fragments().len(), 1);
    assert_eq!((after.len(), after.entry_count()), (before.len(), before.len()));
    let rows = |snapshot: &rntuple_dataset::Snapshot| {
        snapshot.reader::<Event>().unwrap().entries().collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!(rows(&after), rows(&before));
    let moved: Vec<u64> = (0..after.len()).map(|entry| after.row_id(entry).unwrap().unwrap()).collect();
    assert_eq!(moved, ids);
    assert_eq!(after.take::<Event>(&ids[3..5]).unwrap(), before.take::<Event>(&ids[3..5]).unwrap());
    // Nothing is left to do.
    assert_eq!(table.compact(&CompactOptions::new()).unwrap().version(), after.version());
    // Plain readers see it as well.
    let file = after.location().data_file(&after.fragments()[0].files[0].path);
    assert_eq!(Reader::<Event>::open(file, "Events").unwrap().entry_count().unwrap(), after.len());

    // New columns and new rows after that.
    #[derive(RNTuple)]
    struct Extra {
        extra: u64,
    }
    let extra = table
        .add_columns(|rows: Vec<Numbers>| rows.iter().map(|row| Extra { extra: 2 * row.number }).collect())
        .unwrap();
    assert_eq!(extra.len(), after.len());
    table.delete::<Numbers>(|row| row.run == 5).unwrap();
    let last = table.compact(&CompactOptions::new()).unwrap();
    assert_eq!(last.fragments()[0].files.len(), 1);
    let sum: u64 = last.reader::<Extra>().unwrap().entries().map(|row| row.unwrap().extra).sum();
    assert_eq!(sum, 2 * numbers(&last).iter().map(|row| row.1).sum::<u64>());
    assert!(table.check(true).unwrap().is_sound());
}

#[test]
fn a_file_in_the_folder_of_data_files_is_one_of_them() {
    let (directory, table) = create();
    append(&table, 1, 0..10);
    let data = directory.path().join("events.rnds/data");
    let place = data.join("mine.root");
    let mut writer = Writer::<Event>::create(&place, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&[event(2, 0), event(2, 1)]).unwrap();
    writer.finish().unwrap();
    let source = Source::new(place.to_str().unwrap(), Adopt::InPlace);
    let adopted = table.append_files(&[source]).unwrap();
    assert_eq!(adopted.fragments().last().unwrap().files[0].path, "mine.root");
    table.add_statistics().unwrap();
    assert!(data.with_file_name("_stats/mine.root").exists());
    let filter = adopted.filter::<Event>(&"run > 2".parse().unwrap()).unwrap();
    assert_eq!(filter.matching().unwrap().entry_count(), 0);
    assert!(filter.counters().files.skipped >= 2, "both have statistics: {}", filter.counters());
    let all = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    table.cleanup(&all).unwrap();
    assert_eq!(adopted.reader::<Event>().unwrap().entries().map(Result::unwrap).count(), 12);
    // By another path of the same folder.
    #[cfg(unix)]
    {
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&data, &link).unwrap();
        std::fs::copy(&place, data.join("other.root")).unwrap();
        let source = Source::new(link.join("other.root").to_str().unwrap(), Adopt::InPlace);
        let adopted = table.append_files(&[source]).unwrap();
        assert_eq!(adopted.fragments().last().unwrap().files[0].path, "other.root");
    }
    table.delete::<Numbers>(|row| row.run == 2).unwrap();
    assert!(table.cleanup(&all).unwrap().files.contains(&"data/mine.root".to_owned()));
}

#[test]
fn what_no_version_needs_is_cleaned_up() {
    let (directory, table) = create();
    append(&table, 1, 0..10);
    append(&table, 2, 0..10);
    table.delete::<Numbers>(|row| row.number < 3).unwrap();
    table.tag("kept", 2).unwrap();
    let compacted = table.compact(&CompactOptions::new()).unwrap();
    // A program that is at work, and one that died.
    let data = directory.path().join("events.rnds/data");
    std::fs::write(data.join("running.root"), b"x").unwrap();
    let all = CleanupOptions::older_than(Duration::ZERO);
    let dry = table.cleanup(&all.clone().dry_run(true)).unwrap();
    assert_eq!((&dry.versions[..], &dry.files[..]), (&[1, 3, 4][..], &[][..]));
    assert_eq!(table.versions().unwrap().len(), 5);
    let cleaned = table.cleanup(&all).unwrap();
    assert_eq!(cleaned, dry);
    let cleaned = table.cleanup(&all.unreferenced_after(Duration::ZERO)).unwrap();
    assert!(cleaned.files.contains(&"data/running.root".to_owned()));
    assert!(cleaned.files.iter().any(|file| file.starts_with("_deletions/")), "{cleaned:?}");
    assert!(cleaned.bytes > 0);
    // The first file, that of run 1 and the compacted one.
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 3);
    assert_eq!(table.at("kept").unwrap().reader::<Event>().unwrap().entries().count(), 10);
    assert_eq!(numbers(&compacted).len(), 14);
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    assert_eq!(report.versions, 2);
}

#[test]
fn files_that_exist_are_adopted() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    for run in 1..4 {
        let mut writer =
            Writer::<Event>::create(path(&format!("run{run}.root")), "Events", Default::default()).unwrap();
        for number in 0..5 {
            writer.fill(&event(run, number)).unwrap();
        }
        writer.finish().unwrap();
    }
    let source = |run: u32, adopt| Source::new(path(&format!("run{run}.root")), adopt);
    let table = Table::create_from(&path("events.rnds"), "Events", &source(1, Adopt::InPlace)).unwrap();
    let both = table.append_files(&[source(2, Adopt::Copy), source(3, Adopt::InPlace)]).unwrap();
    assert_eq!((both.version(), both.len()), (2, 15));
    let wanted: Vec<(u32, u64)> = (1..4).flat_map(|run| (0..5).map(move |number| (run, number))).collect();
    assert_eq!(numbers(&both), wanted);
    // Statistics of files that stay as they are are in the data set, and stay with it.
    assert_eq!((table.add_statistics().unwrap(), table.add_statistics().unwrap()), (3, 0));
    let cleaned = table
        .cleanup(&CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO))
        .unwrap();
    assert_eq!(cleaned.versions, [1]);
    let third = table.snapshot().unwrap().filter::<Numbers>(&"run == 3".parse().unwrap()).unwrap();
    assert_eq!(third.entries().count(), 5);
    assert_eq!(third.counters().clusters.skipped, 2);
    assert!(std::fs::exists(path("run1.root")).unwrap() && std::fs::exists(path("run3.root")).unwrap());
    assert_eq!(numbers(&table.snapshot().unwrap()), wanted);
    let error = Table::create::<Event>(&path("events.rnds"), "Events").unwrap_err();
    assert!(error.to_string().contains("there is a data set already"), "{error}");
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::AlreadyExists));
    std::fs::remove_file(path("run3.root")).unwrap();
    let report = table.check(false).unwrap();
    assert_eq!(report.findings.len(), 1, "{report:?}");
    assert!(report.findings[0].to_string().contains("run3.root"), "{report:?}");
    let error = Table::open(&path("nothing.rnds")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
}

#[test]
fn rows_are_found_without_opening_the_files_before() {
    let (directory, table) = create();
    for run in 1..5 {
        append(&table, run, 0..10);
    }
    let snapshot = table.delete::<Numbers>(|row| row.run == 3 && row.number == 1).unwrap();
    let data = |position: usize| {
        let file = &snapshot.fragments()[position].files[0].path;
        directory.path().join("events.rnds/data").join(file)
    };
    // The first file has the types.
    for position in [1, 2] {
        std::fs::rename(data(position), data(position).with_extension("gone")).unwrap();
    }
    let reader = snapshot.reader::<Numbers>().unwrap();
    assert_eq!((reader.entry_count().unwrap(), snapshot.entry_count()), (40, 40));
    assert_eq!(reader.get(35).unwrap(), Numbers { run: 4, number: 5 });
    assert_eq!(reader.locate(20).unwrap(), Some((3, 0)));
    assert_eq!(reader.get(21).unwrap_err().kind(), rntuple::ErrorKind::InvalidArgument, "it is deleted");
    assert_eq!(reader.get(15).unwrap_err().kind(), rntuple::ErrorKind::Io);

    // A file with other rows is an error, whoever comes to it first.
    std::fs::copy(data(0), data(2)).unwrap();
    let reader = snapshot.reader::<Numbers>().unwrap();
    let error = reader.get(15).unwrap_err();
    assert!(error.to_string().contains(data(2).to_str().unwrap()), "{error}");
    assert!(
        error.to_string().ends_with("the file has 0 entries, expected 10, as was stated for it"),
        "{error}"
    );
    let error = reader.entries().find_map(Result::err).unwrap();
    assert_eq!(error.kind(), rntuple::ErrorKind::Io);
    let findings = table.check(false).unwrap().findings;
    assert!(findings.iter().any(|finding| finding.message.contains("as was stated for it")), "{findings:?}");
}

/// The fields may be known only when the program runs.
#[test]
fn the_first_version_may_have_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds").to_str().unwrap().to_owned();
    let fields = [Field::new("run", FieldType::U32), Field::new("number", FieldType::U64)];
    let schema = fields.into_iter().fold(SchemaBuilder::new(), SchemaBuilder::field);
    let options = || WriteOptions::new().schema(schema.clone());
    let row = |number| Value::record([("run", Value::U32(1)), ("number", Value::U64(number))]);
    let failed = Table::create_with::<Value>(&path, "Events", options(), |writer| {
        writer.fill(&row(0))?;
        Err(rntuple::Error::new(rntuple::ErrorKind::Unsupported, "no more rows"))
    });
    assert!(failed.unwrap_err().to_string().contains("no more rows"));
    assert_eq!(Table::open(&path).unwrap_err().kind(), ErrorKind::NotFound);

    let fill = |writer: &mut Writer<Value>| (0..5).try_for_each(|number| writer.fill(&row(number)));
    let table = Table::create_with::<Value>(&path, "Events", options(), fill).unwrap();
    let snapshot = table.snapshot().unwrap();
    assert_eq!((snapshot.version(), snapshot.fragments().len()), (1, 1));
    assert_eq!(numbers(&snapshot), (0..5).map(|number| (1, number)).collect::<Vec<_>>());
    // Where there is a data set, no row is written.
    let refused = Table::create_with::<Value>(&path, "Events", options(), |_| panic!("a row is asked for"));
    assert!(refused.unwrap_err().to_string().contains("there is a data set already"));
}

#[test]
fn a_version_is_not_older_than_the_one_before() {
    let (_directory, table) = create();
    append(&table, 1, 0..3);
    // A writer whose clock is a day ahead.
    let path = Path::new(table.location().root()).join(NamingScheme::V2.manifest(2));
    let mut file = ManifestFile::read(&std::fs::read(&path).unwrap()).unwrap();
    let ahead = SystemTime::now() + Duration::from_secs(24 * 60 * 60);
    file.manifest.timestamp = Some(ahead.into());
    std::fs::write(&path, file.to_bytes().unwrap()).unwrap();
    append(&table, 2, 0..3);
    append(&table, 3, 0..3);
    let at = |time: SystemTime| table.at(At::Time(time)).unwrap().version();
    assert_eq!((at(SystemTime::now()), at(ahead)), (1, 4));
}

#[test]
fn deleted_rows_that_a_manifest_does_not_count_are_deleted() {
    let (_directory, table) = create();
    append(&table, 1, 0..10);
    let deleted = table.delete::<Event>(|event| event.number == 3).unwrap();
    let path = Path::new(table.location().root()).join(NamingScheme::V2.manifest(deleted.version()));
    let mut file = ManifestFile::read(&std::fs::read(&path).unwrap()).unwrap();
    // As old versions of Lance state it.
    file.manifest.fragments[1].deletion_file.as_mut().unwrap().num_deleted_rows = 0;
    std::fs::write(&path, file.to_bytes().unwrap()).unwrap();
    let table = Table::open(table.location().root()).unwrap();
    let snapshot = table.snapshot().unwrap();
    assert!(!snapshot.fragments()[1].states_deleted_rows());
    assert_eq!((snapshot.len(), snapshot.entry_count()), (9, 10));
    assert_eq!(numbers(&snapshot).len(), 9);
    let compacted = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    assert_eq!((compacted.len(), compacted.entry_count()), (9, 9));
    assert!(compacted.fragments().iter().all(DataFragment::states_deleted_rows));
}

#[test]
fn a_damaged_tag_hides_nothing_else() {
    let (_directory, table) = create();
    append(&table, 1, 0..3);
    table.tag("good", 2).unwrap();
    std::fs::write(Path::new(table.location().root()).join("_refs/tags/bad.json"), "{").unwrap();
    let findings = table.check(false).unwrap().findings;
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.starts_with("the tag \"bad\": "), "{}", findings[0].message);
    assert_eq!(table.versions().unwrap()[1].tags, ["good"]);
    // It may name any version.
    let error = table.cleanup(&CleanupOptions::older_than(Duration::ZERO)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{error}");
    assert_eq!(table.versions().unwrap().len(), 2);
}

#[test]
fn a_clean_up_passes_over_versions_that_another_one_removes() {
    let (_directory, table) = create();
    std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            let all = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
            for run in 0..10 {
                (0..5).for_each(|number| drop(append(&table, run, number..number + 1)));
                table.cleanup(&all).unwrap();
            }
        });
        while !other.is_finished() {
            table.cleanup(&CleanupOptions::older_than(Duration::from_secs(3600))).unwrap();
        }
    });
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
}

#[test]
fn tags_are_read_while_one_comes_and_goes() {
    let (_directory, table) = create();
    table.tag("kept", 1).unwrap();
    std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            for _ in 0..100 {
                table.tag("passing", 1).unwrap();
                table.untag("passing").unwrap();
            }
        });
        while !other.is_finished() {
            assert_eq!(table.tags().unwrap()["kept"], 1);
        }
    });
}
