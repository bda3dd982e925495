//! What may be a name.

use crate::error::{Error, Result};

/// Refuses what the format does not allow as the name of a field (section 9.8).
pub(crate) fn check_name(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid_argument("a name cannot be empty"));
    }
    match name.chars().find(|c| c.is_control() || matches!(c, ' ' | '.' | '/' | '\\')) {
        None => Ok(()),
        Some(c) => Err(Error::invalid_argument(format!("the name {name:?} cannot contain {c:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_format() {
        for good in ["pt", "_0", ":_0", "CaloCells:raw", "größe"] {
            check_name(good).unwrap();
        }
        for bad in ["", "a.b", "a b", "a/b", "a\\b", "a\n", "\u{7f}"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
