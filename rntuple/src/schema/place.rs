//! The name of a field, made only when somebody asks.

use std::fmt;
use std::sync::Arc;

use super::{FieldId, Schema};

/// A field of a schema, for errors: its path may be long and is needed rarely.
#[derive(Clone)]
pub(crate) struct FieldPlace {
    /// `None`: of no file.
    schema: Option<Arc<Schema>>,
    /// `None`: the entry itself.
    field: Option<FieldId>,
}

impl FieldPlace {
    /// That of columns that are attached to no file.
    pub(crate) const NOWHERE: Self = Self { schema: None, field: None };

    pub(crate) fn new(schema: Arc<Schema>, field: Option<FieldId>) -> Self {
        Self { schema: Some(schema), field }
    }
}

impl fmt::Display for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.schema, self.field) {
            (Some(schema), Some(field)) => f.write_str(&schema.path(field)),
            _ => f.write_str("(entry)"),
        }
    }
}

impl fmt::Debug for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPlace({self})")
    }
}
