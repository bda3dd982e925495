//! Networks that fail: the right values, or an error in time.

use std::time::Duration;

use rntuple_object_store::ObjectFile;
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};

use super::store::{PATH, SAMPLE, attempt, quick, server};
use crate::values::read_events;

#[test]
fn every_fault_once_and_always() {
    let server = server();
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("http://{}{PATH}", proxy.address());
    // In the first head, at its end, in the first body, and in those after it.
    for byte in [0, 100, 1_000, 65_900, 200_000] {
        for fault in [
            Fault::Cut { after_bytes: byte },
            Fault::Truncate { after_bytes: byte },
            Fault::Stall { after_bytes: byte },
        ] {
            proxy.set(fault, Repeat::Times(1));
            attempt(&url, &quick()).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        }
    }
    proxy.set(Fault::Refuse, Repeat::Times(2));
    proxy.reset_all();
    attempt(&url, &quick()).unwrap();
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
        let error = attempt(&url, &impatient).unwrap_err();
        assert!(error.contains("GET bytes 0..65536: "), "{fault:?}: {error}");
    }
}

#[test]
fn a_flipped_bit_is_never_a_value() {
    let server = server();
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("http://{}{PATH}", proxy.address());
    let impatient = quick().stall_timeout(Duration::from_millis(300)).timeout(Duration::from_secs(3));
    let mut failed = 0;
    for at_byte in (0..20).map(|number| number * 17).chain([1_000, 30_000, 70_000, 200_000, 400_000]) {
        proxy.reset_all();
        proxy.set(Fault::Corrupt { at_byte, every: None }, Repeat::Always);
        failed += usize::from(attempt(&url, &impatient).is_err());
    }
    assert!(failed > 5, "{failed}");
    proxy.reset_all();
    proxy.set(Fault::Corrupt { at_byte: 1_000, every: Some(100_000) }, Repeat::Always);
    assert!(attempt(&url, &impatient).is_err());
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
        "GET bytes 0..65536: tcp connect error: Connection refused (os error 111) (after 1 retries)"
    );
    let error = ObjectFile::open("http://nowhere.invalid/a.root", &options).unwrap_err().to_string();
    assert!(error.contains("dns error"), "{error}");
    let error =
        ObjectFile::open("s3://bucket/a.root", &super::store::s3("http://127.0.0.1:1", options)).unwrap_err();
    assert!(error.to_string().contains("Connection refused"), "{error}");
}
