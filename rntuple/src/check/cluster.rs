//! One cluster: the pages of every column, and whether the columns agree with each other.

use std::collections::BTreeMap;
use std::ops::Range;

use super::claims::Claims;
use super::findings::Findings;
use super::layout::{Layout, Slot, Source};
use super::look::{Content, Look, Reading};
use super::page::Pages;
use super::report::NoteKind;
use super::schema;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{ClusterDescriptor, ColumnId, ColumnRange, Locator, Schema};

/// Columns of a schema that could be read.
pub(super) struct Columns<'a> {
    pub(super) schema: &'a Schema,
    pub(super) layout: &'a Layout,
    /// Every cluster has at least these columns.
    pub(super) in_header: usize,
}

/// What checking pages needs.
pub(super) struct Tools<'t, 'f> {
    pub(super) pages: &'t mut Pages<'f>,
    pub(super) claims: &'t mut Claims,
    pub(super) findings: &'t mut Findings,
    pub(super) max_key_size: u64,
}

/// What the pages of one column say together.
#[derive(Debug)]
pub(super) enum Items {
    /// Nothing, or a page is damaged.
    Unknown,
    /// Where the last item ends.
    Index(u64),
    /// Values of each alternative.
    Switch(BTreeMap<u32, u64>),
}

impl Items {
    /// Before the first page of a column.
    pub(super) fn of(look: Look) -> Self {
        match look {
            Look::Index => Self::Index(0),
            Look::Switch(_) => Self::Switch(BTreeMap::new()),
            Look::Bytes | Look::Fit(_) => Self::Unknown,
        }
    }

    /// How many values there are of what they count for `source`, if this is known.
    pub(super) fn values(&self, source: Source) -> Option<u64> {
        match (self, source) {
            (Self::Index(last), Source::Items(_)) => Some(*last),
            (Self::Switch(counts), Source::Alternative(_, number)) => {
                Some(counts.get(&number).copied().unwrap_or(0))
            }
            _ => None,
        }
    }

    /// Adds the next page.
    pub(super) fn add(&mut self, content: &Content) -> Result<()> {
        match (self, content) {
            (Self::Index(last), &Content::Index(first, end)) => {
                if first < *last {
                    let message =
                        format!("begins with an end at item {first}, the page before ends at {last}");
                    return Err(Error::out_of_spec(message));
                }
                *last = end;
            }
            (Self::Switch(counts), Content::Switch(runs)) => {
                for (&tag, &(first, count)) in runs.iter() {
                    let next = counts.entry(tag).or_default();
                    if first != *next {
                        let message = format!("begins at {first} of alternative {tag}, {next} is the next");
                        return Err(Error::out_of_spec(message));
                    }
                    *next = next.saturating_add(count);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The active column of a place.
#[derive(Debug)]
struct Active {
    column: ColumnId,
    representation: u16,
    first: u64,
    stored: u64,
    items: Items,
}

/// What is known about a place, from cluster to cluster.
#[derive(Debug)]
struct State {
    /// Elements in all clusters so far; `None`: unknown since a fault.
    elements: Option<u64>,
    /// The entry up to which the place is accounted for.
    entries: u64,
    /// The cluster that `active` is about.
    cluster: Option<u64>,
    active: Option<Active>,
    /// How many times clusters had been lost when `elements` was noted.
    losses: u64,
}

impl State {
    fn active_in(&self, cluster: u64) -> Option<&Active> {
        self.active.as_ref().filter(|_| self.cluster == Some(cluster))
    }
}

/// How many elements a place should have in a cluster.
#[derive(Debug, Default)]
struct Wanted {
    /// The first one, counted over all clusters.
    first: Option<u64>,
    count: Option<u64>,
    /// What the count comes from, in words.
    reason: String,
}

/// Goes through the clusters of one ntuple.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    states: Vec<State>,
    /// The entry behind the last cluster that could not be read, and how often that happened.
    lost_end: u64,
    losses: u64,
    /// Pages that were checked and that were not, and the bytes of those that were.
    pub(super) pages: u64,
    pub(super) unchecked_pages: u64,
    pub(super) bytes: u64,
}

impl Clusters {
    pub(super) fn new(columns: Option<&Columns<'_>>) -> Self {
        let slots = columns.map_or(0, |columns| columns.layout.slots.len());
        let state = || State { elements: Some(0), entries: 0, cluster: None, active: None, losses: 0 };
        Self { states: std::iter::repeat_with(state).take(slots).collect(), ..Self::default() }
    }

    /// The clusters up to this entry cannot be read: nothing is known of the elements in them.
    pub(super) fn lose(&mut self, end: u64) {
        self.lost_end = self.lost_end.max(end);
        self.losses = self.losses.saturating_add(1);
    }

    /// Checks all pages of cluster `id`, and that its columns agree. `after` is called behind each column.
    pub(super) fn check(
        &mut self,
        id: u64,
        cluster: &ClusterDescriptor,
        columns: Option<&Columns<'_>>,
        tools: &mut Tools<'_, '_>,
        after: &mut dyn FnMut(&Self, usize),
    ) {
        tools.pages.expect(cluster);
        for (column, range) in (0..).map(ColumnId).zip(&cluster.columns) {
            self.column(id, column, range, columns, tools);
            after(self, column.index());
        }
        let Some(columns) = columns else { return };
        let (found, all) = (cluster.columns.len(), columns.layout.columns.len());
        if !(columns.in_header..=all).contains(&found) {
            tools.findings.fault(|| {
                let message = format!("{found} columns, {} to {all} expected", columns.in_header);
                Error::out_of_spec(message).in_cluster(id)
            });
        }
        for (column, _) in (0..).map(ColumnId).zip(&cluster.columns) {
            let Some(described) = columns.layout.columns.get(column.index()) else { break };
            let Some(slot) = columns.layout.slots.get(described.slot) else { continue };
            self.compare(id, column, cluster, (described.slot, slot), columns, &mut |message| {
                tools.findings.fault(|| {
                    let path = schema::path(columns.schema, slot.field);
                    let error = Error::out_of_spec(message).in_column(column.0.into());
                    error.in_field(path).in_cluster(id)
                });
            });
        }
    }

    /// Behind the last cluster: columns that the last clusters do not list.
    pub(super) fn finish(&self, entries: u64, columns: &Columns<'_>, findings: &mut Findings) {
        for (slot, state) in columns.layout.slots.iter().zip(&self.states) {
            if let Some(message) = missing(slot, &(state.entries.max(self.lost_end)..entries), columns) {
                findings.fault(|| {
                    let error = Error::out_of_spec(message).in_column(slot.first.0.into());
                    error.in_field(schema::path(columns.schema, slot.field))
                });
            }
        }
    }

    /// All pages of one column.
    fn column(
        &mut self,
        id: u64,
        column: ColumnId,
        range: &ColumnRange,
        columns: Option<&Columns<'_>>,
        tools: &mut Tools<'_, '_>,
    ) {
        let locate = |error: Error| {
            let error = error.in_column(column.0.into()).in_cluster(id);
            match columns.and_then(|columns| Some((columns.schema, columns.schema.field_of(column)?))) {
                Some((schema, field)) => error.in_field(schema::path(schema, field)),
                None => error,
            }
        };
        let described = columns.and_then(|columns| columns.layout.columns.get(column.index()));
        let unread = Reading { packing: None, look: Look::Bytes };
        let reading = described.map_or(unread, |column| column.reading);
        let (stored, items) = self.pages(range, reading, tools, &locate);

        let Some(described) = described else { return };
        let Some(state) = self.states.get_mut(described.slot) else { return };
        if state.cluster != Some(id) {
            (state.cluster, state.active) = (Some(id), None);
        }
        let Some(first) = range.first_element else { return };
        match &state.active {
            None => {
                let representation = described.representation;
                state.active = Some(Active { column, representation, first, stored, items });
            }
            Some(active) => tools.findings.fault(|| {
                let message = format!("active, as column {} is, which it stands in for", active.column);
                locate(Error::out_of_spec(message))
            }),
        }
    }

    /// The number of elements in the pages of a column, and what they say.
    fn pages(
        &mut self,
        range: &ColumnRange,
        reading: Reading,
        tools: &mut Tools<'_, '_>,
        locate: &dyn Fn(Error) -> Error,
    ) -> (u64, Items) {
        let mut items = Items::of(reading.look);
        let mut stored = 0u64;
        let (mut says_raw, mut is_noted) = (range.compression == 0, false);
        for (number, page) in range.pages.iter().enumerate() {
            stored = stored.saturating_add(page.count.into());
            let locate = |error: Error| {
                let error = error.in_page(number as u64);
                locate(match page.locator {
                    Locator::File { offset, .. } => error.at_offset(offset),
                    Locator::Unknown { .. } => error,
                })
            };
            let sound = tools.pages.check(page, reading, tools.max_key_size, tools.claims);
            let result = sound.and_then(|sound| {
                self.bytes = self.bytes.saturating_add(sound.new_bytes);
                if says_raw && sound.is_compressed {
                    says_raw = false;
                    let message = "compressed, but the column's settings say that nothing is (0)";
                    tools.findings.fault(|| locate(Error::out_of_spec(message)));
                }
                items.add(&sound.content)
            });
            if let Err(error) = result {
                items = Items::Unknown;
                match error.kind() {
                    ErrorKind::Unsupported | ErrorKind::FeatureDisabled | ErrorKind::LimitExceeded => {
                        self.unchecked_pages = self.unchecked_pages.saturating_add(1);
                        // The other pages of the column would say the same.
                        if !std::mem::replace(&mut is_noted, true) {
                            tools.findings.note(NoteKind::Unchecked, || locate(error));
                        }
                        continue;
                    }
                    _ => tools.findings.fault(|| locate(error)),
                }
            }
            self.pages = self.pages.saturating_add(1);
        }
        (stored, items)
    }

    /// Compares a place's elements with what counts them, when its active column comes by.
    fn compare(
        &mut self,
        id: u64,
        column: ColumnId,
        cluster: &ClusterDescriptor,
        (index, slot): (usize, &Slot),
        columns: &Columns<'_>,
        fault: &mut dyn FnMut(String),
    ) {
        let end = cluster.first_entry.saturating_add(cluster.entry_count);
        let Some(state) = self.states.get(index) else { return };
        let elements = match state.active_in(id) {
            Some(active) if active.column == column => {
                let gap = state.entries.max(self.lost_end)..cluster.first_entry;
                if let Some(message) = missing(slot, &gap, columns) {
                    fault(message);
                }
                self.compare_active(id, cluster, (index, slot, active), columns, fault);
                active.first.checked_add(active.stored)
            }
            None if column == slot.first => {
                fault("every representation of the field is suppressed".to_owned());
                None
            }
            _ => return,
        };
        let losses = self.losses;
        if let Some(state) = self.states.get_mut(index) {
            (state.elements, state.entries, state.losses) = (elements, end, losses);
        }
    }

    fn compare_active(
        &self,
        id: u64,
        cluster: &ClusterDescriptor,
        (index, slot, active): (usize, &Slot, &Active),
        columns: &Columns<'_>,
        fault: &mut dyn FnMut(String),
    ) {
        let (first, stored) = (active.first, active.stored);
        let principal = self.states.get(slot.principal).and_then(|state| state.active_in(id));
        if principal.is_some_and(|principal| principal.representation != active.representation) {
            fault("the field's first column has another representation active".to_owned());
        }
        // Negative: an added representation, suppressed up to that element (format, section 5.3).
        let suppressed = columns.schema.column(active.column).and_then(|column| column.first_element);
        let suppressed = suppressed.filter(|first| *first < 0).map_or(0, i64::unsigned_abs);
        if stored > 0 && first.saturating_add(stored) <= suppressed {
            fault(format!("active before element {suppressed}, up to which it is suppressed"));
        }
        match self.wanted(id, cluster, (index, slot), columns) {
            Err(error) => fault(error.to_string()),
            Ok(wanted) => {
                if let Some(wanted) = wanted.first.filter(|wanted| *wanted != first) {
                    fault(format!("begins with element {first}, {wanted} is the next"));
                }
                if let Some(count) = wanted.count.filter(|count| *count != stored) {
                    fault(format!("{} need {count} elements, the pages hold {stored}", wanted.reason));
                }
            }
        }
        if first.checked_add(stored).is_none_or(|end| i64::try_from(end).is_err()) {
            fault("more elements than 63 bits can count".to_owned());
        }
        let listed = cluster.columns.len();
        let mut count = |alternative: u32, count: u64| {
            if count > 0 && columns.layout.counts_beyond(index, alternative, listed) {
                fault(format!("{count} values in columns that the cluster does not list"));
            }
        };
        match &active.items {
            Items::Unknown => {}
            Items::Index(last) => count(0, *last),
            Items::Switch(counts) => counts.iter().for_each(|(tag, values)| count(*tag, *values)),
        }
    }

    /// What a place should have in this cluster.
    fn wanted(
        &self,
        id: u64,
        cluster: &ClusterDescriptor,
        (index, slot): (usize, &Slot),
        columns: &Columns<'_>,
    ) -> Result<Wanted> {
        let counter = match slot.source {
            Source::Entries => return by_entries(slot, cluster),
            Source::Items(counter) | Source::Alternative(counter, _) => Some(counter),
            Source::Unknown => None,
        };
        let running = self.states.get(index).filter(|state| state.losses == self.losses);
        let first = running.and_then(|state| state.elements);
        let Some(counter) = counter else { return Ok(Wanted { first, ..Wanted::default() }) };
        let Some(state) = self.states.get(counter).filter(|state| state.cluster == Some(id)) else {
            // The cluster is older than the collection, and older still than its items.
            let reason = "columns that came later".to_owned();
            return Ok(Wanted { first, count: Some(0), reason });
        };
        let values = state.active.as_ref().and_then(|active| active.items.values(slot.source));
        let Some(values) = values else { return Ok(Wanted { first, ..Wanted::default() }) };
        let field = columns.layout.slots.get(counter).map(|slot| schema::path(columns.schema, slot.field));
        let reason = format!("{values} values of {}", field.unwrap_or_default());
        Ok(Wanted { first, count: Some(times(values, slot.repetitions)?), reason })
    }
}

/// The elements of a place that has the same number for each entry.
fn by_entries(slot: &Slot, cluster: &ClusterDescriptor) -> Result<Wanted> {
    let entries = cluster.entry_count;
    let start = times(cluster.first_entry, slot.repetitions)?;
    let end = times(cluster.first_entry.saturating_add(entries), slot.repetitions)?;
    // Elements before the deferred one were never written.
    let written = slot.deferred.clamp(start, end);
    let is_before = slot.deferred > start && slot.deferred >= end;
    let reason = format!("{entries} entries");
    Ok(Wanted { first: Some(written).filter(|_| !is_before), count: Some(end - written), reason })
}

fn times(count: u64, repetitions: Option<u64>) -> Result<u64> {
    let product = repetitions.and_then(|repetitions| count.checked_mul(repetitions));
    if count == 0 {
        return Ok(0);
    }
    product.ok_or_else(|| Error::out_of_spec("the field has over 2^64 elements"))
}

/// What is wrong with clusters of these entries not listing a place's columns: unless they are deferred, and
/// read as zeros there.
fn missing(slot: &Slot, entries: &Range<u64>, columns: &Columns<'_>) -> Option<String> {
    let needed = times(entries.end, slot.repetitions).unwrap_or(u64::MAX);
    // Columns of the header are missed by the cluster itself.
    let is_needed = slot.source == Source::Entries
        && slot.first.index() >= columns.in_header
        && slot.repetitions != Some(0)
        && !entries.is_empty();
    (is_needed && needed > slot.deferred)
        .then(|| format!("no pages for entries {} to {}, and not deferred", entries.start, entries.end))
}
