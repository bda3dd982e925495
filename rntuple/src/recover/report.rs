//! What a recovery saved and what it did not.

use std::fmt;
use std::ops::Range;

use crate::error::Error;
use crate::message::counted;

/// What [`recover_file`](super::recover_file) did.
///
/// Printed, it says so in lines: what was saved of each ntuple, then what is lost and why.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Recovery {
    /// The name of the damaged file.
    pub file: String,
    /// The ntuples that were found, in the order of their headers.
    pub ntuples: Vec<RecoveredNtuple>,
    /// Bytes of ntuples that nothing describes: pages of clusters that were open, or whose page list is lost; and in how
    /// many records these are.
    pub unknown_bytes: u64,
    /// How many records these bytes are in.
    pub unknown_records: u64,
    /// Why the columns of some of these bytes could not be deduced, of the first ten records.
    pub not_deduced: Vec<Error>,
    /// Size of the new file.
    pub file_size: u64,
}

/// What became of one ntuple.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RecoveredNtuple {
    /// Its path in both files. The name alone where no directory lists it, with a number if another ntuple has it, and
    /// a similar path where a new file cannot have it: `my_tuple` for `my tuple`.
    pub path: String,
    /// Entries that were saved.
    pub entries: u64,
    /// Their clusters.
    pub clusters: u64,
    /// The pages of these, each looked at.
    pub pages: u64,
    /// Bytes of the pages.
    pub bytes: u64,
    /// Entries that the damaged file counts; `None` if it was never finished, or this cannot be read.
    pub counted: Option<u64>,
    /// Which entries of the damaged file were saved, in order. They follow one another in the new file.
    pub saved: Vec<Range<u64>>,
    /// Which of these are of clusters that no page list describes ([`RecoverOptions::deduce`](super::RecoverOptions::deduce)).
    pub deduced: Vec<Range<u64>>,
    /// What is lost.
    pub lost: Vec<Loss>,
    /// Attribute sets that are not in the new file, each with the reason.
    pub lost_sets: Vec<(String, Error)>,
    /// Why nothing of it could be saved.
    pub error: Option<Error>,
}

/// Entries that are lost.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loss {
    /// Which ones, as the damaged file numbers them.
    pub entries: Range<u64>,
    /// What is damaged: fields, pages, offsets. There are up to 100 for each loss, and 100 000 for all of a file.
    pub faults: Vec<Error>,
    /// How many faults there are in addition to these, as far as they were counted.
    pub more_faults: u64,
}

impl Recovery {
    /// Whether all entries that the file is known to have had were saved, with all attribute sets.
    pub fn is_complete(&self) -> bool {
        self.unknown_bytes == 0 && self.ntuples.iter().all(RecoveredNtuple::is_complete)
    }

    /// Entries that were saved, of all ntuples.
    pub fn entries(&self) -> u64 {
        self.ntuples.iter().map(|ntuple| ntuple.entries).sum()
    }
}

impl RecoveredNtuple {
    /// Whether all entries that it is known to have had were saved, with its attribute sets.
    pub fn is_complete(&self) -> bool {
        self.lost.is_empty() && self.lost_sets.is_empty() && self.error.is_none()
    }

    /// Entries that are lost.
    pub fn lost_entries(&self) -> u64 {
        self.lost.iter().map(|loss| loss.entries.end - loss.entries.start).sum()
    }

    /// Notes that entries were saved.
    pub(super) fn keep(&mut self, entries: Range<u64>, is_deduced: bool) {
        self.entries += entries.end - entries.start;
        if is_deduced {
            append(&mut self.deduced, entries.clone());
        }
        append(&mut self.saved, entries);
    }

    /// Notes that entries are lost, and why: by these faults, of which there may be `room` more in the report, and by
    /// `others`.
    pub(super) fn lose(
        &mut self,
        entries: Range<u64>,
        faults: impl ExactSizeIterator<Item = Error>,
        others: u64,
        room: &mut usize,
    ) {
        let count = faults.len();
        let mut faults: Vec<Error> = faults.take(*room).collect();
        // The memory of those that were not kept.
        faults.shrink_to_fit();
        *room -= faults.len();
        let more_faults = others.saturating_add((count - faults.len()) as u64);
        self.lost.push(Loss { entries, faults, more_faults });
    }
}

fn append(ranges: &mut Vec<Range<u64>>, entries: Range<u64>) {
    match ranges.last_mut() {
        Some(last) if last.end == entries.start => last.end = entries.end,
        _ => ranges.push(entries),
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ntuple in &self.ntuples {
            writeln!(f, "{}: {ntuple}", self.file)?;
        }
        if self.unknown_bytes > 0 {
            let (bytes, records) = (self.unknown_bytes, counted(self.unknown_records, "record"));
            writeln!(
                f,
                "{}: {bytes} bytes in {records} are of no known cluster: entries that were being written, or whose page \
                 list is lost",
                self.file
            )?;
        }
        for error in &self.not_deduced {
            writeln!(f, "{error}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RecoveredNtuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = counted(self.entries, "entry");
        write!(f, "{}: {entries} saved in {}", self.path, counted(self.clusters, "cluster"))?;
        match self.counted {
            Some(counted) if counted < self.entries => {
                write!(f, ", {} more than it counts", self.entries - counted)?;
            }
            None => write!(f, "; how many it had is not known")?,
            _ => {}
        }
        if let Some(error) = &self.error {
            write!(f, "\n  {error}")?;
        }
        for Range { start, end } in &self.deduced {
            write!(
                f,
                "\n  entries {start} to {end}: which pages each column has was deduced from their order"
            )?;
        }
        for loss in &self.lost {
            write!(f, "\n  entries {} to {} are lost", loss.entries.start, loss.entries.end)?;
            for fault in &loss.faults {
                write!(f, "\n    {fault}")?;
            }
            if loss.more_faults > 0 {
                write!(f, "\n    and {} more", loss.more_faults)?;
            }
        }
        for (name, error) in &self.lost_sets {
            write!(f, "\n  attribute set {name} is lost: {error}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_share_a_limit_of_faults() {
        let mut report = RecoveredNtuple::default();
        let mut room = 5;
        for first in 0..4 {
            let faults = vec![Error::out_of_spec("damaged"); 2];
            report.lose(first..first + 1, faults.into_iter(), 7 * first, &mut room);
        }
        let found: Vec<_> = report.lost.iter().map(|loss| (loss.faults.len(), loss.more_faults)).collect();
        assert_eq!((found, room), (vec![(2, 0), (2, 7), (1, 15), (0, 23)], 0));
        assert!(report.to_string().ends_with("entries 3 to 4 are lost\n    and 23 more"), "{report}");
    }
}
