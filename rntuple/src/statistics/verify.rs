//! Whether the entries of a file are in order, whoever wrote it: the columns of the keys are read.

use std::sync::Arc;

use super::ascent::{Ascent, Misplaced, Span};
use super::keys::{KeyField, key_fields};
use super::order::{SortKey, SortOrder};
use super::pages::Pages;
use crate::dataset::Dataset;
use crate::encoding::{ColumnEncoding, Ranks};
use crate::error::{Error, Result};
use crate::page::Unsealers;
use crate::schema::{ClusterDescriptor, ColumnDescriptor, FieldDescriptor, PageLocation};

impl SortOrder {
    /// Reads the fields at `paths` in all entries of an ntuple, whoever wrote it, and returns the order that they are in.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) with the first entry that is not in order, or a field that
    /// is not a number that each entry has once. [`Unsupported`](crate::ErrorKind::Unsupported) for an overlay: each of
    /// its files has an order of its own. Or pages cannot be read.
    pub fn verify<P: Into<String>>(dataset: &Dataset, paths: impl IntoIterator<Item = P>) -> Result<Self> {
        let paths: Vec<String> = paths.into_iter().map(Into::into).collect();
        if !dataset.layers().is_empty() {
            let error = Error::unsupported("the files of an overlay have orders of their own");
            return Err(error.in_ntuple(dataset.path()).in_file(dataset.file().name()));
        }
        read(dataset, &paths)
    }
}

fn read(dataset: &Dataset, paths: &[String]) -> Result<SortOrder> {
    let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
    let schema = dataset.schema();
    let fields: Vec<FieldDescriptor> = schema.fields().map(|(_, field)| field.clone()).collect();
    let columns: Vec<ColumnDescriptor> = schema.columns().map(|(_, column)| column.clone()).collect();
    let keys = key_fields(paths, &fields, &columns).map_err(place)?;
    if keys.is_empty() {
        return Err(place(Error::invalid_argument("an order of entries has one field or more")));
    }
    let unsealers = Unsealers::new(true, dataset.file().limits());
    let pages = Pages { dataset, unsealers: &unsealers };
    let mut all: Option<Span> = None;
    for (number, cluster) in (0u64..).zip(dataset.clusters()) {
        let cluster = cluster?;
        let span = span_of(pages, &keys, &cluster).map_err(|error| place(error.in_cluster(number)))?;
        let misplaced = match span {
            Err(misplaced) => Err(misplaced),
            Ok(None) => Ok(()),
            Ok(Some(span)) => match &mut all {
                Some(all) => all.extend(span),
                none => {
                    *none = Some(span);
                    Ok(())
                }
            },
        };
        misplaced.map_err(|misplaced| place(unsorted(&keys, &misplaced, cluster.first_entry)))?;
    }
    Ok(SortOrder::new(&keys, all))
}

/// The keys of the first and the last entry of a cluster, or which entry is misplaced.
fn span_of(
    pages: Pages<'_>,
    keys: &[KeyField],
    cluster: &Arc<ClusterDescriptor>,
) -> Result<Result<Option<Span>, Misplaced>> {
    let mut columns = Vec::with_capacity(keys.len());
    for key in keys {
        columns.push(KeyPages::of(pages.dataset, key, cluster).map_err(|error| error.in_field(&*key.path))?);
    }
    let mut ascent = Ascent::default();
    // The key of which least is known comes next, so that little waits for others.
    while let Some((key, column)) = (0..).zip(&mut columns).min_by_key(|(key, _)| ascent.known(*key)) {
        let Some(page) = column.pages.next() else { break };
        let values =
            pages.ranks(&column.encoding, page).map_err(|error| error.in_field(&*column.key.path))?;
        ascent.push(&Ranks { key, keys: keys.len(), kind: column.key.kind, values });
    }
    let entries = ascent.entries();
    let found = ascent.finish();
    if found.is_ok() && entries != cluster.entry_count {
        let message = format!("{entries} entries have all keys, the cluster has {}", cluster.entry_count);
        return Err(Error::out_of_spec(message));
    }
    Ok(found)
}

/// The pages of a key in a cluster.
struct KeyPages<'a> {
    key: &'a KeyField,
    encoding: ColumnEncoding,
    pages: std::slice::Iter<'a, PageLocation>,
}

impl<'a> KeyPages<'a> {
    fn of(dataset: &Dataset, key: &'a KeyField, cluster: &'a ClusterDescriptor) -> Result<Self> {
        let range = |id: &crate::schema::ColumnId| {
            let range = cluster.columns.get(id.index()).filter(|range| range.first_element.is_some())?;
            Some((dataset.schema().column(*id)?, range))
        };
        let (column, range) =
            key.columns.iter().find_map(range).ok_or_else(|| Error::out_of_spec("the cluster lacks it"))?;
        let column_type =
            column.column_type().ok_or_else(|| Error::unsupported("its column type is not known"))?;
        let encoding = ColumnEncoding::checked(column_type, column.bits, column.range)?;
        Ok(Self { key, encoding, pages: range.pages.iter() })
    }
}

/// The error of entries that are not sorted, of which the first that was compared is entry `first`.
#[cold]
pub(crate) fn unsorted(keys: &[KeyField], misplaced: &Misplaced, first: u64) -> Error {
    let Misplaced { entry, key, before, found } = *misplaced;
    let order = keys.iter().map(|key| &*key.path).collect::<Vec<_>>().join(", ");
    let key = keys.get(key);
    let value = |rank| match key.map(|key| SortKey::of_rank(rank, key.kind)) {
        Some(SortKey::Signed(value)) => value.to_string(),
        Some(SortKey::Unsigned(value)) => value.to_string(),
        Some(SortKey::Real(value)) => value.to_string(),
        None => "a value".to_owned(),
    };
    let message = match before {
        Some(before) => {
            format!("{} comes after {}, expected entries sorted by {order}", value(found), value(before))
        }
        None => format!("NaN has no place in an order, expected entries sorted by {order}"),
    };
    let error = Error::invalid_argument(message).at_entry(first.saturating_add(entry));
    key.into_iter().fold(error, |error, key| error.in_field(&*key.path))
}
