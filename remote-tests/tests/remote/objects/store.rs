//! What the tests of objects share.

use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use rntuple::storage::ReadAt;
use rntuple_object_store::{ObjectFile, Options, register_with};
use rntuple_remote_tests::http::FileServer;
use rntuple_remote_tests::sample::Events;
use rntuple_remote_tests::servers::{ACCESS_KEY, Moto, Nginx, SECRET_KEY};

use crate::values::read_events;

/// The path of [`sample`] on each server.
pub(super) const PATH: &str = "/events.root";

/// A sample of 1.2 MB: its two ends do not meet.
pub(super) const SAMPLE: Events = Events::new(8, 3_000);

/// The bytes of [`SAMPLE`].
pub(super) fn sample() -> Vec<u8> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| SAMPLE.write().unwrap()).clone()
}

/// The path of [`sample`] as an object of a bucket, and as the client of Google Cloud Storage writes it.
const OBJECTS: [&str; 2] = ["/bucket/events.root", "/bucket/events%2Eroot"];

/// A server with [`SAMPLE`], as a file and as an object.
pub(super) fn server() -> FileServer {
    server_of(&sample())
}

/// A server with these bytes in place of [`SAMPLE`].
pub(super) fn server_of(bytes: &[u8]) -> FileServer {
    FileServer::start([PATH, OBJECTS[0], OBJECTS[1]].map(|path| (path, bytes))).unwrap()
}

/// By which protocol [`server`] is asked.
#[derive(Clone)]
pub(super) enum Over {
    Http,
    S3,
    Gs,
    Az,
    /// By a server that speaks TLS, and is in front of that one.
    Https(Arc<Nginx>),
}

impl Over {
    pub(super) const ALL: [Self; 4] = [Self::Http, Self::S3, Self::Gs, Self::Az];

    /// Those of [`ALL`](Self::ALL) and HTTPS, where there is a server that has TLS.
    pub(super) fn all_and_https() -> Vec<Self> {
        Self::ALL.into_iter().chain(front().map(Self::Https)).collect()
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Http => "HTTP",
            Self::S3 => "S3",
            Self::Gs => "Google",
            Self::Az => "Azure",
            Self::Https(_) => "HTTPS",
        }
    }

    /// The URL of the sample on a server, and the options that reach it.
    pub(super) fn at(&self, address: SocketAddr, options: &Options) -> (String, Options) {
        let (endpoint, options) = (format!("http://{address}"), options.clone());
        match self {
            Self::Http => (format!("{endpoint}{PATH}"), options),
            Self::S3 => ("s3://bucket/events.root".to_owned(), s3(&endpoint, options)),
            Self::Gs => {
                let options = options
                    .config("google_base_url", endpoint)
                    .config("google_skip_signature", "true")
                    .config("google_allow_http", "true");
                ("gs://bucket/events.root".to_owned(), options)
            }
            Self::Az => {
                let options = options
                    .config("azure_storage_endpoint", endpoint)
                    .config("azure_storage_account_name", "account")
                    .config("azure_skip_signature", "true")
                    .config("azure_allow_http", "true");
                ("az://bucket/events.root".to_owned(), options)
            }
            Self::Https(front) => {
                let authority = fs::read(front.authority()).unwrap();
                (front.tls_url_to(address) + PATH, options.ca_certificate(authority))
            }
        }
    }

    /// As [`attempt`].
    pub(super) fn attempt(&self, address: SocketAddr, options: &Options) -> Result<(), String> {
        let (url, options) = self.at(address, options);
        attempt(&url, &options).map_err(|error| format!("{}: {error}", self.name()))
    }
}

/// Options of a client that has little patience: for servers that answer at once, or never.
pub(super) fn quick() -> Options {
    let seconds = Duration::from_secs;
    Options::new().timeout(seconds(20)).stall_timeout(seconds(2)).connect_timeout(seconds(4)).retries(2)
}

/// Options for other servers: on a busy machine they take seconds for a part of an object, and for the end of an upload.
pub(super) fn patient() -> Options {
    let seconds = Duration::from_secs;
    Options::new().timeout(seconds(60)).stall_timeout(seconds(30)).connect_timeout(seconds(10)).retries(2)
}

/// Options for an S3 server on loopback.
pub(super) fn s3(endpoint: &str, options: Options) -> Options {
    options
        .config("aws_endpoint_url", endpoint)
        .config("aws_allow_http", "true")
        .config("aws_access_key_id", ACCESS_KEY)
        .config("aws_secret_access_key", SECRET_KEY)
        .config("aws_region", "us-east-1")
}

/// A server that tests use at the same time.
struct Common<T>(Mutex<Weak<T>>);

impl<T> Common<T> {
    const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// The one that is running, or another one.
    fn get(&self, start: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = known.upgrade() {
            return Some(server);
        }
        let server = Arc::new(start()?);
        *known = Arc::downgrade(&server);
        Some(server)
    }
}

/// moto, which is slow to start: one for all tests that run at the same time.
pub(super) fn moto() -> Option<Arc<Moto>> {
    static MOTO: Common<Moto> = Common::new();
    MOTO.get(Moto::start)
}

/// TLS in front of the other servers.
pub(super) fn front() -> Option<Arc<Nginx>> {
    static FRONT: Common<Nginx> = Common::new();
    FRONT.get(Nginx::in_front)
}

/// Registers what opens URLs in this process, until the guard is dropped.
pub(super) fn registered(options: Options) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    register_with(options);
    guard
}

/// Opens an object and reads it. An error has the name of the object, and comes within its time-out of 10 seconds, with
/// what a busy machine may add.
pub(super) fn attempt(url: &str, options: &Options) -> Result<(), String> {
    let begun = Instant::now();
    let done = ObjectFile::open(url, options).map_err(|error| error.to_string()).and_then(|file| {
        let name = file.name().to_owned();
        let read = read_events(file).map_err(|error| error.to_string());
        read.inspect_err(|error| assert!(error.contains(&name), "{error}"))
    });
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}: {done:?}", begun.elapsed());
    assert_eq!(*done.as_ref().unwrap_or(&SAMPLE.count()), SAMPLE.count());
    done.map(drop)
}
