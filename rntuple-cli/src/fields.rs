//! Fields chosen by patterns of their paths.

use rntuple::Dataset;

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
        paths.extend(schema.fields().map(|(id, _)| schema.path(id)).filter(|path| matches(pattern, path)));
        if paths.len() == before {
            let place = format!("{}: {}", dataset.file().name(), dataset.path());
            let message = format!("{place}: no field matches {pattern:?}");
            return Err(Failure::Message(Status::Usage, message));
        }
    }
    Ok(paths)
}

/// Whether a path goes with a pattern, name by name; the `_0` of collections may be left out.
fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('.').peekable();
    for name in path.split('.') {
        match parts.peek() {
            Some(part) if name_matches(part, name) && !(name == "_0" && *part != "_0") => {
                parts.next();
            }
            // An item is not the end of a path.
            Some(_) if name == "_0" => {}
            _ => return false,
        }
    }
    parts.peek().is_none() && (!path.ends_with("._0") || pattern.ends_with("._0"))
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
            ("*", "muons._0", false),
            ("*", "muons._0.pt", false),
            ("muons.p*", "muons._0.pt", true),
            ("muons._0.p*", "muons._0.pt", true),
            ("muons.*", "muons._0", false),
            ("muons.*", "muons._0.pt", true),
            ("*.pt", "muons._0.pt", true),
            ("*.pt", "pt", false),
            ("a*b*c", "aXbYbZc", true),
        ] {
            assert_eq!(matches(pattern, path), wanted, "{pattern} {path}");
        }
    }
}
