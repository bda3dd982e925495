//! Programs that race on one folder, some of which are killed.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rntuple_dataset::format::names::{self, NamingScheme};
use rntuple_dataset::{CleanupOptions, Table};

use super::worker::{Journal, Random, Worker};
use super::{Row, history};

/// Folder, seed, worker and life of a program, if the test is run as one.
const VARIABLE: &str = "RNTUPLE_DATASET_RACE";
/// Names a seed, to have the same jobs again.
const SEED: &str = "RNTUPLE_DATASET_SEED";
const TEST: &str = "race::processes::programs_race_and_die";

const WORKERS: u32 = 8;
const TIME: Duration = Duration::from_secs(12);
/// How long they race at most, where a busy machine does little in that time.
const LONGEST: Duration = Duration::from_secs(120);

/// Versions that are too few for a race,
const FEW: usize = 50;
/// and what has to be among them.
const OPERATIONS: [&str; 7] = ["Append", "Delete", "Update", "Merge", "Rewrite", "Restore", "CreateIndex"];

/// One life of a program.
fn work(job: &str) {
    let [folder, seed, worker, life] = job.split('|').collect::<Vec<_>>().try_into().unwrap();
    let (seed, worker, life): (u64, u32, u64) =
        (seed.parse().unwrap(), worker.parse().unwrap(), life.parse().unwrap());
    let folder = Path::new(folder);
    let journal = File::create_new(folder.join(format!("{worker}-{life}.journal"))).unwrap();
    let mut worker = Worker {
        table: Table::open(folder.join("events.rnds").to_str().unwrap()).unwrap(),
        number: worker,
        random: Random::new(seed ^ (u64::from(worker) << 32) ^ (life << 48)),
        journal: Journal::in_file(journal),
        next: life << 20,
    };
    let end = folder.join("end");
    worker.run(|| end.exists());
}

fn start(folder: &Path, seed: u64, worker: u32, life: u64) -> Child {
    let log = File::create(folder.join(format!("{worker}-{life}.log"))).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env(VARIABLE, format!("{}|{seed}|{worker}|{life}", folder.display()))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Whether the programs have done enough after the version that they began with.
fn has_raced(table: &Table) -> bool {
    let versions = table.versions().unwrap().into_iter().skip(1);
    let operations: Vec<&str> = versions.filter_map(|version| version.operation).collect();
    operations.len() > FEW && OPERATIONS.iter().all(|operation| operations.contains(operation))
}

#[test]
fn programs_race_and_die() {
    if let Ok(job) = std::env::var(VARIABLE) {
        return work(&job);
    }
    let seed = match std::env::var(SEED) {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()),
    };
    // It is shown where the test fails.
    println!("{SEED}={seed}");
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let table = Table::create::<Row>(folder.join("events.rnds").to_str().unwrap(), "Events").unwrap();
    let mut random = Random::new(seed);
    let mut lives = vec![0; WORKERS as usize];
    let mut children: Vec<Child> = (0..WORKERS).map(|worker| start(folder, seed, worker, 0)).collect();
    let (begin, mut kills) = (Instant::now(), 0);
    while begin.elapsed() < TIME || (begin.elapsed() < LONGEST && !has_raced(&table)) {
        std::thread::sleep(Duration::from_millis(100 + random.below(400)));
        let worker = random.below(WORKERS.into()) as usize;
        let child = &mut children[worker];
        assert_eq!(child.try_wait().unwrap(), None, "{}", said(folder));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        lives[worker] += 1;
        *child = start(folder, seed, worker as u32, lives[worker]);
    }
    File::create(folder.join("end")).unwrap();
    for child in &mut children {
        assert!(child.wait().unwrap().success(), "{}", said(folder));
    }
    let mut entries = Vec::new();
    for (worker, lives) in lives.into_iter().enumerate() {
        for life in 0..=lives {
            // A program may be killed before it begins.
            let journal = fs::read_to_string(folder.join(format!("{worker}-{life}.journal")));
            entries.extend(Journal::read(&journal.unwrap_or_default()));
        }
    }
    let raced = begin.elapsed();
    age(&folder.join("events.rnds"));
    let counts = history::check(&table, &entries, kills);
    // Marks of the versions that were removed just now.
    age(&folder.join("events.rnds"));
    let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
    table.cleanup(&options).unwrap();
    let left = left_behind(&table, &folder.join("events.rnds"));
    assert!(left.is_empty(), "{left:#?}");
    println!(
        "{} jobs, {kills} kills, versions: {counts:?}; {raced:?} of {:?}",
        entries.len(),
        begin.elapsed()
    );
    assert!(counts.values().sum::<usize>() > FEW, "{counts:?}");
    for operation in OPERATIONS {
        assert!(counts.contains_key(operation), "no {operation} among {counts:?}");
    }
}

/// Makes small files old: those of programs that were killed count for some time.
fn age(root: &Path) {
    let then = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
    for folder in ["_transactions", "_versions", "_deletions"] {
        // Nothing may have been deleted.
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().map(Result::unwrap) {
            File::options().append(true).open(entry.path()).unwrap().set_modified(then).unwrap();
        }
    }
}

/// What the programs say.
fn said(folder: &Path) -> String {
    let logs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    logs.map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Files that the newest version, which is the only one, does not need.
fn left_behind(table: &Table, folder: &Path) -> Vec<String> {
    let snapshot = table.snapshot().unwrap();
    let manifest = snapshot.manifest();
    let mut needed = vec![manifest.transaction_file.clone()];
    needed.push(NamingScheme::V2.manifest(snapshot.version()).split_once('/').unwrap().1.to_owned());
    for fragment in &manifest.fragments {
        needed.extend(fragment.files.iter().map(|file| file.path.clone()));
        let deletions = fragment.deletion_file.as_ref();
        needed.extend(deletions.map(|file| names::deletion_file(fragment.id, file).unwrap()));
    }
    for index in snapshot.indices() {
        let uuid = uuid::Uuid::from_slice(&index.uuid.as_ref().unwrap().uuid).unwrap();
        needed.extend(index.files.iter().map(|file| format!("{uuid}/{}", file.path)));
    }
    let mut folders = vec![folder.to_owned()];
    let mut names = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => names.push(entry.path().display().to_string()),
            }
        }
    }
    let names = names.into_iter();
    names.filter(|name| !needed.iter().any(|needed| name.ends_with(needed))).collect()
}
