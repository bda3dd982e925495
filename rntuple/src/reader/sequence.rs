//! The ntuples of many files as one, whose entries are numbered through.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use super::ReadOptions;
use super::connected::{Connect, Connected, Finder, Opened};
use super::files::{Files, Place};
use super::known::{Known, Link};
use super::partition::{self, Cut};
use super::shape::{self, Shape};
use crate::cluster::SharedPages;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Attach, FieldNode, ReadField};
use crate::hidden::{Boxed, Hidden, discards};
use crate::message::counted;
use crate::root::{Anchor, RootFile};
use crate::schema::{ColumnId, FieldId, Schema};

/// How often a file is opened that another program writes to.
const MOST_ATTEMPTS: usize = 5;

/// How many files are opened at once on threads that mostly wait.
const MOST_WAITING: usize = 16;

/// A file that the type fits.
struct Examined {
    dataset: Arc<Dataset>,
    selected: BTreeSet<ColumnId>,
    values: Vec<Option<FieldId>>,
    least_budget: u64,
}

impl Examined {
    fn new(connected: &Connected, options: &ReadOptions) -> Result<Self> {
        let (dataset, selected) = (connected.dataset.clone(), connected.selected.clone());
        let least_budget = connected.plan(0..dataset.entry_count(), options)?.least;
        Ok(Self { dataset, selected, values: connected.values.clone(), least_budget })
    }
}

/// A field that is read as values, in the first file that has it.
struct ValuesOf {
    path: String,
    field: Option<FieldId>,
    schema: Arc<Schema>,
    file: String,
}

/// Matches an ntuple with a type.
type Fits = fn(FieldNode<'_>) -> Result<()>;

fn fits<T: ReadField>(field: FieldNode<'_>) -> Result<()> {
    T::connect(field, &mut Boxed::new(T::Reader::DETACHED))
}

/// The files of a reader, shared by its walks.
pub(super) type SharedFiles = Arc<Hidden<Sequence>>;

/// What is opened in each file.
#[derive(Clone, Debug)]
struct Subject {
    /// Of the ntuple.
    path: String,
    /// The attribute set of the ntuple, where that is read.
    set: Option<String>,
}

impl Subject {
    fn ntuple(path: &str) -> Self {
        Self { path: path.to_owned(), set: None }
    }

    fn open(&self, place: &Place, options: &ReadOptions) -> Result<Arc<Dataset>> {
        let dataset = place.dataset(&self.path, options)?;
        match &self.set {
            Some(set) => Ok(Arc::new(dataset.attribute_set(set)?)),
            None => Ok(dataset),
        }
    }
}

/// The files of a reader, in order.
///
/// With [`same_schema`](ReadOptions::same_schema) they are looked into as they are needed. Where entries are is then known
/// from the first file on, and grows with each; of files that state their counts it is known without a look.
pub(super) struct Sequence {
    subject: Subject,
    options: ReadOptions,
    places: Vec<Place>,
    names: Vec<String>,
    fits: Fits,
    /// What the first file calls the ntuple.
    path: String,
    /// The schema of the first file.
    schema: Arc<Schema>,
    /// The columns of the first file that are read.
    selected: BTreeSet<ColumnId>,
    /// The fields of the first file that are read as values of whatever type they have: all files must have the same
    /// there. `None`: the entry.
    values: Vec<Option<FieldId>>,
    /// Such fields that the first file lacks.
    more_values: Mutex<Vec<ValuesOf>>,
    known: RwLock<Known>,
    /// Held by the thread that opens more of them.
    reaching: Mutex<()>,
    /// Those that were used last; the newest is at the end.
    open: Mutex<VecDeque<(usize, Arc<Dataset>)>>,
    /// The last file, which stays open: so it is found again after it was moved.
    last: OnceLock<RootFile>,
    /// Pages in which one walk begins and another one ends.
    shared_pages: Arc<SharedPages>,
}

discards!(Sequence);

impl Sequence {
    /// Opens the first file, and the others where they are matched with `T` at once.
    ///
    /// # Errors
    /// There are no files, or one of them cannot be opened or does not fit the type.
    pub(super) fn open<T: ReadField>(
        files: Files,
        path: &str,
        options: &ReadOptions,
    ) -> Result<(SharedFiles, Opened<T::Reader>)> {
        Self::open_subject::<T>(files, Subject::ntuple(path), options)
    }

    /// Opens an attribute set of the ntuple in each file that has it, and says for each where its first entry is among
    /// those of all files.
    pub(super) fn open_set<T: ReadField>(
        &self,
        name: &str,
        options: &ReadOptions,
    ) -> Result<(SharedFiles, Opened<T::Reader>, Vec<u64>)> {
        let (places, subject, starts) = self.with_set(name)?;
        let (sets, opened) = Self::open_subject::<T>(places, subject, options)?;
        Ok((sets, opened, starts))
    }

    /// The files that have an attribute set.
    fn with_set(&self, name: &str) -> Result<(Files, Subject, Vec<u64>)> {
        self.reach_all()?;
        let (mut places, mut starts) = (Vec::new(), Vec::new());
        let mut lack = None;
        for (index, place) in self.places.iter().enumerate() {
            let dataset = self.dataset(index)?;
            if dataset.attribute_sets().iter().any(|set| set.name == name) {
                places.push(place.clone());
                starts.push(self.entries_of(index).unwrap_or_default().start);
            } else if lack.is_none() {
                lack = Some(dataset);
            }
        }
        if let Some(dataset) = lack.filter(|_| places.is_empty()) {
            return Err(dataset.attribute_set(name).err().unwrap_or_else(|| self.beyond()));
        }
        let subject = Subject { set: Some(name.to_owned()), ..self.subject.clone() };
        Ok((places.into_iter().collect(), subject, starts))
    }

    /// Opens the same files for another type.
    pub(super) fn open_again<T: ReadField>(&self) -> Result<(SharedFiles, Opened<T::Reader>)> {
        let files = self.places.iter().cloned().collect();
        Self::open_subject::<T>(files, self.subject.clone(), &self.options)
    }

    /// Opens all files again, if the last one has more entries by now.
    pub(super) fn refreshed<T: ReadField>(&self) -> Result<Option<(SharedFiles, Opened<T::Reader>)>> {
        let Some(files) = self.grown()? else { return Ok(None) };
        Self::open_subject::<T>(files, self.subject.clone(), &self.options).map(Some)
    }

    /// The files, if the last one has more entries by now.
    fn grown(&self) -> Result<Option<Files>> {
        self.reach_all()?;
        let Some((last, before)) = self.places.split_last() else { return Ok(None) };
        if matches!(last, Place::Overlay(_)) {
            return Ok(None);
        }
        let entries = self.entries_of(before.len()).unwrap_or_default();
        let file = match self.last.get() {
            Some(file) => file.clone(),
            None => self.dataset(before.len())?.file().clone(),
        };
        let open = || self.subject.open(&file.reopened()?.into(), &self.options);
        let mut opened = open();
        for _ in 1..MOST_ATTEMPTS {
            if opened.is_ok() {
                break;
            }
            // A checkpoint may have come between the reading of two parts.
            opened = open();
        }
        let dataset = opened?;
        let (had, has) = (entries.end - entries.start, dataset.entry_count());
        let place = |what: &str| changed(file.name(), what).in_ntuple(&self.path);
        // A writer that begins in place has another file under the same name.
        if dataset.file().uuid() != file.uuid() {
            return Err(place("another file was written over it"));
        }
        if has < had {
            return Err(place(&format!("it had {} and has {has}", counted(had, "entry"))));
        }
        if has == had {
            return Ok(None);
        }
        Ok(Some(before.iter().cloned().chain([Place::Dataset(dataset)]).collect()))
    }

    pub(super) fn options(&self) -> &ReadOptions {
        &self.options
    }

    fn open_subject<T: ReadField>(
        files: Files,
        subject: Subject,
        options: &ReadOptions,
    ) -> Result<(SharedFiles, Opened<T::Reader>)> {
        let (columns, (files, connected)) = Connect::entries::<T>()
            .find(|find| Self::open_first(files, subject, options, fits::<T>, find))?;
        Ok((files, Opened { columns, connected }))
    }

    fn open_first(
        files: Files,
        subject: Subject,
        options: &ReadOptions,
        fits: Fits,
        find: &mut Finder<'_>,
    ) -> Result<(SharedFiles, Hidden<Connected>)> {
        let places = files.told_apart()?;
        let Some(first) = places.first() else {
            return Err(Error::invalid_argument("a reader needs at least one file"));
        };
        let dataset = subject.open(first, options)?;
        let connected = Connected::new(dataset.clone(), options, None, find)?;
        let stated = |place: &Place| if subject.set.is_none() { place.entry_count() } else { None };
        let known = Known::new(places.iter().map(stated).collect());
        let known = known.map_err(|error| error.in_ntuple(&subject.path))?;
        let sequence = Self {
            names: places.iter().map(Place::name).collect(),
            places,
            subject,
            options: options.clone(),
            fits,
            path: dataset.path().to_owned(),
            schema: dataset.schema().clone(),
            selected: connected.selected.clone(),
            values: connected.values.clone(),
            more_values: Mutex::default(),
            known: RwLock::new(known),
            reaching: Mutex::default(),
            open: Mutex::default(),
            last: OnceLock::new(),
            shared_pages: Arc::default(),
        };
        sequence.add(0, Examined::new(&connected, options)?)?;
        if !options.same_schema {
            sequence.look_into_all(|_| false)?;
        }
        Ok((Arc::new(Hidden::new(sequence)), Hidden::new(connected)))
    }

    /// Examines files, with several at once where there are threads for it, and takes in what is found.
    fn look_into(&self, files: &[usize]) -> Result<()> {
        self.add_all(files, self.at_once(files, |&index| self.examine(index)))
    }

    /// Takes in what was found in files.
    fn add_all(&self, files: &[usize], examined: Vec<Result<Examined>>) -> Result<()> {
        files.iter().zip(examined).try_for_each(|(&index, examined)| self.add(index, examined?))
    }

    fn examine(&self, index: usize) -> Result<Examined> {
        let place = self.places.get(index).ok_or_else(|| self.no_file(index))?;
        let dataset = self.subject.open(place, &self.options)?;
        let connected = Connected::new(dataset, &self.options, None, &mut |field| (self.fits)(field))?;
        Examined::new(&connected, &self.options)
    }

    /// Does something with each of many files, with several at once where there are threads for it.
    fn at_once<I: Sync, R: Send>(&self, files: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
        if files.len() > 1 && self.places.iter().any(Place::is_remote) {
            return while_waiting(files, work);
        }
        #[cfg(feature = "rayon")]
        if let Some(pool) = self.options.pool.as_ref().filter(|_| files.len() > 1) {
            use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
            return pool.as_rayon().install(|| files.par_iter().map(&work).collect());
        }
        files.iter().map(work).collect()
    }

    /// Takes in what was found in a file, and keeps it open if few others are: a walk begins with the first ones.
    fn add(&self, index: usize, examined: Examined) -> Result<()> {
        let dataset = self.learn(index, examined)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() < self.options.open_files {
            open.push_front((index, dataset));
        }
        Ok(())
    }

    /// Takes in what was found in a file that is reached, or in the next one.
    fn learn(&self, index: usize, examined: Examined) -> Result<Arc<Dataset>> {
        let Examined { dataset, selected, values, least_budget } = examined;
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        let found = dataset.entry_count();
        if let Some(stated) = self.known().stated(index).filter(|stated| *stated != found) {
            let found = counted(found, "entry");
            let message = format!("the file has {found}, expected {stated}, as was stated for it");
            return Err(place(Error::new(ErrorKind::Io, message)));
        }
        let has_values = !(self.values.is_empty() && values.is_empty());
        if let Some(first) = self.names.first().filter(|_| index > 0 && has_values) {
            let selection = |schema| self.options.selection_in(schema);
            let (ours, theirs) = (selection(&self.schema)?, selection(dataset.schema()).map_err(place)?);
            let ours = Shape { schema: &self.schema, visible: ours.as_ref(), values: &self.values };
            let theirs = Shape { schema: dataset.schema(), visible: theirs.as_ref(), values: &values };
            let more = shape::compare(ours, theirs, first).map_err(place)?;
            self.compare_more(&dataset, theirs, &more).map_err(place)?;
        }
        let link = Link {
            anchor: dataset.anchor().clone(),
            fingerprint: dataset.fingerprint(),
            selected: Some(selected).filter(|selected| *selected != self.selected),
            least_budget,
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.add(index, found, link).map_err(place)?;
        drop(known);
        if index + 1 == self.places.len() && !matches!(self.places.last(), Some(Place::Overlay(_))) {
            self.last.get_or_init(|| dataset.file().clone());
        }
        Ok(dataset)
    }

    /// Compares fields that are read as values, and that the first file lacks, with those of the first other file that
    /// has them.
    fn compare_more(&self, dataset: &Dataset, theirs: Shape<'_>, more: &[Option<FieldId>]) -> Result<()> {
        let mut known = self.more_values.lock().unwrap_or_else(PoisonError::into_inner);
        for field in more {
            let path = theirs.path(*field);
            let Some(other) = known.iter().find(|other| other.path == path) else {
                let (schema, file) = (dataset.schema().clone(), dataset.file().name().to_owned());
                known.push(ValuesOf { path, field: *field, schema, file });
                continue;
            };
            let visible = self.options.selection_in(&other.schema)?;
            let values = std::slice::from_ref(&other.field);
            let ours = Shape { schema: &other.schema, visible: visible.as_ref(), values };
            shape::compare(ours, Shape { values: std::slice::from_ref(field), ..theirs }, &other.file)?;
        }
        Ok(())
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of files that are reached. The lock is released with it.
    fn known_count(&self) -> usize {
        self.known().count()
    }

    /// Looks into up to `most` files whose entries are not known, unless others have done it since `before` files were
    /// reached; `false` where there are no more.
    fn reach(&self, before: usize, most: usize) -> Result<bool> {
        let _reaching = self.reaching.lock().unwrap_or_else(PoisonError::into_inner);
        if self.known_count() > before {
            return Ok(true);
        }
        let files = self.unknown_after(before, most);
        // Not on threads of the pool: all of them may be waiting for this lock, and one that waits for others begins other
        // work, which may need the lock as well.
        self.add_all(&files, while_waiting(&files, |&index| self.examine(index)))?;
        Ok(!files.is_empty())
    }

    /// The same with one file, which stays open: what is reached file by file is read so.
    fn reach_next(&self, before: usize) -> Result<bool> {
        let _reaching = self.reaching.lock().unwrap_or_else(PoisonError::into_inner);
        if self.known_count() > before {
            return Ok(true);
        }
        let [file] = *self.unknown_after(before, 1) else { return Ok(false) };
        let dataset = self.learn(file, self.examine(file)?)?;
        self.keep(file, dataset);
        Ok(true)
    }

    /// The first files from one on whose entries are not known.
    fn unknown_after(&self, before: usize, most: usize) -> Vec<usize> {
        let known = self.known();
        let unknown = (before..self.places.len()).filter(|index| known.stated(*index).is_none());
        unknown.take(most).collect()
    }

    /// How many files are looked into at once.
    fn at_most(&self) -> usize {
        let threads = self.options.pool.as_ref().map_or(1, |pool| pool.threads().max(1));
        if self.places.iter().any(Place::is_remote) { threads.max(MOST_WAITING) } else { threads }
    }

    /// Finds out where the entries of all files are.
    fn reach_all(&self) -> Result<()> {
        if self.is_known() {
            return Ok(());
        }
        let most = self.at_most();
        loop {
            let count = self.known_count();
            if !self.reach(count, most)? {
                return Ok(());
            }
        }
    }

    /// Looks into all files that are not excluded.
    fn look_into_all(&self, is_excluded: impl Fn(usize) -> bool) -> Result<()> {
        let mut files: Vec<usize> = {
            let known = self.known();
            (0..self.places.len()).filter(|index| known.link(*index).is_none()).collect()
        };
        files.retain(|index| !is_excluded(*index));
        files.chunks(self.at_most()).try_for_each(|files| self.look_into(files))
    }

    /// Number of entries.
    ///
    /// # Errors
    /// A file that was not reached before cannot be opened, or does not fit.
    pub(super) fn entry_count(&self) -> Result<u64> {
        self.reach_all()?;
        Ok(self.known_end())
    }

    /// Number of entries in the files that are reached.
    pub(super) fn known_end(&self) -> u64 {
        self.known().end()
    }

    /// Whether all files are reached.
    pub(super) fn is_known(&self) -> bool {
        self.known_count() == self.places.len()
    }

    /// The first part of a range, which ends with the range or with a file; empty where no file has any of it.
    pub(super) fn part_of(&self, range: &Range<u64>) -> Result<Range<u64>> {
        loop {
            let (end, count) = (self.known_end(), self.known_count());
            if range.start < end.min(range.end) {
                return Ok(range.start..range.end.min(end));
            }
            if range.is_empty() || !self.reach_next(count)? {
                return Ok(range.start..range.start);
            }
        }
    }

    /// What the first file calls the ntuple.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The schema of the first file.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The columns that are read, by their numbers in the first file.
    pub(super) fn selected(&self) -> &BTreeSet<ColumnId> {
        &self.selected
    }

    /// Pages that its walks share.
    pub(super) fn shared_pages(&self) -> &Arc<SharedPages> {
        &self.shared_pages
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The least memory budget that all files can be read with that are not excluded.
    ///
    /// # Errors
    /// A file cannot be opened, or does not fit.
    #[cfg(feature = "rayon")]
    pub(super) fn least_budget(&self, is_excluded: impl Fn(usize) -> bool) -> Result<u64> {
        self.look_into_all(is_excluded)?;
        Ok(self.known().links().map(|link| link.least_budget).max().unwrap_or_default())
    }

    /// About `target` ranges that together are all entries.
    pub(super) fn partitions(&self, target: usize) -> Result<Vec<Range<u64>>> {
        self.partitions_without(target, |_| false)
    }

    /// The same, where files that are excluded are not opened: each is in one range.
    pub(super) fn partitions_without(
        &self,
        target: usize,
        is_excluded: impl Fn(usize) -> bool + Sync,
    ) -> Result<Vec<Range<u64>>> {
        let total = self.entry_count()?;
        let wanted = partition::length(total, target);
        let numbers: Vec<usize> = (0..self.places.len()).collect();
        let cuts = self.at_once(&numbers, |&number| {
            let entries = self.entries_of(number).unwrap_or_default();
            let count = entries.end - entries.start;
            if let Some(cut) = partition::uncut(count, wanted) {
                return Ok(vec![cut]);
            }
            if is_excluded(number) {
                return Ok(vec![Cut::whole(count)]);
            }
            let dataset = self.dataset(number)?;
            let own = self.known().link(number).and_then(|link| link.selected.clone());
            partition::cuts(&dataset, own.as_ref().unwrap_or(&self.selected), wanted)
        });
        let cuts = cuts.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(partition::partitions(cuts.into_iter().flatten(), wanted))
    }

    /// The entries of a file that is reached.
    pub(super) fn entries_of(&self, index: usize) -> Option<Range<u64>> {
        self.known().entries(index)
    }

    /// The position of the file that has an entry; `None` after the last one.
    ///
    /// # Errors
    /// As [`entry_count`](Self::entry_count).
    pub(super) fn position(&self, entry: u64) -> Result<Option<usize>> {
        loop {
            let count = {
                let known = self.known();
                let index = known.position(entry);
                if index < known.count() {
                    return Ok(Some(index));
                }
                known.count()
            };
            if !self.reach_next(count)? {
                return Ok(None);
            }
        }
    }

    /// The ntuple that has an entry, and the number of its first one; `None` after the last one. Where there are no
    /// entries at all, the first ntuple has entry 0.
    pub(super) fn at(&self, entry: u64) -> Result<Option<(Arc<Dataset>, u64)>> {
        let index = match self.position(entry)? {
            None if entry == 0 => 0,
            None => return Ok(None),
            Some(index) => index,
        };
        let start = self.entries_of(index).unwrap_or_default().start;
        let dataset = self.dataset(index).map_err(|error| error.at_entry(entry - start))?;
        Ok(Some((dataset, start)))
    }

    /// A file, opened again if it was closed.
    pub(super) fn dataset(&self, index: usize) -> Result<Arc<Dataset>> {
        self.reach_file(index)?;
        if let Some(dataset) = self.take_open(index) {
            return Ok(dataset);
        }
        let (Some(place), Some(name)) = (self.places.get(index), self.names.get(index)) else {
            return Err(self.no_file(index));
        };
        if self.known().link(index).is_none() {
            let dataset = self.learn(index, self.examine(index)?)?;
            self.keep(index, dataset.clone());
            return Ok(dataset);
        }
        let dataset = self.subject.open(place, &self.options).map_err(|error| match error.kind() {
            ErrorKind::Io => error.in_file(name),
            _ => changed(name, error.message()),
        })?;
        let known = self.known();
        if let (Some(link), Some(entries)) = (known.link(index), known.entries(index)) {
            let (count, found) = (entries.end - entries.start, dataset.entry_count());
            if found != count {
                let message = format!("it had {} and has {found}", counted(count, "entry"));
                return Err(changed(name, &message).in_ntuple(&self.path));
            }
            if dataset.fingerprint() != link.fingerprint || *dataset.anchor() != link.anchor {
                return Err(changed(name, "the description of its ntuple differs").in_ntuple(&self.path));
            }
        }
        drop(known);
        self.keep(index, dataset.clone());
        Ok(dataset)
    }

    /// Compares what was seen in files with what another one has seen in them before, as far as both have.
    pub(super) fn check_unchanged(&self, before: &Self) -> Result<()> {
        for (index, (name, other)) in self.names.iter().zip(&before.names).enumerate() {
            // Of other files the entries have other numbers, also where none has changed.
            if name != other {
                let message = format!("file {index} is {name}, and the other reader has {other} there");
                return Err(Error::invalid_argument(message).in_ntuple(&self.path));
            }
            let (Some(had), Some(has)) = (before.seen(index), self.seen(index)) else { continue };
            if had.0 != has.0 {
                let message = format!("it had {} and has {}", counted(had.0, "entry"), has.0);
                return Err(changed(name, &message).in_ntuple(&self.path));
            }
            if had != has {
                return Err(changed(name, "the description of its ntuple differs").in_ntuple(&self.path));
            }
        }
        Ok(())
    }

    /// What was seen in a file: the number of its entries, and what identifies their description.
    fn seen(&self, index: usize) -> Option<(u64, u64, Anchor)> {
        let known = self.known();
        let (entries, link) = (known.entries(index)?, known.link(index)?);
        Some((entries.end - entries.start, link.fingerprint, link.anchor.clone()))
    }

    /// Finds out where the entries of the files up to one are, if it is there.
    pub(super) fn reach_file(&self, index: usize) -> Result<()> {
        loop {
            let count = self.known_count();
            if count > index || !self.reach_next(count)? {
                return Ok(());
            }
        }
    }

    #[cold]
    pub(super) fn no_file(&self, index: usize) -> Error {
        let count = counted(self.places.len() as u64, "file");
        Error::invalid_argument(format!("there is no file {index}: the reader has {count}"))
    }

    fn take_open(&self, index: usize) -> Option<Arc<Dataset>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let position = open.iter().position(|(number, _)| *number == index)?;
        let newest = open.remove(position)?;
        let dataset = newest.1.clone();
        open.push_back(newest);
        Some(dataset)
    }

    fn keep(&self, index: usize, dataset: Arc<Dataset>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((index, dataset));
        while open.len() > self.options.open_files {
            open.pop_front();
        }
    }

    /// Whether another type can be read from every file, as far as they are looked into beforehand.
    pub(super) fn check<T: ReadField>(&self, options: &ReadOptions) -> Result<()> {
        let count = if options.same_schema { 1 } else { self.places.len() };
        let mut find = fits::<T>;
        (0..count).try_for_each(|index| {
            let connected = Connected::new(self.dataset(index)?, options, None, &mut find)?;
            Examined::new(&connected, options).map(drop)
        })
    }

    /// What is wrong with an entry that is not there.
    #[cold]
    pub(super) fn beyond(&self) -> Error {
        let count = self.known_end();
        let message = match self.places.len() {
            1 => format!("the ntuple has only {}", counted(count, "entry")),
            files => format!("the {files} files have only {}", counted(count, "entry")),
        };
        self.place(Error::invalid_argument(message))
    }

    /// Names the place of an error that is about all of it.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        match &*self.names {
            [one] => error.in_ntuple(&self.path).in_file(one),
            _ => error.in_ntuple(&self.path),
        }
    }

    /// What an error calls all of it: `events.root`, or `20 files`.
    pub(super) fn name(&self) -> String {
        match &*self.names {
            [one] => one.clone(),
            names => format!("{} files", names.len()),
        }
    }

    /// What an error calls an entry of it.
    pub(super) fn describe(&self, entry: u64) -> String {
        let known = self.known();
        let index = known.position(entry);
        match (known.entries(index), self.names.get(index)) {
            (Some(entries), Some(name)) => format!("entry {} of {name}", entry - entries.start),
            _ => format!("entry {entry}"),
        }
    }
}

/// The error of a file that is not what it was when the reader was opened.
#[cold]
fn changed(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Io, format!("the file was changed after the reader was opened: {what}"))
        .in_file(name)
}

/// Does something with each of many files on threads that mostly wait.
fn while_waiting<I: Sync, R: Send>(files: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Relaxed)));
        let files = numbers.map_while(|number| Some((number, files.get(number)?)));
        files.map(|(number, file)| (number, work(file))).collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..files.len().min(MOST_WAITING)).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for thread in threads {
            match thread.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
