//! The names of an enum's values, where a description has them: `Left = 0, Right = 1`.

use std::collections::HashSet;

use crate::names;

/// Names and values; `None` unless all of the text is such a list, without repetitions, within the range.
pub(crate) fn parse(text: &str, range: (i128, i128)) -> Option<Vec<(String, i128)>> {
    let (mut names, mut values) = (HashSet::new(), HashSet::new());
    let mut found = Vec::new();
    for part in text.split(',') {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        let value: i128 = value.parse().ok().filter(|value| (range.0..=range.1).contains(value))?;
        if !names::is_cxx(name) || !names.insert(name) || !values.insert(value) {
            return None;
        }
        found.push((name.to_owned(), value));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_whole_or_not_at_all() {
        let parse = |text| parse(text, (-1, 255));
        let wanted = vec![("Left".to_owned(), 0), ("Right".to_owned(), -1)];
        assert_eq!(parse("Left = 0, Right=-1"), Some(wanted));
        for text in [
            "",
            "the side",
            "Left = 0,",
            "Left",
            "Left = 0, Left = 1",
            "Left = 0, Right = 0",
            "Left = 256",
            "Left = x",
            "a b = 1",
            "class = 1",
            "Left = 0 } struct Evil {",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
