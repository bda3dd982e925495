//! Checkpoints: a file under construction that can be read, and that goes on.
//!
//! ```text
//! before      header | root directory | blobs                              more blobs |
//! records     header | root directory | blobs | RECORDS OF THE CHECKPOINT | free      |
//!             flush                            what leads to the ones before is as it was
//! commit      HEADER   ROOT DIRECTORY           one write within one sector, as in `update`
//!             flush                            readers see all entries so far
//! ```
//!
//! Who does not wait flushes while the next cluster is filled, and commits when that ends.
//!
//! The records are those that end a file: page lists, footer, anchor, key lists, streamer info, free list. Those of
//! the checkpoint before are free then, and the next one may take their place; blobs never do.

use std::io::IoSlice;

use super::anchor::Anchor;
use super::desk::Desk;
use super::free_list::{Next, SMALLEST_GAP, Segment};
use super::pending::Pending;
use super::writer::{Ending, FileWriter};
use crate::error::{Error, Result};
use crate::storage::WriteAt;

/// Puts what leads to the anchor of an ntuple on a desk. It may be asked to do so again, for another place.
pub(crate) type PutRecords<'a> = dyn FnMut(FileWriter<Desk>) -> Result<(FileWriter<Desk>, Anchor)> + 'a;

/// Whether a checkpoint counts when the call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It does: the medium has been waited for.
    Now,
    /// It counts after the next cluster: the medium works meanwhile.
    Later,
}

impl FileWriter<dyn WriteAt + '_> {
    /// Makes what has been written count, for the ntuple at `path`. Returns how many bytes that took.
    ///
    /// # Errors
    /// The storage fails. What counted before counts still, if the storage takes the old bytes of the last write back.
    pub(crate) fn checkpoint(&mut self, path: &str, wait: Wait, put: &mut PutRecords<'_>) -> Result<u64> {
        self.check_unfinished()?;
        self.commit_pending()?;
        self.check_unchanged()?;
        self.mend_gaps()?;
        self.is_apart = self.is_in_two_sectors()?;
        // The first one makes the file readable. If what leads to it takes two writes, each is waited for.
        let wait = if self.is_apart || !self.space.is_settled() { Wait::Now } else { wait };
        (self.space.is_late, self.space.is_held) = (self.is_apart, wait == Wait::Later);
        if let Some(gap) = self.space.room()
            && let Some(size) = self.checkpoint_in(Some(gap), path, wait, put)?
        {
            return Ok(size);
        }
        let size = self.checkpoint_in(None, path, wait, put)?;
        size.ok_or_else(|| self.locate(Error::limit("a checkpoint cannot be that long")))
    }

    /// Does so in a gap, or else at the end of the file; `None` if there is not enough room.
    fn checkpoint_in(
        &mut self,
        gap: Option<Segment>,
        path: &str,
        wait: Wait,
        put: &mut PutRecords<'_>,
    ) -> Result<Option<u64>> {
        let start = gap.map_or(self.end, |gap| gap.first);
        let (desk, anchor) = put(self.desk(start))?;
        let before = self.swap_anchor(path, Some(anchor))?;
        let written = self.write_checkpoint(start, desk.into_inner().into_bytes(), path, gap, wait);
        if !matches!(written, Ok(Some(_))) {
            // Other ntuples of the file have checkpoints too.
            self.swap_anchor(path, before)?;
        }
        written
    }

    fn write_checkpoint(
        &mut self,
        start: u64,
        mut bytes: Vec<u8>,
        path: &str,
        gap: Option<Segment>,
        wait: Wait,
    ) -> Result<Option<u64>> {
        let at = start.saturating_add(bytes.len() as u64);
        let gaps = self.space.gaps_after(Some(path), gap);
        let region = match gap {
            Some(gap) => gap,
            None => {
                let size = self.ending(at, Next::End, &gaps)?.tail.len() as u64 + bytes.len() as u64;
                // Room for one that is longer: its free list may have a few entries more.
                let last = size.checked_mul(2).and_then(|room| start.checked_add(room)?.checked_add(255));
                Segment { first: start, last: last.ok_or_else(|| Error::limit("a file cannot be that big"))? }
            }
        };
        let file_end = self.end.max(region.last.saturating_add(1));
        let Ending { tail, steps, state, .. } = self.ending(at, Next::Free { region, file_end }, &gaps)?;
        bytes.extend_from_slice(&tail);
        let size = bytes.len() as u64;
        let Some(rest) = region.size().checked_sub(size).filter(|rest| *rest >= SMALLEST_GAP) else {
            return Ok(None);
        };
        let mark = i32::try_from(rest).map_err(|_| Error::limit("a gap that is too long"))?;
        bytes.extend_from_slice(&(-mark).to_be_bytes());
        self.drop_remains()?;
        if let Err(error) = self.write(start, &[IoSlice::new(&bytes)]) {
            self.space.break_gaps(gap);
            return Err(error);
        }
        if gap.is_none() {
            // The file is as long as it says.
            self.write(region.last, &[IoSlice::new(&[0])])?;
        }
        // All that is new is on the medium before anything leads to it.
        match wait {
            Wait::Now => self.flush()?,
            Wait::Later => self.begin_flush()?,
        }
        self.space.take(region);
        self.end = file_end;
        self.runs.keep(file_end);
        let pending = Pending { path: path.to_owned(), region, size, steps, state };
        if wait == Wait::Later {
            self.pending = Some(pending);
            return Ok(Some(size));
        }
        let written = self.check_unchanged().and_then(|()| self.write_steps(&pending.steps, true));
        if let Err(error) = written {
            // This checkpoint may count or the one before: neither is overwritten.
            self.space.hold(path, region, size);
            return Err(error);
        }
        self.settle(pending);
        self.keep()?;
        Ok(Some(size))
    }

    fn settle(&mut self, pending: Pending) {
        self.space.settle(&pending.path, pending.region, pending.size);
        self.continue_from(pending.state);
    }

    /// Makes a checkpoint count whose bytes were being flushed. Until the next flush ends, it may be the one before
    /// that counts if the power fails: its place is not overwritten before.
    pub(crate) fn commit_pending(&mut self) -> Result<()> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let written = self
            .end_flush()
            .and_then(|()| self.check_unchanged())
            .and_then(|()| self.write_steps(&pending.steps, false));
        match written {
            Ok(()) => self.settle(pending),
            Err(error) => {
                self.pending = Some(pending);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Makes a checkpoint count whose bytes were being flushed, so that nothing depends on the one before.
    pub(super) fn settle_pending(&mut self) -> Result<()> {
        if self.pending.is_some() {
            self.commit_pending()?;
            self.flush()?;
            self.space.is_held = false;
        }
        Ok(())
    }

    /// Writes the marks of gaps into which writes of earlier checkpoints were torn: the chain of records would end there.
    pub(super) fn mend_gaps(&mut self) -> Result<()> {
        while let Some(gap) = self.space.broken_gap() {
            self.write(gap.first, &[IoSlice::new(&gap.mark())])?;
            self.space.mend_gap();
        }
        Ok(())
    }

    /// What is written later leads to records of the last checkpoint of the ntuple at `path` as well: their place is
    /// never free.
    pub(crate) fn keep_checkpoint(&mut self, path: &str) -> Result<()> {
        self.settle_pending()?;
        self.space.keep(path);
        Ok(())
    }

    /// Whether the last checkpoint of an ntuple does not count yet.
    pub(crate) fn is_pending(&self, path: &str) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.path == path)
    }
}
