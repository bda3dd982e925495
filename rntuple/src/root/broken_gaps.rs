//! Gaps into which a killed writer tore a write. A gap begins with the mark of its length or consists of whole records;
//! one that does neither ends the chain of records, and gets its mark when the file grows.

use super::free_list::{SMALLEST_GAP, Segment};
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::error::Result;

/// Records in gaps that are looked at.
const MOST_STEPS: usize = 10_000;

/// Gaps that begin with a record of a checkpoint and do not consist of whole records. Of a file in which there are too
/// many, some are left out.
pub(super) fn broken_gaps(file: &RootFile, gaps: &[Segment]) -> Vec<Segment> {
    let mut steps = MOST_STEPS;
    let mut is_broken = |gap: &Segment| -> Result<bool> {
        let first = file.key_at(gap.first)?;
        if first.offset != gap.first || first.class != "RBlob" || gap.last >= file.end() {
            return Ok(false);
        }
        let mut at = gap.first;
        while at < gap.last && steps > 0 {
            steps -= 1;
            let size = Cursor::new(&file.bytes(at, 4)?, at).i32_be()?.unsigned_abs().into();
            if size < SMALLEST_GAP {
                return Ok(true);
            }
            at = at.saturating_add(size);
        }
        Ok(at != gap.last.saturating_add(1) && steps > 0)
    };
    gaps.iter().copied().filter(|gap| is_broken(gap).unwrap_or(false)).collect()
}
