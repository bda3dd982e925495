//! How a new file is made, and what it says about itself.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::begun::to_continue;
use super::datetime::Datetime;
use crate::error::{Error, Result};
use crate::storage::{LocalFile, Output, local_path, shown, url_of};

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
    pub(crate) has_checkpoints: bool,
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

    /// Whether a file is at its path from the first byte on.
    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Opens an existing file, to write to it.
    pub(crate) fn edit(&self, path: &Path) -> Result<Output> {
        match only_local(path).and_then(LocalFile::edit) {
            Ok(storage) => Ok(storage.durable(!self.volatile).into()),
            Err(error) => Err(Error::from(error).in_file(&shown(path))),
        }
    }

    /// The file will have checkpoints, which need a name of their own until it is finished.
    pub(crate) fn with_checkpoints(mut self) -> Self {
        self.has_checkpoints = true;
        self
    }

    /// Opens what an earlier writer left that did not finish, if there is anything.
    pub(crate) fn resume(&self, path: &Path) -> Result<Option<Output>> {
        let storage = only_local(path).and_then(|path| match self.in_place {
            true if path.exists() => LocalFile::edit(path).map(Some),
            true => Ok(None),
            false => LocalFile::resume(path),
        });
        let place = |error: Error| error.in_file(&shown(path));
        let mut storage = storage.map_err(|error| place(error.into()))?;
        if self.in_place {
            storage = storage.map(to_continue).transpose().map_err(place)?.flatten();
        }
        Ok(storage.map(|storage| storage.durable(!self.volatile).into()))
    }

    /// Refuses checkpoints that a new file at `path` cannot have, if it is to have any: better now than at the first one.
    pub(crate) fn check_checkpoints(&self, path: &Path) -> Result<()> {
        let checked = match url_of(path) {
            _ if !self.has_checkpoints => Ok(()),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a file at a URL takes no checkpoints: it is visible only when it is complete",
            )),
            None if self.in_place => Ok(()),
            None => local_path(path).and_then(|path| LocalFile::check_nothing_left(&path)),
        };
        checked.map_err(|error| Error::from(error).in_file(&shown(path)))
    }

    /// A path that leads to the same file when the process has another working directory.
    pub(crate) fn lasting(path: &Path) -> Result<PathBuf> {
        let lasting = match url_of(path) {
            Some(_) => Ok(path.to_owned()),
            None => local_path(path).and_then(std::path::absolute),
        };
        lasting.map_err(|error| Error::from(error).in_file(&shown(path)))
    }

    /// Creates the file that these options ask for.
    pub(crate) fn create(&self, path: &Path, is_new: bool) -> Result<Output> {
        self.check_checkpoints(path)?;
        let storage = match Output::at_url(path, is_new) {
            Some(storage) => storage,
            None => local_path(path).and_then(|path| self.create_local(&path, is_new)),
        };
        storage.map_err(|error| Error::from(error).in_file(&shown(path)))
    }

    fn create_local(&self, path: &Path, is_new: bool) -> io::Result<Output> {
        let storage = match (is_new, self.in_place) {
            (is_new, true) => LocalFile::in_place(path, is_new),
            (true, false) => LocalFile::create_new(path),
            (false, false) => LocalFile::create(path),
        };
        storage.map(|storage| storage.durable(!self.volatile).into())
    }
}

/// A path of the file system.
///
/// # Errors
/// It is a URL that leads elsewhere.
fn only_local(path: &Path) -> io::Result<PathBuf> {
    if url_of(path).is_some() {
        let message =
            "a file at a URL can be written once, and not be changed: copy it, or write another one";
        return Err(io::Error::new(io::ErrorKind::Unsupported, message));
    }
    local_path(path)
}
