//! A new file takes its place when it is complete, and only one writer at a time makes it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs;
use std::io::{self, IoSlice};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rntuple::merge::{MergeOptions, merge_files};
use rntuple::root::FileOptions;
use rntuple::storage::{LocalFile, Memory, WriteAt};
use rntuple::{
    Error, ErrorKind, ParallelWriter, RNTuple, Reader, RootFile, RootFileWriter, Value, WriteOptions, Writer,
};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
}

/// Two of them cannot be stored: putting them in order panics.
#[derive(RNTuple, PartialEq, Eq, Hash)]
#[rntuple(skip_reading)]
struct Moody(u8);

impl PartialOrd for Moody {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moody {
    fn cmp(&self, _: &Self) -> Ordering {
        panic!("not today")
    }
}

#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Moods {
    moods: HashSet<Moody>,
}

fn moods(count: u8) -> Moods {
    Moods { moods: (0..count).map(Moody).collect() }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn options() -> WriteOptions {
    WriteOptions::new()
}

fn filled(path: &Path, count: u64) -> Writer<Event> {
    let mut writer = Writer::<Event>::create(path, "Events", options()).unwrap();
    (0..count).for_each(|number| writer.fill(&Event { number }).unwrap());
    writer
}

fn write(path: &Path, count: u64) {
    assert_eq!(filled(path, count).finish().unwrap().entries, count);
}

fn count(path: &Path) -> u64 {
    let reader = Reader::<Event>::open(path, "Events").unwrap();
    assert!(reader.entries().zip(0..).all(|(event, number)| event.unwrap().number == number));
    reader.entries().count() as u64
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// The kind of the operating system's error.
fn io_kind(error: &Error) -> io::ErrorKind {
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    error.io_error().unwrap().kind()
}

#[test]
fn an_old_file_stays_until_the_new_one_is_complete() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let writer = filled(&path, 5);
    assert_eq!(names(folder.path()), [".events.root.part"]);
    writer.finish().unwrap();
    assert_eq!(names(folder.path()), ["events.root"]);

    let writer = filled(&path, 7);
    assert_eq!(count(&path), 5);
    drop(writer);
    assert_eq!((count(&path), names(folder.path()).len()), (5, 1));

    let writer = filled(&path, 7);
    writer.finish().unwrap();
    assert_eq!((count(&path), names(folder.path()).len()), (7, 1));
}

#[test]
fn every_writer_and_the_merge_replace_files_whole() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let input = folder.path().join("input.root");
    write(&input, 3);

    write(&path, 1);
    let parallel = ParallelWriter::<Event>::create(&path, "Events", options()).unwrap();
    assert_eq!(count(&path), 1);
    drop(parallel);
    assert_eq!(count(&path), 1);

    let file = RootFileWriter::create(&path, FileOptions::new()).unwrap();
    drop(file.writer::<Event>("Events", options()).unwrap());
    assert_eq!(count(&path), 1);
    drop(file);
    assert_eq!(count(&path), 1);

    let refused = merge_files(&[input.clone().into()], &path, MergeOptions::new()).unwrap_err();
    assert!(refused.to_string().contains("--force"), "{refused}");
    let merged = merge_files(
        &[input.clone().into()],
        &path,
        MergeOptions::new().overwrite(true).progress(|_| assert_eq!(count(&path), 1)),
    );
    assert_eq!((merged.unwrap().entries, count(&path)), (3, 3));
    assert_eq!(names(folder.path()), ["events.root", "input.root"]);
}

#[test]
fn a_second_writer_of_a_path_is_refused() {
    let folder = folder();
    let path = folder.path().join("events.root");
    for before in [None, Some(2)] {
        if let Some(count) = before {
            write(&path, count);
        }
        let first = filled(&path, 20);
        let second = Writer::<Event>::create(&path, "Events", options()).unwrap_err();
        assert_eq!(io_kind(&second), io::ErrorKind::WouldBlock, "{second}");
        assert!(second.to_string().contains("another writer"), "{second}");
        let parallel = ParallelWriter::<Event>::create(&path, "Events", options()).unwrap_err();
        assert_eq!(io_kind(&parallel), io::ErrorKind::WouldBlock);
        if before.is_some() {
            let appending = Writer::<Event>::append(&path, "Events", options()).unwrap_err();
            assert_eq!(io_kind(&appending), io::ErrorKind::WouldBlock);
            let in_place = Writer::<Event>::create(&path, "Events", options().in_place(true)).unwrap_err();
            assert_eq!(io_kind(&in_place), io::ErrorKind::WouldBlock);
        }
        first.finish().unwrap();
        assert_eq!(count(&path), 20);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_that_is_appended_to_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("events.root");
    write(&path, 3);
    let mut appending = Writer::<Event>::append(&path, "Events", options()).unwrap();
    for in_place in [false, true] {
        let error = Writer::<Event>::create(&path, "Events", options().in_place(in_place)).unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::WouldBlock);
    }
    appending.fill(&Event { number: 3 }).unwrap();
    appending.finish().unwrap();
    assert_eq!((count(&path), names(folder.path()).len()), (4, 1));
}

#[test]
fn a_file_that_is_being_read_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("events.root");
    write(&path, 3);
    let reader = Reader::<Event>::open(&path, "Events").unwrap();
    for in_place in [false, true] {
        let error = Writer::<Event>::create(&path, "Events", options().in_place(in_place)).unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::ResourceBusy);
        let text = format!(
            "{}: this process has the file open for reading: drop its readers first, or write to another path",
            path.display()
        );
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(reader.entries().count(), 3);
    drop(reader);
    write(&path, 4);
    assert_eq!(count(&path), 4);
}

#[test]
fn a_new_file_is_new() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let mut writer = Writer::<Event>::create_new(&path, "Events", options()).unwrap();
    writer.fill(&Event { number: 0 }).unwrap();
    writer.finish().unwrap();
    let errors = [
        Writer::<Event>::create_new(&path, "Events", options()).unwrap_err(),
        Writer::<Event>::create_new(&path, "Events", options().in_place(true)).unwrap_err(),
        ParallelWriter::<Event>::create_new(&path, "Events", options()).unwrap_err(),
        RootFileWriter::create_new(&path, FileOptions::new()).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(io_kind(&error), io::ErrorKind::AlreadyExists);
    }
    assert_eq!((count(&path), names(folder.path()).len()), (1, 1));
}

#[test]
fn a_file_that_came_meanwhile_stays() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let old = folder.path().join("old.root");
    for before in [None, Some(2)] {
        if let Some(count) = before {
            write(&path, count);
        }
        let writer = filled(&path, 20);
        // Another program puts a file there, without asking for a lock.
        fs::write(&old, "other").unwrap();
        fs::rename(&old, &path).unwrap();
        let error = writer.finish().unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::AlreadyExists);
        let rescued = folder.path().join("events.root.rescued");
        assert!(error.to_string().contains(&rescued.display().to_string()), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(count(&rescued), 20);
        assert_eq!(names(folder.path()), ["events.root", "events.root.rescued"]);
        fs::remove_file(&rescued).unwrap();
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_that_lacks_entries_does_not_replace_a_complete_one() {
    let folder = folder();
    let path = folder.path().join("narrow.root");
    let lossy = || {
        let mut writer = Writer::<Moods>::create(&path, "nt", options()).unwrap();
        writer.fill(&moods(1)).unwrap();
        writer.commit_cluster().unwrap();
        catch_unwind(AssertUnwindSafe(|| writer.fill(&moods(2)))).unwrap_err();
        writer.finish().unwrap_err()
    };
    let values =
        |path: PathBuf| Reader::<Value>::open(path, "nt").unwrap().entries().map(Result::unwrap).count();
    lossy();
    assert_eq!(values(path.clone()), 1);
    let before = fs::read(&path).unwrap();
    for kept in ["narrow.root.rescued", "narrow.root.rescued-2"] {
        let text = lossy().to_string();
        let kept = folder.path().join(kept);
        assert!(text.ends_with(&format!("; 1 entry can be read, in {}", kept.display())), "{text}");
        assert_eq!(values(kept), 1);
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_file_whose_ntuple_lacks_entries_does_not_replace_a_complete_one() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let kept = folder.path().join("events.root.rescued");
    for is_dropped in [false, true] {
        write(&path, 3);
        let create = || {
            let file = RootFileWriter::create(&path, FileOptions::new()).unwrap();
            let mut events = file.writer::<Event>("Events", options()).unwrap();
            events.fill(&Event { number: 0 }).unwrap();
            events.finish().unwrap();
            let mut lossy = file.writer::<Moods>("Moods", options()).unwrap();
            lossy.fill(&moods(1)).unwrap();
            if !is_dropped {
                catch_unwind(AssertUnwindSafe(|| lossy.fill(&moods(2)))).unwrap_err();
                lossy.finish().unwrap_err();
            }
            file
        };
        let text = create().finish().unwrap_err().to_string();
        let rest = format!("the file lacks entries of its ntuples, and is kept in {}", kept.display());
        assert!(text.ends_with(&rest), "{text}");
        assert_eq!((count(&path), count(&kept)), (3, 1));
        // Where no file is, nothing is lost.
        fs::remove_file(&kept).unwrap();
        fs::remove_file(&path).unwrap();
        create().finish().unwrap();
        assert_eq!((count(&path), names(folder.path()).len()), (1, 1));
    }
}

#[test]
fn finished_ntuples_stay_if_the_file_ends_before_another_one() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let file = RootFileWriter::create(&path, FileOptions::new()).unwrap();
    let mut events = file.writer::<Event>("Events", options()).unwrap();
    let mut more = file.writer::<Event>("More", options()).unwrap();
    (0..5).for_each(|number| events.fill(&Event { number }).unwrap());
    events.finish().unwrap();
    let text = file.finish().unwrap_err().to_string();
    let rest = "an ntuple of the file is still being written; the ntuples that are finished can be read";
    assert!(text.ends_with(rest), "{text}");
    more.fill(&Event { number: 0 }).unwrap();
    let text = more.finish().unwrap_err().to_string();
    assert!(text.contains("the file is finished already"), "{text}");
    assert_eq!((count(&path), names(folder.path()).len()), (5, 1));
}

#[test]
fn a_series_reports_what_its_last_file_lost() {
    let folder = folder();
    let own = folder.path().to_owned();
    let series = Writer::series(move |number| own.join(format!("{number}.root")), "nt", options());
    let mut series = series.unwrap().max_entries(1);
    series.fill(&moods(1)).unwrap();
    catch_unwind(AssertUnwindSafe(|| series.fill(&moods(2)))).unwrap_err();
    let error = series.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked, "{error}");
    assert!(names(folder.path()).contains(&"0.root".to_owned()));
}

#[test]
fn what_a_killed_writer_left_is_put_away_by_the_next() {
    let folder = folder();
    let path = folder.path().join("events.root");
    write(&path, 2);
    let (part, left) = (folder.path().join(".events.root.part"), folder.path().join("events.root.left"));
    for (text, kept) in [("left", "left"), ("much longer", "much longer"), ("short", "much longer")] {
        fs::write(&part, text).unwrap();
        assert!(LocalFile::leftovers(&path).unwrap().contains(&part));
        drop(filled(&path, 1));
        assert_eq!(names(folder.path()), ["events.root", "events.root.left"]);
        assert_eq!(fs::read_to_string(&left).unwrap(), kept);
    }
    assert_eq!(LocalFile::leftovers(&path).unwrap(), std::slice::from_ref(&left));
    fs::remove_file(left).unwrap();
    // What is no file is not removed.
    fs::create_dir(&part).unwrap();
    let error = Writer::<Event>::create(&path, "Events", options()).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    assert_eq!((count(&path), names(folder.path()).len()), (2, 2));
}

/// Says to a process that it is a child, and which file it writes.
const CHILD: &str = "RNTUPLE_CREATE_CHILD";

/// Not a test: what a child does until it is killed.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let mut writer = Writer::<Event>::create(path, "Events", options()).unwrap();
    for number in 0..10_000u64 {
        // Does not compress well.
        writer.fill(&Event { number: number.wrapping_mul(0x9E37_79B9_7F4A_7C15) }).unwrap();
        if number % 1000 == 0 {
            writer.commit_cluster().unwrap();
        }
    }
    // Killed long before it wakes up.
    std::thread::sleep(Duration::from_secs(600));
}

/// A process that does not outlive the test, whatever happens.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        assert!(!self.0.wait().unwrap().success());
    }
}

#[test]
fn a_killed_process_leaves_the_old_file() {
    let folder = folder();
    let path = folder.path().join("events.root");
    let part = folder.path().join(".events.root.part");
    write(&path, 10);
    let name =
        std::thread::current().name().unwrap().replace("a_killed_process_leaves_the_old_file", "child");
    for _ in 0..3 {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &name, "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let child = Killed(child);
        let start = Instant::now();
        while fs::metadata(&part).map_or(0, |part| part.len()) < 20_000 {
            assert!(start.elapsed() < Duration::from_secs(60), "the child does not write");
            std::thread::sleep(Duration::from_millis(5));
        }
        // It is alive, so its file is its own.
        assert!(!LocalFile::leftovers(&path).unwrap().contains(&part));
        let error = Writer::<Event>::create(&path, "Events", options()).unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::WouldBlock);
        drop(child);
        assert_eq!(names(folder.path()), [".events.root.part", "events.root"]);
        assert_eq!(count(&path), 10);
        assert!(LocalFile::leftovers(&path).unwrap().contains(&part));
        // Its lock ended with it.
        drop(filled(&path, 1));
        assert_eq!(names(folder.path()), ["events.root", "events.root.left"]);
        fs::remove_file(folder.path().join("events.root.left")).unwrap();
    }
}

#[test]
fn in_place_an_old_file_is_lost_at_once() {
    let folder = folder();
    let path = folder.path().join("events.root");
    write(&path, 2);
    let mut writer = Writer::<Event>::create(&path, "Events", options().in_place(true)).unwrap();
    assert_eq!(names(folder.path()), ["events.root"]);
    assert_eq!(RootFile::open(&path).unwrap_err().kind(), ErrorKind::Unfinished);
    let second = Writer::<Event>::create(&path, "Events", options()).unwrap_err();
    assert_eq!(io_kind(&second), io::ErrorKind::WouldBlock);
    writer.fill(&Event { number: 0 }).unwrap();
    writer.finish().unwrap();
    assert_eq!(count(&path), 1);
    assert_eq!(names(folder.path()), ["events.root"]);
}

#[test]
fn long_names_have_part_files_too() {
    let folder = folder();
    let path = folder.path().join(format!("{}.root", "é".repeat(120)));
    let writer = filled(&path, 2);
    let other = folder.path().join(format!("{}.roof", "é".repeat(120)));
    write(&other, 3);
    assert!(Writer::<Event>::create(&path, "Events", options()).is_err());
    writer.finish().unwrap();
    assert_eq!((count(&path), count(&other)), (2, 3));
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let folder = folder();
    let path = folder.path().join("no/such/events.root");
    let error = Writer::<Event>::create(&path, "Events", options()).unwrap_err();
    assert_eq!(io_kind(&error), io::ErrorKind::NotFound);
    let missing = folder.path().join("no/such");
    assert_eq!(
        error.to_string(),
        format!("{}: the directory {} does not exist", path.display(), missing.display())
    );
    // It says of a new file that it is not found.
    if cfg!(target_os = "linux") {
        let error = Writer::<Event>::create("/proc/events.root", "Events", options()).unwrap_err();
        assert!(
            error.to_string().starts_with("/proc/events.root: the directory /proc takes no new files"),
            "{error}"
        );
    }
}

/// What was asked of a storage, in order.
#[derive(Debug, Default)]
struct Recorded {
    memory: Memory,
    calls: Vec<&'static str>,
}

impl WriteAt for Recorded {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.calls.push(if offset == 0 { "header" } else { "write" });
        self.memory.write_at(offset, parts)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.calls.push("flush");
        Ok(())
    }
    fn publish(&mut self) -> io::Result<()> {
        self.calls.push("publish");
        Ok(())
    }
}

#[test]
fn a_file_is_on_the_medium_before_it_has_its_name() {
    let mut writer = Writer::<Event, _>::new(Recorded::default(), "Events", options()).unwrap();
    writer.fill(&Event { number: 0 }).unwrap();
    let calls = writer.finish_into().unwrap().1.calls;
    assert_eq!(calls.last_chunk(), Some(&["write", "flush", "header", "flush", "publish"]), "{calls:?}");
    assert_eq!(calls.iter().filter(|call| **call == "publish").count(), 1);
}

#[test]
fn what_is_written_without_waiting_for_the_medium_is_the_same() {
    let folder = folder();
    let [a, b] = ["a.root", "b.root"].map(|name| folder.path().join(name));
    write(&a, 5);
    let options = WriteOptions::new().durable(false);
    let mut writer = Writer::<Event>::create(&b, "Events", options.uuid([1; 16])).unwrap();
    (0..5).for_each(|number| writer.fill(&Event { number }).unwrap());
    writer.finish().unwrap();
    assert_eq!(count(&a), count(&b));
}

#[test]
fn a_source_that_is_not_published_leaves_nothing() {
    let folder = folder();
    let path = folder.path().join("file");
    let mut source = LocalFile::create_new(&path).unwrap();
    source.write_at(0, &[IoSlice::new(b"bytes")]).unwrap();
    drop(source);
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn permissions_stay_as_they_were() {
        let folder = folder();
        let path = folder.path().join("events.root");
        let input = folder.path().join("input.root");
        write(&input, 1);
        File::create(folder.path().join("plain")).unwrap();
        let usual = mode(&folder.path().join("plain"));
        write(&path, 1);
        assert_eq!(mode(&path), usual);
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let writer = filled(&path, 2);
        assert_eq!(mode(&folder.path().join(".events.root.part")), 0o600);
        writer.finish().unwrap();
        assert_eq!((count(&path), mode(&path)), (2, 0o600));
        merge_files(&[input.into()], &path, MergeOptions::new().overwrite(true)).unwrap();
        assert_eq!((count(&path), mode(&path)), (1, 0o600));
    }

    #[test]
    fn links_are_followed() {
        let folder = folder();
        let disk = folder.path().join("disk");
        fs::create_dir(&disk).unwrap();
        let link = folder.path().join("events.root");
        symlink("disk/real.root", &link).unwrap();
        // First to a file that is not there yet, then to one that is.
        for entries in [1, 2] {
            write(&link, entries);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(
                (count(&disk.join("real.root")), names(&disk)),
                (entries, vec!["real.root".to_owned()])
            );
        }
        let input = folder.path().join("input.root");
        write(&input, 3);
        merge_files(&[input.into()], &link, MergeOptions::new().overwrite(true)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(count(&disk.join("real.root")), 3);
        let error = Writer::<Event>::create_new(&link, "Events", options()).unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::AlreadyExists);
        let round = folder.path().join("round.root");
        symlink("round.root", &round).unwrap();
        assert!(Writer::<Event>::create(&round, "Events", options()).is_err());
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let folder = folder();
        let path = folder.path().join("events.root");
        write(&path, 1);
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        // The superuser may write to it, and so to replace it.
        let may = File::options().write(true).open(&path).is_ok();
        assert_eq!(Writer::<Event>::create(&path, "Events", options()).is_ok(), may);
        assert_eq!(count(&path), 1);
    }

    #[test]
    fn devices_are_written_directly_and_pipes_refused() {
        let mut writer = Writer::<Event>::create("/dev/null", "Events", options()).unwrap();
        writer.fill(&Event { number: 0 }).unwrap();
        writer.finish().unwrap();
        let folder = folder();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = Writer::<Event>::create(&pipe, "Events", options()).unwrap_err();
        assert_eq!(io_kind(&error), io::ErrorKind::NotSeekable);
        assert_eq!(names(folder.path()), ["pipe"]);
    }
}

/// Names that differ by a dot, or go on where another one ends.
#[test]
fn what_other_targets_leave_is_theirs() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    assert_eq!(LocalFile::partial(at("run.root")).unwrap(), at("run.root.partial"));
    assert_eq!(LocalFile::partial(at(".run.root")).unwrap(), at(".run.root.partial"));
    let own = ["run.root.left", "run.root.partial", ".run.root.part", ".run.root.part.4pXk2Q"];
    let others = [
        ".run.root.backup.part",
        ".run.root.partial",
        "..run.root.part",
        ".run.root.4pXk2Q",
        ".run.root2.part",
    ];
    for name in own.iter().chain(&others) {
        fs::write(at(name), "").unwrap();
    }
    let mut found = LocalFile::leftovers(at("run.root")).unwrap();
    found.sort();
    let mut expected = own.map(at);
    expected.sort();
    assert_eq!(found, expected);
}
