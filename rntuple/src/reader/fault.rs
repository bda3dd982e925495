//! Errors after which a walk may go on.

use crate::error::Error;

/// An error, and whether it is about a value alone, so that what follows can be read.
pub(super) struct Fault {
    pub(super) error: Error,
    pub(super) is_refusal: bool,
    /// Whether the file makes columns go back too often, so that fewer entries at a time are not read either.
    pub(super) is_scattered: bool,
}

impl From<Error> for Fault {
    /// Nothing more can be read.
    fn from(error: Error) -> Self {
        Self { error, is_refusal: false, is_scattered: false }
    }
}
