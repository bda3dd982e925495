//! What may be a name.

use crate::error::{Error, Result};
use crate::text::is_deceptive;

/// Refuses what a new field cannot be called: what the format does not allow, and what would look like another name.
pub(crate) fn check_new_name(name: &str) -> Result<()> {
    check_name(name)?;
    match name.chars().find(|c| is_deceptive(*c)) {
        None => Ok(()),
        Some(c) => Err(Error::invalid_argument(format!("the name {name:?} cannot contain {c:?}"))),
    }
}

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
            assert!(check_new_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_new_name_does_not_look_like_another_one() {
        check_new_name("größe").unwrap();
        let name = "met\u{202e}tp";
        check_name(name).unwrap();
        let message = check_new_name(name).unwrap_err().to_string();
        assert_eq!(message, r#"the name "met\u{202e}tp" cannot contain '\u{202e}'"#);
    }
}
