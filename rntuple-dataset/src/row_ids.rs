//! The row ids of fragments: in the manifest, or in files that may have those of many fragments.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::format::{DataFragment, ExternalFile, RowIdSequence, RowIds};
use crate::location::Location;

/// A part of a file, and the fragment whose row ids it has.
struct Part<'a> {
    file: &'a ExternalFile,
    fragment: &'a DataFragment,
    ids: &'a mut RowIdSequence,
}

/// Reads the row ids of fragments.
///
/// # Errors
/// They cannot be read; or two fragments have theirs in the same bytes of a file: a few bytes could be the ids of any
/// number of fragments.
pub(crate) async fn read(location: &Location, fragments: &[DataFragment]) -> Result<Vec<RowIdSequence>> {
    let mut all = vec![RowIdSequence::new(); fragments.len()];
    let mut files: BTreeMap<&str, Vec<Part<'_>>> = BTreeMap::new();
    for (ids, fragment) in all.iter_mut().zip(fragments) {
        match &fragment.row_id_sequence {
            Some(RowIds::Inline(bytes)) => *ids = sequence(location, fragment, Some(bytes))?,
            Some(RowIds::External(file)) => {
                files.entry(&file.path).or_default().push(Part { file, fragment, ids });
            }
            None if fragment.physical_rows == 0 => {}
            None => return Err(fault(location, fragment, "it has no row ids")),
        }
    }
    for (path, mut parts) in files {
        let bytes = location.get(path).await?;
        parts.sort_unstable_by_key(|part| (part.file.offset, part.file.size));
        let mut end = 0;
        for Part { file, fragment, ids } in parts {
            if file.size > 0 && file.offset < end {
                let message = "another fragment has its row ids in the same bytes of the file";
                return Err(fault(location, fragment, message));
            }
            end = file.offset.saturating_add(file.size).max(end);
            let range = usize::try_from(file.offset)
                .ok()
                .zip(usize::try_from(file.offset.saturating_add(file.size)).ok());
            let part = range.and_then(|(start, end)| bytes.get(start..end));
            *ids = sequence(location, fragment, part)?;
        }
    }
    Ok(all)
}

/// The row ids of a fragment, by their bytes; `None`: the file does not have them.
fn sequence(location: &Location, fragment: &DataFragment, bytes: Option<&[u8]>) -> Result<RowIdSequence> {
    let bytes = bytes.ok_or_else(|| fault(location, fragment, "the file of its row ids is too short"))?;
    let read = RowIdSequence::read(bytes, fragment.physical_rows);
    read.map_err(|error| in_fragment(location, fragment, error))
}

#[cold]
fn fault(location: &Location, fragment: &DataFragment, message: &'static str) -> Error {
    in_fragment(location, fragment, Error::out_of_spec(message))
}

#[cold]
fn in_fragment(location: &Location, fragment: &DataFragment, error: Error) -> Error {
    error.in_field(format!("fragment {}", fragment.id)).in_file(location.root())
}
