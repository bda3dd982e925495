//! One ntuple on its way into a file: its schema, its clusters, its end. It does not know who fills it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Instant;

use super::cluster::{EndedCluster, OpenCluster, Pages, Writing};
use super::draft::{Columns, Declaration, Draft, columns_of};
use super::ending::Ending;
use super::lanes::Lanes;
use super::loss::Losses;
use super::observed::{Marks, Place, StatisticsRows};
use super::open_set::OpenSet;
use super::options::Owned;
use super::saved::{PutState, Saved, put_set};
use super::share::Share;
use super::shared_file::{AnyFile, SharedFile, lock_any, lock_as, lock_file};
use super::sorted::Sorted;
use super::{Summary, WriteOptions};
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::cluster::{LaneError, LaneId};
use crate::column::ColumnSink;
use crate::compression::Compression;
use crate::envelope::SchemaDescription;
use crate::error::{Error, Result};
use crate::field::{Attribute, Plan, Records, WriteField};
use crate::hidden::{Boxed, Hidden, discards};
use crate::message::counted;
use crate::page::Sealer;
use crate::root::{Author, FileWriter, Wait};
use crate::schema::{ClusterDescriptor, ColumnRange, LinkedAttributeSet};
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
    /// Several threads fill it just now: which entries an open cluster will have is not known.
    pub(super) is_shared: bool,
    path: String,
    file_name: String,
    options: WriteOptions,
    /// The most memory that page locations may take.
    max_locations: usize,
    /// The envelopes.
    catalog: Catalog,
    /// Fields, columns and column writers.
    lanes: Lanes,
    /// Memory that the locations of the open group's pages take.
    locations: usize,
    summary: Summary,
    /// What is known of its values, if that is kept.
    statistics: Option<StatisticsRows>,
    /// The order of its entries, if that is checked.
    sorted: Option<Sorted>,
    /// What went wrong, and how many entries it cost.
    losses: Losses,
    /// How it ends, and the file with it.
    ending: Ending,
    /// Its checkpoints.
    saved: Saved,
}

discards!(State);

/// Columns that are about to join a schema.
pub(super) struct Extension {
    records: Records,
    /// The entries before, those of the open cluster included.
    entries: u64,
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
        let mut guard = lock_file(&file);
        let author = guard.any().new_author();
        let state = State::create(guard.any(), author, owns_file, draft, schema)?;
        drop(guard);
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
        let mut guard = lock_file(&file);
        let author = guard.any().new_author();
        let state = State::resume(guard.any(), author, draft, catalog, records, elements, max_locations);
        drop(guard);
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
        self.state.ending.fix();
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
        let file = if self.state.ending.owns_file() { Arc::into_inner(self.file) } else { None };
        let file = file.ok_or_else(not_owned)?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner).into_inner())
    }
}

impl State {
    pub(super) fn create(
        file: &mut FileWriter<dyn WriteAt + '_>,
        author: Author,
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
        if !draft.is_set() {
            file.begin_ntuple();
        }
        let mut state = Self::resume(file, author, draft, catalog, records, &[], parts.share.locations);
        if !owns_file {
            state.ending.disown_file();
        }
        Ok(state)
    }

    fn resume(
        file: &mut FileWriter<dyn WriteAt + '_>,
        author: Author,
        draft: &Draft,
        catalog: Catalog,
        records: Records,
        elements: &[u64],
        max_locations: usize,
    ) -> Hidden<Self> {
        let Records { fields, columns, lanes, compressions, .. } = records;
        let ending = Ending::new(file.end(), catalog.cluster_count(), author);
        let mut state = Self {
            is_shared: false,
            path: draft.path().to_owned(),
            file_name: file.name().to_owned(),
            options: draft.options.clone(),
            max_locations,
            saved: Saved::new(catalog.entry_count(), file.end()),
            // What is resumed belongs to the open group.
            locations: catalog.open_memory(),
            catalog,
            lanes: Lanes::new(fields, columns),
            summary: Summary::default(),
            statistics: StatisticsRows::new(&draft.options, Vec::new()),
            sorted: None,
            losses: Losses::default(),
            ending,
        };
        // The fields were checked when they were declared.
        let Lanes { fields, columns, .. } = &state.lanes;
        state.sorted = Sorted::new(&state.options, fields, columns).unwrap_or_default();
        state.lanes.add(lanes, compressions, |id, _| elements.get(id.index()).copied());
        Hidden::new(state)
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
        self.lanes.compressions().any(|compression| !compression.is_none())
    }

    /// Returns the number of column writers.
    pub(super) fn lane_count(&self) -> usize {
        self.lanes.count()
    }

    /// Returns how pages are written.
    pub(super) fn writing(&self) -> Writing {
        Writing { share: self.options.share_pages, limit: self.options.max_key_size, author: self.author() }
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

    /// Returns the column writer that has the offsets of the collection at `path`, which can be written in pieces.
    pub(super) fn offsets_of(&self, path: &str) -> Result<LaneId> {
        self.lanes.offsets_of(path).map_err(|error| self.place(error.in_field(path)))
    }

    /// Says which field an error of a column writer is about, and which entry, if its elements are counted by entries.
    pub(super) fn locate(&self, fault: LaneError) -> Error {
        // While several threads fill, the elements before an open cluster are not known.
        self.lanes.locate(fault, (!self.is_shared).then(|| self.entry_count()))
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

    /// Declares the columns of the entry once more, for trials. None of the columns that keep entries refuses a value,
    /// and so none of these does.
    pub(super) fn declare_trial<T: WriteField + ?Sized>(&self, sink: &Arc<ColumnSink>) -> Boxed<T::Writer> {
        columns_of::<T>(&mut self.plan_trial(sink))
    }

    fn plan_extension(&self, sink: &Arc<ColumnSink>, entries: u64, options: &WriteOptions) -> Hidden<Plan> {
        let Owned { encodings, compressions, schema, .. } = &*options.owned;
        let plan = Plan::new(sink.clone(), self.options.compression, encodings, compressions);
        Hidden::new(plan.with_values(schema.clone()).continuing(self.lanes.before(entries)))
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
        let all: Vec<Compression> = self.lanes.compressions().collect();
        let all = [&*all, &records.compressions].concat();
        let share = Share::new(&self.options, &all, trial.is_some(), 1).map_err(|error| self.place(error))?;
        Ok((Extension { records, entries, share }, trial))
    }

    fn plan_trial(&self, sink: &Arc<ColumnSink>) -> Hidden<Plan> {
        let plan = Plan::new(sink.clone(), Compression::NONE, &[], &[]);
        let plan = plan.with_values(self.options.owned.schema.clone());
        Hidden::new(plan.for_trial_of_any())
    }

    /// Makes declared columns a part of the schema. Cannot fail: what could has been checked.
    pub(super) fn extend(&mut self, extension: Extension) {
        let Records { fields, columns, alias_columns, lanes, compressions, .. } = extension.records;
        self.lanes.fields.extend_from_slice(&fields);
        self.lanes.columns.extend_from_slice(&columns);
        self.lanes.add(lanes, compressions, |_, column| {
            column.first_element.and_then(|first| u64::try_from(first).ok())
        });
        self.max_locations = extension.share.locations;
        let more = SchemaDescription { fields, columns, alias_columns, ..SchemaDescription::default() };
        self.catalog.extend(more, extension.entries);
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
        // After a loss it would fail with what was lost before.
        if !self.losses.is_stopped()
            && !self.saved.has_state()
            && self.is_checkpoint_due(0, || lock_any(file).end())
            && let Err(error) = self.checkpoint(file, Wait::Later, None)
        {
            self.lose(error, 0);
        }
        let mut guard = lock_as(file, self.author());
        let recorded = self.catalog.record(&mut guard);
        self.ending.add_clusters(guard.end());
        drop(guard);
        if let Err(error) = recorded {
            self.lose(error, 0);
        }
        Ok(())
    }

    /// An attribute set that belongs to it.
    pub(super) fn add_set(&mut self, set: Arc<dyn OpenSet>) {
        self.saved.add_set(set);
    }

    fn is_checkpoint_due(&self, open: u64, file_end: impl FnOnce() -> u64) -> bool {
        let entries = self.entry_count() + open;
        self.options.checkpoint_every.is_some_and(|interval| self.saved.is_due(interval, entries, file_end))
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
        put_state: Option<&mut PutState<'_>>,
    ) -> Result<()> {
        let start = Instant::now();
        let sets = self.saved.commit_sets()?;
        let Self { catalog, path, .. } = self;
        let size = self.saved.checkpoint((catalog, path), sets, file, wait, put_state);
        let size = size.map_err(|error| self.place(error))?;
        // What counts is not written over, even if the storage is full.
        self.ending.fix();
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
        let (entries, tally) = (cluster.entries, cluster.tally);
        let place = Place {
            cluster: self.catalog.cluster_count(),
            first_entry: self.catalog.entry_count(),
            entries,
            first_element: 0,
        };
        let pages: usize = cluster.pages.iter().map(|pages| size_of_val(&**pages)).sum();
        let cluster = self.lanes.describe(cluster, place, self.statistics.as_mut());
        self.locations +=
            pages + self.lanes.columns.len() * size_of::<ColumnRange>() + size_of::<ClusterDescriptor>();
        self.summary.entries += entries;
        self.summary.clusters += 1;
        self.summary.pages += tally.pages;
        self.summary.shared_pages += tally.shared_pages;
        self.summary.page_length += tally.page_length;
        self.summary.page_size += tally.page_size;
        self.summary.saturated += tally.saturated;
        cluster
    }

    fn commit_cluster_group(&mut self, file: &AnyFile<'_>) -> Result<()> {
        let mut guard = lock_as(file, self.author());
        let has_group = self.catalog.has_open_group();
        let ended = self.catalog.end_group(&mut guard);
        let floor = guard.end();
        drop(guard);
        ended.map_err(|error| self.place(error))?;
        if has_group {
            self.ending.add_group(floor);
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
        let author = self.author();
        if self.catalog.end_last_group(&mut lock_as(file, author)).is_err() {
            return;
        }
        let marks = Marks::new(self.catalog.header_checksum(), self.catalog.groups());
        match self.put_statistics(file, rows, &marks) {
            Ok(count) => self.summary.statistics = count,
            Err(_) => self.catalog.unlink(statistics::NAME),
        }
    }

    fn finish(&mut self, file: &AnyFile<'_>) -> Result<Summary> {
        let ended = self.end(file);
        let has_checkpoint = self.summary.checkpoints > 0;
        if has_checkpoint && ended.is_err() {
            // Where earlier ones were there may be room for one more. If not, the last one counts.
            let _ = self.put_checkpoint(file, Wait::Now, None);
        }
        let saved = counted(self.saved.entries(lock_any(file).is_pending(&self.path)), "entry");
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
                let name = lock_any(file).name().to_owned();
                // It lacks entries, and another file has its place.
                let place = if name == self.file_name { String::new() } else { format!(", in {name}") };
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

    fn end(&mut self, file: &AnyFile<'_>) -> Result<()> {
        let is_whole = self.losses.is_empty();
        let ended = match self.ending.write((&mut self.catalog, &self.path), file, is_whole) {
            Err(error) if !self.ending.is_fixed() => {
                // They are in the way, and may be about clusters that must go.
                self.catalog.unlink(statistics::NAME);
                self.summary.statistics = 0;
                // Single clusters may have to go.
                self.catalog.reopen_last_group();
                let ntuple = (&mut self.catalog, &*self.path);
                let Some(ended) = self.ending.write_over(ntuple, file, is_whole, &error) else {
                    return Err(error);
                };
                let lost = match (ended.removed, ended.lacks_sets) {
                    (0, false) => None,
                    (0, true) => Some("attributes".to_owned()),
                    (removed, false) => Some(format!("the {}", counted(removed, "last entry"))),
                    (removed, true) => Some(format!("attributes and the {}", counted(removed, "last entry"))),
                };
                if let Some(lost) = lost {
                    let made_room =
                        |cause: &str| format!("{lost} made room for the end of the file: {cause}");
                    self.losses.add(&self.place(error).widen(made_room), 0, None);
                }
                ended
            }
            ended => ended?,
        };
        self.summary.file_size = ended.file_size;
        Ok(())
    }

    /// Links an attribute set that has been written to the same file.
    pub(super) fn link(&mut self, set: LinkedAttributeSet) {
        self.catalog.link(set);
    }

    /// Who writes to the file.
    pub(super) fn author(&self) -> Author {
        self.ending.author()
    }

    /// No more clusters come, and attribute sets end. Returns the links to those that there are.
    pub(super) fn begin_end(&mut self, file: &AnyFile<'_>) -> Vec<LinkedAttributeSet> {
        let is_full = |error: Error| {
            let kind = error.io_error().map(std::io::Error::kind);
            matches!(kind, Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded))
        };
        self.ending.begin(&self.path, file, self.losses.error().is_some_and(is_full));
        self.catalog.attribute_sets().to_vec()
    }

    /// What a set has written at its end is not whole: the link to it is that of the last checkpoint.
    pub(super) fn keep_checkpoint(&mut self, file: &AnyFile<'_>) {
        let kept = lock_any(file).keep_checkpoint(&self.path);
        if let Err(error) = kept {
            self.note(error);
        }
    }

    /// Attribute sets have ended, before which there were these links.
    pub(super) fn end_sets(&mut self, before: Vec<LinkedAttributeSet>, file: &AnyFile<'_>) {
        self.ending.end_sets(&self.catalog, before, file);
    }

    /// How it ends, for others who write to its file.
    pub(super) fn ending(&mut self) -> &mut Ending {
        &mut self.ending
    }

    /// Only its user makes checkpoints from now on, as they have a state.
    pub(super) fn keep_state(&mut self) {
        self.saved.keep_state();
    }

    pub(super) fn finish_set(
        &mut self,
        file: &AnyFile<'_>,
        name: &str,
    ) -> Result<Option<LinkedAttributeSet>> {
        if !self.catalog.is_changed() {
            return Ok(None);
        }
        let file = &mut *lock_as(file, self.author());
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
        self.losses.stop();
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
        self.losses.stop();
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
        if !self.losses.is_stopped() { Ok(()) } else { Err(self.refuse()) }
    }

    /// Returns why nothing more is taken.
    #[cold]
    pub(super) fn refuse(&self) -> Error {
        self.place(self.losses.error().unwrap_or_else(refused))
    }
}

#[cold]
fn not_owned() -> Error {
    Error::invalid_argument("the storage belongs to the file, not to one of its ntuples")
}

fn refused() -> Error {
    Error::invalid_argument("the writer takes no more entries")
}
