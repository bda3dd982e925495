//! Names of an enum's variants, which the format has no place for: the description of their integers ends with them.

use std::fmt::Display;

use super::FieldDescriptor;
use super::field::unit_in;

/// `Left = 0, Right = 1`.
pub(crate) fn spelled(variants: &[(impl Display, i128)]) -> String {
    variants.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Adds such a list to a description that has none, before the unit: `Where it was seen: Left = 0, Right = 1 [mm]`.
pub(crate) fn add(variants: &[(&str, i128)], description: &mut String) {
    if listed(description).is_some_and(|known| known == variants) {
        return;
    }
    let list = spelled(variants);
    let text = without_unit(description);
    let gap = match text.chars().next_back() {
        None => "",
        Some('.' | '!' | '?' | ')') => " ",
        Some(_) => ": ",
    };
    let unit = description.get(text.len()..).unwrap_or_default().trim_start();
    let space = if unit.is_empty() { "" } else { " " };
    *description = format!("{text}{gap}{list}{space}{unit}");
}

/// Adds variants to a description, at the end of the list of others if it `has_list`.
#[cfg(feature = "merge")]
pub(crate) fn extend(more: &[(&str, i128)], has_list: bool, description: &mut String) {
    if has_list {
        let end = without_unit(description).len();
        description.insert_str(end, &format!(", {}", spelled(more)));
    } else {
        add(more, description);
    }
}

impl FieldDescriptor {
    /// The names and integers of an enum's variants, if the field has integers and its description ends with a list of
    /// them: `The side: Left = 0, Right = 1`. The derive writes it for enums without data.
    ///
    /// ```
    /// use rntuple::schema::{FieldDescriptor, Role};
    /// let mut field = FieldDescriptor::new(None, Role::Plain, "side", "std::uint8_t");
    /// field.description = "The side of the detector: Left = 0, Right = 1".to_owned();
    /// assert_eq!(field.enumerators(), [("Left", 0), ("Right", 1)]);
    /// ```
    pub fn enumerators(&self) -> Vec<(&str, i128)> {
        let is_integer = ["std::int", "std::uint"].iter().any(|start| self.type_name.starts_with(start));
        if is_integer { listed(&self.description).unwrap_or_default() } else { Vec::new() }
    }
}

fn listed(description: &str) -> Option<Vec<(&str, i128)>> {
    let text = without_unit(description);
    // Neither names nor integers have one of these.
    let ends = [": ", ". ", "! ", "? ", ") "].iter().filter_map(|end| Some(text.rfind(end)? + end.len()));
    let list = text.get(ends.max().unwrap_or_default()..)?;
    list.split(", ").map(enumerator).collect()
}

fn enumerator(text: &str) -> Option<(&str, i128)> {
    let (name, value) = text.split_once(" = ")?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    Some((name, value.parse().ok().filter(|_| is_name && !value.starts_with('+'))?))
}

fn without_unit(description: &str) -> &str {
    let length = unit_in(description).map_or(0, |unit| unit.len() + "[]".len());
    description.get(..description.len() - length).unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Role;

    #[test]
    fn lists_are_after_all_else() {
        let variants = [("Left", 0), ("Right", -12), ("not-this", i128::MAX)];
        let list = "Left = 0, Right = -12, not-this = 170141183460469231731687303715884105727";
        assert_eq!(spelled(&variants), list);
        for (text, whole) in [
            ("", list.to_owned()),
            ("The side", format!("The side: {list}")),
            ("The side.", format!("The side. {list}")),
            ("The (other) side: a = 1", format!("The (other) side: a = 1: {list}")),
            ("Over\nlines", format!("Over\nlines: {list}")),
            ("[mm]", format!("{list} [mm]")),
            ("The side [mm]", format!("The side: {list} [mm]")),
            ("Or so? [mm]", format!("Or so? {list} [mm]")),
        ] {
            let mut description = text.to_owned();
            add(&variants, &mut description);
            assert_eq!(description, whole);
            add(&variants, &mut description);
            assert_eq!(description, whole);
            assert_eq!(listed(&description).unwrap(), variants, "{description}");
            assert_eq!(unit_in(&description), unit_in(text));
        }
    }

    #[test]
    fn other_texts_are_no_lists() {
        for text in [
            "",
            "The side",
            "Left = 0,",
            "Left = 0, ",
            "Left = 0, Right",
            "Left = 0 or 1",
            "Left = x",
            "Left = ",
            "Left = -",
            "Left = +1",
            "Left=0",
            " = 0",
            "The side = 0",
            "Left = 170141183460469231731687303715884105728",
        ] {
            assert_eq!(listed(text), None, "{text}");
        }
    }

    #[test]
    fn only_integers_have_names() {
        let mut field = FieldDescriptor::new(None, Role::Plain, "side", "std::uint8_t");
        field.description = "Left = 0".to_owned();
        assert_eq!(field.enumerators(), [("Left", 0)]);
        field.type_name = "float".to_owned();
        assert_eq!(field.enumerators(), []);
    }
}
