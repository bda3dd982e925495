//! A type being matched with a file.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::column::{Allowance, Demand, Means};
use crate::error::{Error, Mismatch, Result};
use crate::limits::Limits;
use crate::message::NAMES_SHOWN;
use crate::schema::{ColumnId, FieldId, Schema};

/// A type being matched with a file: collects the columns it selects and every difference.
pub(crate) struct Connection {
    pub(super) schema: Arc<Schema>,
    pub(super) means: Arc<Means>,
    pub(super) selected: RefCell<Vec<Demand>>,
    pub(super) mismatches: RefCell<Vec<Mismatch>>,
    /// The fields that are read as values of whatever type they have; `None`: the entry.
    pub(super) values: RefCell<Vec<Option<FieldId>>>,
    allowance: Allowance,
    /// The fields that may be seen; `None`: all.
    visible: Option<Arc<HashSet<FieldId>>>,
    /// What stands in front of the names of flattened members; the first is nothing.
    pub(super) prefixes: RefCell<Vec<String>>,
}

impl Connection {
    pub(crate) fn new(
        schema: Arc<Schema>,
        verify_checksums: bool,
        limits: &Limits,
        visible: Option<Arc<HashSet<FieldId>>>,
    ) -> Self {
        Self {
            schema,
            means: Arc::new(Means::new(verify_checksums, limits)),
            selected: RefCell::default(),
            mismatches: RefCell::default(),
            values: RefCell::default(),
            allowance: Allowance::new(limits),
            visible,
            prefixes: RefCell::new(vec![String::new()]),
        }
    }

    pub(super) fn is_visible(&self, id: FieldId) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(&id))
    }

    /// What the entries may have without a column: renewed for each of them.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }

    /// The columns that the type reads, so far, and what reading them takes.
    pub(crate) fn demands(&self) -> Vec<Demand> {
        self.selected.borrow().clone()
    }

    /// The fields that are read as values of whatever type they have; `None`: the entry.
    pub(crate) fn values(&self) -> Vec<Option<FieldId>> {
        self.values.borrow().clone()
    }

    /// What the columns share.
    pub(crate) fn means(&self) -> Arc<Means> {
        self.means.clone()
    }

    /// The columns that the type reads.
    ///
    /// # Errors
    /// Every difference between the type and the file.
    pub(crate) fn finish(self) -> Result<BTreeSet<ColumnId>> {
        let mismatches = self.mismatches.into_inner();
        if mismatches.is_empty() {
            Ok(self.selected.into_inner().into_iter().map(|demand| demand.column).collect())
        } else {
            Err(Error::schema_mismatch(suggest(&self.schema, mismatches)))
        }
    }
}

/// Names that may be meant, in those differences that are shown: a search takes time, and there may be thousands.
pub(in crate::field) fn suggest(schema: &Schema, mut mismatches: Vec<Mismatch>) -> Vec<Mismatch> {
    for mismatch in mismatches.iter_mut().take(NAMES_SHOWN) {
        if mismatch.found != Mismatch::NO_FIELD {
            continue;
        }
        let (parent, name) = match mismatch.field.rsplit_once('.') {
            Some((path, name)) => match schema.find(path) {
                Some(parent) => (Some(parent), name),
                None => continue,
            },
            None => (None, &*mismatch.field),
        };
        if let Some(near) = schema.near_name(parent, name) {
            mismatch.help = Some(format!("did you mean `{near}`?"));
        }
    }
    mismatches
}
