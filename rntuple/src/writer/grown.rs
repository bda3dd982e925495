//! The clusters of an existing ntuple, and the columns that they get.

use std::collections::VecDeque;
use std::sync::Arc;

use super::known::Known;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::field::elements_per_entry;
use crate::message::counted;
use crate::root::FileWriter;
use crate::schema::{ClusterDescriptor, ColumnDescriptor, ColumnRange, FieldDescriptor};
use crate::storage::WriteAt;

/// The clusters of an ntuple that get more columns.
pub(super) struct GrownClusters {
    /// Those to come, each with whether a cluster group ends with it.
    clusters: VecDeque<(Arc<ClusterDescriptor>, bool)>,
    /// What their columns have where they do not say so, by column: those that came later.
    columns: Vec<Later>,
    /// By new column: elements so far, and the settings of its pages.
    latest: Vec<ColumnRange>,
}

/// A column that clusters need not list.
struct Later {
    /// Elements for each entry that read as zeros before it came.
    per_entry: u64,
    is_suppressed: bool,
}

impl GrownClusters {
    /// What `known` has before new columns come.
    pub(super) fn new(known: &Known) -> Result<Self> {
        let fields: Vec<FieldDescriptor> = known.schema.fields().map(|(_, field)| field.clone()).collect();
        let later = |column: &ColumnDescriptor| -> Result<Later> {
            let first = column.first_element.unwrap_or(0);
            let per_entry = if first > 0 { elements_per_entry(&fields, column.field)? } else { None };
            Ok(Later { per_entry: per_entry.unwrap_or(0), is_suppressed: first < 0 })
        };
        let columns: Vec<_> =
            known.schema.columns().map(|(_, column)| later(column)).collect::<Result<_>>()?;
        // Columns that came later need not be listed.
        let in_header = columns.len().saturating_sub(known.catalog.later_column_count());
        let is_short =
            |cluster: &ClusterDescriptor| cluster.columns.len() < in_header && cluster.entry_count > 0;
        if let Some(id) = known.clusters.iter().position(|cluster| is_short(cluster)) {
            let message = format!("the cluster does not list all {in_header} columns of the header");
            return Err(Error::out_of_spec(message).in_cluster(id as u64));
        }
        let mut clusters: VecDeque<_> =
            known.clusters.iter().map(|cluster| (cluster.clone(), false)).collect();
        let mut end = 0usize;
        for &count in &known.groups {
            end = end.saturating_add(count as usize);
            if let Some((_, is_last)) = end.checked_sub(1).and_then(|last| clusters.get_mut(last)) {
                *is_last = true;
            }
        }
        Ok(Self { clusters, columns, latest: Vec::new() })
    }

    /// How many entries the clusters have that have any.
    pub(super) fn entry_counts(&self) -> VecDeque<u64> {
        self.clusters.iter().map(|(cluster, _)| cluster.entry_count).filter(|count| *count > 0).collect()
    }

    /// Adds the columns of one cluster; `all` has those that were there before as well, without anything in them.
    pub(super) fn put(
        &mut self,
        entries: u64,
        mut all: Vec<ColumnRange>,
        catalog: &mut Catalog,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<()> {
        let new = all.split_off(self.columns.len().min(all.len()));
        self.latest = new.iter().map(after).collect();
        while let Some((cluster, is_last)) = self.clusters.pop_front() {
            if cluster.entry_count == 0 {
                // Nothing is filled in those: they stand before all new elements.
                let before = new.iter().map(before).collect();
                self.push(&cluster, before, is_last, catalog, file)?;
                continue;
            }
            if cluster.entry_count != entries {
                let wanted = cluster.entry_count;
                return Err(Error::invalid_argument(format!(
                    "the new columns have {} for a cluster of {wanted}",
                    counted(entries, "entry")
                )));
            }
            return self.push(&cluster, new, is_last, catalog, file);
        }
        Err(Error::invalid_argument("the new columns have more clusters than the ntuple"))
    }

    /// The clusters after the last one with entries have none.
    pub(super) fn finish(
        &mut self,
        catalog: &mut Catalog,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<()> {
        while let Some((cluster, is_last)) = self.clusters.pop_front() {
            let latest = self.latest.clone();
            self.push(&cluster, latest, is_last, catalog, file)?;
        }
        Ok(())
    }

    fn push(
        &self,
        cluster: &ClusterDescriptor,
        new: Vec<ColumnRange>,
        is_last: bool,
        catalog: &mut Catalog,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<()> {
        let mut columns = cluster.columns.clone();
        columns.truncate(self.columns.len());
        // Columns that came after this cluster are named here for the first time: there is nothing in them.
        for later in self.columns.get(columns.len()..).unwrap_or_default() {
            let first = cluster.first_entry.checked_mul(later.per_entry);
            let first = first.ok_or_else(|| Error::out_of_spec("a column has over 2^63 elements"))?;
            let nothing = ColumnRange::new(first, 0, Vec::new());
            columns.push(if later.is_suppressed { ColumnRange::suppressed() } else { nothing });
        }
        columns.extend(new);
        catalog.push(ClusterDescriptor::new(0, cluster.entry_count, columns))?;
        if is_last { catalog.end_group(file) } else { Ok(()) }
    }
}

/// Nothing, before what is there.
fn before(range: &ColumnRange) -> ColumnRange {
    ColumnRange { pages: Vec::new(), ..range.clone() }
}

/// Nothing, after what is there.
fn after(range: &ColumnRange) -> ColumnRange {
    let first = range.first_element.map(|first| first.saturating_add(range.stored_count()));
    ColumnRange { first_element: first, pages: Vec::new(), ..range.clone() }
}
