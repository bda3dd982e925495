//! The schema that a writer would write.

use super::WriteOptions;
use super::core::Draft;
use crate::error::Result;
use crate::field::{RNTuple, Records, WriteField};
use crate::schema::{Schema, is_known_column};

/// The schema of a type, without a file: what a [`Writer`](crate::Writer) with these options would put into one.
///
/// ```
/// use rntuple::{RNTuple, WriteOptions, schema_of};
///
/// #[derive(RNTuple)]
/// struct Muon { pt: f32 }
///
/// #[derive(RNTuple)]
/// struct Event { number: u64, muons: Vec<Muon> }
///
/// let schema = schema_of::<Event>(&WriteOptions::new())?;
/// let paths: Vec<_> = schema.fields().map(|(id, _)| schema.path(id)).collect();
/// assert_eq!(paths, ["number", "muons", "muons._0", "muons._0.pt"]);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// A name or an option is not possible.
pub fn schema_of<T: RNTuple + WriteField + ?Sized>(options: &WriteOptions) -> Result<Schema> {
    // Any name would do: it does not stand in the schema.
    let (_, records) = Draft::new("schema", options.clone())?.declare::<T>()?;
    let Records { fields, columns, .. } = records;
    Schema::build(fields, columns, Vec::new(), Vec::new(), &is_known_column)
}
