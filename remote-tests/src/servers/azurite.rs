//! Azurite: Azure's blobs in JavaScript.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use super::process::{Process, program};
use super::{or_skip, python};

/// The account that every Azurite has.
pub const AZURITE_ACCOUNT: &str = "devstoreaccount1";
/// The key of [`AZURITE_ACCOUNT`], which is known to all.
pub const AZURITE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Makes a container: the request is signed as Azure asks for it.
const CREATE: &str = r#"
import base64, email.utils, hashlib, hmac, http.client, sys
address, account, key, container = sys.argv[1:]
headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
text = "PUT" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in headers.items())
text += f"/{account}/{account}/{container}\nrestype:container"
signature = base64.b64encode(hmac.digest(base64.b64decode(key), text.encode(), hashlib.sha256)).decode()
headers |= {"Authorization": f"SharedKey {account}:{signature}", "Content-Length": "0"}
server = http.client.HTTPConnection(address, timeout=10)
server.request("PUT", f"/{account}/{container}?restype=container", headers=headers)
answer = server.getresponse()
assert answer.status == 201, (answer.status, answer.read())
"#;

/// A server of Azure's blobs, which has them in memory. It accepts [`AZURITE_KEY`] alone.
#[derive(Debug)]
pub struct Azurite {
    _process: Process,
    address: SocketAddr,
}

impl Azurite {
    /// Starts a server without containers.
    pub fn start() -> Option<Self> {
        or_skip("Azurite", Self::launch())
    }

    fn launch() -> io::Result<Self> {
        let script = "remote/node/node_modules/azurite/dist/src/blob/main.js";
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join(script);
        let script = program(&[&script.to_string_lossy()])?;
        let (process, address) = Process::at_free_address("azurite", |address| {
            let mut command = Command::new(program(&["/usr/bin/node", "/usr/local/bin/node"])?);
            command.arg(script).args(["--blobHost", "127.0.0.1", "--blobPort", &address.port().to_string()]);
            // No telemetry: a test reports to no one.
            command.args([
                "--inMemoryPersistence",
                "--disableTelemetry",
                "--silent",
                "--skipApiVersionCheck",
            ]);
            Ok(command)
        })?;
        Ok(Self { _process: process, address })
    }

    /// Where it speaks HTTP: the URL of the account has its name as the path.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes a container.
    ///
    /// # Errors
    /// The server refuses it, or there is no Python.
    pub fn create_container(&self, name: &str) -> io::Result<()> {
        let mut command = Command::new(python()?);
        command.args(["-c", CREATE, &self.address.to_string(), AZURITE_ACCOUNT, AZURITE_KEY, name]);
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
