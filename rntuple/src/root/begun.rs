//! Files that a writer has begun in their place, and not finished.

use std::sync::Arc;

use super::header::{FileHeader, HEADER_SIZE};
use super::key::Key;
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::storage::{LocalFile, ReadAt};

/// The header and the root directory of a file that is begun end before this.
const LONGEST_HEAD: u64 = 4096;
/// Bytes that hold the key of a blob.
const BLOB_KEY: u64 = 128;

/// Returns what can be continued; `None` where the writer died before it wrote a page.
///
/// # Errors
/// It died before its first checkpoint, and has written pages: there may be entries to recover.
pub(super) fn to_continue(storage: LocalFile) -> Result<Option<LocalFile>> {
    let storage = Arc::new(storage);
    match RootFile::from_arc(storage.clone()).map(drop) {
        Err(error) if error.kind() == ErrorKind::Unfinished => {
            if has_no_page(&*storage)? {
                return Ok(None);
            }
            Err(error.rephrase(|message| {
                format!(
                    "{message}; there is no checkpoint to continue from: save what is whole with `rntuple recover`, and \
                     remove the file"
                )
            }))
        }
        // What else is wrong with it is an error of the one that continues it.
        _ => {
            let shared = || Error::invalid_argument("the storage is still being read");
            Arc::into_inner(storage).map(Some).ok_or_else(shared)
        }
    }
}

/// Whether an unfinished file has no more than its own beginning and one blob: the header of an ntuple.
fn has_no_page(storage: &dyn ReadAt) -> Result<bool> {
    let size = storage.size();
    let header = match FileHeader::read(&storage.block(0..HEADER_SIZE.min(size))?) {
        // The file ends within it.
        Err(error) if error.kind() == ErrorKind::Unfinished => return Ok(true),
        header => header?,
    };
    let start = header.end;
    // Only the header that a writer begins with has neither list.
    if header.free_offset != 0 || header.info_offset != 0 || start > LONGEST_HEAD {
        return Ok(false);
    }
    if size <= start {
        return Ok(true);
    }
    let bytes = storage.block(start..size.min(start + BLOB_KEY))?;
    let is_last =
        |key: Key| key.class == "RBlob" && key.offset == start && start + u64::from(key.size) >= size;
    Ok(Key::read(&mut Cursor::new(&bytes, start)).is_ok_and(is_last))
}
