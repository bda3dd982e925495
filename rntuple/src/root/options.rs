//! How a new file is made, and what it says about itself.

use std::path::Path;
use std::time::SystemTime;

use super::datetime::Datetime;
use crate::error::{Error, Result};
use crate::storage::LocalFile;

/// How a new ROOT file is made, and what it says about itself: its name, date and identity.
///
/// The defaults depend on nothing but the data: the same data make the same file, byte by byte.
///
/// ```
/// use std::time::SystemTime;
/// let options = rntuple::root::FileOptions::new().name("run42.root").timestamp(SystemTime::now());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileOptions {
    pub(super) name: Option<String>,
    pub(super) time: Option<Datetime>,
    pub(super) uuid: Option<[u8; 16]>,
    pub(super) in_place: bool,
    pub(super) volatile: bool,
    pub(super) has_checkpoints: bool,
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

    /// Sets whether a file is written at its path from the first byte on, so that an existing one is lost at once.
    ///
    /// Default: `false`. A file is written next to its path and takes its place when it is finished; an existing one
    /// stays until then, and for good if the writer fails. Needed where the folder takes no new files.
    #[must_use]
    pub fn in_place(mut self, in_place: bool) -> Self {
        self.in_place = in_place;
        self
    }

    /// Sets whether finishing a file waits until the medium has it, so that a loss of power cannot take it.
    ///
    /// Default: `true`. It has no effect on the storage of a caller's own.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.volatile = !durable;
        self
    }

    /// Opens an existing file, to write to it.
    pub(crate) fn edit(&self, path: &Path) -> Result<LocalFile> {
        match LocalFile::edit(path) {
            Ok(storage) => Ok(storage.durable(!self.volatile)),
            Err(error) => Err(Error::from(error).in_file(&path.display().to_string())),
        }
    }

    /// The file will have checkpoints, which need a name of their own until it is finished.
    pub(crate) fn with_checkpoints(mut self) -> Self {
        self.has_checkpoints = true;
        self
    }

    /// Opens what an earlier writer left that did not finish, if there is anything.
    pub(crate) fn resume(&self, path: &Path) -> Result<Option<LocalFile>> {
        let storage = match self.in_place {
            true if path.exists() => LocalFile::edit(path).map(Some),
            true => Ok(None),
            false => LocalFile::resume(path),
        };
        match storage {
            Ok(storage) => Ok(storage.map(|storage| storage.durable(!self.volatile))),
            Err(error) => Err(Error::from(error).in_file(&path.display().to_string())),
        }
    }

    /// Creates the file that these options ask for.
    pub(crate) fn create(&self, path: &Path, is_new: bool) -> Result<LocalFile> {
        let create = || match (is_new, self.in_place) {
            (is_new, true) => LocalFile::in_place(path, is_new),
            (true, false) => LocalFile::create_new(path),
            (false, false) => LocalFile::create(path),
        };
        let storage = match self.has_checkpoints && !self.in_place {
            // Better now than at the first checkpoint.
            true => LocalFile::check_nothing_left(path).and_then(|()| create()),
            false => create(),
        };
        match storage {
            Ok(storage) => Ok(storage.durable(!self.volatile)),
            Err(error) => Err(Error::from(error).in_file(&path.display().to_string())),
        }
    }
}
