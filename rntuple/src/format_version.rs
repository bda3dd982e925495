//! The layouts that the format has had.

use std::fmt;

#[cfg(not(feature = "prerelease"))]
use crate::error::{Error, ErrorKind};

/// Which layout an ntuple is stored in: that of version 1, or one of those that ROOT wrote before the format was
/// released. The older ones are read (with the Cargo feature `prerelease`, which is on by default), and never written.
///
/// Their names are this project's: the files say "release candidate 1" or "0.2.0.0", each of two or three layouts.
///
/// ```
/// use rntuple::root::FormatVersion;
/// assert!(FormatVersion::Rc12.is_pre_release());
/// assert_eq!(FormatVersion::Rc12.to_string(), "pre-release rc1.2");
/// assert_eq!(FormatVersion::V1.to_string(), "version 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FormatVersion {
    /// Written by ROOT 6.26.
    Rc10,
    /// Written by ROOT 6.27, and by 6.29 until the spring of 2023.
    Rc11,
    /// Written by ROOT 6.29 from the summer of 2023 on.
    Rc12,
    /// Written by ROOT 6.31 to 6.33.
    Rc20,
    /// Written by ROOT 6.33 in the autumn of 2024.
    Rc21,
    /// The released format: ROOT 6.34 and later, and this crate.
    V1,
}

impl FormatVersion {
    /// Every one, the oldest first.
    pub const ALL: [Self; 6] = [Self::Rc10, Self::Rc11, Self::Rc12, Self::Rc20, Self::Rc21, Self::V1];

    /// Its name: `rc1.0`, .., `v1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rc10 => "rc1.0",
            Self::Rc11 => "rc1.1",
            Self::Rc12 => "rc1.2",
            Self::Rc20 => "rc2.0",
            Self::Rc21 => "rc2.1",
            Self::V1 => "v1",
        }
    }

    /// Whether it is from before the format was released.
    pub fn is_pre_release(self) -> bool {
        self < Self::V1
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V1 => f.write_str("version 1"),
            older => write!(f, "pre-release {}", older.name()),
        }
    }
}

/// The error of a build that reads version 1 alone. `found` is the layout that it would have to read.
#[cfg(not(feature = "prerelease"))]
#[cold]
pub(crate) fn disabled(found: impl fmt::Display) -> Error {
    let message = format!("reading {found} needs the Cargo feature `prerelease` of the crate rntuple");
    Error::new(ErrorKind::FeatureDisabled, message)
}
