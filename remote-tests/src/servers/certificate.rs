//! A certificate authority for tests, and the certificate of a server on loopback.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files in PEM format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Certificate {
    /// The certificate of the authority, which clients are to trust.
    pub authority: PathBuf,
    /// The certificate of the server, for `localhost` and `127.0.0.1`.
    pub certificate: PathBuf,
    /// The private key of the server.
    pub key: PathBuf,
}

impl Certificate {
    /// Makes the files in `folder`.
    ///
    /// # Errors
    /// There is no `openssl`, or it fails.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let path = |name: &str| folder.join(name);
        let authority_key = path("ca.key");
        let made =
            Self { authority: path("ca.pem"), certificate: path("server.pem"), key: path("server.key") };
        let new = |key: &Path, certificate: &Path, subject: &str| {
            let mut command = Command::new("openssl");
            command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]);
            command.args(["-days", "30", "-subj", subject]);
            command.arg("-keyout").arg(key).arg("-out").arg(certificate);
            command
        };
        run(&mut new(&authority_key, &made.authority, "/CN=rntuple tests"))?;
        run(new(&made.key, &made.certificate, "/CN=localhost")
            .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-CA")
            .arg(&made.authority)
            .arg("-CAkey")
            .arg(&authority_key))?;
        Ok(made)
    }
}

fn run(command: &mut Command) -> io::Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("openssl failed: {}", String::from_utf8_lossy(&output.stderr))))
}
