//! How long data sets take: `cargo bench -p rntuple-dataset`. With an argument, only what has it in its name.
//!
//! Next to pylance, on the same rows, where `RNTUPLE_PYTHON` names an interpreter that has it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a measurement that cannot go on has failed"
)]

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rntuple::{RNTuple, ReadOptions, Reader, WriteOptions, Writer};
use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::{DataFile, DataFragment, ManifestFile, RowIdSequence, RowIds};
use rntuple_dataset::{Adopt, CompactOptions, IndexOptions, Snapshot, Source, Table};

/// What a data set of this many fragments may take to open.
const FRAGMENTS: u64 = 100_000;
const MOST_TIME: Duration = Duration::from_secs(1);
const MOST_MEMORY: u64 = 200_000_000;

#[derive(RNTuple, Clone)]
struct Event {
    run: u32,
    number: u64,
    met: f32,
    weight: f64,
    pt: Vec<f32>,
}

fn event(number: u64) -> Event {
    // Values that do not repeat, and compress about as measured ones do.
    let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let met = noise as f32 / 65536.0;
    Event {
        run: (number / 100_000) as u32,
        number,
        met,
        weight: f64::from(met) * 0.5,
        pt: (0..noise % 5).map(|i| met + i as f32).collect(),
    }
}

#[derive(RNTuple)]
struct Small {
    number: u64,
}

#[derive(RNTuple)]
struct Met {
    met: f32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    if let [command, path] = &*arguments
        && command == "open-once"
    {
        return open_once(path);
    }
    if let [command, path] = &*arguments
        && command == "find-once"
    {
        return find_once(path);
    }
    let measurements: [(&str, fn()); 6] = [
        ("open", open),
        ("reader", reader),
        ("bounds", bounds),
        ("commit", commit),
        ("scan", scan),
        ("size", commit_size),
    ];
    for (name, measure) in measurements {
        if arguments.is_empty() || arguments.iter().any(|argument| name.contains(&**argument)) {
            measure();
        }
    }
}

/// The median of some runs.
fn median<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            drop(std::hint::black_box(work()));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[runs / 2]
}

/// How long this thread has run, in seconds: other programs do not count. Where that is not known, the time.
fn busy() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = known.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |count| count as f64 / 1e9)
}

/// The mean of some times, in milliseconds: `busy` moves in steps of some.
fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64 * 1e3
}

/// The least of some times, in milliseconds.
fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min) * 1e3
}

fn once<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    println!("{name:50} {:9.1} ms", start.elapsed().as_secs_f64() * 1e3);
    done
}

/// Writes version 2 of a data set with many fragments of 10 000 rows, whose files there are not.
fn large(path: &str) -> Table {
    large_with(path, 10_000, |id| format!("{}.root", uuid::Uuid::from_u128(u128::from(id))))
}

fn large_with(path: &str, rows: u64, file: impl Fn(u64) -> String) -> Table {
    let table = Table::create::<Event>(path, "Events").unwrap();
    let mut manifest = table.snapshot().unwrap().manifest().clone();
    let one = manifest.fragments[0].clone();
    manifest.fragments = (0..FRAGMENTS)
        .map(|id| {
            let file = DataFile { path: file(id), file_size_bytes: 1 << 20, ..one.files[0].clone() };
            let ids = RowIdSequence::from(id * rows..(id + 1) * rows).to_bytes();
            DataFragment {
                id,
                files: vec![file],
                physical_rows: rows,
                row_id_sequence: Some(RowIds::Inline(ids)),
                ..one.clone()
            }
        })
        .collect();
    manifest.version = 2;
    manifest.next_row_id = FRAGMENTS * rows;
    manifest.max_fragment_id = Some(FRAGMENTS as u32 - 1);
    let bytes = ManifestFile::from(manifest).to_bytes().unwrap();
    println!("manifest of {FRAGMENTS} fragments: {} bytes", bytes.len());
    std::fs::write(Path::new(path).join(NamingScheme::V2.manifest(2)), bytes).unwrap();
    table
}

fn open() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    large(path.to_str().unwrap());
    in_new_process("open-once", &path);
}

/// Measures something in a process that has done nothing else.
fn in_new_process(command: &str, path: &Path) {
    let output = Command::new(std::env::current_exe().unwrap()).arg(command).arg(path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    print!("{text}");
}

/// Opens a data set.
fn open_once(path: &str) {
    let before = most_memory();
    let start = Instant::now();
    let table = Table::open(path).unwrap();
    let snapshot = table.snapshot().unwrap();
    let time = start.elapsed();
    let memory = most_memory().saturating_sub(before);
    assert_eq!(snapshot.fragments().len() as u64, FRAGMENTS);
    println!("open {FRAGMENTS} fragments: {time:?}, {:.1} MB more at most", memory as f64 / 1e6);
    once("  find a row by its id, the first time", || snapshot.entry_of(123_456_789).unwrap());
    once("  find a row by its id, again", || snapshot.entry_of(987_654_321).unwrap());
    once("  id of an entry", || snapshot.row_id(55).unwrap());
    println!("  all of it: {:.1} MB more at most", most_memory().saturating_sub(before) as f64 / 1e6);
    assert!(time < MOST_TIME, "{time:?}");
    assert!(memory < MOST_MEMORY, "{memory} bytes");
}

/// The most memory that the process has had, in bytes.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Reads from a data set with many fragments, all of which have the same file.
fn reader() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("one.root");
    let mut writer = Writer::<Event>::create(&file, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(7)).unwrap();
    writer.finish().unwrap();
    let path = directory.path().join("events.rnds");
    let table = large_with(path.to_str().unwrap(), 1, |_| file.to_str().unwrap().to_owned());
    let snapshot = table.snapshot().unwrap();
    let reader = once("open a reader of 100 000 fragments", || snapshot.reader::<Event>().unwrap());
    let row = once("  first row", || reader.entries().next().unwrap().unwrap());
    assert_eq!(row.number, 7);
    assert_eq!(once("  number of rows", || reader.entry_count().unwrap()), FRAGMENTS);
    once("  first row of a reader from the middle", || reader.get(50_000).unwrap());
    let ids: Vec<u64> = (0..1000).map(|number| number * 97).collect();
    once("take 1 000 rows of 1 000 fragments", || snapshot.take::<Event>(&ids).unwrap());
    let list: rntuple::EntryList = (0..1000).collect();
    let options = || ReadOptions::new().only(&list);
    let some =
        once("open a reader of the first 1 000 rows", || snapshot.reader_with::<Event>(options()).unwrap());
    assert_eq!(once("  read them", || some.entries().count()), 1000);
    let deleted = once("delete 1 000 rows of 1 000 fragments", || table.delete_rows(&ids).unwrap());
    let reader = once("open a reader without them", || deleted.reader::<Event>().unwrap());
    once("  first row", || reader.entries().next().unwrap().unwrap());
}

/// Finds no rows in a data set with many fragments, all of which have the same file, by their bounds.
fn bounds() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("one.root");
    let mut writer = Writer::<Event>::create(&file, "Events", WriteOptions::new().statistics(true)).unwrap();
    writer.fill(&event(7)).unwrap();
    writer.finish().unwrap();
    let path = directory.path().join("events.rnds");
    let table = large_with(path.to_str().unwrap(), 1, |_| file.to_str().unwrap().to_owned());
    let indexed =
        once("index the bounds of 100 000 fragments", || table.index_bounds(&IndexOptions::new()).unwrap());
    println!("  {} bytes", indexed.indices()[0].files[0].size_bytes);
    once("  again, where nothing is new", || table.index_bounds(&IndexOptions::new()).unwrap());
    in_new_process("find-once", &path);
}

/// Opens a data set with an index, and asks it for a key that no file has.
fn find_once(path: &str) {
    let (before, start) = (most_memory(), Instant::now());
    let say = |what: &str| {
        let memory = most_memory().saturating_sub(before);
        println!("  {what}: {:?}, {:.1} MB more at most", start.elapsed(), memory as f64 / 1e6);
        (start.elapsed(), memory)
    };
    let snapshot = Table::open(path).unwrap().snapshot().unwrap();
    let (time, memory) = say("open");
    assert!(time < MOST_TIME, "{time:?}");
    assert!(memory < MOST_MEMORY, "{memory} bytes");
    let reader = snapshot.reader::<Event>().unwrap();
    say("and open a reader");
    drop(reader);
    let key = "run == 3 and number == 17".parse().unwrap();
    let filtered = snapshot.filter::<Event>(&key).unwrap();
    say("and read the bounds of two columns");
    assert_eq!(filtered.matching().unwrap().entry_count(), 0);
    let (time, memory) = say("and look for a key");
    assert_eq!(filtered.counters().files.skipped, FRAGMENTS);
    assert!(time < MOST_TIME, "{time:?}");
    assert!(memory < MOST_MEMORY, "{memory} bytes");
}

/// Commits to a data set with many fragments.
fn commit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = large(path.to_str().unwrap());
    let files: Vec<Source> = (0..1000)
        .map(|number| {
            let path = directory.path().join(format!("{number}.root"));
            let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
            writer.fill(&event(number)).unwrap();
            writer.finish().unwrap();
            Source::new(path.to_str().unwrap(), Adopt::InPlace)
        })
        .collect();
    once("append to 100 000 fragments", || table.append::<Event>(|writer| writer.fill(&event(1))).unwrap());
    once("append 1 000 files to 100 000 fragments", || table.append_files(&files).unwrap());
    let ids: Vec<u64> = (0..100).map(|number| number * 7_654_321).collect();
    once("delete 100 rows by their ids", || table.delete_rows(&ids).unwrap());
    once("rename a column", || table.rename_column("met", "missing").unwrap());
    once("restore", || table.restore(2).unwrap());
    once("list versions", || table.versions().unwrap());
}

/// Commits some bytes, and a thousand times as many: only the bytes themselves should take longer.
fn commit_size() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    for count in [1_000u64, 30_000, 1_000_000] {
        let file = directory.path().join(format!("{count}.root"));
        let mut writer = Writer::<Event>::create(&file, "Events", WriteOptions::new()).unwrap();
        (0..count).try_for_each(|number| writer.fill(&event(number))).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::metadata(&file).unwrap().len();
        let source = [Source::new(file.to_str().unwrap(), Adopt::InPlace)];
        let times: Vec<f64> = (0..21)
            .map(|_| {
                let start = Instant::now();
                table.append_files(&source).unwrap();
                start.elapsed().as_secs_f64()
            })
            .collect();
        println!("commit a file of {bytes:>9} bytes: {:8.2} ms", least(&times));
    }
}

const ROWS: u64 = 1_000_000;
const FILES: u64 = 10;

fn walk(reader: &Reader<Event>) -> f64 {
    let mut sum = 0.0;
    for row in reader {
        let row = row.unwrap();
        sum += row.weight + f64::from(row.met) + row.pt.len() as f64;
    }
    sum
}

fn met(reader: &Reader<Met>) -> f64 {
    let rows = reader.entries();
    rows.map(|row| f64::from(row.unwrap().met)).sum()
}

/// Reads all rows, those of a condition, and some by their ids.
fn scan() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    let part = ROWS / FILES;
    let start = Instant::now();
    for file in 0..FILES {
        table
            .append::<Event>(|writer| {
                (file * part..(file + 1) * part).try_for_each(|n| writer.fill(&event(n)))
            })
            .unwrap();
    }
    println!("write {ROWS} rows in {FILES} commits: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let snapshot = table.snapshot().unwrap();
    let all: Vec<String> = data_files(&snapshot);
    // As a snapshot does, which knows that.
    let same = || ReadOptions::new().same_schema(true);
    let plain = || Reader::<Event>::open_with(&all, "Events", same()).unwrap();
    // In turn, so that both see the same machine.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..41 {
        let start = busy();
        let sum = walk(&plain());
        theirs.push(busy() - start);
        let start = busy();
        assert_eq!(walk(&table.snapshot().unwrap().reader().unwrap()), sum);
        ours.push(busy() - start);
    }
    let ratio = mean(&ours) / mean(&theirs) - 1.0;
    println!("scan: files {:.1} ms, snapshot {:.1} ms ({:+.1} %)", mean(&theirs), mean(&ours), ratio * 100.0);

    let time = median(9, || met(&table.snapshot().unwrap().reader().unwrap()));
    println!("scan one column: {:.1} ms", time.as_secs_f64() * 1e3);
    // A column in no order, and one that is sorted.
    for condition in ["met > 250", "number >= 500000 and number < 510000"] {
        let predicate = condition.parse().unwrap();
        let filtered = || {
            let rows = table.snapshot().unwrap().filter::<Event>(&predicate).unwrap();
            rows.entries().map(|row| row.unwrap().pt.len()).sum::<usize>()
        };
        println!("filtered scan ({condition}): {:.1} ms", median(5, filtered).as_secs_f64() * 1e3);
    }
    let ids: Vec<u64> = (0..1000).map(|number| number * 7_919_317 % ROWS).collect();
    let take = || {
        let rows = table.snapshot().unwrap().take::<Event>(&ids).unwrap();
        assert!(rows.iter().zip(&ids).all(|(row, id)| row.number == *id));
    };
    println!("take 1 000 rows, data set opened each time: {:.1} ms", median(9, take).as_secs_f64() * 1e3);
    let take = || snapshot.take::<Event>(&ids).unwrap();
    println!("take 1 000 rows, same snapshot: {:.1} ms", median(9, take).as_secs_f64() * 1e3);

    let deleted = table.delete::<Small>(|row| row.number % 10 == 3).unwrap();
    let time = median(5, || walk(&deleted.reader().unwrap()));
    println!("scan, a tenth of the rows deleted: {:.1} ms", time.as_secs_f64() * 1e3);
    once("compact", || table.compact(&CompactOptions::new()).unwrap());
    peer(&directory.path().join("events.lance"));
}

fn data_files(snapshot: &Snapshot) -> Vec<String> {
    let files = snapshot.fragments().iter().filter(|fragment| fragment.physical_rows > 0);
    files.map(|fragment| snapshot.location().data_file(&fragment.files[0].path)).collect()
}

/// The same with pylance.
fn peer(path: &Path) {
    let Some(python) = std::env::var_os("RNTUPLE_PYTHON") else {
        println!("skipped: pylance: RNTUPLE_PYTHON names no interpreter");
        return;
    };
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/pylance_peer.py");
    let mut command = Command::new(python);
    command.arg(program).arg(path).args([ROWS.to_string(), FILES.to_string()]);
    assert!(command.status().unwrap().success());
}
