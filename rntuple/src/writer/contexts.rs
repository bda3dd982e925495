//! The contexts of a parallel writer: columns that are lent to threads, and come back.

use crate::sync::{Mutex, MutexGuard};
use std::fmt;
use std::sync::{Arc, PoisonError};

use super::builder::ClusterState;
use super::draft::{Declared, Draft};
use super::fill::fill_methods;
use super::filler::Filler;
use super::seat::Seat;
use super::team::Shared;
use crate::error::Result;
use crate::field::columnar::{Slice, SliceOf, WriteColumnar, cut};
use crate::field::{FieldWriter, WriteField};
use crate::hidden::Hidden;
use crate::storage::{Output, WriteAt};

/// Lends columns to threads.
pub(super) struct Contexts<T: WriteField + ?Sized, W: WriteAt> {
    pub(super) shared: Arc<Shared<W>>,
    pub(super) draft: Hidden<Draft>,
    /// Contexts that were given back, with the entries of their open clusters.
    pub(super) idle: Mutex<Idle<T, W>>,
}

/// Contexts that wait to be lent. Boxed: a filler is large, and moves whenever it is lent.
type Idle<T, W> = Vec<Box<Filler<T, Seat<W>>>>;

impl<T: WriteField + ?Sized, W: WriteAt> Contexts<T, W> {
    pub(super) fn new(shared: Arc<Shared<W>>, draft: Hidden<Draft>) -> Self {
        Self { shared, draft, idle: Mutex::default() }
    }

    #[inline(never)]
    pub(super) fn lend(&self) -> Result<Box<Filler<T, Seat<W>>>> {
        let mut idle = self.idle();
        // Both under one lock: two that come at once do not make two contexts where memory allows for one.
        let number = self.shared.lock().lend(!idle.is_empty())?;
        let known = idle.pop();
        drop(idle);
        let made = known.map_or_else(|| self.new_filler(), Ok);
        match made {
            Ok(mut filler) => {
                filler.builder.destination.number = number;
                Ok(filler)
            }
            Err(error) => {
                self.shared.lock().take_back(number);
                Err(error)
            }
        }
    }

    fn new_filler(&self) -> Result<Box<Filler<T, Seat<W>>>> {
        let Declared { columns, schema } = self.draft.declare::<T>(self.draft.options.contexts)?;
        Ok(Box::new(Filler::new(
            Seat::new(self.shared.clone()),
            ClusterState::of(&self.draft, schema),
            columns,
        )))
    }

    /// The contexts that wait to be lent.
    pub(super) fn idle(&self) -> MutexGuard<'_, Idle<T, W>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The columns that one thread fills: [`ParallelWriter::context`](super::ParallelWriter::context).
///
/// A context that is dropped goes back to the writer with the entries of its open cluster, and is lent again. Nothing is
/// lost: [`ParallelWriter::finish`](super::ParallelWriter::finish) publishes what is not published by then.
///
/// If another context loses entries by an error, those of this one are published, the latest included, and nothing more
/// is taken: filling returns that error. With an [`Order`](super::Order), entries are only taken in [transactions](Self::begin_ordered).
///
/// If the thread panics, `finish` reports it, and other contexts continue. The entries of the open cluster are lost only if
/// the panic came in the middle of an entry, from a conversion of the entry's own, or from the storage.
#[must_use = "a context that is not filled does nothing"]
pub struct FillContext<'w, T: WriteField + ?Sized, W: WriteAt = Output> {
    /// `None`: there was none to lend.
    filler: Option<Box<Filler<T, Seat<W>>>>,
    /// The thread panicked already when it asked for the context.
    panics: bool,
    contexts: &'w Contexts<T, W>,
}

impl<'w, T: WriteField + ?Sized, W: WriteAt> FillContext<'w, T, W> {
    pub(super) fn new(contexts: &'w Contexts<T, W>) -> Self {
        let panics = std::thread::panicking();
        // If it fails now, it fails or succeeds once more when it is used.
        Self { filler: contexts.lend().ok(), panics, contexts }
    }

    /// What was lent by another thread.
    #[cfg(all(test, rntuple_model))]
    pub(super) fn lent(filler: Box<Filler<T, Seat<W>>>, contexts: &'w Contexts<T, W>) -> Self {
        let mut context = Self { filler: Some(filler), panics: false, contexts };
        context.take_over();
        context
    }

    /// What it fills.
    #[inline]
    pub(super) fn filler(&mut self) -> Result<&mut Filler<T, Seat<W>>> {
        match &mut self.filler {
            Some(filler) => Ok(filler),
            none => Ok(none.insert(self.contexts.lend()?)),
        }
    }

    /// This thread has it now.
    pub(super) fn take_over(&mut self) {
        if let Some(filler) = &self.filler {
            self.contexts.shared.lock().hold_context(filler.builder.destination.number);
        }
    }

    /// Publishes what it has, whatever others lost.
    pub(super) fn publish(&mut self) -> Result<()> {
        self.filler.as_mut().map_or(Ok(()), |filler| filler.publish())
    }

    /// From the next cluster of this context on, the field at `path` is stored as the `number`-th of its
    /// representations: [`Writer::use_representation`](super::Writer::use_representation). Each transaction begins with the
    /// first ones, and so does what comes after it.
    ///
    /// # Errors
    /// No field at `path` has several representations, or one has fewer.
    pub fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.filler()?.use_representation(path, number)
    }

    /// Ends the open cluster and publishes it.
    ///
    /// # Errors
    /// It cannot be published. Or another context lost entries: those of this one are published all the same.
    pub fn commit_cluster(&mut self) -> Result<()> {
        let filler = self.filler()?;
        filler.end_forgotten_transaction()?;
        filler.commit_cluster()
    }

    /// Begins a transaction with a place in the writer's [`Order`](super::Order).
    ///
    /// # Errors
    /// The writer has no order, there is such a transaction already, or entries were lost before.
    pub fn begin_ordered(&mut self, key: u64) -> Result<Transaction<'_, 'w, T, W>> {
        self.start(Some(key))
    }

    /// Begins a transaction whose clusters are published together, one after the other, or not at all.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// let mut context = writer.context();
    /// for (number, is_good) in [(1, true), (2, false), (3, true)] {
    ///     let mut transaction = context.begin()?;
    ///     transaction.fill(&Event { number })?;
    ///     if is_good {
    ///         transaction.commit()?;
    ///     }
    /// }
    /// drop(context);
    /// assert_eq!(writer.finish()?.entries, 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The writer has an [`Order`](super::Order), or entries were lost before.
    pub fn begin(&mut self) -> Result<Transaction<'_, 'w, T, W>> {
        self.start(None)
    }

    fn start(&mut self, key: Option<u64>) -> Result<Transaction<'_, 'w, T, W>> {
        let filler = self.filler()?;
        filler.end_forgotten_transaction()?;
        // What was filled before belongs to a cluster of its own.
        filler.commit_cluster()?;
        filler.begin_transaction(key)?;
        Ok(Transaction { context: self, is_committed: false })
    }
}

fill_methods!(['w, T: WriteField + ?Sized, W: WriteAt] FillContext<'w, T, W>);

impl<T: WriteField + ?Sized, W: WriteAt> Drop for FillContext<'_, T, W> {
    fn drop(&mut self) {
        let Some(mut filler) = self.filler.take() else { return };
        filler.put_down(std::thread::panicking() && !self.panics);
        let number = filler.builder.destination.number;
        let mut idle = self.contexts.idle();
        if !filler.open.is_closed {
            idle.push(filler);
        }
        self.contexts.shared.lock().take_back(number);
        drop(idle);
        // A thread that waits may be the last one now.
        self.contexts.shared.call();
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for FillContext<'_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillContext")
            .field("open entries", &self.filler.as_ref().map(|filler| filler.open.entries))
            .finish_non_exhaustive()
    }
}

/// Entries that are published together, or not at all: [`FillContext::begin_ordered`] and [`FillContext::begin`].
///
/// Dropped without [`commit`](Self::commit), none of its entries are in the file. For one without a key, that is all. A
/// transaction with a key leaves a gap in the order: the writer then takes no more, and its `finish` reports it.
#[must_use = "only `commit` publishes a transaction"]
pub struct Transaction<'c, 'w, T: WriteField + ?Sized, W: WriteAt> {
    pub(super) context: &'c mut FillContext<'w, T, W>,
    is_committed: bool,
}

impl<T: WriteField + ?Sized, W: WriteAt> Transaction<'_, '_, T, W> {
    /// What is filled.
    #[inline]
    fn filler(&mut self) -> Result<&mut Filler<T, Seat<W>>> {
        self.context.filler()
    }

    /// From the next cluster of the transaction on, the field at `path` is stored as the `number`-th of its
    /// representations: [`Writer::use_representation`](super::Writer::use_representation). A transaction begins with the
    /// first ones.
    ///
    /// # Errors
    /// No field at `path` has several representations, or one has fewer.
    pub fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.filler()?.use_representation(path, number)
    }

    /// Ends the open cluster within the transaction.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster(&mut self) -> Result<()> {
        // A transaction is completed, whatever other contexts lost.
        self.filler()?.publish()
    }

    /// Publishes the transaction's clusters, those that are there and the last one. A transaction may be empty.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit(mut self) -> Result<()> {
        self.filler()?.commit_transaction()?;
        self.is_committed = true;
        Ok(())
    }
}

fill_methods!(['c, 'w, T: WriteField + ?Sized, W: WriteAt] Transaction<'c, 'w, T, W>);

impl<T: WriteField + ?Sized, W: WriteAt> Drop for Transaction<'_, '_, T, W> {
    fn drop(&mut self) {
        if let Some(filler) = self.context.filler.as_mut().filter(|_| !self.is_committed) {
            filler.drop_transaction();
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for Transaction<'_, '_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("open entries", &self.context.filler.as_ref().map(|filler| filler.open.entries))
            .finish_non_exhaustive()
    }
}
