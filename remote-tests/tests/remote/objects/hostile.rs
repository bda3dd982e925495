//! Servers that send anything: an error, in time, and no memory for what they promise.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use rntuple::Reader;
use rntuple_object_store::ObjectFile;
use rntuple_remote_tests::http::{Fault, FileServer, Rule};
use rntuple_remote_tests::sample::{Event, Events};

use super::store::{PATH, quick};
use crate::values::read_events;

/// A server that answers each request with these bytes, the last of them again and again if `is_endless`. It serves until
/// the test ends.
fn answering(answer: Vec<u8>, is_endless: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            thread::spawn(move || {
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|length| length > 0) {
                    if stream.write_all(&answer).is_err() || !is_endless {
                        continue;
                    }
                    let more = vec![answer.last().copied().unwrap_or_default(); 64 << 10];
                    while stream.write_all(&more).is_ok() {}
                    return;
                }
            });
        }
    });
    address
}

#[test]
fn answers_of_any_kind_are_errors() {
    let ranged = |range: &str, length: u64, more: &str| {
        format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: {range}\r\nContent-Length: {length}\r\n{more}\r\n"
        )
    };
    let all = 256u64 << 10;
    let body = "\0".repeat(256 << 10);
    let cases = [
        String::new(),
        "\0\0\0\0".to_owned(),
        "SSH-2.0-OpenSSH_9.2\r\n".to_owned(),
        "HTTP/1.1 206 Partial Content\r\n\r\n".to_owned(),
        "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
        // Sizes that cannot be, and that could.
        ranged("bytes 0-262143/18446744073709551615", all, "") + &body,
        ranged("bytes 0-262143/9223372036854775807", all, "") + &body,
        ranged("bytes 0-18446744073709551615/18446744073709551615", all, "") + &body,
        ranged("bytes 0-262143/*", all, "") + &body,
        ranged("bytes 5-1/100", all, "") + &body,
        ranged("bytes 0-262143/3", all, "") + &body,
        ranged("lines 0-262143/100000", all, "") + &body,
        ranged("bytes 0-262143/1000000", u64::MAX, "") + &body,
        ranged("bytes 0-262143/1000000", 3, "") + &body,
        ranged("bytes 0-262143/1000000", all, "ETag: \u{e9}\r\n") + &body,
        ranged("bytes 0-262143/1000000", all, "Last-Modified: yesterday\r\n") + &body,
        ranged("bytes 0-262143/1000000", all, "Transfer-Encoding: chunked\r\n") + "ffffffffffffffff\r\n",
        // Other bytes than those of a file.
        ranged("bytes 0-262143/1000000", all, "ETag: \"a\"\r\n") + &body,
    ];
    for case in cases {
        for is_endless in [false, true] {
            let url = format!("http://{}{PATH}", answering(case.clone().into_bytes(), is_endless));
            let options =
                quick().retries(0).stall_timeout(Duration::from_millis(200)).timeout(Duration::from_secs(2));
            let begun = Instant::now();
            let error = match ObjectFile::open(&url, &options) {
                Ok(file) => read_events(file).unwrap_err().to_string(),
                Err(error) => error.to_string(),
            };
            let start: String = case.chars().take(120).collect();
            assert!(begun.elapsed() < Duration::from_secs(20), "{start}");
            assert!(error.contains("GET bytes "), "{start}: {error}");
        }
    }
}

/// As a proxy may send it that does not know the length of an answer in advance.
#[test]
fn answers_without_a_length_are_read() {
    let file = Events::new(1, 500).write().unwrap();
    let (length, last) = (file.len(), file.len() - 1);
    let head = "HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\n";
    let head = format!("{head}Content-Range: bytes 0-{last}/{length}\r\n\r\n{length:x}\r\n");
    let answer = [head.as_bytes(), &file, b"\r\n0\r\n\r\n"].concat();
    let url = format!("http://{}{PATH}", answering(answer, false));
    assert_eq!(read_events(ObjectFile::open(&url, &quick()).unwrap()).unwrap(), 500);
}

#[test]
fn what_is_dropped_does_not_wait_for_a_slow_server() {
    let file = Events::new(20, 24_000).write().unwrap();
    assert!(file.len() > 16 << 20);
    let server = FileServer::start([(PATH, file)]).unwrap();
    let options = quick().timeout(Duration::from_secs(100));
    let reader =
        Reader::<Event>::open(ObjectFile::open(&server.url(PATH), &options).unwrap(), Events::NAME).unwrap();
    assert_eq!(reader.entry_count().unwrap(), 480_000);
    // Of the requests that a walk begins with, the first to arrive is answered at once. It need not be the one that is
    // waited for. The others take ten seconds.
    server.add(Rule::new(Fault::Trickle { bytes: 50_000, pause: Duration::from_millis(60) }).skip(1));
    let mut entries = reader.entries();
    assert_eq!(entries.next().unwrap().unwrap(), Event::new(0));
    let begun = Instant::now();
    drop(entries);
    drop(reader);
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
}

/// What is wrong is said in few words, or they are not waited for.
#[test]
fn an_endless_refusal_ends() {
    for status in ["403 Forbidden", "404 Not Found", "500 Oh"] {
        let answer = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n\r\nno ");
        let url = format!("http://{}{PATH}", answering(answer.into_bytes(), true));
        let options = quick().retries(0).timeout(Duration::from_secs(60));
        let begun = Instant::now();
        let error = ObjectFile::open(&url, &options).unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(20), "{status}: {error}");
        assert!(error.len() < 10_000, "{}", error.len());
    }
}
