//! Batches of columns that are there already.

use crate::error::{Error, Result};

/// The length of the columns, which is that of all.
///
/// # Errors
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names the first column of another length.
pub fn same_length(columns: &[(&str, usize)]) -> Result<usize> {
    let Some(&(first, length)) = columns.first() else { return Ok(0) };
    match columns.iter().find(|(_, other)| *other != length) {
        None => Ok(length),
        Some((name, other)) => {
            let message = format!("`{first}` has {length} values, but `{name}` has {other}");
            Err(Error::invalid_argument(message))
        }
    }
}
