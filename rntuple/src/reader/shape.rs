//! Comparing what two files have, for values whose type is that of the file.

use std::collections::HashSet;

use crate::error::{Error, Mismatch, Result};
use crate::schema::{FieldDescriptor, FieldId, Schema, contradiction};

type Visible<'a> = Option<&'a HashSet<FieldId>>;

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

/// The fields of two schemas have the same names and types, and values of the same meaning; which comes first does not
/// matter.
///
/// # Errors
/// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) with the first difference, in terms of what `first` has.
pub(super) fn compare(
    ours: &Schema,
    our_fields: Visible<'_>,
    theirs: &Schema,
    their_fields: Visible<'_>,
    first: &str,
) -> Result<()> {
    let sees = |visible: Visible<'_>, id: FieldId| visible.is_none_or(|visible| visible.contains(&id));
    let differs = |path: String, found: &str, wanted: &str| {
        let help = format!("every file must have the fields of {first}");
        Err(Error::schema_mismatch(vec![Mismatch::new(path, found, wanted).with_help(help)]))
    };
    // Pairs whose children are to be compared; `None` is the entry itself.
    let mut pairs: Vec<(Option<FieldId>, Option<FieldId>)> = vec![(None, None)];
    while let Some((our, their)) = pairs.pop() {
        let our_children = children(ours, our).iter().copied().filter(|id| sees(our_fields, *id));
        let their_children = children(theirs, their).iter().copied().filter(|id| sees(their_fields, *id));
        for id in our_children.clone() {
            let Some(field) = ours.field(id) else { continue };
            // Where, against the rules, several have a name, it is that of the first one.
            if named(ours, our, &field.name) != Some(id) {
                continue;
            }
            let other = named(theirs, their, &field.name).filter(|id| sees(their_fields, *id));
            let Some((other, there)) = other.and_then(|id| Some((id, theirs.field(id)?))) else {
                return differs(ours.path(id), Mismatch::NO_FIELD, &describe(field));
            };
            let (said_here, said_there) = (describe(field), describe(there));
            if said_here != said_there {
                return differs(ours.path(id), &said_there, &said_here);
            }
            if let Some((found, wanted)) = contradiction(there, field) {
                return differs(ours.path(id), &found, &wanted);
            }
            pairs.push((Some(id), Some(other)));
        }
        for id in their_children {
            let Some(field) = theirs.field(id) else { continue };
            if named(ours, our, &field.name).filter(|id| sees(our_fields, *id)).is_none() {
                return differs(theirs.path(id), &describe(field), Mismatch::NO_FIELD);
            }
        }
    }
    Ok(())
}

fn children(schema: &Schema, parent: Option<FieldId>) -> &[FieldId] {
    parent.map_or(schema.top_level(), |id| schema.children(id))
}

fn named(schema: &Schema, parent: Option<FieldId>, name: &str) -> Option<FieldId> {
    match parent {
        None => schema.top_level_named(name),
        Some(id) => schema.child_named(id, name),
    }
}
