//! `rntuple query` over files at URLs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::query::{run, write};

/// Serves the files of a folder over HTTP until the test ends: `HEAD`, and `GET` of a range of bytes.
struct Server {
    address: SocketAddr,
    /// The first lines of the requests so far.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let (folder, seen) = (folder.to_owned(), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (folder, seen) = (folder.clone(), seen.clone());
                std::thread::spawn(move || serve(stream, &folder, &seen));
            }
        });
        Self { address, requests }
    }

    fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

/// Answers the requests of a connection.
fn serve(stream: TcpStream, folder: &Path, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines().map_while(Result::ok);
    let mut stream = stream;
    while let Some(first) = lines.next() {
        let headers: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        seen.lock().unwrap().push(first.clone());
        let (method, rest) = first.split_once(' ')?;
        let path: PathBuf = folder.join(rest.split(' ').next()?.trim_start_matches('/'));
        let range = headers.iter().find_map(|line| {
            let (name, value) = line.split_once(": bytes=")?;
            let (start, end) = value.split_once('-').filter(|_| name.eq_ignore_ascii_case("range"))?;
            Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()?))
        });
        let Ok(bytes) = std::fs::read(path) else {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok()?;
            continue;
        };
        let (status, part) = match range {
            Some((start, end)) => {
                let part = bytes.get(start..bytes.len().min(end + 1))?;
                let end = start + part.len() - 1;
                (format!("206 Partial Content\r\nContent-Range: bytes {start}-{end}/{}", bytes.len()), part)
            }
            None => ("200 OK".to_owned(), &*bytes),
        };
        write!(stream, "HTTP/1.1 {status}\r\nAccept-Ranges: bytes\r\nContent-Length: {}\r\n\r\n", part.len())
            .ok()?;
        if method == "GET" {
            stream.write_all(part).ok()?;
        }
    }
    Some(())
}

#[test]
fn files_at_urls_are_tables() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    write(&folder.join("run2.root"), 2);
    let server = Server::start(folder);
    let sum =
        "SELECT run, sum(met) AS met, sum(cardinality(muons)) AS muons FROM events GROUP BY run ORDER BY run";
    for (file, expected) in [("run1.root", "1,190.0,19\n"), ("run2.root", "2,190.0,19\n")] {
        let table = format!("events={}", server.url(file));
        let found = run(folder, &[sum, "-t", &table, "--format", "csv"]);
        assert_eq!(found, (0, format!("run,met,muons\n{expected}")));
        let requests = server.take_requests();
        assert!(!requests.is_empty() && requests.iter().all(|line| line.contains(file)), "{requests:?}");
    }
    // Tables of two places in one query.
    let both = "SELECT count(*) AS n FROM far JOIN near ON far.met = near.met";
    let far = format!("far={}", server.url("run1.root"));
    let found = run(folder, &[both, "-t", &far, "-t", "near=run2.root", "--format", "csv"]);
    assert_eq!(found, (0, "n\n20\n".to_owned()));
    let (code, text) = run(folder, &[sum, "-t", &format!("events={}", server.url("none.root"))]);
    assert!(code != 0 && text.contains("none.root"), "{code}: {text}");
}

/// What is in a URL may be what grants access.
#[test]
fn errors_say_nothing_that_is_secret() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let server = Server::start(folder);
    let address = server.address;
    for url in [
        format!("http://me:pass-word@{address}/run1.root"),
        format!("http://{address}/none.root?token=pass-word"),
        format!("http://{address}/broken%zz.root?token=pass-word"),
        "s3://me:pass-word@bucket/run1.root".to_owned(),
        "root://me:pass-word@127.0.0.1:1//run1.root".to_owned(),
        "nothing://me:pass-word@host/run1.root?token=pass-word".to_owned(),
        "https://me:pass-word@[broken/run1.root".to_owned(),
    ] {
        let (code, text) = run(folder, &["SELECT 1 FROM events", "-t", &format!("events={url}")]);
        assert!(code != 0 && !text.is_empty() && !text.contains("pass-word"), "{url}: {code}: {text}");
    }
}
