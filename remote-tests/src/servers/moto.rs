//! moto: S3 in Python.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::or_skip;
use super::process::Process;
use crate::client;

/// The client of Google Cloud Storage sends `Bearer` alone for an account without a token, which moto takes for a signature
/// without its end.
const PROGRAM: &str = r#"
from moto import server
from moto.moto_server.werkzeug_app import DomainDispatcherApplication as Application
answer = Application.__call__
def without_token(self, environ, start_response):
    if environ.get("HTTP_AUTHORIZATION", "").strip() == "Bearer":
        del environ["HTTP_AUTHORIZATION"]
    return answer(self, environ, start_response)
Application.__call__ = without_token
server.main()
"#;

/// An S3 server with its objects in memory. It accepts any key. What [`put`](Self::put) writes can be read without one.
#[derive(Debug)]
pub struct Moto {
    _process: Process,
    address: SocketAddr,
}

impl Moto {
    /// Starts a server without buckets.
    pub fn start() -> Option<Self> {
        or_skip("moto", Self::launch())
    }

    fn launch() -> io::Result<Self> {
        let (process, address) = Process::at_free_address("moto", |address| {
            let mut command = Command::new(python()?);
            command.args(["-c", PROGRAM, "-H", "127.0.0.1", "-p", &address.port().to_string()]);
            Ok(command)
        })?;
        Ok(Self { _process: process, address })
    }

    /// Where it speaks HTTP.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the server, for clients of S3. Buckets are the first part of a path, not of a host name.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes a bucket.
    ///
    /// # Errors
    /// The server refuses it.
    pub fn create_bucket(&self, name: &str) -> io::Result<()> {
        self.put_to(&format!("/{name}"), &[])
    }

    /// Writes an object.
    ///
    /// # Errors
    /// There is no such bucket.
    pub fn put(&self, bucket: &str, key: &str, bytes: &[u8]) -> io::Result<()> {
        self.put_to(&format!("/{bucket}/{key}"), bytes)
    }

    fn put_to(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let public = [("x-amz-acl", "public-read")];
        let status = client::request(self.address, "PUT", path, &public, bytes)?.status;
        if status == 200 {
            return Ok(());
        }
        Err(io::Error::other(format!("PUT {path}: moto answers {status}, expected 200")))
    }
}

/// Returns the interpreter whose packages `remote-tests/setup.sh` has installed: that of `RNTUPLE_PYTHON`, or of the
/// folder `target/remote/venv` of this repository.
///
/// # Errors
/// There is none.
pub fn python() -> io::Result<PathBuf> {
    let python = match std::env::var_os("RNTUPLE_PYTHON") {
        Some(python) => PathBuf::from(python),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("remote/venv/bin/python"),
    };
    if python.is_file() {
        return Ok(python);
    }
    let python = python.display();
    Err(io::Error::new(
        io::ErrorKind::NotFound,
        format!(
            "no Python at {python} (remote-tests/setup.sh installs it, and RNTUPLE_PYTHON names another)"
        ),
    ))
}
