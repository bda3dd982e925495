//! The index of a manifest that has the bounds, and what it is recognised by.

use prost::Message as _;

use crate::format::{DataFile, IndexMetadata, names};

/// Name of the index.
pub(crate) const NAME: &str = "rntuple_bounds";

/// The kind of the index.
pub(crate) const KIND: &str = "/rntuple.dataset.FragmentBounds";

/// What the lists of an entry mean.
pub(crate) const VERSION: i32 = 1;

/// What the index says besides bounds: `index_details.value`. Versions that do not know it ask the files.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Details {
    /// Ids of the fields that rows are sorted by, first the one that counts most.
    #[prost(int32, repeated, tag = "1")]
    pub(crate) sorted_by: Vec<i32>,
    /// Ids of the fragments whose rows are, as a Roaring bitmap. Of the others it is not known.
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) sorted: Vec<u8>,
}

/// The file of the index, in its folder.
pub(crate) const FILE: &str = "bounds.root";

/// The ntuple in it.
pub(crate) const NTUPLE: &str = "Bounds";

/// The index with the bounds, if there is one that this version understands.
pub(crate) fn find(indices: &[IndexMetadata]) -> Option<&IndexMetadata> {
    let is_known = |index: &&IndexMetadata| {
        let kind = index.index_details.as_ref().map(|details| &*details.type_url);
        kind == Some(KIND) && index.index_version == Some(VERSION) && index.base_id.is_none()
    };
    indices.iter().find(is_known)
}

/// What the index says besides bounds. Damaged, it says nothing.
pub(crate) fn details(index: &IndexMetadata) -> Details {
    let value = index.index_details.as_ref().map(|details| Details::decode(&*details.value));
    value.and_then(Result::ok).unwrap_or_default()
}

/// The folder of an index, below that of the data set; `None`: its id is damaged.
pub(crate) fn folder(index: &IndexMetadata) -> Option<String> {
    let uuid = uuid::Uuid::from_slice(&index.uuid.as_ref()?.uuid).ok()?;
    Some(format!("{}/{uuid}", names::INDICES))
}

/// What a data file is recognised by.
pub(crate) fn identity(file: &DataFile) -> u64 {
    let mut bytes = file.path.as_bytes().to_vec();
    // No path has such a byte.
    bytes.push(0xff);
    bytes.extend(file.file_size_bytes.to_le_bytes());
    bytes.extend(file.base_id.map_or(0, |id| u64::from(id) + 1).to_le_bytes());
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_has_another_identity() {
        let file = DataFile { path: "a.root".to_owned(), file_size_bytes: 10, ..Default::default() };
        let others = [
            DataFile { path: "b.root".to_owned(), ..file.clone() },
            DataFile { file_size_bytes: 11, ..file.clone() },
            DataFile { base_id: Some(0), ..file.clone() },
        ];
        assert!(others.iter().all(|other| identity(other) != identity(&file)));
        // Fields that are dropped or renamed change nothing about the values.
        assert_eq!(identity(&DataFile { fields: vec![1, -2], ..file.clone() }), identity(&file));
    }
}
