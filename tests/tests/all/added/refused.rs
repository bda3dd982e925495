//! What is refused, before a byte is written.

use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{Error, ErrorKind, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::disk::Disk;
use rntuple_tests::objects::with_class;
use rntuple_tests::places::places;
use rntuple_tests::sample::{Event, Muon, samples};

use super::{assert_kept, fill, muons, open};

fn file() -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    for path in ["Events", "tree", "a/Events"] {
        fill::<Event, _>(&file, path, &samples(3, 1));
    }
    with_class(file.finish().unwrap().into_bytes(), "tree", "TTree")
}

/// Why the file cannot be opened.
fn refuse(bytes: Vec<u8>) -> Error {
    let disk = Disk::new(bytes);
    let error = RootFileWriter::append_to(disk.clone(), FileOptions::new()).unwrap_err();
    assert_eq!(disk.calls(), 0);
    assert_eq!(error.location().file.as_deref(), Some("disk"), "{error}");
    error
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let disk = Disk::new(file());
    let file = RootFileWriter::append_to(disk.clone(), FileOptions::new()).unwrap();
    for (path, why) in [
        ("Events", "the file has an ntuple \"Events\" already"),
        ("a/Events", "the file has an ntuple \"a/Events\" already"),
        ("tree", "the file has a TTree \"tree\" already"),
        ("tree/x", "the file has a TTree \"tree\" already, so an ntuple \"tree/x\" is not possible"),
        ("a", "the file has a directory \"a\" already"),
        ("", "the path \"\" of an ntuple has an empty part"),
        ("a/", "the path \"a/\" of an ntuple has an empty part"),
    ] {
        let error = file.writer::<Muon>(path, WriteOptions::new()).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, why));
    }
    assert_eq!(disk.calls(), 0);
    // One that was added a moment ago, too; and the others go on.
    fill::<Muon, _>(&file, "a/x", &muons("a/x"));
    assert!(file.writer::<Muon>("a/x", WriteOptions::new()).is_err());
    fill::<Muon, _>(&file, "a/y", &muons("a/y"));
    file.finish().unwrap();
    assert_eq!(open(&disk.bytes()).ntuples().unwrap().len(), 4);
}

#[test]
fn what_is_not_a_root_file_is_refused() {
    for bytes in [&b"PK\x03\x04"[..], &[0; 4000], b"{\"json\": true}"] {
        assert_eq!(refuse(bytes.to_vec()).kind(), ErrorKind::OutOfSpec);
    }
    assert_eq!(refuse(Vec::new()).kind(), ErrorKind::Unfinished);
    let mut cut = file();
    cut.truncate(cut.len() - 1);
    assert_eq!(refuse(cut).kind(), ErrorKind::OutOfSpec);
    let unfinished = Disk::new(Vec::new());
    drop(RootFileWriter::new(unfinished.clone(), FileOptions::new()).unwrap());
    assert_eq!(refuse(unfinished.bytes()).kind(), ErrorKind::Unfinished);
}

#[test]
fn no_damage_makes_it_panic() {
    let whole = file();
    for at in places(whole.len()) {
        let mut bad = whole.clone();
        bad[at] ^= 0x41;
        for bytes in [bad, whole[..at].to_vec()] {
            let Ok(file) = RootFileWriter::append_to(Memory::from(bytes), FileOptions::new()) else {
                continue;
            };
            for path in ["x", "a/x"] {
                let Ok(writer) = file.writer::<Muon>(path, WriteOptions::new()) else { continue };
                let _ = writer.finish();
            }
            let _ = file.finish();
        }
    }
}

#[test]
fn whoever_comes_second_is_refused() {
    let disk = Disk::new(file());
    let first = RootFileWriter::append_to(disk.clone(), FileOptions::new()).unwrap();
    let second = RootFileWriter::append_to(disk.clone(), FileOptions::new()).unwrap();
    fill::<Muon, _>(&second, "a/y", &muons("a/y"));
    second.finish().unwrap();
    let middle = disk.bytes();
    let error = first.writer::<Muon>("x", WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("another program has changed the file"), "{error}");
    first.finish().unwrap();
    assert_eq!(disk.bytes(), middle);
}

#[test]
fn files_that_cannot_be_written_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let open = || RootFileWriter::append(&path, FileOptions::new()).map(drop).unwrap_err();
    let kind = |error: &Error| error.io_error().unwrap().kind();
    assert_eq!(kind(&open()), std::io::ErrorKind::NotFound);
    assert!(!path.exists());
    let old = file();
    std::fs::write(&path, &old).unwrap();
    // Another writer has it.
    let writer = RootFileWriter::append(&path, FileOptions::new()).unwrap();
    assert_eq!(kind(&open()), std::io::ErrorKind::WouldBlock);
    let error = Writer::<Muon>::create_in(&path, "x", WriteOptions::new()).unwrap_err();
    assert_eq!(kind(&error), std::io::ErrorKind::WouldBlock);
    drop(writer);
    assert_eq!(std::fs::read(&path).unwrap(), old);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    // The superuser may write to any file.
    match RootFileWriter::append(&path, FileOptions::new()) {
        Err(error) => assert_eq!(kind(&error), std::io::ErrorKind::PermissionDenied),
        Ok(file) => {
            file.finish().unwrap();
        }
    }
    assert_kept(&old, &std::fs::read(&path).unwrap());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe.root");
    if !std::process::Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()) {
        return rntuple_tests::reference::skip("no mkfifo");
    }
    let error = RootFileWriter::append(&path, FileOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(error.to_string().contains("pipe"), "{error}");
    // The device and the folder too.
    for path in ["/dev/null", directory.path().to_str().unwrap()] {
        assert!(RootFileWriter::append(path, FileOptions::new()).is_err());
    }
}
