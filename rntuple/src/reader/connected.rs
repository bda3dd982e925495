//! A type whose columns were found in an ntuple.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::ReadOptions;
use super::memory::{Largest, Memory};
use crate::column::{Allowance, Demand, Means};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attach, Connection, FieldNode, ReadField};
use crate::hidden::{Boxed, Hidden, discards};
use crate::schema::{ColumnId, FieldId};

/// How columns are found: those of a type, or of the field at a path.
pub(super) struct Connect<R> {
    path: Option<Arc<str>>,
    find: Find<R>,
}

/// A function that finds columns in a field.
pub(super) type Find<R> = fn(FieldNode<'_>, &mut R) -> Result<()>;

impl<R> Clone for Connect<R> {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), find: self.find }
    }
}

/// Finds columns in a field and keeps them, whatever they are.
pub(super) type Finder<'a> = dyn FnMut(FieldNode<'_>) -> Result<()> + 'a;

impl<R: Attach> Connect<R> {
    /// Those of a type of entries.
    pub(super) fn entries<T: ReadField<Reader = R>>() -> Self {
        Self { path: None, find: T::connect }
    }

    /// Those of the field at a path, which the options hide from no one.
    pub(super) fn field(path: &str, find: Find<R>) -> Self {
        Self { path: Some(path.into()), find }
    }

    /// The path of the field, if it is one.
    pub(super) fn path(&self) -> Option<&Arc<str>> {
        self.path.as_ref()
    }

    /// How the columns are found.
    pub(super) fn function(&self) -> Find<R> {
        self.find
    }

    /// Finds the columns in a field that `work` goes to; returns them with what that returns.
    pub(super) fn find<V>(&self, work: impl FnOnce(&mut Finder<'_>) -> Result<V>) -> Result<(Boxed<R>, V)> {
        // Boxed: a struct of many columns is large, and moved from here on.
        let mut columns = Boxed::new(R::DETACHED);
        let done = work(&mut |field| (self.find)(field, &mut columns))?;
        Ok((columns, done))
    }
}

/// The columns of a type, and what is known of the ntuple where they are.
pub(super) struct Opened<R> {
    pub(super) columns: Boxed<R>,
    pub(super) connected: Hidden<Connected>,
}

/// An ntuple whose columns were found, before any cluster was loaded.
pub(super) struct Connected {
    pub(super) dataset: Arc<Dataset>,
    pub(super) selected: BTreeSet<ColumnId>,
    /// The fields that are read as values of whatever type they have; `None`: the entry.
    pub(super) values: Vec<Option<FieldId>>,
    pub(super) allowance: Allowance,
    pub(super) means: Arc<Means>,
    demands: Vec<Demand>,
    /// What is largest among all pages, once a walk through all entries was planned.
    largest: OnceLock<Vec<Largest>>,
}

discards!(Connected);

impl Connected {
    /// # Errors
    /// The ntuple does not have what is asked for: every difference.
    pub(super) fn new(
        dataset: Arc<Dataset>,
        options: &ReadOptions,
        path: Option<&Arc<str>>,
        find: &mut Finder<'_>,
    ) -> Result<Self> {
        Self::in_dataset(&dataset, options, path, find)
            .map_err(|error| error.in_ntuple(dataset.path()).in_file(dataset.file().name()))
    }

    fn in_dataset(
        dataset: &Arc<Dataset>,
        options: &ReadOptions,
        path: Option<&Arc<str>>,
        find: &mut Finder<'_>,
    ) -> Result<Self> {
        let selection = match path {
            None => options.selection_in(dataset.schema())?.map(Arc::new),
            Some(_) => None,
        };
        let limits = options.limits_of(dataset.file());
        let connection =
            Connection::new(dataset.schema().clone(), options.verify_checksums, &limits, selection);
        let (allowance, means) = (connection.allowance(), connection.means());
        means.name(dataset.path(), dataset.file().name());
        let place = path.map_or(Ok(connection.root()), |path| connection.root().at(path));
        let found = place.and_then(find);
        let (demands, values) = (connection.demands(), connection.values());
        // All differences, rather than the first one.
        let selected = connection.finish()?;
        found?;
        let (dataset, largest) = (dataset.clone(), OnceLock::new());
        Ok(Self { dataset, selected, values, allowance, means, demands, largest })
    }

    /// Plans the memory of a walk through entries of the ntuple.
    ///
    /// # Errors
    /// As [`Memory::plan`]; or there is a budget, and a page list cannot be read.
    pub(super) fn plan(&self, entries: Range<u64>, options: &ReadOptions) -> Result<Memory> {
        let Some(budget) = options.memory_budget else { return Ok(Memory::unlimited()) };
        let some;
        let largest = match self.largest.get() {
            _ if entries != (0..self.dataset.entry_count()) => {
                some = Largest::of(&self.dataset, entries, &self.demands)?;
                &some
            }
            Some(largest) => largest,
            None => {
                let found = Largest::of(&self.dataset, entries, &self.demands)?;
                self.largest.get_or_init(|| found)
            }
        };
        let plan = Memory::plan(self.dataset.schema(), &self.demands, largest, budget, options);
        plan.map_err(|error| self.place(error))
    }

    /// Names the file of an error.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        error.in_ntuple(self.dataset.path()).in_file(self.dataset.file().name())
    }
}
