//! The columns of a type, and the builder that takes their pages away.

use std::any::Any;

use super::builder::{ClusterBuilder, ClusterState};
use super::destination::Destination;
use super::draft::Columns;
use crate::cluster::{Appended, Gathered};
use crate::error::{Error, Result};
use crate::field::{Commit, FieldWriter, WriteField};
use crate::hidden::{Boxed, Hidden};

/// What a writer, or one thread of a parallel writer, fills.
pub(super) struct Filler<T: WriteField + ?Sized, D> {
    pub(super) builder: ClusterBuilder<D>,
    /// Boxed: a struct of many columns is large, and moved on the way here.
    pub(super) columns: Boxed<T::Writer>,
    /// The same columns for what may be refused: it goes through these first, which look at it and forget it.
    pub(super) trial: Option<Boxed<T::Writer>>,
    pub(super) open: Open,
}

/// The open cluster.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) entries: u64,
    /// The most entries that it may have.
    pub(super) limit: u64,
    /// Bytes of length.
    pub(super) length: u64,
    /// The length at which to look after pages and clusters. 0 while values come in or pages go out, and for ever
    /// if a panic ends that: some columns may then have more than others.
    pub(super) stop: u64,
    /// The length at which to do so within an entry of a cluster that is full, and ends with that entry; otherwise 0.
    items_stop: u64,
    /// Takes no more entries, as some were lost: its own, or those of another context.
    pub(super) is_closed: bool,
    /// The number of entries when items of the next one were last appended.
    begun_at: Option<u64>,
}

/// A filler without its types: what is done once per page or cluster is compiled in this crate, not for each type of
/// entries and each storage of a program.
struct Work<'a> {
    builder: &'a mut ClusterBuilder<dyn Destination + 'a>,
    columns: &'a mut dyn Commit,
    trial: Option<&'a mut dyn Commit>,
    open: &'a mut Open,
}

impl<T: WriteField + ?Sized, D: Destination> Filler<T, D> {
    pub(super) fn new(destination: D, cluster: Hidden<ClusterState>, columns: Columns<T::Writer>) -> Self {
        let Columns { kept: columns, trial } = columns;
        let mut builder = ClusterBuilder::new(destination, cluster);
        let stop = builder.any().next_stop(0);
        let open = Open {
            entries: 0,
            limit: u64::MAX,
            length: 0,
            stop,
            items_stop: 0,
            is_closed: false,
            begun_at: None,
        };
        Self { builder, columns, trial, open }
    }

    #[inline]
    pub(super) fn fill<E: ?Sized>(&mut self, entry: &E) -> Result<()>
    where
        T::Writer: FieldWriter<E>,
    {
        if let Err(error) = self.columns.check(entry) {
            return Err(self.place(error));
        }
        // The entry's own code (in `Ord`, say) may panic.
        let stop = std::mem::take(&mut self.open.stop);
        let mut is_trial = self.trial.is_some();
        // A loop, so that the code that appends, which may be large, is there once.
        let length = loop {
            let trial = self.trial.as_deref_mut().filter(|_| is_trial);
            let length = trial.unwrap_or(&mut *self.columns).append(entry);
            if !std::mem::take(&mut is_trial) {
                break length;
            }
            if let Err(error) = self.judge(Some(0)) {
                self.open.stop = stop;
                return Err(error);
            }
        };
        self.open.length += length as u64;
        self.open.stop = stop;
        self.open.entries += 1;
        if self.open.length >= stop { self.pause(1) } else { Ok(()) }
    }

    /// Says whether what was appended to the columns for trials can be appended to the others. An entry has a number,
    /// counted from the end of the open cluster.
    ///
    /// # Errors
    /// A value of it is refused.
    #[inline(never)]
    pub(super) fn judge(&mut self, entry: Option<u64>) -> Result<()> {
        self.work().judge(entry)
    }

    /// Tries out the entry that `append` appends.
    ///
    /// # Errors
    /// A value of it is refused.
    pub(super) fn try_with(&mut self, append: impl FnOnce(&mut T::Writer) -> usize) -> Result<()> {
        match self.trial.as_deref_mut() {
            Some(trial) => {
                append(trial);
                self.judge(Some(0))
            }
            None => Ok(()),
        }
    }

    /// Appends `count` entries by one call of `append`; returns their length, which it returns.
    pub(super) fn fill_with(
        &mut self,
        count: u64,
        append: impl FnOnce(&mut T::Writer) -> usize,
    ) -> Result<u64> {
        let stop = std::mem::take(&mut self.open.stop);
        let length = append(&mut self.columns) as u64;
        self.open.stop = stop;
        self.open.length += length;
        self.open.entries += count;
        if self.open.length >= stop {
            self.pause(count)?;
        }
        Ok(length)
    }

    /// Appends items to a collection of the next entry.
    pub(super) fn append_items<I: WriteField>(&mut self, path: &str, items: &[I]) -> Result<()> {
        let mut length = None;
        let mut append = |columns: &mut dyn Any| {
            let columns: &mut I::Writer = columns.downcast_mut()?;
            let checked = items.iter().try_for_each(|item| columns.check(item));
            length = Some(checked.map(|()| columns.append_slice(items) as u64));
            Some(if matches!(length, Some(Ok(_))) { items.len() } else { 0 })
        };
        if self.trial.is_some() {
            self.work().try_items(path, &mut append)?;
        }
        self.work().visit_items(path, &mut append)?;
        match length {
            // No entry has begun.
            Some(Ok(_)) if items.is_empty() => Ok(()),
            Some(Ok(length)) => self.work().note_items(length),
            Some(Err(error)) => Err(self.place(error.in_field(path))),
            None => Err(self.work().other_items(path, I::type_name().spelling())),
        }
    }

    /// # Errors
    /// An entry has begun with items of its collections.
    pub(super) fn check_entry(&mut self) -> Result<()> {
        self.work().check_entry()
    }

    /// Length up to the next visit to storage.
    pub(super) fn room(&self) -> u64 {
        self.open.stop.saturating_sub(self.open.length)
    }

    /// The clusters to come have this representation of the fields at `path`; so has the open one, while it is empty.
    pub(super) fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.work().use_representation(path, number)
    }

    /// Ends the open cluster. An empty one is not written.
    ///
    /// # Errors
    /// It cannot be published, or it was, and another context lost entries.
    pub(super) fn commit_cluster(&mut self) -> Result<()> {
        self.work().commit_cluster()
    }

    /// Ends the open cluster, whatever others lost.
    pub(super) fn publish(&mut self) -> Result<()> {
        self.work().publish()
    }

    /// The entries of the open cluster are lost, and nothing more is taken.
    pub(super) fn lose(&mut self, error: Error) -> Error {
        self.work().lose(error)
    }

    /// The same by a panic.
    pub(super) fn lose_by_panic(&mut self, error: Error) -> Error {
        self.work().lose_by_panic(error)
    }

    /// Publishes the open cluster. If that fails, its entries are noted as lost.
    pub(super) fn finish(&mut self) {
        let _ = self.work().close();
    }

    /// Forgets the entries of the open cluster; returns how many.
    pub(super) fn empty(&mut self) -> u64 {
        self.work().empty()
    }

    /// Whether nothing was filled, so that nothing can have been lost.
    pub(super) fn is_unused(&mut self) -> bool {
        self.work().is_unused()
    }

    /// # Errors
    /// A panic interrupted an append, or a visit to storage.
    pub(super) fn whole(&self) -> Result<()> {
        self.open.whole()
    }

    /// An error of what was to be filled, with its place.
    #[cold]
    #[inline(never)]
    pub(super) fn place(&self, error: Error) -> Error {
        self.builder.destination.ntuple().place(error)
    }

    #[cold]
    #[inline(never)]
    fn pause(&mut self, appended: u64) -> Result<()> {
        self.work().pause(appended)
    }

    fn work(&mut self) -> Work<'_> {
        let trial = self.trial.as_deref_mut().map(|trial| -> &mut dyn Commit { trial });
        Work { builder: self.builder.any(), columns: &mut *self.columns, trial, open: &mut self.open }
    }
}

impl Work<'_> {
    fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.builder.representations.choose(path, number)?;
        if self.open.entries == 0 && !self.open.is_within_entry() {
            self.empty();
        }
        Ok(())
    }

    fn judge(&mut self, entry: Option<u64>) -> Result<()> {
        let Some(trial) = &mut self.trial else { return Ok(()) };
        let mut refused = Gathered::new(false);
        trial.commit(&mut refused);
        let Some(fault) = refused.into_pages().into_fault() else { return Ok(()) };
        let ntuple = self.builder.destination.ntuple();
        let entry = entry.and_then(|number| ntuple.number_of(self.open.entries.saturating_add(number)));
        let error = ntuple.place(ntuple.locate(fault));
        Err(entry.into_iter().fold(error, Error::at_entry))
    }

    /// Hands the columns of items of a collection to `append` that are for trials.
    fn try_items<'a>(&mut self, path: &str, append: &'a mut Appended<'a>) -> Result<()> {
        let offsets = self.builder.destination.ntuple().offsets_of(path)?;
        if let Some(trial) = &mut self.trial {
            trial.commit(&mut Gathered::for_items(offsets, append));
        }
        self.judge(None)
    }

    /// Hands the columns of items of a collection to `append`.
    fn visit_items<'a>(&mut self, path: &str, append: &'a mut Appended<'a>) -> Result<()> {
        if self.open.is_closed || self.open.is_torn() {
            return self.pause(0);
        }
        let offsets = self.builder.destination.ntuple().offsets_of(path)?;
        // The code of an item may panic.
        let stop = std::mem::take(&mut self.open.stop);
        self.columns.commit(&mut Gathered::for_items(offsets, append));
        self.open.stop = stop;
        Ok(())
    }

    /// Items of this length were appended.
    fn note_items(&mut self, length: u64) -> Result<()> {
        self.open.begun_at = Some(self.open.entries);
        self.open.length += length;
        let stop = self.open.stop.max(self.open.items_stop);
        if self.open.length >= stop { self.pause(0) } else { Ok(()) }
    }

    fn other_items(&self, path: &str, wanted: &str) -> Error {
        let error = Error::invalid_argument(format!("the field does not have items of the type `{wanted}`"));
        self.builder.destination.ntuple().place(error.in_field(path))
    }

    fn check_entry(&self) -> Result<()> {
        if !self.open.is_within_entry() {
            return Ok(());
        }
        let error = Error::invalid_argument("items of an entry were appended, but the entry was not");
        Err(self.builder.destination.ntuple().place(error))
    }

    /// Why nothing more is taken.
    #[cold]
    fn refuse(&self) -> Error {
        self.builder.destination.ntuple().refuse()
    }

    fn is_unused(&self) -> bool {
        let ntuple = self.builder.destination.ntuple();
        let is_empty = self.open.entries == 0 && ntuple.entry_count() == 0;
        is_empty && !self.open.is_torn() && !self.open.is_within_entry() && ntuple.check().is_ok()
    }

    fn commit_cluster(&mut self) -> Result<()> {
        self.publish()?;
        let checked = self.builder.destination.check();
        if checked.is_err() {
            self.open.close();
        }
        checked
    }

    fn publish(&mut self) -> Result<()> {
        if self.open.is_closed {
            return Err(self.refuse());
        }
        self.check_entry()?;
        if self.open.entries == 0 && !self.open.is_torn() {
            return Ok(());
        }
        self.guarded(Self::end_cluster)
    }

    /// Publishes the open cluster; no entries are accepted after that.
    fn close(&mut self) -> Result<()> {
        let published = match self.check_entry() {
            _ if self.open.is_closed => Ok(()),
            // Its items are among those of the entries before.
            Err(error) => Err(self.lose(error)),
            Ok(()) => self.publish(),
        };
        self.open.close();
        published
    }

    /// The full pages go to storage, and perhaps the cluster has become large enough. This number of entries was appended
    /// since the last look.
    fn pause(&mut self, appended: u64) -> Result<()> {
        if self.open.is_closed {
            // Nothing may pile up.
            self.empty();
            return Err(self.refuse());
        }
        if self.open.is_torn() {
            // They are refused, not lost.
            self.open.entries = self.open.entries.saturating_sub(appended);
        } else if let Err(error) = self.builder.destination.check_ready() {
            // So are these, which are alone in the columns: no entry before them was taken.
            self.empty();
            self.open.stop = self.builder.next_stop(0);
            return Err(self.builder.destination.ntuple().place(error));
        } else if let Err(error) = self.builder.destination.check() {
            return self.close().and(Err(error));
        }
        self.guarded(|work| {
            let mut pages = Gathered::new(false);
            work.columns.commit(&mut pages);
            work.builder.put(pages.into_pages())?;
            let is_full = work.builder.is_cluster_full(work.open.length);
            if is_full && !work.open.is_within_entry() {
                return work.end_cluster();
            }
            work.open.stop = work.builder.next_stop(work.open.length);
            // The next entry ends the cluster; until then, a look after each item would find a page at most.
            work.open.items_stop = if is_full { work.builder.buffer_stop(work.open.length) } else { 0 };
            Ok(())
        })
    }

    fn end_cluster(&mut self) -> Result<()> {
        let mut cluster = Gathered::new(true);
        self.columns.commit(&mut cluster);
        self.forget_trial();
        self.builder.put_last(cluster.into_pages())?;
        // If the storage panics now, they are published all the same.
        let entries = std::mem::take(&mut self.open.entries);
        self.builder.end_cluster(entries).inspect_err(|_| self.open.entries = entries)?;
        self.open.clear();
        self.open.stop = self.builder.next_stop(0);
        Ok(())
    }

    /// Does what moves pages out of the columns, which says where to stop next: if it fails, the entries of the open
    /// cluster are lost. So they are if it panics, in the storage, say.
    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if let Err(error) = self.open.whole() {
            return Err(self.lose_by_panic(error));
        }
        self.open.stop = 0;
        work(self).map_err(|error| self.lose(error))
    }

    fn lose(&mut self, error: Error) -> Error {
        let entries = self.empty();
        self.open.close();
        self.builder.lose(error, entries)
    }

    fn lose_by_panic(&mut self, error: Error) -> Error {
        let entries = self.empty();
        self.open.close();
        self.builder.lose_by_panic(error, entries)
    }

    /// Columns for trials begin another cluster with the others: pages are packed as was chosen for it.
    fn forget_trial(&mut self) {
        if let Some(trial) = &mut self.trial {
            trial.commit(&mut Gathered::discarding());
        }
    }

    fn empty(&mut self) -> u64 {
        self.open.clear();
        self.columns.commit(&mut Gathered::discarding());
        self.forget_trial();
        self.builder.representations.turn();
        std::mem::take(&mut self.open.entries)
    }
}

impl Open {
    /// Another cluster begins; whoever calls this counts its entries.
    fn clear(&mut self) {
        (self.length, self.items_stop, self.begun_at) = (0, 0, None);
    }

    /// Takes no more entries.
    fn close(&mut self) {
        (self.is_closed, self.stop) = (true, 0);
    }

    /// Whether items of an entry were appended, but not yet the entry.
    fn is_within_entry(&self) -> bool {
        self.begun_at == Some(self.entries)
    }

    /// Whether a panic interrupted an append, or a visit to storage.
    fn is_torn(&self) -> bool {
        self.stop == 0 && !self.is_closed
    }

    fn whole(&self) -> Result<()> {
        if !self.is_torn() {
            return Ok(());
        }
        Err(Error::panicked("a panic interrupted the filling or writing of an entry"))
    }
}
