//! One ntuple filled by many threads.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::contexts::{Contexts, FillContext};
use super::draft::{Declared, Draft};
use super::ntuple::Ntuple;
use super::order::Order;
use super::sets::Sets;
use super::shared_file::SharedFile;
use super::team::Shared;
use super::{Summary, WriteOptions, create_file, new_file};
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::hidden::Hidden;
use crate::root::FileOptions;
use crate::storage::{Output, WriteAt};

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
/// [`ordered`](Self::ordered), transactions are in the order of their keys, and the file is the same, byte for
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
///     let writer = writer.ordered(Order::Transactions { first: 0 });
///     writer.scope(|scope| {
///         for thread in 0..threads {
///             scope.spawn(move |context| {
///                 for key in (thread..12).step_by(threads as usize) {
///                     let mut transaction = context.begin_ordered(key)?;
///                     for number in 0..10 {
///                         transaction.fill(&Event { number: 10 * key + number })?;
///                     }
///                     transaction.commit()?;
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
pub struct ParallelWriter<T: WriteField + ?Sized, W: WriteAt = Output> {
    contexts: Contexts<T, W>,
}

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
        let Declared { mut schema, .. } = draft.declare::<T>(contexts)?;
        let file = open(draft.file_options())?;
        let ntuple = Ntuple::create(file, owns_file, &draft, &mut schema)?;
        Ok(Self::from_ntuple(ntuple, Sets::new(), draft))
    }

    pub(super) fn from_ntuple(ntuple: Ntuple<W>, sets: Hidden<Sets>, draft: Hidden<Draft>) -> Self {
        Self { contexts: Contexts::new(Shared::new(ntuple, sets), draft) }
    }

    /// From now on entries are filled in [transactions](FillContext::begin_ordered), which are in the file in the order of their
    /// keys.
    ///
    /// A transaction that is complete before its turn waits in memory, as compressed pages. With a
    /// [memory budget](WriteOptions::memory_budget), a thread whose transaction comes too early waits until there is room.
    ///
    /// If no other thread could make room, the transaction is written before its turn, and so are later ones for which there is
    /// no room. That happens if all threads that have contexts wait, if a thread waits for a transaction that it has begun
    /// itself in another context, or if a transaction is lost. The entries are still in the order of the keys, and the memory is
    /// still bounded, but the place of pages in the file then depends on the threads.
    /// [`Summary::early_transactions`] counts such transactions. To have none, fill each context in a thread of its own, and begin
    /// transactions in about the order of their keys.
    ///
    /// A context that was not used yet may be on its way to another thread, which has five seconds to begin a transaction. A
    /// thread that has a context may do anything: after a minute in which nothing is written, it is not waited for.
    pub fn ordered(self, order: Order) -> Self {
        // What was filled before comes first.
        self.contexts.idle().iter_mut().for_each(|filler| filler.finish());
        self.contexts.idle().clear();
        let draft = &self.contexts.draft;
        let limit = match draft.declare::<T>(draft.options.contexts) {
            Ok(declared) => declared.schema.parts.share.held,
            // It was declared before, with the same outcome.
            Err(_) => u64::MAX,
        };
        self.shared().lock().set_order(order, limit);
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
        FillContext::new(&self.contexts)
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
        self.shared().lock().open_scope();
        let started = Started(self.shared());
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

    pub(super) fn shared(&self) -> &Shared<W> {
        &self.contexts.shared
    }

    #[cfg(feature = "rayon")]
    pub(super) fn options(&self) -> &WriteOptions {
        &self.contexts.draft.options
    }

    /// Number of entries of the clusters that are published so far, without those of open clusters.
    pub fn entry_count(&self) -> u64 {
        self.shared().lock().ntuple.entry_count()
    }

    /// Ends the cluster group of the clusters that are published so far, as
    /// [`Writer::commit_cluster_group`](super::Writer::commit_cluster_group) does.
    ///
    /// # Errors
    /// The storage fails.
    pub fn commit_cluster_group(&self) -> Result<()> {
        self.shared().lock().ntuple.commit_cluster_group()
    }

    /// Publishes what all contexts have, and makes the file readable.
    ///
    /// # Errors
    /// The storage fails. Or entries were lost, a thread panicked while it had a context, or a transaction is missing: the file
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
        let (summary, ntuple) = self.close()?;
        Ok((summary, ntuple.into_storage()?))
    }

    fn close(self) -> Result<(Summary, Ntuple<W>)> {
        let Contexts { shared, idle, .. } = self.contexts;
        for mut filler in idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
            // What is lost is reported when the rest is safe.
            filler.finish();
        }
        // Contexts borrow the writer, so that only a forgotten one can still be there.
        let mut team = match Arc::try_unwrap(shared) {
            Ok(shared) => shared.into_team(),
            Err(shared) => {
                let mut team = shared.lock();
                let forgotten = Error::invalid_argument("a fill context was forgotten: it must be dropped");
                let lost = team.ntuple.lose(forgotten, 0);
                return Err(team.finish().err().unwrap_or(lost));
            }
        };
        let summary = team.finish()?;
        Ok((summary, team.ntuple))
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> fmt::Debug for ParallelWriter<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelWriter").field("draft", &*self.contexts.draft).finish_non_exhaustive()
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

#[cfg(all(test, rntuple_model))]
mod model;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnWriter;
    use crate::compression::Compression;
    use crate::field::{FieldBuilder, FieldWriter};
    use crate::schema::TypeName;
    use crate::storage::Memory;

    /// An entry of one number.
    pub(super) struct One(pub(super) f32);

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

    pub(super) type Ones = ParallelWriter<One, Memory>;

    /// More than the budget has room for.
    const COUNT: u64 = 500_000;

    fn ordered() -> Ones {
        let options = WriteOptions::new().compression(Compression::NONE).memory_budget(1 << 20).contexts(2);
        Ones::new(Memory::new(), "Ones", options).unwrap().ordered(Order::Transactions { first: 0 })
    }

    /// A transaction of one 0 came after the next transaction, which was written before it.
    fn assert_first_of_many(writer: Ones) {
        let (summary, file) = writer.finish_into().unwrap();
        assert_eq!((summary.entries, summary.early_transactions), (COUNT + 1, 1));
        let reader = crate::Reader::<crate::Value>::open(file, "Ones").unwrap();
        let x = |entry| reader.get(entry).unwrap().get("x").cloned();
        assert_eq!([0, 1, COUNT].map(x), [0.0, 1.0, 1.0].map(|x| Some(crate::Value::F32(x))));
    }

    #[test]
    fn a_transaction_of_a_context_that_never_began_is_not_waited_for_without_end() {
        let writer = ordered();
        // The second one could be on its way to another thread, and is not.
        let (mut a, mut b) = (writer.context(), writer.context());
        let mut transaction = a.begin_ordered(1).unwrap();
        (0..COUNT).for_each(|_| transaction.fill(&One(1.0)).unwrap());
        transaction.commit().unwrap();
        let mut transaction = b.begin_ordered(0).unwrap();
        transaction.fill(&One(0.0)).unwrap();
        transaction.commit().unwrap();
        drop((a, b));
        assert_first_of_many(writer);
    }

    #[test]
    fn a_context_that_went_to_another_thread_is_not_waited_for_without_end() {
        let writer = ordered();
        let (mut a, mut b) = (writer.context(), writer.context());
        // Both were used here, and the other thread uses one of them.
        a.begin_ordered(0).unwrap().commit().unwrap();
        b.begin_ordered(1).unwrap().commit().unwrap();
        std::thread::scope(|threads| {
            let work = move || {
                let mut transaction = a.begin_ordered(3).unwrap();
                (0..COUNT).for_each(|_| transaction.fill(&One(1.0)).unwrap());
                transaction.commit().unwrap();
                let mut transaction = b.begin_ordered(2).unwrap();
                transaction.fill(&One(0.0)).unwrap();
                transaction.commit().unwrap();
            };
            // This thread waits for the other one, which does not know that.
            threads.spawn(work).join().unwrap();
        });
        assert_first_of_many(writer);
    }

    #[test]
    fn a_scope_that_fills_itself_is_not_waited_for_without_end() {
        let writer = ordered();
        writer
            .scope(|_| {
                let (mut a, mut b) = (writer.context(), writer.context());
                let mut first = b.begin_ordered(0).unwrap();
                let mut transaction = a.begin_ordered(1).unwrap();
                (0..COUNT).for_each(|_| transaction.fill(&One(1.0)).unwrap());
                transaction.commit().unwrap();
                first.fill(&One(0.0)).unwrap();
                first.commit().unwrap();
            })
            .unwrap();
        assert_first_of_many(writer);
    }
}
