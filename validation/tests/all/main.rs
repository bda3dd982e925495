//! All tests of the categories and of the program, in one binary.

mod program;
mod suite;
