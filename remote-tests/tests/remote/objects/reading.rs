//! What is read is what was written, from each server.

use std::fs;

use rntuple::{Files, Reader};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{FileServer, Habits};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::{Nginx, Xrootd};

use super::store::{PATH, SAMPLE, moto, patient, registered, s3, sample};
use crate::values::{check_wide, read_events};

const WIDE: &str = "/wide.root";

fn wide() -> (Wide, Vec<u8>) {
    // Its ends do not meet, either.
    let wide = Wide::new(30, 5, 1000);
    (wide, wide.write().unwrap())
}

/// Reads both samples.
fn check(url: impl Fn(&str) -> String, options: &Options) {
    let open = |path: &str| ObjectFile::open(&url(path), options).unwrap();
    assert_eq!(read_events(open(PATH)).unwrap(), SAMPLE.count());
    check_wide(open(WIDE), wide().0);
    let reader = Reader::<Event>::open(open(PATH), Events::NAME).unwrap();
    for entry in [11_999, 0, 3_000, 3_001, 2_999] {
        assert_eq!(reader.get(entry).unwrap(), Event::new(entry));
    }
    let error = ObjectFile::open(&url("/none.root"), options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
}

#[test]
fn a_plain_server() {
    let server = FileServer::start([(PATH, sample()), (WIDE, wide().1)]).unwrap();
    check(|path| server.url(path), &patient());
    server.set_habits(Habits::xrootd());
    check(|path| server.url(path), &patient());
    server.set_habits(Habits::new().keep_alive(false));
    check(|path| server.url(path), &patient());
}

#[test]
fn nginx_with_and_without_tls() {
    let Some(server) = Nginx::start() else { return };
    fs::write(server.folder().join(&PATH[1..]), sample()).unwrap();
    fs::write(server.folder().join(&WIDE[1..]), wide().1).unwrap();
    check(|path| server.url(path), &patient());
    let authority = fs::read(server.authority()).unwrap();
    check(|path| server.tls_url(path), &patient().ca_certificate(authority));
    // Without its authority no server is trusted, and the error says why.
    let error = ObjectFile::open(&server.tls_url(PATH), &patient().retries(0)).unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    let error = ObjectFile::open(&server.url(PATH), &patient().ca_certificate("no PEM")).unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[test]
fn the_http_door_of_xrootd() {
    let Some(server) = Xrootd::start() else { return };
    fs::write(server.folder().join(&PATH[1..]), sample()).unwrap();
    fs::write(server.folder().join(&WIDE[1..]), wide().1).unwrap();
    check(|path| server.http_url(path), &patient());
    // As in `root://host//path`.
    let url = server.http_url(&format!("/{PATH}"));
    assert_eq!(read_events(ObjectFile::open(&url, &patient()).unwrap()).unwrap(), SAMPLE.count());
    // Shorter than the first request, and shorter than any file.
    let small = Events::new(1, 10);
    fs::write(server.folder().join("small.root"), small.write().unwrap()).unwrap();
    let url = server.http_url("/small.root");
    assert_eq!(read_events(ObjectFile::open(&url, &patient()).unwrap()).unwrap(), 10);
    fs::write(server.folder().join("empty.root"), []).unwrap();
    let error = ObjectFile::open(&server.http_url("/empty.root"), &patient())
        .map(|file| read_events(file).unwrap_err().to_string())
        .unwrap();
    assert!(error.contains("/empty.root"), "{error}");
}

#[test]
fn directories_that_are_listed() {
    let paths = ["/runs/1/a.root", "/runs/2/a.root", "/runs/2/b.root", "/runs/a.root", "/other/1/a.root"];
    let server = FileServer::start(paths.map(|path| (path, sample()))).unwrap();
    server.set_habits(Habits::new().lists(true));
    let _registered = registered(patient());
    // A token goes along with each request, and is in no error.
    let files = Files::glob(&server.url("/runs/?/a*.root?authz=SECRET")).unwrap();
    let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
    assert_eq!(reader.entry_count().unwrap(), 2 * SAMPLE.count());
    assert_eq!(reader.get(SAMPLE.count() + 7).unwrap(), Event::new(7));
    let asked = server.take_requests();
    assert!(asked.iter().all(|request| request.path.ends_with("?authz=SECRET")), "{asked:?}");
    assert_eq!(asked.iter().filter(|request| request.method == "PROPFIND").count(), 3);
    let error = Files::glob(&server.url("/runs/*/c.root?authz=SECRET")).unwrap_err().to_string();
    assert!(error.contains("no file matches") && !error.contains("SECRET"), "{error}");
}

/// `object_store` lists directories by WebDAV, which `FileServer` does not have at first, and XRootD 5.5 speaks without `resourcetype`.
#[test]
fn directories_that_cannot_be_listed() {
    let server = FileServer::start([(PATH, sample())]).unwrap();
    let _registered = registered(patient());
    let mut urls = vec![server.url("/*.root")];
    let door = Xrootd::start();
    if let Some(door) = &door {
        fs::write(door.folder().join("x1.root"), sample()).unwrap();
        urls.push(door.http_url("/x?.root"));
    }
    for url in urls {
        let error = Files::glob(&url).unwrap_err().to_string();
        // What is after a question mark may be a query.
        let shown = url.split('?').next().unwrap();
        assert!(error.starts_with(shown) && error.contains("LIST: "), "{error}");
        assert!(error.contains("a server is asked for directories by WebDAV"), "{error}");
    }
}

/// A program that has a runtime of its own, and many threads.
#[cfg(feature = "s3s")]
#[test]
fn within_another_runtime() {
    let server = FileServer::start([(PATH, sample())]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let count =
        runtime.block_on(async { read_events(ObjectFile::open(&server.url(PATH), &patient()).unwrap()) });
    assert_eq!(count.unwrap(), SAMPLE.count());
    let file = std::sync::Arc::new(ObjectFile::open(&server.url(PATH), &patient()).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let file: std::sync::Arc<dyn rntuple::storage::ReadAt> = file.clone();
            scope.spawn(move || assert_eq!(read_events(file).unwrap(), SAMPLE.count()));
        }
    });
}

#[test]
fn moto_s3() {
    let Some(server) = moto() else { return };
    server.create_bucket("reading").unwrap();
    server.put("reading", &PATH[1..], &sample()).unwrap();
    server.put("reading", &WIDE[1..], &wide().1).unwrap();
    server.put("reading", "empty.root", &[]).unwrap();
    let options = s3(&server.endpoint(), patient());
    check(|path| format!("s3://reading{path}"), &options);
    let empty = ObjectFile::open("s3://reading/empty.root", &options).unwrap();
    assert_eq!(rntuple::storage::ReadAt::size(&empty), 0);
    let error = ObjectFile::open("s3://not-there/x.root", &options).unwrap_err();
    assert_eq!(error.to_string(), "GET bytes 0..262144: there is no such bucket");
    let public = patient().config("aws_endpoint_url", server.endpoint()).config("aws_allow_http", "true");
    let public = public.config("aws_region", "us-east-1").config("AWS_SKIP_SIGNATURE", "true");
    let file = ObjectFile::open("s3://reading/events.root", &public).unwrap();
    assert_eq!(read_events(file).unwrap(), SAMPLE.count());
}

#[cfg(feature = "s3s")]
#[test]
fn s3s_s3() {
    let server = rntuple_remote_tests::servers::S3s::start().unwrap();
    server.create_bucket("reading").unwrap();
    server.put("reading", &PATH[1..], &sample()).unwrap();
    server.put("reading", &WIDE[1..], &wide().1).unwrap();
    check(|path| format!("s3://reading{path}"), &s3(&server.endpoint(), patient()));
    let wrong = s3(&server.endpoint(), patient()).config("aws_secret_access_key", "wrong");
    let error = ObjectFile::open("s3://reading/events.root", &wrong).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
    assert!(error.to_string().contains("refuses access (SignatureDoesNotMatch)"), "{error}");
}

#[test]
fn urls_are_paths() {
    let server = FileServer::start([(PATH, sample()), (WIDE, wide().1)]).unwrap();
    let moto = moto();
    let endpoint = moto.as_ref().map(|moto| moto.endpoint()).unwrap_or_default();
    let _registered = registered(s3(&endpoint, patient()));
    assert_eq!(read_events(server.url(PATH)).unwrap(), SAMPLE.count());
    check_wide(server.url(WIDE), wide().0);
    // Escapes, and characters that some have to be.
    for name in ["a b+c~d'(1).root", "100%.root", "Ünï.root", "x[1]{2}.root", "a&b=c;d,e@f:g.root"] {
        let escaped = name.replace('%', "%25").replace(' ', "%20");
        server.put(&escaped_by_client(name), sample());
        assert_eq!(read_events(server.url(&format!("/{escaped}"))).unwrap(), SAMPLE.count(), "{name}");
    }
    let Some(moto) = moto else { return };
    moto.create_bucket("urls").unwrap();
    for (run, name) in [("run1", "x1.root"), ("run1", "x2.root"), ("run2", "x1.root"), ("run2", "x10.root")] {
        moto.put("urls", &format!("{run}/{name}"), &sample()).unwrap();
    }
    moto.put("urls", "other/x1.root", &[]).unwrap();
    assert_eq!(read_events("s3://urls/run1/x1.root").unwrap(), SAMPLE.count());
    let count = |pattern: &str| {
        let reader = Reader::<Event>::open(Files::glob(pattern).unwrap(), Events::NAME).unwrap();
        reader.entry_count().unwrap() / SAMPLE.count()
    };
    assert_eq!(count("s3://urls/run*/x?.root"), 3);
    assert_eq!(count("s3://urls/run2/*"), 2);
    assert_eq!(count("s3://urls/**/x10.root"), 1);
    let error = Files::glob("s3://urls/run3/*").unwrap_err().to_string();
    assert!(error.contains("no file matches"), "{error}");
    let error = Files::glob("s3://nowhere/*").unwrap_err().to_string();
    assert!(error.contains("s3://nowhere"), "{error}");
    // Names with what has a meaning in URLs.
    for name in ["odd/a%20b.root", "odd/50%25.root", "odd/c%23d.root", "odd/e%3Ff.root"] {
        moto.put("urls", name, &sample()).unwrap();
    }
    assert_eq!(count("s3://urls/odd/*.root"), 4);
}

/// The path of a name in a request, as the client escapes it.
fn escaped_by_client(name: &str) -> String {
    let escape = |c: char| match c {
        ' ' | '"' | '<' | '>' | '`' | '#' | '?' | '{' | '}' | '%' => format!("%{:02X}", u32::from(c)),
        c if c.is_ascii() => c.to_string(),
        c => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    format!("/{}", name.chars().map(escape).collect::<String>())
}
