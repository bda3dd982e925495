//! One ntuple on its way into a file: its schema, its clusters, its end. It does not know who fills it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Instant;

use super::cluster::{EndedCluster, OpenCluster, Pages, Writing};
use super::draft::{Columns, Declaration, Draft, columns_of};
use super::interval::Since;
use super::loss::Losses;
use super::observed::{Marks, Place, StatisticsRows};
use super::open_set::OpenSet;
use super::options::Owned;
use super::share::Share;
use super::shared_file::{AnyFile, SharedFile, lock_any, lock_file};
use super::sorted::Sorted;
use super::{Summary, WriteOptions};
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::cluster::{LaneError, LaneId};
use crate::column::ColumnSink;
use crate::compression::Compression;
use crate::envelope::SchemaDescription;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Attribute, Before, Lane, Plan, Records, WriteField, elements_per_entry};
use crate::hidden::{Boxed, Hidden, discards};
use crate::message::counted;
use crate::page::Sealer;
use crate::root::{Desk, FileWriter, Wait};
use crate::schema::{
    ClusterDescriptor, ColumnDescriptor, ColumnId, ColumnRange, FieldDescriptor, LinkedAttributeSet, Locator,
    path as path_of,
};
use crate::statistics::{self, Row, SortOrder};
use crate::storage::WriteAt;

/// An ntuple that is being written: what its file will say of it, and the clusters that it has.
///
/// ```text
/// create | resume      header
///   put, end_cluster   pages, then the cluster that has them
///   publish            clusters whose pages others have put
///   extend, link       columns and attribute sets that come later
/// finish               page list, footer, anchor, and the end of the file if it is the ntuple's
/// ```
pub(super) struct Ntuple<W: WriteAt> {
    file: SharedFile<W>,
    state: Hidden<State>,
}

/// What is known of an ntuple, whatever its storage is: what is done with it is compiled once, not for each storage.
pub(super) struct State {
    /// The file ends with this ntuple.
    owns_file: bool,
    /// Nothing else is written to the file, so that its end can be taken back.
    is_alone: bool,
    /// Several threads fill it just now: which entries an open cluster will have is not known.
    pub(super) is_shared: bool,
    path: String,
    file_name: String,
    /// The name of the file, if it lacks entries and another one has its place.
    kept: Option<String>,
    options: WriteOptions,
    /// The most memory that page locations may take.
    max_locations: usize,
    /// The envelopes.
    catalog: Catalog,
    /// The fields of the schema. Later ones join them.
    fields: Vec<FieldDescriptor>,
    /// Its columns.
    columns: Vec<ColumnDescriptor>,
    /// By column writer.
    lanes: Vec<LaneState>,
    /// Memory that the locations of the open group's pages take.
    locations: usize,
    summary: Summary,
    /// What is known of its values, if that is kept.
    statistics: Option<StatisticsRows>,
    /// The order of its entries, if that is checked.
    sorted: Option<Sorted>,
    /// What went wrong, and how many entries it cost.
    losses: Losses,
    /// It takes no more entries.
    is_stopped: bool,
    /// The end of what is not to be written again, and then of each page list of a group that this writer ended.
    floors: Vec<u64>,
    /// Its attribute sets that are being written.
    sets: Vec<Arc<dyn OpenSet>>,
    since: Since,
    /// Entries of the last checkpoint but one, which may be the one that counts.
    saved: u64,
    /// Only its user makes checkpoints, as they have a state.
    pub(super) has_state: bool,
}

discards!(State);

/// The attribute set that has the state of the writer at a checkpoint.
pub(crate) const STATE: &str = "rntuple_checkpoint";

/// Writes the state to a desk; returns the link to it.
pub(super) type PutState<'a> =
    dyn FnMut(FileWriter<Desk>) -> Result<(FileWriter<Desk>, LinkedAttributeSet)> + 'a;

/// What is known of one column writer.
struct LaneState {
    /// The columns that it fills.
    lane: Lane,
    /// The path of its field, for errors.
    path: String,
    /// How its pages are compressed.
    compression: Compression,
    /// Elements in the clusters before.
    elements: u64,
}

/// Columns that are about to join a schema.
pub(super) struct Extension {
    records: Records,
    /// The writer's memory, split among all columns.
    pub(super) share: Share,
}

impl<W: WriteAt> Deref for Ntuple<W> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl<W: WriteAt> DerefMut for Ntuple<W> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl<W: WriteAt> Ntuple<W> {
    /// Adds an ntuple to a file and writes its header. The file ends with the ntuple if that owns it.
    pub(super) fn create(
        file: SharedFile<W>,
        owns_file: bool,
        draft: &Draft,
        schema: &mut Declaration,
    ) -> Result<Self> {
        let state = State::create(lock_file(&file).any(), owns_file, draft, schema)?;
        Ok(Self { file, state })
    }

    /// Continues an ntuple of a file, which ends with it. `records` are all fields and columns; of those, `elements` are
    /// in its clusters.
    pub(super) fn resume(
        file: SharedFile<W>,
        draft: &Draft,
        catalog: Catalog,
        records: Records,
        elements: &[u64],
        max_locations: usize,
    ) -> Self {
        let state = State::resume(lock_file(&file).any(), draft, catalog, records, elements, max_locations);
        Self { file, state }
    }

    pub(super) fn file(&self) -> &SharedFile<W> {
        &self.file
    }

    /// What is the same whatever the storage is, and the file.
    pub(super) fn parts(&mut self) -> (&mut State, &AnyFile<'_>) {
        (&mut self.state, &*self.file)
    }

    /// Returns where the file ends so far.
    pub(super) fn file_end(&self) -> u64 {
        lock_file(&self.file).any().end()
    }

    /// Adds clusters whose pages are on storage, after those before.
    pub(super) fn publish(&mut self, clusters: Vec<EndedCluster>) -> Result<()> {
        self.state.publish(&*self.file, clusters)
    }

    /// Publishes clusters in another way: with the catalog and the file.
    pub(super) fn publish_with<R>(
        &mut self,
        work: impl FnOnce(&mut Catalog, &mut FileWriter<dyn WriteAt + '_>) -> R,
    ) -> R {
        self.state.is_alone = false;
        work(&mut self.state.catalog, lock_file(&self.file).any())
    }

    /// Ends the open cluster group: writes its page list.
    pub(super) fn commit_cluster_group(&mut self) -> Result<()> {
        self.state.commit_cluster_group(&*self.file)
    }

    /// Writes page list, footer and anchor, and ends the file if it is ours.
    ///
    /// # Errors
    /// The storage fails. Or entries were lost: all others can be read then.
    pub(super) fn finish(&mut self) -> Result<Summary> {
        self.state.finish_statistics(&*self.file);
        self.state.finish(&*self.file)
    }

    /// Ends an ntuple that no directory lists; returns what the footer of another one says of it, if it has changed.
    pub(super) fn finish_set(&mut self, name: &str) -> Result<Option<LinkedAttributeSet>> {
        self.state.finish_set(&*self.file, name)
    }

    /// Whether the interval of the options is over; `open` entries have no cluster yet.
    pub(super) fn is_checkpoint_due(&self, open: u64) -> bool {
        self.state.is_checkpoint_due(open, || self.file_end())
    }

    /// Makes the clusters so far count, and goes on. `put_state` writes what is to be kept with them.
    pub(super) fn checkpoint(&mut self, put_state: Option<&mut PutState<'_>>) -> Result<()> {
        self.state.checkpoint(&*self.file, Wait::Now, put_state)
    }

    /// Gives the storage back.
    pub(super) fn into_storage(self) -> Result<W> {
        let file = if self.state.owns_file { Arc::into_inner(self.file) } else { None };
        let file = file.ok_or_else(not_owned)?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner).into_inner())
    }
}

impl State {
    pub(super) fn create(
        file: &mut FileWriter<dyn WriteAt + '_>,
        owns_file: bool,
        draft: &Draft,
        schema: &mut Declaration,
    ) -> Result<Hidden<Self>> {
        let Declaration { records, parts } = schema;
        let records = std::mem::take(records);
        let file_name = file.name().to_owned();
        let place = |error: Error| error.in_ntuple(draft.path()).in_file(&file_name);
        let envelopes = EnvelopeWriter::new(draft.options.compression, draft.options.max_key_size);
        let schema = SchemaDescription {
            fields: records.fields.clone(),
            columns: records.columns.clone(),
            alias_columns: records.alias_columns.clone(),
            ..SchemaDescription::default()
        };
        let title = Title {
            name: draft.name().to_owned(),
            description: draft.options.owned.description.clone(),
            ..Title::default()
        };
        if !draft.is_set() {
            file.reserve(draft.path()).map_err(place)?;
        }
        let catalog = Catalog::create(file, envelopes, title, schema).map_err(place)?;
        // There are no elements yet.
        let mut state = Self::resume(file, draft, catalog, records, &[], parts.share.locations);
        if !owns_file {
            state.disown_file();
        }
        Ok(state)
    }

    fn resume(
        file: &mut FileWriter<dyn WriteAt + '_>,
        draft: &Draft,
        catalog: Catalog,
        records: Records,
        elements: &[u64],
        max_locations: usize,
    ) -> Hidden<Self> {
        let Records { fields, columns, lanes, compressions, .. } = records;
        let mut state = Self {
            owns_file: true,
            is_alone: true,
            is_shared: false,
            path: draft.path().to_owned(),
            file_name: file.name().to_owned(),
            kept: None,
            options: draft.options.clone(),
            max_locations,
            catalog,
            fields,
            columns,
            lanes: Vec::new(),
            locations: 0,
            summary: Summary::default(),
            statistics: StatisticsRows::new(&draft.options, Vec::new()),
            sorted: None,
            losses: Losses::default(),
            is_stopped: false,
            floors: vec![file.end()],
            sets: Vec::new(),
            since: Since::now(0, file.end()),
            saved: 0,
            has_state: false,
        };
        // The fields were checked when they were declared.
        state.sorted = Sorted::new(&state.options, &state.fields, &state.columns).unwrap_or_default();
        state.since = Since::now(state.entry_count(), file.end());
        state.add_lanes(lanes, compressions, |id, _| elements.get(id.index()).copied());
        Hidden::new(state)
    }

    /// More column writers; `elements_of` says how many elements a column has.
    fn add_lanes(
        &mut self,
        lanes: Vec<Lane>,
        compressions: Vec<Compression>,
        elements_of: impl Fn(ColumnId, &ColumnDescriptor) -> Option<u64>,
    ) {
        for (lane, compression) in lanes.into_iter().zip(compressions) {
            let column = lane.columns.first().and_then(|id| Some((*id, self.columns.get(id.index())?)));
            let path = column.map_or_else(String::new, |(_, column)| path_of(&self.fields, column.field));
            let elements = column.and_then(|(id, column)| elements_of(id, column)).unwrap_or_default();
            self.lanes.push(LaneState { lane, path, compression, elements });
        }
    }

    /// Takes in what the file says of the values in earlier clusters, and the order of their entries.
    pub(super) fn know(&mut self, rows: Vec<Attribute<Row>>, order: Option<&SortOrder>) {
        self.statistics = StatisticsRows::new(&self.options, rows);
        if let Some((sorted, order)) = self.sorted.as_mut().zip(order) {
            sorted.after(order);
        }
    }

    /// The row that keeps the order of the entries.
    pub(super) fn order_row(&self, marks: &Marks) -> Option<Attribute<Row>> {
        Some(self.sorted.as_ref()?.row(marks.list(), self.entry_count()))
    }

    /// Whether the order of the entries is checked.
    pub(super) fn is_sorted(&self) -> bool {
        self.sorted.is_some()
    }

    pub(super) fn options(&self) -> &WriteOptions {
        &self.options
    }

    /// Whether any page is compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.lanes.iter().any(|lane| !lane.compression.is_none())
    }

    /// Returns the number of column writers.
    pub(super) fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// Returns how pages are written.
    pub(super) fn writing(&self) -> Writing {
        Writing { share: self.options.share_pages, limit: self.options.max_key_size }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Returns the number of entries in all clusters, also in those from before it was continued.
    pub(super) fn entry_count(&self) -> u64 {
        self.catalog.entry_count()
    }

    pub(super) fn place(&self, error: Error) -> Error {
        error.in_ntuple(&self.path).in_file(&self.file_name)
    }

    /// Returns the column writer that has the offsets of the collection at `path`, which each entry has once.
    pub(super) fn offsets_of(&self, path: &str) -> Result<LaneId> {
        let lane = self.lanes.iter().position(|lane| lane.path == path);
        let field = |lane: &LaneState| {
            self.columns.get(lane.lane.columns.first()?.index()).map(|column| column.field)
        };
        let found = lane.filter(|&lane| {
            let field = self.lanes.get(lane).and_then(field);
            field.is_some_and(|field| {
                elements_per_entry(&self.fields, field).is_ok_and(|count| count == Some(1))
            })
        });
        found.and_then(|lane| u32::try_from(lane).ok()).map(LaneId).ok_or_else(|| {
            self.place(
                Error::invalid_argument("no collection is here that each entry has once").in_field(path),
            )
        })
    }

    /// Says which field an error of a column writer is about, and which entry, if its elements are counted by entries.
    pub(super) fn locate(&self, fault: LaneError) -> Error {
        let LaneError { lane, error } = fault;
        let Some(LaneState { lane, path, elements, .. }) = self.lanes.get(lane.index()) else { return error };
        let Some(column) = lane.columns.first() else { return error.in_field(&**path) };
        let error = error.in_field(&**path).in_column(column.0.into());
        // While several threads fill, the elements before an open cluster are not known.
        let Some(element) = error.element().filter(|_| !self.is_shared) else { return error };
        let field = self.columns.get(column.index()).map(|column| column.field);
        let per_entry = field.and_then(|field| elements_per_entry(&self.fields, field).ok().flatten());
        match per_entry {
            Some(count @ 1..) => error.at_entry(elements.saturating_add(element) / count),
            _ => {
                let first = self.entry_count();
                error.rephrase(|message| format!("{message}, in entry {first} or later"))
            }
        }
    }

    /// Returns the number of an entry of the open cluster, if it is known: not while several threads fill.
    pub(super) fn number_of(&self, entry: u64) -> Option<u64> {
        if self.is_shared { None } else { self.entry_count().checked_add(entry) }
    }

    /// Declares the columns of a type that joins the schema after `entries` entries. The writer's options hold for them
    /// as well; wishes for single fields are those of `options`. Also columns for trials, where values may be refused or
    /// `is_tried`.
    pub(super) fn declare_extension<X: WriteField + ?Sized>(
        &self,
        sink: &Arc<ColumnSink>,
        entries: u64,
        options: &WriteOptions,
        is_tried: bool,
    ) -> Result<(Columns<X::Writer>, Extension)> {
        let mut plan = self.plan_extension(sink, entries, options);
        let kept = columns_of::<X>(&mut plan);
        let (extension, trial) = self.finish_extension(plan, sink, entries, options, is_tried)?;
        let trial = trial.map(|mut plan| columns_of::<X>(&mut plan));
        Ok((Columns { kept, trial }, extension))
    }

    /// Declares the columns of the entry once more, for trials: of values that are never refused.
    pub(super) fn declare_trial<T: WriteField + ?Sized>(&self, sink: &Arc<ColumnSink>) -> Boxed<T::Writer> {
        columns_of::<T>(&mut self.plan_trial(sink))
    }

    fn plan_extension(&self, sink: &Arc<ColumnSink>, entries: u64, options: &WriteOptions) -> Hidden<Plan> {
        let Owned { encodings, compressions, .. } = &*options.owned;
        let (fields, columns) = (self.fields.clone(), self.columns.clone());
        let before = Before { fields, columns, lanes: self.lane_count(), entries };
        let plan = Plan::new(sink.clone(), self.options.compression, encodings, compressions);
        Hidden::new(plan.continuing(before))
    }

    /// Returns what joins the schema, and the plan of its columns for trials.
    fn finish_extension(
        &self,
        plan: Hidden<Plan>,
        sink: &Arc<ColumnSink>,
        entries: u64,
        options: &WriteOptions,
        is_tried: bool,
    ) -> Result<(Extension, Option<Hidden<Plan>>)> {
        let records = plan.into_inner().finish().map_err(|error| self.place(error))?;
        let trial = (is_tried || records.are_choosy()).then(|| {
            let plan = self.plan_extension(sink, entries, options).into_inner();
            Hidden::new(plan.for_trial(records.choices.clone()))
        });
        let all: Vec<Compression> = self.lanes.iter().map(|lane| lane.compression).collect();
        let all = [&*all, &records.compressions].concat();
        let share = Share::new(&self.options, &all, trial.is_some(), 1).map_err(|error| self.place(error))?;
        Ok((Extension { records, share }, trial))
    }

    fn plan_trial(&self, sink: &Arc<ColumnSink>) -> Hidden<Plan> {
        let plan = Plan::new(sink.clone(), Compression::NONE, &[], &[]);
        let plan = plan.with_values(self.options.owned.schema.clone());
        Hidden::new(plan.for_trial(Vec::new()))
    }

    /// Makes declared columns a part of the schema. Cannot fail: what could has been checked.
    pub(super) fn extend(&mut self, extension: Extension) {
        let Records { fields, columns, alias_columns, lanes, compressions, .. } = extension.records;
        self.fields.extend_from_slice(&fields);
        self.columns.extend_from_slice(&columns);
        self.add_lanes(lanes, compressions, |_, column| {
            column.first_element.and_then(|first| u64::try_from(first).ok())
        });
        self.max_locations = extension.share.locations;
        let more = SchemaDescription { fields, columns, alias_columns, ..SchemaDescription::default() };
        self.catalog.extend(more);
    }

    /// Writes pages of an open cluster.
    pub(super) fn put(
        &self,
        file: &AnyFile<'_>,
        open: &mut OpenCluster,
        pages: &mut Pages,
        sealer: &Sealer,
    ) -> Result<()> {
        open.put_all(pages, self.writing(), file, sealer)
    }

    /// Adds an open cluster, whose pages are on storage.
    pub(super) fn end_cluster(
        &mut self,
        file: &AnyFile<'_>,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()> {
        self.publish(file, vec![open.end(entries, representations.clone())])
    }

    pub(super) fn publish(&mut self, file: &AnyFile<'_>, mut clusters: Vec<EndedCluster>) -> Result<()> {
        let first = self.entry_count();
        if let Some(sorted) = &mut self.sorted {
            sorted.extend(&mut clusters, first)?;
        }
        for cluster in clusters {
            let cluster = self.describe(cluster);
            self.catalog.push(cluster)?;
        }
        // Page lists are made in memory, and half of it is theirs.
        if (self.locations > self.max_locations / 2 || self.catalog.is_group_full())
            && let Err(error) = self.commit_cluster_group(file)
        {
            // The clusters are published; nothing is to follow them.
            self.lose(error, 0);
        }
        // One that was flushed meanwhile counts from now on.
        if self.options.checkpoint_every.is_some()
            && let Err(error) = lock_any(file).commit_pending()
        {
            self.lose(error, 0);
        }
        if !self.has_state
            && self.is_checkpoint_due(0, || lock_any(file).end())
            && let Err(error) = self.checkpoint(file, Wait::Later, None)
        {
            self.lose(error, 0);
        }
        if let Err(error) = self.catalog.record(&mut lock_any(file)) {
            self.lose(error, 0);
        }
        Ok(())
    }

    /// An attribute set that belongs to it.
    pub(super) fn add_set(&mut self, set: Arc<dyn OpenSet>) {
        self.sets.push(set);
    }

    fn is_checkpoint_due(&self, open: u64, file_end: impl FnOnce() -> u64) -> bool {
        let is_over = |interval| self.since.is_over(interval, self.entry_count() + open, file_end);
        self.options.checkpoint_every.is_some_and(is_over)
    }

    fn checkpoint(
        &mut self,
        file: &AnyFile<'_>,
        wait: Wait,
        put_state: Option<&mut PutState<'_>>,
    ) -> Result<()> {
        self.check()?;
        self.put_checkpoint(file, wait, put_state)
    }

    fn put_checkpoint(
        &mut self,
        file: &AnyFile<'_>,
        wait: Wait,
        mut put_state: Option<&mut PutState<'_>>,
    ) -> Result<()> {
        let start = Instant::now();
        let mut sets = Vec::new();
        for set in &self.sets {
            sets.extend(set.commit()?.map(|catalog| (set.name().to_owned(), catalog)));
        }
        let Self { catalog, path, .. } = self;
        // Without a state, that of an earlier checkpoint would be wrong.
        catalog.unlink(STATE);
        let mut guard = lock_any(file);
        let written = guard.checkpoint(path, wait, &mut |mut desk| {
            for (name, set) in &mut sets {
                catalog.link(put_set(name, set, desk.any())?);
            }
            if let Some(put_state) = &mut put_state {
                let (made, link) = put_state(desk)?;
                catalog.link(link);
                desk = made;
            }
            let anchor = catalog.finish(desk.any())?;
            Ok((desk, anchor))
        });
        let file_end = guard.end();
        drop(guard);
        let size = written.map_err(|error| self.place(error))?;
        self.saved = self.since.entries();
        self.since = Since::now(self.entry_count(), file_end);
        // What counts is not written over, even if the storage is full.
        self.is_alone = false;
        self.summary.checkpoints += 1;
        self.summary.checkpoint_size += size;
        self.summary.checkpoint_time += start.elapsed();
        Ok(())
    }

    /// What a set has by now, if the file does not say it yet.
    pub(super) fn snapshot(&self) -> Option<Catalog> {
        self.catalog.is_changed().then(|| self.catalog.snapshot())
    }

    /// Converts a cluster to what a page list says of it, and counts it.
    pub(super) fn describe(&mut self, cluster: EndedCluster) -> ClusterDescriptor {
        let EndedCluster { entries, pages, observed, representations, tally, .. } = cluster;
        let place = Place {
            cluster: self.catalog.cluster_count(),
            first_entry: self.catalog.entry_count(),
            entries,
            first_element: 0,
        };
        let mut observed = observed.into_iter();
        let mut columns = vec![ColumnRange::suppressed(); self.columns.len()];
        for (LaneState { lane, compression, elements, .. }, pages) in self.lanes.iter_mut().zip(pages) {
            self.locations += size_of_val(&*pages);
            let active =
                lane.choice.and_then(|choice| representations.get(choice)).map_or(0, |&active| active);
            let id = lane.columns.get(usize::from(active)).copied();
            let descriptor = id.and_then(|id| Some((id, self.columns.get(id.index())?)));
            let observations = observed.next().unwrap_or_default();
            if let Some((id, descriptor)) = descriptor
                && let Some(statistics) = &mut self.statistics
            {
                let place = Place { first_element: *elements, ..place };
                statistics.add(id, descriptor, observations, pages.len(), place);
            }
            let column = id.and_then(|id| columns.get_mut(id.index()));
            let range = ColumnRange::new(*elements, compression.code(), pages);
            *elements += range.stored_count();
            if let Some(column) = column {
                *column = range;
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
        ClusterDescriptor::new(0, entries, columns)
    }

    fn commit_cluster_group(&mut self, file: &AnyFile<'_>) -> Result<()> {
        let mut guard = lock_any(file);
        let has_group = self.catalog.has_open_group();
        let ended = self.catalog.end_group(&mut guard);
        let floor = guard.end();
        drop(guard);
        ended.map_err(|error| self.place(error))?;
        if has_group {
            self.floors.push(floor);
        }
        self.locations = 0;
        Ok(())
    }

    /// Writes what is known of the values. If there is no room for it, the summary says so: entries are worth more.
    fn finish_statistics(&mut self, file: &AnyFile<'_>) {
        let Some(rows) = self.statistics.take() else { return };
        let is_needed = !rows.is_empty() || self.sorted.is_some();
        if !is_needed || !self.catalog.is_changed() {
            return;
        }
        // They say which page lists they are about. If there is no room for these, what follows makes it.
        if self.commit_cluster_group(file).is_err() {
            return;
        }
        let marks = Marks::new(self.catalog.header_checksum(), self.catalog.groups());
        match self.put_statistics(file, rows, &marks) {
            Ok(count) => self.summary.statistics = count,
            Err(_) => self.catalog.unlink(statistics::NAME),
        }
    }

    fn finish(&mut self, file: &AnyFile<'_>) -> Result<Summary> {
        let ended = match self.write_close(file, self.losses.is_empty()) {
            Err(error) if self.is_alone => {
                // They are in the way, and may be about clusters that must go.
                self.catalog.unlink(statistics::NAME);
                self.summary.statistics = 0;
                self.write_close_before(file, error)
            }
            result => result,
        };
        let has_checkpoint = self.summary.checkpoints > 0;
        if has_checkpoint && ended.is_err() {
            // Where earlier ones were there may be room for one more. If not, the last one counts.
            let _ = self.put_checkpoint(file, Wait::Now, None);
        }
        let saved = if lock_any(file).is_pending(&self.path) { self.saved } else { self.since.entries() };
        let saved = counted(saved, "entry");
        if self.losses.is_empty() {
            return ended.map(|()| self.summary).map_err(|error| {
                let error = self.place(error);
                if has_checkpoint {
                    error.widen(|cause| format!("{cause}; {saved} can be read"))
                } else {
                    error
                }
            });
        }
        let rest = match ended {
            Ok(()) => {
                let place = self.kept.as_ref().map(|name| format!(", in {name}")).unwrap_or_default();
                format!("{} can be read{place}", counted(self.entry_count(), "entry"))
            }
            Err(_) if has_checkpoint => format!("{saved} can be read"),
            Err(error) => {
                let error = self.place(error).widen(str::to_owned);
                format!("what was written cannot be read: {}", error.message())
            }
        };
        Err(self.place(self.losses.error_and(&rest).unwrap_or_else(refused)))
    }

    /// A file that is not whole takes no other file's place.
    fn write_close(&mut self, file: &AnyFile<'_>, is_whole: bool) -> Result<()> {
        let file = &mut *lock_any(file);
        // The state of a writer that goes on.
        self.catalog.unlink(STATE);
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
    fn write_close_before(&mut self, file: &AnyFile<'_>, error: Error) -> Result<()> {
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
            lock_any(file).roll_back(end, &self.path);
            let is_whole = self.losses.is_empty() && self.catalog.entry_count() == before;
            match self.write_close(file, is_whole) {
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

    /// Links an attribute set that has been written to the same file.
    pub(super) fn link(&mut self, set: LinkedAttributeSet) {
        self.catalog.link(set);
    }

    /// Something else writes to the file as well.
    pub(super) fn share_file(&mut self) {
        self.is_alone = false;
    }

    /// The file ends with another ntuple.
    pub(super) fn disown_file(&mut self) {
        (self.owns_file, self.is_alone) = (false, false);
    }

    pub(super) fn finish_set(
        &mut self,
        file: &AnyFile<'_>,
        name: &str,
    ) -> Result<Option<LinkedAttributeSet>> {
        if !self.catalog.is_changed() {
            return Ok(None);
        }
        let file = &mut *lock_any(file);
        let link = put_set(name, &mut self.catalog, file);
        link.map(Some).map_err(|error| self.place(error))
    }

    /// Notes that something went wrong with what belongs to the ntuple.
    pub(super) fn note(&mut self, error: Error) {
        self.losses.add(&error.of_ntuple(&self.path), 0, None);
    }

    /// Notes that entries are lost, or with 0 of them that something else went wrong.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        self.is_stopped = true;
        self.note_loss(error, entries)
    }

    /// Notes that entries of an unfinished cluster are lost, or with 0 of them that something else went wrong. More may
    /// follow.
    pub(super) fn note_loss(&mut self, error: Error, entries: u64) -> Error {
        let error = self.place(error);
        let thread = thread::current();
        // A single writer is known by its place.
        let name = thread.name().filter(|_| self.is_shared).map(str::to_owned);
        self.losses.add(&error, entries, name);
        error
    }

    /// The same for a transaction of another thread.
    pub(super) fn lose_transaction(&mut self, error: Error, entries: u64) {
        self.is_stopped = true;
        let error = self.place(error);
        self.losses.add(&error, entries, None);
    }

    /// One more transaction was written before its turn.
    pub(super) fn count_early_transaction(&mut self) {
        self.summary.early_transactions += 1;
    }

    /// # Errors
    /// Entries were lost before, so that no more are taken.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if !self.is_stopped { Ok(()) } else { Err(self.refuse()) }
    }

    /// Returns why nothing more is taken.
    #[cold]
    pub(super) fn refuse(&self) -> Error {
        self.place(self.losses.error().unwrap_or_else(refused))
    }
}

/// Writes what leads to an attribute set; returns the link to it.
fn put_set(
    name: &str,
    set: &mut Catalog,
    file: &mut FileWriter<dyn WriteAt + '_>,
) -> Result<LinkedAttributeSet> {
    let anchor = set.finish(file)?;
    let (offset, size) = file.put_unlisted_anchor(name, &anchor)?;
    let locator = Locator::File { offset, size: size.into() };
    Ok(LinkedAttributeSet::written(name, size, locator))
}

#[cold]
fn not_owned() -> Error {
    Error::invalid_argument("the storage belongs to the file, not to one of its ntuples")
}

fn refused() -> Error {
    Error::invalid_argument("the writer takes no more entries")
}
