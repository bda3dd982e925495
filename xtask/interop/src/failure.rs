//! What goes wrong.

/// Whatever goes wrong ends the run with a sentence.
pub(crate) type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
