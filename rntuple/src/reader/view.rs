//! A part of a schema, chosen by the paths of fields.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::schema::{FieldDescriptor, FieldId, Role, Schema};

/// Which fields are wanted.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// At these paths, or whose paths are like these patterns.
    Paths(Arc<[String]>),
    /// Of which this is true.
    Where(Test),
    /// These of one file, which need not have all that is below them.
    Exactly(Arc<HashSet<FieldId>>),
}

/// Says of a field, by its path and what the file says of it, whether it is wanted.
type IsWanted = dyn Fn(&str, &FieldDescriptor) -> bool + Send + Sync;

/// What is asked of each field.
#[derive(Clone)]
pub(super) struct Test(pub(super) Arc<IsWanted>);

impl fmt::Debug for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Test")
    }
}

/// Fields with everything above and below them.
#[derive(Debug, Default)]
pub(super) struct Selection(HashSet<FieldId>);

impl Selection {
    /// The fields that are wanted.
    pub(super) fn of(schema: &Schema, wanted: &Wanted) -> Result<Self> {
        let mut selection = Self::default();
        match wanted {
            Wanted::Paths(paths) => {
                for path in &**paths {
                    match path.contains(['*', '?']) {
                        true => selection.add_like(schema, path)?,
                        false => selection.add(schema, find(schema, path)?),
                    }
                }
            }
            Wanted::Where(Test(test)) => {
                if !selection.add_where(schema, |path, field| test(path, field)) {
                    return Err(Error::invalid_argument("no field is one of those that are wanted"));
                }
            }
            Wanted::Exactly(fields) => selection.0.extend(fields.iter()),
        }
        Ok(selection)
    }

    /// Adds all fields with paths like a pattern.
    #[cfg(feature = "glob")]
    fn add_like(&mut self, schema: &Schema, pattern: &str) -> Result<()> {
        let fault = |error: glob::PatternError| {
            Error::invalid_argument(format!("{pattern:?} is no pattern: {}", error.msg))
        };
        let like = glob::Pattern::new(pattern).map_err(fault)?;
        match self.add_where(schema, |path, _| like.matches(path)) {
            true => Ok(()),
            false => Err(Error::invalid_argument(format!("no field is like {pattern:?}"))),
        }
    }

    #[cfg(not(feature = "glob"))]
    fn add_like(&mut self, _: &Schema, pattern: &str) -> Result<()> {
        let message = format!("{pattern:?} is a pattern, which needs the feature `glob`");
        Err(Error::new(crate::error::ErrorKind::FeatureDisabled, message))
    }

    /// Adds all fields of which this is true; returns whether there are any.
    fn add_where(&mut self, schema: &Schema, test: impl Fn(&str, &FieldDescriptor) -> bool) -> bool {
        let mut any = false;
        let mut below: Vec<(FieldId, String)> =
            schema.top_level().iter().rev().map(|id| (*id, schema.path(*id))).collect();
        while let Some((id, path)) = below.pop() {
            let Some(field) = schema.field(id) else { continue };
            let is_item = field.parent.is_some_and(|parent| wraps(schema, parent) == Some(id));
            if !is_item && test(&path, field) {
                self.add(schema, id);
                any = true;
                continue;
            }
            for &child in schema.children(id) {
                let name = schema.field(child).map_or("", |field| &field.name);
                // What is in a collection needs no name of its own.
                let path =
                    if wraps(schema, id) == Some(child) { path.clone() } else { format!("{path}.{name}") };
                below.push((child, path));
            }
        }
        any
    }

    /// Adds a field.
    fn add(&mut self, schema: &Schema, id: FieldId) {
        let mut whole = id;
        let mut at = schema.field(id).and_then(|field| field.parent);
        while let Some(above) = at {
            let Some(field) = schema.field(above) else { break };
            self.0.insert(above);
            // Alternatives are distinguished by number: a variant is taken as a whole.
            if field.role == Role::Variant {
                whole = above;
            }
            at = field.parent;
        }
        let mut below = vec![whole];
        while let Some(id) = below.pop() {
            self.0.insert(id);
            below.extend(schema.children(id));
        }
    }

    pub(super) fn into_fields(self) -> HashSet<FieldId> {
        self.0
    }
}

/// The only item of a field that has one.
fn wraps(schema: &Schema, id: FieldId) -> Option<FieldId> {
    match (schema.field(id)?.role, schema.children(id)) {
        (Role::Collection | Role::Plain, &[item]) => Some(item),
        _ => None,
    }
}

/// The field at `path`, in which the `_0` of collections may be left out.
fn find(schema: &Schema, path: &str) -> Result<FieldId> {
    let mut at: Option<FieldId> = None;
    for part in path.split('.') {
        at = Some(loop {
            let found = match at {
                None => schema.top_level_named(part),
                Some(id) => schema.child_named(id, part),
            };
            // A name that is not there may be a member of the only item.
            match (found, at.and_then(|id| wraps(schema, id))) {
                (Some(found), _) => break found,
                (None, Some(item)) => at = Some(item),
                (None, None) => return Err(schema.no_field(path)),
            }
        });
    }
    at.ok_or_else(|| schema.no_field(path))
}
