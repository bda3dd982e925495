//! How an ntuple ends, and its file with it.

use super::saved::STATE;
use super::shared_file::{AnyFile, lock_any, lock_as};
use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind, Result};
use crate::root::Author;
use crate::schema::LinkedAttributeSet;

/// What of a file may still change when its ntuple ends.
pub(super) struct Ending {
    author: Author,
    /// The file ends with this ntuple.
    owns_file: bool,
    /// What was written counts, so that it is not taken back.
    is_fixed: bool,
    /// The storage has no room for more bytes.
    is_full: bool,
    /// Clusters that the file has counted before this writer came: they are not taken back either.
    counted: u64,
    /// The end of what is not to be written again, and then of each page list of a group that this writer ended.
    floors: Vec<u64>,
    /// The end of the clusters: what the ntuple itself wrote later is of none.
    clusters_end: u64,
    /// The end of what others wrote, the ntuple's own attribute sets included, before these ended.
    others_end: u64,
    /// The attribute sets that ended with the ntuple.
    sets: Option<EndedSets>,
}

/// Attribute sets that ended with their ntuple.
struct EndedSets {
    /// The links that there were before.
    before: Vec<LinkedAttributeSet>,
    file_end: u64,
}

/// A file that has ended.
pub(super) struct Ended {
    pub(super) file_size: u64,
    /// Entries that made room for the end.
    pub(super) removed: u64,
    /// The attribute sets that ended with the ntuple made room as well.
    pub(super) lacks_sets: bool,
}

impl Ending {
    /// Of a file that ends here so far, that is the ntuple's, and that counts this number of its clusters already.
    pub(super) fn new(file_end: u64, counted: u64, author: Author) -> Self {
        Self {
            author,
            owns_file: true,
            is_fixed: false,
            is_full: false,
            counted,
            floors: vec![file_end],
            clusters_end: file_end,
            others_end: 0,
            sets: None,
        }
    }

    /// Who writes to the file.
    pub(super) fn author(&self) -> Author {
        self.author
    }

    /// From now on, what is written belongs to what this author writes.
    pub(super) fn write_as(&mut self, author: Author) {
        self.author = author;
    }

    pub(super) fn owns_file(&self) -> bool {
        self.owns_file
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// What was written counts: it is not taken back.
    pub(super) fn fix(&mut self) {
        self.is_fixed = true;
    }

    /// The file ends with another ntuple.
    pub(super) fn disown_file(&mut self) {
        self.owns_file = false;
    }

    /// The page list of a cluster group ends here.
    pub(super) fn add_group(&mut self, file_end: u64) {
        self.floors.push(file_end);
        self.add_clusters(file_end);
    }

    /// Clusters end here, or what is noted of them.
    pub(super) fn add_clusters(&mut self, file_end: u64) {
        self.clusters_end = self.clusters_end.max(file_end);
    }

    /// No more clusters come, and attribute sets end. If the storage `is_full`, they overwrite the pages of a cluster that
    /// is lost.
    pub(super) fn begin(&mut self, path: &str, file: &AnyFile<'_>, is_full: bool) {
        let mut file = lock_any(file);
        self.others_end = file.start_of(self.author);
        self.is_full = is_full;
        if is_full && !self.is_fixed {
            file.roll_back(self.clusters_end.max(self.others_end), path);
        }
    }

    /// Attribute sets have ended, whose links were `before`.
    pub(super) fn end_sets(
        &mut self,
        catalog: &Catalog,
        before: Vec<LinkedAttributeSet>,
        file: &AnyFile<'_>,
    ) {
        if catalog.attribute_sets() != before {
            self.sets = Some(EndedSets { before, file_end: lock_any(file).end() });
        }
    }

    /// Writes the end of the ntuple at `path`, if it has changed, and of its file. A file that is not whole takes no other
    /// file's place.
    pub(super) fn write(
        &self,
        (catalog, path): (&mut Catalog, &str),
        file: &AnyFile<'_>,
        is_whole: bool,
    ) -> Result<Ended> {
        let file = &mut *lock_as(file, self.author);
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
        } else {
            if (self.is_full && !is_whole) || file.is_short_of_room() {
                // The file ends later, when nothing more can make room.
                file.reserve_end()?;
            }
            if is_whole {
                file.complete_ntuple();
            }
        }
        Ok(Ended { file_size: file.end(), removed: 0, lacks_sets: false })
    }

    /// There was no room for what makes the file readable. It overwrites the pages of unfinished clusters, which are of
    /// no use, then the attribute sets that ended just now, and then as many of the last clusters as necessary, but
    /// none that the file counts already: a storage that is full mostly lets a writer overwrite the bytes that it has.
    pub(super) fn write_over(
        &mut self,
        (catalog, path): (&mut Catalog, &str),
        file: &AnyFile<'_>,
        is_whole: bool,
        error: &Error,
    ) -> Option<Ended> {
        // Otherwise it was a flush, or the header, which leads to the end: what is on storage is not known then.
        let is_end = |offset: u64| self.floors.last().is_some_and(|floor| offset >= *floor);
        let is_possible = match error.kind() {
            ErrorKind::Io => error.location().offset.is_some_and(is_end),
            // A page list or the footer is too long for its records: fewer clusters need less.
            ErrorKind::LimitExceeded => true,
            _ => false,
        };
        if !is_possible {
            return None;
        }
        self.is_full |= error.kind() == ErrorKind::Io;
        let before = catalog.entry_count();
        let (mut step, mut clusters, mut lacks_sets) = (0, 0, false);
        loop {
            catalog.retract(step);
            clusters += step;
            self.roll_back(catalog, path, file);
            let removed = before - catalog.entry_count();
            let is_whole = is_whole && removed == 0 && !lacks_sets;
            match self.write((catalog, path), file, is_whole) {
                Ok(ended) => return Some(Ended { removed, lacks_sets, ..ended }),
                Err(_) if self.sets.is_some() => {
                    if let Some(sets) = self.sets.take() {
                        catalog.restore_attribute_sets(sets.before);
                    }
                    lacks_sets = true;
                }
                // Not one by one, as each attempt writes a page list of all others.
                Err(_) if catalog.has_open_group() && self.spare(catalog) > 0 => {
                    step = self.spare(catalog).min(1 + clusters / 8);
                }
                // The clusters of a group are known to its page list alone: all or none.
                Err(_) if self.floors.len() > 1 && self.spare(catalog) >= last_group_count(catalog) => {
                    self.floors.pop();
                    catalog.retract_group();
                }
                Err(_) => {
                    // There may be room for what others write.
                    self.roll_back(catalog, path, file);
                    return None;
                }
            }
        }
    }

    /// Clusters that may make room.
    fn spare(&self, catalog: &Catalog) -> usize {
        usize::try_from(catalog.cluster_count().saturating_sub(self.counted)).unwrap_or(usize::MAX)
    }

    /// What follows overwrites all that is of no use now. Bytes that others have written stay.
    fn roll_back(&self, catalog: &Catalog, path: &str, file: &AnyFile<'_>) {
        let sets_end = self.sets.as_ref().map_or(0, |sets| sets.file_end);
        let own = self.floors.last().copied().unwrap_or(u64::MAX).max(catalog.open_group_end());
        let mut file = lock_any(file);
        let others = self.others_end.max(sets_end).max(file.start_of(self.author));
        file.roll_back(own.max(others), path);
    }
}

fn last_group_count(catalog: &Catalog) -> usize {
    catalog.groups().last().map_or(0, |group| group.cluster_count as usize)
}
