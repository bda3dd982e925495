//! The columns of a type, and the context that takes their pages away.

use super::WriteOptions;
use super::context::Context;
use crate::cluster::Gathered;
use crate::error::{Error, Result};
use crate::field::{Commit, Extended, ExtendedWriter, FieldWriter, WriteField};
use crate::storage::WriteAt;

/// What became of an extension: the filler of both, or the one that was there, and why.
type Extension<F, B> = std::result::Result<B, (Error, Box<F>)>;

/// What a writer, or one thread of a parallel writer, fills.
pub(super) struct Filler<T: WriteField + ?Sized, W: WriteAt> {
    pub(super) context: Context<W>,
    /// Boxed: a struct of many columns is large, and moved on the way here.
    columns: Box<T::Writer>,
    /// Entries of the open cluster.
    entries: u64,
    /// Bytes of length in the open cluster.
    length: u64,
    /// The length at which to look after pages and clusters. 0 while values come in or pages go out, and for ever
    /// if a panic ends that: some columns may then have more than others.
    stop: u64,
    /// Takes no more entries, as some were lost: its own, or those of another context.
    is_closed: bool,
}

impl<T: WriteField + ?Sized, W: WriteAt> Filler<T, W> {
    pub(super) fn new(context: Context<W>, columns: Box<T::Writer>) -> Self {
        let stop = context.next_stop(0);
        Self { context, columns, entries: 0, length: 0, stop, is_closed: false }
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

    /// Appends so many entries by one call of `append`, which returns their length, as does this.
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

    /// Adds the members of `X` to those of the entries to come, which are so many behind the first.
    ///
    /// # Errors
    /// They cannot be added; nothing has changed.
    pub(super) fn extend<X: WriteField>(
        self,
        options: &WriteOptions,
        entries: u64,
    ) -> Extension<Self, Filler<Extended<T, X>, W>>
    where
        T: Sized,
    {
        let whole = self.context.check().and_then(|()| self.whole());
        match whole.and_then(|()| self.context.declare_extension::<X>(entries, options)) {
            Err(error) => Err((error, Box::new(self))),
            Ok((extra, extension)) => {
                let Self { mut context, columns, entries, length, is_closed, .. } = self;
                context.extend(extension);
                let columns = Box::new(ExtendedWriter::new(columns, extra));
                let stop = context.next_stop(length);
                Ok(Filler { context, columns, entries, length, stop, is_closed })
            }
        }
    }

    /// Length up to the next visit to storage.
    pub(super) fn room(&self) -> u64 {
        self.stop.saturating_sub(self.length)
    }

    /// Entries of the open cluster, and their length.
    pub(super) fn open_entries(&self) -> (u64, u64) {
        (self.entries, self.length)
    }

    /// The clusters to come have this representation of the fields at `path`; so has the open one, while it is empty.
    pub(super) fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.context.representations.choose(path, number)?;
        if self.entries == 0 {
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
        let checked = self.context.check();
        if checked.is_err() {
            (self.is_closed, self.stop) = (true, 0);
        }
        checked
    }

    /// Ends the open cluster, whatever others lost.
    pub(super) fn publish(&mut self) -> Result<()> {
        if self.is_closed {
            return Err(self.context.refuse());
        }
        if self.entries == 0 && !self.is_torn() {
            return Ok(());
        }
        self.guarded(Self::end_cluster)
    }

    /// Publishes the open cluster; no entries are accepted after that.
    fn close(&mut self) -> Result<()> {
        let published = if self.is_closed { Ok(()) } else { self.publish() };
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
            return Err(self.context.refuse());
        }
        // A unit that has begun is completed, others are not begun any more.
        if !self.context.has_unit()
            && !self.is_torn()
            && let Err(error) = self.context.check()
        {
            return self.close().and(Err(error));
        }
        self.guarded(|filler| {
            let mut pages = Gathered::new(false);
            filler.columns.commit(&mut pages)?;
            filler.context.put(pages)?;
            if filler.context.is_cluster_full(filler.length) {
                return filler.end_cluster();
            }
            filler.stop = filler.context.next_stop(filler.length);
            Ok(())
        })
    }

    fn end_cluster(&mut self) -> Result<()> {
        let mut cluster = Gathered::new(true);
        self.columns.commit(&mut cluster)?;
        self.context.end_cluster(cluster, self.entries)?;
        (self.entries, self.length) = (0, 0);
        self.stop = self.context.next_stop(0);
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
    fn lose(&mut self, error: Error) -> Error {
        let entries = self.empty();
        (self.is_closed, self.stop) = (true, 0);
        self.context.lose(error, entries)
    }

    /// The context is not needed for now, or its thread `panics`.
    pub(super) fn put_down(&mut self, panics: bool) {
        let _ = self.end_forgotten_unit();
        if self.is_closed {
            return;
        }
        if let Err(error) = self.whole() {
            self.lose(error);
        } else if panics {
            let error = Error::invalid_argument("a thread panicked while it had a fill context");
            self.context.shared.lock().lose(error, 0);
        }
        // The next thread does not inherit the choice.
        if !panics && !self.context.representations.are_first() && self.publish().is_ok() {
            self.begin_anew();
        }
    }

    /// Publishes the open cluster. If that fails, its entries are noted as lost.
    pub(super) fn finish(&mut self) {
        let _ = self.close();
    }

    /// # Errors
    /// A unit was neither committed nor dropped, so what was filled since went into it.
    pub(super) fn end_forgotten_unit(&mut self) -> Result<()> {
        if !self.context.has_unit() {
            return Ok(());
        }
        Err(self.lose(Error::invalid_argument("a unit was neither committed nor dropped")))
    }

    /// Forgets the entries of the open cluster; returns how many.
    pub(super) fn empty(&mut self) -> u64 {
        self.length = 0;
        // Nothing can fail: nothing is sealed.
        let _ = self.columns.commit(&mut Gathered::discarding());
        self.context.representations.turn();
        std::mem::take(&mut self.entries)
    }

    /// Begins to fill a unit; nothing of it is in columns yet.
    pub(super) fn begin_unit(&mut self, key: Option<u64>) -> Result<()> {
        self.context.begin_unit(key)?;
        self.begin_anew();
        self.stop = self.context.next_stop(0);
        Ok(())
    }

    /// Nothing must depend on what this context filled before: pages grow anew, fields have their first
    /// representations.
    fn begin_anew(&mut self) {
        self.context.representations.reset();
        self.empty();
    }

    /// Publishes the unit, its last cluster included.
    pub(super) fn commit_unit(&mut self) -> Result<()> {
        self.publish()?;
        let committed = self.context.commit_unit();
        self.begin_anew();
        match committed {
            Ok(()) => {
                self.stop = self.context.next_stop(0);
                Ok(())
            }
            Err(error) => Err(self.lose(error)),
        }
    }

    /// Forgets the unit.
    pub(super) fn drop_unit(&mut self) {
        let entries = self.empty();
        self.context.drop_unit(entries);
        self.begin_anew();
        if !self.is_closed {
            self.stop = self.context.next_stop(0);
        }
    }

    /// Whether it takes no more entries.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Whether a panic interrupted an append, or a visit to storage.
    fn is_torn(&self) -> bool {
        self.stop == 0 && !self.is_closed
    }

    /// # Errors
    /// A panic did.
    fn whole(&self) -> Result<()> {
        if !self.is_torn() {
            return Ok(());
        }
        Err(Error::invalid_argument("a panic interrupted the filling or writing of an entry"))
    }
}
