//! Networks that fail: the right values, or an error in time.

use std::any::Any;
use std::fs;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
use rntuple_remote_tests::servers::Nginx;

use super::store::{Over, PATH, SAMPLE, attempt, quick, sample, server};
use crate::values::read_events;

/// How the sample is read at an address.
type Read = Box<dyn Fn(SocketAddr, &Options) -> Result<(), String> + Send>;

/// The sample on a server, over each protocol.
struct Target {
    name: &'static str,
    address: SocketAddr,
    read: Read,
    _server: Box<dyn Any + Send>,
}

fn targets() -> Vec<Target> {
    let plain = Over::ALL.map(|over| {
        let (name, server) = (over.name(), server());
        let read: Read = Box::new(move |address, options| over.attempt(address, options));
        Target { name, address: server.address(), read, _server: Box::new(server) }
    });
    let tls = Nginx::start().map(|server| {
        fs::write(server.folder().join("events.root"), sample()).unwrap();
        let authority = fs::read(server.authority()).unwrap();
        let read: Read = Box::new(move |address, options| {
            let url = format!("https://localhost:{}{PATH}", address.port());
            attempt(&url, &options.clone().ca_certificate(authority.clone()))
        });
        Target { name: "TLS", address: server.tls_address(), read, _server: Box::new(server) }
    });
    plain.into_iter().chain(tls).collect()
}

/// Checks all targets at once: each check mostly waits.
fn for_each_target(check: impl Fn(Target) + Sync) {
    thread::scope(|scope| {
        for target in targets() {
            let check = &check;
            scope.spawn(move || check(target));
        }
    });
}

#[test]
fn every_fault_once_and_always() {
    for_each_target(|Target { name, address, read, _server }| {
        // In the first head, at its end, in the first body, and after it: in the second head, and in the pages.
        let all: &[u64] = &[0, 100, 1_000, 262_600, 800_000];
        for (link, places) in [(Link::ideal(), all), (Link::new(Duration::from_millis(20)), &[1_000])] {
            let proxy = Proxy::start(address, link).unwrap();
            for &byte in places {
                for fault in [
                    Fault::Cut { after_bytes: byte },
                    Fault::Truncate { after_bytes: byte },
                    Fault::Stall { after_bytes: byte },
                ] {
                    proxy.set(fault, Repeat::Times(1));
                    read(proxy.address(), &quick())
                        .unwrap_or_else(|error| panic!("{name}: {fault:?}: {error}"));
                    assert!(proxy.counters().faults > 0);
                }
            }
        }
        let proxy = Proxy::start(address, Link::ideal()).unwrap();
        proxy.set(Fault::Refuse, Repeat::Times(2));
        proxy.reset_all();
        read(proxy.address(), &quick()).unwrap();
        let impatient = quick().retries(1).stall_timeout(Duration::from_millis(300));
        for fault in [
            Fault::Cut { after_bytes: 1_000 },
            Fault::Truncate { after_bytes: 1_000 },
            Fault::Stall { after_bytes: 1_000 },
            Fault::Stall { after_bytes: 0 },
            Fault::Refuse,
        ] {
            proxy.set(fault, Repeat::Always);
            proxy.reset_all();
            let error = read(proxy.address(), &impatient).unwrap_err();
            assert!(error.contains("GET bytes 0..262144: "), "{name}: {fault:?}: {error}");
        }
    });
}

/// One request has its time and no more: ten seconds are for a busy machine.
#[test]
fn an_error_comes_in_time() {
    for_each_target(|Target { name, address, read, _server }| {
        let proxy = Proxy::start(address, Link::ideal()).unwrap();
        let timeout = Duration::from_secs(2);
        let options = Options::new().timeout(timeout).retries(100);
        for fault in [Fault::Stall { after_bytes: 0 }, Fault::Stall { after_bytes: 5_000 }, Fault::Refuse] {
            proxy.set(fault, Repeat::Always);
            proxy.reset_all();
            let begun = Instant::now();
            read(proxy.address(), &options).unwrap_err();
            let elapsed = begun.elapsed();
            assert!(elapsed < timeout + Duration::from_secs(10), "{name}: {fault:?}: {elapsed:?}");
        }
    });
}

#[test]
fn a_flipped_bit_is_never_a_value() {
    for_each_target(|Target { name, address, read, _server }| {
        let proxy = Proxy::start(address, Link::ideal()).unwrap();
        let impatient = quick().stall_timeout(Duration::from_millis(300)).timeout(Duration::from_secs(3));
        let mut failed = 0;
        for at_byte in (0..20).map(|number| number * 17).chain([1_000, 30_000, 70_000, 200_000, 400_000]) {
            proxy.reset_all();
            proxy.set(Fault::Corrupt { at_byte, every: None }, Repeat::Always);
            failed += usize::from(read(proxy.address(), &impatient).is_err());
        }
        assert!(failed > 5, "{name}: {failed}");
        proxy.reset_all();
        proxy.set(Fault::Corrupt { at_byte: 1_000, every: Some(100_000) }, Repeat::Always);
        assert!(read(proxy.address(), &impatient).is_err(), "{name}");
    });
}

#[test]
fn connections_that_are_reset_are_made_again() {
    let server = server();
    let link = Link::new(Duration::from_millis(10)).bandwidth(10_000_000);
    let proxy = Proxy::start(server.address(), link).unwrap();
    let file = ObjectFile::open(&format!("http://{}{PATH}", proxy.address()), &quick()).unwrap();
    // The idle connection is gone when the next request is made.
    proxy.reset_all();
    assert_eq!(read_events(file).unwrap(), SAMPLE.count());
}

#[test]
fn servers_that_are_not_there() {
    let options = quick().connect_timeout(Duration::from_millis(500)).retries(1);
    let error = ObjectFile::open("http://127.0.0.1:1/a.root", &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET bytes 0..262144: tcp connect error: Connection refused (os error 111) (after 1 retries)"
    );
    let error = ObjectFile::open("http://nowhere.invalid/a.root", &options).unwrap_err().to_string();
    assert!(error.contains("dns error"), "{error}");
    let error =
        ObjectFile::open("s3://bucket/a.root", &super::store::s3("http://127.0.0.1:1", options)).unwrap_err();
    assert!(error.to_string().contains("Connection refused"), "{error}");
}
