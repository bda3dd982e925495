//! Loading clusters: pages by merged ranges, from the file's storage.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::ReadOptions;
use crate::bytes::Block;
use crate::cluster::{Cluster, Fetch, Merging};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::root::RootFile;
use crate::schema::{ClusterId, ColumnId};

/// Reads ranges of one file.
struct FileFetch {
    file: RootFile,
    max_key_size: u64,
}

impl Fetch for FileFetch {
    fn fetch(&self, range: Range<u64>) -> Result<Block> {
        self.file.payload(range.start, range.end.saturating_sub(range.start), self.max_key_size)
    }
}

/// Plans the reads of cluster `index`; nothing is read before a page is asked for.
pub(super) fn load(
    dataset: &Dataset,
    index: usize,
    selected: &BTreeSet<ColumnId>,
    options: &ReadOptions,
) -> Result<Cluster> {
    let (Some(descriptor), Ok(id)) = (dataset.clusters().get(index), u32::try_from(index)) else {
        return Err(Error::invalid_argument(format!("there is no cluster {index}")));
    };
    let max_key_size = match dataset.anchor().max_key_size {
        // What uproot writes: nothing is cut.
        0 => u64::MAX,
        size => size,
    };
    let merging =
        Merging { gap: options.merge_gap, size: options.read_size.min(max_key_size), chunk: max_key_size };
    let fetch = Arc::new(FileFetch { file: dataset.file().clone(), max_key_size });
    Ok(Cluster::new(ClusterId(id), descriptor.clone(), selected, merging, fetch))
}
