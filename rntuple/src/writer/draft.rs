//! What is decided before there is a file.

use std::sync::Arc;

use super::WriteOptions;
use super::options::Owned;
use super::representations::Representations;
use super::share::Share;
use super::sorted::key_lanes;
use crate::column::ColumnSink;
use crate::error::{Error, Result};
use crate::field::{Existing, Plan, Records, WriteField};
use crate::hidden::{Boxed, Hidden, discards};
use crate::page::Sealer;
use crate::root::{FileOptions, check_path};

/// The name and the options of an ntuple: a bad option or schema must not cost an existing one.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    path: String,
    /// The name, where the ntuple is an attribute set: the path is then none of a directory's.
    set: Option<String>,
    pub(super) options: WriteOptions,
    /// The schema of an ntuple that is continued.
    existing: Option<Arc<Existing>>,
}

discards!(Draft);

/// The columns of a type, before there is a file for them.
pub(super) struct Declared<C> {
    pub(super) columns: Columns<C>,
    pub(super) schema: Hidden<Declaration>,
}

/// The columns of a type.
pub(super) struct Columns<C> {
    /// What entries fill.
    pub(super) kept: Boxed<C>,
    /// What entries fill first, if one of their values may be refused.
    pub(super) trial: Option<Boxed<C>>,
}

/// What has been declared, whatever the type is.
pub(super) struct Declaration {
    pub(super) records: Records,
    pub(super) parts: Parts,
}

discards!(Declaration);

/// What a builder needs to know of its columns.
pub(super) struct Parts {
    pub(super) sink: Arc<ColumnSink>,
    pub(super) share: Share,
    pub(super) representations: Representations,
    /// Number of column writers.
    pub(super) lanes: usize,
    /// Whether any page is compressed.
    pub(super) is_compressed: bool,
}

/// Declares the columns of a type.
#[inline(never)]
pub(super) fn columns_of<T: WriteField + ?Sized>(plan: &mut Plan) -> Boxed<T::Writer> {
    Boxed::new(T::declare(&mut plan.root()))
}

impl Draft {
    pub(super) fn new(path: &str, options: WriteOptions) -> Result<Hidden<Self>> {
        options.check()?;
        check_path(path)?;
        Ok(Hidden::new(Self { path: path.to_owned(), set: None, options, existing: None }))
    }

    /// That of an existing ntuple which is continued.
    pub(super) fn existing(path: &str, options: WriteOptions, existing: Arc<Existing>) -> Result<Self> {
        options.check()?;
        Ok(Self { path: path.to_owned(), set: None, options, existing: Some(existing) })
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is an attribute set, which no directory lists.
    pub(super) fn is_set(&self) -> bool {
        self.set.is_some()
    }

    /// Returns what columns do with their pages.
    pub(super) fn sink(&self) -> Arc<ColumnSink> {
        let sealer = Sealer::new(self.options.checksums, self.options.owned.pool.clone());
        let sealer = sealer.observing(self.options.statistics);
        Arc::new(ColumnSink::new(sealer))
    }

    /// An attribute set of the ntuple at `owner`.
    pub(super) fn of_set(owner: &str, name: &str, options: WriteOptions) -> Result<Self> {
        options.check()?;
        // The rules are those of names of ntuples, and no directories.
        if check_path(name)?.1 != name {
            return Err(Error::invalid_argument(format!(
                "the name {name:?} of an attribute set cannot be a path"
            )));
        }
        Ok(Self {
            path: format!("{owner}, attribute set {name}"),
            set: Some(name.to_owned()),
            options,
            existing: None,
        })
    }

    /// That of an existing attribute set which is continued.
    pub(super) fn existing_set(
        owner: &str,
        name: &str,
        options: WriteOptions,
        existing: Arc<Existing>,
    ) -> Result<Self> {
        Ok(Self { existing: Some(existing), ..Self::of_set(owner, name, options)? })
    }

    /// Declares the columns of a type, for one of `contexts` sets of them, and the records of its schema.
    pub(super) fn declare<T: WriteField + ?Sized>(&self, contexts: usize) -> Result<Declared<T::Writer>> {
        let mut plan = self.plan();
        let kept = columns_of::<T>(&mut plan);
        let schema = self.finish_plan(plan, contexts)?;
        let trial = self.plan_trial(&schema).map(|mut plan| columns_of::<T>(&mut plan));
        Ok(Declared { columns: Columns { kept, trial }, schema })
    }

    /// For trials, if values may be refused.
    fn plan_trial(&self, schema: &Declaration) -> Option<Hidden<Plan>> {
        let choices = || schema.parts.representations.choices();
        schema.records.are_choosy().then(|| Hidden::new(self.plan().into_inner().for_trial(choices())))
    }

    fn plan(&self) -> Hidden<Plan> {
        let WriteOptions { compression, owned, .. } = &self.options;
        let Owned { encodings, compressions, schema, .. } = &**owned;
        let plan = Plan::new(self.sink(), *compression, encodings, compressions).with_values(schema.clone());
        Hidden::new(match &self.existing {
            Some(existing) => plan.adopting(existing.clone()),
            None => plan,
        })
    }

    fn finish_plan(&self, plan: Hidden<Plan>, contexts: usize) -> Result<Hidden<Declaration>> {
        let plan = plan.into_inner();
        let sink = plan.sink().clone();
        let place = |error: Error| error.in_ntuple(&self.path);
        let mut records = match self.existing {
            Some(_) => plan.finish_adopting().map_err(place)?,
            None => plan.finish().map_err(place)?,
        };
        let representations = Representations::new(std::mem::take(&mut records.choices));
        let share = Share::new(&self.options, &records.compressions, records.are_choosy(), contexts)
            .map_err(place)?;
        share.limit(&sink, self.options.initial_page_length, records.lanes.len());
        let keys = key_lanes(&self.options, &records).map_err(place)?;
        if !keys.is_empty() {
            // A sink is new for each set of columns.
            let _ = sink.keys.set(keys);
        }
        let lanes = records.lanes.len();
        let is_compressed = records.compressions.iter().any(|settings| !settings.is_none());
        let parts = Parts { sink, share, representations, lanes, is_compressed };
        Ok(Hidden::new(Declaration { records, parts }))
    }

    /// Returns the name of the ntuple, without its directories, or that of the set.
    pub(super) fn name(&self) -> &str {
        let own = || self.path.rsplit_once('/').map_or(&*self.path, |(_, name)| name);
        self.set.as_deref().unwrap_or_else(own)
    }

    pub(super) fn file_options(&self) -> FileOptions {
        self.options.file.clone()
    }
}
