//! The names of an enum's values, where a description has them: `Left = 0, Right = 1`.

use std::collections::HashSet;

use rntuple::schema::FieldDescriptor;

use crate::names;

/// Names and values; none unless all are names in C++ and values in the range, without repetitions.
pub(crate) fn of(field: &FieldDescriptor, range: (i128, i128)) -> Vec<(String, i128)> {
    let found = field.enumerators();
    let (mut names, mut values) = (HashSet::new(), HashSet::new());
    let are_good = found.iter().all(|(name, value)| {
        let is_known = (range.0..=range.1).contains(value);
        is_known && names::is_cxx(name) && names.insert(*name) && values.insert(*value)
    });
    if !are_good {
        return Vec::new();
    }
    found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use rntuple::schema::Role;

    use super::*;

    #[test]
    fn lists_are_taken_whole_or_not_at_all() {
        let of = |text: &str| {
            let mut field = FieldDescriptor::new(None, Role::Plain, "side", "std::int16_t");
            field.description = text.to_owned();
            of(&field, (-1, 255))
        };
        let wanted = vec![("Left".to_owned(), 0), ("Right".to_owned(), -1)];
        assert_eq!(of("Left = 0, Right = -1"), wanted);
        assert_eq!(of("The side: Left = 0, Right = -1 [mm]"), wanted);
        for text in [
            "",
            "the side",
            "Left = 0,",
            "Left = 0, Left = 1",
            "Left = 0, Right = 0",
            "Left = 256",
            "class = 1",
            "Left = 0 } struct Evil {",
            "Left{} = 0",
        ] {
            assert_eq!(of(text), [], "{text}");
        }
    }
}
