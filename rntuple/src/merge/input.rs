//! The ntuples that are merged.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::root::RootFile;
use crate::storage::shown;

/// One of the ntuples that are merged: a file, and which of its ntuples.
///
/// ```
/// use rntuple::merge::Input;
/// let input = Input::file("run42.root").ntuple("reco/Events");
/// assert_eq!(input.name(), "run42.root");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Input {
    place: Place,
    ntuple: Option<String>,
}

#[derive(Clone, Debug)]
enum Place {
    /// Opened when it is its turn, and closed behind it: there may be more inputs than files can be open.
    Path(PathBuf),
    Open(RootFile),
    /// An ntuple that its file may not describe as it is.
    Dataset(Box<Dataset>),
}

impl Input {
    /// The only ntuple of the file at `path`, which is opened only while it is needed.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::Path(path.into()), ntuple: None }
    }

    /// The only ntuple of a file that is open, whatever its storage.
    pub fn open(file: &RootFile) -> Self {
        Self { place: Place::Open(file.clone()), ntuple: None }
    }

    /// An ntuple that is open; it may be that of an [`Overlay`](crate::join::Overlay), from
    /// [`Reader::dataset`](crate::Reader::dataset).
    pub fn dataset(dataset: &Dataset) -> Self {
        Self { place: Place::Dataset(Box::new(dataset.clone())), ntuple: None }
    }

    /// The ntuple at this path in the file: `Events`, or `directory/Events`. Needed where it has several.
    pub fn ntuple(mut self, path: impl Into<String>) -> Self {
        self.ntuple = Some(path.into());
        self
    }

    /// What to call it in an error.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.place {
            Place::Path(path) => Cow::Owned(shown(path)),
            Place::Open(file) => Cow::Borrowed(file.name()),
            Place::Dataset(dataset) => Cow::Borrowed(dataset.file().name()),
        }
    }

    /// The path of the file, or what would be the path if its storage were a file.
    pub(super) fn path(&self) -> &Path {
        match &self.place {
            Place::Path(path) => path,
            Place::Open(file) => Path::new(file.name()),
            Place::Dataset(dataset) => Path::new(dataset.file().name()),
        }
    }

    pub(super) fn opened(&self, limits: Option<Limits>) -> Result<Dataset> {
        let dataset = match &self.place {
            Place::Path(path) => self.find(RootFile::open(path)?, limits)?,
            Place::Open(file) => self.find(file.clone(), limits)?,
            Place::Dataset(dataset) => (**dataset).clone(),
        };
        let file = dataset.file();
        let format_version = dataset.anchor().format_version;
        if format_version.is_pre_release() {
            let message = format!(
                "the ntuple has {format_version}, whose pages cannot be copied: read its entries and write them"
            );
            let error = Error::unsupported(message).in_ntuple(dataset.path());
            return Err(error.in_file(file.name()));
        }
        Ok(dataset)
    }

    fn find(&self, file: RootFile, limits: Option<Limits>) -> Result<Dataset> {
        let limits = limits.unwrap_or(*file.limits());
        let file = file.with_limits(limits);
        match &self.ntuple {
            Some(path) => Dataset::open(&file, path),
            None => Dataset::open(&file, &file.only_ntuple()?.path()),
        }
    }
}

impl<P: AsRef<Path>> From<P> for Input {
    fn from(path: P) -> Self {
        Self::file(path.as_ref())
    }
}
