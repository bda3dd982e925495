//! All tests of the programs, in one binary.

mod book;
mod z_peak;
