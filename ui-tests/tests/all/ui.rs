//! Runs the compiler on every program.

#[test]
fn programs_are_refused_in_plain_words_or_run() {
    // One set: programs that run have the others built too, and not only checked. Some mistakes are seen when
    // code is made.
    let programs = trybuild::TestCases::new();
    programs.compile_fail("ui/*/*.rs");
    programs.pass("pass/*.rs");
}
