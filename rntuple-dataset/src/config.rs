//! Settings of a data set that are in its manifest.

use std::collections::{BTreeMap, HashSet};

use crate::error::{Error, Result};
use crate::format::Manifest;

/// The path of the ntuple in each data file.
pub(crate) const NTUPLE: &str = "rntuple.ntuple";

/// The fields that the rows of each fragment are sorted by: their ids, `0,1`. Ids stay when fields get other names.
pub(crate) const SORT_ORDER: &str = "rntuple.sort_order";

/// The highest id that a field has ever had, in the metadata of the schema: what names fields by their ids must not mean others
/// later, once they are dropped.
const LAST_FIELD: &str = "rntuple.last_field";

/// The highest id that any field is known to have had; `None`: none is known.
pub(crate) fn last_field(manifest: &Manifest) -> Option<i32> {
    let noted = noted(&manifest.schema_metadata);
    let files = manifest.fragments.iter().flat_map(|fragment| &fragment.files);
    let fields = manifest.fields.iter().map(|field| field.id);
    fields.chain(files.flat_map(|file| file.fields.clone())).chain(sort_order(manifest)).chain(noted).max()
}

fn noted(schema_metadata: &BTreeMap<String, Vec<u8>>) -> Option<i32> {
    schema_metadata.get(LAST_FIELD).and_then(|text| str::from_utf8(text).ok()?.parse().ok())
}

/// Notes what `newer` has noted of the highest id, if that is more.
pub(crate) fn keep_last_field(
    schema_metadata: &mut BTreeMap<String, Vec<u8>>,
    newer: &BTreeMap<String, Vec<u8>>,
) {
    if let Some(id) = noted(newer).filter(|id| noted(schema_metadata) < Some(*id)) {
        set_last_field(schema_metadata, id);
    }
}

/// Notes the highest id of a field in the metadata of a schema.
pub(crate) fn set_last_field(schema_metadata: &mut BTreeMap<String, Vec<u8>>, id: i32) {
    schema_metadata.insert(LAST_FIELD.to_owned(), id.to_string().into_bytes());
}

/// The ids of the fields that rows are sorted by, each once; none where the manifest says nothing that makes sense.
pub(crate) fn sort_order(manifest: &Manifest) -> Vec<i32> {
    let text = manifest.config.get(SORT_ORDER).map(|text| text.split(','));
    let ids: Result<Vec<i32>, _> = text.into_iter().flatten().map(str::parse).collect();
    let mut seen = HashSet::new();
    ids.unwrap_or_default().into_iter().filter(|id| seen.insert(*id)).collect()
}

/// The path of the ntuple in each data file.
///
/// # Errors
/// The manifest does not say it.
pub(crate) fn ntuple(manifest: &Manifest) -> Result<&str> {
    let name = manifest.config.get(NTUPLE).map(|name| &**name).filter(|name| !name.is_empty());
    name.ok_or_else(|| {
        Error::out_of_spec("the name of the ntuple is missing").in_field(format!("config.{NTUPLE}"))
    })
}
