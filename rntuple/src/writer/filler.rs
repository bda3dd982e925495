//! The columns of a type, and the builder that takes their pages away.

use std::any::Any;

use super::WriteOptions;
use super::builder::ClusterBuilder;
use super::destination::Destination;
use super::draft::Parts;
use super::ntuple::Ntuple;
use crate::cluster::Gathered;
use crate::error::{Error, Result};
use crate::field::{Commit, FieldWriter, WriteField};

/// What a writer, or one thread of a parallel writer, fills.
pub(super) struct Filler<T: WriteField + ?Sized, D> {
    pub(super) builder: ClusterBuilder<D>,
    /// Boxed: a struct of many columns is large, and moved on the way here.
    pub(super) columns: Box<T::Writer>,
    /// Entries of the open cluster.
    pub(super) entries: u64,
    /// The most entries that the open cluster may have.
    pub(super) limit: u64,
    /// Bytes of length in the open cluster.
    pub(super) length: u64,
    /// The length at which to look after pages and clusters. 0 while values come in or pages go out, and for ever
    /// if a panic ends that: some columns may then have more than others.
    pub(super) stop: u64,
    /// Takes no more entries, as some were lost: its own, or those of another context.
    pub(super) is_closed: bool,
    /// The number of entries of the open cluster when items of the next one were last appended.
    pub(super) begun_at: Option<u64>,
}

impl<T: WriteField + ?Sized, D: Destination> Filler<T, D> {
    pub(super) fn new(destination: D, parts: Parts, columns: Box<T::Writer>, options: &WriteOptions) -> Self {
        let builder = ClusterBuilder::new(destination, parts, options);
        let stop = builder.next_stop(0);
        Self {
            builder,
            columns,
            entries: 0,
            limit: u64::MAX,
            length: 0,
            stop,
            is_closed: false,
            begun_at: None,
        }
    }

    #[inline]
    pub(super) fn fill<E: ?Sized>(&mut self, entry: &E) -> Result<()>
    where
        T::Writer: FieldWriter<E>,
    {
        // The entry's own code (in `Ord`, say) may panic.
        let stop = std::mem::take(&mut self.stop);
        self.length += self.columns.append(entry) as u64;
        self.stop = stop;
        self.entries += 1;
        if self.length >= stop { self.pause() } else { Ok(()) }
    }

    /// Appends `count` entries by one call of `append`; returns their length, which it returns.
    pub(super) fn fill_with(
        &mut self,
        count: u64,
        append: impl FnOnce(&mut T::Writer) -> usize,
    ) -> Result<u64> {
        let stop = std::mem::take(&mut self.stop);
        let length = append(&mut self.columns) as u64;
        self.stop = stop;
        self.length += length;
        self.entries += count;
        if self.length >= stop {
            self.pause()?;
        }
        Ok(length)
    }

    /// Appends items to a collection of the next entry.
    pub(super) fn append_items<I: WriteField>(&mut self, path: &str, items: &[I]) -> Result<()> {
        if self.is_closed || self.is_torn() {
            return self.pause();
        }
        let offsets = self.builder.destination.ask(|ntuple| ntuple.offsets_of(path))?;
        let stop = std::mem::take(&mut self.stop);
        let mut length = None;
        let mut append = |columns: &mut dyn Any| {
            let columns: &mut I::Writer = columns.downcast_mut()?;
            length = Some(columns.append_slice(items) as u64);
            Some(items.len())
        };
        self.columns.commit(&mut Gathered::for_items(offsets, &mut append));
        self.stop = stop;
        let Some(length) = length else {
            let message =
                format!("the field does not have items of the type `{}`", I::type_name().spelling());
            return Err(self.place(Error::invalid_argument(message).in_field(path)));
        };
        self.begun_at = Some(self.entries);
        self.length += length;
        if self.length >= stop { self.pause() } else { Ok(()) }
    }

    /// Whether items of an entry were appended, but not yet the entry.
    fn is_within_entry(&self) -> bool {
        self.begun_at == Some(self.entries)
    }

    /// # Errors
    /// An entry has begun with items of its collections.
    pub(super) fn check_entry(&self) -> Result<()> {
        if !self.is_within_entry() {
            return Ok(());
        }
        Err(self.place(Error::invalid_argument("items of an entry were appended, but the entry was not")))
    }

    fn place(&self, error: Error) -> Error {
        self.builder.destination.ask(|ntuple| ntuple.place(error))
    }

    /// Why nothing more is taken.
    #[cold]
    fn refuse(&self) -> Error {
        self.builder.destination.ask(Ntuple::refuse)
    }

    /// Length up to the next visit to storage.
    pub(super) fn room(&self) -> u64 {
        self.stop.saturating_sub(self.length)
    }

    /// The clusters to come have this representation of the fields at `path`; so has the open one, while it is empty.
    pub(super) fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.builder.representations.choose(path, number)?;
        if self.entries == 0 && !self.is_within_entry() {
            self.empty();
        }
        Ok(())
    }

    /// Ends the open cluster. An empty one is not written.
    ///
    /// # Errors
    /// It cannot be published, or it was, and another context lost entries.
    pub(super) fn commit_cluster(&mut self) -> Result<()> {
        self.publish()?;
        let checked = self.builder.destination.check();
        if checked.is_err() {
            (self.is_closed, self.stop) = (true, 0);
        }
        checked
    }

    /// Ends the open cluster, whatever others lost.
    pub(super) fn publish(&mut self) -> Result<()> {
        if self.is_closed {
            return Err(self.refuse());
        }
        self.check_entry()?;
        if self.entries == 0 && !self.is_torn() {
            return Ok(());
        }
        self.guarded(Self::end_cluster)
    }

    /// Publishes the open cluster; no entries are accepted after that.
    fn close(&mut self) -> Result<()> {
        let published = match self.check_entry() {
            _ if self.is_closed => Ok(()),
            // Its items are among those of the entries before.
            Err(error) => Err(self.lose(error)),
            Ok(()) => self.publish(),
        };
        (self.is_closed, self.stop) = (true, 0);
        published
    }

    /// The full pages go to storage, and perhaps the cluster has become large enough.
    #[cold]
    #[inline(never)]
    fn pause(&mut self) -> Result<()> {
        if self.is_closed {
            // Nothing may pile up.
            self.empty();
            return Err(self.refuse());
        }
        if !self.is_torn()
            && let Err(error) = self.builder.destination.check()
        {
            return self.close().and(Err(error));
        }
        self.guarded(|filler| {
            let mut pages = Gathered::new(false);
            filler.columns.commit(&mut pages);
            filler.builder.put(pages.into_pages())?;
            if filler.builder.is_cluster_full(filler.length) && !filler.is_within_entry() {
                return filler.end_cluster();
            }
            filler.stop = filler.builder.next_stop(filler.length);
            Ok(())
        })
    }

    fn end_cluster(&mut self) -> Result<()> {
        let mut cluster = Gathered::new(true);
        self.columns.commit(&mut cluster);
        self.builder.end_cluster(cluster.into_pages(), self.entries)?;
        (self.entries, self.length, self.begun_at) = (0, 0, None);
        self.stop = self.builder.next_stop(0);
        Ok(())
    }

    /// Does what moves pages out of the columns, which says where to stop next: if it fails, the entries of the open
    /// cluster are lost. So they are if it panics, in the storage, say.
    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let result = self.whole().and_then(|()| {
            self.stop = 0;
            work(self)
        });
        result.map_err(|error| self.lose(error))
    }

    /// The entries of the open cluster are lost, and nothing more is taken.
    pub(super) fn lose(&mut self, error: Error) -> Error {
        let entries = self.empty();
        (self.is_closed, self.stop) = (true, 0);
        self.builder.lose(error, entries)
    }

    /// Publishes the open cluster. If that fails, its entries are noted as lost.
    pub(super) fn finish(&mut self) {
        let _ = self.close();
    }

    /// Forgets the entries of the open cluster; returns how many.
    pub(super) fn empty(&mut self) -> u64 {
        (self.length, self.begun_at) = (0, None);
        self.columns.commit(&mut Gathered::discarding());
        self.builder.representations.turn();
        std::mem::take(&mut self.entries)
    }

    /// Whether a panic interrupted an append, or a visit to storage.
    fn is_torn(&self) -> bool {
        self.stop == 0 && !self.is_closed
    }

    /// # Errors
    /// A panic did.
    pub(super) fn whole(&self) -> Result<()> {
        if !self.is_torn() {
            return Ok(());
        }
        Err(Error::invalid_argument("a panic interrupted the filling or writing of an entry"))
    }
}
