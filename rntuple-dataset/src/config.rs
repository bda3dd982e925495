//! Settings of a data set that are in its manifest.

use crate::error::{Error, Result};
use crate::format::Manifest;

/// The path of the ntuple in each data file.
pub(crate) const NTUPLE: &str = "rntuple.ntuple";

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
