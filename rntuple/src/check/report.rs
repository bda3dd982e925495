//! What a check found.

use std::fmt;

use crate::error::{Error, Location};
use crate::format_version::FormatVersion;

/// What all findings of a check come to; a later one is worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Everything was checked, and no fault was found.
    #[default]
    Sound,
    /// No fault was found. But not everything could be checked, or there are bytes that nothing refers to: entries
    /// that a writer lost may have been in them. The notes say which.
    Incomplete,
    /// There are faults.
    Damaged,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// Something could not be checked. The verdict is not [`Sound`](Verdict::Sound).
    Unchecked,
    /// Bytes that nothing refers to. The verdict is not [`Sound`](Verdict::Sound).
    Unreferenced,
    /// Bytes that only older states of the ntuples refer to, which appending has replaced.
    Superseded,
    /// Anything else that is good to know.
    Remark,
}

impl NoteKind {
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Unchecked | Self::Unreferenced => Verdict::Incomplete,
            Self::Superseded | Self::Remark => Verdict::Sound,
        }
    }
}

/// Something about a file that is not a fault. Its text names the file, as that of an [`Error`] does.
#[derive(Debug)]
#[non_exhaustive]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    pub(super) error: Error,
}

impl Note {
    /// What in the file it is about.
    pub fn location(&self) -> &Location {
        self.error.location()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// What [`check_file`](super::check_file) found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The file's name.
    pub file: String,
    /// What all that follows comes to.
    pub verdict: Verdict,
    /// Records that follow each other in the file.
    pub records: u64,
    /// The ntuples, in the order of the directories; attribute sets follow the ntuple they belong to.
    pub ntuples: Vec<NtupleReport>,
    /// Everything that is wrong, the file around the ntuples first.
    pub faults: Vec<Error>,
    /// Faults beyond [`CheckOptions::fault_limit`](super::CheckOptions::fault_limit).
    pub faults_left_out: u64,
    /// What is not wrong as far as can be seen: what could not be checked, what nothing refers to, and remarks.
    pub notes: Vec<Note>,
    /// Notes beyond [`CheckOptions::fault_limit`](super::CheckOptions::fault_limit).
    pub notes_left_out: u64,
    /// Bytes that nothing refers to, in blobs and after the end of the file. Those in blobs are not counted where a part
    /// of an ntuple could not be read, which may refer to any of them.
    pub unreferenced_bytes: u64,
}

impl Report {
    /// Whether the verdict is [`Sound`](Verdict::Sound): everything was checked, no fault was found, and no bytes are
    /// left over.
    pub fn is_sound(&self) -> bool {
        self.verdict == Verdict::Sound
    }

    /// The number of faults, including those that were not kept.
    pub fn fault_count(&self) -> u64 {
        self.faults_left_out.saturating_add(self.faults.len() as u64)
    }

    /// Pages that were checked.
    pub fn pages(&self) -> u64 {
        self.sum(|ntuple| ntuple.pages)
    }

    /// Pages that could not be checked; a note says why.
    pub fn unchecked_pages(&self) -> u64 {
        self.sum(|ntuple| ntuple.unchecked_pages)
    }

    /// Bytes of the sound ones on storage, each counted once.
    pub fn bytes(&self) -> u64 {
        self.sum(|ntuple| ntuple.bytes)
    }

    fn sum(&self, number: impl Fn(&NtupleReport) -> u64) -> u64 {
        self.ntuples.iter().fold(0, |sum, ntuple| sum.saturating_add(number(ntuple)))
    }
}

/// What was looked at in one ntuple.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NtupleReport {
    /// Its path in the file.
    pub path: String,
    /// The layout it is stored in; `None` where its anchor cannot be read.
    pub format_version: Option<FormatVersion>,
    /// Whether it could be checked. If not, a fault or a note says why.
    pub is_checked: bool,
    /// Entries in the clusters that were looked at.
    pub entries: u64,
    /// Clusters that were looked at.
    pub clusters: u64,
    /// Pages that were checked.
    pub pages: u64,
    /// Pages that could not be checked: over the [limit](crate::Limits::page_length), compressed by a
    /// codec that this build leaves out, or stored outside of the file.
    pub unchecked_pages: u64,
    /// Bytes of the sound ones on storage; a page that several columns share counts once.
    pub bytes: u64,
}
