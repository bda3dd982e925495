//! What a predicate may be of the entries of a file that was not opened.

use std::collections::BTreeMap;

use super::known::sizes;
use super::source::Meaning;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::predicate::{Bound, Bounds, Known, Possible, Predicate, bind};
use crate::schema::FieldId;
use crate::statistics::ElementStatistics;

/// Says what is known of all values of a field, by the position of the file and the path of the field.
pub(super) type FindFacts = dyn Fn(usize, &str) -> Option<ElementStatistics> + Send + Sync;

/// A predicate in the terms of the first file. Files of the same schema may have other columns, but the same values mean
/// the same.
pub(super) struct First {
    bound: Bound,
    /// The fields of which something can be known: those with columns.
    fields: BTreeMap<FieldId, (String, Meaning)>,
}

impl First {
    /// # Errors
    /// The file has no such fields, or they cannot be compared as the predicate does.
    pub(super) fn new(predicate: &Predicate, dataset: &Dataset) -> Result<Self> {
        let schema = dataset.schema();
        let bound = bind(predicate, schema)
            .map_err(|error| error.in_ntuple(dataset.path()).in_file(dataset.file().name()))?;
        let field = |id: &FieldId| {
            let columns = schema.representations(*id).first()?;
            Some((*id, (schema.path(*id), Meaning::of(schema, columns))))
        };
        let fields = bound.fields().iter().filter_map(field).collect();
        Ok(Self { bound, fields })
    }

    /// The paths of the fields with columns that decide.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.fields.values().map(|(path, _)| &**path)
    }

    /// What the predicate may be of the entries of a file, if something is known of it.
    pub(super) fn possible(&self, find: &FindFacts, file: usize) -> Option<Possible> {
        // The names of an enum may stand for other numbers in another file.
        let facts = Facts { first: self, find, file };
        (!self.bound.has_enums()).then(|| self.bound.possible(&facts))
    }
}

struct Facts<'a> {
    first: &'a First,
    find: &'a FindFacts,
    file: usize,
}

impl Known for Facts<'_> {
    fn values(&self, field: FieldId) -> Option<Bounds> {
        let (path, meaning) = self.first.fields.get(&field)?;
        meaning.bounds(&(self.find)(self.file, path)?)
    }

    fn sizes(&self, field: FieldId) -> Option<(u64, u64)> {
        sizes(self.values(field))
    }
}
