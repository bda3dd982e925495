//! Runs the compiler on every program.

#[test]
fn programs_are_refused_in_plain_words() {
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}

#[test]
fn programs_build_and_run_wherever_they_are() {
    trybuild::TestCases::new().pass("pass/*.rs");
}
