//! Files by the pattern of their names.

use std::path::PathBuf;

use super::Chain;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Entry, ReadField};
use crate::reader::ReadOptions;

impl<T: ReadField> Chain<T> {
    /// Opens the files whose names go with a pattern, in alphabetical order: `run*/events_?.root`.
    ///
    /// `*` stands for any characters of a name, `?` for one, `[0-9]` for one of several, `**` for directories of any
    /// depth. Numbers are text here: `events_10.root` comes before `events_2.root`.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer};
    /// use rntuple::Chain;
    ///
    /// #[derive(RNTuple)]
    /// struct Event { met: f32 }
    ///
    /// # fn main() -> rntuple::Result<()> {
    /// # let directory = tempfile::tempdir()?;
    /// # for name in ["events_1.root", "events_2.root"] {
    /// #     let mut writer = Writer::create(directory.path().join(name), "Events", WriteOptions::new())?;
    /// #     writer.fill(&Event { met: 20.0 })?;
    /// #     writer.finish()?;
    /// # }
    /// # let pattern = directory.path().join("events_*.root").display().to_string();
    /// // let pattern = "data/events_*.root";
    /// let chain = Chain::<Event>::glob(&pattern, "Events")?;
    /// assert_eq!(chain.files().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// No file goes with the pattern ([`NotFound`](ErrorKind::NotFound)), it is none, or a directory cannot be read; and
    /// as [`open`](Self::open).
    pub fn glob(pattern: &str, path: &str) -> Result<Self>
    where
        T: Entry + 'static,
    {
        Self::glob_with(pattern, path, ReadOptions::new())
    }

    /// As [`glob`](Self::glob), with options.
    ///
    /// # Errors
    /// As [`glob`](Self::glob).
    pub fn glob_with(pattern: &str, path: &str, options: ReadOptions) -> Result<Self>
    where
        T: Entry + 'static,
    {
        Self::open_with(matching(pattern)?, path, options)
    }
}

/// The files, without directories.
fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let found = glob::glob(pattern)
        .map_err(|error| Error::invalid_argument(format!("the pattern {pattern:?}: {error}")))?;
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let name = error.path().display().to_string();
            Error::from(std::io::Error::from(error)).in_file(&name)
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, format!("no file goes with the pattern {pattern:?}")));
    }
    Ok(files)
}
