//! What goes wrong on the way, and when.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A failure of the network. Bytes are, but for one fault, those that the client receives on one connection: all of them on a connection
/// that begins later, and those after [`Proxy::set`](super::Proxy::set) on one that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Resets the connection after this many bytes, where more would follow.
    Cut {
        /// The bytes that still arrive.
        after_bytes: u64,
    },
    /// Closes the connection in good order after this many bytes, as if the server had nothing more to send.
    Truncate {
        /// The bytes that still arrive.
        after_bytes: u64,
    },
    /// Delivers nothing after this many bytes, and keeps the connection open. Delivery resumes when the fault is
    /// replaced or cleared.
    Stall {
        /// The bytes that still arrive.
        after_bytes: u64,
    },
    /// Delivers nothing in either direction after this many bytes, as if a router has forgotten the connection. It
    /// stays open for the server, also when the client closes it, for as long as there is the proxy.
    Vanish {
        /// The bytes that still arrive.
        after_bytes: u64,
    },
    /// Flips the lowest bit of one byte, or of many.
    Corrupt {
        /// The first such byte; the byte that is received first has the number 0.
        at_byte: u64,
        /// The distance from there to the next one, and so on.
        every: Option<u64>,
    },
    /// Flips the lowest bit of one byte that the client sends; the byte that it sends first has the number 0.
    CorruptUpload {
        /// That byte.
        at_byte: u64,
    },
    /// Closes the connection in good order in place of the answer to a request: the server has done what it was asked for.
    Unanswered {
        /// What the request begins with.
        request: &'static str,
    },
    /// Resets each new connection at once. Open connections are not affected.
    Refuse,
}

/// How often a fault occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// On the first connections that reach it, this many of them.
    Times(u32),
    /// On every connection.
    Always,
}

/// The fault that is set.
#[derive(Debug, Default)]
pub(super) struct Faults {
    plan: Mutex<Plan>,
    occurred: AtomicU64,
}

/// The fault, with a number that is different for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    pub(super) fault: Option<Fault>,
    pub(super) number: u64,
    left: Option<u32>,
}

impl Faults {
    pub(super) fn set(&self, fault: Option<Fault>, repeat: Repeat) {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let left = match repeat {
            Repeat::Times(times) => Some(times),
            Repeat::Always => None,
        };
        let fault = fault.filter(|_| left != Some(0));
        *plan = Plan { fault, number: plan.number + 1, left };
    }

    pub(super) fn plan(&self) -> Plan {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the fault `number` occurs now, where a connection has reached it.
    pub(super) fn occur(&self, number: u64) -> bool {
        self.occur_after(number, || ())
    }

    /// The same, where the fault has to `begin` before it is counted: a test waits for the count.
    pub(super) fn occur_after(&self, number: u64, begin: impl FnOnce()) -> bool {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        if plan.number != number || plan.fault.is_none() || plan.left == Some(0) {
            return false;
        }
        // The plan keeps its number: those on which it occurred are still in it.
        plan.left = plan.left.map(|left| left - 1);
        begin();
        self.occurred.fetch_add(1, Ordering::Release);
        true
    }

    pub(super) fn occurred(&self) -> u64 {
        self.occurred.load(Ordering::Acquire)
    }
}
