//! Programs that race on one data set, and die.
//!
//! Each program writes down what it is about to do, and what was reported to it afterwards. In the end every version must be
//! the version before, changed by one of these jobs, and every version that was reported must be there.

mod history;
mod memory;
mod processes;
mod worker;

use rntuple::RNTuple;
use serde::{Deserialize, Serialize};

/// A row as it is when the data set is created. No two have the same worker and sequence.
#[derive(RNTuple, Clone)]
struct Row {
    worker: u32,
    sequence: u64,
    value: u64,
}

/// A row with the column that comes and goes.
#[derive(RNTuple, Clone)]
struct Full {
    worker: u32,
    sequence: u64,
    value: u64,
    calibrated: u64,
}

#[derive(RNTuple)]
struct Calibrated {
    calibrated: u64,
}

/// What a program does at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Job {
    /// Rows of these sequence numbers, by this worker.
    Append {
        worker: u32,
        first: u64,
        end: u64,
    },
    /// The rows that the predicate selects.
    Delete(Rows),
    /// Sets the value of these rows.
    Update(Rows, u64),
    /// Sets the column to a number of the job's own, plus that of the row.
    AddColumn(u64),
    DropColumn,
    Compact,
    /// Collects the bounds of all fragments.
    Index,
    Restore(u64),
}

impl Job {
    /// The operations that versions name.
    fn operations(&self) -> &'static [&'static str] {
        match self {
            Self::Append { .. } => &["Append"],
            Self::Delete(_) => &["Delete"],
            Self::Update(..) => &["Update"],
            Self::AddColumn(_) => &["Merge"],
            Self::DropColumn => &["Project"],
            // It reports the last one.
            Self::Compact => &["Rewrite", "CreateIndex"],
            Self::Index => &["CreateIndex"],
            Self::Restore(_) => &["Restore"],
        }
    }

    /// Whether it makes no version where it has nothing to do.
    fn may_do_nothing(&self) -> bool {
        matches!(self, Self::Delete(_) | Self::Update(..) | Self::Compact | Self::Index)
    }
}

/// A choice of rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Rows {
    divisor: u64,
    rest: u64,
}

impl Rows {
    fn contain(self, worker: u32, sequence: u64) -> bool {
        (u64::from(worker) * 3 + sequence) % self.divisor == self.rest
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Outcome {
    /// The version that was reported.
    Done(u64),
    /// An error that says that nothing was committed, and that other programs are why.
    Lost,
    /// Any other error.
    Failed(String),
}

/// A job, and how it ended; `None`: the program was killed.
type Entry = (Job, Option<Outcome>);
