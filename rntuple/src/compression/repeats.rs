//! What is known of bytes that are to be compressed.

/// What repeats in bytes that are to be compressed: a codec may do better if it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// Anything may.
    #[default]
    Unknown,
    /// Values seldom come again, but some of their bytes are like each other: reals, offsets.
    Bytes,
}
