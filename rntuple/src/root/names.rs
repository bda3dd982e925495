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

/// A path for a new file, as near as possible to one that may be refused: letters that a name cannot have become `_`,
/// and where the directories are refused, they are omitted.
#[cfg(feature = "recover")]
pub(crate) fn possible_path(path: &str) -> String {
    if check_path(path).is_ok() {
        return path.to_owned();
    }
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_refused = |c: char| matches!(c, ' ' | '.' | '\\' | ';') || is_deceptive(c);
    let name: String = name.chars().map(|c| if is_refused(c) { '_' } else { c }).collect();
    let name = if name.is_empty() { "ntuple" } else { beginning(&name, NAME_LIMIT - 1) };
    let whole = format!("{directories}/{name}");
    if check_path(&whole).is_ok() { whole } else { name.to_owned() }
}

/// A possible path with a number after its name, which is shortened where there is no room for the number.
#[cfg(feature = "recover")]
pub(crate) fn numbered_path(path: &str, number: u64) -> String {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let (directories, name) = path.split_at(start);
    let number = format!("_{number}");
    let name = beginning(name, NAME_LIMIT - 1 - number.len());
    format!("{directories}{name}{number}")
}

/// The first letters of a name, of at most this many bytes.
#[cfg(feature = "recover")]
fn beginning(name: &str, most: usize) -> &str {
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| *end <= most).last().unwrap_or_default();
    name.get(..end).unwrap_or_default()
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

    #[cfg(feature = "recover")]
    #[test]
    fn for_each_path_there_is_a_possible_one() {
        let (long, deep) = ("µ".repeat(200), format!("{}nt", "d/".repeat(600)));
        for (path, possible) in [
            ("a/b.c d/nt", "a/b.c d/nt"),
            ("my tuple", "my_tuple"),
            ("a b/c.d;1", "a b/c_d_1"),
            ("a;b/c", "c"),
            ("../nt", "nt"),
            ("a//n\\t", "n_t"),
            ("Events\u{202e}toor.", "Events_toor_"),
            ("", "ntuple"),
            ("a/", "a/ntuple"),
            (long.as_str(), &long[..254]),
            (deep.as_str(), "nt"),
        ] {
            assert_eq!(possible_path(path), possible, "{path:?}");
            check_path(possible).unwrap();
            for number in [2, u64::MAX] {
                let numbered = numbered_path(possible, number);
                check_path(&numbered).unwrap();
                assert!(numbered.ends_with(&format!("_{number}")), "{numbered}");
            }
        }
        assert_eq!(numbered_path("a/nt", 2), "a/nt_2");
    }

    #[test]
    fn file_names_are_printable_and_short() {
        assert!(check_file_name("my events.root").is_ok());
        for name in ["", "a\tb", "a\u{202e}b", &"x".repeat(255)] {
            assert!(check_file_name(name).is_err());
        }
    }
}
