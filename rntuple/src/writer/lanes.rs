//! The fields and columns of an ntuple that is being written, and the column writers that fill them.

use super::cluster::EndedCluster;
use super::observed::{Place, StatisticsRows};
use crate::cluster::{LaneError, LaneId};
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::field::{Before, Lane, elements_per_entry};
use crate::schema::{
    ClusterDescriptor, ColumnDescriptor, ColumnId, ColumnRange, FieldDescriptor, path as path_of,
    takes_any_items,
};

/// All of a schema, with those that joined it later.
pub(super) struct Lanes {
    pub(super) fields: Vec<FieldDescriptor>,
    pub(super) columns: Vec<ColumnDescriptor>,
    /// By column writer.
    states: Vec<LaneState>,
}

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

impl Lanes {
    pub(super) fn new(fields: Vec<FieldDescriptor>, columns: Vec<ColumnDescriptor>) -> Self {
        Self { fields, columns, states: Vec::new() }
    }

    /// More column writers; `elements_of` says how many elements a column has.
    pub(super) fn add(
        &mut self,
        lanes: Vec<Lane>,
        compressions: Vec<Compression>,
        elements_of: impl Fn(ColumnId, &ColumnDescriptor) -> Option<u64>,
    ) {
        for (lane, compression) in lanes.into_iter().zip(compressions) {
            let column = lane.columns.first().and_then(|id| Some((*id, self.columns.get(id.index())?)));
            let path = column.map_or_else(String::new, |(_, column)| path_of(&self.fields, column.field));
            let elements = column.and_then(|(id, column)| elements_of(id, column)).unwrap_or_default();
            self.states.push(LaneState { lane, path, compression, elements });
        }
    }

    /// Returns the number of column writers.
    pub(super) fn count(&self) -> usize {
        self.states.len()
    }

    /// Returns how their pages are compressed.
    pub(super) fn compressions(&self) -> impl Iterator<Item = Compression> {
        self.states.iter().map(|lane| lane.compression)
    }

    /// What fields, columns and column writers that join after `entries` entries come after.
    pub(super) fn before(&self, entries: u64) -> Before {
        let (fields, columns) = (self.fields.clone(), self.columns.clone());
        Before { fields, columns, lanes: self.count(), entries }
    }

    /// Returns the column writer that has the offsets of the collection at `path`, which can be written in pieces.
    ///
    /// # Errors
    /// No collection is there that each entry has once, or it is an option, a set or a map: pieces are not compared with
    /// each other.
    pub(super) fn offsets_of(&self, path: &str) -> Result<LaneId> {
        match self.find_once(path) {
            Some((lane, field)) if takes_any_items(&field.type_name) => Ok(lane),
            Some((_, field)) => Err(Error::invalid_argument(format!(
                "a `{}` cannot be written in pieces, only a vector can",
                field.type_name
            ))),
            None => Err(Error::invalid_argument("no collection is here that each entry has once")),
        }
    }

    /// Returns the column writer of the field at `path`, and the field, if each entry has one element of it.
    fn find_once(&self, path: &str) -> Option<(LaneId, &FieldDescriptor)> {
        let lane = self.states.iter().position(|lane| lane.path == path)?;
        let column = self.columns.get(self.states.get(lane)?.lane.columns.first()?.index())?;
        let count = elements_per_entry(&self.fields, column.field).ok()?;
        let lane = LaneId(u32::try_from(lane).ok()?);
        (count == Some(1)).then_some((lane, self.fields.get(column.field.index())?))
    }

    /// Says which field an error of a column writer is about; and which entry, if its elements are counted by entries and
    /// those in clusters are known: there are `entries` entries then.
    pub(super) fn locate(&self, fault: LaneError, entries: Option<u64>) -> Error {
        let LaneError { lane, error } = fault;
        let Some(LaneState { lane, path, elements, .. }) = self.states.get(lane.index()) else {
            return error;
        };
        let Some(column) = lane.columns.first() else { return error.in_field(&**path) };
        let error = error.in_field(&**path).in_column(column.0.into());
        let Some((element, entries)) = error.element().zip(entries) else { return error };
        let field = self.columns.get(column.index()).map(|column| column.field);
        let per_entry = field.and_then(|field| elements_per_entry(&self.fields, field).ok().flatten());
        match per_entry {
            Some(count @ 1..) => error.at_entry(elements.saturating_add(element) / count),
            _ => error.rephrase(|message| format!("{message}, in entry {entries} or later")),
        }
    }

    /// Converts a cluster that comes after those before to what a page list says of it, and its values to rows of
    /// `statistics`.
    pub(super) fn describe(
        &mut self,
        cluster: EndedCluster,
        place: Place,
        mut statistics: Option<&mut StatisticsRows>,
    ) -> ClusterDescriptor {
        let EndedCluster { entries, pages, observed, representations, .. } = cluster;
        let mut observed = observed.into_iter();
        let mut columns = vec![ColumnRange::suppressed(); self.columns.len()];
        for (LaneState { lane, compression, elements, .. }, pages) in self.states.iter_mut().zip(pages) {
            let active =
                lane.choice.and_then(|choice| representations.get(choice)).map_or(0, |&active| active);
            let id = lane.columns.get(usize::from(active)).copied();
            let descriptor = id.and_then(|id| Some((id, self.columns.get(id.index())?)));
            let observations = observed.next().unwrap_or_default();
            if let Some((id, descriptor)) = descriptor
                && let Some(statistics) = &mut statistics
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
        ClusterDescriptor::new(0, entries, columns)
    }
}
