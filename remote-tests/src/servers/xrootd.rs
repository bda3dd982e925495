//! Debian's `xrootd-server`.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::certificate::Certificate;
use super::process::{Process, folder, give_to_nobody, is_root, program};
use super::{free_address, or_skip};

/// An XRootD server: `root://` and HTTP, without authentication. It serves, and takes, the files of
/// [`folder`](Self::folder).
#[derive(Debug)]
pub struct Xrootd {
    process: Process,
    address: SocketAddr,
    http: SocketAddr,
    certificate: Option<Certificate>,
}

impl Xrootd {
    /// Starts a server.
    pub fn start() -> Option<Self> {
        or_skip("xrootd", Self::launch("", false))
    }

    /// Starts a server with more lines in its configuration.
    pub fn start_with(directives: &str) -> Option<Self> {
        or_skip("xrootd", Self::launch(directives, false))
    }

    /// Starts a server that sends each `root://` client to another one.
    pub fn redirecting_to(target: SocketAddr) -> Option<Self> {
        Self::start_with(&format!("xrootd.redirect {target} /\n"))
    }

    /// Starts a server that requires TLS of each `root://` client from the login on: `roots://`.
    pub fn with_tls() -> Option<Self> {
        or_skip("xrootd with TLS", Self::launch("xrootd.tls all\n", true))
    }

    fn launch(directives: &str, tls: bool) -> io::Result<Self> {
        // On a busy machine XRootD 5.5 rarely crashes as it starts, before it logs anything.
        for _ in 0..2 {
            match Self::attempt(directives, tls) {
                Err(error) if error.to_string().contains("Segmentation fault") => {}
                done => return done,
            }
        }
        Self::attempt(directives, tls)
    }

    fn attempt(directives: &str, tls: bool) -> io::Result<Self> {
        let program = program(&["/usr/bin/xrootd"])?;
        let folder = folder("xrootd")?;
        let path = |name: &str| folder.path().join(name);
        for name in ["data", "admin", "run", "log"] {
            fs::create_dir(path(name))?;
            give_to_nobody(path(name))?;
        }
        let (address, http) = (free_address()?, free_address()?);
        let mut config = format!(
            "all.role server\n\
             all.export /\n\
             oss.localroot {data}\n\
             all.adminpath {admin}\n\
             all.pidpath {run}\n\
             xrd.port {port}\n\
             xrd.allow host localhost\n\
             xrd.protocol XrdHttp:{http_port} libXrdHttp.so\n",
            data = path("data").display(),
            admin = path("admin").display(),
            run = path("run").display(),
            port = address.port(),
            http_port = http.port(),
        );
        let mut certificate = None;
        if tls {
            let made = Certificate::make(folder.path())?;
            give_to_nobody(&made.key)?;
            config += &format!("xrd.tls {} {}\n", made.certificate.display(), made.key.display());
            config += "xrd.tlsca noverify\n";
            certificate = Some(made);
        }
        fs::write(path("xrootd.cfg"), config + directives)?;
        let mut command = Command::new(program);
        command.arg("-c").arg(path("xrootd.cfg")).arg("-l").arg(path("log").join("log"));
        // Next to this file is another one, which would be in the folder of all temporary files.
        command.arg("-s").arg(path("run").join("pid"));
        // It refuses to run as root.
        if is_root() {
            command.args(["-R", "nobody"]);
        }
        let mut process = Process::start(&command, folder)?;
        process.wait_for(&[address, http]).map_err(|error| {
            let log = fs::read_to_string(process.path().join("log").join("log")).unwrap_or_default();
            io::Error::new(error.kind(), format!("{error}\n{log}"))
        })?;
        Ok(Self { process, address, http, certificate })
    }

    /// The folder of files that it serves: `events.root` there is `/events.root`.
    pub fn folder(&self) -> PathBuf {
        self.process.path().join("data")
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.process.path().join("log").join("log")).unwrap_or_default()
    }

    /// Where it speaks `root://`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it speaks HTTP.
    pub fn http_address(&self) -> SocketAddr {
        self.http
    }

    /// Returns the `root://` URL of a path, which begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("root://{}/{path}", self.address)
    }

    /// Returns the HTTP URL of a path, which begins with `/`.
    pub fn http_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    /// The certificate of its authority, if it has TLS.
    pub fn authority(&self) -> Option<&Path> {
        self.certificate.as_ref().map(|certificate| certificate.authority.as_path())
    }
}
