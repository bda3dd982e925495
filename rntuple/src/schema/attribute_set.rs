//! Attribute sets: small ntuples that say something about ranges of entries.

use super::Locator;
use crate::error::{Error, Result};

/// The version of the schema that sets are written with. Another major one cannot be read, another minor one can.
const VERSION: (u16, u16) = (1, 0);

/// The top-level fields of a set, in this order (format, section 8).
pub(crate) const RANGE_START: &str = "_rangeStart";
pub(crate) const RANGE_LENGTH: &str = "_rangeLen";
pub(crate) const USER_DATA: &str = "_userData";

/// Names that begin like this are for implementations.
const RESERVED: &str = "__";

/// One record of the footer's list of linked attribute sets (format, section 8).
///
/// The set is an ntuple of its own in the same file; no directory lists its anchor.
/// [`Dataset::attribute_set`](crate::Dataset::attribute_set) opens it.
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

    /// A set as this crate writes it.
    pub(crate) fn written(name: &str, anchor_length: u32, anchor: Locator) -> Self {
        Self::new(name, VERSION, anchor_length, anchor)
    }

    /// Refuses a set whose schema is not known.
    ///
    /// # Errors
    /// Its major version is another one.
    pub(crate) fn require_known_version(&self) -> Result<()> {
        let (major, minor) = self.version;
        if major == VERSION.0 {
            return Ok(());
        }
        Err(Error::unsupported(format!("the attribute set has version {major}.{minor}, supported is 1.x")))
    }
}

/// Refuses the name of a new set that the format leaves to others, or that is one of `own`, which this crate links and
/// unlinks by itself; what else a name may not be is the same for all ntuples.
pub(crate) fn check_set_name(name: &str, own: &[&str]) -> Result<()> {
    if own.contains(&name) {
        let message = format!("the name {name:?} of an attribute set is for what this crate notes of a file");
        return Err(Error::invalid_argument(message));
    }
    if name.starts_with(RESERVED) {
        let message = format!(
            "the name {name:?} of an attribute set begins with {RESERVED:?}, which is reserved for ROOT"
        );
        return Err(Error::invalid_argument(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn only_the_major_version_has_to_be_known() {
        let set = |version| LinkedAttributeSet::new("s", version, 78, Locator::File { offset: 0, size: 78 });
        for known in [(1, 0), (1, 1), (1, u16::MAX)] {
            set(known).require_known_version().unwrap();
        }
        for unknown in [(0, 9), (2, 0), (u16::MAX, 0)] {
            let error = set(unknown).require_known_version().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn reserved_names_are_refused() {
        for free in ["_RunInfo", "own_", "ow"] {
            check_set_name(free, &["own"]).unwrap();
        }
        for reserved in ["__RunInfo", "own"] {
            assert_eq!(check_set_name(reserved, &["own"]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    }
}
