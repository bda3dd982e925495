//! How objects are read and written.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io};

use rntuple::storage::PerProcess;
use tokio::sync::Semaphore;

/// How objects are read and written, and with which credentials. Clones share their [requests at
/// once](Self::concurrency).
///
/// ```
/// use std::time::Duration;
/// use rntuple_object_store::Options;
///
/// let options = Options::new()
///     .config("aws_endpoint_url", "https://s3.example.org")
///     .timeout(Duration::from_secs(60));
/// rntuple_object_store::register_with(options);
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Options {
    pub(crate) config: Vec<(String, Secret)>,
    pub(crate) bearer_token: Token,
    pub(crate) ca_certificates: Vec<Vec<u8>>,
    pub(crate) timeout: Duration,
    pub(crate) stall_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) retries: usize,
    pub(crate) merge_gap: u64,
    pub(crate) request_size: u64,
    pub(crate) concurrency: usize,
    /// For requests that are under way, of each process: those of a parent never end here.
    slots: Arc<PerProcess<Arc<Semaphore>>>,
    pub(crate) part_size: usize,
}

/// The token that HTTPS servers are sent.
#[derive(Clone, Debug)]
pub(crate) enum Token {
    None,
    Fixed(Secret),
    /// What the environment says when a file is opened: tokens last for an hour or so, and are renewed.
    Environment,
}

impl Token {
    /// The token, if there is one now.
    pub(crate) fn now(&self) -> io::Result<Option<Secret>> {
        match self {
            Self::None => Ok(None),
            Self::Fixed(token) => Ok(Some(token.clone())),
            Self::Environment => find(env::var_os("BEARER_TOKEN"), env::var_os("BEARER_TOKEN_FILE")),
        }
    }
}

/// The token in one of two variables: itself, or the name of its file. One that is set to nothing is as good as not set.
fn find(token: Option<OsString>, file: Option<OsString>) -> io::Result<Option<Secret>> {
    let token = token.and_then(|token| token.into_string().ok()).unwrap_or_default();
    if !token.trim().is_empty() {
        return Ok(Some(Secret(token.trim().to_owned())));
    }
    let Some(path) = file.filter(|path| !path.is_empty()) else { return Ok(None) };
    let failed = |kind, why: &str| {
        let path = Path::new(&path).display();
        io::Error::new(kind, format!("the file of BEARER_TOKEN_FILE, {path}: {why}"))
    };
    let text = fs::read_to_string(&path).map_err(|error| failed(error.kind(), &error.to_string()))?;
    match text.trim() {
        "" => Err(failed(io::ErrorKind::InvalidData, "it is empty")),
        token => Ok(Some(Secret(token.to_owned()))),
    }
}

/// Text that is not shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(hidden)")
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            config: Vec::new(),
            bearer_token: Token::None,
            ca_certificates: Vec::new(),
            timeout: Duration::from_secs(300),
            stall_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            retries: 5,
            merge_gap: 256 << 10,
            request_size: 16 << 20,
            concurrency: 256,
            slots: Arc::default(),
            part_size: 16 << 20,
        }
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a configuration key of `object_store`, such as `aws_endpoint_url`, `google_service_account` or
    /// `azure_storage_account_name`, for the stores that have it. An unknown key with the prefix of a store (`aws_`) is an
    /// error where that store is used. Default: what the environment says.
    pub fn config(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.config.push((key.into().to_ascii_lowercase(), Secret(value.into())));
        self
    }

    /// Sets the token that is sent to HTTPS servers as `Authorization: Bearer ..`. Default: none. It is sent to every
    /// HTTPS server that is asked, so give it only to programs that read from servers of one kind; never to `http://`.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.bearer_token = Token::Fixed(Secret(token.into()));
        self
    }

    /// Sets the token of [`bearer_token`](Self::bearer_token) to what the variable `BEARER_TOKEN` says, or the file that
    /// `BEARER_TOKEN_FILE` names, whenever a file is opened. Without both there is none.
    pub fn bearer_token_from_env(mut self) -> Self {
        self.bearer_token = Token::Environment;
        self
    }

    /// Adds a certificate, in PEM, of an authority that servers' certificates may be signed by, in addition to those of the
    /// system. Default: none.
    pub fn ca_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_certificates.push(pem.into());
        self
    }

    /// Sets how long a request may take, retries included. Default: 5 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long a server may send nothing before the request is retried, and take nothing of a part of an upload; for
    /// the answer to a part it has four times as long. Default: 30 seconds.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.stall_timeout = timeout;
        self
    }

    /// Sets how long it may take to connect before that is retried. Default: 10 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how many times a request is retried that failed because of the network, or with a status of 429 or 500 to 599:
    /// after 0.1 seconds, and each time after on average twice as long, up to 15 seconds, or after as long as the server
    /// says, unless that is longer than the [time-out](Self::timeout). Default: 5.
    pub fn retries(mut self, retries: usize) -> Self {
        self.retries = retries;
        self
    }

    /// Sets how many unwanted bytes between two ranges are read along, rather than making two requests. Default: 256 KiB.
    /// Larger values suit fast networks with long round trips.
    pub fn merge_gap(mut self, bytes: u64) -> Self {
        self.merge_gap = bytes;
        self
    }

    /// Sets how many bytes one request asks for at most, unless a single page is longer. Default: 16 MiB.
    pub fn request_size(mut self, bytes: u64) -> Self {
        self.request_size = bytes.max(1);
        self
    }

    /// Sets how many requests for parts of files are under way at once, each on a connection of its own, at least 1.
    /// Default: 256. All files that are read with these options, or with clones of them, count together: a process may
    /// have 1024 connections on most systems. Only walks through pages that are far from each other make that many.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.clamp(1, Semaphore::MAX_PERMITS);
        // Clones that were made before keep their own number.
        self.slots = Arc::default();
        self
    }

    /// Where requests of this process for parts of files wait until they may be made.
    pub(crate) fn slots(&self) -> Arc<Semaphore> {
        self.slots.get_or_init(|| Arc::new(Semaphore::new(self.concurrency))).clone()
    }

    /// Sets the size, in bytes, of the parts in which an object is written, at least 5 MiB. Default: 16 MiB. S3 takes up to
    /// 10 000 parts: objects of over 156 GiB need larger ones. Up to four parts are in memory.
    pub fn part_size(mut self, bytes: usize) -> Self {
        self.part_size = bytes.max(5 << 20);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_text_are_as_good_as_not_set() {
        let folder = tempfile::tempdir().unwrap();
        let (path, empty) = (folder.path().join("token"), folder.path().join("empty"));
        fs::write(&path, " of a file\n").unwrap();
        fs::write(&empty, "\n").unwrap();
        let found = |token: Option<&str>, file: Option<&Path>| {
            find(token.map(OsString::from), file.map(OsString::from)).map(|token| token.map(|token| token.0))
        };
        assert_eq!(found(Some(" token\n"), Some(&path)).unwrap().as_deref(), Some("token"));
        for nothing in [None, Some(""), Some(" \n")] {
            assert_eq!(found(nothing, Some(&path)).unwrap().as_deref(), Some("of a file"));
            assert_eq!(found(nothing, None).unwrap(), None);
            assert_eq!(found(nothing, Some(Path::new(""))).unwrap(), None);
        }
        let error = found(None, Some(&empty)).unwrap_err().to_string();
        assert!(error.contains("empty: it is empty"), "{error}");
    }
}
