//! The name of a field, made only when somebody asks.

use std::fmt;
use std::sync::Arc;

use super::{FieldId, Schema};

/// A field of a schema, for errors: its path may be long and is needed rarely.
#[derive(Clone)]
pub(crate) struct FieldPlace {
    schema: Arc<Schema>,
    /// `None`: the entry itself.
    field: Option<FieldId>,
}

impl FieldPlace {
    pub(crate) fn new(schema: Arc<Schema>, field: Option<FieldId>) -> Self {
        Self { schema, field }
    }
}

impl fmt::Display for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => f.write_str(&self.schema.path(field)),
            None => f.write_str("(entry)"),
        }
    }
}

impl fmt::Debug for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPlace({self})")
    }
}
