//! All tests of the source that is generated, in one binary.

mod awkward;
mod book;
mod compiled;
mod golden;
mod strangers;
