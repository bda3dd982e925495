//! What must be known of an existing ntuple to continue it.

use std::sync::Arc;

use super::WriteOptions;
use crate::catalog::{Catalog, EnvelopeWriter};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attribute, Existing, elements_per_entry};
use crate::schema::{ClusterDescriptor, ColumnId, FieldDescriptor, FieldId, Schema};
use crate::statistics::{Row, SortOrder, Statistics};

/// What an existing ntuple has.
pub(super) struct Known {
    pub(super) catalog: Catalog,
    pub(super) schema: Arc<Schema>,
    /// Empty where they stay as they are.
    pub(super) clusters: Vec<Arc<ClusterDescriptor>>,
    /// By cluster group: how many clusters it has.
    pub(super) groups: Vec<u32>,
    pub(super) elements: Vec<u64>,
    /// What is known of the values, if that is to be kept and the clusters stay.
    pub(super) statistics: Vec<Attribute<Row>>,
    /// The order of the entries, if the options ask for one.
    pub(super) order: Option<SortOrder>,
}

/// What becomes of the clusters of an ntuple that is continued.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Clusters {
    Stay,
    /// They get more columns.
    Grow,
}

impl Known {
    /// Reads an ntuple that is to be continued; nothing is written. Returns what its columns are adopted from, and the
    /// options with the limit of the file in them.
    ///
    /// # Errors
    /// It is damaged, or has fields that cannot be written.
    pub(super) fn read(
        dataset: &Dataset,
        mut options: WriteOptions,
        clusters: Clusters,
    ) -> Result<(Self, Arc<Existing>, WriteOptions)> {
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        if let Some(hidden) = dataset.schema().hidden().first() {
            let message = format!("the field cannot be written, as it cannot be read ({})", hidden.reason);
            return Err(place(Error::unsupported(message).in_field(&*hidden.name)));
        }
        let max_key_size = dataset.anchor().max_key_size;
        // What is there was cut by the file's own limit; 0, which uproot writes, is none (format, section 7.6).
        options.max_key_size = if max_key_size == 0 { 1 << 30 } else { max_key_size.min(1 << 30) };
        let envelopes = EnvelopeWriter::new(options.compression, max_key_size);
        let schema = dataset.schema().clone();
        // Nothing is added to what is damaged.
        dataset.groups().try_for_each(|group| group.map(drop))?;
        let lanes = last_ranges(dataset)?;
        let known = Self {
            catalog: Catalog::resume(dataset, envelopes),
            elements: elements_before(&schema, &lanes, dataset.entry_count()).map_err(place)?,
            schema: schema.clone(),
            clusters: match clusters {
                Clusters::Stay => Vec::new(),
                Clusters::Grow => dataset.clusters().collect::<Result<_>>()?,
            },
            groups: dataset.cluster_groups().iter().map(|group| group.cluster_count).collect(),
            statistics: if options.statistics && clusters == Clusters::Stay {
                rows_of(dataset)
            } else {
                Vec::new()
            },
            order: order_before(dataset, &options.owned.sort_order)?,
        };
        let existing = Existing { active: active_columns(&schema, &lanes), schema };
        Ok((known, Arc::new(existing), options))
    }
}

/// The statistics that the file has. Without them, nothing is known, which is no error.
fn rows_of(dataset: &Dataset) -> Vec<Attribute<Row>> {
    let statistics = Statistics::of(dataset).ok().flatten();
    statistics.and_then(|statistics| statistics.into_rows().ok()).unwrap_or_default()
}

/// The order of the entries by these fields: as the file says it, or else as the fields are read.
fn order_before(dataset: &Dataset, fields: &[String]) -> Result<Option<SortOrder>> {
    if fields.is_empty() || dataset.entry_count() == 0 {
        return Ok(None);
    }
    let statistics = Statistics::of(dataset).ok().flatten();
    let known = statistics.as_ref().and_then(Statistics::sort_order);
    match known.filter(|order| order.fields().starts_with(fields)) {
        Some(known) => Ok(Some(known.clone())),
        None => SortOrder::verify(dataset, fields).map(Some),
    }
}

/// Columns of a field of which a cluster has one: the same one of each representation.
struct Lane {
    field: FieldId,
    /// Which one of a representation.
    number: usize,
    columns: Vec<ColumnId>,
    /// The column that the last cluster with any of them has, its first element there and how many it has.
    last: Option<(ColumnId, u64, u64)>,
}

/// What the last clusters say about each lane.
fn last_ranges(dataset: &Dataset) -> Result<Vec<Lane>> {
    let schema = dataset.schema();
    let mut lanes = Vec::new();
    for (field, _) in schema.fields().filter(|(_, field)| field.projection_source.is_none()) {
        let lists = schema.representations(field);
        for number in 0..lists.first().map_or(0, Vec::len) {
            let columns = lists.iter().filter_map(|list| list.get(number)).copied().collect();
            lanes.push(Lane { field, number, columns, last: None });
        }
    }
    for id in (0..dataset.cluster_count()).rev() {
        if lanes.iter().all(|lane| lane.last.is_some()) {
            break;
        }
        let cluster = dataset.cluster(id)?;
        for lane in lanes.iter_mut().filter(|lane| lane.last.is_none()) {
            lane.last = lane.columns.iter().find_map(|column| {
                let range = cluster.columns.get(column.index())?;
                Some((*column, range.first_element?, range.stored_count()))
            });
        }
    }
    Ok(lanes)
}

/// By column: whether the last cluster that has anything of its field has it there.
fn active_columns(schema: &Schema, lanes: &[Lane]) -> Vec<bool> {
    let mut active = vec![false; schema.columns().count()];
    for (id, ..) in lanes.iter().filter(|lane| lane.number == 0).filter_map(|lane| lane.last) {
        if let Some(active) = active.get_mut(id.index()) {
            *active = true;
        }
    }
    active
}

/// By column: elements in all clusters (format, section 7.3). Those of all representations are the same.
fn elements_before(schema: &Schema, lanes: &[Lane], entries: u64) -> Result<Vec<u64>> {
    let fields: Vec<FieldDescriptor> = schema.fields().map(|(_, field)| field.clone()).collect();
    let too_many = || Error::out_of_spec("a column has over 2^63 elements");
    let mut elements = vec![0; schema.columns().count()];
    for Lane { field, number, columns, last } in lanes {
        let place = |error: Error| {
            let column = columns.first().map_or(0, |column| column.0);
            error.in_column(column.into()).in_field(schema.path(*field))
        };
        let per_entry = if *number == 0 { elements_per_entry(&fields, *field).map_err(place)? } else { None };
        let count = match per_entry {
            // Entries before the column came count as well: their elements read as zeros.
            Some(per_entry) => entries.checked_mul(per_entry),
            None => last.map_or(Some(0), |(_, first, count)| first.checked_add(count)),
        };
        let count = count.filter(|count| i64::try_from(*count).is_ok()).ok_or_else(|| place(too_many()))?;
        for column in columns {
            let first = schema.column(*column).and_then(|column| column.first_element);
            if first.is_some_and(|first| first.unsigned_abs() > count) {
                let message =
                    format!("a column begins with element {}, but its field has {count}", first.unwrap_or(0));
                return Err(place(Error::out_of_spec(message)));
            }
            if let Some(elements) = elements.get_mut(column.index()) {
                *elements = count;
            }
        }
    }
    Ok(elements)
}
