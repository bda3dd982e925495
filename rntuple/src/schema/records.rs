//! The records that a schema is built of.

use super::{AliasColumn, ColumnDescriptor, FieldDescriptor};
#[cfg(not(feature = "prerelease"))]
use crate::error::Result;
#[cfg(not(feature = "prerelease"))]
use crate::format_version::{self, FormatVersion};

/// The records of header and extension, one after the other in each list.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) fields: Vec<FieldDescriptor>,
    pub(crate) columns: Vec<ColumnDescriptor>,
    pub(crate) alias_columns: Vec<AliasColumn>,
    /// How many of the fields are the header's.
    pub(crate) header_fields: usize,
}

#[cfg(not(feature = "prerelease"))]
impl Records {
    /// Takes the place of what converts the records of an older generation: they are refused.
    ///
    /// # Errors
    /// [`FeatureDisabled`](crate::ErrorKind::FeatureDisabled) for an older generation.
    pub(crate) fn upgrade(&mut self, format_version: FormatVersion) -> Result<()> {
        if format_version.is_pre_release() {
            return Err(format_version::disabled(format_version));
        }
        Ok(())
    }
}
