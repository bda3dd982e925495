//! Tests of the checker itself, on sources that are small enough to see what it should find.

use super::circles::circles;
use super::source::Crate;
use super::tokens::unsafe_in;
use super::{Row, differences, unexpected_circles};

/// The crate of these files.
fn crate_of(files: &[(&str, &str)]) -> Crate {
    Crate::read("lib.rs", &|name| {
        files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned())
    })
}

/// Pairs of files, without the paths.
fn edges(tree: &Crate) -> Vec<(&str, &str)> {
    let mut edges: Vec<_> = tree.edges().into_iter().map(|(from, to, _)| (from, to)).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// What `a.rs` with this text imports, of the modules `b` and `c` and what the root has from `d`.
fn imports(text: &str) -> Vec<String> {
    let root = "mod a; mod b; mod c; mod d; pub use d::Thing; pub use b::inner as renamed;";
    let files = [
        ("lib.rs", root),
        ("a.rs", text),
        ("b.rs", "pub mod inner {}"),
        ("c.rs", ""),
        ("d.rs", "pub struct Thing;"),
    ];
    let tree = crate_of(&files);
    let mut found: Vec<String> = tree
        .imports()
        .into_iter()
        .filter(|(file, ..)| *file == "a.rs")
        .map(|(_, from, _)| from.to_owned())
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn imports_are_seen_wherever_they_are() {
    for (text, expected) in [
        ("use crate::b::Name;", &["b.rs"][..]),
        ("use crate::{b::{self, inner::{One, Two}}, c};", &["b.rs", "c.rs"]),
        ("pub(crate) use crate::b::Name;", &["b.rs"]),
        ("pub use super::b::Name as Other;", &["b.rs"]),
        ("fn f() { use crate::b::*; }", &["b.rs"]),
        ("fn f(value: &crate::b::Name) -> u8 { crate::c::g::<u8>(value) }", &["b.rs", "c.rs"]),
        ("impl crate::b::Trait for Vec<crate::c::Item> {}", &["b.rs", "c.rs"]),
        ("mod inner { use super::super::b::Name; }", &["b.rs"]),
        ("fn f() { matches!(value, crate::b::Name::One | crate::c::Two) }", &["b.rs", "c.rs"]),
        ("macro_rules! m { () => { use $crate::b::{One, Two}; $x::c::f(); ::c::f(); }; }", &["b.rs"]),
        ("use crate::Thing;", &["d.rs"]),
        ("use crate::renamed::Name;", &["b.rs"]),
        // Of other crates, of tests, or of none.
        ("use std::b::Name; use ::c::Name; use b::Name;", &[]),
        ("#[cfg(test)] mod tests { use crate::b::Name; }", &[]),
        ("#[cfg(all(test, feature = \"x\"))] use crate::b::Name;", &[]),
        ("#[test] fn f() { crate::b::g(); }", &[]),
        ("/// [`crate::b`] is `use crate::b;`\nconst TEXT: &str = \"use crate::c;\"; // crate::d", &[]),
        ("pub(in crate::a) struct Name;", &[]),
        // What is not only compiled in tests.
        ("#[cfg(any(test, feature = \"x\"))] use crate::b::Name;", &["b.rs"]),
        ("#[cfg(not(test))] use crate::b::Name;", &["b.rs"]),
    ] {
        assert_eq!(imports(text), expected, "{text}");
    }
}

#[test]
fn files_of_tests_are_those_that_a_test_module_declares() {
    let tree = crate_of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod testing;"),
        ("a/mod.rs", "#[cfg(test)]\n#[path = \"odd.rs\"]\nmod tests;\nmod corrupt;"),
        ("a/odd.rs", "use crate::b::Name;"),
        ("a/corrupt.rs", "use crate::b::Name;"),
        ("b.rs", "pub struct Name;"),
        ("testing.rs", "use crate::b::Name;"),
    ]);
    assert_eq!(tree.files().into_iter().collect::<Vec<_>>(), ["a/corrupt.rs", "a/mod.rs", "b.rs", "lib.rs"]);
    assert_eq!(tree.tests.iter().collect::<Vec<_>>(), ["a/odd.rs", "testing.rs"]);
    assert_eq!(edges(&tree), [("a/corrupt.rs", "b.rs")]);
}

#[test]
fn a_table_may_neither_lack_nor_have_too_much() {
    let tree = crate_of(&[
        ("lib.rs", "mod error; mod low; mod high;"),
        ("error.rs", ""),
        ("low.rs", "use crate::error::Error;"),
        ("high.rs", "use crate::low::Name;"),
    ]);
    let found = |layers: &[Row]| differences(&tree.imports(), layers);
    let none: [String; 0] = [];
    assert_eq!(found(&[("error", &[]), ("low", &["error"]), ("high", &["low"])]), none);
    assert_eq!(
        found(&[("error", &[]), ("low", &["error"]), ("high", &[])]),
        ["high.rs: `crate::low::Name` is of `low`, which the row of `high` does not permit"]
    );
    assert_eq!(found(&[("error", &[]), ("low", &["error"])]), ["high.rs: there is no row for `high`"]);
    assert_eq!(
        found(&[("error", &[]), ("low", &[]), ("high", &["low"])]),
        ["low.rs: `crate::error::Error` is of `error`, which the row of `low` does not permit"]
    );
    assert_eq!(
        found(&[("error", &[]), ("other", &[]), ("low", &["error"]), ("high", &["low", "other"])]),
        ["row `high`: remove `other`, which no code there imports"]
    );
    assert_eq!(
        found(&[("error", &[]), ("high", &["low"]), ("low", &["error"])]),
        ["row `high`: `low` has no row above it"]
    );
}

#[test]
fn a_circle_of_two_files_is_found() {
    let tree = crate_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::Name; pub struct Other;"),
        ("b.rs", "pub struct Name(super::a::Other);"),
        ("c.rs", "use crate::{a::Other, b::Name};"),
    ]);
    assert_eq!(edges(&tree), [("a.rs", "b.rs"), ("b.rs", "a.rs"), ("c.rs", "a.rs"), ("c.rs", "b.rs")]);
    let circles = circles(edges(&tree));
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].iter().collect::<Vec<_>>(), [&"a.rs", &"b.rs"]);
}

#[test]
fn circles_do_not_run_into_each_other() {
    let found = circles([
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("c", "d"),
        ("d", "e"),
        ("e", "d"),
        ("f", "a"),
        ("g", "g"),
    ]);
    let found: Vec<Vec<&str>> = found.into_iter().map(|circle| circle.into_iter().collect()).collect();
    assert_eq!(found, [vec!["a", "b", "c"], vec!["d", "e"]]);
}

#[test]
fn the_list_of_circles_may_neither_lack_nor_have_too_much() {
    let edge =
        |from: &str, to: &str| (format!("x/src/{from}"), format!("x/src/{to}"), "crate::Name".to_owned());
    let edges = [edge("a.rs", "b.rs"), edge("b.rs", "a.rs"), edge("b.rs", "c.rs")];
    let row: (&str, &[&str], &str) = ("x/src", &["a.rs", "b.rs"], "reason");
    let none: [String; 0] = [];
    assert_eq!(unexpected_circles(&edges, &[row]), none);
    let missing = "a circle of 2 files that is not in the list:\n    \
                   x/src/a.rs needs x/src/b.rs for `crate::Name`\n    x/src/b.rs needs x/src/a.rs for `crate::Name`";
    assert_eq!(unexpected_circles(&edges, &[]), [missing]);
    let gone = r#"remove or change the row, it is no longer a circle: {"x/src/a.rs", "x/src/b.rs"}"#;
    assert_eq!(unexpected_circles(&edges[1..], &[row]), [gone]);
    // A circle that has become another one is both.
    let longer = [&edges[..], &[edge("c.rs", "b.rs")]].concat();
    let found = unexpected_circles(&longer, &[row]);
    assert!(found.len() == 2 && found[0].starts_with("a circle of 3 files") && found[1] == gone, "{found:?}");
}

#[test]
fn a_module_that_declares_and_re_exports_is_in_no_circle() {
    let child = "use super::Other; pub struct Name(Other);";
    let in_circle = |parent: &str| {
        let tree = crate_of(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", parent),
            ("a/child.rs", child),
            ("a/other.rs", "pub struct Other; impl Other { pub const ONE: u8 = 1; }"),
        ]);
        !circles(edges(&tree)).is_empty()
    };
    // `Other` is found where it is defined, not where it is re-exported.
    assert!(!in_circle("mod child; mod other; pub use child::Name; pub(crate) use other::*;"));
    assert!(!in_circle("mod child; mod other; pub use child::Name; use other::Other; fn f(_: Other) {}"));
    // It is the parent's own, which does not need the child.
    assert!(!in_circle("mod child; pub use child::Name; struct Other;"));
    // The parent needs the child: by `use`, by a path, by a name that it also re-exports.
    assert!(in_circle("mod child; use child::Name; struct Other; fn f(_: Name) {}"));
    assert!(in_circle("mod child; struct Other; fn f(_: child::Name) {}"));
    assert!(in_circle("mod child; pub use child::Name; struct Other; fn f(_: Name) {}"));
    assert!(in_circle("mod child; use child::*; struct Other;"));
}

#[test]
fn modules_that_are_imported_are_followed_to_what_is_used_of_them() {
    let tree = crate_of(&[
        ("lib.rs", "mod a; mod b; mod macros;"),
        ("a.rs", "use crate::{b, b::deep as other}; fn f() { b::deep::g(); other::g(); made!(); }"),
        ("b/mod.rs", "pub mod deep;"),
        ("b/deep.rs", "pub fn g() {}"),
        ("macros/mod.rs", "macro_rules! local { () => {} } mod inner;"),
        ("macros/inner.rs", "local!();"),
    ]);
    assert_eq!(edges(&tree), [("a.rs", "b/deep.rs"), ("macros/inner.rs", "macros/mod.rs")]);
}

#[test]
fn unsafe_code_is_found_by_token() {
    for (text, expected) in [
        ("fn f() { unsafe { g() } }", "unsafe {"),
        ("fn f() { unsafe{g()} }", "unsafe {"),
        ("unsafe fn f() {}", "unsafe fn"),
        ("unsafe impl Send for Name {}", "unsafe impl"),
        ("unsafe trait Lane {}", "unsafe trait"),
        ("unsafe extern \"C\" {}", "unsafe extern"),
        ("#[unsafe(no_mangle)] fn f() {}", "unsafe("),
        ("macro_rules! m { () => { [(unsafe\n{ f() })] }; }", "unsafe {"),
    ] {
        let found = unsafe_in(text);
        assert_eq!(
            (found.unsafe_code.join(" "), found.permissions.len()),
            (expected.to_owned(), 0),
            "{text}"
        );
    }
    for text in [
        "#![allow(unsafe_code)]",
        "#[expect(unsafe_code, reason = \"x\")] mod a;",
        "#[cfg_attr(x, warn(unsafe_code))] mod a;",
    ] {
        let found = unsafe_in(text);
        assert_eq!((found.unsafe_code.len(), found.permissions.len()), (0, 1), "{text}");
    }
    for text in [
        "const TEXT: &str = \"unsafe { f() }\";",
        "const TEXT: &str = r#\"unsafe fn #[allow(unsafe_code)]\"#;",
        "// unsafe {\n/* unsafe impl */ /// unsafe {\nfn f() {}",
        "#![forbid(unsafe_code)] #![deny(unsafe_code)]",
        "fn f() { let unsafely = r#unsafe; }",
    ] {
        let found = unsafe_in(text);
        assert_eq!((found.unsafe_code.len(), found.permissions.len()), (0, 0), "{text}");
    }
}
