//! Clusters that a new file has from other files as they were, and what is known of their values.

use std::collections::HashMap;
use std::ops::Range;

use rntuple::schema::ClusterId;
use rntuple::statistics::Statistics;
use rntuple::{Dataset, Pool};

use crate::error::Result;

/// Clusters of a new file that are copies.
#[derive(Default)]
pub(crate) struct Copies {
    /// Of each file that has some.
    statistics: Vec<Statistics>,
    /// By the first entry in the new file.
    clusters: HashMap<u64, Copy>,
    /// How many entries there are so far.
    entries: u64,
}

/// A cluster that was copied.
struct Copy {
    entries: u64,
    /// The place of the statistics of its file, and its number there.
    statistics: usize,
    from: ClusterId,
}

impl Copies {
    /// Notes what follows in the new file: parts of this many entries, each with the clusters of a file that it has, or with
    /// none of them.
    ///
    /// # Errors
    /// A page list cannot be read.
    pub(crate) fn add(
        &mut self,
        dataset: &Dataset,
        known: Option<Statistics>,
        parts: impl Iterator<Item = (u64, Range<u64>)>,
    ) -> Result<()> {
        for (entries, clusters) in parts {
            let mut first = self.entries;
            self.entries += entries;
            for number in clusters.filter(|_| known.is_some()) {
                let cluster = dataset.cluster(number)?;
                if let Ok(number) = u32::try_from(number) {
                    let statistics = self.statistics.len();
                    let copy = Copy { entries: cluster.entry_count, statistics, from: ClusterId(number) };
                    self.clusters.insert(first, copy);
                }
                first += cluster.entry_count;
            }
        }
        self.statistics.extend(known);
        Ok(())
    }

    /// Computes statistics of the new file. Of copies, pages are read only where nothing is known of them.
    ///
    /// # Errors
    /// A page cannot be read.
    pub(crate) fn statistics(&self, dataset: &Dataset, pool: &Pool) -> Result<Statistics> {
        let mut sources = HashMap::new();
        for (number, cluster) in (0..).map(ClusterId).zip(dataset.clusters()) {
            let cluster = cluster?;
            let copy = self.clusters.get(&cluster.first_entry);
            if let Some(copy) = copy.filter(|copy| copy.entries == cluster.entry_count) {
                sources.insert(number, copy);
            }
        }
        let source = |number: ClusterId| {
            let copy = sources.get(&number)?;
            Some((self.statistics.get(copy.statistics)?, copy.from))
        };
        Ok(Statistics::compute_unless_copied(dataset, pool, &source)?)
    }
}
