//! Statistics of data files: in them, or next to them.

use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rntuple::statistics::Statistics;
use rntuple::{Dataset, RootFile};

use crate::format::names;
use crate::location::{Found, Location, statistics_of};

/// How many files are looked for one by one, before all of them are listed.
const ONE_BY_ONE: usize = 16;

/// Finds the statistics of data files. A few files are asked one by one; where there are more, the folder is listed once.
pub(crate) struct Sides {
    location: Location,
    asked: AtomicUsize,
    /// The names of files with statistics; `None`: they cannot be listed.
    listed: OnceLock<Option<HashSet<String>>>,
}

impl Sides {
    pub(crate) fn new(location: &Location) -> Self {
        Self { location: location.clone(), asked: AtomicUsize::new(0), listed: OnceLock::new() }
    }

    /// Returns the statistics of a data file, if there are some. Damaged ones are as good as none.
    ///
    /// # Errors
    /// The storage fails.
    pub(crate) fn statistics(&self, file: &Dataset) -> rntuple::Result<Option<Statistics>> {
        match Statistics::of(file) {
            Ok(Some(own)) => return Ok(Some(own)),
            Err(error) if error.kind() == rntuple::ErrorKind::Io => return Err(error),
            _ => {}
        }
        let folder = format!("{}/{}/", self.location.root(), names::DATA);
        let name = file.file().name();
        let side = statistics_of(name.strip_prefix(&folder).unwrap_or(name));
        if !self.may_exist(&side) {
            return Ok(None);
        }
        let side = format!("{}/{side}", self.location.root());
        match RootFile::open(side).and_then(|side| Statistics::open(&side, file)) {
            Err(error) if crate::bounds::is_failure(&error) => Err(error),
            found => Ok(found.ok()),
        }
    }

    /// Whether a file with statistics may exist.
    fn may_exist(&self, side: &str) -> bool {
        if self.asked.fetch_add(1, Relaxed) < ONE_BY_ONE {
            return true;
        }
        let listed = self.listed.get_or_init(|| {
            let location = self.location.clone();
            let listed = rntuple_object_store::wait(async move { location.list(names::STATISTICS).await });
            let name = |file: Found| format!("{}/{}", names::STATISTICS, file.name);
            listed.ok().map(|files| files.into_iter().map(name).collect())
        });
        listed.as_ref().is_none_or(|names| names.contains(&self.location.key(side)))
    }
}

impl fmt::Debug for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sides").field(&self.location).finish()
    }
}
