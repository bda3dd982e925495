//! Some of the clusters of an ntuple, as an ntuple.

use std::ops::Range;
use std::sync::Arc;

use super::{Dataset, pinned};
use crate::error::{Error, Result};
use crate::schema::ClusterDescriptor;

impl Dataset {
    /// Returns some of the clusters, by their numbers, as an ntuple of their own: for
    /// [`merge::Input::dataset`](crate::merge::Input::dataset), which copies them as they are stored. It has no attribute
    /// sets.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported): fields came while the ntuple was written, and the clusters are not
    /// the first ones. There are fewer clusters; or a page list cannot be read.
    pub fn part(&self, clusters: Range<u64>) -> Result<Self> {
        let is_late = self.schema.columns().any(|(_, column)| column.first_element.is_some());
        if is_late && clusters.start > 0 {
            let message =
                "fields came while the ntuple was written: only its first clusters can be had alone";
            return Err(self.place(Error::unsupported(message)));
        }
        if clusters.end > self.cluster_count() || clusters.start > clusters.end {
            let count = self.cluster_count();
            let message = format!("clusters {}..{} of {count}", clusters.start, clusters.end);
            return Err(self.place(Error::invalid_argument(message)));
        }
        let first = match clusters.is_empty() {
            true => None,
            false => Some(self.cluster(clusters.start)?),
        };
        let all = clusters.map(|number| Ok(moved(&*self.cluster(number)?, first.as_deref())));
        let groups =
            pinned::groups(&self.file, &self.schema, self.header_checksum, self.anchor.max_key_size, all)?;
        Ok(Self { groups: Arc::new(groups), attribute_sets: Vec::new(), ..self.clone() })
    }
}

/// A cluster where the first one has entry 0.
fn moved(cluster: &ClusterDescriptor, first: Option<&ClusterDescriptor>) -> ClusterDescriptor {
    let mut cluster = cluster.clone();
    let Some(first) = first else { return cluster };
    cluster.first_entry = cluster.first_entry.saturating_sub(first.first_entry);
    for (column, first) in cluster.columns.iter_mut().zip(&first.columns) {
        if let (Some(element), Some(first)) = (&mut column.first_element, first.first_element) {
            *element = element.saturating_sub(first);
        }
    }
    cluster
}
