//! All tests of the programs, in one binary.

mod book;
mod listings;
mod z_peak;
