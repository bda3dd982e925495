//! The servers that are connected, and requests about paths: these follow redirections from one server to another.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rntuple::storage::PerProcess;

use crate::connection::Connection;
use crate::failure::{Deadline, Failure};
use crate::locks::{lock, try_lock};
use crate::options::Options;
use crate::session;
use crate::url::{Host, Place, Url};
use crate::wire::code::{Code, errors};
use crate::wire::request::Request;

/// Most redirections of a request.
const REDIRECTIONS: usize = 16;

/// Longest list of a directory, in bytes.
const LIST: usize = 256 << 20;

/// How long a connection stays that no file uses.
const IDLE: Duration = Duration::from_secs(60);

/// Connections that stay though no file uses them.
const MOST_IDLE: usize = 32;

/// The connections to one server, each made when it is first needed.
type Connections = Vec<Mutex<Option<Arc<Connection>>>>;

/// The servers of all files that were opened with the same options. A process that was forked connects to them itself.
#[derive(Debug, Default)]
pub(crate) struct Hosts(PerProcess<OfProcess>);

#[derive(Debug, Default)]
struct OfProcess {
    connections: Mutex<HashMap<Host, Arc<Connections>>>,
    /// The addresses of those that were found to need TLS, though their URLs do not say so.
    with_tls: Mutex<HashSet<String>>,
    #[cfg(feature = "tls")]
    tls: Mutex<Option<Arc<rustls::ClientConfig>>>,
}

impl Hosts {
    /// The connection with this number to a host; numbers beyond that of the connections begin again. With `is_once`, for a
    /// request that is made once only: it is certain that the server is there.
    pub(crate) fn connection(
        &self,
        host: &Host,
        number: usize,
        is_once: bool,
        options: &Options,
        deadline: Deadline,
    ) -> Result<Arc<Connection>, Failure> {
        self.sweep();
        let connections = {
            let mut hosts = lock(&self.0.get().connections);
            let new = || Arc::new((0..options.connections.max(1)).map(|_| Mutex::new(None)).collect());
            Arc::clone(hosts.entry(host.clone()).or_insert_with(new))
        };
        let Some(slot) = connections.get(number % connections.len().max(1)) else {
            return Err(Failure::Final(io::ErrorKind::NotConnected.into()));
        };
        // A caller that needs the same connection waits here until it is made, or is known to fail.
        let mut slot = lock(slot);
        let is_good = |connection: &&Arc<Connection>| {
            !connection.is_broken() && (!is_once || connection.is_alive(&deadline))
        };
        if let Some(connection) = slot.as_ref().filter(is_good) {
            return Ok(Arc::clone(connection));
        }
        *slot = None;
        let within = deadline.within(options.connect_timeout);
        let connection =
            session::connect(host, options, self, within).map_err(|failure| failure.before(&deadline))?;
        Ok(Arc::clone(slot.insert(Arc::new(connection))))
    }

    /// Closes connections that are broken, and those that no file uses: after a time, and beyond a number.
    pub(crate) fn sweep(&self) {
        let mut hosts = lock(&self.0.get().connections);
        let mut idle = Vec::new();
        for slot in hosts.values().flat_map(|connections| connections.iter()) {
            // One that is locked is being made.
            let Some(mut slot) = try_lock(slot) else { continue };
            let Some(connection) = slot.as_ref() else { continue };
            let heard = connection.heard_at();
            match Arc::strong_count(connection) {
                _ if connection.is_broken() => *slot = None,
                1 if heard.elapsed() >= IDLE => *slot = None,
                1 => idle.push((heard, slot)),
                _ => {}
            }
        }
        idle.sort_by_key(|(heard, _)| Reverse(*heard));
        for (_, mut slot) in idle.into_iter().skip(MOST_IDLE) {
            *slot = None;
        }
        // Others may be about to connect to a host.
        hosts.retain(|_, connections| {
            Arc::strong_count(connections) > 1
                || connections.iter().any(|slot| try_lock(slot).is_none_or(|slot| slot.is_some()))
        });
    }

    /// Whether a connection to this host was found to need TLS.
    pub(crate) fn needs_tls(&self, host: &Host) -> bool {
        lock(&self.0.get().with_tls).contains(&host.address())
    }

    pub(crate) fn set_needs_tls(&self, host: &Host) {
        lock(&self.0.get().with_tls).insert(host.address());
    }

    #[cfg(feature = "tls")]
    pub(crate) fn tls(&self, options: &Options) -> io::Result<Arc<rustls::ClientConfig>> {
        let mut config = lock(&self.0.get().tls);
        if let Some(config) = config.as_ref() {
            return Ok(Arc::clone(config));
        }
        let new = crate::tls::config(options.ca_file.as_deref())?;
        Ok(Arc::clone(config.insert(new)))
    }
}

/// A request about a path, which any server may redirect.
#[derive(Clone, Debug)]
pub(crate) enum Operation<'a> {
    Open(u16),
    Stat,
    List,
    Remove,
    /// To this path.
    Rename(&'a str),
    Checksum,
}

impl Operation<'_> {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Open(_) => Code::open,
            Self::Stat => Code::stat,
            Self::List => Code::dirlist,
            Self::Remove => Code::rm,
            Self::Rename(_) => Code::mv,
            Self::Checksum => Code::query,
        }
    }

    /// The request about the path that the file has at `place`. Where a renaming leads to is as the caller says.
    fn request(&self, url: &Url, place: &Place, tried: &str) -> Request {
        let opaque = &[&*place.opaque, tried];
        let target = url.target(place.path.as_deref().unwrap_or(&url.path), opaque);
        match self {
            Self::Open(options) => Request::open(&target, *options),
            Self::Stat => Request::stat(&target),
            Self::List => Request::dirlist(&target),
            Self::Remove => Request::rm(&target),
            Self::Rename(to) => Request::mv(&target, &url.target(to, opaque)),
            Self::Checksum => Request::query_checksum(&target),
        }
    }

    fn room(&self) -> usize {
        match self {
            Self::List => LIST,
            _ => 16 << 10,
        }
    }

    /// Whether it may be made again when no one knows if it was done.
    fn may_be_repeated(&self) -> bool {
        use crate::wire::code::opens::NEW;
        match self {
            Self::Open(options) => options & NEW == 0,
            Self::Stat | Self::List | Self::Checksum => true,
            Self::Remove | Self::Rename(_) => false,
        }
    }

    /// Whether another server may do what this one refuses, since it fails or has no copy. What it refuses to remove or
    /// to rename is not done to a copy elsewhere.
    fn may_be_done_elsewhere(&self, failure: &Failure) -> bool {
        !matches!(self, Self::Remove | Self::Rename(_))
            && errors::OF_SERVER.iter().any(|code| failure.is(*code))
    }

    /// Whether a server may work for long before it says anything: it reads the whole file for a checksum. What may not be
    /// repeated is waited for as well.
    fn may_take_long(&self) -> bool {
        matches!(self, Self::Checksum) || !self.may_be_repeated()
    }
}

/// An answer, and the server that gave it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) body: Vec<u8>,
    pub(crate) connection: Arc<Connection>,
    pub(crate) place: Place,
}

/// Makes a request about `url.path`, from `from` on, by the connections with this number. The servers that were `tried`
/// did not answer: the one that redirects to them chooses another one, or one of these if there is no other. Another
/// one is chosen also where a server fails or has no copy; if none does it, the first refusal is the error.
pub(crate) fn ask(
    url: &Url,
    operation: &Operation<'_>,
    from: &Place,
    mut tried: Vec<String>,
    number: usize,
    options: &Options,
    deadline: Deadline,
) -> Result<Reply, Failure> {
    let patience = if operation.may_take_long() { deadline.patient() } else { deadline };
    let is_once = !operation.may_be_repeated();
    let mut place = from.clone();
    let mut was_tls = false;
    // The servers that have refused, and what the first of them said.
    let mut refusing: Vec<String> = Vec::new();
    let mut refusal: Option<Failure> = None;
    let mut redirections = 0;
    let mut attempts = 0;
    loop {
        let mut was_sent = false;
        let tried_part = if tried.is_empty() { String::new() } else { format!("tried={}", tried.join(",")) };
        let connection = options.hosts.connection(&place.host, number, is_once, options, deadline);
        let result = connection.and_then(|connection| {
            was_sent = true;
            was_tls |= connection.is_tls();
            let request = operation.request(url, &place, &tried_part);
            let asked = connection.ask(&request, operation.room(), &patience);
            let body = asked.map_err(|failure| failure.after_refusal(connection.refusal.as_deref()))?;
            Ok(Reply { body, connection, place: place.clone() })
        });
        match result {
            Ok(reply) => return Ok(reply),
            Err(Failure::Redirect(redirect)) => {
                redirections += 1;
                if redirections > REDIRECTIONS {
                    if let Some(first) = refusal {
                        return Err(first);
                    }
                    let text = format!(
                        "the servers redirect {redirections} times; the last one is {}",
                        place.host.address()
                    );
                    return Err(Failure::Final(io::Error::new(io::ErrorKind::TooManyLinks, text)));
                }
                place = place.redirected(&redirect)?;
                // A token of the URL that was sent over TLS once is not sent in plain text.
                place.host.tls |= was_tls && url.has_secret();
            }
            Err(failure) if place.host != from.host && operation.may_be_done_elsewhere(&failure) => {
                let address = place.host.address();
                let first = refusal.take().unwrap_or(failure);
                // The server that redirects does not heed which were tried.
                if refusing.contains(&address) {
                    return Err(first);
                }
                refusal = Some(first);
                refusing.push(address);
                tried.push(place.host.name.clone());
                place = from.clone();
            }
            // There is no other server. One of those that did not answer may be there again.
            Err(Failure::Server { .. }) if !tried.is_empty() && place.host == from.host => match refusal {
                Some(first) => return Err(first),
                None => tried.clear(),
            },
            Err(failure) if failure.may_pass() => {
                attempts += 1;
                match failure {
                    Failure::Broken(kind, text) if was_sent && is_once => {
                        return Err(Failure::Lost(kind, text));
                    }
                    failure if attempts > options.retries => return Err(failure),
                    _ => {}
                }
                if place.host != from.host {
                    tried.push(place.host.name.clone());
                    place = from.clone();
                    // They are counted for each attempt: a circle never fails.
                    redirections = 0;
                }
                deadline.back_off(attempts)?;
            }
            Err(failure) => return Err(failure),
        }
    }
}
