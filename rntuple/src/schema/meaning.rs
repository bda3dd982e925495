//! What descriptions say of values: two that contradict each other give the same bytes different meanings.

use std::collections::{HashMap, HashSet};

use super::FieldDescriptor;
#[cfg(feature = "merge")]
use super::enumerators;

/// What the description of a field says, and what that of another one says instead: another unit, another integer for
/// the name of a variant, or another name for the integer of one. What only one of them says is no contradiction.
pub(crate) fn contradiction(found: &FieldDescriptor, wanted: &FieldDescriptor) -> Option<(String, String)> {
    if let (Some(found), Some(wanted)) = (found.unit(), wanted.unit())
        && found != wanted
    {
        return Some((format!("values in {found}"), format!("values in {wanted}")));
    }
    let (found, wanted) = (found.enumerators(), wanted.enumerators());
    let by_name: HashMap<&str, i128> = wanted.iter().copied().collect();
    let by_value: HashMap<i128, &str> = wanted.iter().map(|(name, value)| (*value, *name)).collect();
    // In C++ one integer may have several names, of which one that both have is enough.
    let is_shared = |(name, value): &&(&str, i128)| by_name.get(*name) == Some(value);
    let shared: HashSet<i128> = found.iter().filter(is_shared).map(|(_, value)| *value).collect();
    let variant = |name: &str, value: i128| format!("`{name}` as {value}");
    found.iter().find_map(|&(name, value)| match by_name.get(name) {
        Some(&other) if other != value => Some((variant(name, value), variant(name, other))),
        Some(_) => None,
        None if shared.contains(&value) => None,
        None => by_value.get(&value).map(|other| (variant(name, value), variant(other, value))),
    })
}

/// The description of a known field with what that of another one says of the values in addition, if it says anything.
/// The two do not contradict each other.
#[cfg(feature = "merge")]
pub(crate) fn joined_description(field: &FieldDescriptor, known: &FieldDescriptor) -> Option<String> {
    if says_more(field, known) {
        return Some(field.description.clone());
    }
    let before = known.enumerators();
    let variants: HashSet<&(&str, i128)> = before.iter().collect();
    let mut more = field.enumerators();
    more.retain(|variant| !variants.contains(variant));
    let unit = field.unit().filter(|_| known.unit().is_none());
    if more.is_empty() && unit.is_none() {
        return None;
    }
    let mut description = known.description.clone();
    if !more.is_empty() {
        enumerators::extend(&more, !before.is_empty(), &mut description);
    }
    if let Some(unit) = unit {
        let space = if description.is_empty() { "" } else { " " };
        description.push_str(&format!("{space}[{unit}]"));
    }
    Some(description)
}

/// Whether the description of a field says all that this one says of its values, and more.
#[cfg(feature = "merge")]
fn says_more(field: &FieldDescriptor, known: &FieldDescriptor) -> bool {
    let (own, before) = (field.enumerators(), known.enumerators());
    // Descriptions are as long as a header may be.
    let variants: HashSet<&(&str, i128)> = own.iter().collect();
    let has_all = before.iter().all(|variant| variants.contains(variant));
    let has_unit = known.unit().is_none() || field.unit() == known.unit();
    has_all && has_unit && (own.len() > before.len() || field.unit().is_some() && known.unit().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Role;

    /// What the description of an integer says that another one does not.
    fn between(found: &str, wanted: &str) -> Option<(String, String)> {
        let field = |description: &str| {
            let mut field = FieldDescriptor::new(None, Role::Plain, "x", "std::int64_t");
            description.clone_into(&mut field.description);
            field
        };
        contradiction(&field(found), &field(wanted))
    }

    #[test]
    fn texts_may_differ_and_more_may_be_said() {
        for (one, other) in [
            ("", ""),
            ("Time [s]", "When [s]"),
            ("Time [s]", "Time"),
            ("Left = 0, Right = 1", ""),
            ("Left = 0, Right = 1", "The side: Left = 0, Right = 1, Top = 2"),
            ("Right = 1, Left = 0", "Left = 0, Right = 1"),
            ("Left = 0, West = 0", "Left = 0, Port = 0"),
        ] {
            assert_eq!(between(one, other), None, "{one} / {other}");
            assert_eq!(between(other, one), None, "{other} / {one}");
        }
    }

    #[cfg(feature = "merge")]
    #[test]
    fn more_is_all_and_something_new() {
        let field = |description: &str| {
            let mut field = FieldDescriptor::new(None, Role::Plain, "x", "std::int64_t");
            description.clone_into(&mut field.description);
            field
        };
        for (text, known, more) in [
            ("", "", false),
            ("Time", "", false),
            ("Time [s]", "", true),
            ("Time [s]", "When [s]", false),
            ("Left = 0, Right = 1", "Left = 0", true),
            ("Left = 0, Right = 1", "Right = 1, Left = 0", false),
            ("Left = 0, Right = 1", "Top = 2", false),
            ("Left = 0, Right = 1", "Left = 0 [s]", false),
            ("", "Left = 0", false),
        ] {
            assert_eq!(says_more(&field(text), &field(known)), more, "{text} / {known}");
        }
    }

    #[cfg(feature = "merge")]
    #[test]
    fn what_either_says_is_kept() {
        let field = |description: &str| {
            let mut field = FieldDescriptor::new(None, Role::Plain, "x", "std::int64_t");
            description.clone_into(&mut field.description);
            field
        };
        for (text, known, joined) in [
            ("", "Time", None),
            ("Time [s]", "When [s]", None),
            ("Left = 0", "Left = 0, Right = 1", None),
            ("The side: Left = 0, Right = 1", "Left = 0", Some("The side: Left = 0, Right = 1")),
            (
                "Left = 0, Top = 2",
                "The side: Left = 0, Right = 1",
                Some("The side: Left = 0, Right = 1, Top = 2"),
            ),
            ("Top = 2", "Left = 0 [mm]", Some("Left = 0, Top = 2 [mm]")),
            ("Left = 0 [mm]", "Left = 0, Right = 1", Some("Left = 0, Right = 1 [mm]")),
            ("Top = 2 [mm]", "Left = 0", Some("Left = 0, Top = 2 [mm]")),
            ("Left = 0", "Side [mm]", Some("Side: Left = 0 [mm]")),
            ("Port = 0, Left = 0", "Left = 0, West = 0", Some("Left = 0, West = 0, Port = 0")),
        ] {
            let found = joined_description(&field(text), &field(known));
            assert_eq!(found.as_deref(), joined, "{text} / {known}");
        }
        // So that the next one cannot contradict what the second one says.
        let first = field("Left = 0, Right = 1");
        let both = field(&joined_description(&field("Left = 0, Top = 2"), &first).unwrap());
        let third = field("Left = 0, Bottom = 2");
        assert!(contradiction(&third, &first).is_none());
        assert!(contradiction(&third, &both).is_some());
    }

    #[test]
    fn units_and_variants_may_not_contradict_each_other() {
        for (found, wanted, expected) in [
            ("Time [s]", "Time [ms]", ["values in s", "values in ms"]),
            (
                "[arrow:timestamp(s)]",
                "[arrow:timestamp(ms)]",
                ["values in arrow:timestamp(s)", "values in arrow:timestamp(ms)"],
            ),
            ("Right = 0, Left = 1", "Left = 0, Right = 1", ["`Right` as 0", "`Right` as 1"]),
            ("Left = 0, Top = 1", "Left = 0, Right = 1", ["`Top` as 1", "`Right` as 1"]),
        ] {
            let [said, other] = expected.map(str::to_owned);
            assert_eq!(between(found, wanted), Some((said, other)), "{found} / {wanted}");
            assert!(between(wanted, found).is_some(), "{wanted} / {found}");
        }
    }
}
