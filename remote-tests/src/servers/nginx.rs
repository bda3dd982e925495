//! nginx.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::certificate::Certificate;
use super::process::{Process, folder, program};
use super::{free_address, or_skip};

/// A web server of the files of [`folder`](Self::folder), with and without TLS.
#[derive(Debug)]
pub struct Nginx {
    process: Process,
    http: SocketAddr,
    https: SocketAddr,
    certificate: Certificate,
}

impl Nginx {
    /// Starts a server.
    pub fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// Starts a server with more lines in the part `server` of its configuration.
    pub fn start_with(directives: &str) -> Option<Self> {
        // Another program may have taken a port meanwhile.
        or_skip("nginx", Self::launch(directives).or_else(|_| Self::launch(directives)))
    }

    /// Starts a server that passes requests on to other servers of this machine: [`tls_url_to`](Self::tls_url_to) has their
    /// addresses. It ends its own connection where such a server ends one without an answer.
    pub fn in_front() -> Option<Self> {
        Self::start_with(
            "client_max_body_size 0;\n\
             proxy_http_version 1.1;\n\
             proxy_buffering off;\n\
             proxy_request_buffering off;\n\
             error_page 502 = @unanswered;\n\
             location @unanswered { return 444; }\n\
             location ~ ^/([0-9]+)(/.*)$ { proxy_pass http://127.0.0.1:$1$2$is_args$args; }\n",
        )
    }

    fn launch(directives: &str) -> io::Result<Self> {
        let program = program(&["/usr/sbin/nginx", "/usr/bin/nginx"])?;
        let folder = folder("nginx")?;
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("data"))?;
        let certificate = Certificate::make(folder.path())?;
        let (http, https) = (free_address()?, free_address()?);
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {};\n", path(name).display()))
            .concat();
        let config = format!(
            "daemon off;\n\
             master_process off;\n\
             error_log stderr warn;\n\
             pid {pid};\n\
             events {{ worker_connections 512; }}\n\
             http {{\n\
             access_log off;\n\
             sendfile on;\n\
             {temporary}\
             server {{\n\
             listen {http};\n\
             listen {https} ssl;\n\
             ssl_certificate {certificate};\n\
             ssl_certificate_key {key};\n\
             root {data};\n\
             {directives}\n\
             }}\n\
             }}\n",
            pid = path("pid").display(),
            certificate = certificate.certificate.display(),
            key = certificate.key.display(),
            data = path("data").display(),
        );
        fs::write(path("nginx.conf"), config)?;
        let mut command = Command::new(program);
        command.arg("-c").arg(path("nginx.conf")).arg("-p").arg(folder.path()).args(["-e", "stderr"]);
        let mut process = Process::start(&command, folder)?;
        process.wait_for(&[http, https])?;
        Ok(Self { process, http, https, certificate })
    }

    /// The folder of files that it serves: `events.root` there is `/events.root`.
    pub fn folder(&self) -> PathBuf {
        self.process.path().join("data")
    }

    /// Where it speaks HTTP.
    pub fn address(&self) -> SocketAddr {
        self.http
    }

    /// Where it speaks HTTPS.
    pub fn tls_address(&self) -> SocketAddr {
        self.https
    }

    /// Returns the HTTP URL of a path, which begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    /// Returns the HTTPS URL of a path, which begins with `/`.
    pub fn tls_url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.https.port())
    }

    /// Returns the HTTPS URL of a server that this one is [in front of](Self::in_front), without a path.
    pub fn tls_url_to(&self, server: SocketAddr) -> String {
        self.tls_url(&format!("/{}", server.port()))
    }

    /// The certificate of the authority that clients are to trust.
    pub fn authority(&self) -> &Path {
        &self.certificate.authority
    }
}
