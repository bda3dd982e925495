//! The directories of a file, read one after the other.

use std::sync::Arc;

use super::directory::{DIRECTORY_SIZE, Directory, read_key_list};
use super::index::{Found, Index};
use super::key::Key;
use super::listing::{FileKey, Listing, Walk};
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::error::{Error, Result};

/// All directories of a file, as [`Walk`] finds them.
///
/// A directory that cannot be read is an error among the items; the others follow all the same.
#[derive(Debug)]
pub(super) struct Directories<'a> {
    file: &'a RootFile,
    walk: Walk,
}

impl<'a> Directories<'a> {
    pub(super) fn new(file: &'a RootFile) -> Self {
        Self { file, walk: file.walk() }
    }
}

impl Iterator for Directories<'_> {
    type Item = Result<Listing>;

    fn next(&mut self) -> Option<Self::Item> {
        self.file.next_listing(&mut self.walk)
    }
}

impl RootFile {
    /// Every ntuple, in all directories, each with its latest cycle.
    ///
    /// # Errors
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where a directory is damaged.
    pub fn ntuples(&self) -> Result<Vec<FileKey>> {
        self.collect(|listing, found| found.extend(listing.ntuples().into_iter().map(|(key, _)| key)))
    }

    /// Everything that the directories list, of all classes and cycles.
    ///
    /// # Errors
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where a directory is damaged.
    pub fn keys(&self) -> Result<Vec<FileKey>> {
        self.collect(|listing, found| found.extend(listing.file_keys()))
    }

    fn collect(&self, add: impl Fn(Listing, &mut Vec<FileKey>)) -> Result<Vec<FileKey>> {
        let mut found = Vec::new();
        for listing in Directories::new(self) {
            add(listing.map_err(|error| self.locate(error))?, &mut found);
        }
        Ok(found)
    }

    /// Looks for an ntuple in `index`, and in directories that are not in it.
    pub(super) fn look_up(&self, index: &mut Index, path: &str) -> Found {
        index.find(path, |walk| self.next_listing(walk.get_or_insert_with(|| self.walk())))
    }

    fn walk(&self) -> Walk {
        Walk::new(self.header().begin, self.header().end)
    }

    fn next_listing(&self, walk: &mut Walk) -> Option<Result<Listing>> {
        let (path, key) = walk.next_place()?;
        Some(self.listing(walk, path, key))
    }

    fn listing(&self, walk: &mut Walk, path: Arc<str>, key: Option<Key>) -> Result<Listing> {
        let header = self.header();
        let (numbers_at, record) = match key {
            None => (header.begin + u64::from(header.name_size), self.top().clone()),
            Some(key) => (key.payload_offset(), self.directory(key.payload_offset())?),
        };
        let at = record.keys_offset;
        if at == 0 {
            return Ok(Listing { path, record, numbers_at, list: None, keys: Vec::new() });
        }
        let list = self.key_at(at)?;
        let at_list = |error: Error| error.at_offset(at);
        walk.allow(&list).map_err(at_list)?;
        let payload_offset = at + u64::from(list.key_size);
        let payload = self.bytes(payload_offset, list.payload_size().into())?;
        let keys = read_key_list(Cursor::new(&payload, payload_offset))?;
        let listing = Listing { path, record, numbers_at, list: Some(list), keys };
        walk.enter(&listing).map_err(at_list)?;
        Ok(listing)
    }

    /// Reads the numbers of a directory. Those of the oldest versions are shorter than ours.
    pub(super) fn directory(&self, offset: u64) -> Result<Directory> {
        let left = self.header().end.saturating_sub(offset);
        let bytes = self.bytes(offset, left.min(DIRECTORY_SIZE as u64))?;
        Directory::read(&mut Cursor::new(&bytes, offset))
    }
}
