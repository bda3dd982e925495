//! What may be chosen about the generated source.

use std::collections::HashSet;

use rntuple::schema::{FieldId, Schema};

/// What may be chosen about the generated source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    name: String,
    values: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// An entry named `Entry`, and every field as the type that fits it best.
    pub fn new() -> Self {
        Self { name: "Entry".to_owned(), values: Vec::new() }
    }

    /// The name of the struct that is an entry, which is made one in Rust's spelling: `MyEvent` for `my_event`.
    /// Default: `Entry`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Keeps the field at this path (`jets._0.tag`) an [`rntuple::Value`]: for strings that are not UTF-8, or
    /// enums with values that have no names. Default: none. A path that names nothing changes nothing, and
    /// nothing changes in C++.
    #[must_use]
    pub fn value(mut self, path: impl Into<String>) -> Self {
        self.values.push(path.into());
        self
    }

    pub(crate) fn entry_name(&self) -> &str {
        &self.name
    }

    pub(crate) fn values(&self, schema: &Schema) -> HashSet<FieldId> {
        self.values.iter().filter_map(|path| schema.find(path)).collect()
    }
}
