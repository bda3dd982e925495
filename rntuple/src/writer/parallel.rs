//! One ntuple filled by many threads.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::context::{Context, Shared};
use super::core::{Core, Declared, Draft, SharedFile};
use super::filler::Filler;
use super::order::Order;
use super::{Summary, WriteOptions, create_file, new_file};
use crate::error::{Error, Result};
use crate::field::{Entry, FieldWriter, WriteField};
use crate::root::FileOptions;
use crate::storage::{LocalFile, WriteAt};

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
/// use rntuple::parallel::Order;
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
pub struct ParallelWriter<T: WriteField + ?Sized, W: WriteAt = LocalFile> {
    shared: Arc<Shared<W>>,
    pub(super) draft: Draft,
    /// Contexts that were given back, with the entries of their open clusters.
    idle: Mutex<Idle<T, W>>,
}

/// Contexts that wait to be lent. Boxed: a filler is large, and moves whenever it is lent.
type Idle<T, W> = Vec<Box<Filler<T, W>>>;

impl<T: WriteField + ?Sized> ParallelWriter<T> {
    /// Creates a file with one ntuple; it takes its place as that of a [`Writer`](crate::Writer::create) does.
    ///
    /// # Errors
    /// Those of [`Writer::create`](crate::Writer::create).
    pub fn create(file: impl AsRef<Path>, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |options| create_file(file.as_ref(), options, false))
    }

    /// Creates a file with one ntuple where no file is.
    ///
    /// # Errors
    /// Those of [`Writer::create_new`](crate::Writer::create_new).
    pub fn create_new(file: impl AsRef<Path>, name: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::declare(name, options, true, |options| create_file(file.as_ref(), options, true))
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
        Ok(Self::from_core(core, draft))
    }

    /// Goes on with an ntuple that is there.
    pub(super) fn from_core(core: Core<W>, draft: Draft) -> Self {
        Self { shared: Shared::new(core), draft, idle: Mutex::default() }
    }

    /// From now on entries are filled in [units](FillContext::unit), which stand in the file in the order of their
    /// keys.
    ///
    /// A unit that is complete before its turn waits in memory, as compressed pages. With a
    /// [memory budget](WriteOptions::memory_budget), a thread whose unit comes too early waits for room, which another
    /// thread must be able to make: each context needs a thread of its own, which fills units or drops the context.
    /// Where all threads would wait, or one for a unit that it has begun itself, filling fails. A context that no
    /// thread has used yet may be on its way to one, which has ten minutes to begin a unit.
    pub fn ordered(self, order: Order) -> Self {
        // What was filled before comes first.
        std::mem::take(&mut *self.idle()).iter_mut().for_each(|filler| filler.finish());
        let limit = match self.draft.declare::<T>(self.draft.options.contexts) {
            Ok(declared) => declared.share.held,
            // It was declared before, with the same outcome.
            Err(_) => u64::MAX,
        };
        self.shared.lock().set_order(order, limit);
        self
    }

    /// Lends columns to fill: those that another thread gave back, or new ones.
    ///
    /// Any number of contexts can be lent at once. A dropped context goes back to the writer with all its entries, so
    /// a context for a short time costs little:
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// std::thread::scope(|threads| {
    ///     let other = threads.spawn(|| writer.context().fill(&Event { number: 1 }));
    ///     writer.context().fill(&Event { number: 2 }).and(other.join().unwrap())
    /// })?;
    ///
    /// # #[cfg(feature = "rayon")] {
    /// use rayon::iter::{IntoParallelIterator, ParallelIterator};
    ///
    /// let numbers = (0..1000u64).into_par_iter();
    /// numbers.try_for_each_init(|| writer.context(), |context, number| context.fill(&Event { number }))?;
    /// assert_eq!(writer.finish()?.entries, 1002);
    /// # }
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// If none can be lent, the first use of the context returns the error: entries were lost before, or a memory budget
    /// was split among fewer contexts ([`WriteOptions::contexts`]).
    pub fn context(&self) -> FillContext<'_, T, W> {
        let panics = std::thread::panicking();
        // If it fails now, it fails or succeeds once more when it is used.
        FillContext { filler: self.lend().ok(), panics, writer: self }
    }

    #[inline(never)]
    fn lend(&self) -> Result<Box<Filler<T, W>>> {
        let mut idle = self.idle();
        // Both under one lock: two that come at once do not make two contexts where memory allows for one.
        let number = self.shared.lock().lend(!idle.is_empty())?;
        let known = idle.pop();
        drop(idle);
        let made = known.map_or_else(|| self.new_filler(), Ok);
        match made {
            Ok(mut filler) => {
                filler.context.number = number;
                Ok(filler)
            }
            Err(error) => {
                self.shared.lock().take_back(number);
                Err(error)
            }
        }
    }

    fn new_filler(&self) -> Result<Box<Filler<T, W>>> {
        let Declared { columns, sink, share, representations, .. } =
            self.draft.declare::<T>(self.draft.options.contexts)?;
        let context = Context::new(self.shared.clone(), sink, share, representations);
        Ok(Box::new(Filler::new(context, columns)))
    }

    /// The contexts that wait to be lent.
    fn idle(&self) -> MutexGuard<'_, Idle<T, W>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs threads that fill, each with a context of its own, and waits for all of them. What they have filled is then
    /// published.
    ///
    /// # Errors
    /// The first error of a thread. What was filled stays, unless the error says that it was lost.
    ///
    /// # Panics
    /// A thread panicked. [`finish`](Self::finish) then says what that cost.
    pub fn scope<'env, R>(
        &'env self,
        work: impl for<'scope> FnOnce(&FillScope<'scope, 'env, T, W>) -> R,
    ) -> Result<R> {
        // Whoever starts threads may still start the one that another waits for.
        self.shared.lock().open_scope();
        let started = Started(&self.shared);
        std::thread::scope(|threads| {
            let (handles, error) = (Mutex::default(), Arc::default());
            let scope = FillScope { writer: self, threads, handles, error };
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

    /// Number of entries of the clusters that are published so far, without those of open clusters.
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

    /// Publishes what all contexts have, and makes the file readable.
    ///
    /// # Errors
    /// The storage fails. Or entries were lost, a thread panicked while it had a context, or a unit is missing: the file
    /// is then closed with all other entries, and this says what went wrong, what it cost, and how many entries can
    /// be read. On a storage that is full, the end of the file may have to overwrite the last clusters.
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
        let Self { shared, idle, .. } = self;
        for mut filler in idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
            // What is lost is reported when the rest is safe.
            filler.finish();
        }
        // Contexts borrow the writer, so that only a forgotten one can still be there.
        let mut core = match Arc::try_unwrap(shared) {
            Ok(shared) => shared.into_core(),
            Err(shared) => {
                let mut core = shared.lock();
                let lost =
                    core.lose(Error::invalid_argument("a fill context was forgotten: it must be dropped"), 0);
                return Err(core.finish().err().unwrap_or(lost));
            }
        };
        let summary = core.finish()?;
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
    /// Starts a thread that fills a context of its own. What it has filled is published when `work` returns, be it an
    /// error. The threads are called `fill 0`, `fill 1`, and so on.
    pub fn spawn(&self, work: impl FnOnce(&mut FillContext<'env, T, W>) -> Result<()> + Send + 'scope) {
        let context = self.writer.context();
        let first = self.error.clone();
        let keep = move |result: Result<()>| {
            if let Err(error) = result {
                first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        };
        let keep_error = keep.clone();
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = std::thread::Builder::new().name(format!("fill {}", handles.len()));
        let handle = thread.spawn_scoped(self.threads, move || {
            let mut context = context;
            context.take_over();
            let done = work(&mut context);
            keep(done.and(context.publish()));
        });
        match handle {
            Ok(handle) => handles.push(handle),
            Err(error) => keep_error(Err(error.into())),
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for FillScope<'_, '_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillScope").finish_non_exhaustive()
    }
}

/// The columns that one thread fills: [`ParallelWriter::context`].
///
/// A context that is dropped goes back to the writer with the entries of its open cluster, and is lent again. Nothing is
/// lost: [`ParallelWriter::finish`] publishes what is not published by then.
///
/// If the thread panics, `finish` reports it. The entries of the open cluster are lost only if the panic came in the
/// middle of an entry, from a conversion of the entry's own.
#[must_use = "a context that is not filled does nothing"]
pub struct FillContext<'w, T: WriteField + ?Sized, W: WriteAt = LocalFile> {
    /// `None`: there was none to lend.
    filler: Option<Box<Filler<T, W>>>,
    /// The thread panicked already when it asked for the context.
    panics: bool,
    writer: &'w ParallelWriter<T, W>,
}

impl<'w, T: WriteField + ?Sized, W: WriteAt> FillContext<'w, T, W> {
    /// What it fills.
    #[inline]
    pub(super) fn filler(&mut self) -> Result<&mut Filler<T, W>> {
        match &mut self.filler {
            Some(filler) => Ok(filler),
            none => Ok(none.insert(self.writer.lend()?)),
        }
    }

    /// This thread has it now.
    fn take_over(&mut self) {
        if let Some(filler) = &self.filler {
            self.writer.shared.lock().hold_context(filler.context.number);
        }
    }

    /// Publishes what it has, whatever others lost.
    fn publish(&mut self) -> Result<()> {
        self.filler.as_mut().map_or(Ok(()), |filler| filler.publish())
    }

    /// Appends one entry to the open cluster, which is published when it is full.
    ///
    /// # Errors
    /// The storage fails, a value since the last cluster does not fit its column's encoding, or a panic interrupted the
    /// filling before: the entries of the open cluster are then lost. Or another context lost entries: those of this
    /// one, the latest included, are published, and nothing more is taken. Or the writer has an [`Order`], which requires
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
        self.filler()?.fill(entry)
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
        self.filler()?.use_representation(path, number)
    }

    /// Ends the open cluster and publishes it.
    ///
    /// # Errors
    /// It cannot be published. Or another context lost entries: those of this one are published all the same.
    pub fn commit_cluster(&mut self) -> Result<()> {
        let filler = self.filler()?;
        filler.end_forgotten_unit()?;
        filler.commit_cluster()
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
    /// let mut context = writer.context();
    /// for (number, is_good) in [(1, true), (2, false), (3, true)] {
    ///     let mut unit = context.stage()?;
    ///     unit.fill(&Event { number })?;
    ///     if is_good {
    ///         unit.commit()?;
    ///     }
    /// }
    /// drop(context);
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
        let filler = self.filler()?;
        filler.end_forgotten_unit()?;
        // What was filled before belongs to a cluster of its own.
        filler.commit_cluster()?;
        filler.begin_unit(key)?;
        Ok(Unit { context: self, is_committed: false })
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Drop for FillContext<'_, T, W> {
    fn drop(&mut self) {
        let Some(mut filler) = self.filler.take() else { return };
        filler.put_down(std::thread::panicking() && !self.panics);
        let number = filler.context.number;
        let mut idle = self.writer.idle();
        if !filler.is_closed() {
            idle.push(filler);
        }
        self.writer.shared.lock().take_back(number);
        drop(idle);
        // A thread that waits may be the last one now.
        self.writer.shared.call();
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for FillContext<'_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillContext")
            .field("open entries", &self.filler.as_ref().map(|filler| filler.open_entries().0))
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
        self.context.filler()?.fill(entry)
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
        self.context.filler()?.use_representation(path, number)
    }

    /// Ends the open cluster within the unit.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit_cluster(&mut self) -> Result<()> {
        // A unit is completed, whatever other contexts lost.
        self.context.filler()?.publish()
    }

    /// Publishes the unit's clusters, those that are there and the last one. A unit may be empty.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn commit(mut self) -> Result<()> {
        self.context.filler()?.commit_unit()?;
        self.is_committed = true;
        Ok(())
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Drop for Unit<'_, '_, T, W> {
    fn drop(&mut self) {
        if let Some(filler) = self.context.filler.as_mut().filter(|_| !self.is_committed) {
            filler.drop_unit();
        }
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for Unit<'_, '_, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit")
            .field("open entries", &self.context.filler.as_ref().map(|filler| filler.open_entries().0))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnWriter;
    use crate::compression::Compression;
    use crate::error::ErrorKind;
    use crate::field::FieldBuilder;
    use crate::schema::TypeName;
    use crate::storage::Memory;

    /// An entry of one number.
    struct One(f32);

    impl Entry for One {}

    impl WriteField for One {
        type Writer = ColumnWriter<f32>;

        fn type_name() -> TypeName {
            TypeName::untyped("One")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            f32::declare(&mut field.subfield("x"))
        }
    }

    impl FieldWriter<One> for ColumnWriter<f32> {
        fn append(&mut self, one: &One) -> usize {
            self.push(one.0)
        }
    }

    #[test]
    fn a_unit_of_a_context_that_never_began_is_not_waited_for_without_end() {
        let options = WriteOptions::new().compression(Compression::NONE).memory_budget(1 << 20).contexts(2);
        let writer = ParallelWriter::<One, _>::new(Memory::new(), "Ones", options).unwrap();
        let writer = writer.ordered(Order::Units { first: 0 });
        // The second one could be on its way to another thread, and is not.
        let (mut a, b) = (writer.context(), writer.context());
        let mut unit = a.unit(1).unwrap();
        let filled = (0..1_000_000).try_for_each(|_| unit.fill(&One(1.0)));
        let error = filled.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("unit 0 was not begun; fill each context in a thread of its own"));
        drop(unit);
        drop((a, b));
        assert!(writer.finish().is_err());
    }
}
