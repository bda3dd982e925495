//! What a walk may hold in memory.

use std::ops::Range;
use std::sync::Arc;

use super::ReadOptions;
use crate::cluster::Room;
use crate::column::Demand;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::schema::{ClusterDescriptor, Locator, Schema};

/// What a walk may do within its memory budget.
#[derive(Debug)]
pub(super) struct Memory {
    /// What is left for merged reads and reading ahead; `None`: as much as they like.
    pub(super) room: Option<Arc<Room>>,
    /// Whether a second page of each column may be decoded.
    pub(super) decodes_ahead: bool,
    /// The least budget that would do, where there is one.
    pub(super) least: u64,
}

/// Bytes for a column reader, whatever its pages are.
const READER: u64 = 2 << 10;
/// Bytes for a page of a cluster in the plan of its reads,
const PLANNED: u64 = 256;
/// of this many clusters at once: the columns leave one only when they turn to the next, or to the same one again.
const CLUSTERS: u64 = 2;

/// The largest numbers of a column's pages.
#[derive(Debug, Default)]
pub(super) struct Largest {
    stored: u64,
    count: u64,
    length: u64,
    /// Pages in one cluster.
    pages: u64,
}

impl Largest {
    /// By demand: those of all clusters that have any of the entries.
    ///
    /// # Errors
    /// A page list cannot be read.
    pub(super) fn of(dataset: &Dataset, entries: Range<u64>, demands: &[Demand]) -> Result<Vec<Self>> {
        let mut all: Vec<_> = demands.iter().map(|_| Self::default()).collect();
        for cluster in dataset.clusters_of(entries) {
            let cluster = cluster?;
            for (largest, demand) in all.iter_mut().zip(demands) {
                largest.add(&cluster, demand);
            }
        }
        Ok(all)
    }

    fn add(&mut self, cluster: &ClusterDescriptor, demand: &Demand) {
        let Some(column) = cluster.columns.get(demand.column.index()) else { return };
        self.pages = self.pages.max(column.pages.len() as u64);
        for page in &column.pages {
            let Locator::File { size, .. } = page.locator else { continue };
            let length = demand.packing.page_length(page.count);
            self.stored = self.stored.max(size.saturating_add(8));
            self.count = self.count.max(page.count.into());
            if size < length {
                self.length = self.length.max(length);
            }
        }
    }
}

impl Memory {
    /// Without a budget.
    pub(super) fn unlimited() -> Self {
        Self { room: None, decodes_ahead: true, least: 0 }
    }

    /// Plans a walk by readers of these demands, each with the largest of its pages.
    ///
    /// # Errors
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) where the budget does not hold the pages that must be
    /// held at once.
    pub(super) fn plan(
        schema: &Schema,
        demands: &[Demand],
        largest: &[Largest],
        budget: u64,
        options: &ReadOptions,
    ) -> Result<Self> {
        let threads = options.pool.as_ref().map_or(0, |pool| pool.threads() as u64);
        let (mut held, mut decoded, mut page, mut work, mut spare) = (0u64, 0u64, 0u64, 0u64, 0u64);
        for (demand, largest) in demands.iter().zip(largest) {
            let is_deferred =
                schema.column(demand.column).is_some_and(|column| column.first_element.is_some());
            // Zeros that are not on storage come in portions.
            let count = if is_deferred { largest.count.max(1024) } else { largest.count };
            let values = count.saturating_mul(demand.element);
            let own = values.saturating_add(largest.stored);
            page = page.max(own);
            decoded = decoded.saturating_add(values);
            held = held
                .saturating_add(own)
                .saturating_add(READER)
                .saturating_add(largest.pages.saturating_mul(PLANNED * CLUSTERS));
            spare = spare.max(largest.stored);
            work = work.max(largest.length.saturating_add(count.saturating_mul(demand.scratch)));
        }
        // What one thread needs to decode any page, in addition to the page: a buffer of its bytes, and one to read into.
        let work = work.saturating_add(spare);
        let least = held.saturating_add(work);
        let Some(left) = budget.checked_sub(least) else {
            let columns = demands.len();
            return Err(Error::limit(format!(
                "the memory budget is {budget} bytes, expected at least {least} bytes for {}, each with a stored and \
                 a decoded page of up to {page} bytes together",
                counted(columns as u64, "column")
            )));
        };
        // Ahead, each column has a second page, and each thread works on one.
        let more = decoded.saturating_add(work.saturating_mul(threads));
        let after = left.checked_sub(more).filter(|_| threads > 0);
        let room = Some(Arc::new(Room::new(after.unwrap_or(left))));
        Ok(Self { room, decodes_ahead: after.is_some(), least })
    }
}
