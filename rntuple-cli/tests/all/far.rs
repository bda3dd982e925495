//! `rntuple query` over files at URLs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::query::{run, write};

/// Serves the files of a folder over HTTP until the test ends: `HEAD`, and `GET` of a range of bytes.
struct Server {
    address: SocketAddr,
    /// The first lines of the requests so far.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(folder: &Path) -> Self {
        Self::answering_head(folder, None)
    }

    /// Answers `HEAD` with this status, if one is given.
    fn answering_head(folder: &Path, status: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let (folder, seen) = (folder.to_owned(), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (folder, seen) = (folder.clone(), seen.clone());
                std::thread::spawn(move || serve(stream, &folder, status, &seen));
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
fn serve(stream: TcpStream, folder: &Path, head: Option<&str>, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines().map_while(Result::ok);
    let mut stream = stream;
    while let Some(first) = lines.next() {
        let headers: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        seen.lock().unwrap().push(first.clone());
        let (method, rest) = first.split_once(' ')?;
        if let Some(status) = head.filter(|_| method == "HEAD") {
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").ok()?;
            continue;
        }
        let path: PathBuf = folder.join(rest.split([' ', '?']).next()?.trim_start_matches('/'));
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

/// The signature in a URL may be for `GET` alone.
#[test]
fn servers_that_refuse_head_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    for status in ["403 Forbidden", "401 Unauthorized", "405 Method Not Allowed"] {
        let server = Server::answering_head(folder, Some(status));
        let found = |name: &str| {
            let table = format!("events={}?X-Amz-Signature=pass-word", server.url(name));
            run(folder, &["SELECT count(*) AS n FROM events", "-t", &table, "--format", "csv"])
        };
        assert_eq!(found("run1.root"), (0, "n\n20\n".to_owned()), "{status}");
        let requests = server.take_requests();
        assert!(requests.iter().any(|line| line.starts_with("HEAD ")), "{requests:?}");
        let (code, text) = found("none.root");
        assert!(code != 0 && text.contains("none.root") && !text.contains("pass-word"), "{code}: {text}");
    }
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

/// What programs read may be kept longer than what people see.
#[test]
fn lists_say_nothing_that_is_secret() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let server = Server::start(folder);
    for (name, code) in [("run1.root", 0), ("none.root", 3)] {
        let url = server.url(name);
        let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
        let output = program.args(["ls", "--json", &format!("{url}?token=pass-word")]).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(&format!("\"file\":\"{url}\"")) && !text.contains("pass-word"), "{text}");
    }
}

#[test]
fn patterns_are_in_paths_of_urls_and_not_in_their_hosts() {
    let directory = tempfile::tempdir().unwrap();
    // No server is there, and it is asked for the file, not for a list.
    let table = "events=http://[::1]:1/run1.root";
    let (code, text) = run(directory.path(), &["SELECT 1 FROM events", "-t", table]);
    assert!(code == 3 && text.contains("[::1]:1/run1.root") && !text.contains("LIST"), "{code}: {text}");
}

#[test]
fn urls_of_xrootd_have_two_slashes() {
    let directory = tempfile::tempdir().unwrap();
    for table in ["events=root://127.0.0.1:1//data/run1.root", "events=root://127.0.0.1:1/data/run1.root"] {
        let (code, text) = run(directory.path(), &["SELECT 1 FROM events", "-t", table]);
        // No server is there.
        assert!(code == 3 && text.contains("127.0.0.1:1"), "{table}: {code}: {text}");
    }
}

#[test]
fn files_are_written_to_urls_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    for (url, code, message) in [
        ("root://127.0.0.1:1//skim.root", 3, "127.0.0.1:1"),
        ("root://me:pass-word@127.0.0.1:1//skim.parquet?authz=pass-word", 3, "127.0.0.1:1"),
        ("s3://me:pass-word@bucket/skim.csv", 2, "CSV"),
        ("https://me:pass-word@127.0.0.1:1/skim.root", 2, "HTTP"),
        ("nothing://host/skim.root", 2, "nothing"),
        ("root://host//skim.xyz", 2, ".parquet"),
    ] {
        let (found, text) = run(folder, &["SELECT run FROM events", "-t", "events=run1.root", "-o", url]);
        assert!(found == code && text.contains(message), "{url}: {found}: {text}");
        assert!(!text.contains("pass-word"), "{url}: {text}");
    }
    // There is no folder that is called like a scheme.
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn one_server_has_one_query() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let server = Server::start(folder);
    let table = |name: &str, query: &str| format!("{name}={}?{query}", server.url("run1.root"));
    let both = "SELECT count(*) AS n FROM a JOIN b ON a.met = b.met";
    let (first, other) = (table("a", "token=pass-word"), table("b", "token=pass-word-2"));
    let (code, text) = run(folder, &[both, "-t", &first, "-t", &other]);
    assert!(code == 2 && text.contains("same query") && !text.contains("pass-word"), "{code}: {text}");
}

/// A server of XRootD for a folder, which ends with the test.
struct Xrootd {
    process: Child,
    port: u16,
}

impl Xrootd {
    /// `None`: there is no such program, and none is required.
    fn start(folder: &Path) -> Option<Self> {
        let program = "/usr/bin/xrootd";
        if !Path::new(program).is_file() {
            assert!(std::env::var_os("RNTUPLE_SERVERS_REQUIRED").is_none(), "there is no {program}");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = |name: &str| folder.join(name).display().to_string();
        for name in ["data", "admin", "log"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        // As root, it becomes another user.
        let everyone = ["-R", "a+rwX", folder.to_str().unwrap()];
        assert!(Command::new("chmod").args(everyone).status().unwrap().success());
        let config = format!(
            "all.role server\nall.export /\noss.localroot {}\nall.adminpath {}\nall.pidpath {}\nxrd.port {port}\n",
            path("data"),
            path("admin"),
            path("admin")
        );
        std::fs::write(folder.join("xrootd.cfg"), config).unwrap();
        let mut command = Command::new(program);
        command.args(["-c", &path("xrootd.cfg"), "-l", &path("log/log"), "-s", &path("admin/pid")]);
        let user = Command::new("id").arg("-u").output().unwrap();
        if user.stdout.trim_ascii() == b"0" {
            command.args(["-R", "nobody"]);
        }
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { process, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || std::fs::read_to_string(path("log/log")).unwrap_or_default();
            assert!(begun.elapsed().as_secs() < 30, "xrootd does not listen: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

impl Drop for Xrootd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn files_on_xrootd_are_read_and_written() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let Some(server) = Xrootd::start(folder) else { return };
    write(&folder.join("data").join("run1.root"), 1);
    let url = |name: &str| format!("root://127.0.0.1:{}//{name}", server.port);
    let count = "SELECT count(*) AS n, sum(met) AS met FROM events";
    let found = |file: &str| run(folder, &[count, "-t", &format!("events={file}"), "--format", "csv"]);
    for file in [url("run1.root"), url("run?.root"), url("run*.root"), url("/run1.root")] {
        // What is after a `?` is no pattern.
        let expected = if file.contains('?') { None } else { Some("n,met\n20,190.0\n") };
        let (code, text) = found(&file);
        assert_eq!((code == 0).then_some(&*text), expected, "{file}: {code}: {text}");
    }
    for name in ["skim.root", "skim.parquet"] {
        let table = format!("events={}", url("run1.root"));
        let saved = run(folder, &["SELECT met FROM events WHERE met > 9", "-t", &table, "-o", &url(name)]);
        assert_eq!(saved, (0, String::new()));
        assert!(folder.join("data").join(name).exists());
    }
    assert_eq!(found(&url("skim.root")), (0, "n,met\n10,145.0\n".to_owned()));
    // A query that fails leaves the file of before.
    let fails = "SELECT 1 / CAST(19 - met AS INT) AS met FROM events";
    let (table, skim) = (format!("events={}", url("run1.root")), url("skim.root"));
    let args = [fails, "-t", &table, "-o", &skim];
    let (code, text) = run(folder, &args);
    assert!(code == 2 && text.contains("--force"), "{code}: {text}");
    let (code, text) = run(folder, &[&args[..], &["--force"]].concat());
    assert!(code != 0 && text.contains("zero"), "{code}: {text}");
    assert_eq!(found(&url("skim.root")), (0, "n,met\n10,145.0\n".to_owned()));
}

/// S3 in Python, which `remote-tests/setup.sh` installs. It ends with the test.
struct Moto {
    process: Child,
    address: SocketAddr,
}

impl Moto {
    /// `None`: it is not installed, and not required.
    fn start() -> Option<Self> {
        let python = std::env::var_os("RNTUPLE_PYTHON").map(PathBuf::from).unwrap_or_else(|| {
            Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("remote/venv/bin/python")
        });
        if !python.is_file() {
            let is_required = std::env::var_os("RNTUPLE_SERVERS_REQUIRED").is_some_and(|value| value == "1");
            assert!(!is_required, "there is no {}", python.display());
            return None;
        }
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new(python);
        command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &address.port().to_string()]);
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { process, address };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(begun.elapsed().as_secs() < 60, "moto does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    /// Makes a bucket, or an object of one.
    fn put(&self, path: &str, bytes: &[u8]) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!(
            "PUT /{path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            bytes.len()
        );
        stream.write_all(&[head.as_bytes(), bytes].concat()).unwrap();
        let first = BufReader::new(stream).lines().next().unwrap().unwrap();
        assert!(first.contains(" 200 "), "{first}");
    }

    /// Runs a query: its exit code, and what it says.
    fn run(&self, folder: &Path, arguments: &[&str]) -> (i32, String) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
        program.current_dir(folder).arg("query").args(arguments).env("no_proxy", "*").envs([
            ("AWS_ENDPOINT_URL", &*format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ]);
        let output = program.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text)
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn objects_of_a_bucket_are_read_and_written() {
    let Some(server) = Moto::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    server.put("events", &[]);
    for run in [1, 2] {
        let path = folder.join("run.root");
        write(&path, run);
        server.put(&format!("events/runs/run{run}.root"), &std::fs::read(path).unwrap());
    }
    let count = "SELECT count(*) AS n, sum(met) AS met FROM events";
    let found = |file: &str| {
        let table = format!("events=s3://events/{file}");
        server.run(folder, &[count, "-t", &table, "--format", "csv"])
    };
    assert_eq!(found("runs/run1.root"), (0, "n,met\n20,190.0\n".to_owned()));
    for pattern in ["runs/*.root", "runs/run?.root", "*/run[12].root"] {
        assert_eq!(found(pattern), (0, "n,met\n40,380.0\n".to_owned()), "{pattern}");
    }
    // A name that a pattern finds is not a pattern again.
    server.put("events/odd/run%5B1%5D.root", &std::fs::read(folder.join("run.root")).unwrap());
    assert_eq!(found("odd/*.root"), (0, "n,met\n20,190.0\n".to_owned()));
    for name in ["skim.root", "skim.parquet"] {
        let output = format!("s3://events/{name}");
        let skim = "SELECT met FROM events WHERE met > 9";
        let saved = server.run(folder, &[skim, "-t", "events=s3://events/runs/run1.root", "-o", &output]);
        assert_eq!(saved, (0, String::new()));
    }
    assert_eq!(found("skim.root"), (0, "n,met\n10,145.0\n".to_owned()));
    let (code, text) = found("runs/none.root");
    assert!(code != 0 && text.contains("none.root") && !text.contains("secret"), "{code}: {text}");
}
