//! Servers and networks that fail: right values or a clear error, and soon.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rntuple::{Reader, Result};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{ETag, Fault, FileServer, Habits, Rule};
use rntuple_remote_tests::proxy::{self, Link, Proxy, Repeat};
use rntuple_remote_tests::sample::{Event, Events};
use rntuple_remote_tests::servers::Nginx;

use crate::common::{nested, quick, register, walk};

/// How a walk ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Right,
    /// An error with this text.
    Error(&'static str),
    /// Right values, or any error.
    Either,
}
use End::{Either, Error, Right};

fn check(what: &str, end: End, result: &Result<()>, time: Duration) {
    let is_expected = match (end, result) {
        (Right, Ok(())) | (Either, _) => true,
        (Error(text), Err(error)) => error.to_string().contains(text),
        _ => false,
    };
    assert!(is_expected, "{what}: {result:?}, expected {end:?}");
    // An error comes within the time of one request; a pass takes a pause or two.
    assert!(time < Duration::from_secs(6), "{what}: {time:?}");
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn kind(error: &rntuple::Error) -> Option<io::ErrorKind> {
    error.io_error().map(io::Error::kind)
}

/// Walks through a file on a server of these habits, with these rules.
fn walk_with(habits: Habits, rules: Vec<Rule>) -> (Result<()>, Duration) {
    let server =
        FileServer::start([("/f.root", nested()), ("/other.root", nested()), ("/empty.root", Vec::new())])
            .unwrap();
    server.set_habits(habits);
    rules.into_iter().for_each(|rule| server.add(rule));
    timed(|| walk(&server.url("/f.root"), &quick()))
}

#[test]
fn every_wrong_answer() {
    let status = |code| Rule::new(Fault::status(code));
    let on = |fault: Fault| Rule::new(fault);
    let trickle = |bytes, millis| on(Fault::Trickle { bytes, pause: Duration::from_millis(millis) });
    let mut other = nested();
    other[1000] ^= 1;
    let redirect = |to: &str| on(Fault::Redirect(to.to_owned()));
    let rows: Vec<(&str, Rule, End)> = vec![
        ("404", status(404), Error("there is no such object")),
        ("403", status(403), Error("refuses access")),
        ("401", status(401), Error("credentials")),
        ("404 later", status(404).skip(2), Error("/f.root")),
        ("412 later", status(412).skip(2), Error("was replaced")),
        ("416", status(416), Error("")),
        ("500", status(500), Error("500")),
        ("500 once", status(500).times(1), Right),
        ("500 twice, later", status(500).skip(1).times(2), Right),
        ("503 once", status(503).times(1), Right),
        ("503", status(503), Error("503")),
        ("429 once", status(429).times(1), Right),
        ("whole file", on(Fault::WholeFile), Error("ignores requests for ranges")),
        ("whole file once", on(Fault::WholeFile).times(1), Right),
        ("whole file later", on(Fault::WholeFile).skip(2), Error("ignores requests for ranges")),
        ("truncated", on(Fault::Truncated(1000)), Error("GET bytes")),
        ("truncated once", on(Fault::Truncated(1000)).times(1), Right),
        ("truncated once, later", on(Fault::Truncated(1000)).skip(1).times(1), Right),
        ("truncated to nothing, later", on(Fault::Truncated(0)).skip(1).times(1), Right),
        ("short", on(Fault::ShortRange), Error("")),
        ("short later", on(Fault::ShortRange).skip(1), Error("/f.root")),
        ("wrong", on(Fault::WrongRange), Error("")),
        ("wrong later", on(Fault::WrongRange).skip(1), Error("/f.root")),
        ("corrupt", on(Fault::Corrupt), Error("/f.root")),
        ("corrupt end", on(Fault::Corrupt).skip(1).times(1), Either),
        ("corrupt later", on(Fault::Corrupt).skip(2), Error("checksum")),
        ("trickle", trickle(16 << 10, 5), Right),
        ("slow trickle", trickle(50, 10), Error("no answer within 5s")),
        ("silence", on(Fault::Silence), Error("")),
        ("silence once", on(Fault::Silence).times(1), Right),
        ("silence once, later", on(Fault::Silence).skip(2).times(1), Right),
        ("hangup", on(Fault::Hangup), Error("")),
        ("hangup once", on(Fault::Hangup).times(1), Right),
        ("hangup once, later", on(Fault::Hangup).skip(2).times(1), Right),
        ("redirect", redirect("/other.root").path("/f.root"), Right),
        ("redirect to nothing", redirect("/none.root").path("/f.root"), Error("no such object")),
        ("redirect in a circle", redirect("/f.root"), Error("redirect")),
        ("redirect to another scheme", redirect("ftp://127.0.0.1/f.root"), Error("")),
        ("redirect to an empty file", redirect("/empty.root").path("/f.root"), Error("")),
        ("replace", on(Fault::Replace(other.clone())).skip(1).times(1), Error("was replaced")),
        ("replace later", on(Fault::Replace(other)).skip(2).times(1), Error("was replaced")),
    ];
    thread::scope(|scope| {
        for (what, rule, end) in rows {
            scope.spawn(move || {
                let (result, time) = walk_with(Habits::new(), vec![rule]);
                check(what, end, &result, time);
            });
        }
    });
}

#[test]
fn pauses_that_servers_ask_for() {
    let rule = Rule::new(Fault::status(503).retry_after(1)).times(1);
    let (result, time) = walk_with(Habits::new(), vec![rule]);
    result.unwrap();
    assert!(time >= Duration::from_secs(1), "{time:?}");
    // Longer than the time that a request has.
    let (result, time) = walk_with(Habits::new(), vec![Rule::new(Fault::status(503).retry_after(30))]);
    check("a long pause", Error("5s"), &result, time);
}

#[test]
fn every_habit() {
    let new = Habits::new;
    let rows = [
        ("none", new(), Right),
        ("weak e-tag", new().e_tag(ETag::Weak), Right),
        ("weak e-tag, no date", new().e_tag(ETag::Weak).last_modified(false), Right),
        ("e-tag of the size", new().e_tag(ETag::OfSize), Right),
        ("no e-tag", new().e_tag(ETag::None), Right),
        ("no date", new().last_modified(false), Right),
        ("neither", new().e_tag(ETag::None).last_modified(false), Right),
        ("no conditions", new().conditions(false), Right),
        ("no ranges", new().ranges(false), Error("ignores requests for ranges")),
        ("case counts", new().case_sensitive(true), Right),
        ("short connections", new().keep_alive(false), Right),
        ("token", new().token("t"), Error("credentials")),
        ("XRootD", Habits::xrootd(), Right),
    ];
    for (what, habits, end) in rows {
        let (result, time) = walk_with(habits, Vec::new());
        check(what, end, &result, time);
    }
}

#[test]
fn small_and_wrong_files() {
    for length in [0, 1, 100, 5000, 65_535, 65_536, 65_537, 400_000] {
        let server = FileServer::start([
            ("/cut.root", nested().get(..length).unwrap().to_vec()),
            ("/zeros.root", vec![0; length]),
        ])
        .unwrap();
        for name in ["/cut.root", "/zeros.root"] {
            let file = ObjectFile::open(&server.url(name), &quick()).unwrap();
            assert_eq!(rntuple::storage::ReadAt::size(&file), length as u64);
            let error = Reader::<Event>::open(file, Events::NAME).unwrap_err().to_string();
            assert!(error.contains(name), "{length}: {error}");
        }
    }
}

#[test]
fn replaced_objects() {
    let new = Habits::new;
    let mut other = nested();
    let middle = other.len() / 2;
    other[middle] ^= 1;
    let mut longer = nested();
    longer.push(0);
    let rows = [
        ("strong e-tag", new(), &other),
        ("strong e-tag, no conditions", new().conditions(false), &other),
        ("weak e-tag", new().e_tag(ETag::Weak), &other),
        (
            "weak e-tag alone, no conditions",
            new().e_tag(ETag::Weak).last_modified(false).conditions(false),
            &other,
        ),
        ("weak e-tag alone", new().e_tag(ETag::Weak).last_modified(false), &other),
        ("date", new().e_tag(ETag::None), &other),
        ("date, no conditions", new().e_tag(ETag::None).conditions(false), &other),
        ("size", new().e_tag(ETag::None).last_modified(false), &longer),
        ("size, XRootD", Habits::xrootd(), &longer),
    ];
    for (what, habits, bytes) in rows {
        for skip in [1, 2] {
            let server = FileServer::start([("/f.root", nested())]).unwrap();
            server.set_habits(habits.clone());
            server.add(Rule::new(Fault::Replace(bytes.clone())).skip(skip).times(1));
            let error = walk(&server.url("/f.root"), &quick()).unwrap_err();
            assert_eq!(kind(&error), Some(io::ErrorKind::StaleNetworkFileHandle), "{what}: {error}");
            assert!(error.to_string().contains("/f.root"), "{what}: {error}");
            // The new object is there for who opens it.
            ObjectFile::open(&server.url("/f.root"), &quick()).unwrap();
        }
    }
    // Removed.
    let server = FileServer::start([("/f.root", nested())]).unwrap();
    let file = ObjectFile::open(&server.url("/f.root"), &quick()).unwrap();
    let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
    server.remove("/f.root");
    let error = reader.entries().find_map(Result::err).unwrap();
    assert_eq!(kind(&error), Some(io::ErrorKind::NotFound), "{error}");
}

fn walk_over(fault: proxy::Fault, repeat: Repeat) -> (Result<()>, Duration) {
    let server = FileServer::start([("/f.root", nested())]).unwrap();
    let network = Proxy::start(server.address(), Link::ideal()).unwrap();
    network.set(fault, repeat);
    timed(|| walk(&format!("http://{}/f.root", network.address()), &quick()))
}

#[test]
fn every_fault_of_the_network() {
    use proxy::Fault::{Corrupt, Cut, Refuse, Stall, Truncate};
    let mut rows = vec![
        (Refuse, Repeat::Times(2), Right),
        (Refuse, Repeat::Always, Error("")),
        (Corrupt { at_byte: 10_000, every: Some(50_000) }, Repeat::Always, Error("")),
        (Corrupt { at_byte: 500_000, every: None }, Repeat::Always, Error("checksum")),
    ];
    for after_bytes in [0, 20, 200, 10_000, 100_000, 500_000] {
        rows.push((Cut { after_bytes }, Repeat::Times(1), Right));
        rows.push((Truncate { after_bytes }, Repeat::Times(1), Right));
        rows.push((Stall { after_bytes }, Repeat::Times(1), Right));
        // With more bytes each connection makes progress.
        if after_bytes < 65_000 {
            rows.push((Cut { after_bytes }, Repeat::Always, Error("")));
            rows.push((Truncate { after_bytes }, Repeat::Always, Error("")));
            rows.push((Stall { after_bytes }, Repeat::Always, Error("")));
        }
    }
    thread::scope(|scope| {
        for (fault, repeat, end) in rows {
            scope.spawn(move || {
                let (result, time) = walk_over(fault, repeat);
                check(&format!("{fault:?} {repeat:?}"), end, &result, time);
            });
        }
    });
}

#[test]
fn damage_anywhere_in_an_answer() {
    // Headers and the first bytes of the object; those of a page and of the end.
    let places = (0..420).step_by(6).chain((70_000..1_000_000).step_by(60_001)).collect::<Vec<u64>>();
    thread::scope(|scope| {
        for places in places.chunks(places.len().div_ceil(16)) {
            scope.spawn(move || {
                for &at_byte in places {
                    let fault = proxy::Fault::Corrupt { at_byte, every: None };
                    let (result, time) = walk_over(fault, Repeat::Times(1));
                    check(&format!("byte {at_byte}"), Either, &result, time);
                }
            });
        }
    });
}

#[test]
fn secrets_are_in_no_text() {
    const SECRET: &str = "SECRET";
    let options = quick().bearer_token(SECRET).config("aws_secret_access_key", SECRET);
    let mut texts = vec![format!("{options:?}")];
    let mut ask = |url: String, options: &Options| {
        texts.push(match ObjectFile::open(&url, options) {
            Ok(file) => {
                let shown = format!("{file:?} {}", rntuple::storage::ReadAt::name(&file));
                shown + &format!("{:?}", Reader::<Event>::open(file, "None").unwrap_err())
            }
            Err(error) => format!("{error} {error:?}"),
        });
    };
    let codes = [400, 401, 403, 404, 409, 410, 416, 500, 503];
    let faults = codes.map(|code| Fault::status(code).into()).into_iter().chain([
        Fault::WholeFile,
        Fault::Hangup,
        Fault::ShortRange,
        Fault::WrongRange,
        Fault::Truncated(10),
        Fault::Redirect("/none.root?authz=SECRET".to_owned()),
        Fault::Redirect("/f.root?authz=SECRET".to_owned()),
        Fault::Redirect("http://127.0.0.1:1/f.root?authz=SECRET&more=1".to_owned()),
    ]);
    let server = FileServer::start([("/f.root", nested())]).unwrap();
    let url = server.url("/f.root?authz=SECRET");
    for fault in faults {
        server.add(Rule::new(fault));
        ask(url.clone(), &options.clone().retries(0));
        server.clear_rules();
    }
    ask(url, &options);
    let requests = server.requests();
    assert!(requests.iter().all(|it| it.header("Authorization").is_none()), "a token without TLS");
    assert!(requests.iter().any(|it| it.path.contains("authz=SECRET")));
    for url in [
        "http://127.0.0.1:1/f.root?authz=SECRET",
        "https://127.0.0.1:1/f.root?authz=SECRET",
        "http://user:SECRET@127.0.0.1/f.root",
        "http://127.0.0.1:99999/f.root?authz=SECRET",
        "http:///f.root?authz=SECRET",
        "s3:///f.root?authz=SECRET",
        "http://127.0.0.1:1/%ff?authz=SECRET",
        "ftp://user:SECRET@127.0.0.1/f.root?authz=SECRET",
    ] {
        ask(url.to_owned(), &options);
    }
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn tokens_are_sent_with_tls_only() {
    let elsewhere = FileServer::start([("/f.root", nested())]).unwrap();
    let directives = format!(
        "location /t.root {{ if ($http_authorization != \"Bearer SECRET\") {{ return 401; }} }}\n\
         location /plain.root {{ return 302 {}; }}\n\
         location /moved.root {{ return 302 /t.root; }}",
        elsewhere.url("/f.root")
    );
    let Some(server) = Nginx::start_with(&directives) else { return };
    std::fs::write(server.folder().join("t.root"), nested()).unwrap();
    let options = quick().ca_certificate(std::fs::read(server.authority()).unwrap());
    let with_token = options.clone().bearer_token("SECRET");
    walk(&server.tls_url("/t.root"), &with_token).unwrap();
    walk(&server.tls_url("/moved.root"), &with_token).unwrap();
    for (url, options) in [
        (server.tls_url("/t.root"), &options),
        (server.tls_url("/t.root"), &options.clone().bearer_token("OTHER")),
        (server.url("/t.root"), &with_token),
    ] {
        let error = ObjectFile::open(&url, options).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{url}: {error}");
    }
    // From TLS to none.
    let error = ObjectFile::open(&server.tls_url("/plain.root"), &with_token).unwrap_err();
    assert!(!error.to_string().contains("SECRET"), "{error}");
    assert!(elsewhere.requests().iter().all(|request| request.header("Authorization").is_none()));
    // A token that cannot be in a header.
    let error =
        ObjectFile::open(&server.tls_url("/t.root"), &options.bearer_token("SECRET\nX: 1")).unwrap_err();
    assert!(!error.to_string().contains("SECRET"), "{error}");
}

#[test]
fn errors_of_urls_have_no_secrets() {
    register();
    let server = FileServer::start([("/f.root", nested()), ("/not.root", vec![7; 1000])]).unwrap();
    for path in ["/not.root", "/f.root"] {
        let url = server.url(&format!("{path}?authz=SECRET"));
        let error = Reader::<Event>::open(url.as_str(), "None").unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(path) && !text.contains("SECRET"), "{text}");
    }
}
