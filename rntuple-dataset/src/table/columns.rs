//! Columns that go, or change their names, without the rows being written again.

use std::collections::HashSet;

use super::Table;
use crate::error::{Error, ErrorKind, Result};
use crate::format::transaction::Project;
use crate::format::{Field, Transaction};
use crate::schema::{self, Paths};
use crate::snapshot::Snapshot;

impl Table {
    /// Removes columns: fields, or members of records, by their paths (`muons.charge`). Files stay as they are.
    ///
    /// # Errors
    /// There is no such field, or it is a part that its field cannot be without;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a projected field, which is not removed, shows its values
    /// in a file; a file with the field cannot be opened; or the commit fails.
    pub fn drop_columns(&self, paths: &[&str]) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let fields = snapshot.fields();
        let by_path = Paths::new(fields)?;
        let mut dropped = HashSet::new();
        for path in paths {
            let field = find(&snapshot, &by_path, path)?;
            let is_part =
                fields.iter().any(|parent| parent.id == field.parent_id && !schema::is_record(parent));
            if is_part {
                let message = format!("{path:?} is a part of its field: drop that instead");
                return Err(Error::invalid_argument(message).in_file(self.location().root()));
            }
            dropped.insert(field.id);
        }
        let mut kept = Vec::with_capacity(fields.len());
        for field in fields {
            // Parents come first.
            if dropped.contains(&field.id) || dropped.contains(&field.parent_id) {
                dropped.insert(field.id);
            } else {
                kept.push(field.clone());
            }
        }
        self.check_projected(&snapshot, &kept)?;
        self.project(&snapshot, kept)
    }

    /// Gives a field, or a member of a record, another name: `rename_column("muons.pt", "momentum")`.
    ///
    /// # Errors
    /// There is no such field, another one has the name, or the name is not possible; or the commit fails.
    pub fn rename_column(&self, path: &str, name: &str) -> Result<Snapshot> {
        let snapshot = self.snapshot()?;
        let by_path = Paths::new(snapshot.fields())?;
        let field = find(&snapshot, &by_path, path)?;
        let place = |message: String| Error::invalid_argument(message).in_file(self.location().root());
        if name.is_empty() || name.contains(['.', '/', '\\', '\0']) {
            return Err(place(format!("{name:?} cannot be the name of a field")));
        }
        if snapshot.fields().iter().any(|parent| parent.id == field.parent_id && !schema::is_record(parent)) {
            return Err(place(format!("{path:?} is a part of its field, which has no other name")));
        }
        if snapshot.fields().iter().any(|other| other.parent_id == field.parent_id && other.name == name) {
            return Err(place(format!("there is a field {name:?} next to {path:?}")));
        }
        let mut fields = snapshot.fields().to_vec();
        for other in &mut fields {
            if other.id == field.id {
                name.clone_into(&mut other.name);
            }
        }
        self.project(&snapshot, fields)
    }

    fn project(&self, snapshot: &Snapshot, schema: Vec<Field>) -> Result<Snapshot> {
        // Rows that others append meanwhile are known by the ids of their fields.
        let operation = Project { schema, preserves_nullability: true };
        self.commit(snapshot, Transaction::new(snapshot.version(), operation))
    }
}

/// A field by its path, with or without the items of collections: `muons._0.pt`, or `muons.pt` as readers take it.
fn find<'a>(snapshot: &'a Snapshot, paths: &Paths<'a>, path: &str) -> Result<&'a Field> {
    paths.get(path).or_else(|| through_items(snapshot.fields(), path)).ok_or_else(|| {
        let message = format!("the data set has no field {path:?}");
        Error::new(ErrorKind::NotFound, message).in_file(snapshot.location().root())
    })
}

/// Parents come before their children, so that every step goes down.
fn through_items<'a>(fields: &'a [Field], path: &str) -> Option<&'a Field> {
    let children = |parent: i32| fields.iter().filter(move |field| field.parent_id == parent);
    let mut found: Option<&Field> = None;
    for name in path.split('.') {
        let mut parent = found.map_or(-1, |field| field.id);
        found = loop {
            if let Some(field) = children(parent).find(|field| field.name == name) {
                break Some(field);
            }
            // The items of a collection are its only child. -1 is above all fields.
            let above = fields.iter().find(|field| field.id == parent)?;
            let mut items = children(parent);
            match (items.next(), items.next()) {
                (Some(item), None) if item.id != -1 && !schema::is_record(above) => parent = item.id,
                _ => return None,
            }
        };
    }
    found
}
