//! The book's index of compile errors is made of the programs here and of what the compiler says to them.
//!
//! `RNTUPLE_BLESS=1 cargo test -p ui-tests` writes it anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const INTRODUCTION: &str = "\
# Index of compile errors

What the derive refuses, what it says then, and the way out: where the compiler does not know it, it is below the title. \
A mistake is reported where it was written, all mistakes of a type are reported at once, and where two places contradict \
each other, both are marked.

This page is made of the programs that test the derive, and of what the compiler says to them. Imports are left \
out, and so is what the compiler notes about places that are not the program's.
";

/// The themes, in the order of the page.
const THEMES: [(&str, &str); 17] = [
    ("attributes", "Attributes"),
    ("containers", "Attributes of structs and enums"),
    ("members", "Attributes of members"),
    ("encodings", "Encodings"),
    ("conversions", "Other forms: with, from, into"),
    ("flatten", "Flattening"),
    ("names", "Names"),
    ("projections", "Projected fields"),
    ("enums", "Enums"),
    ("types", "Types"),
    ("foreign", "Types of other crates"),
    ("entries", "Entries"),
    ("threads", "Threads"),
    ("columns", "Columns"),
    ("predicates", "Predicates"),
    ("upgrade", "Older versions"),
    ("serde", "Serde's attributes"),
];

#[test]
fn the_book_lists_all_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut themes: Vec<_> = files(&root.join("ui")).iter().map(|theme| name(theme)).collect();
    let mut listed: Vec<_> = THEMES.iter().map(|(theme, _)| (*theme).to_owned()).collect();
    themes.sort();
    listed.sort();
    assert_eq!(themes, listed);

    let mut page = INTRODUCTION.to_owned();
    for (theme, title) in THEMES {
        write!(page, "\n## {title}\n").unwrap();
        let programs = files(&root.join("ui").join(theme));
        for program in programs.iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs")) {
            let source = fs::read_to_string(program).unwrap();
            let output = fs::read_to_string(program.with_extension("stderr")).unwrap();
            assert!(source.contains("\nfn main() {"), "{} has no end", program.display());
            let (rule, way_out, source) = program_of(&source);
            let output = output_of(&output);
            write!(page, "\n### {rule}\n\n{way_out}").unwrap();
            write!(page, "```rust,ignore\n{source}\n```\n\n```text\n{output}\n```\n").unwrap();
        }
    }

    let path = root.join("../book/src/error-index.md");
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == page,
        "the index of the book is not that of the programs: RNTUPLE_BLESS=1 makes it anew"
    );
}

/// What is in a directory, in the order of names.
pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The rule, which is the first line, a paragraph about the way out, and the lines that show it.
fn program_of(source: &str) -> (&str, String, String) {
    let (rule, rest) = source.split_once('\n').unwrap();
    let is_said = |line: &&str| line.starts_with("//!");
    let way_out: Vec<_> =
        rest.lines().take_while(is_said).map(|line| line.trim_start_matches("//!").trim()).collect();
    let way_out =
        if way_out.is_empty() { String::new() } else { way_out.join("\n").trim().to_owned() + "\n\n" };
    let program = rest.lines().skip_while(is_said);
    let lines = program.filter(|line| !line.starts_with("use ") && *line != "fn main() {}");
    let program = lines.fold(String::new(), |program, line| program + line + "\n");
    (rule.strip_prefix("//! ").unwrap(), way_out, program.replace("\n\n\n", "\n\n").trim().to_owned())
}

/// The messages, without places, and without what they say about types that are not the reader's.
fn output_of(output: &str) -> String {
    let mut page = String::new();
    let (mut last, mut seen) = (String::new(), HashSet::new());
    for message in output.trim().split("\n\n").map(shortened).filter(|lines| !lines.is_empty()) {
        let is_snippet =
            |line: &&String| line.trim_start_matches([' ', '.']).starts_with(|c| "0123456789|".contains(c));
        let head = message.iter().position(|line| is_snippet(&line)).unwrap_or(message.len());
        let (head, rest) = message.split_at(head);
        let head = head.join("\n");
        let marks = rest.iter().filter(|line| line.contains('^')).cloned().collect::<Vec<_>>();
        let is_repeated = !seen.insert((head.clone(), marks)) || head == last && is_at_the_derive(rest);
        if is_repeated {
            continue;
        }
        if head != last {
            let gap = if page.is_empty() { "" } else { "\n" };
            writeln!(page, "{gap}{head}").unwrap();
            rest.iter().for_each(|line| writeln!(page, "{line}").unwrap());
            last = head;
        } else {
            // One mistake of several places: what is to be done was said.
            let end = rest.iter().position(|line| line.trim() == "|" || line.starts_with("help: "));
            rest.iter().take(end.unwrap_or(rest.len())).for_each(|line| writeln!(page, "{line}").unwrap());
        }
    }
    page.trim_end().to_owned()
}

/// Whether a message points to nothing but the derive.
fn is_at_the_derive(snippet: &[String]) -> bool {
    snippet
        .windows(2)
        .any(|lines| matches!(lines, [derive, mark] if derive.contains("#[derive(") && mark.contains('^')))
}

/// The lines of a message that are for the reader.
fn shortened(message: &str) -> Vec<String> {
    const BLOCKS: [&str; 4] = ["note: ", "help: the trait", "help: the following", "help: if you import"];
    const LINES: [&str; 5] = [
        "= note: this error originates",
        "= note: this note originates",
        "= help: the following other types",
        "= note: see ",
        "= note: the failure occurred here",
    ];
    let (mut lines, mut block, mut in_list) = (Vec::<String>::new(), None, false);
    for line in message.lines() {
        let text = line.trim_start();
        if line.starts_with("help: ") || line.starts_with("note: ") {
            block = BLOCKS.iter().find(|block| line.starts_with(**block));
        } else if text.starts_with("= ") {
            // Behind the note about a trait, there are notes for the reader again.
            block = block.filter(|block| block.starts_with("note: "));
        }
        let is_listed = text.len() + 8 < line.len() && !text.starts_with(['=', '|', '-', '.']);
        in_list = LINES.iter().any(|start| text.starts_with(start)) || in_list && is_listed;
        let is_bar = text == "|" && lines.last().is_some_and(|last| !last.contains('|'));
        if block.is_none() && !in_list && !is_bar && !text.starts_with("--> ") {
            lines.push(line.to_owned());
        }
    }
    while lines.last().is_some_and(|last| last.trim() == "|") {
        lines.pop();
    }
    lines
}
