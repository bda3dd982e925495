//! Storages that fail, and bytes that are wrong.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use proptest::prelude::*;
use rntuple::{WriteOptions, Writer};
use rntuple_dataset::format::{
    DataFile, DataFragment, DeletionFile, Manifest, ManifestFile, RowIdSequence, RowIds, Transaction,
    names::{self, NamingScheme},
    transaction::Overwrite,
};
use rntuple_dataset::transactions::Conflict;
use rntuple_dataset::{
    Adopt, CleanupOptions, CompactOptions, ErrorKind, Location, Log, Result, Snapshot, Source, Table,
};

use crate::sample::{Event, append, event};
use crate::store::{Create, Fault, Faulty, shelf};

fn numbers(snapshot: &Snapshot) -> Vec<(u32, u64)> {
    let reader = snapshot.reader::<Event>().unwrap();
    reader.entries().map(|row| row.map(|row| (row.run, row.number)).unwrap()).collect()
}

type Operation = fn(&Table) -> Result<()>;

/// What is done to a data set of two fragments, one of which has deletions.
fn operations() -> [(&'static str, Operation); 8] {
    #[derive(rntuple::RNTuple)]
    struct Extra {
        extra: u64,
    }
    [
        ("append", |table| table.append::<Event>(|writer| writer.fill(&event(3, 1))).map(drop)),
        ("delete", |table| table.delete::<Event>(|row| row.number == 5).map(drop)),
        ("delete rows", |table| table.delete_rows(&[7]).map(drop)),
        ("update", |table| {
            let update = |row: &mut Event| {
                row.run += 10;
                row.number == 6
            };
            table.update::<Event>(update).map(drop)
        }),
        ("compact", |table| table.compact(&CompactOptions::new().deleted(0.0)).map(drop)),
        ("add a column", |table| {
            let extra = |rows: Vec<Event>| rows.iter().map(|row| Extra { extra: row.number }).collect();
            table.add_columns(extra).map(drop)
        }),
        ("restore", |table| table.restore(2).map(drop)),
        ("clean up", |table| {
            let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
            table.cleanup(&options).map(drop)
        }),
    ]
}

fn prepare(name: &str) -> (std::sync::Arc<Faulty>, Location) {
    let (store, location) = shelf(name);
    let table = Table::create_in::<Event>(Log::new(location.clone()), "Events").unwrap();
    append(&table, 1, 0..20);
    append(&table, 2, 0..9);
    table.delete::<Event>(|row| row.number == 3).unwrap();
    table.tag("kept", 2).unwrap();
    (store, location)
}

/// What a program would see of a data set: the number of the newest version, and its rows.
type Seen = (u64, Vec<(u32, u64)>, usize);

fn see(location: &Location) -> Seen {
    let table = Table::from_log(Log::new(location.clone())).unwrap();
    let report = table.check(true).unwrap();
    assert!(report.is_sound(), "{:?}", report.findings);
    let snapshot = table.snapshot().unwrap();
    (snapshot.version(), numbers(&snapshot), snapshot.fields().len())
}

/// Without the time, a version may be numbered as the one before or as the one after, and nothing else.
fn fail_each_call(fault: Fault) {
    for (name, operation) in operations() {
        let shelf_of = |call: usize| format!("{name}-{fault:?}-{call}").replace(' ', "-");
        // As it is when nothing fails.
        let (_, location) = prepare(&shelf_of(0));
        let old = see(&location);
        operation(&Table::from_log(Log::new(location.clone())).unwrap()).unwrap();
        let new = see(&location);
        let mut failures = 0;
        for call in 1.. {
            let (store, location) = prepare(&shelf_of(call));
            let table = Table::from_log(Log::new(location.clone())).unwrap();
            store.fail(call, fault);
            let done = operation(&table);
            if store.heal() {
                done.unwrap();
                break;
            }
            let seen = see(&location);
            match done {
                Ok(()) => assert_eq!(seen, new, "{name}, call {call}"),
                Err(error) => {
                    failures += 1;
                    assert!(seen == old || seen == new, "{name}, call {call}: {error}: {seen:?}");
                    // A client that repeats a request learns of no failure.
                    assert_ne!(fault, Fault::Repeats, "{name}, call {call}: {error}");
                }
            }
            // It works again, whatever the failure left.
            let again = operation(&table);
            let is_there = name == "delete rows" && seen == new;
            assert_eq!(again.is_ok(), !is_there, "{name}, call {call}: {again:?}");
            see(&location);
        }
        assert!(failures > 2 || fault == Fault::Repeats, "{name}: {failures} failures");
    }
}

#[test]
fn a_call_that_fails_leaves_the_old_version_or_the_new_one() {
    fail_each_call(Fault::Fails);
}

#[test]
fn a_call_whose_answer_is_lost_leaves_the_old_version_or_the_new_one() {
    fail_each_call(Fault::Forgets);
}

/// The manifest exists the second time, and is our own.
#[test]
fn a_call_that_is_repeated_commits_once() {
    fail_each_call(Fault::Repeats);
}

/// The program that commits sees neither that it was done, nor that it was not.
#[test]
fn a_version_that_may_be_committed_is_said_to_be() {
    for (name, operation) in operations() {
        let shelf_of = |call: usize| format!("{name}-dies-{call}").replace(' ', "-");
        let mut uncertain = 0;
        for call in 1.. {
            let (store, location) = prepare(&shelf_of(call));
            let old = see(&location);
            store.fail(call, Fault::Dies);
            let done = Table::from_log(Log::new(location.clone())).and_then(|table| operation(&table));
            store.set_down(false);
            if store.heal() {
                done.unwrap();
                break;
            }
            let is_said =
                done.as_ref().is_err_and(|error| error.to_string().contains("version 5 may be committed"));
            let is_done = see(&location).0 > old.0;
            assert!(done.is_ok() || is_said || !is_done, "{name}, call {call}: {done:?}");
            uncertain += usize::from(is_said && is_done);
        }
        assert!(uncertain > 0 || name == "clean up", "{name}");
    }
}

/// Either the clean-up sees the tag, or the program that tags sees the clean-up.
#[test]
fn a_version_that_is_tagged_while_it_is_cleaned_up_stays_or_has_no_name() {
    let (store, location) = prepare("tagged");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    store.stall(".removed-");
    std::thread::scope(|threads| {
        let cleaning = threads.spawn(|| table().cleanup(&CleanupOptions::older_than(Duration::ZERO)));
        store.wait_for_stall();
        table().tag("late", 1).unwrap();
        store.release();
        assert_eq!(cleaning.join().unwrap().unwrap().versions, [3]);
    });
    assert_eq!(table().at("late").unwrap().version(), 1);
    see(&location);

    // It was marked before the name was given, or moved.
    let (store, location) = prepare("marked");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    mark(&store, 3);
    for error in [table().tag("late", 3).unwrap_err(), table().move_tag("kept", 3).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    }
    assert_eq!(table().tags().unwrap().into_iter().collect::<Vec<_>>(), [("kept".to_owned(), 2)]);
    // Who marked the version that has a name died before it took that back.
    mark(&store, 2);
    assert!(table().at(2).is_err() || table().versions().unwrap().iter().all(|it| it.version != 2));
    // Version 3 goes as it was marked, version 2 stays.
    assert_eq!(table().cleanup(&CleanupOptions::older_than(Duration::ZERO)).unwrap().versions, [1, 3]);
    assert_eq!(numbers(&table().at("kept").unwrap()).len(), 20);
    see(&location);

    // Another clean-up may have found it marked before it had a name.
    let (store, location) = prepare("other");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    mark(&store, 2);
    put(&store, "_versions/cleanup-1.txt", "");
    let clean_up = || table().cleanup(&CleanupOptions::older_than(Duration::ZERO));
    let error = clean_up().unwrap_err();
    assert!(error.kind() == ErrorKind::Conflict && error.to_string().contains("two clean-ups"), "{error}");
    let other = Path::from("events.rnds/_versions/cleanup-1.txt");
    rntuple_object_store::wait({
        let store = store.clone();
        async move { store.inner().delete(&other).await.map_err(std::io::Error::from) }
    })
    .unwrap();
    let dry = table().cleanup(&CleanupOptions::older_than(Duration::ZERO).dry_run(true)).unwrap();
    // Nothing was removed.
    let cleaned = clean_up().unwrap();
    assert_eq!((dry.versions, cleaned.versions), (vec![1, 3], vec![1, 3]));
    assert_eq!(numbers(&table().at("kept").unwrap()).len(), 20);
    see(&location);
}

fn mark(store: &std::sync::Arc<Faulty>, version: u64) {
    put(store, &names::removed(version, ""), "");
}

fn put(store: &std::sync::Arc<Faulty>, name: &str, text: &'static str) {
    let (store, path) = (store.clone(), Path::from(format!("events.rnds/{name}")));
    let put =
        async move { store.inner().put(&path, text.into()).await.map(drop).map_err(std::io::Error::from) };
    rntuple_object_store::wait(put).unwrap();
}

#[test]
fn a_file_that_two_programs_append_is_appended_once() {
    let (store, location) = prepare("twice");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run9.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new().statistics(true)).unwrap();
    (0..5).for_each(|number| writer.fill(&event(9, number)).unwrap());
    writer.finish().unwrap();
    let append = || {
        let table = Table::from_log(Log::new(location.clone())).unwrap();
        table.append_files(&[Source::new(path.to_str().unwrap(), Adopt::InPlace)])
    };
    store.stall(".manifest");
    let (first, second) = std::thread::scope(|threads| {
        let stalled = threads.spawn(append);
        store.wait_for_stall();
        let second = append().unwrap();
        store.release();
        (stalled.join().unwrap(), second)
    });
    let error = first.unwrap_err();
    assert!(error.kind() == ErrorKind::Conflict && error.to_string().contains("run9.root"), "{error}");
    let table = Table::from_log(Log::new(location.clone())).unwrap();
    assert_eq!(table.snapshot().unwrap().version(), second.version());
    assert!(append().unwrap_err().to_string().contains("already"));
}

/// Files of it may be gone already.
#[test]
fn a_version_that_is_marked_as_removed_is_not_restored() {
    let (store, location) = prepare("restored");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    // It is marked before the new version is committed, and after others have looked for the mark.
    store.stall(".manifest");
    std::thread::scope(|threads| {
        let restoring = threads.spawn(|| table().restore(1));
        store.wait_for_stall();
        mark(&store, 1);
        store.release();
        let error = restoring.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    });
    let newest = table().snapshot().unwrap();
    assert_eq!((newest.version(), numbers(&newest).len()), (6, 27));

    mark(&store, 3);
    for error in [table().at(3).unwrap_err(), table().restore(3).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains("there is no version 3, or it was cleaned up"), "{error}");
    }
    assert_eq!(table().snapshot().unwrap().version(), 6);

    // The program that marked them died. The next clean-up removes them, however young they are.
    let manifest = |version| format!("events.rnds/{}", NamingScheme::V2.manifest(version));
    assert!(files(store.inner()).contains(&manifest(3)));
    table().cleanup(&CleanupOptions::older_than(Duration::from_secs(3600))).unwrap();
    let left = files(store.inner());
    assert!([1, 3].iter().all(|version| !left.contains(&manifest(*version))), "{left:?}");
    see(&location);
}

/// The number of a version that was removed is free in the storage, and a writer may not have seen that it was in use.
#[test]
fn a_writer_that_stalled_does_not_take_the_number_of_a_version_that_was_removed() {
    let (store, location) = prepare("stalled");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    // However often it is cleaned up, whatever no version names.
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    store.stall(".manifest");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| table().append::<Event>(|writer| writer.fill(&event(9, 1))));
        store.wait_for_stall();
        for run in 5..8 {
            append(&table(), run, 0..2);
        }
        assert_eq!(table().cleanup(&options).unwrap().versions, [1, 3, 4, 5, 6]);
        assert!(table().cleanup(&options).unwrap().versions.is_empty());
        store.release();
        let error = stalled.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    });
    let versions = |table: &Table| table.versions().unwrap().iter().map(|it| it.version).collect::<Vec<_>>();
    assert_eq!(versions(&table()), [2, 7]);
    see(&location);
    // It is done again, on the newest version.
    table().append::<Event>(|writer| writer.fill(&event(9, 1))).unwrap();
    assert_eq!(versions(&table()), [2, 7, 8]);
    assert_eq!(numbers(&table().snapshot().unwrap()).last(), Some(&(9, 1)));
    // What was noted of the versions goes in the end.
    store.age(3600);
    table().cleanup(&options).unwrap();
    // That of version 7 is new.
    store.age(3600);
    table().cleanup(&options).unwrap();
    let left = files(store.inner());
    let left: Vec<&String> = left.iter().filter(|file| file.contains("/_versions/")).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    see(&location);
}

/// What is young by the clock of the store is, whatever the clock of this machine says.
#[test]
fn files_that_are_committed_stay_where_the_clock_of_the_store_is_late() {
    let (store, location) = prepare("late");
    store.set_delay(2 * 3600);
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    store.stall(".manifest");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| table().append::<Event>(|writer| writer.fill(&event(9, 1))));
        store.wait_for_stall();
        let cleaned = clean_up(&location);
        store.release();
        stalled.join().unwrap().unwrap();
        assert!(cleaned.files.is_empty(), "{cleaned:?}");
    });
    assert_eq!(numbers(&table().snapshot().unwrap()).last(), Some(&(9, 1)));
    see(&location);
}

/// All that no version names.
fn clean_up(location: &Location) -> rntuple_dataset::Cleaned {
    let options = CleanupOptions::older_than(Duration::from_secs(3600)).unreferenced_after(Duration::ZERO);
    Table::from_log(Log::new(location.clone())).unwrap().cleanup(&options).unwrap()
}

/// Whatever a clean-up sees of a program that commits: the files stay, or nothing is committed.
#[test]
fn files_that_are_committed_stay_where_others_clean_up() {
    let (store, location) = prepare("committed");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    let newest = table().snapshot().unwrap();
    let data = || files(store.inner()).into_iter().filter(|file| file.contains("/data/")).collect::<Vec<_>>();
    let before = data();
    let append = || table().append::<Event>(|writer| writer.fill(&event(9, 1)));
    let refused = |stalled: Result<Snapshot>| {
        let error = stalled.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert!(error.to_string().contains("was cleaned up before it was committed"), "{error}");
        assert_eq!(table().snapshot().unwrap().version(), newest.version());
    };

    // The file is gone before the program says that it needs it.
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(append);
        store.wait_for_stall();
        let cleaned = clean_up(&location);
        store.release();
        refused(stalled.join().unwrap());
        assert_eq!(cleaned.files.len(), 1);
    });
    assert_eq!(data(), before);
    assert!(files(store.inner()).iter().all(|file| !file.contains("cleanup-")));

    // The file is announced, and not yet gone.
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(append);
        store.wait_for_stall();
        let new = data().into_iter().find(|file| !before.contains(file)).unwrap();
        let new = new.strip_prefix("events.rnds/").unwrap().to_owned();
        let announcement = Path::from("events.rnds/_versions/cleanup-1.txt");
        let put = |text: String| {
            let (store, path) = (store.clone(), announcement.clone());
            let put = async move { store.inner().put(&path, text.into()).await };
            rntuple_object_store::wait(async { put.await.map(drop).map_err(std::io::Error::from) }).unwrap();
        };
        put(format!("data/other.root\n{new}\n"));
        store.release();
        refused(stalled.join().unwrap());
        // That of another file is of no concern.
        put("data/other.root\n".to_owned());
    });
    assert_eq!(append().unwrap().version(), newest.version() + 1);

    // The program has said so.
    clean_up(&location);
    store.stall(".manifest");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(append);
        store.wait_for_stall();
        let cleaned = clean_up(&location);
        store.release();
        assert_eq!(stalled.join().unwrap().unwrap().version(), newest.version() + 2);
        assert!(cleaned.files.iter().all(|file| !file.starts_with("data/")), "{:?}", cleaned.files);
    });

    // Another one has deleted rows of the same fragment meanwhile: both deletions are in a file that neither has named.
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| table().delete::<Event>(|row| row.number == 4));
        store.wait_for_stall();
        table().delete::<Event>(|row| row.number == 5).unwrap();
        store.stall(".manifest");
        store.wait_for_stall();
        clean_up(&location);
        store.release();
        assert_eq!(stalled.join().unwrap().unwrap().version(), newest.version() + 4);
    });
    see(&location);
}

/// What is to be put together with the deletions of another program may be gone by then.
#[test]
fn deletions_that_are_cleaned_up_before_they_are_claimed_are_not_committed() {
    let (store, location) = prepare("deletions");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    let delete = |number| table().delete::<Event>(|row| row.number == number);
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| delete(4));
        store.wait_for_stall();
        let newest = delete(5).unwrap().version();
        // One for each fragment.
        let cleaned = clean_up(&location);
        assert!(
            cleaned.files.iter().filter(|file| file.starts_with("_deletions/")).count() >= 2,
            "{cleaned:?}"
        );
        store.release();
        let error = stalled.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert!(error.to_string().contains("was cleaned up before it was committed"), "{error}");
        assert_eq!(table().snapshot().unwrap().version(), newest);
    });
    see(&location);
}

/// Those that the deletions of both programs begin with go with their version.
#[test]
fn deletions_of_a_version_that_is_cleaned_up_are_not_put_together() {
    let (store, location) = prepare("begun");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    let delete = |number| table().delete::<Event>(|row| row.number == number);
    store.age(7200);
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| delete(4));
        store.wait_for_stall();
        let newest = delete(5).unwrap().version();
        let hour = Duration::from_secs(3600);
        let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(hour);
        let cleaned = table().cleanup(&options).unwrap();
        assert!(cleaned.versions.contains(&(newest - 1)), "{cleaned:?}");
        store.release();
        let error = stalled.join().unwrap().unwrap_err();
        assert!(error.conflict().is_some_and(Conflict::is_retryable), "{error}");
        let reason = "the version that both began with, or the newest one, was cleaned up with its deletions";
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(table().snapshot().unwrap().version(), newest);
    });
    delete(4).unwrap();
    see(&location);
}

/// A writer may bring back files that the newest version does not have any more.
#[test]
fn files_of_an_overwrite_that_are_cleaned_up_are_not_committed() {
    let (_store, location) = prepare("overwritten");
    let table = Table::from_log(Log::new(location.clone())).unwrap();
    table.untag("kept").unwrap();
    let base = table.snapshot().unwrap();
    let newest = table.compact(&CompactOptions::new().deleted(0.0)).unwrap();
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    table.cleanup(&options).unwrap();
    let overwrite = Overwrite {
        fragments: base.fragments().to_vec(),
        schema: base.fields().to_vec(),
        schema_metadata: base.manifest().schema_metadata.clone(),
        ..Overwrite::default()
    };
    let (log, transaction) = (table.log().clone(), Transaction::new(base.version(), overwrite));
    let committed = rntuple_object_store::wait(async move { log.commit(transaction, base.manifest()).await });
    let error = committed.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert!(error.to_string().contains("was cleaned up before it was committed"), "{error}");
    assert_eq!(see(&location).0, newest.version());
}

#[test]
fn storages_that_would_lose_commits_are_refused() {
    for (name, create, reason) in [
        ("overwrites", Create::Overwrites, "does not refuse a second file of the same name"),
        ("lacks", Create::IsMissing, "a file cannot be created where there is none"),
    ] {
        let (store, location) = prepare(name);
        store.set_create(create);
        let text = |error: rntuple_dataset::Error| {
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
            let text = error.to_string();
            assert!(text.starts_with(&format!("memory://{name}")), "{text}");
            assert!(text.contains(reason) && text.contains("with_manifest_store"), "{text}");
        };
        let table = Table::from_log(Log::new(location.clone())).unwrap();
        let data = || files(store.inner()).into_iter().filter(|file| file.ends_with(".root")).count();
        let before = data();
        for (_, operation) in operations().into_iter().take(7) {
            text(operation(&table).unwrap_err());
        }
        // It is said before rows are written.
        assert_eq!(data(), before);
        assert_eq!(table.snapshot().unwrap().version(), 4);
        // Reading continues, and so does what commits nothing.
        assert_eq!(numbers(&table.snapshot().unwrap()).len(), 27);

        let (store, location) = shelf(&format!("{name}-new"));
        store.set_create(create);
        text(Table::create_in::<Event>(Log::new(location), "Events").unwrap_err());
        let left = files(store.inner());
        assert!(left.iter().all(|file| !file.contains("_versions")), "{left:?}");
    }
}

/// A storage that fails is not one that would lose commits.
#[test]
fn a_storage_that_fails_when_it_is_tried_is_not_said_to_be_unsafe() {
    let (store, location) = shelf("fails");
    let create = || Table::create_in::<Event>(Log::new(location.clone()), "Events");
    store.set_down(true);
    let error = create().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(!error.to_string().contains("commits could be lost"), "{error}");
    store.set_down(false);
    assert!(files(store.inner()).is_empty());
    // The first call is the try.
    store.fail(1, Fault::Fails);
    create().unwrap();
    assert!(!store.heal());
    see(&location);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "not a folder").unwrap();
    let url = path.join("events.rnds");
    let error = Table::create::<Event>(url.to_str().unwrap(), "Events").unwrap_err();
    assert!(error.to_string().starts_with(url.to_str().unwrap()), "{error}");
}

fn files(store: &object_store::memory::InMemory) -> BTreeSet<String> {
    let list = store.list(None);
    let listed = rntuple_object_store::wait(async move {
        list.try_collect::<Vec<_>>().await.map_err(std::io::Error::from)
    });
    listed.unwrap().into_iter().map(|file| file.location.to_string()).collect()
}

/// All that a program may ask of a data set. It may fail, and must not panic.
fn use_it(location: &Location) -> std::result::Result<usize, rntuple_dataset::Error> {
    let table = Table::from_log(Log::new(location.clone()))?;
    let report = table.check(true)?;
    let snapshot = table.snapshot()?;
    let _ = snapshot.take::<Event>(&[0, 7, 28]);
    let rows = snapshot.reader::<Event>()?.entries().filter(std::result::Result::is_ok).count();
    let _ = table.versions()?;
    Ok(rows + report.findings.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn flipped_bytes_of_small_files_are_found_or_read(
        file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), bit in 0..8u8, cut: bool,
    ) {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (store, location) = prepare(&format!("flip-{number}"));
        let files: Vec<String> =
            files(store.inner()).into_iter().filter(|name| !name.contains("/data/")).collect();
        let name = Path::from(file.get(&files).as_str());
        let damaged = name.clone();
        rntuple_object_store::wait(async move {
            let mut bytes = store.inner().get(&damaged).await?.bytes().await?.to_vec();
            let place = at.index(bytes.len());
            match cut {
                true => bytes.truncate(place),
                false => bytes[place] ^= 1 << bit,
            }
            store.inner().put(&damaged, bytes.into()).await.map_err(std::io::Error::from)
        })
        .unwrap();
        let _ = use_it(&location);
        let table = Table::from_log(Log::new(location.clone()));
        // Deletion files and transactions of old versions do not keep anyone from writing.
        if let Ok(table) = table {
            for (_, operation) in operations() {
                let _ = operation(&table);
            }
        }
    }
}

/// The newest manifest, changed.
fn hostile(name: &str, change: impl FnOnce(&mut Manifest)) -> Location {
    let (store, location) = prepare(name);
    let path = Path::from(format!("events.rnds/_versions/{:020}.manifest", u64::MAX - 4).as_str());
    let table = Table::from_log(Log::new(location.clone())).unwrap();
    let mut manifest = table.snapshot().unwrap().manifest().clone();
    change(&mut manifest);
    let bytes = ManifestFile::from(manifest).to_bytes().unwrap();
    rntuple_object_store::wait(async move {
        store.inner().put(&path, bytes.into()).await.map_err(std::io::Error::from)
    })
    .unwrap();
    location
}

#[test]
fn absurd_manifests_are_refused() {
    type Change<'a> = Box<dyn FnOnce(&mut Manifest) + 'a>;
    let ids = |ids: std::ops::Range<u64>| Some(RowIds::Inline(RowIdSequence::from(ids).to_bytes()));
    let many = |rows: u64| DataFragment {
        id: 1000,
        files: vec![DataFile { path: "none.root".to_owned(), ..DataFile::default() }],
        physical_rows: rows,
        row_id_sequence: ids(1 << 40..(1 << 40) + rows),
        ..DataFragment::default()
    };
    let cases: [(&str, Change<'_>, &str); 10] = [
        (
            "rows",
            Box::new(move |it| {
                it.fragments.push(many(u64::MAX - (2 << 40)));
                it.fragments.push(DataFragment { id: 1001, ..many(u64::MAX - (2 << 40)) });
            }),
            "over 2^64 rows",
        ),
        ("file", Box::new(move |it| it.fragments.push(many(1 << 40))), "none.root"),
        ("count", Box::new(|it| it.fragments[1].physical_rows = 1 << 50), "row ids for"),
        (
            "deletions",
            Box::new(|it| it.fragments[1].deletion_file.as_mut().unwrap().num_deleted_rows = 1 << 60),
            "rows are deleted",
        ),
        (
            "deletion file",
            Box::new(|it| {
                it.fragments[2].deletion_file = Some(DeletionFile { id: 1 << 40, ..DeletionFile::default() });
            }),
            "_deletions/2-0-1099511627776.arrow",
        ),
        ("ids", Box::new(move |it| it.fragments[1].row_id_sequence = ids(25..45)), "is in fragment"),
        ("no ids", Box::new(|it| it.fragments[1].row_id_sequence = None), "it has no row ids"),
        ("no files", Box::new(|it| it.fragments[1].files.clear()), "no data file"),
        ("columns", Box::new(|it| it.fragments[1].files[0].column_indices[0] = i32::MAX), "2147483647"),
        ("parents", Box::new(|it| it.fields[0].parent_id = 77), "comes before its parent 77"),
    ];
    for (name, change, reason) in cases {
        let location = hostile(&format!("hostile-{}", name.replace(' ', "-")), change);
        let table = Table::from_log(Log::new(location.clone())).unwrap();
        let report = table.check(true).unwrap();
        let text = report.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(text.contains(reason), "{name}: {text}");
        assert!(report.findings.iter().all(|finding| finding.version == Some(4)), "{name}: {text}");
        let _ = use_it(&location);
        for (_, operation) in operations() {
            let _ = operation(&table);
        }
    }
}
