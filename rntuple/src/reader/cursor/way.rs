//! From the entries of a cluster to the elements that one field has of them.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Connection, Descent, Position};
use crate::reader::ReadOptions;
use crate::reader::prefetch::{self, Supply};

/// The offsets between the entries of one cluster and a field.
pub(crate) struct Way {
    descent: Descent,
    /// The entries of the cluster.
    cluster: Range<u64>,
}

impl Way {
    /// To the elements of the field at `path`, or to the scalars inside it, in a cluster of one file; `is_whole`: to
    /// those of many entries of the cluster. Then as many offsets as one request may have are asked for at once of storage
    /// that is far away.
    ///
    /// # Errors
    /// The path leads through a variant; or the page list or offsets cannot be read.
    pub(in crate::reader) fn new(
        dataset: &Dataset,
        cluster: u64,
        path: &str,
        scalars: bool,
        options: &ReadOptions,
        supply: &Supply,
        is_whole: bool,
    ) -> Result<Self> {
        let limits = options.limits_of(dataset.file());
        // The offsets above the field are read here alone: a walk from the first element has no need of them.
        let connection = Connection::new(dataset.schema().clone(), options.verify_checksums, &limits, None);
        let mut descent = connection.root().descent(path, scalars)?;
        let selected = connection.finish()?;
        let mut above = prefetch::load(dataset, cluster, &selected, options, supply, is_whole)?;
        if supply.is_far() {
            above = above.accessed(supply.access(is_whole, is_whole, None));
        }
        descent.first_of(Position::start_of(&above))?;
        let descriptor = above.descriptor();
        let end = descriptor.first_entry.saturating_add(descriptor.entry_count);
        Ok(Self { descent, cluster: descriptor.first_entry..end })
    }

    /// The same, where the entries of the file are counted from `first` on.
    pub(super) fn counted_from(self, first: u64) -> Self {
        let Range { start, end } = self.cluster;
        Self { cluster: start.saturating_add(first)..end.saturating_add(first), ..self }
    }

    /// Whether it is that of the cluster that has an entry.
    pub(in crate::reader) fn has(&self, entry: u64) -> bool {
        self.cluster.contains(&entry)
    }

    /// The first element of an entry of the cluster, counted from the first one of the cluster. That of the entry after the
    /// cluster is the number of all elements.
    ///
    /// # Errors
    /// Offsets are damaged.
    fn first_element_of(&mut self, entry: u64) -> Result<u64> {
        self.descent.first_of(Position::at(entry - self.cluster.start))
    }

    /// The number of all elements.
    ///
    /// # Errors
    /// Offsets are damaged.
    pub(crate) fn element_count(&mut self) -> Result<u64> {
        self.first_element_of(self.cluster.end)
    }

    /// For each of some elements in order, the first entry whose elements begin there or later, counted from the first one of
    /// the cluster; the number of entries if none does. Where offsets are damaged, the entries may be out of order.
    ///
    /// # Errors
    /// Offsets cannot be read.
    pub(crate) fn entries_from(&mut self, mut elements: Vec<u64>) -> Result<Vec<u64>> {
        self.descent.rise(&mut elements)?;
        let count = self.cluster.end - self.cluster.start;
        elements.iter_mut().for_each(|entry| *entry = count.min(*entry));
        Ok(elements)
    }

    /// The elements of entries of the cluster that follow each other. Those after the cluster are left out.
    ///
    /// # Errors
    /// Offsets are damaged.
    pub(in crate::reader) fn elements_of(&mut self, entries: Range<u64>) -> Result<Range<u64>> {
        let start = self.first_element_of(entries.start)?;
        let end = self.first_element_of(entries.end.min(self.cluster.end))?;
        if end < start {
            return Err(Error::out_of_spec(format!("collections range from item {start} to {end}")));
        }
        Ok(start..end)
    }
}
