//! Files are written to S3.

use std::fs;
use std::process::Command;

use rntuple::checkpoint::Interval;
use rntuple::compression::Compression;
use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::root::FileOptions;
use rntuple::{Result, RootFileWriter, WriteOptions, Writer};
use rntuple_object_store::{ObjectFile, ObjectWriter, Options};
use rntuple_remote_tests::http::{FileServer, Habits};
use rntuple_remote_tests::sample::{Event, Events};
use rntuple_remote_tests::servers::{self, ACCESS_KEY, SECRET_KEY};

use crate::common::{bytes_of, moto, quick, register, walk_events};

/// Some 12 MB without compression: three parts.
const SAMPLE: fn() -> Events = || Events::new(4, 18_000);

fn uncompressed() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

fn fill(writer: &mut Writer<Event, impl rntuple::storage::WriteAt>) -> Result<()> {
    (0..SAMPLE().count()).try_for_each(|number| writer.fill(&Event::new(number)).map(drop))
}

/// The uploads of a bucket that are neither complete nor aborted.
fn uploads(endpoint: &str, bucket: &str) -> String {
    let script = format!(
        "import boto3\n\
         s3 = boto3.client('s3', endpoint_url='{endpoint}', region_name='us-east-1',\n\
         \taws_access_key_id='{ACCESS_KEY}', aws_secret_access_key='{SECRET_KEY}')\n\
         print(len(s3.list_multipart_uploads(Bucket='{bucket}').get('Uploads', [])))\n"
    );
    let output = Command::new(servers::python().unwrap()).args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A file of several parts, which is visible when it is finished, and is the one that a local writer makes.
fn write_and_read(url: &str, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("local.root");
    let name = || FileOptions::new().name("same.root");

    let file = RootFileWriter::create(&local, name()).unwrap();
    let mut writer = file.writer::<Event>(Events::NAME, uncompressed()).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    file.finish().unwrap();

    let object = ObjectWriter::create(url, true, options).unwrap();
    let file = RootFileWriter::new(object, name()).unwrap();
    let mut writer = file.writer::<Event>(Events::NAME, uncompressed()).unwrap();
    fill(&mut writer).unwrap();
    writer.finish().unwrap();
    let error = ObjectFile::open(url, options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
    file.finish().unwrap();

    let written = fs::read(&local).unwrap();
    assert!(written.len() > 2 * (5 << 20), "{} bytes", written.len());
    assert!(bytes_of(url, options).unwrap() == written, "the bytes differ");
    walk_events(ObjectFile::open(url, options).unwrap(), SAMPLE()).unwrap();
    let error = ObjectWriter::create(url, true, options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{error}");
}

#[test]
fn moto_takes_parts() {
    let Some((server, options)) = moto("parts") else { return };
    write_and_read("s3://parts/some/where.root", &options);
    assert_eq!(uploads(&server.endpoint(), "parts"), "0");
}

#[cfg(feature = "s3s")]
#[test]
fn s3s_takes_parts() {
    let server = servers::S3s::start().unwrap();
    server.create_bucket("parts").unwrap();
    write_and_read("s3://parts/where.root", &crate::common::s3(&server.endpoint()));
}

#[test]
fn nothing_is_left_of_a_writer_that_is_dropped() {
    let Some((server, options)) = moto("dropped") else { return };
    register();
    let url = "s3://dropped/x.root";
    let mut writer = Writer::<Event>::create(url, Events::NAME, uncompressed()).unwrap();
    fill(&mut writer).unwrap();
    assert_eq!(uploads(&server.endpoint(), "dropped"), "1");
    drop(writer);
    assert_eq!(uploads(&server.endpoint(), "dropped"), "0");
    ObjectFile::open(url, &options).unwrap_err();

    // An object that is there stays as it is.
    server.put("dropped", "x.root", b"old").unwrap();
    let mut writer = Writer::<Event>::create(url, Events::NAME, WriteOptions::new()).unwrap();
    writer.fill(&Event::new(0)).unwrap();
    drop(writer);
    assert_eq!(bytes_of(url, &options).unwrap(), b"old");
    let mut writer = Writer::<Event>::create(url, Events::NAME, WriteOptions::new()).unwrap();
    writer.fill(&Event::new(0)).unwrap();
    writer.finish().unwrap();
    walk_events(url, Events::new(1, 1)).unwrap();
}

#[test]
fn new_objects_replace_none() {
    let Some((server, options)) = moto("new") else { return };
    register();
    let url = "s3://new/x.root";
    let create = || Writer::<Event>::create_new(url, Events::NAME, uncompressed());
    // Two at once: one of them comes too late.
    for is_long in [false, true] {
        let write = |writer: &mut Writer<Event>| match is_long {
            true => fill(writer).unwrap(),
            false => writer.fill(&Event::new(0)).map(drop).unwrap(),
        };
        let (mut first, mut second) = (create().unwrap(), create().unwrap());
        write(&mut first);
        write(&mut second);
        first.finish().unwrap();
        let size = bytes_of(url, &options).unwrap().len();
        let error = second.finish().unwrap_err().to_string();
        assert!(error.contains("exists") && error.contains(url), "{error}");
        assert_eq!(bytes_of(url, &options).unwrap().len(), size);
        let error = create().unwrap_err().to_string();
        assert!(error.contains("exists") && error.contains(url), "{error}");
        assert_eq!(uploads(&server.endpoint(), "new"), "0");
        let script = format!(
            "import boto3\n\
             boto3.client('s3', endpoint_url='{}', region_name='us-east-1', aws_access_key_id='{ACCESS_KEY}',\n\
             \taws_secret_access_key='{SECRET_KEY}').delete_object(Bucket='new', Key='x.root')\n",
            server.endpoint()
        );
        assert!(Command::new(servers::python().unwrap()).args(["-c", &script]).status().unwrap().success());
    }
}

#[test]
fn merges_end_in_objects() {
    let Some((server, options)) = moto("merged") else { return };
    register();
    let small = Events::small();
    let bytes = small.write().unwrap();
    server.put("merged", "1.root", &bytes).unwrap();
    server.put("merged", "2.root", &bytes).unwrap();
    let inputs = ["1", "2"].map(|name| Input::file(format!("s3://merged/{name}.root")));
    let merged = "s3://merged/both.root";
    let summary = merge_files(&inputs, merged, MergeOptions::new()).unwrap();
    assert_eq!(summary.entries, 2 * small.count());
    walk_events(merged, small).unwrap();
    let before = bytes_of(merged, &options).unwrap();
    let error = merge_files(&inputs[..1], merged, MergeOptions::new()).unwrap_err().to_string();
    assert!(error.contains("exists") && error.contains(merged), "{error}");
    assert!(bytes_of(merged, &options).unwrap() == before);
    merge_files(&inputs[..1], merged, MergeOptions::new().overwrite(true)).unwrap();
    assert!(bytes_of(merged, &options).unwrap().len() < before.len());
    // Onto an input of its own.
    merge_files(&inputs, "s3://merged/1.root", MergeOptions::new().overwrite(true)).unwrap_err();
    assert!(bytes_of("s3://merged/1.root", &options).unwrap() == bytes);
}

#[test]
fn what_objects_cannot_do_is_refused() {
    let Some((server, _)) = moto("refused") else { return };
    register();
    let url = "s3://refused/x.root";
    server.put("refused", "x.root", &Events::new(1, 10).write().unwrap()).unwrap();
    let every = WriteOptions::new().checkpoint_every(Interval::Entries(10));
    let mut texts = vec![
        Writer::<Event>::create(url, Events::NAME, every).unwrap_err(),
        Writer::<Event>::append(url, Events::NAME, WriteOptions::new()).unwrap_err(),
        Writer::<Event>::create_in(url, "Other", WriteOptions::new()).unwrap_err(),
        RootFileWriter::open(url, FileOptions::new()).unwrap_err(),
    ];
    let mut writer = Writer::<Event>::create(url, Events::NAME, WriteOptions::new()).unwrap();
    writer.fill(&Event::new(0)).unwrap();
    texts.push(writer.checkpoint().unwrap_err());
    for error in texts {
        let text = error.to_string();
        assert!(text.contains(url), "{text}");
        assert!(text.contains("checkpoint") || text.contains("can be written once"), "{text}");
    }
    // The writer continues.
    writer.finish().unwrap();
    walk_events(url, Events::new(1, 1)).unwrap();
}

#[test]
fn nothing_is_written_over_http() {
    register();
    let server = FileServer::start([("/x.root", vec![1])]).unwrap();
    server.set_habits(Habits::new());
    for path in ["/x.root", "/new.root"] {
        let error = Writer::<Event>::create(server.url(path), Events::NAME, WriteOptions::new()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cannot be written over HTTP") && text.contains(path), "{text}");
        ObjectWriter::create(&server.url(path), false, &quick()).unwrap_err();
    }
    assert!(server.requests().is_empty());
}

#[test]
fn no_bucket_and_no_server() {
    let Some((_, options)) = moto("exists") else { return };
    // A bucket that does not exist, and keys that no URL has.
    let error = ObjectWriter::create("s3://no-such-bucket/x.root", false, &options).map(|object| {
        let mut writer = Writer::<Event, _>::new(object, Events::NAME, WriteOptions::new()).unwrap();
        writer.fill(&Event::new(0)).unwrap();
        writer.finish().unwrap_err().to_string()
    });
    assert!(error.unwrap().contains("s3://no-such-bucket/x.root"));
    let nowhere = quick()
        .config("aws_endpoint_url", "http://127.0.0.1:1")
        .config("aws_access_key_id", ACCESS_KEY)
        .config("aws_secret_access_key", SECRET_KEY)
        .config("aws_allow_http", "true");
    let error = ObjectWriter::create("s3://exists/x.root", true, &nowhere).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused, "{error}");
}
