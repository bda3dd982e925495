//! Each real server answers.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use rntuple_remote_tests::client::request;
use rntuple_remote_tests::servers::{Moto, Nginx, Xrootd};

const RANGE: [(&str, &str); 1] = [("Range", "bytes=2-4")];

/// The handshake of the XRootD protocol: type of server 1 is one that has files.
fn handshake(address: SocketAddr) -> [u8; 16] {
    let mut stream = TcpStream::connect(address).unwrap();
    let words: [u32; 5] = [0, 0, 0, 4, 2012];
    stream.write_all(&words.map(u32::to_be_bytes).concat()).unwrap();
    let mut answer = [0; 16];
    stream.read_exact(&mut answer).unwrap();
    answer
}

#[test]
fn xrootd_speaks_both_protocols() {
    let Some(server) = Xrootd::start() else { return };
    fs::write(server.folder().join("f.bin"), b"0123456789").unwrap();
    assert_eq!(handshake(server.address())[..8], [0, 0, 0, 0, 0, 0, 0, 8]);
    let get =
        |headers: &[(&str, &str)]| request(server.http_address(), "GET", "/f.bin", headers, &[]).unwrap();
    let answer = get(&RANGE);
    assert_eq!((answer.status, &answer.body[..]), (206, &b"234"[..]));
    assert_eq!((answer.header("etag"), answer.header("last-modified")), (None, None));
    // What `Habits::xrootd` imitates, as it was before 5.7.
    assert_eq!(get(&[("range", "bytes=2-4")]).status, 200);
    assert_eq!(get(&[("Range", "bytes=-4")]).status, 200);
    assert_eq!(get(&[("If-Match", "\"other\"")]).status, 200);
    assert!(server.log().contains("xrootd"), "{}", server.log());
}

#[test]
fn xrootd_redirects() {
    let Some(target) = Xrootd::start() else { return };
    let Some(server) = Xrootd::redirecting_to(target.address()) else { return };
    assert!(server.log().contains("redirect static / to 127.0.0.1"), "{}", server.log());
    assert_eq!(handshake(server.address())[..8], [0, 0, 0, 0, 0, 0, 0, 8]);
}

#[test]
fn xrootd_has_tls() {
    let Some(server) = Xrootd::with_tls() else { return };
    assert_eq!(handshake(server.address())[..8], [0, 0, 0, 0, 0, 0, 0, 8]);
    assert!(server.authority().unwrap().is_file());
}

#[test]
fn nginx_serves_files() {
    let Some(server) = Nginx::start() else { return };
    fs::write(server.folder().join("f.bin"), b"0123456789").unwrap();
    let answer = request(server.address(), "GET", "/f.bin", &RANGE, &[]).unwrap();
    assert_eq!((answer.status, &answer.body[..]), (206, &b"234"[..]));
    let e_tag = answer.header("etag").unwrap();
    assert!(answer.header("last-modified").is_some());
    let get = |e_tag| request(server.address(), "GET", "/f.bin", &[("If-Match", e_tag)], &[]).unwrap().status;
    assert_eq!([get(e_tag), get("\"other\"")], [200, 412]);
    assert!(server.authority().is_file());
    // A request without TLS, where TLS is spoken.
    assert_eq!(request(server.tls_address(), "GET", "/f.bin", &[], &[]).unwrap().status, 400);
}

#[test]
fn moto_keeps_objects() {
    let Some(server) = Moto::start() else { return };
    server.create_bucket("events").unwrap();
    server.put("events", "a/f.bin", b"0123456789").unwrap();
    let get =
        |headers: &[(&str, &str)]| request(server.address(), "GET", "/events/a/f.bin", headers, &[]).unwrap();
    let answer = get(&RANGE);
    assert_eq!((answer.status, &answer.body[..]), (206, &b"234"[..]));
    let e_tag = answer.header("etag").unwrap();
    assert_eq!([get(&[("If-Match", e_tag)]).status, get(&[("If-Match", "\"other\"")]).status], [200, 412]);
}

#[cfg(feature = "s3s")]
#[test]
fn s3s_answers() {
    let server = rntuple_remote_tests::servers::S3s::start().unwrap();
    server.create_bucket("events").unwrap();
    server.put("events", "f.bin", b"0123456789").unwrap();
    // A request that is not signed is refused, in the words of S3.
    let answer = request(server.address(), "GET", "/events/f.bin", &[], &[]).unwrap();
    assert_eq!(answer.status, 403, "{}", String::from_utf8_lossy(&answer.body));
    assert!(String::from_utf8_lossy(&answer.body).contains("AccessDenied"));
}
