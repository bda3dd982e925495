//! Fields of future versions: what this crate cannot read is hidden, the rest stays readable
//! (format, section 10).

use serde::Serialize;

use super::groups::Groups;
use super::numbered::{numbered, numbered_columns, path};
use super::{AliasColumn, ColumnDescriptor, FieldDescriptor, FieldId, Role};
use crate::error::Result;

/// A top-level field that this crate cannot read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HiddenField {
    /// Its id.
    pub field: FieldId,
    /// Its name.
    pub name: String,
    /// What is unknown about it.
    pub reason: String,
}

/// Names in reasons are cut after so many characters: many projections of one long name would
/// otherwise multiply it.
const NAME_SHOWN: usize = 100;

/// The hidden top-level fields in order of their ids.
///
/// A tree with anything unknown is hidden as a whole, and so is what is a projection of any part of it:
/// a reader that leaves out half a record would read wrong data. Ids have been checked.
pub(super) fn find(
    fields: &[FieldDescriptor],
    columns: &[ColumnDescriptor],
    alias_columns: &[AliasColumn],
    is_known: &dyn Fn(&ColumnDescriptor) -> Result<bool>,
) -> Result<Vec<HiddenField>> {
    let roots = roots(fields);
    let root = |id: FieldId| roots.get(id.index()).copied().unwrap_or(id);
    let mut reasons = Reasons { by_root: vec![None; fields.len()], queue: Vec::new() };

    for (id, field) in numbered(fields) {
        if field.field_version > 0 {
            let version = field.field_version;
            reasons.add(root(id), || {
                format!("{} has version {version} of the layout, 0 is known", path(fields, id))
            });
        }
        if let Role::Unknown(role) = field.role {
            reasons.add(root(id), || format!("{} has the unknown role {role}", path(fields, id)));
        }
    }
    for (id, column) in numbered_columns(columns) {
        let path = || path(fields, column.field);
        if !is_known(column).map_err(|error| error.in_column(id.0.into()).in_field(path()))? {
            reasons.add(root(column.field), || {
                format!("column {id} ({}) has the unknown type {:#04x}", path(), column.type_code)
            });
        }
    }

    let projections = numbered(fields).filter_map(|(id, field)| Some((field.projection_source?, id)));
    let aliases = alias_columns
        .iter()
        .filter_map(|alias| Some((columns.get(alias.physical.index())?.field, alias.field)));
    let projected_from = Groups::new(
        fields.len(),
        projections.chain(aliases).map(|(source, field)| (root(source).index(), root(field))),
    );
    while let Some(source) = reasons.queue.pop() {
        for field in projected_from.get(source.index()) {
            let name = fields.get(source.index()).map_or("", |field| &field.name);
            reasons.add(*field, || {
                let name: String = name.chars().take(NAME_SHOWN).collect();
                format!("it is a projection of {name}, which is hidden")
            });
        }
    }

    let hidden = numbered(fields).zip(reasons.by_root).filter_map(|((id, field), reason)| {
        Some(HiddenField { field: id, name: field.name.clone(), reason: reason? })
    });
    Ok(hidden.collect())
}

/// The first reason found for each top-level field, and the fields whose projections are to be visited.
struct Reasons {
    by_root: Vec<Option<String>>,
    queue: Vec<FieldId>,
}

impl Reasons {
    fn add(&mut self, root: FieldId, reason: impl FnOnce() -> String) {
        if let Some(slot @ None) = self.by_root.get_mut(root.index()) {
            *slot = Some(reason());
            self.queue.push(root);
        }
    }
}

/// The top-level field above each field. Parents come before their children.
fn roots(fields: &[FieldDescriptor]) -> Vec<FieldId> {
    let mut roots: Vec<FieldId> = Vec::with_capacity(fields.len());
    for (id, field) in numbered(fields) {
        let above = field.parent.and_then(|parent| roots.get(parent.index()));
        roots.push(above.copied().unwrap_or(id));
    }
    roots
}
