//! Whatever can be sought in is a storage like the others.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::File;
use std::io::{Cursor, Write};

use rntuple::storage::{LocalFile, Memory, Seekable};
use rntuple::{Reader, WriteOptions, Writer};
use rntuple_tests::sample::{Event, samples};

#[test]
fn its_bytes_are_those_of_any_other_storage() {
    let events: Vec<Event> = samples(500, 3);
    let options = || WriteOptions::new().cluster_size(10_000).max_page_length(512);
    let mut writer = Writer::new(Memory::new(), "Events", options()).unwrap();
    writer.fill_all(&events).unwrap();
    let wanted = writer.finish_into().unwrap().1.into_bytes();

    let mut writer =
        Writer::new(Seekable::new(Cursor::new(Vec::new())).unwrap(), "Events", options()).unwrap();
    writer.fill_all(&events).unwrap();
    let cursor = writer.finish_into().unwrap().1.into_inner();
    assert_eq!(cursor.get_ref(), &wanted);
    let reader = Reader::<Event>::open(Seekable::new(cursor).unwrap(), "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq(events.iter().cloned()));
}

#[test]
fn an_open_file_is_written_appended_to_and_read() {
    let events: Vec<Event> = samples(40, 3);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("open.root");
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    let mut writer = Writer::new(Seekable::new(file).unwrap(), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events[..20]).unwrap();
    let file = writer.finish_into().unwrap().1.into_inner();

    let storage = Seekable::new(file.try_clone().unwrap()).unwrap();
    let mut writer = Writer::<Event, _>::append_to(storage, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events[20..]).unwrap();
    writer.finish().unwrap();
    drop(file);
    let reader = Reader::<Event>::open(&path, "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq(events));
}

#[test]
fn an_open_file_is_a_local_file_too() {
    let events: Vec<Event> = samples(40, 3);
    let mut file = tempfile::tempfile().unwrap();
    let storage = |file: &File| LocalFile::from_open(file.try_clone().unwrap(), "scratch").unwrap();
    // Whatever it had before, and wherever its position is.
    file.write_all(&[7; 50_000]).unwrap();
    let mut writer = Writer::new(storage(&file), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events[..20]).unwrap();
    assert!(writer.finish().unwrap().file_size < 50_000);
    assert_eq!(file.metadata().unwrap().len(), 50_000);
    let mut writer = Writer::<Event, _>::append_to(storage(&file), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events[20..]).unwrap();
    writer.finish().unwrap();
    let reader = Reader::<Event>::open(storage(&file), "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq(events));
    let error = Reader::<Event>::open(storage(&file), "Event").unwrap_err();
    assert_eq!(error.location().file.as_deref(), Some("scratch"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_with_the_reason() {
    use std::os::fd::OwnedFd;

    let (_reader, writer) = std::io::pipe().unwrap();
    let writer = File::from(OwnedFd::from(writer));
    let error = LocalFile::from_open(writer.try_clone().unwrap(), "pipe").unwrap_err();
    assert!(error.to_string().starts_with("a pipe or a socket cannot take a ROOT file"), "{error}");
    let error = Seekable::new(writer).unwrap_err();
    assert!(error.to_string().starts_with("a ROOT file needs a medium that can seek"), "{error}");
}

/// The system writes at the end of such a file, wherever it was sought to.
#[cfg(unix)]
#[test]
fn a_file_that_is_open_for_appending_is_refused_by_the_first_write() {
    use std::path::Path;

    use rntuple::root::FileOptions;
    use rntuple::{Error, RootFileWriter};

    let events: Vec<Event> = samples(20, 3);
    let directory = tempfile::tempdir().unwrap();
    let [new, old] = ["new.root", "old.root"].map(|name| directory.path().join(name));
    let mut writer = Writer::<Event>::create(&old, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events).unwrap();
    writer.finish().unwrap();
    let open = |path: &Path| File::options().read(true).append(true).create(true).open(path).unwrap();
    let local = |path: &Path| LocalFile::from_open(open(path), "appending").unwrap();
    let seekable = |path: &Path| Seekable::new(open(path)).unwrap();
    let assert_refused = |error: Error| {
        assert!(error.to_string().contains("the file is open for appending"), "{error}");
    };

    assert_refused(Writer::<Event, _>::new(local(&new), "Events", WriteOptions::new()).unwrap_err());
    assert_eq!(std::fs::read(&new).unwrap(), b"");
    std::fs::write(&new, "notes").unwrap();
    assert_refused(Writer::<Event, _>::new(local(&new), "Events", WriteOptions::new()).unwrap_err());
    assert_eq!(std::fs::read(&new).unwrap(), b"notes");
    std::fs::remove_file(&new).unwrap();
    assert_refused(Writer::<Event, _>::new(seekable(&new), "Events", WriteOptions::new()).unwrap_err());

    let before = std::fs::read(&old).unwrap();
    let mut writer = Writer::<Event, _>::append_to(local(&old), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events).unwrap();
    assert_refused(writer.finish().unwrap_err());
    let file = RootFileWriter::append_to(local(&old), FileOptions::new()).unwrap();
    assert_refused(file.writer::<Event>("More", WriteOptions::new()).unwrap_err());
    drop(file);
    assert!(std::fs::read(&old).unwrap() == before, "it is as it was");
    let mut writer = Writer::<Event, _>::append_to(seekable(&old), "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&events).unwrap();
    assert_refused(writer.finish().unwrap_err());
    let file = RootFileWriter::append_to(seekable(&old), FileOptions::new()).unwrap();
    assert_refused(file.writer::<Event>("More", WriteOptions::new()).unwrap_err());
    drop(file);
    let after = std::fs::read(&old).unwrap();
    assert!(after.starts_with(&before) && after.len() < before.len() + 20, "a few bytes are at its end");
    // It can be read.
    let reader = Reader::<Event>::open(local(&old), "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq(events));
}
