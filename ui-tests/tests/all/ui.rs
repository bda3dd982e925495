//! Runs the compiler on every program.

use std::path::Path;

use trybuild::TestCases;

use super::ui_in_book::files;

/// What the compiler sees when it makes code of a program, and not when it checks it.
const SEEN_LATE: [&str; 5] = [
    "ui/flatten/clash.rs",
    "ui/flatten/clash_elsewhere.rs",
    "ui/flatten/clash_of_arguments.rs",
    "ui/flatten/clash_of_two.rs",
    "ui/types/mutual_recursion.rs",
];

#[test]
fn programs_are_refused_in_plain_words() {
    // One call of cargo checks them all. With a single program that runs among them, each has a call of its own.
    let programs = TestCases::new();
    let mut count = 0;
    for path in files(Path::new("ui")).iter().flat_map(|theme| files(theme)) {
        let is_late = SEEN_LATE.iter().any(|late| path == Path::new(late));
        if path.extension().is_some_and(|ending| ending == "rs") && !is_late {
            programs.compile_fail(path);
            count += 1;
        }
    }
    assert!(count > 100, "the programs are where they were");
}

#[test]
fn programs_run_or_are_refused_at_the_end() {
    let programs = TestCases::new();
    for late in SEEN_LATE {
        programs.compile_fail(late);
    }
    programs.pass("pass/*.rs");
}
