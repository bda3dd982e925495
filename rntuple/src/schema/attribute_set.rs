//! Attribute sets: small ntuples that say something about ranges of entries.

use super::Locator;

/// One record of the footer's list of linked attribute sets (format, section 8).
///
/// The set is an ntuple of its own in the same file; no directory lists its anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkedAttributeSet {
    /// Name of the set.
    pub name: String,
    /// Version of the set's schema, major and minor. Who does not know the major one cannot read the set.
    pub version: (u16, u16),
    /// Uncompressed length of the set's anchor, in bytes.
    pub anchor_length: u32,
    /// Where the anchor is.
    pub anchor: Locator,
}

impl LinkedAttributeSet {
    /// The set called `name`, whose anchor is at `anchor`.
    pub fn new(name: impl Into<String>, version: (u16, u16), anchor_length: u32, anchor: Locator) -> Self {
        Self { name: name.into(), version, anchor_length, anchor }
    }
}
