//! Is a file sound? Reads every byte that an ntuple needs and lists everything that is wrong.
//!
//! A reader stops at the first fault, and looks only at what it is asked for; [`check_file`] goes on, and
//! looks at everything that the format notes state a rule for:
//!
//! | part | rules | format |
//! | --- | --- | --- |
//! | the file | [`RootFile::verify`]: chain of records, directories, keys, free list | container |
//! | anchor, envelopes | checksums, lengths, header checksum repeated, all inside blobs | 2, 4 to 8 |
//! | schema | names, columns of each role, projections, deferred columns | 5, 9 |
//! | clusters | groups and clusters follow each other, counts and spans agree | 7.1, 7.2 |
//! | columns | element offsets are running sums, one active representation, counts as entries, offsets and switches need them | 7.3, 7.4 |
//! | pages | inside blobs, equal or apart, checksum, decompression, length; unused bits of truncated and quantised values are zero | 6, 7.5 |
//! | attribute sets | names, fields, ranges within the entries | 8 |
//! | values | offsets never fall and end where the items do; switches name alternatives and count up; integers fit the type of their field | 6.3, 6.7, 9.3 |
//!
//! Ntuples from before version 1 are checked by the rules that they had: the oldest have no checksums of pages. What
//! cannot be checked (the prototype, types of a later version, codecs that this build leaves out) is no fault but a [note](Report::notes): a sound report says that everything that could be
//! checked is sound.
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
//! One page is in memory at a time, and besides it the page list of one cluster group and a few dozen bytes
//! for each page of the file.

use std::fmt;

mod attributes;
mod claims;
mod cluster;
mod findings;
mod layout;
mod ntuple;
mod page;
mod schema;
#[cfg(test)]
mod tests;

use claims::Claims;
use findings::Findings;
use ntuple::{Checker, Subject};

use crate::error::Error;
use crate::generation::Generation;
use crate::root::RootFile;

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

type ProgressCallback<'a> = Box<dyn FnMut(&Progress<'_>) + 'a>;

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

    /// Default 10 000: faults (and notes) beyond this many are counted, but not kept.
    pub fn fault_limit(mut self, count: usize) -> Self {
        self.fault_limit = count;
        self
    }

    /// Default none: called after each column of each cluster.
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

/// How far a check has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Path of the ntuple.
    pub ntuple: &'a str,
    /// Its entries so far.
    pub entries: u64,
    /// All its entries, as the footer has them.
    pub entry_count: u64,
    /// Pages so far, of all ntuples.
    pub pages: u64,
    /// Their bytes on storage.
    pub bytes: u64,
}

/// What [`check_file`] found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The file's name.
    pub file: String,
    /// Records that follow each other in the file.
    pub records: u64,
    /// The ntuples, in the order of the directories; attribute sets follow the ntuple they belong to.
    pub ntuples: Vec<NtupleReport>,
    /// Everything that is wrong, the file around the ntuples first.
    pub faults: Vec<Error>,
    /// Faults beyond [`CheckOptions::fault_limit`].
    pub faults_left_out: u64,
    /// What could not be checked, and why; not wrong as far as can be seen.
    pub notes: Vec<Error>,
    /// Notes beyond [`CheckOptions::fault_limit`].
    pub notes_left_out: u64,
}

impl Report {
    /// Whether everything that could be checked is sound.
    pub fn is_sound(&self) -> bool {
        self.fault_count() == 0
    }

    /// The number of faults, of those that were not kept too.
    pub fn fault_count(&self) -> u64 {
        self.faults_left_out.saturating_add(self.faults.len() as u64)
    }

    /// Pages that were checked.
    pub fn pages(&self) -> u64 {
        self.ntuples.iter().fold(0, |sum, ntuple| sum.saturating_add(ntuple.pages))
    }

    /// Bytes of the sound ones on storage, each counted once.
    pub fn bytes(&self) -> u64 {
        self.ntuples.iter().fold(0, |sum, ntuple| sum.saturating_add(ntuple.bytes))
    }
}

/// What was looked at in one ntuple.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NtupleReport {
    /// Its path in the file.
    pub path: String,
    /// The layout it is stored in; `None` where its anchor cannot be read.
    pub generation: Option<Generation>,
    /// Whether it could be checked. If not, a fault or a note says why.
    pub is_checked: bool,
    /// Entries in the clusters that were looked at.
    pub entries: u64,
    /// Clusters that were looked at.
    pub clusters: u64,
    /// Pages that were checked.
    pub pages: u64,
    /// Bytes of the sound ones on storage; a page that several columns share counts once.
    pub bytes: u64,
}

/// Checks a whole file.
///
/// It ends in spite of faults, also those that were put there on purpose: no count of a file is trusted
/// before it is compared with what the file could hold.
pub fn check_file(file: &RootFile, options: CheckOptions<'_>) -> Report {
    let mut findings = Findings::new(file.name(), options.fault_limit);
    let mut report = Report { file: file.name().to_owned(), ..Report::default() };
    match file.verify() {
        Ok(container) => {
            report.records = container.records;
            container.faults.into_iter().for_each(|error| findings.add(error));
        }
        Err(error) => findings.add(error),
    }
    let mut checker = Checker::new(file, Claims::new(file), findings, options.progress);
    for (key, anchor) in file.anchors() {
        checker.check(&Subject::of_key(&key), anchor);
    }
    let (findings, ntuples) = checker.finish();
    report.ntuples = ntuples;
    (report.faults, report.faults_left_out) = findings.faults.into_parts();
    (report.notes, report.notes_left_out) = findings.notes.into_parts();
    report
}
