//! Files by the pattern of their names.

use std::path::{Path, PathBuf};

use super::Chain;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Entry, ReadField};
use crate::reader::ReadOptions;

impl<T: ReadField> Chain<T> {
    /// Opens the files whose names match a pattern, in alphabetical order: `run*/events_?.root`.
    ///
    /// `*` matches any characters of a name, `?` for one, `[0-9]` for one of several, `**` for directories of any
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
    /// No file matches the pattern ([`NotFound`](ErrorKind::NotFound)), it is none, or a directory cannot be read; and
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
        .map_err(|error| Error::invalid_argument(format!("{pattern:?} is not a pattern: {error}")))?;
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
        return Err(Error::new(
            ErrorKind::NotFound,
            format!("no file matches the pattern {pattern:?}{}", looked_in(pattern)),
        ));
    }
    Ok(files)
}

/// Where files of the pattern would be: the directory before its first wildcard.
fn looked_in(pattern: &str) -> String {
    let fixed = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    let directory = match fixed.rfind(std::path::is_separator) {
        Some(0) => fixed.get(..1).unwrap_or_default(),
        Some(end) => fixed.get(..end).unwrap_or_default(),
        None => "",
    };
    let path = Path::new(if directory.is_empty() { "." } else { directory });
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match full.is_dir() {
        true => format!("; looked in {}", full.display()),
        false => format!("; the directory {} does not exist", full.display()),
    }
}
