//! Whether the fields of a schema are such that values can be read from their columns.

use std::sync::Arc;

use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::Value;
use crate::reader::{ReadOptions, Reader};

/// Refuses a schema with columns that are no values of any type, such as offsets without the items.
///
/// # Errors
/// The first field that has them.
pub(crate) fn require_values(dataset: &Arc<Dataset>) -> Result<()> {
    let opened = Reader::<Value>::from_dataset(dataset.clone(), ReadOptions::new());
    let error = opened.err().filter(|error| error.kind() == ErrorKind::SchemaMismatch);
    match error.as_ref().and_then(|error| error.mismatches().first()) {
        Some(mismatch) => {
            let message = format!("the columns of {} are no values", mismatch.found);
            Err(Error::out_of_spec(message).in_field(&*mismatch.field))
        }
        None => Ok(()),
    }
}
