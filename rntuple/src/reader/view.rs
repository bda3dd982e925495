//! A part of a schema, chosen by the paths of fields.

use std::collections::HashSet;

use crate::error::Result;
use crate::schema::{FieldId, Role, Schema};

/// Fields with everything above and below them.
#[derive(Debug, Default)]
pub(super) struct Selection(HashSet<FieldId>);

impl Selection {
    /// The fields at these paths.
    pub(super) fn of(schema: &Schema, paths: &[impl AsRef<str>]) -> Result<Self> {
        let mut selection = Self::default();
        for path in paths {
            selection.add(schema, path.as_ref())?;
        }
        Ok(selection)
    }

    /// Adds the field at `path`, in which the `_0` of collections may be left out.
    fn add(&mut self, schema: &Schema, path: &str) -> Result<()> {
        let mut at: Option<FieldId> = None;
        let mut whole = None;
        for part in path.split('.') {
            let next = loop {
                let found = match at {
                    None => schema.top_level_named(part),
                    Some(id) => schema.child_named(id, part),
                };
                // A name that is not there may be a member of the only item.
                let item = at.map(|id| schema.children(id)).unwrap_or_default();
                let is_wrapper = at
                    .and_then(|id| schema.field(id))
                    .is_some_and(|field| matches!(field.role, Role::Collection | Role::Plain));
                match (found, item) {
                    (Some(found), _) => break found,
                    (None, &[item]) if is_wrapper => {
                        self.0.extend(at);
                        at = Some(item);
                    }
                    _ => return Err(schema.no_field(path)),
                }
            };
            // Alternatives are told apart by number: a variant is taken as a whole.
            let field = at.and_then(|id| schema.field(id));
            if whole.is_none() && field.is_some_and(|field| field.role == Role::Variant) {
                whole = at;
            }
            self.0.extend(at);
            at = Some(next);
        }
        let mut below: Vec<FieldId> = whole.or(at).into_iter().collect();
        while let Some(id) = below.pop() {
            self.0.insert(id);
            below.extend(schema.children(id));
        }
        Ok(())
    }

    pub(super) fn into_fields(self) -> HashSet<FieldId> {
        self.0
    }
}
