//! Google Cloud Storage and Azure: the same as S3 where it matters.

use std::io::IoSlice;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{Files, Reader, WriteOptions, Writer};
use rntuple_object_store::{ObjectFile, ObjectWriter, Options};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
use rntuple_remote_tests::servers::{AZURITE_ACCOUNT, AZURITE_KEY, Azurite, FakeGcs};

use super::store::{patient, registered};
use super::stores::{Bucket, buckets};
use super::writing::{COUNT, Trace, check, fill, options};

/// In one request, and in four parts.
const OBJECTS: [(&str, u64); 3] = [("a/run1.root", 10), ("a/run2.root", COUNT), ("a/other.root", 1)];

/// Options that make another file of the same size.
fn other() -> WriteOptions {
    options().uuid(*b"fedcba9876543210")
}

/// Writes objects to a folder.
fn check_writing(folder: &str, options_of_store: &Options) {
    for (name, count) in OBJECTS {
        let url = format!("{folder}/{name}");
        let mut writer = Writer::<Trace>::create_new(&*url, "Traces", options()).unwrap();
        fill(&mut writer, count).unwrap();
        assert!(ObjectFile::open(&url, options_of_store).is_err(), "nothing is seen before the end");
        writer.finish().unwrap();
        check(&url, count);
        let error = Writer::<Trace>::create_new(&*url, "Traces", options()).map(drop).unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");
    }
    // An upload that is given up leaves what is there.
    let url = format!("{folder}/a/run1.root");
    let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
    fill(&mut writer, COUNT).unwrap();
    drop(writer);
    check(&url, 10);
}

/// Reads [`OBJECTS`] of a folder. `replace` puts [`other`] bytes into the one of many entries.
fn check_reading(folder: &str, options_of_store: &Options, replace: impl FnOnce(&str)) {
    for (name, count) in OBJECTS {
        check(&format!("{folder}/{name}"), count);
    }
    let files = Files::glob(&format!("{folder}/a/run?.root")).unwrap();
    let reader = Reader::<Trace>::open(files, "Traces").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 10 + COUNT);
    assert_eq!(reader.get(10 + 77).unwrap(), Trace::new(77));
    let error = Reader::<Trace>::open(format!("{folder}/none.root"), "Traces").map(drop).unwrap_err();
    assert!(error.to_string().contains("there is no such object"), "{error}");

    let open = || ObjectFile::open(&format!("{folder}/a/run2.root"), options_of_store).unwrap();
    let file = open();
    let middle = file.size() / 2..file.size() / 2 + 1000;
    file.block(middle.clone()).unwrap();
    replace("a/run2.root");
    assert_eq!(open().size(), file.size());
    assert_ne!(open().version(), file.version());
    let error = file.block(middle).unwrap_err().to_string();
    assert!(error.contains("replaced while it was read"), "{error}");
}

/// Options with the smallest parts for Azurite at an address.
fn azurite(address: SocketAddr) -> Options {
    patient()
        .part_size(5 << 20)
        .config("azure_storage_endpoint", format!("http://{address}/{AZURITE_ACCOUNT}"))
        .config("azure_storage_account_name", AZURITE_ACCOUNT)
        .config("azure_storage_account_key", AZURITE_KEY)
        .config("azure_allow_http", "true")
}

#[test]
fn azure() {
    let Some(server) = Azurite::start() else { return };
    server.create_container("traces").unwrap();
    let options = azurite(server.address());
    let _registered = registered(options.clone());
    check_writing("az://traces", &options);
    check_reading("az://traces", &options, |name| {
        let mut writer = Writer::<Trace>::create(format!("az://traces/{name}"), "Traces", other()).unwrap();
        fill(&mut writer, COUNT).unwrap();
        writer.finish().unwrap();
    });
}

#[test]
fn azure_is_written_over_a_network_that_fails_once_or_not_at_all() {
    let Some(server) = Azurite::start() else { return };
    server.create_container("traces").unwrap();
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let patient = azurite(proxy.address());
    let impatient = patient.clone().stall_timeout(Duration::from_secs(5));
    // In one request, and in two parts.
    let (small, large) = (50_000, 6 << 20);
    for (fault, options, sizes) in [
        (Fault::Cut { after_bytes: 0 }, &patient, &[small, large][..]),
        (Fault::Truncate { after_bytes: 100 }, &patient, &[small, large]),
        (Fault::Unanswered { request: "PUT " }, &patient, &[small, large]),
        (Fault::Refuse, &patient, &[small, large]),
        (Fault::Stall { after_bytes: 0 }, &impatient, &[small]),
    ] {
        for (&size, (repeat, retries)) in
            sizes.iter().flat_map(|size| [(size, (Repeat::Times(1), 2)), (size, (Repeat::Always, 0))])
        {
            let occurred = proxy.counters().faults;
            let url = format!("az://traces/{occurred}");
            let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            proxy.reset_all();
            proxy.set(fault, repeat);
            let begun = Instant::now();
            let mut writer = ObjectWriter::create(&url, false, &options.clone().retries(retries)).unwrap();
            let written = writer.write_at(0, &[IoSlice::new(&bytes)]).and_then(|()| writer.publish());
            proxy.clear();
            drop(writer);
            let case = format!("{size}: {fault:?}, {repeat:?}: {written:?}");
            assert!(begun.elapsed() < Duration::from_secs(60), "{case}: {:?}", begun.elapsed());
            assert!(proxy.counters().faults > occurred, "{case}");
            assert_eq!(written.is_ok(), repeat == Repeat::Times(1), "{case}");
            // An object whose answer was lost may be there; then it is whole.
            match ObjectFile::open(&url, &patient) {
                Ok(file) => assert!(*file.block(0..file.size()).unwrap() == bytes, "{case}"),
                Err(error) => {
                    assert!(written.is_err() && error.to_string().contains("no such object"), "{case}")
                }
            }
        }
    }
}

/// Google's interface in XML, by which our client writes, is that of S3 in all that is needed.
#[test]
fn google_cloud_storage_is_written_as_s3_is() {
    let Some(bucket) = buckets("google").into_iter().find(Bucket::lists_uploads) else { return };
    let endpoint = format!("http://{}", bucket.address());
    // Nothing is written without an account: this one is sent as it is.
    let account = format!(
        r#"{{"gcs_base_url":"{endpoint}","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}}"#
    );
    let options_of_store = patient()
        .part_size(5 << 20)
        .config("google_service_account_key", account)
        .config("google_allow_http", "true");
    let _registered = registered(options_of_store);
    let folder = tempfile::tempdir().unwrap();
    for (name, count) in OBJECTS {
        // A file has its name in it.
        let local = folder.path().join(name.rsplit('/').next().unwrap());
        let mut writer = Writer::<Trace>::create(&local, "Traces", options()).unwrap();
        fill(&mut writer, count).unwrap();
        writer.finish().unwrap();
        let url = format!("gs://{}/{name}", bucket.name);
        let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
        fill(&mut writer, count).unwrap();
        assert_eq!((bucket.bytes(name), bucket.pending() > 0), (None, count == COUNT));
        writer.finish().unwrap();
        assert!(bucket.bytes(name).unwrap() == std::fs::read(local).unwrap(), "{name}");
        assert_eq!(bucket.pending(), 0);
    }
    // An upload that is given up leaves what is there.
    let url = format!("gs://{}/a/run1.root", bucket.name);
    let before = bucket.bytes("a/run1.root");
    let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
    fill(&mut writer, COUNT).unwrap();
    assert_eq!(bucket.pending(), 1);
    drop(writer);
    assert_eq!(bucket.pending(), 0);
    assert!(bucket.bytes("a/run1.root") == before);
}

/// Objects are written by the interface in JSON: the server does not have the one in XML, by which our client writes.
#[test]
fn google_cloud_storage() {
    let Some(server) = FakeGcs::start() else { return };
    server.create_bucket("traces").unwrap();
    let options_of_store = patient()
        .config("google_base_url", server.endpoint())
        .config("google_skip_signature", "true")
        .config("google_allow_http", "true");
    let _registered = registered(options_of_store.clone());
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, count: u64, options: WriteOptions| {
        let path = folder.path().join("traces.root");
        let mut writer = Writer::<Trace>::create(&path, "Traces", options).unwrap();
        fill(&mut writer, count).unwrap();
        writer.finish().unwrap();
        server.put("traces", name, &std::fs::read(path).unwrap()).unwrap();
    };
    for (name, count) in OBJECTS {
        put(name, count, options());
    }
    check_reading("gs://traces", &options_of_store, |name| put(name, COUNT, other()));
}
