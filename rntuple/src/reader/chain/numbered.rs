//! Storages that are called the same, told apart.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::files::Origin;
use crate::error::Result;
use crate::root::RootFile;
use crate::storage::{Block, ReadAt};

/// A storage with its position among the files of a chain in its name.
struct Numbered {
    storage: Arc<dyn ReadAt>,
    name: String,
}

impl ReadAt for Numbered {
    fn size(&self) -> u64 {
        self.storage.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.storage.read_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.storage.block(range)
    }

    fn block_in(&self, range: Range<u64>, spare: Vec<u8>) -> io::Result<Block> {
        self.storage.block_in(range, spare)
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Of files in memory each is called `memory`, and an error would not say which: then `memory (file 2)`.
pub(super) fn tell_apart(files: impl IntoIterator<Item = RootFile>) -> Result<Vec<Origin>> {
    let files: Vec<RootFile> = files.into_iter().collect();
    let mut storages: HashMap<&str, Option<&Arc<dyn ReadAt>>> = HashMap::new();
    for file in &files {
        let known = storages.entry(file.name()).or_insert(Some(file.storage()));
        // A file that is listed twice is the same one.
        *known = known.filter(|storage| Arc::ptr_eq(storage, file.storage()));
    }
    let number = |(index, file): (usize, &RootFile)| {
        if storages.get(file.name()).is_some_and(Option::is_some) {
            return Ok(Origin::File(file.clone()));
        }
        let name = format!("{} (file {index})", file.name());
        let storage = Arc::new(Numbered { storage: file.storage().clone(), name });
        Ok(Origin::File(RootFile::from_arc(storage)?))
    };
    files.iter().enumerate().map(number).collect()
}
