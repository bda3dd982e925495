//! What a category is: how its file is written, and read.

use std::path::Path;

use rntuple::field::{ReadField, WriteField};
use rntuple::{Compression, Reader, Value, WriteOptions, Writer};

use crate::json::Json;
use crate::{Result, Show, dynamic};

/// The path of the ntuple in every file.
pub const NTUPLE: &str = "ntpl";

/// One test of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Category {
    /// Its folders in the suite, dots between them: the name of its file without the ending.
    pub name: &'static str,
    pub(crate) write: fn(&Path) -> Result<()>,
    pub(crate) read: fn(&Path, How) -> Result<Json>,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Into the types of the category.
    Typed,
    /// Into values of whatever the file has.
    Dynamic,
}

impl Category {
    /// Writes its file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> Result<()> {
        (self.write)(file)
    }

    /// The document of a file, read into the types of the category.
    ///
    /// # Errors
    /// The file cannot be read, or has another schema.
    pub fn read(&self, file: &Path) -> Result<String> {
        (self.read)(file, How::Typed).map(|json| json.document())
    }

    /// The document of a file, read without knowledge of its schema.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_dynamic(&self, file: &Path) -> Result<String> {
        (self.read)(file, How::Dynamic).map(|json| json.document())
    }
}

/// A row of the table: entries, which are written without compression, and read again.
macro_rules! entries {
    ($name:literal, $entries:expr) => {
        Category {
            name: $name,
            write: |file| category::write(file, category::uncompressed(), &$entries()),
            read: |file, how| category::read(file, how, $entries),
        }
    };
}
pub(crate) use entries;

/// The options of most categories.
pub(crate) fn uncompressed() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

/// Writes entries into a file.
pub(crate) fn write<T: rntuple::Entry + WriteField>(
    file: &Path,
    options: WriteOptions,
    entries: &[T],
) -> Result<()> {
    let mut writer = Writer::<T>::create(file, NTUPLE, options)?;
    writer.fill_all(entries)?;
    writer.finish()?;
    Ok(())
}

/// The document of a file, whose entries are of the type that `entries` would make.
pub(crate) fn read<T: rntuple::Entry + ReadField + Show>(
    file: &Path,
    how: How,
    _entries: fn() -> Vec<T>,
) -> Result<Json> {
    read_as::<T>(file, how)
}

/// The document of a file with entries of type `T`.
pub(crate) fn read_as<T: rntuple::Entry + ReadField + Show>(file: &Path, how: How) -> Result<Json> {
    let mut entries = Vec::new();
    match how {
        How::Typed => {
            for entry in Reader::<T>::open(file, NTUPLE)?.entries() {
                entries.push(entry?.show());
            }
        }
        How::Dynamic => {
            let reader = Reader::<Value>::open(file, NTUPLE)?;
            for entry in reader.entries() {
                entries.push(dynamic::show(reader.schema(), &entry?)?);
            }
        }
    }
    Ok(Json::List(entries))
}
