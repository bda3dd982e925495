//! One ntuple filled by many threads.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::context::{Context, Shared};
use super::core::{Core, Declared, Draft, SharedFile};
use super::filler::Filler;
use super::order::Order;
use super::{Summary, WriteOptions, new_file};
use crate::error::{Error, Result};
use crate::field::{Entry, FieldWriter, WriteField};
use crate::root::FileOptions;
use crate::storage::{FileSource, WriteAt};

/// Writes an ntuple whose entries come from many threads.
///
/// Each thread fills a [`FillContext`] of its own, with columns and clusters of its own; they meet only while
/// bytes are appended to the file. Memory is columns × page length for each context, or what
/// [`WriteOptions::memory_budget`] allows for all of them.
///
/// ```
/// use rntuple::{ParallelWriter, RNTuple, WriteOptions};
///
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("events.root");
/// let writer = ParallelWriter::<Event>::create(&path, "Events", WriteOptions::new())?;
/// writer.scope(|scope| {
///     for thread in 0..4 {
///         scope.spawn(move |context| {
///             for number in 0..100 {
///                 context.fill(&Event { number: 100 * thread + number })?;
///             }
///             Ok(())
///         });
///     }
/// })?;
/// assert_eq!(writer.finish()?.entries, 400);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Clusters stand in the file in the order in which they are committed, which differs from run to run. With
/// [`ordered`](Self::ordered), units of work stand in the order of their keys, and the file is the same, byte for
/// byte, however many threads there are:
///
/// ```
/// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
/// use rntuple::Order;
///
/// # #[derive(RNTuple)]
/// # struct Event { number: u64 }
/// let write = |threads: u64| {
///     let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
///     let writer = writer.ordered(Order::Units { first: 0 });
///     writer.scope(|scope| {
///         for thread in 0..threads {
///             scope.spawn(move |context| {
///                 for key in (thread..12).step_by(threads as usize) {
///                     let mut unit = context.unit(key)?;
///                     for number in 0..10 {
///                         unit.fill(&Event { number: 10 * key + number })?;
///                     }
///                     unit.commit()?;
///                 }
///                 Ok(())
///             });
///         }
///     })?;
///     Ok::<_, rntuple::Error>(writer.finish_into()?.1.into_bytes())
/// };
/// assert_eq!(write(1)?, write(3)?);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[must_use = "only `finish` makes the file readable"]
pub struct ParallelWriter<T: WriteField + ?Sized, W: WriteAt = FileSource> {
    shared: Arc<Shared<W>>,
    draft: Draft,
    entry: PhantomData<fn(&T)>,
}

impl<T: WriteField + ?Sized> ParallelWriter<T> {
    /// Creates a file with one ntuple; an existing file is replaced.
    ///
    /// # Errors
    /// The file cannot be created, or the name or an option is not possible.
    pub fn create(file: impl AsRef<Path>, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |file_options| {
            let storage = FileSource::create(&file);
            let storage =
                storage.map_err(|error| Error::from(error).in_file(&file.as_ref().display().to_string()))?;
            new_file(storage, file_options)
        })
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ParallelWriter<T, W> {
    /// Writes a file with one ntuple to any storage.
    ///
    /// # Errors
    /// The storage fails, or the name or an option is not possible.
    pub fn new(storage: W, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |file_options| new_file(storage, file_options))
    }

    pub(super) fn declare(
        path: &str,
        options: WriteOptions,
        owns_file: bool,
        open: impl FnOnce(FileOptions) -> Result<SharedFile<W>>,
    ) -> Result<Self> {
        let contexts = options.contexts;
        let draft = Draft::new(path, options)?;
        let Declared { records, share, .. } = draft.declare::<T>(contexts)?;
        let file = open(draft.file_options())?;
        let core = Core::start(file, owns_file, &draft, records, share)?;
        Ok(Self { shared: Shared::new(core), draft, entry: PhantomData })
    }

    /// Goes on with an ntuple that is there.
    pub(super) fn from_core(core: Core<W>, draft: Draft) -> Self {
        Self { shared: Shared::new(core), draft, entry: PhantomData }
    }

    /// From now on entries are filled in [units](FillContext::unit), which stand in the file in the order of their
    /// keys.
    ///
    /// A unit that is complete before its turn waits in memory, as compressed pages. With a
    /// [memory budget](WriteOptions::memory_budget), a context whose unit comes too early waits for room: another
    /// one must be able to make it, so each context needs a thread of its own, which fills units or drops the context.
    pub fn ordered(self, order: Order) -> Self {
        let limit = match self.draft.declare::<T>(self.draft.options.contexts) {
            Ok(declared) => declared.share.held,
            // It was declared before, with the same outcome.
            Err(_) => u64::MAX,
        };
        self.shared.lock().set_order(order, limit);
        self
    }

    /// Columns for one more thread; any number of contexts can be open at once.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// std::thread::scope(|threads| {
    ///     let work = |number| {
    ///         let mut context = writer.context()?;
    ///         context.fill(&Event { number })?;
    ///         context.finish()
    ///     };
    ///     let other = threads.spawn(move || work(1));
    ///     work(2).and(other.join().unwrap())
    /// })?;
    /// assert_eq!(writer.finish()?.entries, 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// Entries were lost before, or a memory budget was split among fewer contexts
    /// ([`WriteOptions::contexts`]).
    pub fn context(&self) -> Result<FillContext<'_, T, W>> {
        let Declared { columns, sink, share, representations, .. } =
            self.draft.declare::<T>(self.draft.options.contexts)?;
        self.shared.lock().add_context()?;
        let context = Context::new(self.shared.clone(), sink, share, representations);
        Ok(FillContext { filler: Filler::new(context, columns), writer: PhantomData })
    }

    /// Runs threads that fill, each with a context of its own, and waits for all of them.
    ///
    /// # Errors
    /// The first error of a thread: what the others then say is mostly that entries were lost.
    ///
    /// # Panics
    /// A thread panicked.
    pub fn scope<'env, R>(
        &'env self,
        work: impl for<'scope> FnOnce(&FillScope<'scope, 'env, T, W>) -> R,
    ) -> Result<R> {
        // Whoever starts threads may still start the one that another waits for.
        self.shared.lock().open_scope();
        let started = Started(&self.shared);
        std::thread::scope(|threads| {
            let scope = FillScope { writer: self, threads, handles: Mutex::default(), error: Arc::default() };
            let result = work(&scope);
            drop(started);
            let handles = scope.handles.into_inner().unwrap_or_else(PoisonError::into_inner);
            let panics: Vec<_> = handles.into_iter().filter_map(|handle| handle.join().err()).collect();
            if let Some(panic) = panics.into_iter().next() {
                std::panic::resume_unwind(panic);
            }
            let error = scope.error.lock().unwrap_or_else(PoisonError::into_inner).take();
            error.map_or(Ok(result), Err)
        })
    }

    pub(super) fn shared(&self) -> &Arc<Shared<W>> {
        &self.shared
    }

    /// Number of entries of the clusters that are published so far.
    pub fn entry_count(&self) -> u64 {
        self.shared.lock().entry_count()
    }

    /// Ends the cluster group of the clusters that are published so far, as
    /// [`Writer::commit_cluster_group`](super::Writer::commit_cluster_group) does.
    ///
    /// # Errors
    /// The storage fails.
    pub fn commit_cluster_group(&self) -> Result<()> {
        self.shared.lock().commit_cluster_group()
    }

    /// Makes the file readable.
    ///
    /// # Errors
    /// The storage fails. Or a context lost entries, or a unit is missing: the file is then closed with all entries
    /// that were published, and this tells what went wrong.
    pub fn finish(self) -> Result<Summary> {
        self.close().map(|(summary, _)| summary)
    }

    /// As [`finish`](Self::finish); also gives the storage back.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_into(self) -> Result<(Summary, W)> {
        let (summary, core) = self.close()?;
        Ok((summary, core.into_storage()?))
    }

    fn close(self) -> Result<(Summary, Core<W>)> {
        // Contexts borrow the writer, so that only a forgotten one can still be there.
        let mut core = match Arc::try_unwrap(self.shared) {
            Ok(shared) => shared.into_core(),
            Err(shared) => {
                let mut core = shared.lock();
                core.finish()?;
                let error = Error::invalid_argument("a fill context was neither finished nor dropped");
                return Err(core.lose(error, 0));
            }
        };
        let summary = core.finish()?;
        core.check()?;
        Ok((summary, core))
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for ParallelWriter<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelWriter").field("draft", &self.draft).finish_non_exhaustive()
    }
}

/// Threads are being started.
struct Started<'a, W: WriteAt>(&'a Shared<W>);

impl<W: WriteAt> Drop for Started<'_, W> {
    fn drop(&mut self) {
        self.0.lock().close_scope();
        self.0.call();
    }
}

/// Starts threads that fill: [`ParallelWriter::scope`].
pub struct FillScope<'scope, 'env, T: WriteField + ?Sized, W: WriteAt> {
    writer: &'env ParallelWriter<T, W>,
    threads: &'scope std::thread::Scope<'scope, 'env>,
    handles: Mutex<Vec<std::thread::ScopedJoinHandle<'scope, ()>>>,
    /// The first of all threads.
    error: Arc<Mutex<Option<Error>>>,
}

impl<'scope, 'env, T, W> FillScope<'scope, 'env, T, W>
where
    T: WriteField<Writer: Send> + ?Sized,
    W: WriteAt,
{
    /// Starts a thread that fills a context of its own, which is finished when `work` succeeds. What it has not
    /// published when it fails is lost, and the writer then takes no more.
    pub fn spawn(&self, work: impl FnOnce(&mut FillContext<'env, T, W>) -> Result<()> + Send + 'scope) {
        let context = self.writer.context();
        let first = self.error.clone();
        let handle = self.threads.spawn(move || {
            let keep = |error: Error| {
                first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            };
            match context {
                Ok(mut context) => match work(&mut context) {
                    Ok(()) => context.finish().unwrap_or_else(keep),
                    // Before the context is dropped, which the others will hear of.
                    Err(error) => keep(error),
                },
                Err(error) => keep(error),
            }
        });
        self.handles.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for FillScope<'_, '_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillScope").finish_non_exhaustive()
    }
}

/// The columns that one thread fills: [`ParallelWriter::context`].
///
/// Dropped with entries that are not published, it makes the writer refuse what comes later, and
/// [`ParallelWriter::finish`] fail, with the file closed all the same: entries do not vanish in silence.
#[must_use = "only `finish` publishes the last cluster"]
pub struct FillContext<'w, T: WriteField + ?Sized, W: WriteAt = FileSource> {
    pub(super) filler: Filler<T, W>,
    writer: PhantomData<&'w ParallelWriter<T, W>>,
}

impl<'w, T: WriteField + ?Sized, W: WriteAt> FillContext<'w, T, W> {
    /// Appends one entry to the open cluster, which is published when it is full.
    ///
    /// # Errors
    /// The storage fails, a value since the last cluster does not fit its column's encoding, or entries were lost
    /// by another context. The open cluster is then lost. Or the writer has an [`Order`], which wants
    /// [units](Self::unit).
    #[inline]
    pub fn fill(&mut self, entry: &T) -> Result<()> {
        self.fill_as(entry)
    }

    /// As [`fill`](Self::fill), for entries of a type that fills the same columns.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[inline]
    pub fn fill_as<E: ?Sized>(&mut self, entry: &E) -> Result<()>
    where
        T::Writer: FieldWriter<E>,
    {
        self.filler.fill(entry)
    }

    /// Appends entries in order.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_all(&mut self, entries: &[T]) -> Result<()>
    where
        T: Sized,
    {
        entries.iter().try_for_each(|entry| self.fill(entry))
    }

    /// From the next cluster of this context on, the field at `path` is stored as the `number`-th of its
    /// representations: [`Writer::use_representation`](super::Writer::use_representation). Each unit begins with the
    /// first ones, and so does what comes after it.
    ///
    /// # Errors
    /// No field at `path` has several representations, or one has fewer.
    pub fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.filler.use_representation(path, number)
    }

    /// Ends the open cluster and publishes it.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster(&mut self) -> Result<()> {
        self.filler.commit_cluster()
    }

    /// Begins a unit with a place in the writer's [`Order`].
    ///
    /// # Errors
    /// The writer has no order, there is such a unit already, or entries were lost before.
    pub fn unit(&mut self, key: u64) -> Result<Unit<'_, 'w, T, W>> {
        self.begin(Some(key))
    }

    /// Begins a unit whose clusters are published together, one behind the other, or not at all.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// let mut context = writer.context()?;
    /// for (number, is_good) in [(1, true), (2, false), (3, true)] {
    ///     let mut unit = context.stage()?;
    ///     unit.fill(&Event { number })?;
    ///     if is_good {
    ///         unit.commit()?;
    ///     }
    /// }
    /// context.finish()?;
    /// assert_eq!(writer.finish()?.entries, 2);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The writer has an [`Order`], or entries were lost before.
    pub fn stage(&mut self) -> Result<Unit<'_, 'w, T, W>> {
        self.begin(None)
    }

    fn begin(&mut self, key: Option<u64>) -> Result<Unit<'_, 'w, T, W>> {
        self.end_forgotten_unit()?;
        // What was filled before belongs to a cluster of its own.
        self.filler.commit_cluster()?;
        self.filler.begin_unit(key)?;
        Ok(Unit { context: self, is_committed: false })
    }

    /// Publishes the last cluster.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn finish(mut self) -> Result<()> {
        self.end_forgotten_unit()?;
        self.filler.commit_cluster()
    }

    /// # Errors
    /// A unit was neither committed nor dropped, so what was filled since went into it.
    fn end_forgotten_unit(&mut self) -> Result<()> {
        if !self.filler.context.has_unit() {
            return Ok(());
        }
        let entries = self.filler.empty();
        let error = Error::invalid_argument("a unit was neither committed nor dropped");
        Err(self.filler.context.lose(error, entries))
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Drop for FillContext<'_, T, W> {
    fn drop(&mut self) {
        let _ = self.end_forgotten_unit();
        let entries = self.filler.empty();
        if entries > 0 {
            let error = Error::invalid_argument("a fill context was dropped without `finish`");
            self.filler.context.lose(error, entries);
        }
        self.filler.context.leave();
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for FillContext<'_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillContext")
            .field("open entries", &self.filler.open_entries().0)
            .finish_non_exhaustive()
    }
}

/// Entries that are published together, or not at all: [`FillContext::unit`] and [`FillContext::stage`].
///
/// Dropped without [`commit`](Self::commit), none of its entries are in the file. For a staged unit, that is all. A
/// unit with a key leaves a gap in the order: the writer then takes no more, and its `finish` tells of it.
#[must_use = "only `commit` publishes a unit"]
pub struct Unit<'c, 'w, T: WriteField + ?Sized, W: WriteAt> {
    pub(super) context: &'c mut FillContext<'w, T, W>,
    is_committed: bool,
}

impl<T: WriteField + ?Sized, W: WriteAt> Unit<'_, '_, T, W> {
    /// Appends one entry.
    ///
    /// # Errors
    /// As [`FillContext::fill`]; or the memory budget has no room for what comes before its turn, and no other
    /// context could make any.
    #[inline]
    pub fn fill(&mut self, entry: &T) -> Result<()> {
        self.fill_as(entry)
    }

    /// As [`fill`](Self::fill), for entries of a type that fills the same columns.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[inline]
    pub fn fill_as<E: ?Sized>(&mut self, entry: &E) -> Result<()>
    where
        T::Writer: FieldWriter<E>,
    {
        self.context.filler.fill(entry)
    }

    /// Appends entries in order.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_all(&mut self, entries: &[T]) -> Result<()>
    where
        T: Sized,
    {
        entries.iter().try_for_each(|entry| self.fill(entry))
    }

    /// From the next cluster of the unit on, the field at `path` is stored as the `number`-th of its
    /// representations: [`Writer::use_representation`](super::Writer::use_representation). A unit begins with the
    /// first ones.
    ///
    /// # Errors
    /// No field at `path` has several representations, or one has fewer.
    pub fn use_representation(&mut self, path: &str, number: usize) -> Result<()> {
        self.context.filler.use_representation(path, number)
    }

    /// Ends the open cluster within the unit.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster(&mut self) -> Result<()> {
        self.context.filler.commit_cluster()
    }

    /// Publishes the unit's clusters, those that are there and the last one. A unit may be empty.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit(mut self) -> Result<()> {
        self.context.filler.commit_unit()?;
        self.is_committed = true;
        Ok(())
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Drop for Unit<'_, '_, T, W> {
    fn drop(&mut self) {
        if !self.is_committed {
            self.context.filler.drop_unit();
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for Unit<'_, '_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit")
            .field("open entries", &self.context.filler.open_entries().0)
            .finish_non_exhaustive()
    }
}
