//! The last writes: those that lead to new records. Where a part of one is written, the old bytes are put back.

use std::io::IoSlice;

use super::patch::Numbers;
use super::writer::FileWriter;
use crate::error::Result;
use crate::storage::WriteAt;

impl FileWriter<dyn WriteAt + '_> {
    /// Writes what leads to records, with a flush after each step if `is_flushed`.
    ///
    /// # Errors
    /// The storage fails. The last step has not been made then; of storage that cannot be read back, or fails in the next
    /// write too, all or a part of it may have been.
    pub(super) fn write_steps(&mut self, steps: &[Numbers], is_flushed: bool) -> Result<()> {
        for step in steps {
            let before = self.bytes_at(step);
            if let Err(error) = self.write(step.offset, &[IoSlice::new(&step.bytes)])
                && self.bytes_at(step).is_none_or(|now| now != step.bytes)
            {
                if let Some(before) = before {
                    self.put_back(step.offset, &before);
                }
                return Err(error);
            }
            // Where all of it is there in spite of an error, the flush says whether it stays.
            if is_flushed {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// A part of a step leads nowhere.
    fn put_back(&mut self, offset: u64, before: &[u8]) {
        if self.write(offset, &[IoSlice::new(before)]).is_ok() {
            // The first error says what happened.
            let _ = self.flush();
        }
    }

    fn bytes_at(&mut self, step: &Numbers) -> Option<Vec<u8>> {
        let mut bytes = vec![0; step.bytes.len()];
        let is_known = self.sink.read_back(step.offset, &mut bytes).is_ok_and(|is_known| is_known);
        is_known.then_some(bytes)
    }
}
