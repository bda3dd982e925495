//! What statistics recognise the pages by that they are about.

use xxhash_rust::xxh3::xxh3_64;

use crate::dataset::Dataset;
use crate::root::RootFile;
use crate::schema::{ClusterGroup, Locator};

/// Which file has the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The one that has the statistics.
    Itself,
    /// The one with this identity.
    Other([u8; 16]),
}

impl Owner {
    /// The file, for statistics in another one.
    pub(crate) fn of(file: &RootFile) -> Self {
        Self::Other(file.uuid())
    }
}

/// What the page lists of an ntuple are recognised by: for each cluster group the first cluster after it, and its mark.
pub(super) fn marks(dataset: &Dataset, owner: Owner) -> Vec<(u64, u64)> {
    marks_of(owner, dataset.header_checksum(), dataset.cluster_groups())
}

/// The same of the groups that a footer has.
pub(crate) fn marks_of(owner: Owner, header_checksum: u64, groups: &[ClusterGroup]) -> Vec<(u64, u64)> {
    let mut end = 0;
    let groups = groups.iter().map(|group| {
        end += u64::from(group.cluster_count);
        (end, mark(owner, header_checksum, group))
    });
    groups.collect()
}

/// What all page lists are recognised by: where one is added or written again, it is another number.
pub(crate) fn all_marks(marks: &[(u64, u64)]) -> u64 {
    let bytes: Vec<u8> =
        marks.iter().flat_map(|(end, mark)| [*end, *mark]).flat_map(u64::to_le_bytes).collect();
    xxh3_64(&bytes)
}

/// A hash of the place of a page list. In one file, another page list is at another place, or has another length.
fn mark(owner: Owner, header_checksum: u64, group: &ClusterGroup) -> u64 {
    let (offset, size) = match group.page_list {
        Locator::File { offset, size } => (offset, size),
        Locator::Unknown { .. } => (0, 0),
    };
    let numbers = [
        header_checksum,
        group.first_entry,
        group.entry_count,
        group.cluster_count.into(),
        group.page_list_length,
        offset,
        size,
    ];
    let mut bytes = numbers.map(u64::to_le_bytes).concat();
    if let Owner::Other(uuid) = owner {
        bytes.extend(uuid);
    }
    xxh3_64(&bytes)
}
