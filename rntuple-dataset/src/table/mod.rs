//! A data set: opened, changed, looked at.

mod add;
mod append;
mod bounds;
mod check;
mod cleanup;
mod columns;
mod commit;
mod compact;
mod create;
mod delete;
mod groups;
mod order;
mod pool;
mod projected;
mod runtime;
mod statistics;
mod update;
mod versions;

use std::time::SystemTime;

pub use append::{Adopt, Source};
pub use bounds::IndexOptions;
pub use check::{Finding, Report};
pub use cleanup::{Cleaned, CleanupOptions};
pub use compact::CompactOptions;
pub(crate) use delete::write as write_deletions;
pub(crate) use pool::all_cores;
pub use versions::VersionInfo;

use crate::error::Result;
use crate::location::Location;
use crate::log::Log;
use crate::snapshot::Snapshot;

/// A data set: ordinary RNTuple files, versions of what belongs to them, and what may be done to all of it.
///
/// ```
/// use rntuple::RNTuple;
/// use rntuple_dataset::Table;
///
/// #[derive(RNTuple)]
/// struct Event { run: u32, met: f32 }
///
/// # fn main() -> rntuple_dataset::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("events.rnds");
/// # let path = path.to_str().unwrap();
/// let table = Table::create::<Event>(path, "Events")?;
/// table.append::<Event>(|writer| (0..100u16).try_for_each(|i| writer.fill(&Event { run: 1, met: i.into() })))?;
/// table.append::<Event>(|writer| (0..50u16).try_for_each(|i| writer.fill(&Event { run: 2, met: i.into() })))?;
/// let before = table.snapshot()?;
///
/// // The second run was bad.
/// let after = table.delete::<Event>(|event| event.run == 2)?;
/// assert_eq!((before.len(), after.len()), (150, 100));
/// for event in &after.reader::<Event>()? {
///     assert_eq!(event?.run, 1);
/// }
/// // The old version is still there.
/// assert_eq!(before.reader::<Event>()?.entries().count(), 150);
/// # Ok(())
/// # }
/// ```
///
/// Rows are read from a version: [`snapshot`](Self::snapshot) and [`at`](Self::at) return one, and its
/// [`reader`](Snapshot::reader), [`filter`](Snapshot::filter) and [`take`](Snapshot::take) scan all rows, find some by a
/// predicate, and read some by their ids.
///
/// Every change is a commit: a new version, which is there as a whole or not at all, in whatever way programs race or die.
/// A program that loses a race has its change applied to what the winner made, or gets an error of the kind
/// [`Conflict`](crate::ErrorKind::Conflict). A `Table` holds nothing of the data set in memory; any number of them, in any
/// number of programs, may work on it.
///
/// **Plain readers of the data files see deleted entries.** Deletions are files next to them, which ROOT and uproot do not
/// know. [`compact`](Self::compact) writes files without them.
#[derive(Clone, Debug)]
pub struct Table {
    log: Log,
}

/// Which version of a data set is meant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum At {
    /// The newest one.
    Latest,
    /// The version of a number.
    Version(u64),
    /// The version that a tag names.
    Tag(String),
    /// The newest one of a time.
    Time(SystemTime),
}

impl From<u64> for At {
    fn from(version: u64) -> Self {
        Self::Version(version)
    }
}

impl From<&str> for At {
    fn from(tag: &str) -> Self {
        Self::Tag(tag.to_owned())
    }
}

impl From<SystemTime> for At {
    fn from(time: SystemTime) -> Self {
        Self::Time(time)
    }
}

impl Table {
    /// Opens the data set at a path or a URL: `events.rnds`, `s3://bucket/events.rnds`.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is none; or the storage cannot be reached.
    pub fn open(url: &str) -> Result<Self> {
        Self::from_log(Log::new(Location::new(url)?))
    }

    /// Opens the data set whose versions are in a log.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_log(log: Log) -> Result<Self> {
        let table = Self { log };
        let log = table.log.clone();
        rntuple_object_store::wait(async move { log.latest().await })?;
        Ok(table)
    }

    /// Returns the versions, for what is asynchronous.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns where the data set is.
    pub fn location(&self) -> &Location {
        self.log.location()
    }

    /// Returns the newest version.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.at(At::Latest)
    }

    /// Returns a version: that of a number, of a tag, or the newest one of a time.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): there is no such version; or it cannot be read.
    pub fn at(&self, version: impl Into<At>) -> Result<Snapshot> {
        let (log, at) = (self.log.clone(), version.into());
        rntuple_object_store::wait(async move { log.snapshot(&at).await })
    }
}
