//! Data files that have several names, or odd ones.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rntuple::{WriteOptions, Writer};
use rntuple_dataset::format::transaction::Append;
use rntuple_dataset::format::{DataFragment, Transaction};
use rntuple_dataset::transactions::Conflict;
use rntuple_dataset::{Adopt, Cleaned, CleanupOptions, ErrorKind, Log, Snapshot, Source, Table};

use crate::sample::{Event, append, create, event};
use crate::store::shelf;

/// Writes a file of rows, without statistics.
fn write(path: &str, run: u32) {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    (0..9).try_for_each(|number| writer.fill(&event(run, number))).unwrap();
    writer.finish().unwrap();
}

fn adopt(table: &Table, path: &str) -> Snapshot {
    table.append_files(&[Source::new(path, Adopt::InPlace)]).unwrap()
}

/// The name of the last file.
fn last(snapshot: &Snapshot) -> String {
    snapshot.fragments().last().unwrap().files[0].path.clone()
}

fn clean_up(table: &Table) -> Cleaned {
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    let wanted = table.cleanup(&options.clone().dry_run(true)).unwrap();
    let cleaned = table.cleanup(&options).unwrap();
    let data = |cleaned: &Cleaned| {
        cleaned.files.iter().filter(|file| file.starts_with("data/")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(data(&cleaned), data(&wanted));
    assert!(table.check(true).unwrap().is_sound(), "{cleaned:?}: {:?}", table.check(true).unwrap().findings);
    cleaned
}

#[test]
fn data_files_that_are_adopted_by_another_url_are_not_cleaned_up() {
    let (store, location) = shelf("named");
    let table = || Table::from_log(Log::new(location.clone())).unwrap();
    Table::create_in::<Event>(Log::new(location.clone()), "Events").unwrap();
    for name in ["a", "b", "c"] {
        write(&format!("memory://named/events.rnds/data/{name}.root"), 1);
    }
    // It is known to be one of its own.
    assert_eq!(last(&adopt(&table(), "memory://named//events.rnds//data/a.root")), "a.root");
    // This one may be elsewhere.
    let alias = "memory://alias-of-named/events.rnds/data/b.root";
    assert_eq!(last(&adopt(&table(), alias)), alias);
    let cleaned = clean_up(&table());
    assert!(cleaned.files.iter().any(|file| file == "data/c.root"), "{cleaned:?}");
    assert!(
        cleaned.files.iter().all(|file| !["data/a.root", "data/b.root"].contains(&&**file)),
        "{cleaned:?}"
    );

    // A program is about to commit it.
    write("memory://named/events.rnds/data/c.root", 2);
    let adopt_alias = || {
        let source = Source::new("memory://alias-of-named//events.rnds/data/c.root", Adopt::InPlace);
        table().append_files(&[source])
    };
    store.stall(".manifest");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(adopt_alias);
        store.wait_for_stall();
        let cleaned = clean_up(&table());
        store.release();
        assert!(!cleaned.files.contains(&"data/c.root".to_owned()), "{cleaned:?}");
        assert_eq!(stalled.join().unwrap().unwrap().fragments().len(), 4);
    });
    clean_up(&table());

    // A clean-up has announced that it removes it, before the program says that it needs it.
    write("memory://named/events.rnds/data/d.root", 2);
    store.stall(".txn");
    std::thread::scope(|threads| {
        let stalled = threads.spawn(|| {
            table().append_files(&[Source::new(
                "memory://alias-of-named/events.rnds/data/d.root",
                Adopt::InPlace,
            )])
        });
        store.wait_for_stall();
        let path = object_store::path::Path::from("events.rnds/_versions/cleanup-1.txt");
        let inner = store.clone();
        rntuple_object_store::wait(async move {
            let put = object_store::ObjectStoreExt::put(inner.inner(), &path, "data/d.root\n".into()).await;
            put.map(drop).map_err(std::io::Error::from)
        })
        .unwrap();
        store.release();
        let error = stalled.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    });

    // A clean-up has removed it, and is over.
    write("memory://named/events.rnds/data/e.root", 2);
    let newest = table().snapshot().unwrap().version();
    store.stall(".txn");
    std::thread::scope(|threads| {
        let url = "memory://alias-of-named/events.rnds/data/e.root?signature=secret";
        let source = Source::new(url, Adopt::InPlace);
        let stalled = threads.spawn(|| table().append_files(&[source]));
        store.wait_for_stall();
        let cleaned = clean_up(&table());
        store.release();
        assert!(cleaned.files.contains(&"data/e.root".to_owned()), "{cleaned:?}");
        let error = stalled.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        let text = error.to_string();
        assert!(text.contains("memory://alias-of-named/events.rnds/data/e.root was cleaned up"), "{text}");
    });
    assert_eq!(table().snapshot().unwrap().version(), newest);
}

/// A URL may give access to whoever has it.
#[test]
fn errors_name_files_without_secrets() {
    let (_store, location) = shelf("signed");
    let table = Table::create_in::<Event>(Log::new(location), "Events").unwrap();
    let (url, shown) = ("memory://signed/a.root?signature=secret", "memory://signed/a.root");
    write(shown, 1);
    let base = table.snapshot().unwrap();
    let adopted = adopt(&table, url);
    // By a program that looked before.
    let file = adopted.fragments().last().unwrap().files[0].clone();
    let fragment = DataFragment { files: vec![file], physical_rows: 9, ..DataFragment::default() };
    let append = Transaction::new(base.version(), Append { fragments: vec![fragment] });
    let log = table.log().clone();
    let committed = rntuple_object_store::wait(async move { log.commit(append, base.manifest()).await });
    let twice = table.append_files(&[Source::new(url, Adopt::InPlace)]);
    for error in [committed.unwrap_err(), twice.unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains(shown) && !text.contains("secret"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn what_links_lead_to_is_not_cleaned_up() {
    use std::os::unix::fs::symlink;

    let (directory, table) = create();
    let campaign = directory.path().join("campaign");
    std::fs::create_dir(&campaign).unwrap();
    let path = |folder: &Path, name: &str| folder.join(name).to_str().unwrap().to_owned();
    for name in ["1.root", "2.root"] {
        write(&path(&campaign, name), 1);
    }
    let data = Path::new(table.location().root()).join("data");
    symlink(&campaign, data.join("campaign")).unwrap();
    symlink(campaign.join("2.root"), data.join("link.root")).unwrap();
    write(&path(&data, "3.root"), 1);
    let file = path(&campaign, "1.root");
    assert_eq!(last(&adopt(&table, &file)), file);
    let cleaned = clean_up(&table);
    assert!(cleaned.files.contains(&"data/3.root".to_owned()), "{cleaned:?}");
    assert!(
        cleaned.files.iter().all(|file| !file.contains("campaign") && !file.contains("link")),
        "{cleaned:?}"
    );
    assert!(campaign.join("1.root").exists() && campaign.join("2.root").exists());
    assert!(data.join("link.root").exists());
}

const ODD: [&str; 6] =
    ["Müon[1].root", "50%.root", "a%20b.root", "a~#b.root", "{x}/^y`.root", "c d/Δ|*.root"];

#[test]
fn data_files_may_have_odd_names() {
    let (_directory, table) = create();
    let data = Path::new(table.location().root()).join("data");
    let write_odd = |prefix: &str| {
        for name in ODD {
            let path = data.join(prefix).join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(path.to_str().unwrap(), 1);
        }
    };
    write_odd("");
    for name in ODD {
        assert_eq!(last(&adopt(&table, data.join(name).to_str().unwrap())), name);
    }
    assert_eq!(table.add_statistics().unwrap(), ODD.len() + 1);
    assert_eq!(table.add_statistics().unwrap(), 0);
    table.set_sort_order(&["number"]).unwrap();
    append(&table, 2, 0..9);
    clean_up(&table);
    let snapshot = table.snapshot().unwrap();
    assert_eq!(snapshot.reader::<Event>().unwrap().entries().count(), 9 * (ODD.len() + 1));

    // What is removed is gone.
    write_odd("stray");
    let cleaned = clean_up(&table);
    for name in ODD {
        assert!(cleaned.files.contains(&format!("data/stray/{name}")), "{cleaned:?}");
        assert!(!data.join("stray").join(name).exists(), "{name}");
    }
}

/// `run#1` would be a file that is half written.
#[test]
fn a_data_file_whose_name_ends_with_a_number_is_not_cleaned_up() {
    let (_directory, table) = create();
    let path = Path::new(table.location().root()).join("data/run#2#1");
    write(path.to_str().unwrap(), 1);
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
    assert_eq!(last(&adopt(&table, path.to_str().unwrap())), "run#2#1");
    clean_up(&table);
    assert!(path.exists());
}

/// Their statistics are in a folder of the same name.
#[test]
fn data_files_in_folders_have_statistics_and_an_order() {
    let (_directory, table) = create();
    let root = Path::new(table.location().root());
    std::fs::create_dir_all(root.join("data/2026/a")).unwrap();
    for name in ["2026/1.root", "2026/a/2.root"] {
        write(root.join("data").join(name).to_str().unwrap(), 1);
    }
    adopt(&table, root.join("data/2026/1.root").to_str().unwrap());
    table.add_statistics().unwrap();
    assert!(root.join("_stats/2026/1.root").exists());
    table.set_sort_order(&["number"]).unwrap();
    adopt(&table, root.join("data/2026/a/2.root").to_str().unwrap());
    assert!(root.join("_stats/2026/a/2.root").exists());
    clean_up(&table);
    assert!((1..3).all(|position| table.snapshot().unwrap().is_fragment_sorted(position).unwrap()));
}

#[cfg(unix)]
#[test]
fn file_urls_are_the_paths_of_files() {
    let (directory, table) = create();
    let folder = directory.path().to_str().unwrap();
    for (name, url) in [("a b", "file:///"), ("c d", "file:/"), ("e f", "file://localhost/")] {
        let path = format!("{folder}/{name}.root");
        write(&path, 1);
        let url = format!("{url}{}", path.trim_start_matches('/').replace(' ', "%20"));
        assert_eq!(last(&adopt(&table, &url)), path, "{url}");
    }
    assert_eq!(table.snapshot().unwrap().reader::<Event>().unwrap().entries().count(), 3 * 9);
    let url = format!("file:{folder}/events.rnds");
    assert_eq!(Table::open(&url).unwrap().location().root(), table.location().root());
}

#[test]
fn a_file_is_appended_once() {
    let (directory, table) = create();
    let data = Path::new(table.location().root()).join("data");
    let elsewhere = directory.path().join("elsewhere.root");
    for path in [data.join("own.root"), elsewhere.clone()] {
        write(path.to_str().unwrap(), 1);
        let source = |adopt| Source::new(path.to_str().unwrap(), adopt);
        let twice = table.append_files(&[source(Adopt::InPlace), source(Adopt::InPlace)]);
        adopt(&table, path.to_str().unwrap());
        for error in [twice.unwrap_err(), table.append_files(&[source(Adopt::InPlace)]).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            let text = error.to_string();
            assert!(text.contains(path.to_str().unwrap()) && text.contains("already"), "{text}");
        }
        // Copies are other files.
        table.append_files(&[source(Adopt::Copy), source(Adopt::Copy)]).unwrap();
    }
    assert_eq!(table.snapshot().unwrap().reader::<Event>().unwrap().entries().count(), 6 * 9);
    // An own file may come back once its rows are deleted.
    table.delete::<Event>(|_| true).unwrap();
    adopt(&table, elsewhere.to_str().unwrap());
}

#[test]
fn a_file_is_appended_once_by_whatever_path() {
    let (directory, table) = create();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let source = |path: &str| Source::new(path, Adopt::InPlace);
    std::fs::create_dir(path("x")).unwrap();
    let file = path("run1.root");
    write(&file, 1);
    let mut others = vec![path("x/../run1.root")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&file, path("link.root")).unwrap();
        others.extend([path("link.root"), format!("file://{file}")]);
    }
    for other in &others {
        let both = [source(&file), source(other)];
        let error = Source::check_distinct(&both).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        let error = table.append_files(&both).unwrap_err();
        assert!(error.to_string().contains("has the rows of this file already"), "{other}: {error}");
    }
    let base = table.snapshot().unwrap();
    let adopted = adopt(&table, &file);
    for other in &others {
        let error = table.append_files(&[source(other)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("has the rows of this file already"), "{other}: {error}");
        // By a program that looked before.
        let mut file = adopted.fragments().last().unwrap().files[0].clone();
        file.path.clone_from(other);
        let fragment = DataFragment { files: vec![file], physical_rows: 9, ..DataFragment::default() };
        let append = Transaction::new(base.version(), Append { fragments: vec![fragment] });
        let (log, manifest) = (table.log().clone(), base.manifest().clone());
        let committed = rntuple_object_store::wait(async move { log.commit(append, &manifest).await });
        let error = committed.unwrap_err();
        assert!(error.conflict().is_some_and(Conflict::is_retryable), "{other}: {error}");
    }
    // A copy is another file, of the same size.
    std::fs::copy(&file, path("copy.root")).unwrap();
    assert_eq!(adopt(&table, &path("copy.root")).len(), 2 * 9);
}
