//! Which names a new file may use (format: ntuple, section 9.8).

use crate::error::{Error, Result};
use crate::text::is_deceptive;

/// ROOT's own writer refuses names of this many bytes.
const NAME_LIMIT: usize = 255;
/// Directories deeper than this are neither written nor read: a limit on what a hostile file can cost.
pub(super) const PATH_LIMIT: usize = 1024;

/// Letters of a class's name that are shown: names come from strangers.
const CLASS_SHOWN: usize = 60;

/// Checks the path of an ntuple, `directory/name`, and cuts it into directories and name.
pub(crate) fn check_path(path: &str) -> Result<(Vec<&str>, &str)> {
    let refuse = |why: &str| Err(Error::invalid_argument(format!("the path {path:?} of an ntuple {why}")));
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    if name.is_empty() || parts.contains(&"") {
        return refuse("has an empty part");
    }
    if let Some(c) = path.chars().find(|c| is_deceptive(*c)) {
        return refuse(&format!("contains the control character {c:?}"));
    }
    // Behind a semicolon ROOT expects the cycle of a key.
    if path.contains(['\\', ';']) {
        return refuse("contains a backslash or a semicolon");
    }
    if name.contains([' ', '.']) {
        let better = [&parts[..], &[&*name.replace([' ', '.'], "_")]].concat().join("/");
        return refuse(&format!("has a space or a dot in the name: {better:?} is possible"));
    }
    if parts.iter().any(|part| matches!(*part, "." | "..")) {
        return refuse("has a part `.` or `..`, which cannot name a directory");
    }
    if parts.iter().chain([&name]).any(|part| part.len() >= NAME_LIMIT) {
        return refuse("has a part of more than 254 bytes");
    }
    if path.len() - name.len() > PATH_LIMIT {
        return refuse("is deeper than 1024 bytes");
    }
    Ok((parts, name))
}

/// Checks the name under which a file knows itself.
pub(super) fn check_file_name(name: &str) -> Result<()> {
    if name.is_empty() || name.len() >= NAME_LIMIT || name.contains(is_deceptive) {
        return Err(Error::invalid_argument(format!(
            "the file name {name:?} is not between 1 and 254 bytes of printable text"
        )));
    }
    Ok(())
}

/// A class as it is called in a message: `a TTree`.
pub(super) fn with_article(class: &str) -> String {
    let article = if class.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    let shown: String = class.chars().take(CLASS_SHOWN).flat_map(char::escape_debug).collect();
    format!("{article} {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_paths_are_cut() {
        assert_eq!(check_path("Events").unwrap(), (vec![], "Events"));
        assert_eq!(check_path("a/b.c d/nt:x").unwrap(), (vec!["a", "b.c d"], "nt:x"));
        assert!(check_path(&"µ".repeat(127)).is_ok());
    }

    #[test]
    fn bad_paths_are_refused_with_a_reason() {
        let long = "x".repeat(255);
        let deep = "d/".repeat(600) + "nt";
        for (path, why) in [
            ("", "empty"),
            ("/nt", "empty"),
            ("a//nt", "empty"),
            ("a/", "empty"),
            ("n\nt", "control"),
            ("a\0b/nt", "control"),
            ("Events\u{202e}toor.", r"contains the control character '\u{202e}'"),
            ("a\u{2067}b/nt", r"'\u{2067}'"),
            ("a;1", "semicolon"),
            (r"a\b", "backslash"),
            (
                "my nt",
                "the path \"my nt\" of an ntuple has a space or a dot in the name: \"my_nt\" is possible",
            ),
            (
                "a b/c.d",
                "the path \"a b/c.d\" of an ntuple has a space or a dot in the name: \"a b/c_d\" is possible",
            ),
            ("../nt", "cannot name a directory"),
            (long.as_str(), "254"),
            (deep.as_str(), "deeper"),
        ] {
            let error = check_path(path).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::InvalidArgument);
            assert!(error.to_string().contains(why), "{error}");
        }
    }

    #[test]
    fn file_names_are_printable_and_short() {
        assert!(check_file_name("my events.root").is_ok());
        for name in ["", "a\tb", "a\u{202e}b", &"x".repeat(255)] {
            assert!(check_file_name(name).is_err());
        }
    }
}
