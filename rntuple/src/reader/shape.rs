//! Comparing what two files have, for values whose type is that of the file.

use std::collections::HashSet;

use crate::error::{Error, Mismatch, Result};
use crate::schema::{FieldDescriptor, FieldId, Schema, contradiction};

/// What a file has where it is read as values of whatever type it has.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) schema: &'a Schema,
    /// The fields that may be seen; `None`: all.
    pub(super) visible: Option<&'a HashSet<FieldId>>,
    /// The fields that are read so, in the order of the type; `None`: the entry.
    pub(super) values: &'a [Option<FieldId>],
}

impl<'a> Shape<'a> {
    fn sees(self, id: FieldId) -> bool {
        self.visible.is_none_or(|visible| visible.contains(&id))
    }

    fn children(self, parent: Option<FieldId>) -> impl Iterator<Item = FieldId> {
        let all = parent.map_or(self.schema.top_level(), |id| self.schema.children(id));
        all.iter().copied().filter(move |id| self.sees(*id))
    }

    /// The child of this name. Where, against the rules, several have it, it is the first one, if that may be seen.
    fn named(self, parent: Option<FieldId>, name: &str) -> Option<FieldId> {
        let found = match parent {
            None => self.schema.top_level_named(name),
            Some(id) => self.schema.child_named(id, name),
        };
        found.filter(|id| self.sees(*id))
    }

    pub(super) fn path(self, id: Option<FieldId>) -> String {
        id.map(|id| self.schema.path(id)).unwrap_or_default()
    }
}

/// What decides which values a field has.
fn describe(field: &FieldDescriptor) -> String {
    let role = field.role.name();
    let name = match &*field.type_name {
        "" => format!("an untyped {role}"),
        name => format!("{name} ({role})"),
    };
    match field.array_size {
        Some(size) => format!("{name} of {size}"),
        None => name,
    }
}

/// A field of one file, and the one of another that is compared with it; `None` is the entry itself.
type Pair = (Option<FieldId>, Option<FieldId>);

/// The fields that are read as values in both, by their paths. The others have another name in one of the files, or are
/// items of options there: they are in the same order, unless one of the files lacks a member. Then the second list has
/// those of theirs that are left.
fn pairs(ours: Shape<'_>, theirs: Shape<'_>) -> (Vec<Pair>, Vec<Option<FieldId>>) {
    let mut others: Vec<_> = theirs.values.iter().map(|id| (theirs.path(*id), *id)).collect();
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for our in ours.values {
        let path = ours.path(*our);
        match others.iter().position(|(other, _)| *other == path) {
            Some(position) => pairs.push((*our, others.remove(position).1)),
            None => left.push(*our),
        }
    }
    if left.len() == others.len() {
        pairs.extend(left.into_iter().zip(others).map(|(our, (_, their))| (our, their)));
        return (pairs, Vec::new());
    }
    (pairs, others.into_iter().map(|(_, their)| their).collect())
}

/// The fields of two files that are read as values have the same names and types below them, and values of the same
/// meaning; which comes first does not matter. Returns the fields of theirs that ours lack.
///
/// # Errors
/// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) with the first difference, in terms of what `first` has.
pub(super) fn compare(ours: Shape<'_>, theirs: Shape<'_>, first: &str) -> Result<Vec<Option<FieldId>>> {
    let differs = |path: String, found: &str, wanted: &str| -> Error {
        let help = format!("every file must have the fields of {first}");
        Error::schema_mismatch(vec![Mismatch::new(path, found, wanted).with_help(help)])
    };
    // Apart from what is below them.
    let compare_fields = |our: FieldId, their: FieldId| {
        let (Some(here), Some(there)) = (ours.schema.field(our), theirs.schema.field(their)) else {
            return Ok(());
        };
        let (said_here, said_there) = (describe(here), describe(there));
        if said_here != said_there {
            return Err(differs(ours.schema.path(our), &said_there, &said_here));
        }
        match contradiction(there, here) {
            Some((found, wanted)) => Err(differs(ours.schema.path(our), &found, &wanted)),
            None => Ok(()),
        }
    };
    // Pairs whose children are to be compared.
    let (mut pairs, left) = pairs(ours, theirs);
    for pair in &pairs {
        if let (Some(our), Some(their)) = *pair {
            compare_fields(our, their)?;
        }
    }
    while let Some((our, their)) = pairs.pop() {
        for id in ours.children(our) {
            let Some(field) = ours.schema.field(id) else { continue };
            // Another one of the same name comes first.
            if ours.named(our, &field.name) != Some(id) {
                continue;
            }
            let Some(other) = theirs.named(their, &field.name) else {
                return Err(differs(ours.schema.path(id), Mismatch::NO_FIELD, &describe(field)));
            };
            compare_fields(id, other)?;
            pairs.push((Some(id), Some(other)));
        }
        for id in theirs.children(their) {
            let Some(field) = theirs.schema.field(id) else { continue };
            if ours.named(our, &field.name).is_none() {
                return Err(differs(theirs.schema.path(id), &describe(field), Mismatch::NO_FIELD));
            }
        }
    }
    Ok(left)
}
