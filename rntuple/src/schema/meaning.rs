//! What descriptions say of values: two that contradict each other give the same bytes different meanings.

use std::collections::{HashMap, HashSet};

use super::FieldDescriptor;

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

/// Whether the description of a field says all that this one says of its values, and more.
#[cfg(feature = "merge")]
pub(crate) fn says_more(field: &FieldDescriptor, known: &FieldDescriptor) -> bool {
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
