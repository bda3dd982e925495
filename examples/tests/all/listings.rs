//! The book's listings are parts of programs that run, and its tables what programs print.
//!
//! A page has them in full, so that it can be read wherever its file is shown. A comment in front of each says where it
//! is from:
//!
//! ~~~text
//! <!-- include examples/many_files.rs:open -->
//! ```rust,ignore
//! let reader = Reader::<Event>::open(..)?;
//! ```
//! ~~~
//!
//! What is not in a code block ends with `<!-- end -->`. With `RNTUPLE_BLESS=1`, pages are written again.
#![expect(clippy::panic, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::path::Path;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const START: &str = "<!-- include ";
const END: &str = "<!-- end -->";

/// The lines of a file, or those between `ANCHOR: name` and `ANCHOR_END: name`, without the indentation of all.
fn source(place: &str) -> String {
    let (file, anchor) = place.split_once(':').map_or((place, None), |(file, anchor)| (file, Some(anchor)));
    let text = std::fs::read_to_string(Path::new(WORKSPACE).join(file));
    let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
    let is_marked = |line: &str, mark: &str, name: &str| line.trim() == format!("// {mark}: {name}");
    let lines: Vec<&str> = match anchor {
        None => text.lines().collect(),
        Some(name) => {
            let after = text.lines().skip_while(|line| !is_marked(line, "ANCHOR", name)).skip(1);
            let lines: Vec<_> = after.take_while(|line| !is_marked(line, "ANCHOR_END", name)).collect();
            assert!(!lines.is_empty(), "{file} has no part {name}");
            lines
        }
    };
    let lines = lines.into_iter().filter(|line| !line.trim_start().starts_with("// ANCHOR"));
    let lines: Vec<&str> = lines.collect();
    let indentation = |line: &&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{}", line.get(least..).unwrap_or_default());
        text
    })
}

/// The page, with what its comments include.
fn render(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text = text + line + "\n";
        let Some(place) = line.strip_prefix(START) else { continue };
        let place = place.strip_suffix(" -->").unwrap_or_else(|| panic!("{line}: the comment does not end"));
        let mut rest = lines.clone();
        let end = match rest.next() {
            Some(fence) if fence.starts_with("```") => {
                text = text + fence + "\n";
                lines.next();
                "```"
            }
            _ => END,
        };
        assert!(lines.any(|line| line == end), "{place}: there is no {end}");
        text = text + &source(place) + end + "\n";
    }
    text
}

#[test]
fn listings_are_those_of_the_programs() {
    let bless = std::env::var_os("RNTUPLE_BLESS").is_some();
    let mut listings = 0;
    for page in std::fs::read_dir(Path::new(WORKSPACE).join("book/src")).unwrap() {
        let path = page.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(!page.contains("{{#"), "{}: a forge does not know mdBook's own words", path.display());
        listings += page.matches(START).count();
        let rendered = render(&page);
        if bless {
            std::fs::write(&path, rendered).unwrap();
        } else {
            assert!(page == rendered, "{}: RNTUPLE_BLESS=1 takes over its listings", path.display());
        }
    }
    assert!(listings > 100, "{listings}");
}

#[test]
fn what_is_included_replaces_what_was_there() {
    let page = "a\n<!-- include book/book.toml -->\n```toml\nold\n```\nb\n<!-- include book/book.toml -->\nold\n<!-- end -->\n";
    let rendered = render(page);
    assert!(!rendered.contains("old") && rendered.matches("title = \"rntuple\"").count() == 2);
    assert!(rendered.starts_with("a\n<!-- include book/book.toml -->\n```toml\n[book]\n"), "{rendered}");
    assert_eq!(render(&rendered), rendered);
}
