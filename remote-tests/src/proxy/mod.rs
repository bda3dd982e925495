//! A network on loopback: slow, narrow, or failing. It knows nothing of what it carries.
//!
//! ```
//! use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
//! use std::net::TcpListener;
//! use std::time::Duration;
//!
//! let server = TcpListener::bind("127.0.0.1:0")?;
//! let link = Link::new(Duration::from_millis(20)).bandwidth(100_000_000);
//! let proxy = Proxy::start(server.local_addr()?, link)?;
//! // Clients connect to `proxy.address()`. The first answer that is longer than this is cut:
//! proxy.set(Fault::Cut { after_bytes: 100_000 }, Repeat::Times(1));
//! assert_eq!(proxy.counters().connections, 0);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

mod connection;
mod fault;
mod line;
mod link;

use connection::Connection;
use fault::Faults;
pub use fault::{Fault, Repeat};
use link::Lane;
pub use link::Link;

use crate::acceptor::Acceptor;

/// A network between clients and one server. It ends, with all of its connections, when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    acceptor: Acceptor,
    shared: Arc<Shared>,
}

/// What a [`Proxy`] has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Connections that were accepted, refused ones among them.
    pub connections: u64,
    /// Bytes that have arrived at the server.
    pub bytes_up: u64,
    /// Bytes that have arrived at clients.
    pub bytes_down: u64,
    /// How often a client began to send after the server had: the round trips, where a client waits for each answer.
    pub turns: u64,
    /// How often a fault has occurred.
    pub faults: u64,
}

/// What connections share.
#[derive(Debug)]
struct Shared {
    link: Link,
    up: Lane,
    down: Lane,
    faults: Faults,
    open: Mutex<Vec<Weak<Connection>>>,
    connections: AtomicU64,
    bytes_up: AtomicU64,
    bytes_down: AtomicU64,
    turns: AtomicU64,
}

impl Proxy {
    /// Starts a network to the server at `target`, on a free loopback port.
    ///
    /// # Errors
    /// There is no free port.
    pub fn start(target: SocketAddr, link: Link) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            up: Lane::new(&link),
            down: Lane::new(&link),
            link,
            faults: Faults::default(),
            open: Mutex::default(),
            connections: AtomicU64::new(0),
            bytes_up: AtomicU64::new(0),
            bytes_down: AtomicU64::new(0),
            turns: AtomicU64::new(0),
        });
        let of = Arc::clone(&shared);
        let acceptor = Acceptor::start(move |client| of.accept(client, target))?;
        Ok(Self { acceptor, shared })
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// Sets what goes wrong from now on, instead of what was set before.
    pub fn set(&self, fault: Fault, repeat: Repeat) {
        self.shared.faults.set(Some(fault), repeat);
    }

    /// Lets nothing go wrong from now on.
    pub fn clear(&self) {
        self.shared.faults.set(None, Repeat::Always);
    }

    /// Resets all open connections, as a server that restarts does.
    pub fn reset_all(&self) {
        self.shared.reset_all();
    }

    /// Returns what was seen so far.
    pub fn counters(&self) -> Counters {
        let shared = &self.shared;
        Counters {
            connections: shared.connections.load(Ordering::Relaxed),
            bytes_up: shared.bytes_up.load(Ordering::Relaxed),
            bytes_down: shared.bytes_down.load(Ordering::Relaxed),
            turns: shared.turns.load(Ordering::Relaxed),
            faults: shared.faults.occurred(),
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.reset_all();
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, client: TcpStream, target: SocketAddr) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        let plan = self.faults.plan();
        if plan.fault == Some(Fault::Refuse) && self.faults.occur(plan.number) {
            return reset(&client);
        }
        let this = Arc::clone(self);
        // A server that does not accept must not keep other connections waiting.
        let _ = thread::Builder::new().spawn(move || {
            let Ok(server) = TcpStream::connect_timeout(&target, Duration::from_secs(10)) else {
                return reset(&client);
            };
            if let Ok(connection) = Connection::start(client, server, &this) {
                let mut open = this.open.lock().unwrap_or_else(PoisonError::into_inner);
                open.retain(|connection| connection.strong_count() > 0);
                open.push(Arc::downgrade(&connection));
            }
        });
    }

    fn reset_all(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        open.iter().filter_map(Weak::upgrade).for_each(|connection| connection.reset());
    }
}

/// Makes the client see a reset once the stream is dropped.
fn reset(client: &TcpStream) {
    let _ = SockRef::from(client).set_linger(Some(Duration::ZERO));
}
