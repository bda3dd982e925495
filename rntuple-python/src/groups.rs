//! Columns in groups, of which each is read by a thread of its own.

use std::cmp::Reverse;

use rntuple::schema::{Field, Shape};

use crate::room::Room;

/// The paths of what can be read by itself, with the bytes that it takes: members of records, also of those in
/// collections.
pub(crate) fn leaves(fields: &[Field], room: &Room) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for field in fields {
        add(field, field.name().to_owned(), field.name(), room, &mut found);
    }
    found
}

/// `selected` is the path that selects a field, `whole` that through all fields.
fn add(field: &Field, selected: String, whole: &str, room: &Room, found: &mut Vec<(String, u64)>) {
    let (mut at, mut path) = (field, whole.to_owned());
    while let Shape::Collection(item) = at.field_type().shape() {
        path = format!("{path}.{}", item.name());
        at = item;
    }
    match at.field_type().shape() {
        // A view has the parts of its source: both are read, or none is.
        Shape::Record(members) if field.source().is_none() && has_names(members) => {
            for member in members {
                let below = format!("{path}.{}", member.name());
                add(member, format!("{selected}.{}", member.name()), &below, room, found);
            }
        }
        _ => found.push((selected, room.length(field, whole))),
    }
}

/// Whether there are members, with names by which they can be selected: not those of tuples and base classes.
fn has_names(members: &[Field]) -> bool {
    !members.is_empty() && members.iter().all(|member| !member.name().starts_with(['_', ':']))
}

/// Distributes `leaves` among at most `count` groups of about the same number of bytes.
pub(crate) fn groups(mut leaves: Vec<(String, u64)>, count: usize) -> Vec<Vec<String>> {
    leaves.sort_by_key(|(_, bytes)| Reverse(*bytes));
    let mut groups = vec![(0u64, Vec::new()); count.min(leaves.len())];
    for (path, bytes) in leaves {
        if let Some((sum, paths)) = groups.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum = sum.saturating_add(bytes);
            paths.push(path);
        }
    }
    groups.into_iter().map(|(_, paths)| paths).collect()
}
