//! The drawing of the layers in the book: the names in it, and their order.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{LAYERS, assert_none, members, repository};

/// Modules that are not drawn: the crate's root, and what only expansions and benchmarks call.
const NOT_DRAWN: &[&str] = &["lib", "private", "internals"];

/// Where the names are in a line; before them is the layer's name, after them what it is about.
const NAMES: Range<usize> = 13..64;

/// Each name in the drawing, with the number of its line.
fn names(book: &str) -> BTreeMap<String, usize> {
    let (_, drawing) = book.split_once("## The layers\n\n```text\n").unwrap();
    let (drawing, _) = drawing.split_once("```").unwrap();
    let mut found = BTreeMap::new();
    for (number, line) in drawing.lines().enumerate().filter(|(_, line)| !line.starts_with(" ─")) {
        let part: String = line.chars().skip(NAMES.start).take(NAMES.len()).collect();
        let is_of_name = |letter: char| letter.is_ascii_lowercase() || "_-".contains(letter);
        let words = part.split(|letter| !is_of_name(letter));
        for word in words.filter(|word| word.contains(|letter: char| letter.is_ascii_lowercase())) {
            assert!(found.insert(word.to_owned(), number).is_none(), "`{word}` is drawn twice");
        }
    }
    found
}

/// Both ways: modules and crates that the drawing lacks, and names that are neither; then imports that lead upwards.
fn faults(drawn: &BTreeMap<String, usize>, crates: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    let modules = || LAYERS.iter().map(|(module, _)| *module).filter(|module| !NOT_DRAWN.contains(module));
    let is_known = |name: &str| modules().any(|module| module == name) || crates.iter().any(|it| it == name);
    for name in drawn.keys().filter(|name| !is_known(name)) {
        faults.push(format!("`{name}` is drawn, but there is no such module or crate"));
    }
    for name in modules().chain(crates.iter().map(|name| &**name)).filter(|name| !drawn.contains_key(*name)) {
        faults.push(format!("`{name}` is not drawn"));
    }
    for (module, imports) in LAYERS {
        let Some(line) = drawn.get(*module) else { continue };
        for import in imports.iter().filter(|import| drawn.get(**import).is_some_and(|below| below < line)) {
            faults.push(format!("`{import}` is drawn above `{module}`, which imports it"));
        }
    }
    faults
}

#[test]
fn the_drawing_has_each_module_and_each_crate_above_what_it_imports() {
    let book = std::fs::read_to_string(repository().join("book/src/design.md")).unwrap();
    let drawn = names(&book);
    let mut crates = members();
    crates.retain(|member| member.starts_with("rntuple-"));
    // A workspace of its own.
    crates.push("engines".to_owned());
    assert_none(&faults(&drawn, &crates));

    // Each kind of fault is found.
    let mut wrong = drawn.clone();
    wrong.remove("predicate");
    wrong.insert("oracle".to_owned(), 0);
    wrong.insert("schema".to_owned(), 0);
    let text = faults(&wrong, &crates).join("\n");
    for expected in ["`oracle` is drawn, but", "`predicate` is not drawn", "`schema` is drawn above `field`"]
    {
        assert!(text.contains(expected), "{text}");
    }
}
