//! Transactions in the order of their keys, whichever thread fills them and whenever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::cluster::{EndedCluster, OpenCluster, Pages, Writing};
use super::lent::{Able, Lent};
use super::shared_file::AnyFile;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::sync::{ThreadId, current_thread};

/// In which order a [`ParallelWriter`](super::ParallelWriter) writes the transactions that its contexts fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Keys are the numbers of transactions: after `n` comes `n + 1`.
    Transactions {
        /// The key of the first transaction.
        first: u64,
    },
    /// Keys are the numbers of first entries (of events, say): after a transaction of `n` entries with key `k` comes
    /// that with key `k + n`.
    Entries {
        /// The key of the first transaction.
        first: u64,
    },
}

/// How long a thread waits while no page is written. Another thread has a context, but what that thread does is not
/// known: it may have much to compute, or wait for this one.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(200) } else { Duration::from_secs(60) };

/// The same if the other context was not used yet, and may be in the thread that waits.
const SHORT_PATIENCE: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(5) };

/// Which transaction's turn it is, and those that wait.
#[derive(Debug)]
pub(super) struct Queue {
    order: Order,
    /// The key whose turn it is.
    next: u64,
    /// Begun and not committed, each with the context that fills it.
    begun: BTreeMap<u64, u64>,
    /// Committed before their turn, with their numbers of entries.
    held: BTreeMap<u64, Held>,
    /// Bytes of the pages that wait, in transactions of any state, and how many may.
    size: u64,
    limit: u64,
    /// Transactions are written one after the other, so that the bytes of the file do not depend on the threads. No more if
    /// that would stop all threads: transactions for which there is no room are then written before their turn, and published
    /// in their turn as before.
    is_strict: bool,
    /// Threads that wait for room, since room was made for the last time.
    waiting: Vec<ThreadId>,
    /// How often room was made.
    rounds: u64,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    round: u64,
    /// Where the file ended.
    file_end: u64,
    /// The longest time without a page that is written.
    pub(super) limit: Duration,
}

/// What a transaction does to the file when its turn has come.
#[derive(Debug)]
pub(super) enum Step {
    /// Writes pages of the open cluster.
    Pages(Pages),
    /// Ends the open cluster, which has this number of entries, and these representations.
    End(u64, Arc<[u16]>),
}

/// A transaction that waits for its turn.
#[derive(Debug)]
pub(super) struct Held {
    /// Clusters that were written before their turn.
    pub(super) ended: Vec<EndedCluster>,
    /// What is to be written.
    pub(super) steps: Vec<Step>,
    pub(super) entries: u64,
}

/// Does what was held back, and gives out the pages that are written. Returns the clusters that have ended.
pub(super) fn replay(
    steps: Vec<Step>,
    open: &mut OpenCluster,
    writing: Writing,
    file: &AnyFile<'_>,
    mut written: impl FnMut(Pages),
) -> Result<Vec<EndedCluster>> {
    let mut ended = Vec::new();
    for step in steps {
        match step {
            Step::Pages(pages) => {
                open.put(&pages, writing, file)?;
                written(pages);
            }
            Step::End(entries, representations) => ended.push(open.end(entries, representations)),
        }
    }
    Ok(ended)
}

/// Returns the bytes of memory that pages take while they wait.
pub(super) fn footprint(pages: &Pages) -> u64 {
    pages.iter().map(|(_, page)| page.footprint()).sum()
}

impl Wait {
    /// Whether a page was written since.
    pub(super) fn is_outdated(&self, file_end: u64) -> bool {
        self.file_end != file_end
    }
}

impl Queue {
    pub(super) fn new(order: Order, limit: u64) -> Self {
        let (Order::Transactions { first } | Order::Entries { first }) = order;
        Self {
            order,
            next: first,
            begun: BTreeMap::new(),
            held: BTreeMap::new(),
            size: 0,
            limit,
            is_strict: true,
            waiting: Vec::new(),
            rounds: 0,
        }
    }

    /// # Errors
    /// There is, or was, such a transaction.
    pub(super) fn begin(&mut self, key: u64, context: u64) -> Result<()> {
        if key == u64::MAX {
            return Err(Error::invalid_argument("the largest number cannot be a key, as no key follows it"));
        }
        if key < self.next || self.held.contains_key(&key) || self.begun.contains_key(&key) {
            return Err(Error::invalid_argument(format!("transaction {key} was begun before")));
        }
        self.begun.insert(key, context);
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
        self.waiting.clear();
        self.rounds += 1;
    }

    /// This thread waits for room, one of those that have contexts; `starters` are threads that may start others.
    /// `None` if no thread could make room.
    pub(super) fn wait(&mut self, lent: &Lent, starters: &[ThreadId], file_end: u64) -> Option<Wait> {
        if !self.is_strict {
            return None;
        }
        self.waiting.push(current_thread().id());
        let waits = |thread: &ThreadId| self.waiting.contains(thread);
        let able = match self.begun.get(&self.next).map(|context| lent.thread_of(*context)) {
            // Nothing else makes room.
            Some(Some(thread)) if waits(&thread) => Able::None,
            Some(_) => Able::Some,
            None if !starters.iter().all(waits) => Able::Some,
            None => lent.able(&self.waiting),
        };
        let limit = match able {
            Able::Some => PATIENCE,
            Able::Perhaps => SHORT_PATIENCE,
            Able::None => return None,
        };
        Some(Wait { round: self.rounds, file_end, limit })
    }

    /// Ends what [`wait`](Self::wait) began.
    pub(super) fn stop_waiting(&mut self, wait: Wait) {
        if wait.round == self.rounds {
            let me = current_thread().id();
            self.waiting.retain(|thread| *thread != me);
        }
    }

    /// No thread waits for room any more.
    pub(super) fn relax(&mut self) {
        self.is_strict = false;
        self.call();
    }

    /// A transaction is complete before its turn.
    pub(super) fn keep(&mut self, key: u64, held: Held) {
        self.begun.remove(&key);
        self.held.insert(key, held);
    }

    /// The transaction whose turn it is has been written.
    ///
    /// # Errors
    /// A transaction with a key among its entries is there.
    pub(super) fn advance(&mut self, entries: u64) -> Result<()> {
        self.begun.remove(&self.next);
        let step = match self.order {
            Order::Transactions { .. } => 1,
            Order::Entries { .. } => entries,
        };
        let next = self
            .next
            .checked_add(step)
            .ok_or_else(|| Error::limit("the key of a transaction passes 2^64"))?;
        let overtaken = |keys: Option<&u64>| keys.copied().filter(|key| *key < next);
        let overtaken = overtaken(self.begun.keys().next()).or_else(|| overtaken(self.held.keys().next()));
        if let Some(key) = overtaken {
            let message = format!(
                "transaction {} has {}, but the next transaction has key {key}",
                self.next,
                counted(entries, "entry")
            );
            return Err(Error::invalid_argument(message));
        }
        self.next = next;
        self.call();
        Ok(())
    }

    /// The transaction whose turn it is, if it is complete.
    pub(super) fn take_next(&mut self) -> Option<Held> {
        self.held.remove(&self.next)
    }

    /// The first of the transactions after a gap.
    pub(super) fn take_any(&mut self) -> Option<(u64, Held)> {
        self.held.pop_first()
    }

    /// What is missing, if anything waits for it.
    ///
    /// # Errors
    /// A transaction is.
    pub(super) fn check_complete(&self) -> Result<()> {
        let last = self.held.keys().next_back().max(self.begun.keys().next_back());
        match last {
            None => Ok(()),
            Some(last) if *last == self.next => {
                Err(Error::invalid_argument(format!("transaction {last} was begun, but not committed")))
            }
            Some(last) => Err(Error::invalid_argument(format!(
                "transaction {} was not committed, but later ones, up to transaction {last}, were begun",
                self.next
            ))),
        }
    }
}
