//! Versions that are committed through a store of manifests.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::{CleanupOptions, ErrorKind, Location, Log, ManifestStore, Snapshot, Table};

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

    fn get(&self, dataset: &str, version: u64) -> io::Result<Option<String>> {
        Ok(self.manifests.lock().unwrap().get(&(dataset.to_owned(), version)).cloned())
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

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path.join("_versions"))
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

/// What goes wrong with the request that commits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The store has carried it out, and the program dies before it knows.
    Dies,
    /// The store has carried it out, and the answer is lost.
    IsLost,
    /// The store has carried it out, the answer is lost, and the client asks again.
    Repeats,
    /// Until then, the store says that it has no versions.
    IsLate,
}

/// A store as one program sees it.
#[derive(Debug)]
struct Client {
    store: Arc<dyn ManifestStore>,
    fault: Fault,
    is_dead: AtomicBool,
    has_asked: AtomicBool,
}

impl Client {
    fn new(store: Arc<dyn ManifestStore>, fault: Fault) -> Self {
        Self { store, fault, is_dead: AtomicBool::new(false), has_asked: AtomicBool::new(false) }
    }

    fn alive(&self) -> io::Result<&dyn ManifestStore> {
        match self.is_dead.load(Ordering::SeqCst) {
            true => Err(io::Error::other("the writer has died")),
            false => Ok(&*self.store),
        }
    }
}

impl ManifestStore for Client {
    fn latest(&self, dataset: &str) -> io::Result<Option<(u64, String)>> {
        match self.fault == Fault::IsLate && !self.has_asked.load(Ordering::SeqCst) {
            true => Ok(None),
            false => self.alive()?.latest(dataset),
        }
    }

    fn get(&self, dataset: &str, version: u64) -> io::Result<Option<String>> {
        self.alive()?.get(dataset, version)
    }

    fn put_new(&self, dataset: &str, version: u64, path: &str) -> io::Result<bool> {
        self.has_asked.store(true, Ordering::SeqCst);
        let is_new = self.alive()?.put_new(dataset, version, path)?;
        match self.fault {
            Fault::Dies => {
                self.is_dead.store(true, Ordering::SeqCst);
                Err(io::Error::other("the writer has died"))
            }
            Fault::IsLost if is_new => Err(io::Error::other("there is no answer")),
            Fault::IsLost | Fault::IsLate => Ok(is_new),
            Fault::Repeats => self.store.put_new(dataset, version, path),
        }
    }

    fn put(&self, dataset: &str, version: u64, path: &str) -> io::Result<()> {
        self.alive()?.put(dataset, version, path)
    }
}

/// Runs a test with each store. The test gets a folder, and opens the store as each program does.
fn with_each_store(test: impl Fn(&Path, &dyn Fn() -> Arc<dyn ManifestStore>)) {
    let directory = tempfile::tempdir().unwrap();
    let shelf = Arc::new(Shelf::default());
    test(&directory.path().join("memory.rnds"), &|| shelf.clone());
    #[cfg(feature = "redb")]
    {
        let file = directory.path().join("manifests.redb");
        let open = || -> Arc<dyn ManifestStore> {
            Arc::new(rntuple_dataset::RedbManifestStore::open(&file).unwrap())
        };
        test(&directory.path().join("redb.rnds"), &open);
    }
}

fn log(path: &Path, store: Arc<dyn ManifestStore>) -> Log {
    Log::new(Location::new(path.to_str().unwrap()).unwrap()).with_manifest_store(store)
}

/// Makes a data set of three versions. The writer of the third one has died between the second step and the third: only the
/// store knows of it. Returns the path of its manifest.
fn die(path: &Path, open: &dyn Fn() -> Arc<dyn ManifestStore>) -> std::path::PathBuf {
    let table = Table::create_in::<Event>(log(path, open()), "Events").unwrap();
    append(&table, 1, 0..5);
    drop(table);
    let writer = Table::from_log(log(path, Arc::new(Client::new(open(), Fault::Dies)))).unwrap();
    let error = writer.append::<Event>(|writer| writer.fill(&event(2, 0))).unwrap_err();
    assert!(error.to_string().contains("the writer has died"), "{error}");
    drop(writer);
    let location = Location::new(path.to_str().unwrap()).unwrap();
    let (version, staged) = open().latest(location.root()).unwrap().unwrap();
    assert_eq!(version, 3);
    assert!(staged.starts_with(&format!("{}-", NamingScheme::V2.manifest(3))), "{staged}");
    assert!(path.join(&staged).exists());
    assert!(!path.join(NamingScheme::V2.manifest(3)).exists());
    // Whoever knows nothing of the store is one version behind.
    assert_eq!(Table::open(path.to_str().unwrap()).unwrap().snapshot().unwrap().version(), 2);
    path.join(staged)
}

/// All versions up to `version` are where programs without the store look for them, and nothing else is there.
fn assert_in_step(path: &Path, store: &dyn ManifestStore, version: u64) {
    let root = Location::new(path.to_str().unwrap()).unwrap().root().to_owned();
    let mut wanted = Vec::new();
    for version in 1..=version {
        let manifest = NamingScheme::V2.manifest(version);
        assert_eq!(store.get(&root, version).unwrap().as_ref(), Some(&manifest));
        wanted.extend(manifest.strip_prefix("_versions/").map(str::to_owned));
    }
    assert_eq!(store.get(&root, version + 1).unwrap(), None);
    wanted.sort_unstable();
    assert_eq!(names(path), wanted);
}

fn runs(snapshot: &Snapshot) -> Vec<u32> {
    snapshot.reader::<Event>().unwrap().entries().map(|row| row.unwrap().run).collect()
}

#[test]
fn a_reader_finds_a_version_that_was_not_copied() {
    with_each_store(|path, open| {
        die(path, open);
        let store = open();
        let snapshot = Table::from_log(log(path, store.clone())).unwrap().snapshot().unwrap();
        assert_eq!((snapshot.version(), runs(&snapshot)), (3, vec![1, 1, 1, 1, 1, 2]));
        assert_in_step(path, &*store, 3);
        let plain = Table::open(path.to_str().unwrap()).unwrap().snapshot().unwrap();
        assert_eq!(runs(&plain), runs(&snapshot));
    });
}

#[test]
fn a_reader_finds_a_version_that_was_not_copied_by_its_number() {
    with_each_store(|path, open| {
        die(path, open);
        let store = open();
        // Which version is the newest is not asked.
        let log = log(path, store.clone());
        let file = rntuple_object_store::wait(async move { log.load(3).await }).unwrap();
        assert_eq!((file.manifest.version, file.manifest.rows()), (3, 6));
        assert_in_step(path, &*store, 3);
    });
}

#[test]
fn a_writer_commits_after_a_version_that_was_not_copied() {
    with_each_store(|path, open| {
        die(path, open);
        let store = open();
        let table = Table::from_log(log(path, store.clone())).unwrap();
        let snapshot = append(&table, 3, 0..2);
        assert_eq!((snapshot.version(), runs(&snapshot)), (4, vec![1, 1, 1, 1, 1, 2, 3, 3]));
        assert_in_step(path, &*store, 4);
        assert!(table.check(true).unwrap().is_sound());
    });
}

/// A writer that has looked before the version existed meets it when it commits.
#[test]
fn a_writer_that_loses_against_one_that_died_commits_the_next_version() {
    with_each_store(|path, open| {
        die(path, open);
        let store = open();
        let client = Arc::new(Client::new(store.clone(), Fault::IsLate));
        let table = Table::from_log(log(path, client)).unwrap();
        assert_eq!(table.snapshot().unwrap().version(), 2);
        let snapshot = append(&table, 3, 0..2);
        assert_eq!((snapshot.version(), runs(&snapshot)), (4, vec![1, 1, 1, 1, 1, 2, 3, 3]));
        assert_in_step(path, &*store, 4);
    });
}

#[test]
fn a_version_whose_manifest_is_lost_is_an_error() {
    with_each_store(|path, open| {
        let staged = die(path, open);
        fs::remove_file(staged).unwrap();
        let table = Table::from_log(log(path, open()));
        assert_eq!(table.unwrap_err().kind(), ErrorKind::NotFound);
        // Nothing is committed in its place.
        let names = names(path);
        assert_eq!(names.len(), 2, "{names:?}");
    });
}

#[test]
fn a_commit_whose_answer_is_lost_is_a_commit() {
    for fault in [Fault::IsLost, Fault::Repeats] {
        with_each_store(|path, open| {
            let store = open();
            let client = Arc::new(Client::new(store.clone(), fault));
            let table = Table::create_in::<Event>(log(path, client), "Events").unwrap();
            let snapshot = append(&table, 1, 0..5);
            assert_eq!((snapshot.version(), snapshot.len()), (2, 5), "{fault:?}");
            assert_in_step(path, &*store, 2);
        });
    }
}

/// A store that has something done right before a version is committed.
struct Before<F> {
    store: Arc<dyn ManifestStore>,
    job: Mutex<Option<F>>,
}

impl<F> fmt::Debug for Before<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Before")
    }
}

impl<F: FnOnce() + Send> ManifestStore for Before<F> {
    fn latest(&self, dataset: &str) -> io::Result<Option<(u64, String)>> {
        self.store.latest(dataset)
    }

    fn get(&self, dataset: &str, version: u64) -> io::Result<Option<String>> {
        self.store.get(dataset, version)
    }

    fn put_new(&self, dataset: &str, version: u64, path: &str) -> io::Result<bool> {
        if let Some(job) = self.job.lock().unwrap().take() {
            job();
        }
        self.store.put_new(dataset, version, path)
    }

    fn put(&self, dataset: &str, version: u64, path: &str) -> io::Result<()> {
        self.store.put(dataset, version, path)
    }
}

/// Appends a row of run 2 to a data set of run 1, and does something right before that is committed.
fn append_after(
    path: &Path,
    store: &Arc<dyn ManifestStore>,
    job: impl FnOnce() + Send + 'static,
) -> rntuple_dataset::Result<Snapshot> {
    let table = Table::create_in::<Event>(log(path, store.clone()), "Events").unwrap();
    append(&table, 1, 0..3);
    let before = Before { store: store.clone(), job: Mutex::new(Some(job)) };
    let table = Table::from_log(log(path, Arc::new(before))).unwrap();
    table.append::<Event>(|writer| writer.fill(&event(2, 0)))
}

/// The staged manifest is needed as soon as the store names it.
#[test]
fn a_clean_up_leaves_what_is_about_to_be_committed() {
    with_each_store(|path, open| {
        let store = open();
        let (of_cleanup, folder) = (store.clone(), path.to_owned());
        let clean_up = move || {
            let options =
                CleanupOptions::older_than(Duration::from_secs(3600)).unreferenced_after(Duration::ZERO);
            let cleaned = Table::from_log(log(&folder, of_cleanup)).unwrap().cleanup(&options).unwrap();
            assert!(cleaned.files.is_empty(), "{:?}", cleaned.files);
        };
        assert_eq!(append_after(path, &store, clean_up).unwrap().version(), 3);
        let table = Table::from_log(log(path, store.clone())).unwrap();
        assert_eq!(runs(&table.snapshot().unwrap()), [1, 1, 1, 2]);
        assert_in_step(path, &*store, 3);
        assert!(table.check(true).unwrap().is_sound());
    });
}

/// A writer that was stalled for long has the manifest itself.
#[test]
fn a_writer_whose_staged_manifest_is_gone_puts_it_again() {
    with_each_store(|path, open| {
        let (store, folder) = (open(), path.join("_versions"));
        let remove = move || {
            let staged = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let staged: Vec<_> =
                staged.filter(|path| path.to_str().unwrap().contains(".manifest-")).collect();
            assert_eq!(staged.len(), 1);
            fs::remove_file(&staged[0]).unwrap();
        };
        assert_eq!(append_after(path, &store, remove).unwrap().version(), 3);
        let snapshot = Table::from_log(log(path, store.clone())).unwrap().snapshot().unwrap();
        assert_eq!(runs(&snapshot), [1, 1, 1, 2]);
        assert_in_step(path, &*store, 3);
    });
}

/// What programs leave in the folder of manifests when they die goes once it is old.
#[test]
fn files_of_commits_are_cleaned_up_after_an_hour() {
    let (_directory, table) = crate::sample::create();
    let folder = Path::new(table.location().root()).join("_versions");
    // The second one is what the store writes to a file system before the file has its name.
    let names = [".probe-1", "18446744073709551612.manifest#1", "18446744073709551612.manifest-1"];
    let clean_up = || {
        let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
        table.cleanup(&options).unwrap().files
    };
    names.iter().for_each(|name| fs::write(folder.join(name), "").unwrap());
    assert!(clean_up().is_empty());
    for name in names {
        let file = File::options().append(true).open(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3601)).unwrap();
    }
    assert_eq!(clean_up(), names.map(|name| format!("_versions/{name}")));
}

/// A program that does not use the store, and one that does, commit the same version.
#[test]
fn a_version_that_was_committed_without_the_store_stays() {
    with_each_store(|path, open| {
        let (store, folder) = (open(), path.to_owned());
        let plain = move || {
            let table = Table::open(folder.to_str().unwrap()).unwrap();
            assert_eq!(append(&table, 3, 0..2).version(), 3);
        };
        let snapshot = append_after(path, &store, plain).unwrap();
        assert_eq!((snapshot.version(), runs(&snapshot)), (4, vec![1, 1, 1, 3, 3, 2]));
        assert_in_step(path, &*store, 4);
        let table = Table::from_log(log(path, store)).unwrap();
        assert_eq!(runs(&table.at(3).unwrap()), [1, 1, 1, 3, 3]);
        assert!(table.check(true).unwrap().is_sound());
    });
}

#[test]
fn two_manifests_of_a_version_are_a_conflict() {
    with_each_store(|path, open| {
        die(path, open);
        let plain = Table::open(path.to_str().unwrap()).unwrap();
        assert_eq!(append(&plain, 3, 0..2).version(), 3);
        for _ in 0..2 {
            let error = Table::from_log(log(path, open())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            assert!(error.to_string().contains("must use the same store"), "{error}");
        }
        assert_eq!(runs(&plain.at(3).unwrap()), [1, 1, 1, 1, 1, 3, 3]);
    });
}

/// The program that copied the manifest died before all of it was there.
#[test]
fn a_part_of_a_manifest_is_written_again() {
    with_each_store(|path, open| {
        let staged = fs::read(die(path, open)).unwrap();
        fs::write(path.join(NamingScheme::V2.manifest(3)), &staged[..staged.len() / 2]).unwrap();
        let store = open();
        let snapshot = Table::from_log(log(path, store.clone())).unwrap().snapshot().unwrap();
        assert_eq!((snapshot.version(), runs(&snapshot)), (3, vec![1, 1, 1, 1, 1, 2]));
        assert_in_step(path, &*store, 3);
    });
}
