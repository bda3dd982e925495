//! Clusters whose page lists are in memory: no footer leads to them.

use super::groups::{Groups, Lead, Pinned};
use crate::bytes::Block;
use crate::envelope::{Dialect, PageList};
use crate::error::Result;
use crate::format_version::FormatVersion;
use crate::root::RootFile;
use crate::schema::{ClusterDescriptor, ClusterGroup, Locator, Schema};

/// Clusters of one page list.
const GROUP: usize = 4096;

/// The groups of clusters that follow each other from entry 0 on.
///
/// # Errors
/// They do not, or one of them cannot be had.
pub(super) fn groups(
    file: &RootFile,
    schema: &Schema,
    header_checksum: u64,
    max_key_size: u64,
    clusters: impl IntoIterator<Item = Result<ClusterDescriptor>>,
) -> Result<Groups> {
    let (mut groups, mut pinned) = (Vec::new(), Vec::new());
    let mut clusters = clusters.into_iter();
    loop {
        let clusters: Vec<_> = clusters.by_ref().take(GROUP).collect::<Result<_>>()?;
        let Some(first) = clusters.first().map(|cluster| cluster.first_entry) else { break };
        let entries = clusters.iter().map(|cluster| cluster.entry_count).fold(0, u64::saturating_add);
        let count = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
        let bytes = PageList { header_checksum, clusters }.write()?;
        // It has no place in the file; groups are distinguished by it.
        let locator = Locator::File { offset: file.end().saturating_add(groups.len() as u64), size: 0 };
        groups.push(ClusterGroup::new(first, entries, count, 0, locator));
        pinned.push(Block::from(bytes));
    }
    let dialect = Dialect::of(FormatVersion::V1).within(file.limits());
    let lead = Lead { schema, dialect, header_checksum, max_key_size, groups, summaries: Vec::new() };
    Groups::of_pinned(file, lead, Pinned(pinned))
}
