//! A socket, in plain text or in TLS, that one thread reads and others write.

use std::io::{self, IoSlice, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::failure::{Deadline, Failure, broken, is_timeout};
use crate::locks::lock;
use crate::url::Host;

/// The socket of a connection.
#[derive(Debug)]
pub(crate) struct Transport {
    socket: TcpStream,
    /// Held while a whole request is written. With TLS it is taken before the session is locked, and held until what the
    /// session made is on the socket, so that records are sent in their order. The reader never takes it: it could wait
    /// for a writer that waits for the server that waits for the reader.
    writing: Mutex<()>,
    #[cfg(feature = "tls")]
    tls: Option<crate::tls::Session>,
}

/// Why bytes were not written.
#[derive(Debug)]
pub(crate) struct Unwritten {
    pub(crate) failure: Failure,
    /// Whether others can be written: none of these was, and the socket is as before.
    pub(crate) is_usable: bool,
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self { failure, is_usable: false }
    }
}

impl From<Unwritten> for Failure {
    fn from(unwritten: Unwritten) -> Self {
        unwritten.failure
    }
}

impl Transport {
    /// Connects to the first address of a host that answers.
    pub(crate) fn connect(host: &Host, deadline: Deadline) -> Result<Self, Failure> {
        let addresses = resolve(host, deadline)?;
        let mut last = Failure::Broken(io::ErrorKind::NotFound, format!("{}: no address", host.address()));
        for (left, address) in (1..=addresses.len()).rev().zip(&addresses) {
            let share = deadline.left().ok_or_else(|| deadline.passed())? / u32::try_from(left).unwrap_or(1);
            match TcpStream::connect_timeout(address, share.max(Duration::from_millis(1))) {
                Ok(socket) => {
                    // Requests are short and are waited for.
                    let _ = socket.set_nodelay(true);
                    return Ok(Self {
                        socket,
                        writing: Mutex::new(()),
                        #[cfg(feature = "tls")]
                        tls: None,
                    });
                }
                Err(error) => {
                    last = Failure::Broken(error.kind(), format!("connecting to {address}: {error}"))
                }
            }
        }
        Err(last)
    }

    #[cfg(feature = "tls")]
    pub(crate) fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "as with TLS")]
    pub(crate) fn is_tls(&self) -> bool {
        false
    }

    /// Continues as TLS with a server of this name.
    #[cfg(feature = "tls")]
    pub(crate) fn start_tls(
        &mut self,
        name: &str,
        config: std::sync::Arc<rustls::ClientConfig>,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        self.tls = Some(crate::tls::Session::handshake(&self.socket, name, config, deadline)?);
        Ok(())
    }

    /// Limits how long each read of the socket may take; `None` for a reader that is stopped by [`close`](Self::close).
    pub(crate) fn set_read_deadline(&self, deadline: Option<&Deadline>) -> Result<(), Failure> {
        let left = match deadline {
            Some(deadline) => Some(deadline.left().ok_or_else(|| deadline.passed())?),
            None => None,
        };
        self.socket.set_read_timeout(left).map_err(|error| broken(&error))
    }

    /// Reads what there is, at least one byte; zero at the end. Called by one thread.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            #[cfg(feature = "tls")]
            let read = match &self.tls {
                Some(session) => session.read(&self.socket, buffer),
                None => (&self.socket).read(buffer),
            };
            #[cfg(not(feature = "tls"))]
            let read = (&self.socket).read(buffer);
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    /// Writes `parts` one after the other, with nothing of other threads in between.
    pub(crate) fn write_all(&self, parts: &[&[u8]], deadline: &Deadline) -> Result<(), Unwritten> {
        let _writing = lock(&self.writing);
        // Other threads may have written for long, and what TLS has encrypted has to be written.
        if deadline.left().is_none() {
            return Err(Unwritten { failure: deadline.passed(), is_usable: true });
        }
        #[cfg(feature = "tls")]
        if let Some(session) = &self.tls {
            let records = session.encrypt(parts).map_err(|error| broken(&error))?;
            return self
                .put(&mut [IoSlice::new(&records)], deadline)
                .map_err(|unwritten| unwritten.failure.into());
        }
        let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
        self.put(&mut slices, deadline)
    }

    /// Whether a request is being written.
    #[cfg(test)]
    pub(crate) fn is_writing(&self) -> bool {
        crate::locks::try_lock(&self.writing).is_none()
    }

    fn put(&self, mut slices: &mut [IoSlice<'_>], deadline: &Deadline) -> Result<(), Unwritten> {
        let begun = Instant::now();
        let mut is_begun = false;
        // A server that takes nothing for long is gone.
        let passed = |is_begun: bool| Unwritten {
            failure: deadline.passed(),
            is_usable: !is_begun && !deadline.is_long(begun.elapsed()),
        };
        while slices.iter().any(|slice| !slice.is_empty()) {
            let left = deadline.left().ok_or_else(|| passed(is_begun))?;
            self.socket.set_write_timeout(Some(left)).map_err(|error| broken(&error))?;
            match (&self.socket).write_vectored(slices) {
                Ok(0) => return Err(broken(&io::ErrorKind::WriteZero.into()).into()),
                Ok(written) => {
                    IoSlice::advance_slices(&mut slices, written);
                    is_begun = true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => return Err(passed(is_begun)),
                Err(error) => return Err(broken(&error).into()),
            }
        }
        Ok(())
    }

    /// The server, `None` where the system does not say.
    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.socket.peer_addr().ok()
    }

    /// Ends the connection: reading and writing it are errors from then on.
    pub(crate) fn close(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// The addresses of a host. The system may take long to find them, and cannot be interrupted: so another thread asks.
fn resolve(host: &Host, deadline: Deadline) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(address) = host.name.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, host.port)]);
    }
    let (name, port) = (host.name.clone(), host.port);
    let (sender, receiver) = mpsc::channel();
    let ask = move || {
        let found = (name.as_str(), port).to_socket_addrs().map(Iterator::collect);
        let _ = sender.send(found);
    };
    let thread = std::thread::Builder::new().name("xrootd-resolve".to_owned());
    thread.spawn(ask).map_err(Failure::Final)?;
    let left = deadline.left().ok_or_else(|| deadline.passed())?;
    match receiver.recv_timeout(left) {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(error)) => {
            Err(Failure::Broken(io::ErrorKind::HostUnreachable, format!("host {}: {error}", host.name)))
        }
        Err(_) => Err(Failure::TimedOut(format!("the address of host {} is not found in time", host.name))),
    }
}
