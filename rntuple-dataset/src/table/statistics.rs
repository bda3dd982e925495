//! Statistics of data files that have none.

use rntuple::statistics::Statistics;
use rntuple::{Dataset, RootFile, WriteOptions};

use super::Table;
use super::pool::all_cores;
use crate::error::Result;
use crate::format::names;
use crate::location::{Location, is_absolute};

impl Table {
    /// Computes statistics of the data files of the newest version that have none, on all cores, and writes them next to
    /// these files; returns of how many. Adopted files that are elsewhere are passed over: `rntuple stats --add` writes
    /// into them.
    ///
    /// # Errors
    /// A data file cannot be read, or statistics cannot be written.
    pub fn add_statistics(&self) -> Result<usize> {
        let snapshot = self.snapshot()?;
        let mut added = 0;
        for file in snapshot.fragments().iter().flat_map(|fragment| &fragment.files) {
            if is_absolute(&file.path) {
                continue;
            }
            let location = self.location().clone();
            let name = names::statistics(&file.path);
            let has = rntuple_object_store::wait(async move { location.has(&name).await })?;
            if !has {
                added += usize::from(write(self.location(), &file.path, snapshot.ntuple())?);
            }
        }
        Ok(added)
    }
}

/// Writes the statistics of a data file next to it, unless it has its own; returns whether it had none.
pub(super) fn write(location: &Location, path: &str, ntuple: &str) -> Result<bool> {
    let dataset = Dataset::open(&RootFile::open(location.data_file(path))?, ntuple)?;
    if Statistics::of(&dataset).is_ok_and(|known| known.is_some()) {
        return Ok(false);
    }
    location.prepare()?;
    let side = format!("{}/{}", location.root(), names::statistics(path));
    Statistics::compute_on(&dataset, &all_cores()?)?.save(&side, WriteOptions::new())?;
    Ok(true)
}
