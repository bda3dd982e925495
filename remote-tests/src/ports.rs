//! Ports for servers that are other programs.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Below the ports that systems give to those who ask for any: another server of the tests would get one of those while the
/// program starts.
const FIRST: u16 = 12_000;
const COUNT: u16 = 20_000;

/// Returns a port of loopback on which no program listens, another one with each call. Where a process begins is random, so that
/// others rarely come to the same port at the same time.
///
/// # Errors
/// Programs listen on all of them.
pub fn free_port() -> io::Result<u16> {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(std::process::id()) >> 1));
    for _ in 0..COUNT {
        let place = NEXT.fetch_add(1, Ordering::Relaxed) % u64::from(COUNT);
        let port = FIRST + u16::try_from(place).map_err(io::Error::other)?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::other(format!("programs listen on all ports from {FIRST} to {}", FIRST + (COUNT - 1))))
}
