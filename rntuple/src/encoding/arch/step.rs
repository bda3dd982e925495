//! The steps between the word of a value and the word that is split.

/// What is done to a word besides splitting it.
pub(in crate::encoding) trait Step: Copy {
    const KIND: Kind;
}

/// A `Step`, for kernels to choose their instructions by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::encoding) enum Kind {
    AsIs,
    Zigzag,
    Delta,
}

/// Nothing (format, section 6.1).
#[derive(Clone, Copy, Debug)]
pub(in crate::encoding) struct AsIs;
/// Small magnitudes of either sign become small words (format, section 6.2).
#[derive(Clone, Copy, Debug)]
pub(in crate::encoding) struct Zigzag;
/// A word becomes its difference to the one before it (format, section 6.3).
#[derive(Clone, Copy, Debug)]
pub(in crate::encoding) struct Delta;

impl Step for AsIs {
    const KIND: Kind = Kind::AsIs;
}
impl Step for Zigzag {
    const KIND: Kind = Kind::Zigzag;
}
impl Step for Delta {
    const KIND: Kind = Kind::Delta;
}
