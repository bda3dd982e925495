//! A disk that stops at any call, and loses what was not flushed: what the file had is always there.

use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{Result, RootFileWriter, WriteOptions};
use rntuple_tests::disk::Disk;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, Muon, samples};

use super::{assert_kept, assert_sound, fill, muons, open, read};

fn work(disk: Disk, paths: &[&str]) -> Result<()> {
    let file = RootFileWriter::append_to(disk, FileOptions::new())?;
    for path in paths {
        let mut writer = file.writer::<Muon>(path, WriteOptions::new())?;
        for part in muons(path).chunks(3) {
            writer.fill_all(part)?;
            writer.commit_cluster()?;
        }
        writer.finish()?;
    }
    file.finish().map(drop)
}

/// Stops at each call, and looks at everything that may then be left.
fn stop_everywhere(old: &[u8], new: &[&str], is_atomic: bool) {
    let whole = Disk::new(old.to_vec());
    work(whole.clone(), new).unwrap();
    let calls = whole.calls();
    let mut sorted: Vec<&str> = new.to_vec();
    sorted.sort_unstable();
    assert_eq!(assert_kept(old, &whole.bytes()), sorted);
    assert_sound(&whole.bytes());
    let (mut found_new, mut found_some) = (0, 0);
    for call in 0..calls {
        let disk = Disk::stopping_at(old.to_vec(), call);
        assert!(work(disk.clone(), new).is_err(), "{call}");
        for image in disk.left() {
            let added = assert_kept(old, &image);
            assert_sound(&image);
            for path in &added {
                assert_eq!(read::<Muon>(&image, path), muons(path), "call {call} of {calls}");
            }
            found_new += usize::from(added.len() == new.len());
            found_some += usize::from(!added.is_empty() && added.len() < new.len());
            // The rest can be added at once.
            let rest: Vec<&str> =
                new.iter().copied().filter(|path| !added.iter().any(|known| known == path)).collect();
            let again = Disk::new(image.clone());
            work(again.clone(), &rest).unwrap();
            assert_sound(&again.bytes());
            assert_eq!(assert_kept(old, &again.bytes()), sorted, "call {call} of {calls}");
        }
    }
    assert!(found_new > 0);
    assert_eq!(found_some == 0, is_atomic, "{found_some}");
}

fn file(name: &str, paths: &[&str]) -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new().name(name)).unwrap();
    paths.iter().for_each(|path| fill::<Event, _>(&file, path, &samples(4, 1)));
    file.finish().unwrap().into_bytes()
}

#[test]
fn ntuples_of_the_root_directory_are_all_there_or_none() {
    let old = file("short.root", &["Events", "a/Events"]);
    stop_everywhere(&old, &["x"], true);
    stop_everywhere(&old, &["x", "y", "new/x", "new/er/y"], true);
    let twice = super::add(old, &["w"]);
    stop_everywhere(&twice, &["x"], true);
}

#[test]
fn in_another_directory_too() {
    let old = file("short.root", &["Events", "a/Events", "a/b/Events"]);
    stop_everywhere(&old, &["a/x"], true);
    stop_everywhere(&old, &["a/b/x", "a/b/c/x"], true);
}

#[test]
fn of_several_directories_some_may_have_theirs() {
    let old = file("short.root", &["Events", "a/Events", "a/b/Events"]);
    stop_everywhere(&old, &["x", "a/x", "a/b/x"], false);
}

#[test]
fn the_same_holds_for_a_root_directory_in_the_second_sector() {
    for length in [150, 254] {
        stop_everywhere(&file(&"x".repeat(length), &["Events"]), &["x", "new/x"], true);
    }
}

#[test]
fn the_same_holds_for_files_by_root() {
    // One whose streamer info is replaced, and one with gaps.
    for name in ["int_float-epoch0-rc2.0", "multiple_rntuples-v1.0.0.0"] {
        for reference in reference::files(name) {
            let old = std::fs::read(&reference.file).unwrap();
            let whole = Disk::new(old.clone());
            work(whole.clone(), &["x"]).unwrap();
            for call in 0..whole.calls() {
                let disk = Disk::stopping_at(old.clone(), call);
                assert!(work(disk.clone(), &["x"]).is_err(), "{call}");
                for image in disk.left() {
                    assert_kept(&old, &image);
                    assert!(open(&image).verify().unwrap().is_sound());
                }
            }
        }
    }
}
