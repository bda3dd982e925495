//! Fields chosen by patterns of their paths.

use rntuple::Dataset;
use rntuple::schema::{FieldId, Role, Schema};

use crate::failure::{Failure, Status};

/// The paths of the fields that are meant: `*` matches any characters of a name, `?` for one.
pub(crate) fn chosen(dataset: &Dataset, patterns: &[String]) -> Result<Vec<String>, Failure> {
    let schema = dataset.schema();
    let mut paths = Vec::new();
    for pattern in patterns {
        if !pattern.contains(['*', '?']) {
            paths.push(pattern.clone());
            continue;
        }
        let before = paths.len();
        let found = schema.fields().filter(|(id, _)| matches(pattern, &names(schema, *id)));
        paths.extend(found.map(|(id, _)| schema.path(id)));
        if paths.len() == before {
            let place = format!("{}: {}", dataset.file().name(), dataset.path());
            let message = format!("{place}: no field matches {pattern:?}");
            return Err(Failure::Message(Status::Usage, message));
        }
    }
    Ok(paths)
}

/// A name on the path to a field, and whether it is that of an item: of a collection, an array or an option. The first
/// member of a pair has the name of an item, `_0`, but is not one.
type Name<'a> = (&'a str, bool);

fn names(schema: &Schema, id: FieldId) -> Vec<Name<'_>> {
    let mut names = Vec::new();
    let mut at = Some(id);
    while let Some(field) = at.and_then(|id| schema.field(id)) {
        let above = field.parent.and_then(|above| schema.field(above));
        let is_item = above.is_some_and(|above| matches!(above.role, Role::Collection | Role::Plain));
        names.push((field.name.as_str(), is_item));
        at = field.parent;
    }
    names.reverse();
    names
}

/// Whether a path goes with a pattern, name by name; a pattern need not name items.
fn matches(pattern: &str, path: &[Name<'_>]) -> bool {
    let mut parts = pattern.split('.').peekable();
    for (name, is_item) in path {
        match parts.peek() {
            Some(part) if name_matches(part, name) && (!is_item || part == name) => {
                parts.next();
            }
            // An item is not the end of a path.
            Some(_) if *is_item => {}
            _ => return false,
        }
    }
    let ends_in_item = path.last().is_some_and(|(_, is_item)| *is_item);
    parts.peek().is_none() && (!ends_in_item || pattern.ends_with("._0"))
}

fn name_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where the last `*` is, and how much of the name it has taken.
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(c) if *c == '?' || name.get(here) == Some(c) => (at, here) = (at + 1, here + 1),
            _ => match star {
                Some((position, taken)) => {
                    star = Some((position, taken + 1));
                    (at, here) = (position + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_matched_name_by_name() {
        for (pattern, path, wanted) in [
            ("Muon_*", "Muon_pt", true),
            ("Muon_*", "nMuon_pt", false),
            ("*Muon*", "nMuon", true),
            ("*_*t", "Muon_pt", true),
            ("*_*t", "Muon_eta", false),
            ("p?", "pt", true),
            ("p?", "p", false),
            ("*", "muons", true),
            ("*", "muons.(_0)", false),
            ("*", "muons.(_0).pt", false),
            ("muons.p*", "muons.(_0).pt", true),
            ("muons._0.p*", "muons.(_0).pt", true),
            ("muons.*", "muons.(_0)", false),
            ("muons.*", "muons.(_0).pt", true),
            ("m*._0", "muons.(_0)", true),
            ("*.pt", "muons.(_0).pt", true),
            ("*.pt", "pt", false),
            ("a*b*c", "aXbYbZc", true),
            // The members of a pair, and of the pairs of a map.
            ("pair.*", "pair._0", true),
            ("pair.*", "pair._1", true),
            ("p*._0", "pair._0", true),
            ("pair.*", "pair._0.x", false),
            ("map.*", "map.(_0)", false),
            ("map.*", "map.(_0)._0", true),
            ("map.*", "map.(_0)._1", true),
        ] {
            let item = |name: &'static str| name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
            let names: Vec<_> =
                path.split('.').map(|name| item(name).map_or((name, false), |name| (name, true))).collect();
            assert_eq!(matches(pattern, &names), wanted, "{pattern} {path}");
        }
    }
}
