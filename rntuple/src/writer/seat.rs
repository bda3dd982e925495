//! The place of one context among those that fill an ntuple: what it fills is published in its turn.

use crate::sync::MutexGuard;
use std::ops::Deref;
use std::sync::Arc;

use super::cluster::{EndedCluster, OpenCluster, Pages, Writing};
use super::destination::Destination;
use super::filler::Filler;
use super::ntuple::State;
use super::order::{Held, Step, footprint, replay};
use super::shared_file::SharedFile;
use super::team::{Shared, Team};
use crate::error::{Error, Result};
use crate::field::WriteField;
use crate::page::Sealer;
use crate::storage::WriteAt;

/// One of several contexts.
pub(super) struct Seat<W: WriteAt> {
    shared: Arc<Shared<W>>,
    /// What a parallel writer calls it while it is lent.
    pub(super) number: u64,
    file: SharedFile<W>,
    writing: Writing,
    /// Entries belong into transactions.
    is_ordered: bool,
    /// The order of entries is checked.
    is_sorted: bool,
    transaction: Option<Transaction>,
}

/// Clusters that are published together.
#[derive(Debug)]
struct Transaction {
    /// Its place in the order, if there is one.
    key: Option<u64>,
    /// Its pages go to storage: all transactions before it are there, or it could not wait for them.
    is_written: bool,
    /// Steps that wait for its turn.
    held: Vec<Step>,
    /// Clusters that are on storage.
    ended: Vec<EndedCluster>,
    /// Entries of its ended clusters.
    entries: u64,
}

impl<W: WriteAt> Seat<W> {
    pub(super) fn new(shared: Arc<Shared<W>>) -> Self {
        let team = shared.lock();
        let (file, writing) = (team.ntuple.file().clone(), team.ntuple.writing());
        let (is_ordered, is_sorted) = (team.is_ordered(), team.ntuple.is_sorted());
        drop(team);
        Self { shared, number: 0, file, writing, is_ordered, is_sorted, transaction: None }
    }

    /// Whether this context may write now; then what it has held back is written.
    fn take_turn(&mut self, open: &mut OpenCluster, sealer: &Sealer) -> Result<bool> {
        let Some(transaction) = &self.transaction else { return Ok(true) };
        if transaction.is_written {
            return Ok(true);
        }
        let is_turn = transaction.key.is_none_or(|key| self.shared.lock().is_turn(key));
        if is_turn {
            self.replay(open, sealer)?;
        }
        Ok(is_turn)
    }

    /// Writes what the transaction has held back; what follows is written at once.
    fn replay(&mut self, open: &mut OpenCluster, sealer: &Sealer) -> Result<()> {
        let Some(transaction) = &mut self.transaction else { return Ok(()) };
        transaction.is_written = true;
        let held = std::mem::take(&mut transaction.held);
        let ended = replay(held, open, self.writing, &*self.file, |pages| {
            let size = footprint(&pages);
            sealer.recycle(pages.into_iter().map(|(_, page)| page));
            self.shared.lock().release(size);
            self.shared.call();
        })?;
        transaction.ended.extend(ended);
        Ok(())
    }

    fn write(&self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        open.put_all(pages, self.writing, &*self.file, sealer)
    }

    /// Keeps pages until it is this transaction's turn. Where there is no room for them, waits, and where that would be without
    /// end, writes them before their turn.
    fn hold(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        let size = footprint(pages);
        let shared = self.shared.clone();
        let mut team = shared.lock();
        let mut is_patience_over = false;
        loop {
            if self
                .transaction
                .as_ref()
                .and_then(|transaction| transaction.key)
                .is_some_and(|key| team.is_turn(key))
            {
                break;
            }
            if team.hold(size) {
                if let Some(transaction) = &mut self.transaction {
                    transaction.held.push(Step::Pages(std::mem::take(pages)));
                }
                return Ok(());
            }
            let wait = if is_patience_over { None } else { team.begin_waiting(self.number) };
            let Some(wait) = wait else {
                team.write_early();
                shared.call();
                break;
            };
            // Another thread may have begun its transaction meanwhile, which wakes no one.
            (team, is_patience_over) = shared.wait(team, wait);
        }
        drop(team);
        self.replay(open, sealer)?;
        self.write(open, pages, sealer)
    }

    fn has_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Begins a transaction: its clusters are published together, by key where there is an order.
    fn begin_transaction(&mut self, key: Option<u64>) -> Result<()> {
        let mut team = self.shared.lock();
        team.begin_transaction(key, self.number)?;
        let is_turn = key.is_none_or(|key| team.is_turn(key));
        drop(team);
        self.transaction =
            Some(Transaction { key, is_written: is_turn, held: Vec::new(), ended: Vec::new(), entries: 0 });
        Ok(())
    }

    /// Publishes the transaction, whose last cluster has ended, or leaves it to the thread that writes the one before it.
    fn commit_transaction(&mut self, open: &mut OpenCluster, sealer: &Sealer) -> Result<()> {
        // What another context has lost does not matter to a transaction that is whole.
        self.take_turn(open, sealer)?;
        let shared = self.shared.clone();
        let mut team = shared.lock();
        let Some(transaction) = &self.transaction else { return Ok(()) };
        match transaction.key {
            Some(key) if !team.is_turn(key) => {
                let Some(Transaction { ended, held, entries, .. }) = self.transaction.take() else {
                    return Ok(());
                };
                team.keep(key, Held { ended, steps: held, entries });
                return Ok(());
            }
            Some(_) if !transaction.is_written => {
                // Its turn came just now.
                drop(team);
                self.replay(open, sealer)?;
                team = shared.lock();
            }
            _ => {}
        }
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        match transaction.key {
            None => {
                let published = team.ntuple.publish(transaction.ended);
                published.map_err(|error| team.ntuple.lose(error, transaction.entries))?;
            }
            Some(_) => team.publish_turn(transaction.ended, transaction.entries)?,
        }
        drop(team);
        shared.call();
        Ok(())
    }

    /// Forgets the transaction: none of its entries will be in the file, nor will this number of the open cluster.
    fn drop_transaction(&mut self, entries: u64) {
        let Some(key) = self.transaction.as_ref().map(|transaction| transaction.key) else { return };
        match key {
            None => self.transaction = None,
            Some(key) => {
                let why = if std::thread::panicking() { "by a panic" } else { "without `commit`" };
                self.lose(Error::invalid_argument(format!("transaction {key} was dropped {why}")), entries);
            }
        }
    }
}

/// The ntuple of a team, which is locked.
struct NtupleOf<'a, W: WriteAt>(MutexGuard<'a, Team<W>>);

impl<W: WriteAt> Deref for NtupleOf<'_, W> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0.ntuple
    }
}

impl<W: WriteAt> Destination for Seat<W> {
    fn put(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        match self.take_turn(open, sealer)? {
            true => self.write(open, pages, sealer),
            false => self.hold(open, pages, sealer),
        }
    }

    fn end_cluster(
        &mut self,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()> {
        match &mut self.transaction {
            Some(transaction) => {
                transaction.entries += entries;
                if transaction.is_written {
                    transaction.ended.push(open.end(entries, representations.clone()));
                } else {
                    transaction.held.push(Step::End(entries, representations.clone()));
                }
                Ok(())
            }
            None => self.shared.lock().ntuple.publish(vec![open.end(entries, representations.clone())]),
        }
    }

    fn check(&self) -> Result<()> {
        // A transaction that has begun is completed, others are not begun any more.
        if self.has_transaction() { Ok(()) } else { self.shared.lock().ntuple.check() }
    }

    /// # Errors
    /// The file has an order, and these entries have no place in it.
    fn check_ready(&self) -> Result<()> {
        if self.is_sorted && !self.is_ordered {
            return Err(Error::invalid_argument(
                "entries that are sorted need transactions in an order: see `ParallelWriter::ordered`",
            ));
        }
        if self.is_ordered && self.transaction.is_none() {
            return Err(Error::invalid_argument(
                "an ordered writer takes entries only in transactions: begin them with `FillContext::begin_ordered`",
            ));
        }
        Ok(())
    }

    fn ntuple(&self) -> Box<dyn Deref<Target = State> + '_> {
        Box::new(NtupleOf(self.shared.lock()))
    }

    fn lose(&mut self, error: Error, entries: u64) -> Error {
        let entries = entries + self.transaction.take().map_or(0, |transaction| transaction.entries);
        let error = self.shared.lock().ntuple.lose(error, entries);
        self.shared.call();
        error
    }

    fn lose_by_panic(&mut self, error: Error, entries: u64) -> Error {
        if self.transaction.as_ref().is_some_and(|transaction| transaction.key.is_some()) {
            // It leaves a gap in the order.
            return self.lose(error, entries);
        }
        let entries = entries + self.transaction.take().map_or(0, |transaction| transaction.entries);
        self.shared.lock().ntuple.note_loss(error, entries)
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Filler<T, Seat<W>> {
    /// The context is not needed for now, or its thread `panics`.
    pub(super) fn put_down(&mut self, panics: bool) {
        let _ = self.end_forgotten_transaction();
        if self.open.is_closed {
            return;
        }
        match self.whole().and_then(|()| self.check_entry()) {
            Err(error) if panics || self.whole().is_err() => {
                self.lose_by_panic(error);
            }
            Err(error) => {
                self.lose(error);
            }
            Ok(()) if panics => {
                let error = Error::panicked("a thread panicked while it had a fill context");
                self.builder.destination.shared.lock().ntuple.note_loss(error, 0);
            }
            Ok(()) => {}
        }
        // The next thread does not inherit the choice.
        if !panics && !self.builder.representations.are_first() && self.publish().is_ok() {
            self.begin_again();
        }
    }

    /// # Errors
    /// A transaction was neither committed nor dropped, so what was filled since went into it.
    pub(super) fn end_forgotten_transaction(&mut self) -> Result<()> {
        if !self.builder.destination.has_transaction() {
            return Ok(());
        }
        Err(self.lose(Error::invalid_argument("a transaction was neither committed nor dropped")))
    }

    /// Begins to fill a transaction; nothing of it is in columns yet.
    pub(super) fn begin_transaction(&mut self, key: Option<u64>) -> Result<()> {
        self.builder.destination.begin_transaction(key)?;
        // What is in a file must not depend on which transactions one context happened to fill.
        self.builder.forget();
        self.begin_again();
        self.open.stop = self.builder.any().next_stop(0);
        Ok(())
    }

    /// Nothing must depend on what this context filled before: pages grow from the start, fields have their first
    /// representations.
    fn begin_again(&mut self) {
        self.builder.representations.reset();
        self.empty();
    }

    /// Publishes the transaction, its last cluster included.
    pub(super) fn commit_transaction(&mut self) -> Result<()> {
        self.publish()?;
        let (cluster, seat) = self.builder.split();
        let committed = seat.commit_transaction(&mut cluster.open, &cluster.sink.sealer);
        self.begin_again();
        match committed {
            Ok(()) => {
                self.open.stop = self.builder.any().next_stop(0);
                Ok(())
            }
            Err(error) => Err(self.lose(error)),
        }
    }

    /// Forgets the transaction.
    pub(super) fn drop_transaction(&mut self) {
        let entries = self.empty();
        self.builder.give_up();
        self.builder.destination.drop_transaction(entries);
        self.begin_again();
        if !self.open.is_closed {
            self.open.stop = self.builder.any().next_stop(0);
        }
    }
}
