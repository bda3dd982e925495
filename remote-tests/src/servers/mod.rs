//! Real servers on free loopback ports, each with a folder of its own. Each ends when it is dropped.
//!
//! A server whose program is not installed is `None`, and a line on standard error says so. With
//! `RNTUPLE_SERVERS_REQUIRED=1` that is a panic. `remote-tests/setup.sh` installs the programs.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use crate::ports::free_port;

mod azurite;
pub mod certificate;
mod gcs;
mod moto;
mod nginx;
mod process;
#[cfg(feature = "s3s")]
mod s3s;
mod xrootd;

pub use azurite::{AZURITE_ACCOUNT, AZURITE_KEY, Azurite};
pub use gcs::FakeGcs;
pub use moto::{Moto, python};
pub use nginx::Nginx;
#[cfg(feature = "s3s")]
pub use s3s::S3s;
pub use xrootd::Xrootd;

/// The access key that the S3 servers accept.
pub const ACCESS_KEY: &str = "rntuple-tests";
/// The secret key that belongs to [`ACCESS_KEY`].
pub const SECRET_KEY: &str = "not-a-secret";

/// Returns the server, or `None` with a line on standard error that says why.
///
/// # Panics
/// There is none, and `RNTUPLE_SERVERS_REQUIRED` is 1.
#[expect(clippy::panic, reason = "a run that requires the servers fails where one is missing")]
pub fn or_skip<T>(name: &str, server: io::Result<T>) -> Option<T> {
    match server {
        Ok(server) => Some(server),
        Err(error) if std::env::var_os("RNTUPLE_SERVERS_REQUIRED").is_some_and(|value| value == "1") => {
            panic!("{name} is required, but cannot be started: {error}")
        }
        Err(error) => {
            eprintln!("skipped: {name} cannot be started: {error}");
            None
        }
    }
}

/// A loopback address that no program listens on.
fn free_address() -> io::Result<SocketAddr> {
    Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?)))
}
