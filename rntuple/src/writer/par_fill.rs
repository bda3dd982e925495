//! Filling from rayon's parallel iterators.

use std::borrow::Borrow;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{FillContext, ParallelWriter};
use crate::error::{Error, Result};
use crate::field::WriteField;
use crate::storage::WriteAt;

impl<T, W> ParallelWriter<T, W>
where
    T: WriteField<Writer: Send> + ?Sized,
    W: WriteAt,
{
    /// Fills all entries of a parallel iterator, owned or borrowed, and returns their number.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// use rayon::iter::{IntoParallelIterator, ParallelIterator};
    ///
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// let count = writer.par_fill((0..1000u64).into_par_iter().map(|number| Event { number }))?;
    /// assert_eq!(count, 1000);
    /// assert_eq!(writer.finish()?.entries, 1000);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// It runs on the [pool](super::WriteOptions::pool) of the writer's options, or else on the pool that calls it; entries
    /// of a reader that has a [pool](crate::ReadOptions::pool) are filled on that one. Each thread fills one context, and
    /// the next call continues with the same ones, so there are as few clusters as if each thread had filled without
    /// interruption. The order of the entries differs from run to run.
    ///
    /// # Errors
    /// Those of [`FillContext::fill`](super::FillContext::fill); or the writer has an [`Order`](super::Order), or a
    /// memory budget that was split among fewer contexts than there are threads. What was filled before stays.
    ///
    /// With a memory budget, closures of the iterator that wait for other work of the pool (a `join`, a parallel sort)
    /// need more contexts than there are threads: a thread that waits may begin another piece of the iterator.
    pub fn par_fill<I>(&self, entries: I) -> Result<u64>
    where
        I: IntoParallelIterator<Item: Borrow<T>>,
    {
        self.try_par_fill(entries.into_par_iter().map(Ok::<_, Error>))
    }

    /// Fills all entries of a parallel iterator of results, and stops at an error.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// use rayon::iter::ParallelIterator;
    ///
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # let mut all = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # (0..100).try_for_each(|number| all.fill(&Event { number }))?;
    /// # let storage = all.finish_into()?.1;
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let is_good = |event: &Event| event.number % 10 == 0;
    /// let events = reader.par_entries().filter(|event| event.as_ref().map_or(true, is_good));
    ///
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// assert_eq!(writer.try_par_fill(events)?, 10);
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the items, and those of [`par_fill`](Self::par_fill). What was filled before stays.
    pub fn try_par_fill<I, B, E>(&self, entries: I) -> Result<u64, E>
    where
        I: IntoParallelIterator<Item = Result<B, E>>,
        B: Borrow<T> + Send,
        E: From<Error> + Send,
    {
        let entries = entries.into_par_iter();
        let fill = move || {
            self.check_order()?;
            let begin = || (None, 0);
            let pieces = entries.try_fold(begin, |(context, count), entry| {
                let mut context = match context {
                    Some(context) => context,
                    // Entries of a reader come on the threads of its own pool.
                    None => self.context_among(rayon::current_num_threads())?,
                };
                context.fill(entry?.borrow())?;
                Ok::<_, E>((Some(context), count + 1))
            });
            // The context is given back as soon as the piece ends.
            pieces.map(|piece| Ok(piece?.1)).try_reduce(|| 0, |one, other| Ok(one + other))
        };
        match &self.options().owned.pool {
            Some(pool) => pool.as_rayon().install(fill),
            None => fill(),
        }
    }

    /// # Errors
    /// Single entries cannot be filled.
    fn check_order(&self) -> Result<()> {
        let team = self.shared().lock();
        team.ntuple.check()?;
        if !team.is_ordered() {
            return Ok(());
        }
        let error = Error::invalid_argument("the writer has an order: fill its entries in transactions");
        Err(team.ntuple.place(error))
    }

    /// A context for one of several threads.
    ///
    /// # Errors
    /// The memory budget was split for fewer: one of them would fail after others have filled entries.
    fn context_among(&self, threads: usize) -> Result<FillContext<'_, T, W>> {
        let team = self.shared().lock();
        let options = team.ntuple.options();
        if options.memory_budget.is_some() && options.contexts < threads {
            let error = Error::limit(format!(
                "the memory budget was split among {} contexts, expected one for each of {threads} threads: \
                 set `WriteOptions::contexts({threads})`",
                options.contexts
            ));
            return Err(team.ntuple.place(error));
        }
        drop(team);
        Ok(self.context())
    }
}
