//! Which file a path leads to.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

/// What is equal for two paths, or a path and an open file, exactly if they lead to the same file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity(
    /// Device and number on it.
    #[cfg(unix)]
    (u64, u64),
    #[cfg(not(unix))] std::path::PathBuf,
);

impl Identity {
    /// The file that `path` leads to, through links.
    ///
    /// # Errors
    /// Those of [`fs::metadata`].
    pub(crate) fn of_path(path: &Path) -> io::Result<Self> {
        Self::new(&fs::metadata(path)?, path)
    }

    /// A file that was opened as `path`.
    ///
    /// # Errors
    /// Those of [`File::metadata`].
    pub(crate) fn of_file(file: &File, path: &Path) -> io::Result<Self> {
        Self::new(&file.metadata()?, path)
    }

    #[cfg(unix)]
    fn new(metadata: &Metadata, _: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        Ok(Self((metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn new(_: &Metadata, path: &Path) -> io::Result<Self> {
        fs::canonicalize(path).map(Self)
    }
}
