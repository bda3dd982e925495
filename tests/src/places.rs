//! Which bytes of a file tests damage.

use std::env;

/// The places of `length` bytes at which a test flips a bit or cuts: all of them where the variable `RNTUPLE_THOROUGH` is
/// set, as `cargo xtask thorough` does, else one of five. That is each byte of a word, in one word or another.
#[must_use]
pub fn places(length: usize) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator + Clone {
    let step = if env::var_os("RNTUPLE_THOROUGH").is_some() { 1 } else { 5 };
    (0..length).step_by(step)
}
