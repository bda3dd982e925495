//! Clusters that no page list describes, from the order of their pages.

use std::collections::BTreeMap;

use super::ntuple::Ntuple;
use super::scan::Data;
use super::split::{spend, split};
use crate::error::{Error, Result};
use crate::schema::{ClusterDescriptor, Schema};

/// Failures that are kept.
const MOST_FAILURES: usize = 10;

/// What is tried for all records together. They may overlap in a damaged file, and few bytes claim many pages and columns.
struct Budget {
    columns: u64,
    /// Bytes that are read or hashed.
    stored: u64,
    /// Bytes of content that are looked at.
    content: u64,
}

impl Budget {
    /// Several times what a file of this size needs whose records do not overlap.
    fn of(size: u64) -> Self {
        let content = size.saturating_mul(1600).saturating_add(1 << 30);
        Self { columns: 10_000_000, stored: size.saturating_mul(8), content }
    }
}

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
    let size = ntuples.first().map_or(0, |ntuple| ntuple.found.file.storage().size());
    let mut budget = Budget::of(size);
    for data in unknown {
        match one_of(ntuples, &schemas, data, &mut budget) {
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
    budget: &mut Budget,
) -> Result<(usize, ClusterDescriptor)> {
    if data.is_cut {
        return Err(Error::unsupported("the record is cut short"));
    }
    let Some(file) = ntuples.first().map(|ntuple| &ntuple.found.file) else {
        return Err(Error::unsupported("there is no ntuple"));
    };
    let most = usize::try_from(file.limits().page_length).unwrap_or(usize::MAX);
    let size = data.payload.end - data.payload.start;
    spend(&mut budget.stored, size)?;
    let bytes = file.payload(data.payload.start, size, u64::MAX)?;
    let pages = split(&bytes, data.payload.start, most, &mut budget.stored)?;
    let mut found = None;
    let mut failure = Error::unsupported("no ntuple begins before the record");
    for (number, (ntuple, schema)) in ntuples.iter().zip(schemas).enumerate() {
        let Some(schema) = schema.as_ref().filter(|_| ntuple.header.span.offset < data.payload.start) else {
            continue;
        };
        let count = schema.columns().count() as u64;
        let columns = budget.columns.checked_sub(count);
        budget.columns = columns.ok_or_else(|| Error::limit("too many columns to try"))?;
        match ntuple.prover(schema).and_then(|mut prover| prover.arrange(&pages, &mut budget.content)) {
            Ok(_) if found.is_some() => {
                return Err(Error::unsupported("the pages fit the columns of more than one ntuple"));
            }
            Ok(cluster) => found = Some((number, cluster)),
            Err(error) => failure = error.in_ntuple(&ntuple.path),
        }
    }
    found.ok_or(failure)
}
