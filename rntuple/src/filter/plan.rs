//! What the walks of one filter share.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::counters::{Counters, Tally};
use super::source::{Kept, Nothing, Source};
use super::unopened::{FindFacts, First};
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::predicate::{Bound, Possible, Predicate, bind};
use crate::reader::{FoundColumns, Scan};
use crate::statistics::Statistics;

/// How many files are kept ready: several walks may be in neighbouring files.
const KEPT: usize = 16;

/// Where the bounds of an ntuple are found.
type FindSource = dyn Fn(&Dataset, &Bound) -> Result<Arc<dyn Source>> + Send + Sync;

/// What the walks of one filter share.
pub(super) struct Plan {
    pub(super) scan: Scan,
    predicate: Predicate,
    first: Arc<First>,
    source: Arc<FindSource>,
    /// What is known of files before they are opened.
    facts: Option<Arc<FindFacts>>,
    ready: Mutex<Vec<Arc<Ready>>>,
    pub(super) tally: Tally,
}

/// A file, ready to be looked into.
pub(super) struct Ready {
    /// Its position.
    pub(super) index: usize,
    /// Its entries, as the reader counts them.
    pub(super) entries: Range<u64>,
    pub(super) dataset: Arc<Dataset>,
    pub(super) bound: Bound,
    pub(super) source: Arc<dyn Source>,
    /// The columns of the predicate.
    pub(super) columns: FoundColumns,
}

impl Plan {
    pub(super) fn new(scan: Scan, predicate: &Predicate) -> Result<Self> {
        let (dataset, _) = scan.file(0)?;
        Ok(Self {
            scan,
            predicate: predicate.clone(),
            first: Arc::new(First::new(predicate, &dataset)?),
            source: Arc::new(kept),
            facts: None,
            ready: Mutex::default(),
            tally: Tally::default(),
        })
    }

    /// The same for other walks.
    fn again(&self, scan: Scan) -> Self {
        Self {
            scan,
            predicate: self.predicate.clone(),
            first: self.first.clone(),
            source: self.source.clone(),
            facts: self.facts.clone(),
            ready: Mutex::default(),
            tally: Tally::default(),
        }
    }

    /// With statistics that are found elsewhere.
    pub(super) fn with_statistics(
        &self,
        scan: Scan,
        find: impl Fn(&Dataset) -> Result<Option<Statistics>> + Send + Sync + 'static,
    ) -> Self {
        let find = move |dataset: &Dataset, bound: &Bound| source(find(dataset)?, dataset, bound);
        Self { source: Arc::new(find), ..self.again(scan) }
    }

    /// With what is known of files before they are opened.
    pub(super) fn with_facts(&self, scan: Scan, facts: Arc<FindFacts>) -> Self {
        Self { facts: Some(facts), ..self.again(scan) }
    }

    /// The paths of the fields with columns that decide.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.first.paths()
    }

    /// What the predicate may be of the entries of a file, if something is known of it before it is opened.
    pub(super) fn foreseen(&self, index: usize) -> Option<Possible> {
        // What is an array or never null in the first file may be a vector or an option in another one.
        let facts = self.facts.as_ref().filter(|_| index == 0 || self.scan.has_same_schema())?;
        self.first.possible(&**facts, index)
    }

    pub(super) fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    pub(super) fn counters(&self) -> Counters {
        self.tally.counters()
    }

    /// A file, compared with the predicate.
    pub(super) fn ready(&self, index: usize) -> Result<Arc<Ready>> {
        let lock = || self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = lock().iter().find(|ready| ready.index == index) {
            return Ok(ready.clone());
        }
        let (dataset, entries) = self.scan.file(index)?;
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        let bound = bind(&self.predicate, dataset.schema()).map_err(place)?;
        let ready = Arc::new(Ready {
            index,
            entries,
            source: (self.source)(&dataset, &bound)?,
            columns: self.scan.columns(bound.fields().clone()),
            dataset,
            bound,
        });
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(ready.clone());
        Ok(ready)
    }

    /// Takes bounds from elsewhere.
    #[cfg(test)]
    pub(super) fn with_source(
        mut self,
        source: impl Fn(&Dataset) -> Arc<dyn Source> + Send + Sync + 'static,
    ) -> Self {
        self.source = Arc::new(move |dataset: &Dataset, _: &Bound| Ok(source(dataset)));
        self.ready = Mutex::default();
        self
    }
}

/// The bounds that the file itself keeps. Damaged statistics are as good as none.
fn kept(dataset: &Dataset, bound: &Bound) -> Result<Arc<dyn Source>> {
    match Statistics::of(dataset) {
        Err(error) if error.kind() == ErrorKind::Io => Err(error),
        found => source(found.unwrap_or_default(), dataset, bound),
    }
}

fn source(statistics: Option<Statistics>, dataset: &Dataset, bound: &Bound) -> Result<Arc<dyn Source>> {
    Ok(match statistics {
        Some(statistics) => Arc::new(Kept::of(&statistics, dataset.schema(), bound.fields().iter())?),
        None => Arc::new(Nothing),
    })
}
