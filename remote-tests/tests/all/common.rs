//! What the tests of object stores share.

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rntuple::storage::ReadAt;
use rntuple::{Files, Reader, Result, Value};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::{ACCESS_KEY, Moto, SECRET_KEY};

/// Options with which no test waits for long.
pub(crate) fn quick() -> Options {
    Options::new()
        .timeout(Duration::from_secs(5))
        .stall_timeout(Duration::from_secs(1))
        .connect_timeout(Duration::from_secs(1))
        .retries(2)
}

/// Options for the S3 server at `endpoint`. With keys, no other server is asked for them.
pub(crate) fn s3(endpoint: &str) -> Options {
    Options::new()
        .timeout(Duration::from_secs(20))
        .config("aws_endpoint_url", endpoint)
        .config("aws_access_key_id", ACCESS_KEY)
        .config("aws_secret_access_key", SECRET_KEY)
        .config("aws_region", "us-east-1")
        .config("aws_allow_http", "true")
        .part_size(5 << 20)
}

/// The S3 server of this process. It ends with the process.
static MOTO: LazyLock<Option<Moto>> = LazyLock::new(Moto::start);

/// The S3 server with a new bucket, and the options for it, if it is installed.
pub(crate) fn moto(bucket: &str) -> Option<(&'static Moto, Options)> {
    let server = MOTO.as_ref()?;
    server.create_bucket(bucket).unwrap();
    Some((server, s3(&server.endpoint())))
}

/// Registers the URLs of all stores, once for this process. `s3://` leads to [`moto`].
pub(crate) fn register() {
    static REGISTERED: LazyLock<()> = LazyLock::new(|| {
        // Nothing listens on port 1.
        let endpoint = MOTO.as_ref().map_or("http://127.0.0.1:1".to_owned(), Moto::endpoint);
        rntuple_object_store::register_with(s3(&endpoint));
    });
    *REGISTERED
}

/// A file of nested events, longer than what is read when a file is opened.
pub(crate) const NESTED: fn() -> Events = || Events::new(4, 6000);

/// The bytes of [`NESTED`].
pub(crate) fn nested() -> Vec<u8> {
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| NESTED().write().unwrap());
    BYTES.clone()
}

/// Walks through events. A wrong value is a panic.
pub(crate) fn walk_events(files: impl Into<Files>, sample: Events) -> Result<()> {
    let reader = Reader::<Event>::open(files, Events::NAME)?;
    let mut count = 0;
    for event in reader.entries() {
        assert_eq!(event?, Event::new(count % sample.count()), "entry {count}");
        count += 1;
    }
    assert_eq!(count, reader.entry_count()?);
    assert!(count > 0 && count.is_multiple_of(sample.count()), "{count} entries");
    Ok(())
}

/// Walks through a file of many columns, and looks at 30 of them or so. A wrong value is a panic.
pub(crate) fn walk_wide(files: impl Into<Files>, sample: Wide) -> Result<()> {
    let reader = Reader::<Value>::open(files, Wide::NAME)?;
    let step = sample.columns().div_ceil(30);
    let mut count = 0;
    for entry in reader.entries() {
        let entry = entry?;
        // Others in each entry.
        for column in (count as u16 % step..sample.columns()).step_by(step.into()) {
            assert_eq!(entry.get(&Wide::name(column)), Some(&Wide::value(column, count)), "entry {count}");
        }
        count += 1;
    }
    assert_eq!(count, sample.count());
    Ok(())
}

/// Opens an object, and walks through its events.
pub(crate) fn walk(url: &str, options: &Options) -> Result<()> {
    walk_events(ObjectFile::open(url, options)?, NESTED())
}

/// All bytes of an object.
pub(crate) fn bytes_of(url: &str, options: &Options) -> io::Result<Vec<u8>> {
    let file = Arc::new(ObjectFile::open(url, options)?);
    Ok(file.block(0..file.size())?.to_vec())
}
