//! Files are read from each kind of server, with few requests.

use std::fs;

use rntuple::{Files, ReadOptions, Reader, storage::Cache};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{FileServer, Request};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::{Nginx, Xrootd};

use crate::common::{NESTED, moto, nested, quick, register, walk, walk_events, walk_wide};

/// Reads `small.root`, `nested.root` and `wide.root`, which are under `base`.
fn read_all(base: &str, options: &Options) {
    let open = |name: &str| ObjectFile::open(&format!("{base}/{name}"), options).unwrap();
    walk_events(open("small.root"), Events::small()).unwrap();
    walk(&format!("{base}/nested.root"), options).unwrap();
    walk_wide(open("wide.root"), Wide::small()).unwrap();
    let missing = ObjectFile::open(&format!("{base}/missing.root"), options).unwrap_err();
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound, "{base}: {missing}");
}

fn samples() -> [(&'static str, Vec<u8>); 3] {
    [
        ("small.root", Events::small().write().unwrap()),
        ("nested.root", nested()),
        ("wide.root", Wide::small().write().unwrap()),
    ]
}

#[test]
fn file_server() {
    let server = FileServer::start(samples().map(|(name, bytes)| (format!("/{name}"), bytes))).unwrap();
    read_all(&server.url(""), &quick());
}

#[test]
fn nginx() {
    let Some(server) = Nginx::start() else { return };
    for (name, bytes) in samples() {
        fs::write(server.folder().join(name), bytes).unwrap();
    }
    read_all(&server.url(""), &quick());
    let authority = fs::read(server.authority()).unwrap();
    read_all(&server.tls_url(""), &quick().ca_certificate(authority));
    // An authority that is not known.
    let error = ObjectFile::open(&server.tls_url("/small.root"), &quick()).unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    // TLS where none is spoken, and the reverse.
    let error = ObjectFile::open(&format!("https://{}/small.root", server.address()), &quick()).unwrap_err();
    assert!(!error.to_string().is_empty(), "{error}");
    let error = ObjectFile::open(&format!("http://{}/small.root", server.tls_address()), &quick());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("400"), "{error}");
}

#[test]
fn xrootd_http() {
    let Some(server) = Xrootd::start() else { return };
    for (name, bytes) in samples() {
        fs::write(server.folder().join(name), bytes).unwrap();
    }
    read_all(&server.http_url(""), &quick());
}

#[test]
fn s3_of_moto() {
    let Some((server, options)) = moto("reading") else { return };
    for (name, bytes) in samples() {
        server.put("reading", &format!("some/folder/{name}"), &bytes).unwrap();
    }
    read_all("s3://reading/some/folder", &options);
}

#[cfg(feature = "s3s")]
#[test]
fn s3_of_s3s() {
    let server = rntuple_remote_tests::servers::S3s::start().unwrap();
    server.create_bucket("reading").unwrap();
    for (name, bytes) in samples() {
        server.put("reading", name, &bytes).unwrap();
    }
    let options = crate::common::s3(&server.endpoint());
    read_all("s3://reading", &options);
    let wrong = options.config("aws_secret_access_key", "wrong");
    let error = ObjectFile::open("s3://reading/small.root", &wrong).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
}

#[test]
fn urls_where_paths_are() {
    register();
    let server = FileServer::start([("/a%20b/nested.root", nested()), ("/second.root", nested())]).unwrap();
    let second = server.url("/second.root");
    walk_events([second.as_str(), second.as_str()], NESTED()).unwrap();
    walk_events(server.url("/a%20b/nested.root").as_str(), NESTED()).unwrap();
    let error = Reader::<Event>::open(server.url("/none.root").as_str(), Events::NAME).unwrap_err();
    assert!(error.to_string().contains("/none.root"), "{error}");
}

#[test]
fn patterns_of_s3() {
    let Some((server, _)) = moto("patterns") else { return };
    register();
    let small = Events::small().write().unwrap();
    for key in
        ["run1/x1.root", "run1/x2.root", "run2/x1.root", "run2/y1.root", "run2/x11.root", "other/x1.root"]
    {
        server.put("patterns", key, &small).unwrap();
    }
    let files = Files::glob("s3://patterns/run*/x?.root").unwrap();
    let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
    assert_eq!(reader.entry_count().unwrap(), 3 * Events::small().count());
    walk_events("s3://patterns/run2/y1.root", Events::small()).unwrap();
    let error = Files::glob("s3://patterns/run*/z?.root").unwrap_err();
    assert!(error.to_string().contains("s3://patterns/run*/z?.root"), "{error}");
    Files::glob("s3://no-such-bucket/*.root").unwrap_err();
}

/// No server need understand `bytes=-n`.
fn assert_plain(requests: &[Request]) {
    for request in requests {
        let range = request.range.as_deref().unwrap_or_default();
        assert!(range.starts_with("bytes=") && !range.starts_with("bytes=-"), "{request:?}");
        let (_, end) = range.split_once('-').unwrap();
        assert!(!end.is_empty() && request.method == "GET", "{request:?}");
    }
}

#[test]
fn opening_takes_few_requests() {
    let sample = Events::large();
    let server = FileServer::start([
        ("/small.root", Events::small().write().unwrap()),
        ("/large.root", sample.write().unwrap()),
    ])
    .unwrap();
    for name in ["/small.root", "/large.root"] {
        let file = ObjectFile::open(&server.url(name), &quick()).unwrap();
        let _reader = Reader::<Event>::open(file, Events::NAME).unwrap();
        let requests = server.take_requests();
        assert!(requests.len() <= 3, "{name}: {requests:#?}");
        assert_plain(&requests);
    }
}

#[test]
fn a_walk_takes_few_requests() {
    let sample = Wide::large();
    let bytes = sample.write().unwrap();
    let size = bytes.len();
    let server = FileServer::start([("/wide.root", bytes)]).unwrap();
    let file = ObjectFile::open(&server.url("/wide.root"), &Options::new()).unwrap();
    walk_wide(file, sample).unwrap();
    let requests = server.take_requests();
    assert!(requests.len() <= size.div_ceil(8 << 20) + 2 + 2, "{}: {requests:#?}", requests.len());
    assert_plain(&requests);
}

#[test]
fn a_cache_needs_only_the_requests_of_opening() {
    register();
    let server = FileServer::start([("/nested.root", nested())]).unwrap();
    let url = server.url("/nested.root");
    let cache = Cache::new(64 << 20);
    let options = || ReadOptions::new().cache(&cache);
    let mut counts = Vec::new();
    for _ in 0..2 {
        let reader = Reader::<Event>::open_with(url.as_str(), Events::NAME, options()).unwrap();
        for (number, event) in reader.entries().enumerate() {
            assert_eq!(event.unwrap(), Event::new(number as u64));
        }
        counts.push(server.take_requests().len());
    }
    assert!(counts[0] > counts[1] && counts[1] <= 2, "{counts:?}");
    // Another version is another file.
    let mut other = nested();
    other.extend_from_slice(&[0; 10]);
    server.put("/nested.root", other);
    let reader = Reader::<Event>::open_with(url.as_str(), Events::NAME, options()).unwrap();
    assert_eq!(reader.entries().filter_map(Result::ok).count() as u64, 24_000);
    assert!(server.take_requests().len() > counts[1]);
}
