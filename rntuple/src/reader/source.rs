//! What entries are read from: one file, or many as if they were one.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::chain::Files;
use super::partition::{self, Cut};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::schema::ColumnId;

/// One ntuple, or many one behind the other, whose entries are numbered through.
#[derive(Clone)]
pub(super) enum Source {
    One(Arc<Dataset>),
    Many(Arc<Files>),
}

impl Source {
    /// Number of entries.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::One(dataset) => dataset.entry_count(),
            Self::Many(files) => files.len(),
        }
    }

    /// Number of files.
    pub(super) fn files(&self) -> u64 {
        match self {
            Self::One(_) => 1,
            Self::Many(files) => files.count() as u64,
        }
    }

    /// What of a range is there.
    pub(super) fn clamp(&self, range: Range<u64>) -> Range<u64> {
        let end = range.end.min(self.len());
        range.start.min(end)..end
    }

    /// The ntuple that has an entry, and the number of its first one. Where there are no entries at all, the first
    /// ntuple stands for entry 0.
    pub(super) fn at(&self, entry: u64) -> Result<(Arc<Dataset>, u64)> {
        match self {
            Self::One(dataset) if entry == 0 || entry < dataset.entry_count() => Ok((dataset.clone(), 0)),
            Self::One(_) => Err(self.beyond()),
            Self::Many(files) => files.at(entry).unwrap_or_else(|| Err(self.beyond())),
        }
    }

    /// What is wrong with an entry that is not there.
    #[cold]
    pub(super) fn beyond(&self) -> Error {
        let count = self.len();
        match self {
            Self::One(_) => {
                Error::invalid_argument(format!("the ntuple has only {}", counted(count, "entry")))
            }
            Self::Many(files) => {
                let message = format!("the chain of {} has only {}", files.name(), counted(count, "entry"));
                Error::invalid_argument(message)
            }
        }
    }

    /// About `target` ranges that together are all entries.
    pub(super) fn partitions(&self, selected: &BTreeSet<ColumnId>, target: usize) -> Vec<Range<u64>> {
        match self {
            Self::One(dataset) => {
                let cuts = dataset.clusters().iter().map(|cluster| Cut::new(cluster, selected));
                partition::partitions(self.len(), cuts, target)
            }
            Self::Many(files) => partition::partitions(self.len(), files.cuts(), target),
        }
    }

    /// Names the place of an error that is about all of it.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        match self {
            Self::One(dataset) => error.in_ntuple(dataset.path()).in_file(dataset.file().name()),
            Self::Many(files) => error.in_ntuple(files.path()),
        }
    }

    /// What an error calls it: `events.root`, or `20 files`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::One(dataset) => dataset.file().name().to_owned(),
            Self::Many(files) => files.name(),
        }
    }

    /// What an error calls an entry of it.
    pub(super) fn describe(&self, entry: u64) -> String {
        match self {
            Self::One(dataset) => format!("entry {entry} of {}", dataset.file().name()),
            Self::Many(files) => files.describe(entry),
        }
    }
}
