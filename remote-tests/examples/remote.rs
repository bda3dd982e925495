//! Reads and writes files elsewhere, on servers of this program. Explained in the book, chapter "Files elsewhere".

use std::path::Path;

use rntuple::storage::Cache;
use rntuple::{Files, RNTuple, ReadOptions, Reader, Result, WriteOptions, Writer};
use rntuple_object_store::Options;
use rntuple_remote_tests::servers::{ACCESS_KEY, S3s, SECRET_KEY, Xrootd};

#[derive(RNTuple)]
struct Event {
    number: u64,
    met: f32,
}

const EVENTS: u64 = 1000;

/// In place of what the environment says of an account.
fn register(s3: &S3s) {
    let options = Options::new()
        .config("aws_endpoint_url", s3.endpoint())
        .config("aws_allow_http", "true")
        .config("aws_region", "us-east-1")
        .config("aws_access_key_id", ACCESS_KEY)
        .config("aws_secret_access_key", SECRET_KEY);
    rntuple_object_store::register_with(options);
}

fn write() -> Result<()> {
    // ANCHOR: write
    let mut writer = Writer::<Event>::create("s3://events/run1.root", "Events", WriteOptions::new())?;
    for number in 0..EVENTS {
        writer.fill(&Event { number, met: 20.0 })?;
    }
    // Only now is there an object.
    writer.finish()?;
    // ANCHOR_END: write
    Ok(())
}

fn read() -> Result<()> {
    // ANCHOR: read
    let reader = Reader::<Event>::open(Files::glob("s3://events/run*.root")?, "Events")?;
    let mut sum = 0.0;
    for event in reader.entries() {
        sum += event?.met;
    }
    // ANCHOR_END: read
    assert_eq!(sum, 20.0 * EVENTS as f32);
    Ok(())
}

fn read_again(folder: &Path) -> Result<()> {
    // ANCHOR: cache
    // 256 MiB in memory, 50 GiB on disk.
    let cache = Cache::new(256 << 20).on_disk(folder.join("cache"), 50 << 30)?;
    let options = ReadOptions::new().cache(&cache);
    let reader = Reader::<Event>::open_with("s3://events/run1.root", "Events", options)?;
    // ANCHOR_END: cache
    for _ in 0..2 {
        assert_eq!(reader.entries().count() as u64, EVENTS);
    }
    assert_eq!(std::fs::read_dir(folder.join("cache"))?.count(), 2);
    Ok(())
}

/// The same file on an XRootD server.
fn over_xrootd() -> Result<()> {
    let Some(server) = Xrootd::start() else { return Ok(()) };
    let url = server.url("run1.root");
    let mut writer = Writer::<Event>::create(&url, "Events", WriteOptions::new())?;
    writer.fill(&Event { number: 7, met: 20.0 })?;
    writer.finish()?;
    let event = Reader::<Event>::open(&url, "Events")?.get(0)?;
    assert_eq!((event.number, event.met), (7, 20.0));
    Ok(())
}

pub(crate) fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let s3 = S3s::start()?;
    s3.create_bucket("events")?;
    register(&s3);
    rntuple_xrootd::register();
    write()?;
    read()?;
    read_again(folder.path())?;
    over_xrootd()
}
