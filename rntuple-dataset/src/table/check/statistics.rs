//! Do the statistics of data files say what the pages have?

use rntuple::check::{CheckOptions, check_file};
use rntuple::schema::{ClusterId, ColumnId};
use rntuple::statistics::{Bounds, ColumnStatistics, ElementStatistics, Statistics};
use rntuple::{Dataset, ErrorKind, Pool, RootFile};

use crate::error::Result;
use crate::location::{Location, statistics_of};
use crate::schema::path_in;

/// Compares the statistics of a data file, in it and next to it, with those of its pages.
///
/// # Errors
/// The storage fails.
pub(super) fn check(
    location: &Location,
    path: &str,
    dataset: &Dataset,
    pool: &Pool,
    found: &mut dyn FnMut(String),
) -> Result<()> {
    let name = dataset.file().name();
    let mut known = Vec::new();
    match Statistics::of(dataset) {
        Ok(own) => known.extend(own.map(|own| (name.to_owned(), own))),
        Err(error) => found(format!("its statistics cannot be read: {error}")),
    }
    let side = statistics_of(path);
    let (place, side_of_place) = (location.clone(), location.key(&side));
    if rntuple_object_store::wait(async move { place.has(&side_of_place).await })? {
        let side = format!("{}/{side}", location.root());
        match RootFile::open(&side).and_then(|file| Ok((Statistics::open(&file, dataset)?, file))) {
            Ok((statistics, file)) => {
                check_file(&file, CheckOptions::new())
                    .faults
                    .iter()
                    .for_each(|fault| found(fault.to_string()));
                known.push((side, statistics));
            }
            // They are about another state of the file, and no reader takes them.
            Err(error) if error.kind() == ErrorKind::InvalidArgument => {}
            Err(error) => found(format!("the statistics of {name} cannot be read: {error}")),
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    let actual = Statistics::compute_on(dataset, pool)?;
    for (place, known) in known {
        for (id, _) in dataset.schema().columns() {
            match known.column(id) {
                Ok(column) => compare(dataset, &place, id, &column, &*actual.column(id)?, found),
                Err(error) => found(format!("the statistics of {name} cannot be read: {error}")),
            }
        }
    }
    Ok(())
}

/// Compares what is known of a column, as `place` has it, with what it holds.
fn compare(
    dataset: &Dataset,
    place: &str,
    id: ColumnId,
    known: &ColumnStatistics,
    actual: &ColumnStatistics,
    found: &mut dyn FnMut(String),
) {
    let schema = dataset.schema();
    let path_of = |field| path_in(schema, field).unwrap_or_else(|| format!("with the id {field}"));
    let field = schema.field_of(id).map(path_of).unwrap_or_default();
    for (cluster, claimed) in known.clusters() {
        // Of pages that cannot be compared, nothing is known.
        let Some(values) = actual.cluster(cluster) else { continue };
        let at = format!("{}: field {field}, column {}, cluster {}", dataset.file().name(), id.0, cluster.0);
        // Bounds of strings are of many strings, whichever pages they are in: they are compared once.
        let pages = |statistics: &ColumnStatistics, cluster: ClusterId| {
            let mut pages = statistics.pages(cluster).unwrap_or_default().to_vec();
            pages.iter_mut().for_each(|page| page.text = None);
            pages
        };
        let (claimed_pages, pages) = (pages(known, cluster), pages(actual, cluster));
        if claimed_pages.len() != pages.len() {
            let (claimed, found_pages) = (claimed_pages.len(), pages.len());
            found(format!("{at}: statistics in {place} are of {claimed} pages, and there are {found_pages}"));
            continue;
        }
        let mut is_sound = true;
        for (page, (claimed, values)) in claimed_pages.iter().zip(&pages).enumerate() {
            if !says(claimed, values) {
                is_sound = false;
                let (claimed, values) = (describe(claimed), describe(values));
                found(format!("{at}, page {page}: statistics in {place} say {claimed}; there are {values}"));
            }
        }
        if is_sound && !says(claimed, values) {
            let (claimed, values) = (describe(claimed), describe(values));
            found(format!("{at}: statistics in {place} say {claimed}; there are {values}"));
        }
    }
}

/// Whether statistics have the right counts, and exclude no value.
fn says(claimed: &ElementStatistics, values: &ElementStatistics) -> bool {
    claimed.nulls == values.nulls && claimed.nan_count == values.nan_count && includes(claimed, values)
}

/// Whether everything is possible that a file says of its values.
pub(crate) fn includes(claimed: &ElementStatistics, values: &ElementStatistics) -> bool {
    use Bounds as B;
    let has_numbers = values.elements > values.nan_count;
    let are_bounds = match (claimed.bounds, values.bounds) {
        (B::Signed { min, max }, B::Signed { min: low, max: high }) => min <= low && high <= max,
        (B::Unsigned { min, max }, B::Unsigned { min: low, max: high }) => min <= low && high <= max,
        (B::Real { min, max }, B::Real { min: low, max: high }) => min <= low && high <= max,
        _ => false,
    };
    let is_text = match (&claimed.text, &values.text) {
        (Some(claimed), Some(values)) => {
            let is_low = claimed.min.as_ref().zip(values.min.as_ref()).is_none_or(|(one, two)| one <= two);
            let is_high = claimed.max.as_ref().zip(values.max.as_ref()).is_none_or(|(one, two)| one >= two);
            is_low && is_high
        }
        (claimed, _) => claimed.is_none(),
    };
    claimed.elements == values.elements
        && (claimed.nan_count > 0 || values.nan_count == 0)
        && (claimed.elements > claimed.nan_count || !has_numbers)
        && (are_bounds || !has_numbers)
        && is_text
}

/// What statistics say: the count of elements, those that are none, and the bounds of the others.
fn describe(statistics: &ElementStatistics) -> String {
    let bounds = match statistics.bounds {
        Bounds::Signed { min, max } => format!("{min} to {max}"),
        Bounds::Unsigned { min, max } => format!("{min} to {max}"),
        Bounds::Real { min, max } => format!("{min} to {max}"),
        _ => "unknown bounds".to_owned(),
    };
    let text = statistics.text.as_ref().map_or_else(String::new, |text| {
        let end =
            |end: &Option<String>| end.as_ref().map_or_else(|| "..".to_owned(), |end| format!("{end:?}"));
        format!(", strings from {} to {}", end(&text.min), end(&text.max))
    });
    let (elements, nulls, nans) = (statistics.elements, statistics.nulls, statistics.nan_count);
    format!("{elements} elements, {nulls} without a value, {nans} NaN, {bounds}{text}")
}
