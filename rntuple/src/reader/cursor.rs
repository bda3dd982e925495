//! A place in the ntuples of a reader, where columns are read.

mod lend;
mod way;

use std::collections::{BTreeSet, VecDeque};
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

pub(crate) use self::way::Way;
use super::ReadOptions;
use super::connected::{Connect, Connected, Find, Finder, Opened};
use super::entry_list::EntryList;
use super::prefetch::{self, Supply};
use super::sequence::SharedFiles;
use crate::cluster::{Access, Cluster, Sharing, Wanted};
use crate::column::{Allowance, Grant, ItemLength};
use crate::dataset::{Dataset, Group};
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Attach, FieldNode, FieldReader, Position};
use crate::hidden::{Boxed, Hidden, discards};
use crate::limits::{self, Limits};
use crate::pool::Task;
use crate::schema::ColumnId;

/// Where columns are while an entry is read. If the storage panics meanwhile, and the caller catches it, some of them
/// have moved and others have not.
const BETWEEN: u64 = u64::MAX;

/// The columns of a type, and where they are.
///
/// It goes from cluster to cluster and from file to file: in each file the columns are found again.
pub(super) type Cursor<R> = CursorOf<Found<R>>;

/// A cursor, whatever its columns are: what is done once per cluster is compiled in this crate, not for each type.
pub(super) struct CursorOf<C: ?Sized> {
    /// Entries of the attached cluster; empty before the first one and after an error.
    attached: Range<u64>,
    /// The next entry that the columns would read.
    next: u64,
    /// That of the file.
    allowance: Allowance,
    trip: Hidden<Trip>,
    columns: C,
}

/// Columns that were found in a file, and can be found in others.
pub(super) struct Found<R> {
    columns: Boxed<R>,
    /// Those in the file that comes next.
    coming: Option<Boxed<R>>,
    find: Find<R>,
}

/// What a cursor does with its columns.
pub(super) trait Columns {
    fn seek(&mut self, to: Position<'_>) -> Result<()>;
    /// Finds the columns of another file, and keeps them apart.
    fn find(&mut self, field: FieldNode<'_>) -> Result<()>;
    /// Continues with the columns that were found last.
    fn turn(&mut self);
}

impl<R: Attach> Columns for Found<R> {
    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.columns.seek(to)
    }

    fn find(&mut self, field: FieldNode<'_>) -> Result<()> {
        let mut columns = Boxed::new(R::DETACHED);
        (self.find)(field, &mut columns)?;
        self.coming = Some(columns);
        Ok(())
    }

    fn turn(&mut self) {
        if let Some(columns) = self.coming.take() {
            self.columns = columns;
        }
    }
}

/// What is known of the file and of the entries that will be read.
pub(super) struct Trip {
    files: SharedFiles,
    options: ReadOptions,
    /// The path of the field whose columns these are; `None`: those of entries.
    path: Option<Arc<str>>,
    connected: Connected,
    /// The number of the file's first entry among those of all files. What follows counts as they do.
    first: u64,
    /// The entries that will be read in order; of single ones nothing is known beforehand.
    walk: Option<Range<u64>>,
    /// The runs that the walk is one of, where more is known than that: from storage that is far away, those after it
    /// are read ahead as well.
    runs: Option<EntryList>,
    /// The same for the columns, which decode no page ahead without an entry that is read.
    wanted: Wanted,
    /// Whether pages are decoded ahead.
    decodes_ahead: bool,
    /// The entries of the file, counted in it, for whose pages memory is planned.
    planned: Range<u64>,
    supply: Supply,
    /// The clusters that are read ahead, and their numbers, in order.
    coming: VecDeque<(u64, Cluster)>,
    /// The attached cluster, where entries of it that are asked for out of order are read at once: from storage that is far
    /// away.
    far: Option<Cluster>,
    /// The cluster group of the attached cluster: the walk of another cursor does not drop its page list.
    group: Option<Arc<Group>>,
    /// Opens the file that comes next.
    opening: Option<Task<()>>,
    /// Whether the last error was about a value, not about the file.
    refused: bool,
}

discards!(Trip);

impl<C: ?Sized> Deref for CursorOf<C> {
    type Target = Trip;

    #[inline]
    fn deref(&self) -> &Trip {
        &self.trip
    }
}

impl<C: ?Sized> DerefMut for CursorOf<C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Trip {
        &mut self.trip
    }
}

impl Trip {
    fn new(
        files: SharedFiles,
        options: &ReadOptions,
        path: Option<&Arc<str>>,
        walk: Option<Range<u64>>,
        find: &mut Finder<'_>,
    ) -> Result<Hidden<Self>> {
        let start = walk.as_ref().map_or(0, |walk| walk.start);
        let at = match files.at(start)? {
            Some(at) => at,
            // Nothing will be read.
            None => files.at(0)?.ok_or_else(|| files.beyond())?,
        };
        let connected = Connected::new(at.0, options, path, find)?;
        Self::at(files, options, path, connected, at.1, walk)
    }

    /// In the first file, which has the columns.
    fn first(
        files: SharedFiles,
        options: &ReadOptions,
        path: Option<&Arc<str>>,
        connected: Hidden<Connected>,
    ) -> Result<Hidden<Self>> {
        Self::at(files, options, path, connected.into_inner(), 0, None)
    }

    /// In a file that has the columns.
    fn at(
        files: SharedFiles,
        options: &ReadOptions,
        path: Option<&Arc<str>>,
        connected: Connected,
        first: u64,
        walk: Option<Range<u64>>,
    ) -> Result<Hidden<Self>> {
        let mut trip = Self {
            files,
            options: options.clone(),
            path: path.cloned(),
            connected,
            first,
            walk: None,
            runs: None,
            wanted: Wanted::in_file(first),
            decodes_ahead: false,
            planned: 0..0,
            supply: Supply::default(),
            coming: VecDeque::new(),
            far: None,
            group: None,
            opening: None,
            refused: false,
        };
        trip.plan(walk)?;
        Ok(Hidden::new(trip))
    }

    /// Names the place of an error of an entry.
    #[cold]
    fn place(&self, entry: u64, error: Error) -> Error {
        self.connected.place(error.at_entry(entry - self.first))
    }

    /// Plans what may be read and decoded ahead.
    fn plan(&mut self, walk: Option<Range<u64>>) -> Result<()> {
        let count = self.connected.dataset.entry_count();
        let own = |entry: u64| entry.saturating_sub(self.first).min(count);
        let entries = walk.as_ref().map_or(0..count, |walk| own(walk.start)..own(walk.end));
        let memory = self.connected.plan(entries.clone(), &self.options)?;
        self.planned = entries;
        let pool = self.options.pool.as_ref().filter(|_| walk.is_some());
        self.decodes_ahead = pool.is_some() && memory.decodes_ahead;
        self.connected.means.decode_ahead(pool.filter(|_| self.decodes_ahead));
        self.supply = match pool {
            Some(_) => Supply::new(&self.options, memory.room),
            None => Supply::within(memory.room),
        };
        if self.connected.dataset.file().is_remote() && self.options.read_ahead_limit_far() > 0 {
            self.supply = Supply::far(&self.options, self.supply.room());
        }
        self.follow(walk, None);
        Ok(())
    }

    /// Notes which entries will be read in order: a run, which is one of `runs`, or a part of one.
    fn follow(&mut self, walk: Option<Range<u64>>, runs: Option<EntryList>) {
        // A list is noted once, not for each of its runs.
        let is_noted = match (&self.runs, &runs) {
            (Some(before), Some(runs)) => before.shares(runs),
            _ => false,
        };
        (self.walk, self.runs) = (walk, runs);
        if self.decodes_ahead && !is_noted {
            self.wanted.set(match &self.runs {
                Some(runs) => runs.shared(),
                None => self.walk.iter().cloned().collect(),
            });
        }
    }

    /// The entry after the last one of the file.
    fn end(&self) -> u64 {
        self.first.saturating_add(self.connected.dataset.entry_count())
    }

    /// Begins to open the file that comes next, if the walk continues there: from storage that is far away that takes
    /// some round trips. What fails here fails again when the walk comes to it.
    fn open_next(&mut self) {
        let end = self.end();
        let continues = self.walk.as_ref().is_some_and(|walk| end < walk.end);
        if !continues || !self.supply.is_far() || self.opening.is_some() || self.options.open_files == 0 {
            return;
        }
        let files = self.files.clone();
        self.opening = Some(Task::spawn_waiting(move || {
            if let Ok(Some((dataset, first))) = files.at(end) {
                // Its page list as well: it is kept, as the one that was read last.
                let _ = dataset.group_of(end - first);
            }
        }));
    }

    /// Whether it is for entries in order.
    pub(super) fn is_walk(&self) -> bool {
        self.walk.is_some()
    }

    pub(super) fn limits(&self) -> Limits {
        self.options.limits_of(self.connected.dataset.file())
    }

    /// Bytes of values that the file can account for, however many entries are read.
    pub(super) fn most_bytes(&self) -> u64 {
        self.limits().entry_length.saturating_add(limits::values_of(self.connected.dataset.file().end()))
    }

    pub(super) fn selected(&self) -> &BTreeSet<ColumnId> {
        &self.connected.selected
    }

    /// # Errors
    /// The entry is not among those that there are.
    pub(super) fn check_entry(&self, entry: u64) -> Result<()> {
        self.options.check_entry(entry).map_err(|error| self.files.place(error))
    }

    /// The path of the field whose columns these are.
    pub(super) fn path(&self) -> &str {
        self.path.as_deref().unwrap_or_default()
    }

    /// What one call may take of this file in addition to one entry.
    fn grant(&self) -> Grant {
        Grant {
            bytes: limits::values_of(self.connected.dataset.file().end()),
            items: self.limits().unstored_items.saturating_mul(3),
        }
    }

    /// Whether the last error was about a value that the type does not take: what follows can be read.
    pub(super) fn was_value_refused(&self) -> bool {
        self.refused
    }

    /// The entries of a cluster of the file, counted as those of all files are.
    fn entries_of(&self, cluster: &Cluster) -> Range<u64> {
        let start = self.first.saturating_add(cluster.descriptor().first_entry);
        start..start.saturating_add(cluster.descriptor().entry_count)
    }

    /// A cluster whose first wanted entry is `entry`; where all of it is wanted, it is read ahead.
    fn load(&self, index: u64, entry: u64) -> Result<Cluster> {
        let Connected { dataset, selected, .. } = &self.connected;
        let is_walk = self.walk.is_some();
        let cluster = prefetch::load(dataset, index, selected, &self.options, &self.supply, is_walk)?;
        let entries = self.entries_of(&cluster);
        let from_start = entry == entries.start && self.walk.is_some();
        let is_whole = from_start && self.walk.as_ref().is_some_and(|walk| entries.end <= walk.end);
        let sharing = self.sharing(entry, &entries);
        let wanted = Some(self.wanted.clone()).filter(|_| is_walk);
        let access = Access { wanted, ..self.supply.access(from_start, is_whole, sharing) };
        let cluster = cluster.accessed(access);
        cluster.begin(&self.wanted_of(entry, &entries));
        Ok(cluster)
    }

    /// Pages that walks share: single entries have none, and where memory is scarce, it is needed for others.
    fn sharing(&self, entry: u64, cluster: &Range<u64>) -> Option<Sharing> {
        let walk = self.walk.as_ref().filter(|_| self.options.memory_budget.is_none())?;
        let begins_inside = walk.start == entry && entry > cluster.start;
        Some(Sharing { pages: self.files.shared_pages().clone(), file: self.first, begins_inside })
    }

    /// The runs of the walk, as far as they are known, in order; of single entries there are none.
    fn known_runs(&self) -> &[Range<u64>] {
        match (&self.runs, &self.walk) {
            (Some(runs), _) if self.supply.is_far() => runs.ranges(),
            (_, Some(walk)) => std::slice::from_ref(walk),
            (_, None) => &[],
        }
    }

    /// Of the entries of a cluster, those that are wanted from `entry` on, counted from its first one.
    fn wanted_of(&self, entry: u64, cluster: &Range<u64>) -> Vec<Range<u64>> {
        let own =
            |start: u64, end: u64| start.saturating_sub(cluster.start)..end.saturating_sub(cluster.start);
        let runs = self.known_runs();
        let later = runs.get(runs.partition_point(|run| run.end <= entry)..).unwrap_or_default();
        let inside = later.iter().take_while(|run| run.start < cluster.end);
        let wanted: Vec<_> = inside.map(|run| own(run.start.max(entry), run.end.min(cluster.end))).collect();
        if wanted.is_empty() { vec![own(entry, entry + 1)] } else { wanted }
    }

    /// The first entry that is wanted from `entry` on.
    fn wanted_from(&self, entry: u64) -> Option<u64> {
        let runs = self.known_runs();
        runs.get(runs.partition_point(|run| run.end <= entry)).map(|run| run.start.max(entry))
    }
}

impl<C: ?Sized> CursorOf<C> {
    /// Whether it stopped before `entry`, inside a cluster: then it has the pages that are needed first.
    pub(super) fn is_before(&self, entry: u64) -> bool {
        self.walk.is_some() && self.next == entry && self.attached.contains(&entry)
    }
}

impl<R: Attach> Cursor<R> {
    /// For the entries of a range in order, or for single entries.
    pub(super) fn new(
        files: SharedFiles,
        options: &ReadOptions,
        connect: &Connect<R>,
        walk: Option<Range<u64>>,
    ) -> Result<Self> {
        let (columns, trip) = connect.find(|find| Trip::new(files, options, connect.path(), walk, find))?;
        Ok(Self::of(columns, connect, trip))
    }

    /// In the first file, which has the columns.
    pub(super) fn opened(
        files: SharedFiles,
        options: &ReadOptions,
        connect: &Connect<R>,
        opened: Opened<R>,
    ) -> Result<Self> {
        let Opened { columns, connected } = opened;
        let trip = Trip::first(files, options, connect.path(), connected)?;
        Ok(Self::of(columns, connect, trip))
    }

    fn of(columns: Boxed<R>, connect: &Connect<R>, trip: Hidden<Trip>) -> Self {
        let allowance = trip.connected.allowance.clone();
        let columns = Found { columns, coming: None, find: connect.function() };
        Self { attached: 0..0, next: 0, allowance, trip, columns }
    }

    /// The same cursor, whatever its columns are.
    pub(super) fn any(&mut self) -> &mut CursorOf<dyn Columns + '_> {
        self
    }

    #[cold]
    #[inline(never)]
    fn jump(&mut self, entry: u64) -> Result<()> {
        self.any().jump(entry)
    }

    #[inline]
    pub(super) fn columns(&mut self) -> &mut R {
        &mut self.columns.columns
    }

    #[inline]
    pub(super) fn get<T>(&mut self, entry: u64) -> Result<T>
    where
        R: FieldReader<T>,
    {
        self.go_to(entry)?;
        self.allowance.renew();
        let result = self.columns.columns.read();
        self.went_on(entry, result)
    }

    #[inline]
    pub(super) fn read_into<T>(&mut self, entry: u64, slot: &mut T) -> Result<()>
    where
        R: FieldReader<T>,
    {
        self.go_to(entry)?;
        self.allowance.renew();
        let result = self.columns.columns.read_into(slot);
        self.went_on(entry, result)
    }

    /// Reads up to `count` entries from `entry` on at once, as many as there are in its cluster, which together may take
    /// what one entry may; returns how many.
    pub(super) fn read_with(
        &mut self,
        entry: u64,
        count: u64,
        read: impl FnOnce(&mut R, usize) -> Result<()>,
    ) -> Result<u64> {
        self.go_to(entry)?;
        let count =
            usize::try_from(count.min(self.attached.end.saturating_sub(entry)).max(1)).unwrap_or(usize::MAX);
        self.allowance.renew();
        let result = read(&mut self.columns.columns, count);
        self.went_on(entry, result)?;
        self.next = entry + count as u64;
        Ok(count as u64)
    }

    /// Bytes of values, and items that are not on storage, of the entries that were read last.
    pub(super) fn taken(&self) -> (u64, u64) {
        self.allowance.taken()
    }

    /// Begins one call that reads elements of any number of clusters: the files that it reads bound what it returns.
    #[inline]
    pub(super) fn begin_call(&mut self) {
        self.allowance.renew_with(self.grant());
    }

    /// Counts values that the call returns.
    pub(super) fn take_values<V>(&mut self, count: usize) -> Result<()> {
        let taken = self.allowance.take_values(count, ItemLength::of::<V>());
        taken.map_err(|error| self.any().stumble(error))
    }

    /// Counts elements that the call reads and that are not on storage.
    pub(super) fn take_unstored(&mut self, count: u64) -> Result<()> {
        let taken = self.allowance.take(count);
        taken.map_err(|error| self.any().stumble(error))
    }

    #[inline]
    fn go_to(&mut self, entry: u64) -> Result<()> {
        if self.next != entry || !self.attached.contains(&entry) {
            self.jump(entry)?;
        }
        self.next = BETWEEN;
        Ok(())
    }

    #[inline]
    fn went_on<V>(&mut self, entry: u64, result: Result<V>) -> Result<V> {
        match result {
            Ok(value) => {
                self.next = entry + 1;
                Ok(value)
            }
            Err(error) => Err(self.refuse(entry, error)),
        }
    }

    /// The entry cannot be read.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, entry: u64, error: Error) -> Error {
        self.any().refuse(entry, error)
    }

    /// Drops what was read ahead, since no one walks on.
    pub(super) fn rest(&mut self) {
        self.coming.clear();
    }

    /// Narrows down which entries will be read in order: a run, which is one of `runs`, or a part of one.
    pub(super) fn walk_through(&mut self, run: Range<u64>, runs: Option<&EntryList>) {
        self.trip.follow(Some(run), runs.cloned());
    }
}

impl CursorOf<dyn Columns + '_> {
    /// Begins again, for other entries.
    pub(super) fn again(&mut self, walk: Option<Range<u64>>) -> Result<()> {
        self.allowance.begin_again();
        if walk.is_none() && self.walk.is_none() {
            return Ok(());
        }
        let decoded_ahead = self.decodes_ahead && self.options.memory_budget.is_some();
        // Of a walk that is not over, clusters that were read ahead are held as well.
        let is_over = self.next == self.attached.end && self.next >= self.first + self.planned.end;
        let before = self.planned.clone();
        if !walk.as_ref().is_some_and(|walk| self.is_before(walk.start)) {
            self.attached = 0..0;
        }
        self.trip.refused = false;
        self.plan(walk.clone())?;
        let planned = &self.planned;
        let is_counted = self.decodes_ahead && planned.start <= before.start && before.end <= planned.end;
        if decoded_ahead && !(is_over && is_counted) {
            // The plan does not count what the columns hold.
            let (dataset, first) = (self.connected.dataset.clone(), self.first);
            let trip = self.connect(dataset, first, walk)?;
            self.turn(trip);
        }
        Ok(())
    }

    /// Finds the columns in a file, and plans a walk there.
    fn connect(
        &mut self,
        dataset: Arc<Dataset>,
        first: u64,
        walk: Option<Range<u64>>,
    ) -> Result<Hidden<Trip>> {
        let Self { trip, columns, .. } = self;
        let path = trip.path.as_ref();
        let connected = Connected::new(dataset, &trip.options, path, &mut |field| columns.find(field))?;
        Trip::at(trip.files.clone(), &trip.options, path, connected, first, walk)
    }

    /// Continues with the columns that were found last, and with their trip.
    fn turn(&mut self, trip: Hidden<Trip>) {
        let allowance = trip.connected.allowance.clone();
        (self.attached, self.next, self.allowance, self.trip) = (0..0, 0, allowance, trip);
        self.columns.turn();
    }

    fn jump(&mut self, entry: u64) -> Result<()> {
        match self.try_jump(entry) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.beyond(entry)),
            Err(error) => Err(self.stumble_at(entry, error)),
        }
    }

    fn refuse(&mut self, entry: u64, error: Error) -> Error {
        // It follows a value that is there, which limits the number of such errors.
        let refused = error.kind() == ErrorKind::SchemaMismatch;
        let error = self.stumble_at(entry, error);
        self.refused = refused;
        error
    }

    /// Returns `false` if there is no such entry.
    fn try_jump(&mut self, entry: u64) -> Result<bool> {
        if (self.next == BETWEEN || !self.attached.contains(&entry)) && !self.attach(entry)? {
            return Ok(false);
        }
        if self.next != entry {
            if let Some(cluster) = &self.far {
                cluster.hurry(&self.wanted_of(entry, &self.attached));
                self.supply.begin(false);
            }
            self.next = BETWEEN;
            self.columns.seek(Position::at(entry - self.attached.start))?;
            self.next = entry;
        }
        Ok(true)
    }

    /// The error of an entry that is not there: it is about no file more than about the others.
    #[cold]
    pub(super) fn beyond(&mut self, entry: u64) -> Error {
        self.attached = 0..0;
        self.refused = false;
        self.files.beyond().at_entry(entry)
    }

    /// Goes to the beginning of the cluster that has an entry, and returns the entries of the cluster; `None` if there is
    /// no such entry.
    ///
    /// # Errors
    /// Without the entry.
    pub(super) fn enter(&mut self, entry: u64) -> Result<Option<Range<u64>>> {
        match self.attach(entry) {
            Ok(true) => Ok(Some(self.attached.clone())),
            Ok(false) => Ok(None),
            Err(error) => Err(self.stumble(error)),
        }
    }

    fn attach(&mut self, entry: u64) -> Result<bool> {
        if !self.turn_to(entry)? {
            return Ok(false);
        }
        let own = entry - self.first;
        self.group = self.connected.dataset.group_of(own)?;
        let index = self.group.as_ref().and_then(|group| group.with_entry(own));
        let Some(index) = index else { return Ok(false) };
        // Those before it were passed over.
        let before = self.coming.iter().take_while(|(number, _)| *number < index).count();
        self.coming.drain(..before);
        let is_coming = self.coming.front().is_some_and(|(number, _)| *number == index);
        let coming = if is_coming { self.coming.pop_front() } else { None };
        let cluster = match coming {
            Some((_, cluster)) => cluster,
            None => self.load(index, entry)?,
        };
        if self.supply.is_far() {
            cluster.hurry(&self.wanted_of(entry, &self.entries_of(&cluster)));
            self.far = Some(cluster.clone()).filter(|_| self.walk.is_none());
        }
        self.attached = 0..0;
        // From here on the reads that were let go are those of the cluster before.
        self.columns.seek(Position::start_of(&cluster))?;
        self.attached = self.entries_of(&cluster);
        self.next = self.attached.start;
        // After an error the same cluster is attached again, and the walk comes to what was read ahead. After a seek to an
        // earlier entry it does not.
        if !self.is_followed_by_coming() {
            self.coming.clear();
        }
        self.look_ahead();
        Ok(true)
    }

    /// Whether the clusters that are read ahead begin with the first one that is wanted after the attached one.
    fn is_followed_by_coming(&self) -> bool {
        let Some((_, cluster)) = self.coming.front() else { return false };
        self.wanted_from(self.attached.end).is_some_and(|next| self.entries_of(cluster).contains(&next))
    }

    /// Continues in the file that has an entry; `false` if none has.
    fn turn_to(&mut self, entry: u64) -> Result<bool> {
        let count = self.connected.dataset.entry_count();
        if entry.checked_sub(self.first).is_some_and(|own| own < count) {
            return Ok(true);
        }
        if let Some(opening) = self.trip.opening.take()
            && entry == self.end()
        {
            opening.wait();
        }
        let Some((dataset, first)) = self.files.at(entry)? else { return Ok(false) };
        let walk = self.walk.clone();
        let mut turned = self.connect(dataset, first, walk).map_err(|error| error.at_entry(entry - first))?;
        let walk = turned.walk.clone();
        turned.follow(walk, self.runs.clone());
        let granted = Grant { items: 0, ..turned.grant() };
        self.allowance.hand_over(&turned.connected.allowance, granted);
        self.turn(turned);
        Ok(true)
    }

    /// Begins to read the clusters after the attached one, if the walk continues there. What fails here fails again when
    /// the walk comes to it.
    fn look_ahead(&mut self) {
        let has_more = self.add_ahead();
        self.supply.begin(has_more);
        if !has_more {
            self.open_next();
        }
    }

    /// Adds the clusters after the attached one, as far as there is room for them; `false` if these are all.
    fn add_ahead(&mut self) -> bool {
        if self.walk.is_none() {
            return false;
        }
        while self.supply.has_room_after(self.coming.len()) {
            let last = self.coming.back();
            let end = last.map_or(self.attached.end, |(_, cluster)| self.entries_of(cluster).end);
            let Some(next) = self.wanted_from(end) else { return false };
            let Ok(Some(index)) = self.connected.dataset.cluster_of(next - self.first) else { return false };
            let Ok(cluster) = self.load(index, next) else { return false };
            self.coming.push_back((index, cluster));
        }
        true
    }

    /// The way to the elements of the entries of a cluster, for the columns of a field; `scalars`: to the scalars inside
    /// the field; `is_whole`: to those of many of its entries. `None` if there is no such entry.
    pub(super) fn way_to(&mut self, entry: u64, scalars: bool, is_whole: bool) -> Result<Option<Way>> {
        if !self.turn_to(entry)? {
            return Ok(None);
        }
        let dataset = &self.connected.dataset;
        let Some(index) = dataset.cluster_of(entry - self.first)? else { return Ok(None) };
        let way = Way::new(dataset, index, self.path(), scalars, &self.options, &self.supply, is_whole)?;
        Ok(Some(way.counted_from(self.first)))
    }

    /// Some columns have moved and others have not: nothing can be trusted before the next attach.
    #[cold]
    #[inline(never)]
    pub(super) fn stumble(&mut self, error: Error) -> Error {
        self.attached = 0..0;
        self.refused = false;
        self.connected.place(error)
    }

    /// The same, about an entry.
    #[cold]
    #[inline(never)]
    pub(super) fn stumble_at(&mut self, entry: u64, error: Error) -> Error {
        // The error of an entry in another file, to which this could not turn, has it already.
        let own = entry.saturating_sub(self.first);
        self.stumble(error.at_entry(own))
    }
}
