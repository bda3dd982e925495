//! What [`check`](crate::check) asks of a file, and no reader: every anchor, and every piece of a payload.

use std::collections::HashSet;
use std::ops::Range;

use super::anchor::Anchor;
use super::blob::Chunks;
use super::directories::Directories;
use super::listing::{FileKey, KeyKind};
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::error::{Error, Result};

impl RootFile {
    /// Every ntuple, each with its latest cycle and its anchor. What is damaged hides itself alone.
    pub(crate) fn anchors(&self) -> Vec<(FileKey, Result<Anchor>)> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for listing in Directories::new(self).flatten() {
            for (key, record) in listing.ntuples() {
                // Keys that lead to one record are for `verify` to complain about.
                if seen.insert(record.offset) {
                    let anchor = self.read_anchor(record, key.kind);
                    found.push((key, anchor));
                }
            }
        }
        found
    }

    /// The anchor in the record at `offset`, which may be one that no directory lists any more.
    pub(crate) fn anchor_of_record(&self, offset: u64) -> Result<Anchor> {
        let mut key = self.key_at(offset)?;
        key.offset = offset;
        self.read_anchor(&key, KeyKind::of(&key.class))
    }

    /// Where the stored bytes of an envelope or a page are: the part that a locator names, and then the parts in other
    /// blobs, without the offsets that lead to them.
    pub(crate) fn pieces(&self, offset: u64, size: u64, max_key_size: u64) -> Result<Vec<Range<u64>>> {
        if size > self.end() {
            return Err(self.outside(offset, size));
        }
        let plan = Chunks::plan(size, max_key_size);
        let Some(chunks) = plan.map_err(|error| Error::out_of_spec(error.to_string()).at_offset(offset))?
        else {
            return Ok(std::iter::once(offset..offset.saturating_add(size)).collect());
        };
        let own = offset..offset.saturating_add(max_key_size);
        let table = self.bytes(offset.saturating_add(chunks.first), max_key_size - chunks.first)?;
        let mut cursor = Cursor::new(&table, offset.saturating_add(chunks.first));
        let rest = chunks.rest().map(|piece| {
            let at = cursor.u64_le()?;
            Ok(at..at.saturating_add(piece.end - piece.start))
        });
        std::iter::once(Ok(own)).chain(rest).collect()
    }
}
