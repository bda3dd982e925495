//! Attribute sets: what is said of ranges of entries, written beside them (format, section 8).

use crate::sync::{Mutex, MutexGuard};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

use super::builder::ClusterState;
use super::draft::{Declared, Draft};
use super::filler::Filler;
use super::known::Known;
use super::ntuple::Ntuple;
use super::open_set::OpenSet;
use super::saved::STATE;
use super::sets::{Owner, Sets, options_of_set};
use super::{ParallelWriter, Writer};
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::field::{Attribute, Entry, WriteField};
use crate::message::counted;
use crate::root::Author;
use crate::schema::{LinkedAttributeSet, Role, USER_DATA, check_set_name};
use crate::statistics;
use crate::storage::{Output, WriteAt};

/// Writes an attribute set: values of type `A`, each about a range of entries of the ntuple.
///
/// ```
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// #[derive(RNTuple)]
/// struct RunInfo { run: u32, generator: String }
///
/// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// let runs = writer.attributes::<RunInfo>("RunInfo")?;
/// for run in 1..=3 {
///     let range = runs.begin(&writer)?;
///     for _ in 0..100 {
///         writer.fill(&Event { met: 20.0 })?;
///     }
///     range.commit(&writer, &RunInfo { run, generator: "Pythia".to_owned() })?;
/// }
/// let storage = writer.finish_into()?.1;
///
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let mut runs = reader.attributes::<RunInfo>("RunInfo")?;
/// let of_entry: Vec<_> = runs.covering(150).collect::<Result<_, _>>()?;
/// assert_eq!((of_entry[0].range.clone(), of_entry[0].value.run), (100..200, 2));
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Ranges may overlap, be empty, and leave entries out. The set ends when its ntuple is finished: nothing can be
/// added later. It is written with the ntuple's compression and checksums; its own take of memory (its codec, and up
/// to 16 KiB for each of its columns, 1 MiB in all) is not part of the writer's
/// [memory budget](super::WriteOptions::memory_budget).
#[must_use = "a set without attributes says nothing"]
pub struct AttributeWriter<A: Entry + WriteField, W: WriteAt = Output> {
    set: Arc<Set<A, W>>,
}

/// A set, which the writer of its ntuple ends.
struct Set<A: Entry + WriteField, W: WriteAt> {
    name: String,
    owner: Owner,
    state: Mutex<State<A, W>>,
}

struct State<A: Entry + WriteField, W: WriteAt> {
    /// `None`: it is ended.
    filler: Option<Filler<Attribute<A>, Ntuple<W>>>,
    /// What leads to its attributes, if it is ended and that could not be written.
    unwritten: Option<Catalog>,
    /// Ranges that were begun, and neither committed nor discarded.
    open_ranges: u64,
    /// The greatest end of all ranges.
    end: u64,
}

impl<T: WriteField + ?Sized, W: WriteAt> Writer<T, W> {
    /// Begins an attribute set: values of type `A`, each about a range of entries. An ntuple can have several.
    ///
    /// A set of this name that an [appended](Writer::append) ntuple has already is continued: what it says stays.
    ///
    /// ```
    /// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # #[derive(RNTuple)]
    /// # struct RunInfo { run: u32 }
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0 })?;
    /// # writer.attributes("RunInfo")?.add(0..1, &RunInfo { run: 1 })?;
    /// # let storage = writer.finish_into()?.1;
    /// let mut writer = Writer::<Event, _>::append_to(storage, "Events", WriteOptions::new())?;
    /// let runs = writer.attributes("RunInfo")?;
    /// let range = runs.begin(&writer)?;
    /// writer.fill(&Event { met: 30.0 })?;
    /// range.commit(&writer, &RunInfo { run: 2 })?;
    /// let storage = writer.finish_into()?.1;
    ///
    /// let reader = Reader::<Event>::open(storage, "Events")?;
    /// let runs = reader.attributes::<RunInfo>("RunInfo")?;
    /// let runs: Vec<u32> = runs.entries().map(|run| Ok(run?.value.run)).collect::<rntuple::Result<_>>()?;
    /// assert_eq!(runs, [1, 2]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The name is empty, not possible, taken by another set of this writer, begins with `__`, or is `rntuple_checkpoint` or
    /// `rntuple_statistics`; the storage fails; or entries were lost before. Of a set that is continued: its fields are not those of `A`, or it is damaged.
    pub fn attributes<A>(&mut self, name: &str) -> Result<AttributeWriter<A, W>>
    where
        A: Entry + WriteField<Writer: Send> + 'static,
        W: 'static,
    {
        AttributeWriter::start(&mut self.filler.builder.destination, &mut self.sets, name)
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ParallelWriter<T, W> {
    /// As [`Writer::attributes`], for ranges that are known from elsewhere: where the entries of a context will stand is
    /// only known when all those before them do.
    ///
    /// ```
    /// # use rntuple::{ParallelWriter, RNTuple, WriteOptions, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # #[derive(RNTuple)]
    /// # struct Job { host: String }
    /// let writer = ParallelWriter::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// let jobs = writer.attributes::<Job>("Jobs")?;
    /// writer.scope(|scope| scope.spawn(|context| context.fill(&Event { number: 1 })))?;
    /// jobs.add(0..writer.entry_count(), &Job { host: "node-7".to_owned() })?;
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Writer::attributes`].
    pub fn attributes<A>(&self, name: &str) -> Result<AttributeWriter<A, W>>
    where
        A: Entry + WriteField<Writer: Send> + 'static,
        W: 'static,
    {
        // Locked until the name is taken.
        let team = &mut *self.shared().lock();
        AttributeWriter::start(&mut team.ntuple, &mut team.sets, name)
    }
}

impl<A: Entry + WriteField, W: WriteAt> AttributeWriter<A, W> {
    fn start(ntuple: &mut Ntuple<W>, sets: &mut Sets, name: &str) -> Result<Self>
    where
        A: WriteField<Writer: Send> + 'static,
        W: 'static,
    {
        ntuple.check()?;
        let place = |error: Error| ntuple.place(error);
        check_set_name(name, &[STATE, statistics::NAME]).map_err(place)?;
        if sets.has(name) {
            let message = format!("the attribute set {name:?} is being written already");
            return Err(place(Error::invalid_argument(message)));
        }
        let draft = match sets.existing(name) {
            Some(draft) => draft?.clone(),
            None => Draft::of_set(ntuple.path(), name, options_of_set(ntuple.options())).map_err(place)?,
        };
        let Declared { columns, mut schema } =
            draft.declare::<Attribute<A>>(1).map_err(|error| error.in_file(ntuple.file_name()))?;
        let mut fields = schema.records.fields.iter();
        let user_data = fields.find(|field| field.name == USER_DATA && field.parent.is_none());
        if user_data.is_none_or(|field| field.role != Role::Record) {
            return Err(place(Error::invalid_argument("an attribute is a struct, not a single value")));
        }
        let (file, most) = (ntuple.file().clone(), schema.parts.share.locations);
        let own = match sets.take_existing(name) {
            None => Ntuple::create(file, false, &draft, &mut schema)?,
            Some(Known { catalog, elements, .. }) => {
                let mut own = Ntuple::resume(
                    file,
                    &draft,
                    catalog,
                    std::mem::take(&mut schema.records),
                    &elements,
                    most,
                );
                own.ending().disown_file();
                own
            }
        };
        let filler = Filler::new(own, ClusterState::of(&draft, schema), columns);
        let state = Mutex::new(State { filler: Some(filler), unwritten: None, open_ranges: 0, end: 0 });
        let set = Arc::new(Set { name: name.to_owned(), owner: sets.owner().clone(), state });
        sets.add(set.clone());
        ntuple.add_set(set.clone());
        Ok(Self { set })
    }

    /// The name of the set.
    pub fn name(&self) -> &str {
        &self.set.name
    }

    /// Says something of a range of entries, whether they are filled already or will be.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # #[derive(RNTuple)]
    /// # struct Quality { good: bool }
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// let quality = writer.attributes("Quality")?;
    /// quality.add(0..2, &Quality { good: true })?;
    /// quality.add(1..3, &Quality { good: false })?;
    /// (0..3).try_for_each(|_| writer.fill(&Event { met: 20.0 }))?;
    /// writer.finish()?;
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The range ends before it begins, the ntuple is finished already, or the storage fails. A range beyond the last
    /// entry is reported by the ntuple's `finish`.
    pub fn add(&self, range: Range<u64>, value: &A) -> Result<()> {
        self.set.add(range, value)
    }

    /// Begins a range with the entry that is filled next. Several may be open at once.
    ///
    /// # Errors
    /// The set belongs to another writer's ntuple.
    pub fn begin<T: WriteField + ?Sized>(&self, writer: &Writer<T, W>) -> Result<RangeGuard<A, W>> {
        self.set.check_owner(writer)?;
        self.set.lock().open_ranges += 1;
        Ok(RangeGuard { set: self.set.clone(), start: writer.entry_count() })
    }
}

/// A range that has begun, of the set that it will be added to: [`AttributeWriter::begin`].
///
/// Nothing is lost in silence: if it is dropped, `finish` closes the file and then reports it.
/// [`discard`](Self::discard) is for when that is meant.
#[must_use = "only `commit` adds it to its set"]
pub struct RangeGuard<A: Entry + WriteField, W: WriteAt = Output> {
    set: Arc<Set<A, W>>,
    start: u64,
}

impl<A: Entry + WriteField, W: WriteAt> RangeGuard<A, W> {
    /// The entry that it begins with.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Ends the range after the last entry filled, and says what is to be said of it. Returns the range.
    ///
    /// # Errors
    /// The set belongs to another writer's ntuple, the storage fails, or the value is refused as one of an entry would be:
    /// nothing is said of the range then.
    pub fn commit<T: WriteField + ?Sized>(self, writer: &Writer<T, W>, value: &A) -> Result<Range<u64>> {
        self.set.check_owner(writer)?;
        // Entries of a lost cluster are counted no more.
        let range = self.start..writer.entry_count().max(self.start);
        let added = self.set.add(range.clone(), value);
        // One that is refused is known to the caller.
        self.discard();
        added.map(|()| range)
    }

    /// Says nothing of the range.
    pub fn discard(self) {
        let mut state = self.set.lock();
        state.open_ranges = state.open_ranges.saturating_sub(1);
    }
}

impl<A: Entry + WriteField, W: WriteAt> Set<A, W> {
    /// The lock survives a panic: the filler knows of appends that were interrupted.
    fn lock(&self) -> MutexGuard<'_, State<A, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_owner<T: WriteField + ?Sized>(&self, writer: &Writer<T, W>) -> Result<()> {
        if self.owner == *writer.sets.owner() {
            return Ok(());
        }
        let message = format!("the attribute set {} belongs to another ntuple", self.name);
        Err(writer.ntuple().place(Error::invalid_argument(message)))
    }

    fn add(&self, range: Range<u64>, value: &A) -> Result<()> {
        let refuse =
            |message: String| Err(Error::invalid_argument(format!("attribute set {}: {message}", self.name)));
        if range.start > range.end {
            return refuse(format!(
                "the range begins with entry {} and ends before entry {}",
                range.start, range.end
            ));
        }
        let mut state = self.lock();
        let state = &mut *state;
        let Some(filler) = &mut state.filler else {
            return refuse("it ended when its ntuple was finished".to_owned());
        };
        filler.builder.destination.check()?;
        filler.try_with(|columns| columns.append_row(&range, value))?;
        filler.fill_with(1, |columns| columns.append_row(&range, value))?;
        state.end = state.end.max(range.end);
        Ok(())
    }
}

impl<A: Entry + WriteField<Writer: Send>, W: WriteAt> OpenSet for Set<A, W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn commit(&self) -> Result<Option<Catalog>> {
        let mut state = self.lock();
        let State { filler, unwritten, .. } = &mut *state;
        let Some(filler) = filler else { return Ok(unwritten.as_ref().map(Catalog::snapshot)) };
        // What it has lost, by a panic of a value, say, is reported when it ends: its ntuple has lost nothing.
        if filler.whole().and_then(|()| filler.builder.destination.check()).is_ok() {
            filler.commit_cluster()?;
        }
        Ok(filler.builder.destination.snapshot())
    }

    fn close(&self, entries: u64, author: Author) -> Result<(Option<LinkedAttributeSet>, Result<()>)> {
        let mut state = self.lock();
        let refuse =
            |message: String| Error::invalid_argument(format!("attribute set {}: {message}", self.name));
        let Some(mut filler) = state.filler.take() else {
            return Err(refuse("it was ended before".to_owned()));
        };
        filler.builder.destination.ending().write_as(author);
        let is_whole = filler.builder.destination.check().is_ok();
        let last = if is_whole { filler.commit_cluster() } else { Ok(()) };
        let mut ntuple = filler.builder.destination;
        // A checkpoint may find the room for it.
        let link = ntuple.finish_set(&self.name).inspect_err(|_| state.unwritten = ntuple.snapshot())?;
        // What was lost, with how many of the attributes, before what went wrong.
        let complaint = ntuple.check().and(last).and_then(|()| match state.open_ranges {
            0 if state.end <= entries => Ok(()),
            0 => Err(refuse(format!(
                "a range ends with entry {}, but the ntuple has only {}",
                state.end,
                counted(entries, "entry")
            ))),
            1 => Err(refuse("a range was begun and neither committed nor discarded".to_owned())),
            open => Err(refuse(format!("{open} ranges were begun and neither committed nor discarded"))),
        });
        Ok((link, complaint))
    }
}

impl<A: Entry + WriteField, W: WriteAt> fmt::Debug for AttributeWriter<A, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeWriter").field("name", &self.set.name).finish_non_exhaustive()
    }
}

impl<A: Entry + WriteField, W: WriteAt> fmt::Debug for RangeGuard<A, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeGuard")
            .field("set", &self.set.name)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}
