//! An ntuple that the contexts of several threads fill, and the order of their transactions.

use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

use super::Summary;
use super::cluster::{EndedCluster, OpenCluster};
use super::lent::Lent;
use super::ntuple::Ntuple;
use super::order::{Held, Order, Queue, Wait, footprint, replay};
use super::sets::Sets;
use crate::error::{Error, Result};
use crate::hidden::Hidden;
use crate::message::counted;
use crate::storage::WriteAt;
use crate::sync::{ThreadId, current_thread};

/// What the contexts of a parallel writer share.
pub(super) struct Shared<W: WriteAt> {
    team: Mutex<Team<W>>,
    /// A transaction was written, room was made, or entries were lost.
    turn: Condvar,
}

impl<W: WriteAt> Shared<W> {
    pub(super) fn new(ntuple: Ntuple<W>, sets: Hidden<Sets>) -> Arc<Self> {
        let team =
            Team { ntuple, queue: None, lent: Lent::default(), starters: Vec::new(), sets, publishing: None };
        Arc::new(Self { team: Mutex::new(team), turn: Condvar::new() })
    }

    /// The lock survives a panic of the storage.
    pub(super) fn lock(&self) -> MutexGuard<'_, Team<W>> {
        let mut team = self.team.lock().unwrap_or_else(PoisonError::into_inner);
        team.recover();
        team
    }

    /// All threads that wait look again.
    pub(super) fn call(&self) {
        self.turn.notify_all();
    }

    /// Waits for a call. Returns whether none came, and no page was written, for as long as `wait` says.
    pub(super) fn wait<'a>(
        &'a self,
        team: MutexGuard<'a, Team<W>>,
        wait: Wait,
    ) -> (MutexGuard<'a, Team<W>>, bool) {
        let waited = self.turn.wait_timeout(team, wait.limit);
        let (mut team, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        team.recover();
        let is_over = timeout.timed_out() && !wait.is_outdated(team.ntuple.file_end());
        if let Some(queue) = &mut team.queue {
            queue.stop_waiting(wait);
        }
        (team, is_over)
    }

    pub(super) fn into_team(self) -> Team<W> {
        let mut team = self.team.into_inner().unwrap_or_else(PoisonError::into_inner);
        team.recover();
        team
    }
}

/// The ntuple, and who fills it in which order.
pub(super) struct Team<W: WriteAt> {
    pub(super) ntuple: Ntuple<W>,
    /// The order of transactions, where there is one.
    queue: Option<Queue>,
    /// The contexts that fill.
    lent: Lent,
    /// The threads of scopes that may still start others, with contexts.
    starters: Vec<ThreadId>,
    pub(super) sets: Hidden<Sets>,
    /// The transaction that is being published, which a panic may interrupt.
    publishing: Option<Publishing>,
}

/// A transaction that is being published.
struct Publishing {
    /// The number of entries before it.
    before: u64,
    entries: u64,
}

impl<W: WriteAt> Team<W> {
    /// Transactions are written by key.
    pub(super) fn set_order(&mut self, order: Order, limit: u64) {
        if let Some(Err(error)) = self.queue.as_ref().map(Queue::check_complete) {
            self.ntuple.lose(error, 0);
        }
        self.queue = Some(Queue::new(order, limit));
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.queue.is_some()
    }

    /// Whether the transactions before this one are all written.
    pub(super) fn is_turn(&self, key: u64) -> bool {
        self.queue.as_ref().is_none_or(|queue| queue.is_turn(key))
    }

    /// # Errors
    /// Entries were lost, or the key is not possible.
    pub(super) fn begin_transaction(&mut self, key: Option<u64>, context: u64) -> Result<()> {
        self.ntuple.check()?;
        self.lent.hold(context);
        let begun = match (&mut self.queue, key) {
            (None, None) => Ok(()),
            (Some(queue), Some(key)) => queue.begin(key, context),
            (None, Some(_)) => Err(Error::invalid_argument(
                "transactions can have keys only after `ParallelWriter::ordered`",
            )),
            (Some(_), None) => Err(Error::invalid_argument(
                "the transactions of an ordered writer need keys: begin them with `FillContext::begin_ordered`",
            )),
        };
        begun.map_err(|error| self.ntuple.place(error))
    }

    /// Whether this number of bytes may wait as well; then they do.
    pub(super) fn hold(&mut self, size: u64) -> bool {
        self.queue.as_mut().is_none_or(|queue| queue.hold(size))
    }

    pub(super) fn release(&mut self, size: u64) {
        if let Some(queue) = &mut self.queue {
            queue.release(size);
        }
    }

    /// The thread of this context waits for room; `None` if no thread could make any.
    pub(super) fn begin_waiting(&mut self, context: u64) -> Option<Wait> {
        self.lent.hold(context);
        // The transaction whose turn it is may be lost.
        self.ntuple.check().ok()?;
        let file_end = self.ntuple.file_end();
        self.queue.as_mut()?.wait(&self.lent, &self.starters, file_end)
    }

    /// A transaction is written before its turn: a thread that waits may do the same.
    pub(super) fn write_early(&mut self) {
        self.ntuple.count_early_transaction();
        if let Some(queue) = &mut self.queue {
            queue.relax();
        }
    }

    /// Keeps a complete transaction until its turn.
    pub(super) fn keep(&mut self, key: u64, held: Held) {
        if let Some(queue) = &mut self.queue {
            queue.keep(key, held);
        }
    }

    /// Publishes the transaction whose turn it is, and those that waited for it.
    pub(super) fn publish_turn(&mut self, clusters: Vec<EndedCluster>, entries: u64) -> Result<()> {
        self.publishing = Some(Publishing { before: self.ntuple.entry_count(), entries });
        let published = self.ntuple.publish(clusters);
        self.publishing = None;
        published.map_err(|error| self.ntuple.lose(error, entries))?;
        self.advance(entries)
    }

    /// Completes what a panic of the storage has interrupted, if one has.
    #[inline]
    fn recover(&mut self) {
        let Some(Publishing { before, entries }) = self.publishing.take() else { return };
        if self.ntuple.entry_count() == before + entries {
            // It was published, and what came after that can be tried again. An error is noted.
            let _ = self.advance(entries);
        } else {
            self.ntuple.lose_transaction(
                Error::panicked("a panic interrupted the writing of a transaction"),
                entries,
            );
        }
    }

    /// The transaction whose turn it was is published: those that waited for it follow.
    fn advance(&mut self, entries: u64) -> Result<()> {
        let mut entries = entries;
        loop {
            let Some(queue) = &mut self.queue else { return Ok(()) };
            let next = queue.advance(entries).map(|()| queue.take_next());
            match next {
                Err(error) => return Err(self.ntuple.lose(error, 0)),
                Ok(None) => return Ok(()),
                Ok(Some(held)) => {
                    entries = held.entries;
                    self.publish_held(held)?;
                }
            }
        }
    }

    fn publish_held(&mut self, held: Held) -> Result<()> {
        self.publishing = Some(Publishing { before: self.ntuple.entry_count(), entries: held.entries });
        let published = self.put_held(held);
        self.publishing = None;
        published
    }

    fn put_held(&mut self, held: Held) -> Result<()> {
        let Self { ntuple, queue, .. } = self;
        let Held { mut ended, steps, entries } = held;
        let mut open = OpenCluster::new(ntuple.lane_count());
        let replayed = replay(steps, &mut open, ntuple.writing(), &**ntuple.file(), |pages| {
            if let Some(queue) = queue {
                queue.release(footprint(&pages));
            }
        });
        let published = replayed.and_then(|replayed| {
            ended.extend(replayed);
            ntuple.publish(ended)
        });
        published.map_err(|error| ntuple.lose(error, entries))
    }

    /// Transactions that wait for one that never came follow all others, in the order of their keys.
    fn end_order(&mut self) {
        let Some(queue) = &mut self.queue else { return };
        let missing = queue.check_complete();
        let before = self.ntuple.entry_count();
        while let Some((_, held)) = self.queue.as_mut().and_then(Queue::take_any) {
            // What is lost is noted, and the others follow all the same.
            let _ = self.publish_held(held);
        }
        if let Err(error) = missing {
            let after = self.ntuple.entry_count() - before;
            if after == 0 && self.ntuple.check().is_err() {
                // Nothing follows, and why it is missing is known.
                return;
            }
            let message = match after {
                0 => error.to_string(),
                _ => format!("{error}; those after it follow, with {}", counted(after, "entry")),
            };
            self.ntuple.lose(Error::invalid_argument(message), 0);
        }
    }

    /// Publishes what waits, ends the attribute sets, and makes the ntuple readable.
    pub(super) fn finish(&mut self) -> Result<Summary> {
        self.end_order();
        let (ntuple, file) = self.ntuple.parts();
        self.sets.close(ntuple, file);
        self.ntuple.finish()
    }

    /// One more context is lent, and made for that unless it `is_known`; returns its number.
    ///
    /// # Errors
    /// Entries were lost, or there are as many as the memory budget was split for.
    pub(super) fn lend(&mut self, is_known: bool) -> Result<u64> {
        self.ntuple.check()?;
        let options = self.ntuple.options();
        let most = options.contexts;
        if !is_known && options.memory_budget.is_some() && self.lent.len() >= most {
            return Err(self.ntuple.place(Error::limit(format!(
                "the memory budget was split among {}: raise `WriteOptions::contexts`",
                counted(most as u64, "context")
            ))));
        }
        let number = self.lent.add();
        self.ntuple.is_shared = true;
        Ok(number)
    }

    /// This thread has the context.
    pub(super) fn hold_context(&mut self, number: u64) {
        self.lent.hold(number);
    }

    /// This thread starts others.
    pub(super) fn open_scope(&mut self) {
        self.starters.push(current_thread().id());
    }

    /// It has started all of them.
    pub(super) fn close_scope(&mut self) {
        let me = current_thread().id();
        if let Some(scope) = self.starters.iter().rposition(|starter| *starter == me) {
            self.starters.remove(scope);
        }
        self.release(0);
    }

    /// A context is given back.
    pub(super) fn take_back(&mut self, number: u64) {
        self.lent.remove(number);
        self.ntuple.is_shared = self.lent.len() > 0;
        // A thread that waits may be the last one now.
        self.release(0);
    }
}
