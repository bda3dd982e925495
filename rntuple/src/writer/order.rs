//! Units in the order of their keys, whoever fills them and whenever.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Step;
use crate::error::{Error, Result};
use crate::message::counted;

/// In which order a [`ParallelWriter`](super::ParallelWriter) writes the units that its contexts fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Keys are the numbers of units of work: behind `n` comes `n + 1`.
    Units {
        /// The key of the first unit.
        first: u64,
    },
    /// Keys are the numbers of first entries (of events, say): behind a unit of `n` entries with key `k` comes
    /// that with key `k + n`.
    Entries {
        /// The key of the first unit.
        first: u64,
    },
}

/// Which unit's turn it is, and those that wait.
#[derive(Debug)]
pub(super) struct Queue {
    order: Order,
    /// The key whose turn it is.
    next: u64,
    /// Begun and not committed.
    begun: BTreeSet<u64>,
    /// Committed before their turn, with their numbers of entries.
    held: BTreeMap<u64, Held>,
    /// Bytes of the pages that wait, in units of any state, and how many may.
    size: u64,
    limit: u64,
    /// Contexts that wait for room, since room was made for the last time.
    waiting: usize,
    /// How often room was made.
    rounds: u64,
}

/// A unit that waits for its turn.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) steps: Vec<Step>,
    pub(super) entries: u64,
}

impl Queue {
    pub(super) fn new(order: Order, limit: u64) -> Self {
        let (Order::Units { first } | Order::Entries { first }) = order;
        Self {
            order,
            next: first,
            begun: BTreeSet::new(),
            held: BTreeMap::new(),
            size: 0,
            limit,
            waiting: 0,
            rounds: 0,
        }
    }

    /// # Errors
    /// There is, or was, such a unit.
    pub(super) fn begin(&mut self, key: u64) -> Result<()> {
        if key == u64::MAX {
            return Err(Error::invalid_argument("the largest number cannot be a key, as no key follows it"));
        }
        if key < self.next || self.held.contains_key(&key) || !self.begun.insert(key) {
            return Err(Error::invalid_argument(format!("unit {key} was begun before")));
        }
        Ok(())
    }

    pub(super) fn is_turn(&self, key: u64) -> bool {
        key == self.next
    }

    /// Whether `size` more bytes may wait; then they do.
    pub(super) fn hold(&mut self, size: u64) -> bool {
        let fits = self.size.saturating_add(size) <= self.limit;
        if fits {
            self.size += size;
        }
        fits
    }

    /// These bytes wait no more.
    pub(super) fn release(&mut self, size: u64) {
        self.size = self.size.saturating_sub(size);
        self.call();
    }

    /// All who wait look again.
    fn call(&mut self) {
        self.waiting = 0;
        self.rounds += 1;
    }

    /// One more context waits for room, one of so many; returns what ends it.
    ///
    /// # Errors
    /// All of them would: nobody could ever make room.
    pub(super) fn wait(&mut self, contexts: usize) -> Result<u64> {
        if self.waiting + 1 >= contexts {
            return Err(Error::limit(format!(
                "the memory budget has room for {} bytes of units that wait for their turn, and unit {}, which is next, was not begun",
                self.limit, self.next
            )));
        }
        self.waiting += 1;
        Ok(self.rounds)
    }

    /// Ends what [`wait`](Self::wait) began.
    pub(super) fn stop_waiting(&mut self, round: u64) {
        if round == self.rounds {
            self.waiting = self.waiting.saturating_sub(1);
        }
    }

    /// A unit is complete before its turn.
    pub(super) fn keep(&mut self, key: u64, held: Held) {
        self.begun.remove(&key);
        self.held.insert(key, held);
    }

    /// The unit whose turn it is has been written.
    ///
    /// # Errors
    /// A unit with a key among its entries is there.
    pub(super) fn advance(&mut self, entries: u64) -> Result<()> {
        self.begun.remove(&self.next);
        let step = match self.order {
            Order::Units { .. } => 1,
            Order::Entries { .. } => entries,
        };
        let next =
            self.next.checked_add(step).ok_or_else(|| Error::limit("the key of a unit passes 2^64"))?;
        let overtaken = |keys: Option<&u64>| keys.copied().filter(|key| *key < next);
        let overtaken = overtaken(self.begun.first()).or_else(|| overtaken(self.held.keys().next()));
        if let Some(key) = overtaken {
            let message = format!(
                "unit {} has {}, but the next unit has key {key}",
                self.next,
                counted(entries, "entry")
            );
            return Err(Error::invalid_argument(message));
        }
        self.next = next;
        self.call();
        Ok(())
    }

    /// The unit whose turn it is, if it is complete.
    pub(super) fn take_next(&mut self) -> Option<Held> {
        self.held.remove(&self.next)
    }

    /// The first of the units behind a gap.
    pub(super) fn take_any(&mut self) -> Option<(u64, Held)> {
        self.held.pop_first()
    }

    /// What is missing, if anything waits for it.
    ///
    /// # Errors
    /// A unit is.
    pub(super) fn check_complete(&self) -> Result<()> {
        let last = self.held.keys().next_back().max(self.begun.last());
        match last {
            None => Ok(()),
            Some(last) => Err(Error::invalid_argument(format!(
                "unit {} was not committed, but later ones, up to unit {last}, were begun",
                self.next
            ))),
        }
    }
}
