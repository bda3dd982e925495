//! Clusters that no page list describes, from the order of their pages.

use std::collections::BTreeMap;

use super::ntuple::Ntuple;
use super::scan::Data;
use super::split::split;
use crate::error::{Error, Result};
use crate::schema::{ClusterDescriptor, Schema};

/// Failures that are kept.
const MOST_FAILURES: usize = 10;

/// Columns that are tried for all records together: few bytes could claim many of both.
const MOST_COLUMNS: u64 = 10_000_000;

/// What became of the records.
#[derive(Default)]
pub(super) struct Deduced {
    /// By number of the ntuple, in the order of the file.
    pub(super) clusters: BTreeMap<usize, Vec<ClusterDescriptor>>,
    /// Why there is no cluster in some record.
    pub(super) failures: Vec<Error>,
}

/// Finds the clusters that fit one of the ntuples, and fit it in one way.
pub(super) fn deduce(ntuples: &[Ntuple<'_>], unknown: &[&Data]) -> Deduced {
    let mut deduced = Deduced::default();
    let schema = |ntuple: &Ntuple<'_>| ntuple.schema(&ntuple.extension()).ok();
    let schemas: Vec<Option<Schema>> = ntuples.iter().map(schema).collect();
    let mut columns = MOST_COLUMNS;
    for data in unknown {
        match one_of(ntuples, &schemas, data, &mut columns) {
            Ok((number, cluster)) => deduced.clusters.entry(number).or_default().push(cluster),
            Err(error) if deduced.failures.len() < MOST_FAILURES => {
                deduced.failures.push(error.at_offset(data.payload.start));
            }
            Err(_) => {}
        }
    }
    deduced
}

/// The ntuple that the record has a cluster of.
fn one_of(
    ntuples: &[Ntuple<'_>],
    schemas: &[Option<Schema>],
    data: &Data,
    columns: &mut u64,
) -> Result<(usize, ClusterDescriptor)> {
    if data.is_cut {
        return Err(Error::unsupported("the record is cut short"));
    }
    let Some(file) = ntuples.first().map(|ntuple| &ntuple.found.file) else {
        return Err(Error::unsupported("there is no ntuple"));
    };
    let most = usize::try_from(file.limits().page_length).unwrap_or(usize::MAX);
    let bytes = file.payload(data.payload.start, data.payload.end - data.payload.start, u64::MAX)?;
    let pages = split(&bytes, data.payload.start, most)
        .ok_or_else(|| Error::unsupported("the record does not consist of whole pages with checksums"))?;
    let mut found = None;
    let mut failure = Error::unsupported("no ntuple begins before the record");
    for (number, (ntuple, schema)) in ntuples.iter().zip(schemas).enumerate() {
        let Some(schema) = schema.as_ref().filter(|_| ntuple.header.span.offset < data.payload.start) else {
            continue;
        };
        let count = schema.columns().count() as u64;
        *columns = columns.checked_sub(count).ok_or_else(|| Error::limit("too many columns to try"))?;
        match ntuple.prover(schema).and_then(|mut prover| prover.arrange(&pages)) {
            Ok(_) if found.is_some() => {
                return Err(Error::unsupported("the pages fit the columns of more than one ntuple"));
            }
            Ok(cluster) => found = Some((number, cluster)),
            Err(error) => failure = error.in_ntuple(&ntuple.path),
        }
    }
    found.ok_or(failure)
}
