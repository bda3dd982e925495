//! The clusters of an ntuple, by cluster group: a page list is read when one of its clusters is asked for.
//!
//! ```text
//! footer        groups: which entries, how many clusters, where the page list is     kept
//! page list     as it is stored, decompressed, and where its clusters are in it      the last ones, and those in use
//! cluster       where its pages are                                                  the last ones, and those in use
//! ```
//!
//! What is said more than once must agree: a page list is checked as a whole when it is read.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::envelopes::{Envelopes, fetch};
use crate::bytes::Block;
use crate::compression::Decompressor;
use crate::envelope::{ClusterSummary, Dialect, PageIndex};
use crate::error::{Error, Result};
use crate::message::counted;
use crate::root::{EnvelopeSpan, RootFile};
use crate::schema::{
    ClusterDescriptor, ClusterGroup, ColumnId, FieldDescriptor, Locator, PageLocation, Role, Schema,
};

/// Clusters whose entries no column counts (records without members, columns that came later) could claim any
/// number of them at no cost in bytes: this is the limit for all of them together.
const MOST_ENTRIES_WITHOUT_ELEMENTS: u64 = 1 << 24;

/// The page list that was read last is kept, and earlier ones while all of them take up to this many bytes.
const KEPT_LENGTH: usize = 1 << 20;

/// Clusters of a group that are kept parsed: columns that are read one by one come back to them.
const KEPT_CLUSTERS: usize = 8;

/// The cluster groups of an ntuple.
#[derive(Debug)]
pub(super) struct Groups {
    file: RootFile,
    max_key_size: u64,
    dialect: Dialect,
    header_checksum: u64,
    /// Columns with exactly one element per entry: they show what a cluster really holds.
    witnesses: Vec<ColumnId>,
    described: Vec<ClusterGroup>,
    slots: Vec<Slot>,
    recent: Mutex<Recent>,
    pinned: Pinned,
    /// Entries without elements that clusters may still claim.
    free: AtomicU64,
}

/// Page lists that are in memory alone, by group.
#[derive(Debug, Default)]
pub(super) struct Pinned(pub(super) Vec<Block>);

/// The groups that were read last.
#[derive(Debug, Default)]
struct Recent {
    groups: VecDeque<Arc<Group>>,
    length: usize,
}

impl Recent {
    fn keep(&mut self, group: Arc<Group>) {
        self.length += group.length();
        self.groups.push_back(group);
        while self.length > KEPT_LENGTH && self.groups.len() > 1 {
            self.length -= self.groups.pop_front().map_or(0, |group| group.length());
        }
    }
}

/// The place of a group's page list.
#[derive(Debug)]
struct Slot {
    first_cluster: u64,
    /// What the footer says about its clusters: before rc2.0.
    summaries: Vec<ClusterSummary>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    group: Weak<Group>,
    /// Entries without elements that its clusters claim, once that is known.
    claimed: u64,
}

/// What leads to the page lists.
pub(super) struct Lead<'a> {
    pub(super) schema: &'a Schema,
    pub(super) dialect: Dialect,
    pub(super) header_checksum: u64,
    pub(super) max_key_size: u64,
    pub(super) groups: Vec<ClusterGroup>,
    /// By group, where the footer has them.
    pub(super) summaries: Vec<Vec<ClusterSummary>>,
}

impl Groups {
    /// Checks what the footer says about the groups; no page list is read.
    pub(super) fn new(file: &RootFile, mut lead: Lead<'_>, envelopes: &mut Envelopes<'_>) -> Result<Self> {
        let mut seen = HashSet::new();
        let mut summaries = lead.summaries.into_iter();
        let (mut slots, mut entries, mut first_cluster) = (Vec::with_capacity(lead.groups.len()), 0, 0u64);
        for (number, group) in lead.groups.iter_mut().enumerate() {
            let span = span_of(group)?;
            let at = |error: Error| error.at_offset(span.offset);
            // A few bytes could otherwise name one long list millions of times.
            if !seen.insert(span.offset) {
                return Err(at(Error::out_of_spec("two cluster groups share a page list")));
            }
            envelopes.count(span)?;
            // From here on it has its place among the others, which are searched by their first entries.
            if group.is_empty() {
                group.first_entry = entries;
            }
            if group.first_entry != entries {
                let first = group.first_entry;
                let message = format!(
                    "cluster group {number} begins with entry {first}, the one before ends with {entries}"
                );
                return Err(at(Error::out_of_spec(message)));
            }
            let end = entries.checked_add(group.entry_count);
            entries = end.ok_or_else(|| at(Error::out_of_spec("over 2^64 entries")))?;
            let summaries = summaries.next().unwrap_or_default();
            slots.push(Slot { first_cluster, summaries, state: Mutex::default() });
            first_cluster = first_cluster.saturating_add(group.cluster_count.into());
        }
        Ok(Self {
            file: file.clone(),
            max_key_size: lead.max_key_size,
            dialect: lead.dialect,
            header_checksum: lead.header_checksum,
            witnesses: witnesses(lead.schema),
            described: lead.groups,
            slots,
            recent: Mutex::default(),
            pinned: Pinned::default(),
            free: AtomicU64::new(MOST_ENTRIES_WITHOUT_ELEMENTS),
        })
    }

    /// Groups whose page lists are in memory alone.
    pub(super) fn of_pinned(file: &RootFile, lead: Lead<'_>, pinned: Pinned) -> Result<Self> {
        let max_key_size = lead.max_key_size;
        Ok(Self { pinned, ..Self::new(file, lead, &mut Envelopes::new(file, max_key_size))? })
    }

    /// The bytes of the page list of a group.
    fn page_list(&self, number: usize, span: EnvelopeSpan) -> Result<Block> {
        if let Some(bytes) = self.pinned.0.get(number) {
            return Ok(bytes.clone());
        }
        fetch(&self.file, span, self.max_key_size, &mut Decompressor::new())
    }

    /// As the footer describes them.
    pub(super) fn described(&self) -> &[ClusterGroup] {
        &self.described
    }

    pub(super) fn entry_count(&self) -> u64 {
        self.described.last().map_or(0, |last| last.first_entry + last.entry_count)
    }

    pub(super) fn cluster_count(&self) -> u64 {
        let last = self.slots.last().zip(self.described.last());
        last.map_or(0, |(slot, last)| slot.first_cluster.saturating_add(last.cluster_count.into()))
    }

    /// The number of the group that has an entry.
    pub(super) fn with_entry(&self, entry: u64) -> Option<usize> {
        // Groups without entries share their first entry with the next one, which comes after them.
        let number = self.described.partition_point(|group| group.first_entry <= entry).checked_sub(1)?;
        (entry < self.entry_count()).then_some(number)
    }

    /// The number of the group that has a cluster.
    pub(super) fn with_cluster(&self, id: u64) -> Option<usize> {
        let number = self.slots.partition_point(|slot| slot.first_cluster <= id).checked_sub(1)?;
        (id < self.cluster_count()).then_some(number)
    }

    /// A group, whose page list is read if no one has it.
    pub(super) fn load(&self, number: usize) -> Result<Arc<Group>> {
        let (Some(described), Some(slot)) = (self.described.get(number), self.slots.get(number)) else {
            return Err(Error::invalid_argument(format!("the ntuple has no cluster group {number}")));
        };
        // Others that need this group wait for it, and those that need another one do not.
        let mut state = lock(&slot.state);
        if let Some(group) = state.group.upgrade() {
            return Ok(group);
        }
        let free = self.free.load(Relaxed).saturating_add(state.claimed);
        let (group, claimed) = self.read(number, described, slot, free)?;
        let (before, group) = (state.claimed, Arc::new(group));
        // No closure of this returns `None`.
        let _ = self
            .free
            .fetch_update(Relaxed, Relaxed, |free| Some(free.saturating_add(before).saturating_sub(claimed)));
        *state = State { group: Arc::downgrade(&group), claimed };
        lock(&self.recent).keep(group.clone());
        Ok(group)
    }

    /// Reads a page list and checks all its clusters; also returns how many entries without elements these claim, of
    /// which there may be `free`.
    fn read(&self, number: usize, described: &ClusterGroup, slot: &Slot, free: u64) -> Result<(Group, u64)> {
        let span = span_of(described)?;
        let at = |error: Error| error.at_offset(span.offset);
        let bytes = self.page_list(number, span)?;
        let index = PageIndex::read(&bytes, self.dialect, slot.summaries.clone()).map_err(at)?;
        if self.dialect.page_lists_name_header() && index.header_checksum != self.header_checksum {
            return Err(at(Error::out_of_spec("the page list belongs to another header")));
        }
        let (found, wanted) = (index.summaries.len() as u64, described.cluster_count);
        if found != u64::from(wanted) {
            let message = format!("the page list has {}, its group {wanted}", counted(found, "cluster"));
            return Err(at(Error::out_of_spec(message)));
        }
        let (mut entries, mut left) = (described.first_entry, free);
        for number in 0..index.summaries.len() {
            let Some(cluster) = index.cluster(&bytes, number).map_err(at)? else { break };
            let id = slot.first_cluster.saturating_add(number as u64);
            entries = self.check(&cluster, entries, &mut left).map_err(|error| error.in_cluster(id))?;
        }
        let end = described.first_entry + described.entry_count;
        if entries != end {
            let message =
                format!("the clusters of the page list end with entry {entries}, their group with {end}");
            return Err(at(Error::out_of_spec(message)));
        }
        let recent = Mutex::default();
        let group = Loaded { first_cluster: slot.first_cluster, bytes, index, recent };
        Ok((Group(Box::new(group)), free - left))
    }

    /// The entry after a cluster, if it begins with entry `first` and claims no more entries than its pages hold.
    fn check(&self, cluster: &ClusterDescriptor, first: u64, free: &mut u64) -> Result<u64> {
        if cluster.first_entry != first {
            return Err(Error::out_of_spec(format!(
                "the cluster begins with entry {}, the one before ends with {first}",
                cluster.first_entry
            )));
        }
        let witness = self.witnesses.iter().find_map(|id| {
            let column = cluster.columns.get(id.index())?;
            column.first_element.map(|_| column)
        });
        let held = match witness {
            Some(column) => count(&column.pages),
            None => {
                let largest = cluster.columns.iter().map(|column| count(&column.pages)).max();
                let held = largest.unwrap_or_default().max(*free);
                *free = free.saturating_sub(cluster.entry_count);
                held
            }
        };
        if cluster.entry_count > held {
            return Err(Error::out_of_spec(format!(
                "the cluster has {}, its pages hold {held}",
                counted(cluster.entry_count, "entry")
            )));
        }
        first.checked_add(cluster.entry_count).ok_or_else(|| Error::out_of_spec("over 2^64 entries"))
    }
}

/// Where the page list of a group is.
fn span_of(group: &ClusterGroup) -> Result<EnvelopeSpan> {
    match group.page_list {
        Locator::File { offset, size } => Ok(EnvelopeSpan { offset, size, length: group.page_list_length }),
        Locator::Unknown { .. } => Err(Error::unsupported("a page list is not in the file")),
    }
}

fn witnesses(schema: &Schema) -> Vec<ColumnId> {
    let is_counted = |field: &FieldDescriptor| field.array_size.is_none() && field.role != Role::Record;
    let fields = schema.top_level().iter().filter(|&&id| schema.field(id).is_some_and(is_counted));
    let columns = fields.flat_map(|&id| schema.representations(id)).filter_map(|columns| columns.first());
    let is_whole = |id: &ColumnId| schema.column(*id).is_some_and(|column| column.first_element.is_none());
    columns.copied().filter(is_whole).collect()
}

fn count(pages: &[PageLocation]) -> u64 {
    pages.iter().map(|page| u64::from(page.count)).fold(0, u64::saturating_add)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The page list of a cluster group. Boxed, so that a group that no one uses any more leaves little in its slot.
#[derive(Debug)]
pub(crate) struct Group(Box<Loaded>);

#[derive(Debug)]
struct Loaded {
    first_cluster: u64,
    bytes: Block,
    index: PageIndex,
    recent: Mutex<VecDeque<(u64, Arc<ClusterDescriptor>)>>,
}

impl Group {
    /// Bytes that it takes, without the clusters that are parsed.
    fn length(&self) -> usize {
        let index = self.0.index.summaries.len() * (size_of::<ClusterSummary>() + size_of::<u64>());
        size_of::<Loaded>() + self.0.bytes.len() + index
    }

    /// The numbers of its clusters, and how many entries each has.
    pub(crate) fn entry_counts(&self) -> impl Iterator<Item = (u64, u64)> {
        (self.0.first_cluster..).zip(self.0.index.summaries.iter().map(|summary| summary.entry_count))
    }

    /// Parses the clusters whose first entry and number of entries fulfil a condition.
    pub(super) fn clusters(
        self: Arc<Self>,
        is_wanted: impl Fn(u64, u64) -> bool,
    ) -> impl Iterator<Item = Result<ClusterDescriptor>> {
        let ids = (self.0.first_cluster..).take(self.0.index.summaries.len());
        ids.zip(0..).filter_map(move |(id, index): (u64, usize)| {
            let summary = self.0.index.summaries.get(index)?;
            is_wanted(summary.first_entry, summary.entry_count).then(|| self.parse(id))
        })
    }

    /// The number of the cluster that has an entry.
    pub(crate) fn with_entry(&self, entry: u64) -> Option<u64> {
        let summaries = &self.0.index.summaries;
        let index = summaries.partition_point(|cluster| cluster.first_entry <= entry).checked_sub(1)?;
        // Clusters without entries share their first entry with the next one, which comes after them.
        let cluster = summaries.get(index)?;
        (entry - cluster.first_entry < cluster.entry_count).then(|| self.0.first_cluster + index as u64)
    }

    /// Parses a cluster that is needed once.
    pub(crate) fn parse(&self, id: u64) -> Result<ClusterDescriptor> {
        let index = id.checked_sub(self.0.first_cluster).and_then(|index| usize::try_from(index).ok());
        let cluster = match index {
            Some(index) => self.0.index.cluster(&self.0.bytes, index)?,
            None => None,
        };
        cluster.ok_or_else(|| Error::invalid_argument(format!("the cluster group has no cluster {id}")))
    }

    /// A cluster, parsed if it is not one of those that were asked for last.
    pub(super) fn cluster(&self, id: u64) -> Result<Arc<ClusterDescriptor>> {
        let known = |recent: &VecDeque<(u64, Arc<ClusterDescriptor>)>| {
            recent.iter().find(|(number, _)| *number == id).map(|(_, cluster)| cluster.clone())
        };
        if let Some(cluster) = known(&lock(&self.0.recent)) {
            return Ok(cluster);
        }
        let cluster = Arc::new(self.parse(id)?);
        let mut recent = lock(&self.0.recent);
        if recent.len() >= KEPT_CLUSTERS {
            recent.pop_front();
        }
        recent.push_back((id, cluster.clone()));
        Ok(cluster)
    }
}
