//! A file that is there only once it is complete.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::input::Input;
use crate::error::{Error, Result};
use crate::storage::FileSource;

/// Characters of its name that a file has while it is under construction: names may have 255 bytes in all.
const NAME_SHOWN: usize = 60;

/// A file under construction, beside the place where it will be.
///
/// Dropped, it takes back what was written; a file that was there before stays as it was.
#[derive(Debug)]
pub(super) struct Output {
    path: PathBuf,
    overwrite: bool,
    file: NamedTempFile,
}

/// Refuses a place that is taken, or that of an input.
pub(super) fn check(path: &Path, inputs: &[Input], overwrite: bool) -> Result<()> {
    let refuse = |message: String| Err(Error::invalid_argument(message).in_file(&path.display().to_string()));
    match fs::metadata(path) {
        Ok(there) => {
            if let Some(input) = inputs.iter().find(|input| is_same(path, &there, input.path())) {
                return refuse(format!("the output is one of the inputs: {}", input.name()));
            }
            if !there.is_file() {
                return refuse("the output is not a file".to_owned());
            }
            if !overwrite {
                return refuse("the output exists already".to_owned());
            }
            Ok(())
        }
        // A link to nowhere would become a file of its own.
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Ok(_) if !overwrite => refuse("the output exists already, as a link to nowhere".to_owned()),
            _ => Ok(()),
        },
        Err(error) => Err(Error::from(error).in_file(&path.display().to_string())),
    }
}

#[cfg(unix)]
fn is_same(_path: &Path, there: &Metadata, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(other).is_ok_and(|other| (other.dev(), other.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_same(path: &Path, _there: &Metadata, other: &Path) -> bool {
    matches!((fs::canonicalize(path), fs::canonicalize(other)), (Ok(a), Ok(b)) if a == b)
}

impl Output {
    pub(super) fn create(path: &Path, overwrite: bool) -> Result<Self> {
        let place = |error: io::Error| Error::from(error).in_file(&path.display().to_string());
        let name = path.file_name().ok_or_else(|| {
            Error::invalid_argument("the output is not a file").in_file(&path.display().to_string())
        })?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // What is left of a merge that was killed should tell what it was, in a name that is not too long.
        let name: String = name.to_string_lossy().chars().take(NAME_SHOWN).collect();
        let prefix = format!(".{name}.");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file: what the process masks is taken away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(place)?;
        Ok(Self { path: path.to_owned(), overwrite, file })
    }

    /// What to write to; errors and the file itself name the place where it will be.
    pub(super) fn storage(&self) -> Result<FileSource> {
        let file = self.file.as_file().try_clone();
        let source = file.and_then(|file| FileSource::from_file(file, &self.path));
        source.map_err(|error| self.place(error))
    }

    /// Puts the file where it belongs, once its bytes are safe.
    pub(super) fn publish(self) -> Result<()> {
        let Self { path, overwrite, file } = self;
        let place = |error: io::Error| Error::from(error).in_file(&path.display().to_string());
        file.as_file().sync_all().map_err(place)?;
        let published = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
        published.map_err(|error| place(error.error))?;
        Ok(())
    }

    #[cold]
    fn place(&self, error: io::Error) -> Error {
        Error::from(error).in_file(&self.path.display().to_string())
    }
}
