//! The tests in which threads meet, in a program that is compiled for ThreadSanitizer: `cargo xtask tsan`.

#[path = "all/parallel.rs"]
mod parallel;
#[path = "all/parallel_read.rs"]
mod parallel_read;
#[path = "all/read_ahead.rs"]
mod read_ahead;
