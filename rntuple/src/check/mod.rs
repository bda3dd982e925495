//! Checks whether a file is sound: reads every byte that an ntuple needs and lists everything that is wrong.
//!
//! This module needs the Cargo feature `check`.
//!
//! A reader stops at the first fault, and looks only at what it is asked for. [`check_file`] continues, and
//! looks at everything that the format notes state a rule for:
//!
//! | part | rules | format |
//! | --- | --- | --- |
//! | the file | [`RootFile::verify`]: chain of records, directories, keys, free list | container |
//! | anchor, envelopes | checksums, lengths, header checksum repeated, all inside blobs | 2, 4 to 8 |
//! | schema | names, columns of each role, projections, deferred columns, each record of type information once | 5, 9 |
//! | clusters | groups and clusters follow each other, counts and spans agree | 7.1, 7.2 |
//! | columns | element offsets are running sums, one active representation, counts as entries, offsets and switches need them | 7.3, 7.4 |
//! | pages | inside blobs, equal or apart, checksum, decompression, length; unused bits of truncated and quantised values are zero | 6, 7.5 |
//! | attribute sets | names, fields, ranges within the entries | 8 |
//! | values | offsets never fall and end where the items do; switches name alternatives and count up; integers fit the type of their field | 6.3, 6.7, 9.3 |
//! | blobs | every byte belongs to an envelope or a page, of the ntuples or of an older state of them | 7.6 |
//!
//! What breaks a rule is a [fault](Report::faults). What does not is a [note](Report::notes): something that could not
//! be checked (types of a later version, codecs that this build leaves out, the prototype of the format), bytes that
//! nothing refers to, or a remark. The [verdict](Report::verdict) sums up both. Ntuples from before version 1 are
//! checked by the rules that they had: the oldest have no checksums of pages.
//!
//! A writer that fails, on a full disk for example, and is finished all the same, leaves a file in which every rule is
//! kept, with the pages that it wrote and without the entries. Nothing refers to these pages, and so the verdict is
//! [`Incomplete`](Verdict::Incomplete).
//!
//! ```
//! # use rntuple::{RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
//! # #[derive(RNTuple)]
//! # struct Event { met: f32 }
//! # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
//! # writer.fill(&Event { met: 1.0 })?;
//! # let storage = writer.finish_into()?.1;
//! use rntuple::check::{CheckOptions, check_file};
//! let report = check_file(&RootFile::from_storage(storage)?, CheckOptions::new());
//! assert!(report.is_sound());
//! assert_eq!(report.ntuples[0].pages, 1);
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! One page is in memory at a time, and in addition the page list of one cluster group and a few dozen bytes
//! for each page of the file.

use std::fmt;

#[cfg(feature = "recover")]
mod arrange;
mod attributes;
mod claims;
mod cluster;
mod findings;
mod layout;
mod look;
mod ntuple;
mod page;
mod progress;
#[cfg(feature = "recover")]
mod prove;
mod report;
mod schema;
#[cfg(test)]
mod tests;
mod unreferenced;
mod values;

use claims::Claims;
use findings::Findings;
use ntuple::{Checker, Subject};
use progress::ProgressCallback;

use crate::error::Error;
use crate::root::RootFile;

#[cfg(feature = "recover")]
pub(crate) use arrange::LoosePage;
pub use progress::Progress;
#[cfg(feature = "recover")]
pub(crate) use prove::{FileRecords, Prover, prove_set};
pub use report::{Note, NoteKind, NtupleReport, Report, Verdict};
#[cfg(feature = "recover")]
pub(crate) use values::require_values;

/// How a file is checked.
///
/// ```
/// use rntuple::check::CheckOptions;
/// let options = CheckOptions::new().fault_limit(100).progress(|at| eprintln!("{}", at.entries));
/// ```
#[must_use]
pub struct CheckOptions<'a> {
    fault_limit: usize,
    progress: Option<ProgressCallback<'a>>,
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        Self { fault_limit: 10_000, progress: None }
    }
}

impl<'a> CheckOptions<'a> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many faults (and notes) are kept; those beyond are counted. Default: 10 000.
    pub fn fault_limit(mut self, count: usize) -> Self {
        self.fault_limit = count;
        self
    }

    /// Calls a function after each column of each cluster. Default: none.
    pub fn progress(mut self, callback: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }
}

impl fmt::Debug for CheckOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckOptions").field("fault_limit", &self.fault_limit).finish_non_exhaustive()
    }
}

/// Checks a whole file.
///
/// It ends in spite of faults, also those that were put there on purpose: no count of a file is trusted
/// before it is compared with what the file could hold.
pub fn check_file(file: &RootFile, options: CheckOptions<'_>) -> Report {
    let mut findings = Findings::new(file.name(), options.fault_limit);
    let mut records = 0;
    match file.verify() {
        Ok(container) => {
            records = container.records;
            if !container.describes_anchors {
                findings.note(NoteKind::Remark, || {
                    let message = "the streamer info does not describe ROOT::RNTuple, so JSROOT cannot read the \
                                   ntuples; ROOT and uproot can";
                    Error::unsupported(message)
                });
            }
            container.faults.into_iter().for_each(|error| findings.add(error));
        }
        Err(error) => findings.add(error),
    }
    let claims = Claims::new(file);
    let mut checker = Checker::new(file, claims, findings, options.progress);
    for (key, anchor) in file.anchors() {
        checker.check(&Subject::of_key(&key), anchor);
    }
    checker.account();
    Report { records, ..checker.finish() }
}
