//! How long bytes take.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A network between a client and a server.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Link {
    /// What the network adds to each round trip: half of it in each direction. Default: nothing.
    pub delay: Duration,
    /// The bytes per second that all connections together send in one direction. Default: unlimited.
    pub bandwidth: Option<u64>,
    /// Whether a connection costs one more round trip before its first byte, as the handshake of TCP does.
    /// Default: yes.
    pub handshake: bool,
}

impl Link {
    /// A network that adds `delay` to each round trip.
    pub fn new(delay: Duration) -> Self {
        Self { delay, bandwidth: None, handshake: true }
    }

    /// A network that adds nothing.
    pub fn ideal() -> Self {
        Self::new(Duration::ZERO)
    }

    /// Limits what all connections together send in each direction, in bytes per second.
    pub fn bandwidth(mut self, bytes_per_second: u64) -> Self {
        self.bandwidth = Some(bytes_per_second);
        self
    }

    /// Sets whether a connection costs one more round trip.
    pub fn handshake(mut self, handshake: bool) -> Self {
        self.handshake = handshake;
        self
    }

    /// The bytes that one connection may have under way: those of a full link, and at least 16 MiB.
    pub(super) fn window(&self) -> usize {
        let full = self.bandwidth.unwrap_or(1 << 30) as u128 * self.delay.as_nanos() / 1_000_000_000;
        usize::try_from(full).unwrap_or(usize::MAX).clamp(16 << 20, 256 << 20)
    }
}

/// One direction of a link, which all connections share: a token bucket.
#[derive(Debug)]
pub(super) struct Lane {
    bandwidth: Option<u64>,
    /// When the link has sent all that was given to it.
    free_at: Mutex<Instant>,
}

impl Lane {
    /// A thread may be this late for its next chunk, and the link has lost no time. It is also what an idle link sends
    /// at once.
    const BURST: Duration = Duration::from_millis(5);

    pub(super) fn new(link: &Link) -> Self {
        Self { bandwidth: link.bandwidth, free_at: Mutex::new(Instant::now()) }
    }

    /// Takes the time that `length` bytes need, and returns when the last of them is sent.
    pub(super) fn send(&self, length: usize) -> Instant {
        let now = Instant::now();
        let Some(bandwidth) = self.bandwidth else { return now };
        let needed = Duration::from_nanos(
            u64::try_from(length as u128 * 1_000_000_000 / u128::from(bandwidth.max(1))).unwrap_or(u64::MAX),
        );
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(Self::BURST).unwrap_or(now);
        *free_at = earliest.max(*free_at) + needed;
        (*free_at).max(now)
    }
}
