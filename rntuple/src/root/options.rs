//! What a new file says about itself.

use std::time::SystemTime;

use super::datetime::Datetime;

/// What a new ROOT file says about itself: its name, date and identity.
///
/// The defaults depend on nothing but the data: the same data make the same file, byte by byte.
///
/// ```
/// use std::time::SystemTime;
/// let options = rntuple::FileOptions::new().name("run42.root").timestamp(SystemTime::now());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileOptions {
    pub(super) name: Option<String>,
    pub(super) time: Option<Datetime>,
    pub(super) uuid: Option<[u8; 16]>,
    pub(super) first_record: u64,
}

impl FileOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name that the file stores, 1 to 254 bytes.
    ///
    /// Default: the last part of the path where that ends in `.root`, otherwise `rntuple.root`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The date of the file and of every record in it, stored in UTC to the second.
    ///
    /// Default: 1995-01-01 00:00:00, the first that the format knows.
    #[must_use]
    pub fn timestamp(mut self, time: SystemTime) -> Self {
        self.time = Some(time.into());
        self
    }

    /// The file's identity.
    ///
    /// Default: derived from what is written.
    #[must_use]
    pub fn uuid(mut self, uuid: [u8; 16]) -> Self {
        self.uuid = Some(uuid);
        self
    }

    /// Leaves a gap in front of the first record, so that it begins at `offset`: tests of the layouts
    /// for large files need not write them. Nothing happens where the offset is taken already.
    #[doc(hidden)]
    #[must_use]
    pub fn first_record_at(mut self, offset: u64) -> Self {
        self.first_record = offset;
        self
    }
}
