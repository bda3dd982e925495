//! How an ntuple ends, and its file with it.

use super::saved::STATE;
use super::shared_file::{AnyFile, lock_any};
use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind, Result};

/// What of a file may still change when its ntuple ends.
pub(super) struct Ending {
    /// The file ends with this ntuple.
    owns_file: bool,
    /// Nothing else is written to the file, so that its end can be taken back.
    is_alone: bool,
    /// The end of what is not to be written again, and then of each page list of a group that this writer ended.
    floors: Vec<u64>,
}

/// A file that has ended.
pub(super) struct Ended {
    pub(super) file_size: u64,
    /// Entries that made room for the end.
    pub(super) removed: u64,
}

impl Ending {
    /// Of a file that ends here so far, and that is the ntuple's.
    pub(super) fn new(file_end: u64) -> Self {
        Self { owns_file: true, is_alone: true, floors: vec![file_end] }
    }

    pub(super) fn owns_file(&self) -> bool {
        self.owns_file
    }

    pub(super) fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Something else writes to the file as well, or what was written counts: it is not taken back.
    pub(super) fn share_file(&mut self) {
        self.is_alone = false;
    }

    /// The file ends with another ntuple.
    pub(super) fn disown_file(&mut self) {
        (self.owns_file, self.is_alone) = (false, false);
    }

    /// The page list of a cluster group ends here.
    pub(super) fn add_group(&mut self, file_end: u64) {
        self.floors.push(file_end);
    }

    /// Writes the end of the ntuple at `path`, if it has changed, and of its file. A file that is not whole takes no other
    /// file's place.
    pub(super) fn write(
        &self,
        (catalog, path): (&mut Catalog, &str),
        file: &AnyFile<'_>,
        is_whole: bool,
    ) -> Result<Ended> {
        let file = &mut *lock_any(file);
        // The state of a writer that goes on.
        catalog.unlink(STATE);
        // Where nothing was appended, the file stays as it is.
        if catalog.is_changed() {
            let anchor = catalog.finish(file)?;
            file.put_anchor(path, &anchor)?;
        }
        if self.owns_file {
            match is_whole {
                true => file.finish()?,
                false => file.finish_incomplete()?,
            };
        }
        Ok(Ended { file_size: file.end(), removed: 0 })
    }

    /// There was no room for what makes the file readable. It overwrites the pages of unfinished clusters, which are of
    /// no use, and then as many of the last clusters as necessary: a storage that is full mostly lets a writer
    /// overwrite the bytes that it has.
    pub(super) fn write_over(
        &mut self,
        (catalog, path): (&mut Catalog, &str),
        file: &AnyFile<'_>,
        is_whole: bool,
        error: &Error,
    ) -> Option<Ended> {
        let floor = |floors: &[u64]| floors.last().copied().unwrap_or(u64::MAX);
        // Otherwise it was a flush, or the header, which leads to the end: what is on storage is not known then.
        let is_end = |offset: u64| offset >= floor(&self.floors);
        if error.kind() != ErrorKind::Io || !error.location().offset.is_some_and(is_end) {
            return None;
        }
        let before = catalog.entry_count();
        let (mut step, mut clusters) = (0, 0);
        loop {
            catalog.retract(step);
            clusters += step;
            let end = catalog.open_group_end().max(floor(&self.floors));
            lock_any(file).roll_back(end, path);
            let removed = before - catalog.entry_count();
            match self.write((catalog, path), file, is_whole && removed == 0) {
                Ok(ended) => return Some(Ended { removed, ..ended }),
                // Not one by one, as each attempt writes a page list of all others.
                Err(_) if catalog.has_open_group() => step = 1 + clusters / 8,
                // The clusters of a group are known to its page list alone: all or none.
                Err(_) if self.floors.len() > 1 => {
                    self.floors.pop();
                    catalog.retract_group();
                }
                Err(_) => return None,
            }
        }
    }
}
