//! `rntuple query` and a server of XRootD that says what it was asked.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::query::{run, write};

/// Requests that a server answers which has no file.
const QUERY: u16 = 3001;
const PROTOCOL: u16 = 3006;
const LOGIN: u16 = 3007;

/// What a server was asked about: paths, each with what follows its `?`.
type Asked = Arc<Mutex<Vec<String>>>;

/// Starts a server that has no file, and runs until the tests end. Returns its port.
fn start() -> (u16, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, asked) = (listener.local_addr().unwrap().port(), Asked::default());
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let seen = seen.clone();
            std::thread::spawn(move || serve(stream, &seen));
        }
    });
    (port, asked)
}

/// Answers the requests of a connection until the client ends it.
fn serve(mut stream: TcpStream, seen: &Mutex<Vec<String>>) -> io::Result<()> {
    stream.read_exact(&mut [0; 20])?;
    answer(&mut stream, [0, 0], 0, &[0, 0, 5, 0x11, 0, 0, 0, 1])?;
    loop {
        // `stream 2 | code 2 | fields 16 | length 4`.
        let mut header = [0; 24];
        stream.read_exact(&mut header)?;
        let length = u32::from_be_bytes([header[20], header[21], header[22], header[23]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        stream.read_exact(&mut payload)?;
        let number = [header[0], header[1]];
        match u16::from_be_bytes([header[2], header[3]]) {
            PROTOCOL => answer(&mut stream, number, 0, &[0, 0, 5, 0x11, 0, 0, 0, 1])?,
            LOGIN => answer(&mut stream, number, 0, &[7; 16])?,
            QUERY => answer(&mut stream, number, 0, b"1024\n2097136\n")?,
            _ => {
                let about = String::from_utf8(payload).unwrap();
                seen.lock().unwrap().extend(Some(about).filter(|about| !about.is_empty()));
                let not_found = [&3011u32.to_be_bytes()[..], b"it is not here\0"].concat();
                answer(&mut stream, number, 4003, &not_found)?;
            }
        }
    }
}

fn answer(stream: &mut TcpStream, number: [u8; 2], status: u16, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).unwrap();
    stream.write_all(&[&number[..], &status.to_be_bytes(), &length.to_be_bytes(), body].concat())
}

/// It may be what grants access, or what says where a file is to be.
#[test]
fn a_server_of_xrootd_is_sent_the_query_of_the_url() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let (port, asked) = start();
    let url = |name: &str| format!("root://127.0.0.1:{port}//data/{name}?authz=pass-word");
    let table = format!("events={}", url("run1.root"));
    let output = url("skim.root");
    for args in [
        &["SELECT run FROM events", "-t", &table][..],
        &["SELECT run FROM events", "-t", "events=run1.root", "-o", &output],
    ] {
        let (code, text) = run(folder, args);
        assert!(code != 0 && !text.contains("pass-word"), "{code}: {text}");
        let asked = std::mem::take(&mut *asked.lock().unwrap());
        let is_whole = |about: &String| about.starts_with("/data/") && about.contains("?authz=pass-word");
        assert!(!asked.is_empty() && asked.iter().all(is_whole), "{asked:?}");
    }
}
