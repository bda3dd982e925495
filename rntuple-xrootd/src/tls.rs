//! TLS over a socket that one thread reads and others write.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::failure::{Deadline, Failure, broken, is_timeout};
use crate::locks::lock;

/// Length of what is read from the socket at once: a record of TLS and its header.
const RECORD: usize = 17 << 10;

/// A TLS session. The lock is never held while a socket is waited for.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Mutex<ClientConnection>,
    /// Bytes of the socket that the session has not taken yet.
    received: Mutex<Received>,
}

#[derive(Debug)]
struct Received {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

/// The certificates that are trusted: those of the system, and those in `ca_file`.
pub(crate) fn config(ca_file: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    // A system may lack them; then those of the file are all.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        let in_file = |error: &dyn std::fmt::Display| {
            let text = format!("certificates of {}: {error}", path.display());
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let mut count = 0;
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| in_file(&error))? {
            let certificate = certificate.map_err(|error| in_file(&error))?;
            roots.add(certificate).map_err(|error| in_file(&error))?;
            count += 1;
        }
        if count == 0 {
            return Err(in_file(&"there are none"));
        }
    }
    if roots.is_empty() {
        let text = "no certificate is trusted: this system has none, and the option `ca_file` is not set";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

impl Session {
    pub(crate) fn handshake(
        mut socket: &TcpStream,
        name: &str,
        config: Arc<ClientConfig>,
        deadline: Deadline,
    ) -> Result<Self, Failure> {
        let refused = |error: &dyn std::fmt::Display| {
            let text = format!("TLS with {name}: {error}");
            Failure::Final(io::Error::new(io::ErrorKind::InvalidData, text))
        };
        let server = ServerName::try_from(name.to_owned()).map_err(|error| refused(&error))?;
        let mut connection = ClientConnection::new(config, server).map_err(|error| refused(&error))?;
        // A request may be long, and is encrypted as a whole.
        connection.set_buffer_limit(None);
        while connection.is_handshaking() || connection.wants_write() {
            let left = deadline.left().ok_or_else(|| deadline.passed())?;
            let moved = if connection.wants_write() {
                socket.set_write_timeout(Some(left)).and_then(|()| connection.write_tls(&mut socket))
            } else {
                socket.set_read_timeout(Some(left)).and_then(|()| connection.read_tls(&mut socket))
            };
            match moved {
                Ok(0) => return Err(broken(&io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => return Err(deadline.passed()),
                Err(error) => return Err(broken(&error)),
            }
            if let Err(error) = connection.process_new_packets() {
                // This sends the server the reason.
                let _ = connection.write_tls(&mut socket);
                return Err(refused(&error));
            }
        }
        let received = Received { bytes: vec![0; RECORD].into_boxed_slice(), start: 0, end: 0 };
        Ok(Self { connection: Mutex::new(connection), received: Mutex::new(received) })
    }

    /// As [`Transport::read`](crate::transport::Transport::read).
    pub(crate) fn read(&self, mut socket: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        let mut received = lock(&self.received);
        let Received { bytes, start, end } = &mut *received;
        loop {
            {
                let mut connection = lock(&self.connection);
                match connection.reader().read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
                if let Some(mut rest) = bytes.get(*start..*end).filter(|rest| !rest.is_empty()) {
                    *start += connection.read_tls(&mut rest)?;
                    // What the session has to say to this, the next request takes along.
                    connection
                        .process_new_packets()
                        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
                    continue;
                }
            }
            (*start, *end) = (0, socket.read(bytes)?);
            if *end == 0 {
                return Ok(0);
            }
        }
    }

    /// The records for the bytes of `parts`, and for what else the session has to say.
    pub(crate) fn encrypt(&self, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
        let mut connection = lock(&self.connection);
        for part in parts {
            connection.writer().write_all(part)?;
        }
        let mut records = Vec::new();
        while connection.wants_write() {
            connection.write_tls(&mut records)?;
        }
        Ok(records)
    }
}
