//! One ntuple on its way into a file, whatever the type of its entries and whoever fills them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::append::{Beside, GoingOn};
use super::attributes::OpenSet;
use super::cluster::{EndedCluster, Writing};
use super::context::{Step, Track, footprint};
use super::lent::Lent;
use super::loss::Losses;
use super::order::{Held, Order, Queue, Wait};
use super::representations::Representations;
use super::share::Share;
use super::{Summary, WriteOptions};
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::column::{ColumnSink, PageLimits};
use crate::compression::Compression;
use crate::envelope::SchemaDescription;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Before, Existing, Lane, Plan, Records, WriteField, elements_per_entry};
use crate::message::counted;
use crate::page::Sealer;
use crate::root::{FileOptions, FileWriter, check_path};
use crate::schema::{
    ClusterDescriptor, ColumnDescriptor, ColumnId, ColumnRange, FieldDescriptor, FieldId, LinkedAttributeSet,
    Locator,
};
use crate::storage::WriteAt;

/// The file that several writers may share.
pub(super) type SharedFile<W> = Arc<Mutex<FileWriter<W>>>;

/// A writer without the columns.
pub(super) struct Core<W: WriteAt> {
    file: SharedFile<W>,
    /// The file ends with this ntuple.
    owns_file: bool,
    path: String,
    file_name: String,
    /// What the file is called that lacks entries, where another one has its name.
    kept: Option<String>,
    options: WriteOptions,
    /// The most memory that page locations may take.
    max_locations: usize,
    /// The envelopes.
    catalog: Catalog,
    /// The schema's fields: later ones join them.
    fields: Vec<FieldDescriptor>,
    /// Its columns.
    columns: Vec<ColumnDescriptor>,
    /// Attribute sets that are being written.
    sets: Vec<Arc<dyn OpenSet>>,
    /// By column writer: the columns that it fills.
    lanes: Vec<Lane>,
    /// By column writer: the path of its field, for errors.
    paths: Vec<String>,
    /// By column writer: how its pages are compressed.
    compressions: Vec<Compression>,
    /// By column writer: elements in the clusters before.
    elements: Vec<u64>,
    /// Clusters that are there, and get more columns.
    beside: Option<Beside>,
    /// Memory that the locations of the open group's pages take.
    locations: usize,
    summary: Summary,
    /// The order of units, where there is one.
    queue: Option<Queue>,
    /// The contexts that fill, of a parallel writer.
    lent: Lent,
    /// Scopes that may still start threads with contexts.
    scopes: usize,
    /// What went wrong, and how many entries it cost.
    losses: Losses,
    /// Where what is not to be written again ends, and after it each page list of a group that this writer ended.
    floors: Vec<u64>,
}

/// A lock that survives a panic of another writer: each call leaves the file writer consistent.
pub(super) fn lock_file<W>(file: &SharedFile<W>) -> MutexGuard<'_, FileWriter<W>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is decided before there is a file: a bad option or schema must not cost an existing one.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    path: String,
    /// The name, where the ntuple is an attribute set: the path is then none of a directory's.
    set: Option<String>,
    pub(super) options: WriteOptions,
    /// The schema of the ntuple that goes on.
    existing: Option<Arc<Existing>>,
}

/// The columns of one context.
pub(super) struct Declared<C> {
    pub(super) columns: Box<C>,
    pub(super) records: Records,
    pub(super) sink: Arc<ColumnSink>,
    pub(super) share: Share,
    pub(super) representations: Representations,
}

/// Columns that are about to join a schema.
pub(super) struct Extension {
    records: Records,
    /// The writer's memory, split anew.
    pub(super) share: Share,
}

impl Draft {
    pub(super) fn new(path: &str, options: WriteOptions) -> Result<Self> {
        options.check()?;
        check_path(path)?;
        Ok(Self { path: path.to_owned(), set: None, options, existing: None })
    }

    /// Goes on with an ntuple that is there.
    pub(super) fn existing(path: &str, options: WriteOptions, existing: Arc<Existing>) -> Result<Self> {
        options.check()?;
        Ok(Self { path: path.to_owned(), set: None, options, existing: Some(existing) })
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// What columns do with their pages.
    pub(super) fn sink(&self) -> Arc<ColumnSink> {
        let sealer = Sealer::new(self.options.checksums, self.options.pool.clone());
        Arc::new(ColumnSink { sealer, limits: PageLimits::default() })
    }

    /// An attribute set of the ntuple at `owner`.
    pub(super) fn of_set(owner: &str, name: &str, options: WriteOptions) -> Result<Self> {
        options.check()?;
        // As names of ntuples go, and none leads into a directory.
        if check_path(name)?.1 != name {
            return Err(Error::invalid_argument(format!(
                "the name {name:?} of an attribute set cannot be a path"
            )));
        }
        Ok(Self {
            path: format!("{owner}, attribute set {name}"),
            set: Some(name.to_owned()),
            options,
            existing: None,
        })
    }

    /// The columns of a type, one of so many sets of them, and the records of its schema.
    pub(super) fn declare<T: WriteField + ?Sized>(&self, contexts: usize) -> Result<Declared<T::Writer>> {
        let WriteOptions { compression, encodings, compressions, .. } = &self.options;
        let sink = self.sink();
        let mut plan = Plan::new(sink.clone(), *compression, encodings, compressions);
        if let Some(existing) = &self.existing {
            plan = plan.adopting(existing.clone());
        }
        let columns = Box::new(T::declare(&mut plan.root()));
        let place = |error: Error| error.in_ntuple(&self.path);
        let mut records = match self.existing {
            Some(_) => plan.finish_adopting().map_err(place)?,
            None => plan.finish().map_err(place)?,
        };
        let representations = Representations::new(std::mem::take(&mut records.choices));
        let share = Share::new(&self.options, &records.compressions, contexts).map_err(place)?;
        share.limit(&sink, self.options.initial_page_length, records.lanes.len());
        Ok(Declared { columns, records, sink, share, representations })
    }

    /// The name of the ntuple, without its directories, or that of the set.
    pub(super) fn name(&self) -> &str {
        let own = || self.path.rsplit_once('/').map_or(&*self.path, |(_, name)| name);
        self.set.as_deref().unwrap_or_else(own)
    }

    pub(super) fn file_options(&self) -> FileOptions {
        self.options.file.clone()
    }
}

impl<W: WriteAt> Core<W> {
    /// Adds an ntuple to a file and writes its header; the file ends with the ntuple if it owns it.
    pub(super) fn start(
        file: SharedFile<W>,
        owns_file: bool,
        draft: &Draft,
        records: Records,
        share: Share,
    ) -> Result<Self> {
        let file_name = lock_file(&file).any().name().to_owned();
        let place = |error: Error| error.in_ntuple(&draft.path).in_file(&file_name);
        let envelopes = EnvelopeWriter::new(draft.options.compression, draft.options.max_key_size);
        let schema = SchemaDescription {
            fields: records.fields.clone(),
            columns: records.columns.clone(),
            alias_columns: records.alias_columns.clone(),
            ..SchemaDescription::default()
        };
        let title = Title {
            name: draft.name().to_owned(),
            description: draft.options.description.clone(),
            ..Title::default()
        };
        let mut guard = lock_file(&file);
        if draft.set.is_none() {
            guard.any().reserve(&draft.path).map_err(place)?;
        }
        let catalog = Catalog::create(guard.any(), envelopes, title, schema).map_err(place)?;
        drop(guard);
        // There are no elements yet.
        let elements = Vec::new();
        let going_on = GoingOn { catalog, records, elements, beside: None, max_locations: share.locations };
        Ok(Self { owns_file, ..Self::resume(file, draft, going_on) })
    }

    /// Goes on with an ntuple that is in the file, whose end the file then is.
    pub(super) fn resume(file: SharedFile<W>, draft: &Draft, going_on: GoingOn) -> Self {
        let GoingOn { catalog, records, elements, beside, max_locations } = going_on;
        let mut guard = lock_file(&file);
        let (file_name, floor) = (guard.any().name().to_owned(), guard.any().end());
        drop(guard);
        let Records { fields, columns, lanes, compressions, .. } = records;
        let elements_of = |lane: &Lane| lane.columns.first().and_then(|id| elements.get(id.index())).copied();
        Self {
            file,
            owns_file: true,
            path: draft.path.clone(),
            file_name,
            kept: None,
            options: draft.options.clone(),
            max_locations,
            catalog,
            paths: lanes.iter().map(|lane| path_of_lane(&fields, &columns, lane)).collect(),
            elements: lanes.iter().map(|lane| elements_of(lane).unwrap_or_default()).collect(),
            fields,
            columns,
            lanes,
            sets: Vec::new(),
            beside,
            compressions,
            locations: 0,
            summary: Summary::default(),
            queue: None,
            lent: Lent::default(),
            scopes: 0,
            losses: Losses::default(),
            floors: vec![floor],
        }
    }

    /// Whether any page is.
    pub(super) fn is_compressed(&self) -> bool {
        self.compressions.iter().any(|settings| !settings.is_none())
    }

    pub(super) fn options(&self) -> &WriteOptions {
        &self.options
    }

    pub(super) fn file(&self) -> &SharedFile<W> {
        &self.file
    }

    /// Number of column writers.
    pub(super) fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Entries in all clusters, those of an ntuple that goes on included.
    pub(super) fn entry_count(&self) -> u64 {
        self.catalog.entry_count()
    }

    /// Where the file ends by now.
    pub(super) fn file_end(&self) -> u64 {
        lock_file(&self.file).any().end()
    }

    pub(super) fn place(&self, error: Error) -> Error {
        // Columns know themselves by the number of their writer.
        let lane = match error.location() {
            location if location.field.is_none() => location.column.and_then(|id| usize::try_from(id).ok()),
            _ => None,
        };
        let error = match lane.and_then(|lane| self.paths.get(lane).zip(self.lanes.get(lane))) {
            Some((path, columns)) => match columns.columns.first() {
                Some(column) => {
                    let error = self.place_element(error, lane.unwrap_or_default(), *column);
                    error.in_field(&**path).renumber_column(column.0.into())
                }
                None => error.in_field(&**path),
            },
            None => error,
        };
        error.in_ntuple(&self.path).in_file(&self.file_name)
    }

    /// Which entry an element of the open cluster belongs to.
    fn place_element(&self, error: Error, lane: usize, column: ColumnId) -> Error {
        let Some(element) = error.element() else { return error };
        let field = self.columns.get(column.index()).map(|column| column.field);
        let per_entry = field.and_then(|field| elements_per_entry(&self.fields, field).ok().flatten());
        match (per_entry.filter(|count| *count > 0), self.elements.get(lane)) {
            // The clusters of several contexts are numbered when they are published.
            _ if self.lent.len() > 0 => error,
            (Some(count), Some(before)) => error.at_entry(before.saturating_add(element) / count),
            _ => {
                let first = self.entry_count();
                error.rephrase(|message| format!("{message}, in entry {first} or later"))
            }
        }
    }

    /// Declares the columns of a type that joins the schema behind so many entries. The writer's options hold for
    /// them as well; wishes for single fields are those of `options`.
    pub(super) fn declare_extension<X: WriteField + ?Sized>(
        &self,
        sink: &Arc<ColumnSink>,
        entries: u64,
        options: &WriteOptions,
    ) -> Result<(X::Writer, Extension)> {
        let WriteOptions { encodings, compressions, .. } = options;
        let (fields, columns) = (self.fields.clone(), self.columns.clone());
        let before = Before { fields, columns, lanes: self.lane_count(), entries };
        let plan = Plan::new(sink.clone(), self.options.compression, encodings, compressions);
        let mut plan = plan.continuing(before);
        let columns = X::declare(&mut plan.root());
        let records = plan.finish().map_err(|error| self.place(error))?;
        let all = [&*self.compressions, &records.compressions].concat();
        let share = Share::new(&self.options, &all, 1).map_err(|error| self.place(error))?;
        Ok((columns, Extension { records, share }))
    }

    /// Makes declared columns a part of the schema. Cannot fail: what could has been checked.
    pub(super) fn extend(&mut self, extension: Extension) {
        let Records { fields, columns, alias_columns, lanes, compressions, .. } = extension.records;
        self.fields.extend_from_slice(&fields);
        self.columns.extend_from_slice(&columns);
        for lane in &lanes {
            let column = lane.columns.first().and_then(|id| self.columns.get(id.index()));
            let first = column.and_then(|column| column.first_element);
            self.elements.push(first.and_then(|first| u64::try_from(first).ok()).unwrap_or(0));
            self.paths.push(path_of_lane(&self.fields, &self.columns, lane));
        }
        self.lanes.extend(lanes);
        self.compressions.extend(compressions);
        self.max_locations = extension.share.locations;
        let more = SchemaDescription { fields, columns, alias_columns, ..SchemaDescription::default() };
        self.catalog.extend(more);
    }

    /// Adds clusters whose pages are on storage, behind those that are there.
    pub(super) fn publish(&mut self, clusters: Vec<EndedCluster>) -> Result<()> {
        for EndedCluster { entries, pages, representations, tally } in clusters {
            let mut columns = vec![ColumnRange::suppressed(); self.columns.len()];
            let lanes = self.lanes.iter().zip(&mut self.elements).zip(&self.compressions).zip(pages);
            for (((lane, elements), settings), pages) in lanes {
                self.locations += size_of_val(&*pages);
                let active =
                    lane.choice.and_then(|choice| representations.get(choice)).map_or(0, |&active| active);
                let column = lane.columns.get(usize::from(active)).and_then(|id| columns.get_mut(id.index()));
                let range = ColumnRange::new(*elements, settings.code(), pages);
                *elements += range.stored_count();
                if let Some(column) = column {
                    *column = range;
                }
            }
            match &mut self.beside {
                None => self.catalog.push(ClusterDescriptor::new(0, entries, columns))?,
                Some(beside) => {
                    beside.put(entries, columns, &mut self.catalog, lock_file(&self.file).any())?;
                }
            }
            self.locations += self.columns.len() * size_of::<ColumnRange>() + size_of::<ClusterDescriptor>();
            self.summary.entries += entries;
            self.summary.clusters += 1;
            self.summary.pages += tally.pages;
            self.summary.shared_pages += tally.shared_pages;
            self.summary.page_length += tally.page_length;
            self.summary.page_size += tally.page_size;
            self.summary.saturated += tally.saturated;
        }
        // Page lists are made in memory, and half of it is theirs.
        if self.beside.is_none()
            && (self.locations > self.max_locations / 2 || self.catalog.is_group_full())
            && let Err(error) = self.commit_cluster_group()
        {
            // The clusters are published; nothing is to follow them.
            self.lose(error, 0);
        }
        Ok(())
    }

    /// Ends the open cluster group: writes its page list.
    pub(super) fn commit_cluster_group(&mut self) -> Result<()> {
        let mut guard = lock_file(&self.file);
        let has_group = self.catalog.has_open_group();
        let ended = self.catalog.end_group(guard.any());
        let floor = guard.any().end();
        drop(guard);
        ended.map_err(|error| self.place(error))?;
        if has_group {
            self.floors.push(floor);
        }
        self.locations = 0;
        Ok(())
    }

    /// Writes page list, footer and anchor, and ends the file if it is ours.
    ///
    /// # Errors
    /// The storage fails. Or entries were lost: all others can be read then.
    pub(super) fn finish(&mut self) -> Result<Summary> {
        let ended = self.write_end();
        if self.losses.is_empty() {
            return ended.map(|()| self.summary).map_err(|error| self.place(error));
        }
        let rest = match ended {
            Ok(()) => {
                let place = self.kept.as_ref().map(|name| format!(", in {name}")).unwrap_or_default();
                format!("{} can be read{place}", counted(self.entry_count(), "entry"))
            }
            Err(error) => {
                let error = self.place(error).widen(str::to_owned);
                format!("what was written cannot be read: {}", error.message())
            }
        };
        Err(self.place(self.losses.error_and(&rest).unwrap_or_else(refused)))
    }

    /// Units that wait for one that never came follow all others, in the order of their keys.
    fn end_order(&mut self) {
        let Some(queue) = &mut self.queue else { return };
        let missing = queue.check_complete();
        let before = self.catalog.entry_count();
        let writing = Writing { share: self.options.share_pages, limit: self.options.max_key_size };
        while let Some((_, held)) = self.queue.as_mut().and_then(Queue::take_any) {
            // What is lost is noted, and the others follow all the same.
            let _ = self.publish_held(held, writing);
        }
        if let Err(error) = missing {
            let after = self.catalog.entry_count() - before;
            if after == 0 && !self.losses.is_empty() {
                // Nothing follows, and why it is missing is known.
                return;
            }
            let message = match after {
                0 => error.to_string(),
                _ => format!("{error}; those after it follow, with {}", counted(after, "entry")),
            };
            self.lose(Error::invalid_argument(message), 0);
        }
    }

    fn write_end(&mut self) -> Result<()> {
        // What is missing is reported when the rest is safe.
        self.end_order();
        // Nothing else is at the end of the file, so that it can be taken back.
        let is_alone = self.owns_file && self.sets.is_empty() && self.beside.is_none();
        self.end_sets();
        if let Some(beside) = &mut self.beside {
            beside.finish(&mut self.catalog, lock_file(&self.file).any())?;
        }
        match self.write_close(self.losses.is_empty()) {
            Err(error) if is_alone => self.write_close_before(error),
            result => result,
        }
    }

    /// A file that is not whole takes no other file's place.
    fn write_close(&mut self, is_whole: bool) -> Result<()> {
        let mut guard = lock_file(&self.file);
        let file = guard.any();
        // Where nothing was appended, the file stays as it is.
        if self.catalog.is_changed() {
            let anchor = self.catalog.finish(file)?;
            file.put_anchor(&self.path, &anchor)?;
        }
        if self.owns_file {
            match is_whole {
                true => file.finish()?,
                false => file.finish_incomplete()?,
            };
            if file.name() != self.file_name {
                self.kept = Some(file.name().to_owned());
            }
        }
        self.summary.file_size = file.end();
        Ok(())
    }

    /// There was no room for what makes the file readable. It overwrites the pages of unfinished clusters, which are of
    /// no use, and then as many of the last clusters as necessary: a storage that is full mostly lets a writer
    /// overwrite the bytes that it has.
    fn write_close_before(&mut self, error: Error) -> Result<()> {
        let floor = |floors: &[u64]| floors.last().copied().unwrap_or(u64::MAX);
        // Otherwise it was a flush, or the header, which leads to the end: what is on storage is not known then.
        let is_end = |offset: u64| offset >= floor(&self.floors);
        if error.kind() != ErrorKind::Io || !error.location().offset.is_some_and(is_end) {
            return Err(error);
        }
        let before = self.catalog.entry_count();
        let (mut step, mut removed) = (0, 0);
        loop {
            self.catalog.retract(step);
            removed += step;
            let end = self.catalog.open_group_end().max(floor(&self.floors));
            lock_file(&self.file).any().roll_back(end, &self.path);
            let is_whole = self.losses.is_empty() && self.catalog.entry_count() == before;
            match self.write_close(is_whole) {
                Ok(()) => break,
                // Not one by one, as each attempt writes a page list of all others.
                Err(_) if self.catalog.has_open_group() => step = 1 + removed / 8,
                // The clusters of a group are known to its page list alone: all or none.
                Err(_) if self.floors.len() > 1 => {
                    self.floors.pop();
                    self.catalog.retract_group();
                }
                Err(_) => return Err(error),
            }
        }
        let removed = before - self.catalog.entry_count();
        if removed > 0 {
            let entries = counted(removed, "last entry");
            let made_room = |cause: &str| format!("the {entries} made room for the end of the file: {cause}");
            self.losses.add(&self.place(error).widen(made_room), 0, None);
        }
        Ok(())
    }

    /// Whether the ntuple has an attribute set of this name.
    pub(super) fn has_set(&self, name: &str) -> bool {
        self.catalog.links(name) || self.sets.iter().any(|set| set.name() == name)
    }

    /// Takes in an attribute set, which ends with the ntuple.
    pub(super) fn add_set(&mut self, set: Arc<dyn OpenSet>) {
        self.sets.push(set);
    }

    /// Writes what is left of the attribute sets, and links them.
    fn end_sets(&mut self) {
        for set in std::mem::take(&mut self.sets) {
            let name = set.name().to_owned();
            // What went wrong is reported when the rest is safe.
            let told = match set.close(self.catalog.entry_count()) {
                Ok((link, told)) => {
                    self.catalog.link(link);
                    told
                }
                Err(error) => Err(error),
            };
            if let Err(error) = told {
                let error = error.widen(|cause| format!("attribute set {name:?}: {cause}"));
                self.losses.add(&error.of_ntuple(&self.path), 0, None);
            }
        }
    }

    /// Ends an attribute set; returns what the footer of its ntuple says of it.
    pub(super) fn finish_set(&mut self, name: &str) -> Result<LinkedAttributeSet> {
        let mut guard = lock_file(&self.file);
        let file = guard.any();
        let anchor = self.catalog.finish(file).and_then(|anchor| file.put_unlisted_anchor(name, &anchor));
        let (offset, size) = anchor.map_err(|error| self.place(error))?;
        let locator = Locator::File { offset, size: size.into() };
        Ok(LinkedAttributeSet::written(name, size, locator))
    }

    /// Units are written by key.
    pub(super) fn set_order(&mut self, order: Order, limit: u64) {
        if let Some(Err(error)) = self.queue.as_ref().map(Queue::check_complete) {
            self.lose(error, 0);
        }
        self.queue = Some(Queue::new(order, limit));
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.queue.is_some()
    }

    /// Whether the units before this one are all written.
    pub(super) fn is_turn(&self, key: u64) -> bool {
        self.queue.as_ref().is_none_or(|queue| queue.is_turn(key))
    }

    /// # Errors
    /// Entries were lost, or the key is not possible.
    pub(super) fn begin_unit(&mut self, key: Option<u64>, context: u64) -> Result<()> {
        self.check()?;
        self.lent.hold(context);
        match (&mut self.queue, key) {
            (None, None) => Ok(()),
            (Some(queue), Some(key)) => queue.begin(key, context).map_err(|error| self.place(error)),
            (None, Some(_)) => Err(self
                .place(Error::invalid_argument("units can have keys only after `ParallelWriter::ordered`"))),
            (Some(_), None) => Err(self.place(Error::invalid_argument(
                "the units of an ordered writer need keys: begin them with `FillContext::unit`",
            ))),
        }
    }

    /// Whether so many more bytes may wait; then they do.
    pub(super) fn hold(&mut self, size: u64) -> bool {
        self.queue.as_mut().is_none_or(|queue| queue.hold(size))
    }

    pub(super) fn release(&mut self, size: u64) {
        if let Some(queue) = &mut self.queue {
            queue.release(size);
        }
    }

    /// The thread of this context waits for room.
    ///
    /// # Errors
    /// No other thread could make any.
    pub(super) fn begin_waiting(&mut self) -> Result<Option<Wait>> {
        let may_start_more = self.scopes > 0;
        let wait = self.queue.as_mut().map(|queue| queue.wait(&self.lent, may_start_more)).transpose();
        wait.map_err(|error| self.place(error))
    }

    pub(super) fn stop_waiting(&mut self, wait: Option<Wait>) {
        if let Some((queue, wait)) = self.queue.as_mut().zip(wait) {
            queue.stop_waiting(wait);
        }
    }

    /// The thread that could make room has not come.
    pub(super) fn give_up_waiting(&mut self) -> Error {
        let error = self.queue.as_mut().map_or_else(refused, Queue::give_up_waiting);
        self.place(error)
    }

    /// Keeps a complete unit until its turn.
    pub(super) fn keep(&mut self, key: u64, held: Held) {
        if let Some(queue) = &mut self.queue {
            queue.keep(key, held);
        }
    }

    /// The unit whose turn it was is published: those that waited for it follow.
    pub(super) fn advance(&mut self, entries: u64, writing: Writing) -> Result<()> {
        let mut entries = entries;
        loop {
            let Some(queue) = &mut self.queue else { return Ok(()) };
            let next = queue.advance(entries).map(|()| queue.take_next());
            match next {
                Err(error) => return Err(self.lose(error, 0)),
                Ok(None) => return Ok(()),
                Ok(Some(held)) => {
                    entries = held.entries;
                    self.publish_held(held, writing)?;
                }
            }
        }
    }

    fn publish_held(&mut self, held: Held, writing: Writing) -> Result<()> {
        let mut track = Track::new(self.lane_count());
        let entries = held.entries;
        let written = held.steps.into_iter().try_for_each(|step| {
            match step {
                Step::Pages(pages) => {
                    track.put(&pages, writing, &self.file)?;
                    self.release(footprint(&pages));
                }
                Step::End(entries, representations) => track.end(entries, representations),
            }
            Ok(())
        });
        let written = written.and_then(|()| self.publish(track.take_ended()));
        written.map_err(|error| self.lose(error, entries))
    }

    /// One more context is lent, and made for that unless it `is_known`; returns its number.
    ///
    /// # Errors
    /// Entries were lost, or there are as many as the memory budget was split for.
    pub(super) fn lend(&mut self, is_known: bool) -> Result<u64> {
        self.check()?;
        let most = self.options.contexts;
        if !is_known && self.options.memory_budget.is_some() && self.lent.len() >= most {
            return Err(self.place(Error::limit(format!(
                "the memory budget was split among {}: raise `WriteOptions::contexts`",
                counted(most as u64, "context")
            ))));
        }
        Ok(self.lent.add())
    }

    /// This thread has the context.
    pub(super) fn hold_context(&mut self, number: u64) {
        self.lent.hold(number);
    }

    /// Threads are being started.
    pub(super) fn open_scope(&mut self) {
        self.scopes += 1;
    }

    /// All are.
    pub(super) fn close_scope(&mut self) {
        self.scopes = self.scopes.saturating_sub(1);
        self.release(0);
    }

    /// A context is given back.
    pub(super) fn take_back(&mut self, number: u64) {
        self.lent.remove(number);
        // Whoever waits may be the last.
        self.release(0);
    }

    /// Notes that entries are lost.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        let error = self.place(error);
        let thread = std::thread::current();
        // A single writer is where it is.
        let name = thread.name().filter(|_| self.lent.len() > 0).map(str::to_owned);
        self.losses.add(&error, entries, name);
        error
    }

    /// # Errors
    /// Entries were lost before.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if self.losses.is_empty() { Ok(()) } else { Err(self.refuse()) }
    }

    /// Why nothing is taken any more.
    #[cold]
    pub(super) fn refuse(&self) -> Error {
        self.place(self.losses.error().unwrap_or_else(refused))
    }

    /// Gives the storage back.
    pub(super) fn into_storage(self) -> Result<W> {
        let error = || Error::invalid_argument("the storage belongs to the file, not to one of its ntuples");
        if !self.owns_file {
            return Err(error());
        }
        let file = Arc::into_inner(self.file).ok_or_else(error)?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner).into_inner())
    }
}

fn refused() -> Error {
    Error::invalid_argument("the writer takes no more entries")
}

/// The path of the field whose columns a writer fills.
fn path_of_lane(fields: &[FieldDescriptor], columns: &[ColumnDescriptor], lane: &Lane) -> String {
    let column = lane.columns.first().and_then(|id| columns.get(id.index()));
    column.map_or_else(String::new, |column| path_of(fields, column.field))
}

/// The field's path, dots between the parts.
fn path_of(fields: &[FieldDescriptor], field: FieldId) -> String {
    let mut parts = Vec::new();
    let mut at = fields.get(field.index());
    while let Some(field) = at {
        parts.push(&*field.name);
        at = field.parent.and_then(|parent| fields.get(parent.index()));
    }
    parts.reverse();
    parts.join(".")
}
