//! Settings of a data set that are in its manifest.

use crate::error::{Error, Result};
use crate::format::Manifest;

/// The path of the ntuple in each data file.
pub(crate) const NTUPLE: &str = "rntuple.ntuple";

/// The fields that the rows of each fragment are sorted by: their ids, `0,1`. Ids stay when fields get other names.
pub(crate) const SORT_ORDER: &str = "rntuple.sort_order";

/// The ids of the fields that rows are sorted by; none where the manifest says nothing that makes sense.
pub(crate) fn sort_order(manifest: &Manifest) -> Vec<i32> {
    let text = manifest.config.get(SORT_ORDER).map(|text| text.split(','));
    let ids: Result<Vec<i32>, _> = text.into_iter().flatten().map(str::parse).collect();
    ids.unwrap_or_default()
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
