//! Statistics of data files that have none.

use rntuple::statistics::Statistics;
use rntuple::{Dataset, RootFile, WriteOptions};

use super::Table;
use super::pool::all_cores;
use crate::copies::Copies;
use crate::error::Result;
use crate::location::{Location, statistics_of};

impl Table {
    /// Computes statistics of the data files of the newest version that have none, on all cores, and writes them next to
    /// these files; returns of how many. Those of adopted files that are elsewhere are written to the data set as well.
    ///
    /// # Errors
    /// A data file cannot be read, or statistics cannot be written.
    pub fn add_statistics(&self) -> Result<usize> {
        let snapshot = self.snapshot()?;
        let mut added = 0;
        for file in snapshot.fragments().iter().flat_map(|fragment| &fragment.files) {
            let location = self.location().clone();
            let name = location.key(&statistics_of(&file.path));
            let has = rntuple_object_store::wait(async move { location.has(&name).await })?;
            if !has {
                let none = Copies::default();
                added += usize::from(write(self.location(), &file.path, snapshot.ntuple(), &[], &none)?);
            }
        }
        Ok(added)
    }
}

/// Writes the statistics of a data file to the data set, unless it has its own; returns whether it had none. They say that
/// the file is sorted by the fields of `order`, if it is. What is known of clusters that were copied is taken over.
pub(super) fn write(
    location: &Location,
    path: &str,
    ntuple: &str,
    order: &[String],
    copies: &Copies,
) -> Result<bool> {
    let dataset = Dataset::open(&RootFile::open(location.data_file(path))?, ntuple)?;
    if Statistics::of(&dataset).is_ok_and(|known| known.is_some()) {
        return Ok(false);
    }
    let name = statistics_of(path);
    location.prepare_for(&name)?;
    let side = format!("{}/{name}", location.root());
    let mut statistics = copies.statistics(&dataset, &all_cores()?)?;
    if !order.is_empty()
        && let Err(error) = statistics.verify_order(&dataset, order)
        && error.kind() != rntuple::ErrorKind::InvalidArgument
    {
        return Err(error.into());
    }
    statistics.save(&side, WriteOptions::new())?;
    Ok(true)
}
