//! Names of a file as identifiers.

use std::collections::{HashMap, HashSet};

/// Longer names are cut: paths of strangers can be of any length.
const LONGEST: usize = 60;

/// Words that `r#` makes identifiers, of all editions; sorted, as those of C++ below.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that nothing makes identifiers.
const RESERVED: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Types that the derive takes for those of the language, which it refuses.
const REFUSED: &[&str] = &["char", "i128", "isize", "str", "u128", "usize"];

/// Words that are no identifiers in C++.
const CXX_KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Letters whose identifiers all compilers agree on, in one spelling: those of ASCII and Latin-1.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ')
}

fn is_word(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit() || c == '_'
}

/// The name as an identifier of Rust's, if it can be one.
pub(crate) fn rust(name: &str) -> Option<String> {
    let starts_well = name.chars().next().is_some_and(|c| is_letter(c) || c == '_');
    // Names with two underscores before them are the derive's.
    if !starts_well || !name.chars().all(is_word) || name.starts_with("__") || RESERVED.contains(&name) {
        return None;
    }
    Some(if KEYWORDS.binary_search(&name).is_ok() { format!("r#{name}") } else { name.to_owned() })
}

/// Whether the name is an identifier of C++'s.
pub(crate) fn is_cxx(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && CXX_KEYWORDS.binary_search(&name).is_err()
}

/// An identifier, of both languages where `is_ascii`, made of what is left of the name.
pub(crate) fn sanitized(name: &str, is_ascii: bool) -> String {
    let word = |c: char| if is_word(c) && (c.is_ascii() || !is_ascii) { c } else { '_' };
    let mut out: String = name.chars().take(LONGEST).map(word).collect();
    if out.starts_with("__") {
        out = format!("_{}", out.trim_start_matches('_'));
    }
    if out.trim_matches('_').is_empty() {
        out = "x".to_owned();
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    let is_taken = is_ascii && !is_cxx(&out);
    if is_taken || RESERVED.contains(&&*out) {
        out.push('_');
    }
    if is_ascii { out } else { rust(&out).unwrap_or(out) }
}

/// The name of a class without what stands around it: `Hit<geo::Point>` in `ns` is `HitPoint`.
pub(crate) fn short_class(name: &str) -> String {
    class(name, false)
}

/// The same, with namespaces: `NsHitGeoPoint`.
pub(crate) fn long_class(name: &str) -> String {
    class(name, true)
}

fn class(name: &str, is_long: bool) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = name;
    let mut is_scope = false;
    while let Some(start) = rest.find(is_word) {
        is_scope &= start == 2 && rest.starts_with("::");
        let from = rest.get(start..).unwrap_or_default();
        let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (word, tail) = from.split_at(end);
        if is_scope && !is_long {
            words.pop();
        }
        words.push(word);
        (rest, is_scope) = (tail, true);
    }
    match &*words {
        [one] if !is_long && REFUSED.contains(one) => format!("{one}_"),
        [one] if !is_long => sanitized(one, false),
        _ => sanitized(&camel(words.into_iter()), false),
    }
}

/// A name for what has none, from the names of the fields that lead to it: `muons._0.hits._0` is `MuonsHits`.
pub(crate) fn from_path<'a>(path: impl Iterator<Item = &'a str>) -> String {
    let is_number =
        |name: &&str| name.strip_prefix('_').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let words: Vec<&str> = path.filter(|name| !is_number(name)).collect();
    sanitized(&camel(words.iter().flat_map(|name| name.split(|c| !is_word(c) || c == '_'))), false)
}

/// Words with their first letters in upper case, as many as there is room for.
fn camel<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.extend(letters);
        if out.len() > LONGEST {
            break;
        }
    }
    if out.is_empty() { "X".to_owned() } else { out }
}

/// Whether the compiler would like another spelling for a member.
pub(crate) fn is_snake(name: &str) -> bool {
    let name = name.trim_start_matches("r#").trim_matches('_');
    !name.contains("__") && !name.chars().any(char::is_uppercase)
}

/// Whether the compiler would like another spelling for a type.
pub(crate) fn is_camel(name: &str) -> bool {
    let name = name.trim_start_matches("r#").trim_matches('_');
    !name.contains('_') && !name.starts_with(char::is_lowercase)
}

/// Names in one scope, no two alike.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: HashSet<String>,
    /// The number to try next behind a name that is taken.
    next: HashMap<String, u32>,
}

impl Scope {
    /// Takes the name, if nobody has.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// The name, or the name with a number.
    pub(crate) fn claim(&mut self, name: &str) -> String {
        if self.take(name) {
            return name.to_owned();
        }
        // `type2` is no keyword.
        let plain = name.trim_start_matches("r#");
        let next = self.next.entry(plain.to_owned()).or_insert(2);
        loop {
            let number = *next;
            *next = next.wrapping_add(1);
            let gap = if plain.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
            let candidate = format!("{plain}{gap}{number}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_searched() {
        assert!(KEYWORDS.is_sorted() && CXX_KEYWORDS.is_sorted());
    }

    #[test]
    fn names_stay_where_they_can() {
        for (name, wanted) in [
            ("pt", Some("pt")),
            ("größe", Some("größe")),
            ("type", Some("r#type")),
            ("_0", Some("_0")),
            ("self", None),
            ("_", None),
            ("", None),
            ("0mass", None),
            ("a-b", None),
            ("Δφ", None),
            ("__end", None),
        ] {
            assert_eq!(rust(name).as_deref(), wanted, "{name}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn other_names_become_identifiers() {
        for (name, wanted, ascii) in [
            ("self", "self_", "self_"), ("", "x", "x"), ("_", "x", "x"), ("0mass", "_0mass", "_0mass"), ("a-b", "a_b", "a_b"),
            ("größe", "größe", "gr__e"), ("Δφ", "x", "x"), ("type", "r#type", "type"), ("class", "class", "class_"),
            ("__end", "_end", "_end"),
        ] {
            let found = sanitized(name, false);
            assert_eq!(found, wanted);
            assert!(rust(found.trim_start_matches("r#")).is_some(), "{name}: {found}");
            let found = sanitized(name, true);
            assert_eq!(found, ascii);
            assert!(is_cxx(&found), "{name}: {found}");
        }
    }

    #[test]
    fn classes_lose_what_stands_around_them() {
        for (name, short, long) in [
            ("Muon", "Muon", "Muon"),
            ("ns::my_class", "my_class", "NsMy_class"),
            ("ns::str", "str_", "NsStr"),
            ("geo::Point", "Point", "GeoPoint"),
            ("Hit<std::vector<geo::Point>,3>", "HitVectorPoint3", "HitStdVectorGeoPoint3"),
            ("A<int>::B", "AIntB", "AIntB"),
            ("", "X", "X"),
            ("3D", "_3D", "_3D"),
        ] {
            assert_eq!((&*short_class(name), &*long_class(name)), (short, long), "{name}");
        }
        assert!(short_class(&"long::Class<a>,".repeat(100_000)).len() < 100);
    }

    #[test]
    fn paths_become_one_word() {
        assert_eq!(from_path(["muons", "_0", "my_hits", "_0"].into_iter()), "MuonsMyHits");
        assert_eq!(from_path(["_0"].into_iter()), "X");
        assert_eq!(from_path(["a.b c"].into_iter()), "ABC");
    }

    #[test]
    fn no_two_names_are_alike() {
        let mut scope = Scope::default();
        let names = ["a", "a", "a2", "a", "r#type", "r#type", "x1", "x1"].map(|name| scope.claim(name));
        assert_eq!(names, ["a", "a2", "a2_2", "a3", "r#type", "type2", "x1", "x1_2"]);
    }
}
