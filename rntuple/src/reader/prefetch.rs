//! Loading clusters: pages by merged ranges, from the file's storage.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::ReadOptions;
use crate::bytes::Block;
use crate::cluster::{Access, Cluster, Fetch, Merging, ReadAhead, Room, Sharing};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::root::RootFile;
use crate::schema::{ClusterDescriptor, ClusterId, ColumnId, Locator};

/// Where nothing else is asked for, reads are merged up to this size,
const MERGED: u64 = 4 << 20;
/// as long as a walk then holds no more than a page of each column, or no more than this.
const HELD: u64 = 1 << 20;
/// From storage that is far away, all of a cluster is read at once: its reads are merged so far that they are few, and
/// that a page that is still needed holds no more memory than this.
const MERGED_FAR: u64 = 1 << 20;
/// Clusters that are read ahead at once.
const MOST_AHEAD: usize = 512;

/// Buffers that are not needed just now: a page is often as long as the one before.
#[derive(Debug, Default)]
struct Spares {
    buffers: Mutex<Vec<Vec<u8>>>,
    /// Whether requests for many pages take their buffers here.
    is_for_many: bool,
}

impl Spares {
    /// More than this many would only be idle: as many as threads read at once.
    const MOST: usize = 4;
    /// As many as requests for many pages need,
    const MOST_FOR_MANY: usize = 16;
    /// but with no more bytes than this, if they are over [`MOST`](Self::MOST).
    const MOST_BYTES: usize = 16 << 20;

    fn take(&self, length: u64) -> Vec<u8> {
        let mut spares = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = spares.iter().enumerate().filter(|(_, spare)| spare.capacity() as u64 >= length);
        match fits.min_by_key(|(_, spare)| spare.capacity()) {
            Some((position, _)) => spares.swap_remove(position),
            // One that is too short makes way.
            None => {
                spares.pop();
                Vec::new()
            }
        }
    }

    fn put(&self, spare: Vec<u8>) {
        let mut spares = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let fits_many = || {
            let bytes = spares.iter().map(Vec::capacity).fold(spare.capacity(), usize::saturating_add);
            self.is_for_many && spares.len() < Self::MOST_FOR_MANY && bytes <= Self::MOST_BYTES
        };
        if spares.len() < Self::MOST || fits_many() {
            spares.push(spare);
        }
    }
}

/// Reads ranges of one file.
struct FileFetch {
    file: RootFile,
    max_key_size: u64,
    spares: Arc<Spares>,
}

impl Fetch for FileFetch {
    fn fetch(&self, range: Range<u64>) -> Result<Block> {
        let size = range.end.saturating_sub(range.start);
        self.file.payload_in(range.start, size, self.max_key_size, self.spares.take(size))
    }

    fn fetch_all(&self, ranges: &[Range<u64>]) -> Vec<Result<Block>> {
        match ranges {
            // One read may use memory that is at hand.
            [range] => vec![self.fetch(range.clone())],
            ranges => self.file.payloads(ranges, self.max_key_size, &|size| self.spares.take(size)),
        }
    }

    fn recycle(&self, block: Block) {
        if let Some(spare) = block.into_copy() {
            self.spares.put(spare);
        }
    }
}

/// What the clusters of one walk are read with.
#[derive(Clone, Debug, Default)]
pub(super) struct Supply {
    spares: Arc<Spares>,
    room: Option<Arc<Room>>,
    ahead: Option<Arc<ReadAhead>>,
}

impl Supply {
    /// Within `room`, and ahead of what is asked for where `options` give the threads.
    pub(super) fn new(options: &ReadOptions, room: Option<Arc<Room>>) -> Self {
        let limit = options.read_ahead_limit();
        let ahead = options.pool.as_ref().filter(|_| limit > 0);
        let ahead = ahead.map(|pool| ReadAhead::new(pool, limit, room.clone()));
        Self { spares: Arc::default(), room, ahead }
    }

    /// Within `room`, from storage that is far away.
    pub(super) fn far(options: &ReadOptions, room: Option<Arc<Room>>) -> Self {
        let ahead = Some(ReadAhead::far(options.read_ahead_limit_far(), room.clone()));
        // Where memory is scarce, little of it is idle.
        let spares = Arc::new(Spares { is_for_many: room.is_none(), ..Spares::default() });
        Self { spares, room, ahead }
    }

    /// Without anything ahead.
    pub(super) fn within(room: Option<Arc<Room>>) -> Self {
        Self { spares: Arc::default(), room, ahead: None }
    }

    /// What its reads may take.
    pub(super) fn room(&self) -> Option<Arc<Room>> {
        self.room.clone()
    }

    /// Whether the storage is far away.
    pub(super) fn is_far(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.is_far())
    }

    /// Whether one more cluster may be read ahead, after `count` of them.
    pub(super) fn has_room_after(&self, count: usize) -> bool {
        match &self.ahead {
            // Small clusters are read several at a time.
            Some(ahead) if ahead.is_far() => count < MOST_AHEAD && ahead.has_room(),
            Some(_) => count == 0,
            None => false,
        }
    }

    /// Begins what was added, from storage that is far away: `expects_more`, or this is all that will be needed.
    pub(super) fn begin(&self, expects_more: bool) {
        if let Some(ahead) = self.ahead.as_ref().filter(|ahead| ahead.is_far()) {
            ahead.expect_more(expects_more);
        }
    }

    /// How a cluster will be read: `from_start` on, whether it is read as a whole, and what walks share.
    pub(super) fn access(&self, from_start: bool, is_whole: bool, sharing: Option<Sharing>) -> Access {
        let ahead = self.ahead.clone().filter(|ahead| is_whole || ahead.is_far());
        Access { from_start, room: self.room.clone(), ahead, sharing, wanted: None }
    }
}

/// Plans the reads of cluster `index`; nothing is read before a page is asked for, or the cluster is
/// [begun](Cluster::begin).
pub(super) fn load(
    dataset: &Dataset,
    index: u64,
    selected: &BTreeSet<ColumnId>,
    options: &ReadOptions,
    supply: &Supply,
    is_walk: bool,
) -> Result<Cluster> {
    let descriptor = dataset.cluster(index)?;
    let id = u32::try_from(index).map_err(|_| Error::limit("the ntuple has over 2^32 clusters"))?;
    let max_key_size = match dataset.anchor().max_key_size {
        // What uproot writes: nothing is cut.
        0 => u64::MAX,
        size => size,
    };
    let free = options.read_size.or_else(|| (is_walk && supply.is_far()).then_some(MERGED_FAR));
    let size = merged_size(&descriptor, selected, free, supply.room.as_deref());
    let merging = Merging { gap: options.merge_gap, size: size.min(max_key_size), chunk: max_key_size };
    let fetch = FileFetch { file: dataset.file().clone(), max_key_size, spares: supply.spares.clone() };
    Ok(Cluster::new(ClusterId(id), descriptor, selected, merging, Arc::new(fetch)))
}

/// How long merged reads may grow, so that all that are held at once, at most one for each column, stay within
/// bounds.
fn merged_size(
    descriptor: &ClusterDescriptor,
    selected: &BTreeSet<ColumnId>,
    free: Option<u64>,
    room: Option<&Room>,
) -> u64 {
    let columns = selected.iter().filter_map(|id| descriptor.columns.get(id.index()));
    let (mut count, mut largest, mut total) = (0u64, 0u64, 0u64);
    for column in columns.filter(|column| !column.pages.is_empty()) {
        count += 1;
        for page in &column.pages {
            if let Locator::File { size, .. } = page.locator {
                let size = size.saturating_add(8);
                largest = largest.max(size);
                total = total.saturating_add(size);
            }
        }
    }
    let held = count.saturating_mul(largest).max(HELD);
    let free = match free {
        Some(size) => size,
        None if total <= held => MERGED,
        None => largest,
    };
    match room {
        Some(room) => free.min(room.left() / count.max(1)),
        None => free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_spares_are_kept_unless_many_are_needed() {
        let kept = |is_for_many, count: usize, length: usize| {
            let spares = Spares { is_for_many, ..Spares::default() };
            (0..count).for_each(|_| spares.put(Vec::with_capacity(length)));
            spares.buffers.into_inner().unwrap().len()
        };
        assert_eq!(kept(false, 20, 10), Spares::MOST);
        assert_eq!(kept(true, 20, 10), Spares::MOST_FOR_MANY);
        assert_eq!(kept(true, 20, 2 << 20), 8);
        assert_eq!(kept(true, 20, 8 << 20), Spares::MOST);
    }
}
