//! How paths are written.

use std::fmt;

/// The word for the item itself, whose path is empty.
pub(super) const ITEM: &str = "item";

/// Words that are not names of fields, unless they are in backquotes.
const WORDS: &[&str] = &[
    "abs", "all", "and", "any", "between", "count", "false", "in", "inf", "is", ITEM, "nan", "not", "null",
    "or", "size", "true",
];

/// Whether a name may begin with this.
pub(super) fn begins(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | ':')
}

/// Whether this may be in a name.
pub(super) fn continues(c: char) -> bool {
    begins(c) || c.is_alphanumeric()
}

/// Whether a word is one of the language's own.
pub(super) fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// A path as it is written: names that are none, in backquotes.
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(ITEM);
        }
        for (number, name) in self.0.split('.').enumerate() {
            if number > 0 {
                f.write_str(".")?;
            }
            let is_plain = name.starts_with(begins) && name.chars().all(continues) && !is_word(name);
            match is_plain {
                true => f.write_str(name)?,
                false => write!(f, "`{}`", name.replace('`', "``"))?,
            }
        }
        Ok(())
    }
}
