//! Filling from rayon's parallel iterators.

use std::borrow::Borrow;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::ParallelWriter;
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
    /// It runs on the [pool](super::WriteOptions::pool) of the writer's options, or else on the pool that calls it. Each
    /// thread fills one context, and the next call continues with the same ones, so there are as few clusters as if
    /// each thread had filled without interruption. The order of the entries differs from run to run.
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
            self.check_threads(rayon::current_num_threads())?;
            let begin = || (self.context(), 0);
            let pieces = entries.try_fold(begin, |(mut context, count), entry| {
                context.fill(entry?.borrow())?;
                Ok::<_, E>((context, count + 1))
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
    /// This number of threads cannot fill single entries.
    fn check_threads(&self, threads: usize) -> Result<()> {
        let team = self.shared().lock();
        team.ntuple.check()?;
        let options = team.ntuple.options();
        let error = if team.is_ordered() {
            Error::invalid_argument("the writer has an order: fill its entries in transactions")
        } else if options.memory_budget.is_some() && options.contexts < threads {
            Error::limit(format!(
                "the memory budget was split among {} contexts, expected one for each of {threads} threads: \
                 set `WriteOptions::contexts({threads})`",
                options.contexts
            ))
        } else {
            return Ok(());
        };
        Err(team.ntuple.place(error))
    }
}
