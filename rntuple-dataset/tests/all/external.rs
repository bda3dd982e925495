//! Versions that are committed through a store of manifests.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rntuple_dataset::{Location, Log, ManifestStore, Table};

use crate::sample::{Event, append, event};

/// A store in memory, whose `put` fails at first: as if the writer had died after the second step.
#[derive(Debug, Default)]
struct Shelf {
    manifests: Mutex<BTreeMap<(String, u64), String>>,
    failing: AtomicUsize,
}

impl ManifestStore for Shelf {
    fn latest(&self, dataset: &str) -> io::Result<Option<(u64, String)>> {
        let manifests = self.manifests.lock().unwrap();
        let mut versions = manifests.iter().filter(|((name, _), _)| name == dataset);
        Ok(versions.next_back().map(|((_, version), path)| (*version, path.clone())))
    }

    fn put_new(&self, dataset: &str, version: u64, path: &str) -> io::Result<bool> {
        let mut manifests = self.manifests.lock().unwrap();
        let key = (dataset.to_owned(), version);
        let is_new = !manifests.contains_key(&key);
        if is_new {
            manifests.insert(key, path.to_owned());
        }
        Ok(is_new)
    }

    fn put(&self, dataset: &str, version: u64, path: &str) -> io::Result<()> {
        let wanted = |left: usize| left.checked_sub(1);
        if self.failing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, wanted).is_ok() {
            return Err(io::Error::other("the writer has died"));
        }
        self.manifests.lock().unwrap().insert((dataset.to_owned(), version), path.to_owned());
        Ok(())
    }
}

fn names(path: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(path.join("_versions"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_reader_makes_up_for_a_writer_that_died() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let shelf = Arc::new(Shelf::default());
    let log = || Log::new(Location::new(path.to_str().unwrap()).unwrap()).with_manifest_store(shelf.clone());
    let table = Table::create_in::<Event>(log(), "Events").unwrap();
    append(&table, 1, 0..5);
    assert_eq!(names(&path).len(), 2);

    // The version is committed, and its manifest is where only the store knows it.
    shelf.failing.store(1, Ordering::SeqCst);
    let committed = append(&table, 2, 0..5);
    assert_eq!(committed.version(), 3);
    assert!(shelf.latest(table.location().root()).unwrap().unwrap().1.contains(".manifest-"));

    let read = Table::from_log(log()).unwrap().snapshot().unwrap();
    assert_eq!((read.version(), read.len()), (3, 10));
    assert!(shelf.latest(table.location().root()).unwrap().unwrap().1.ends_with(".manifest"));
    assert_eq!(names(&path).len(), 3, "{:?}", names(&path));
    assert!(names(&path).iter().all(|name| name.ends_with(".manifest")));

    // Two writers of the same version: one wins, the other takes the next number.
    let (first, second) = (Table::from_log(log()).unwrap(), Table::from_log(log()).unwrap());
    std::thread::scope(|scope| {
        let threads =
            [&first, &second].map(|table| scope.spawn(|| (0..10).for_each(|i| drop(append(table, i, 0..1)))));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let all = table.snapshot().unwrap();
    assert_eq!((all.version(), all.len()), (23, 30));
    assert!(table.check(true).unwrap().is_sound());
    // Whoever knows nothing of the store reads the folder.
    let plain = Table::open(path.to_str().unwrap()).unwrap().snapshot().unwrap();
    assert_eq!(plain.reader::<Event>().unwrap().get(9).unwrap(), event(2, 4));
}
