//! Faults that only an operating system can make: a file system that is full or read-only, a file that shrinks, processes
//! that are killed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, io};

use rntuple::checkpoint::Interval;
use rntuple::extend::ColumnAdder;
use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::recover::{RecoverOptions, recover_file};
use rntuple::storage::LocalFile;
use rntuple::{Compression, ErrorKind, Reader, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::reference::skip;
use rntuple_tests::sample::Random;

use super::operations::{Event, More, event, more};

fn options() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE).durable(false)
}

/// The entries of a file without faults, which are those that were written.
#[track_caller]
fn count(path: &Path) -> u64 {
    let file = RootFile::open(path).unwrap();
    let report = rntuple::check::check_file(&file, rntuple::check::CheckOptions::new());
    assert!(report.faults.is_empty(), "{report:?}");
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    let found: Vec<Event> = reader.entries().collect::<Result<_>>().unwrap();
    assert!(found.iter().zip(0..).all(|(found, number)| *found == event(number)));
    found.len() as u64
}

fn write(path: &Path, entries: u64) {
    let mut writer = Writer::<Event>::create(path, "Events", options()).unwrap();
    (0..entries).for_each(|number| writer.fill(&event(number)).unwrap());
    writer.finish().unwrap();
}

/// Runs a test of this file in a process of its own, in `folder`; the variable says to it that it is a child.
fn child(name: &str, folder: &Path, around: &[&str]) -> Command {
    let this = std::thread::current().name().unwrap().to_owned();
    let name = format!("{}::{name}", this.rsplit_once("::").unwrap().0);
    let program = std::env::current_exe().unwrap();
    let mut words: Vec<&str> = around.to_vec();
    let program = program.to_str().unwrap();
    words.extend([program, "--exact", &name, "--nocapture"]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env(CHILD, folder);
    command
}

const CHILD: &str = "RNTUPLE_FAULTS_CHILD";

fn is_child() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// Runs a child on a file system of one megabyte, where this user may mount one.
fn on_small_disk(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size=1m none {}", folder.path().display());
    let namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"];
    let mut trial = Command::new(namespace[0]);
    trial.args(&namespace[1..]).arg(&mount).stdout(Stdio::null()).stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        return skip("this user cannot mount a file system");
    }
    let script = format!("{mount} && exec \"$@\"");
    let around = [&namespace[..], &[&script, "sh"]].concat();
    let output = child(name, folder.path(), &around).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
}

#[test]
fn a_full_file_system_costs_the_open_cluster() {
    on_small_disk("full_child");
}

#[test]
fn full_child() {
    let Some(folder) = is_child() else { return };
    for checkpoints in [false, true] {
        let path = folder.join(format!("{checkpoints}.root"));
        let options = if checkpoints { options().checkpoint_every(Interval::Entries(1)) } else { options() };
        let mut writer = Writer::<Event>::create(&path, "Events", options).unwrap();
        let (mut committed, mut number) = (0, 0);
        let error = loop {
            if let Err(error) = writer.fill(&event(number)) {
                break error;
            }
            number += 1;
            if number % 500 == 0 {
                if let Err(error) = writer.commit_cluster() {
                    break error;
                }
                committed = number;
            }
        };
        assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::StorageFull, "{error}");
        let end = writer.finish().unwrap_err();
        assert!(end.to_string().contains("can be read"), "{end}");
        let left = if checkpoints { LocalFile::partial(&path).unwrap() } else { path.clone() };
        let left = if left.exists() { left } else { path };
        assert!(
            count(&left) >= committed - 500 && committed > 5000,
            "{} of {committed}: {end}",
            count(&left)
        );
        fs::remove_file(left).unwrap();
    }
}

#[test]
fn a_read_only_file_system_keeps_its_files() {
    on_small_disk("read_only_child");
}

#[test]
fn read_only_child() {
    let Some(folder) = is_child() else { return };
    let path = folder.join("events.root");
    write(&path, 10);
    let mounted = Command::new("mount").args(["-o", "remount,ro"]).arg(&folder).status().unwrap();
    assert!(mounted.success());
    let errors = [
        Writer::<Event>::create(&path, "Events", options()).unwrap_err(),
        Writer::<Event>::create(folder.join("new.root"), "Events", options()).unwrap_err(),
        Writer::<Event>::append(&path, "Events", options()).unwrap_err(),
        Writer::<Event>::resume(folder.join("new.root"), "Events", options()).unwrap_err(),
        ColumnAdder::<More, _>::append(&path, "Events", options()).unwrap_err(),
        merge_files(&[path.clone().into()], folder.join("all.root"), MergeOptions::new()).unwrap_err(),
        recover_file(&path, folder.join("saved.root"), RecoverOptions::new()).unwrap_err(),
    ];
    for error in errors {
        let kind = error.io_error().map(io::Error::kind);
        assert_eq!(kind, Some(io::ErrorKind::ReadOnlyFilesystem), "{error}");
        assert!(error.to_string().contains(".root"), "{error}");
    }
    assert_eq!((count(&path), fs::read_dir(&folder).unwrap().count()), (10, 1));
}

#[test]
fn a_file_may_shrink_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    write(&path, 3000);
    let size = fs::metadata(&path).unwrap().len();
    for part in 0..10 {
        write(&path, 3000);
        let file = RootFile::open(&path).unwrap();
        let reader = Reader::<Event>::open(&file, "Events").unwrap();
        let handle = fs::File::options().write(true).open(&path).unwrap();
        handle.set_len(size * part / 10).unwrap();
        // Pages are not read all at once, so some may be there; what is not is an error that names the file.
        let error = reader.entries().find_map(|entry| entry.err());
        let error = error.or_else(|| reader.get(2999).err());
        if let Some(error) = error {
            assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::OutOfSpec), "{error}");
            assert!(error.to_string().contains("events.root"), "{error}");
        }
        let report = rntuple::check::check_file(&file, rntuple::check::CheckOptions::new());
        assert!(!report.faults.is_empty(), "{part}");
        let _ = recover_file(&path, folder.path().join("saved.root"), RecoverOptions::new().overwrite(true));
    }
}

/// What children do until they are killed, over and over.
#[test]
fn killed_child() {
    let Some(folder) = is_child() else { return };
    let path = |name: &str| folder.join(name);
    let (old, wide, all) = (path("old.root"), path("wide.root"), path("all.root"));
    for round in 0.. {
        // The number of entries is a multiple of ten after each step.
        let mut writer = Writer::<Event>::append(&old, "Events", options()).unwrap();
        let from = writer.entry_count();
        (from..from + 10).for_each(|number| writer.fill(&event(number)).unwrap());
        writer.finish().unwrap();
        let inputs = [Input::file(&old)];
        let merged = merge_files(&inputs, &all, MergeOptions::new().overwrite(true)).unwrap();
        assert!(merged.entries >= from);
        fs::copy(&old, path("copy.root")).unwrap();
        let mut adder = ColumnAdder::<More, _>::append(path("copy.root"), "Events", options()).unwrap();
        (0..adder.entry_count()).for_each(|number| adder.fill(&more(number)).unwrap());
        adder.finish().unwrap();
        fs::rename(path("copy.root"), &wide).unwrap();
        let mut writer = Writer::<Event>::resume(path("long.root"), "Events", options()).unwrap();
        for number in writer.entry_count()..300 {
            writer.fill(&event(number)).unwrap();
            if number % 10 == 9 {
                writer.checkpoint().unwrap();
            }
        }
        writer.finish().unwrap();
        fs::write(path("rounds"), round.to_string()).unwrap();
    }
}

/// Killed at random moments of all that writes. `RNTUPLE_KILLS` says how often.
#[test]
fn kills_lose_nothing() {
    let kills = std::env::var("RNTUPLE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(25);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(&path("old.root"), 10);
    let mut random = Random::new(9);
    let (mut before, mut long_before) = (10, 0);
    for kill in 0..kills {
        let mut process = child("killed_child", folder.path(), &[])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(40_000) as u64 + 3_000));
        process.kill().unwrap();
        let status = process.wait().unwrap();
        // It never ends of its own accord: a failure in it would.
        assert!(!status.success() && status.code().is_none(), "{status}");
        let now = count(&path("old.root"));
        assert!(now >= before && now.is_multiple_of(10), "kill {kill}: {now} entries after {before}");
        before = now;
        for name in ["all.root", "wide.root"].map(path).iter().filter(|path| path.exists()) {
            assert!(count(name) <= now);
        }
        // The long one is there when it is complete, and has a checkpoint before.
        let (long, partial) = (path("long.root"), LocalFile::partial(path("long.root")).unwrap());
        if long.exists() {
            assert_eq!(count(&long), 300);
        }
        if partial.exists() {
            let now = count(&partial);
            assert!(
                now.is_multiple_of(10) && (long.exists() || now >= long_before),
                "{now} after {long_before}"
            );
            long_before = now;
        } else {
            long_before = 0;
        }
    }
    assert!(before > 10, "no child came to anything");
}
