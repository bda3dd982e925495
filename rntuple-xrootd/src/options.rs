//! What a caller may choose.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::hosts::Hosts;

/// How files on XRootD servers are reached. Clones share their connections.
///
/// ```
/// use rntuple_xrootd::Options;
/// use std::time::Duration;
///
/// let options = Options::new().timeout(Duration::from_secs(10)).connections(4);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) connections: usize,
    pub(crate) retries: u32,
    pub(crate) token: Option<String>,
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) user: Option<String>,
    pub(crate) hosts: Arc<Hosts>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(15),
            connections: 2,
            retries: 3,
            token: None,
            ca_file: None,
            user: None,
            hosts: Arc::default(),
        }
    }
}

impl Options {
    /// Returns the defaults, with no connection yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Longest time that a request may take, in seconds and parts: with all that it waits for, such as connections,
    /// redirections, tapes, and attempts after a cut. Default: 60 s.
    ///
    /// A read of much data is many requests, and each piece of about 1 MiB has this time. While pieces that were asked
    /// for before are on their way, at 16 kB/s or more, it counts from the last bytes of them. A server of which
    /// nothing comes in half of the time is asked again on a new connection.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self.unshared()
    }

    /// Longest time until a connection is made and its user is known to the server, in seconds and parts. Default: 15 s.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self.unshared()
    }

    /// Number of connections to each server, from 1 to 16. Default: 2; more are faster over long distances.
    ///
    /// Up to 32 connections that no file uses stay for the next one, each for a minute; they are closed when a file is
    /// opened or closed after that.
    #[must_use]
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count.clamp(1, 16);
        self.unshared()
    }

    /// How many times a request is made again after its connection was cut, or its data damaged. Default: 3.
    #[must_use]
    pub fn retries(mut self, count: u32) -> Self {
        self.retries = count;
        self.unshared()
    }

    /// Bearer token that proves who the caller is; sent over TLS only. Default: the one that is found by the rules of
    /// the WLCG: the variable `BEARER_TOKEN`, the file that `BEARER_TOKEN_FILE` names, `$XDG_RUNTIME_DIR/bt_u$UID`,
    /// `/tmp/bt_u$UID`.
    ///
    /// The token is sent to each server that asks for it and has a certificate for its name. A server that is reached without
    /// TLS can redirect to any such server, and so can anyone who changes what it sends. With a `roots://` URL, all
    /// redirections come over TLS, from servers with a certificate.
    ///
    /// A token in the query of a URL (`?authz=..`) is sent to the server of the URL and to those that it redirects to: over TLS
    /// only with `roots://`, and from the first server on that is found to require TLS. Any parameter may be one but `eos.app`,
    /// `svcClass`, `filetype`, and those of `xrd`, `xrdcl` and `scitag`.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self.unshared()
    }

    /// File of certificates (PEM) of authorities that are trusted in addition to those of the system. Default: none.
    #[must_use]
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_file = Some(path.into());
        self.unshared()
    }

    /// Name that is sent at the login, of which eight characters count. Default: the one in the URL, else that
    /// in the variable `USER`.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self.unshared()
    }

    /// Other options need other connections.
    fn unshared(mut self) -> Self {
        self.hosts = Arc::default();
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("connections", &self.connections)
            .field("retries", &self.retries)
            .field("token", &self.token.as_ref().map(|_| "(secret)"))
            .field("ca_file", &self.ca_file)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
