//! What a reader is opened on: paths, storages, open files.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ReadOptions;
use crate::dataset::{Dataset, Layer};
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};
use crate::root::RootFile;
use crate::schema::FieldId;
use crate::storage::{self, Block, ReadAt};

/// The files that a [`Reader`](crate::Reader) is opened on: one, or many in order.
///
/// Whatever says where files are converts to it, so its name is rarely written:
///
/// | from | |
/// | --- | --- |
/// | `&str`, `String`, `&Path`, `PathBuf` | the file at a path, or at a URL of a [protocol](crate::storage::Protocol) that was registered: `https://host/events.root` |
/// | [`RootFile`], also by reference | a file that is open already |
/// | any [`ReadAt`]: [`Memory`](crate::storage::Memory), `Vec<u8>`, .. | a file in another storage |
/// | `Vec`, array or slice of these; an iterator, by `collect` | many files, in this order |
/// | [`Overlay`](crate::join::Overlay) | fields of several files as those of one |
/// | [`Files::glob`] | the files whose names match a pattern |
///
/// ```
/// use rntuple::{Files, RNTuple, ReadOptions, Reader};
/// # use rntuple::{WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # for run in 0..3 {
/// #     let path = directory.path().join(format!("run{run}.root"));
/// #     let mut writer = Writer::create(path, "Events", WriteOptions::new())?;
/// #     writer.fill(&Event { met: 20.0 })?;
/// #     writer.finish()?;
/// # }
/// # std::env::set_current_dir(&directory)?;
/// let one = Reader::<Event>::open("run0.root", "Events")?;
/// let two = Reader::<Event>::open(["run0.root", "run1.root"], "Events")?;
/// let all = Reader::<Event>::open(Files::glob("run*.root")?, "Events")?;
/// let some: Files = (1..3).map(|run| format!("run{run}.root")).collect();
/// let some = Reader::<Event>::open(some, "Events")?;
/// let counts = [one, two, all, some].map(|reader| reader.entry_count());
/// assert_eq!(counts.into_iter().collect::<rntuple::Result<Vec<_>>>()?, [1, 2, 3, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Files(Hidden<Vec<Origin>>);

discards!(Vec<Origin>);

impl Files {
    /// Not a part of what is generic, which would have the code that drops a list.
    #[inline(never)]
    fn one(origin: Origin) -> Self {
        Self::list(vec![origin])
    }

    #[inline(never)]
    fn list(origins: Vec<Origin>) -> Self {
        Self(Hidden::new(origins))
    }

    /// Finds the files whose names match a pattern, in alphabetical order: `run*/events_?.root`.
    ///
    /// `*` matches any characters of a name, `?` one character, `[0-9]` one of several, `**` directories of any depth.
    /// Numbers are compared as text: `events_10.root` comes before `events_2.root`. Directories are left out.
    ///
    /// The pattern may be a URL, if its [protocol](crate::storage::Protocol) can list directories:
    /// `root://host//data/run*/events_?.root`.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) if no file matches,
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the text is not a pattern, or a directory cannot be
    /// read.
    #[cfg(feature = "glob")]
    pub fn glob(pattern: &str) -> Result<Self> {
        let place = |(path, size): (PathBuf, Option<u64>)| match size {
            Some(size) => Place::Listed(Box::new((path, size))),
            None => Place::Path(path),
        };
        Ok(storage::find_listed(pattern)?.into_iter().map(place).collect())
    }

    /// The files, each under a name of its own.
    pub(super) fn told_apart(self) -> Result<Vec<Place>> {
        let places: Vec<Place> = self.0.into_inner().into_iter().map(Origin::open).collect::<Result<_>>()?;
        let mut names: HashMap<&str, Name<'_>> = HashMap::new();
        for (index, place) in places.iter().enumerate() {
            for file in place.opened() {
                let storage = file.storage();
                let name = names.entry(file.name()).or_insert(Name {
                    index,
                    storage,
                    is_elsewhere: false,
                    is_of_others: false,
                });
                name.is_elsewhere |= name.index != index;
                // A file that is listed twice is the same one.
                name.is_of_others |= !Arc::ptr_eq(name.storage, storage);
            }
        }
        let is_shared =
            |name: &str| names.get(name).is_some_and(|name| name.is_elsewhere && name.is_of_others);
        if !names.keys().any(|name| is_shared(name)) {
            return Ok(places);
        }
        places.iter().enumerate().map(|(index, place)| place.numbered(index, &is_shared)).collect()
    }
}

/// What several storages may be called.
struct Name<'a> {
    /// The position and the storage of the first one.
    index: usize,
    storage: &'a Arc<dyn ReadAt>,
    /// Whether there are others at other positions. Those of one overlay have one position.
    is_elsewhere: bool,
    /// Whether there are other storages.
    is_of_others: bool,
}

/// Where one file comes from. What converts to it converts to [`Files`], alone and in lists.
pub struct Origin(Given);

enum Given {
    Place(Box<Place>),
    Overlay(Layers<Origin>),
    /// Not looked into yet.
    Storage(Arc<dyn ReadAt>),
}

impl Origin {
    fn open(self) -> Result<Place> {
        match self.0 {
            Given::Place(place) => Ok(*place),
            Given::Overlay(Layers { parts, entry_count }) => {
                let parts = parts.into_iter().map(|part| part.map(Self::open)).collect::<Result<_>>()?;
                Ok(Place::Overlay(Arc::new(Layers { parts, entry_count })))
            }
            Given::Storage(storage) => Ok(RootFile::from_arc(storage)?.into()),
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Given::Place(place) => f.write_str(&place.name()),
            Given::Overlay(layers) => {
                f.debug_list().entries(layers.parts.iter().map(|part| &part.file)).finish()
            }
            Given::Storage(storage) => f.write_str(storage.name()),
        }
    }
}

/// A file, or where it is.
#[derive(Clone)]
pub(super) enum Place {
    /// Opened when it is needed.
    Path(PathBuf),
    /// The same, and the size that a list has said.
    #[cfg_attr(not(feature = "glob"), expect(dead_code, reason = "nothing else lists files"))]
    Listed(Box<(PathBuf, u64)>),
    /// Opened by the caller. (Of most places there are many, and they are paths: they should be small.)
    File(Box<RootFile>),
    /// With the ntuple.
    Dataset(Arc<Dataset>),
    /// Fields of several files.
    Overlay(Arc<Layers<Self>>),
}

/// Files of which some fields are seen as those of one.
pub(super) struct Layers<F> {
    pub(super) parts: Vec<Part<F>>,
    /// How many entries there are, if that is known before a file is opened.
    pub(super) entry_count: Option<u64>,
}

/// A file of which some fields are seen together with those of others.
#[derive(Clone)]
pub(super) struct Part<F> {
    pub(super) file: F,
    /// Of its ntuple; `None`: as the reader was given.
    pub(super) path: Option<String>,
    /// The fields that are seen, and what they are called; `None`: all.
    pub(super) fields: Option<Arc<[(FieldId, String)]>>,
    /// The types that fields are shown with, where these include their own.
    pub(super) types: Arc<[(FieldId, String)]>,
}

impl<F> Part<F> {
    fn map<G>(self, work: impl FnOnce(F) -> Result<G>) -> Result<Part<G>> {
        let Self { file, path, fields, types } = self;
        Ok(Part { file: work(file)?, path, fields, types })
    }
}

impl From<RootFile> for Place {
    fn from(file: RootFile) -> Self {
        Self::File(Box::new(file))
    }
}

impl Place {
    /// What an error calls it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Path(path) => storage::shown(path),
            Self::Listed(listed) => storage::shown(&listed.0),
            Self::File(file) => file.name().to_owned(),
            Self::Dataset(dataset) => dataset.file().name().to_owned(),
            Self::Overlay(layers) => layers.parts.first().map(|part| part.file.name()).unwrap_or_default(),
        }
    }

    /// The files that the caller has opened: itself, or parts of it.
    fn opened(&self) -> Vec<&RootFile> {
        match self {
            Self::File(file) => vec![file],
            Self::Overlay(layers) => layers.parts.iter().flat_map(|part| part.file.opened()).collect(),
            Self::Path(_) | Self::Listed(_) | Self::Dataset(_) => Vec::new(),
        }
    }

    /// The same place, with its position in the names of files whose names are shared.
    fn numbered(&self, index: usize, is_shared: &dyn Fn(&str) -> bool) -> Result<Self> {
        match self {
            Self::File(file) if is_shared(file.name()) => {
                let name = format!("{} (file {index})", file.name());
                let storage = Arc::new(Numbered { storage: file.storage().clone(), name });
                Ok(RootFile::from_arc(storage)?.with_limits(*file.limits()).into())
            }
            Self::Overlay(layers) if self.opened().iter().any(|file| is_shared(file.name())) => {
                let number = |part: &Part<Self>| part.clone().map(|file| file.numbered(index, is_shared));
                let parts = layers.parts.iter().map(number).collect::<Result<_>>()?;
                Ok(Self::Overlay(Arc::new(Layers { parts, entry_count: layers.entry_count })))
            }
            other => Ok(other.clone()),
        }
    }

    /// Whether opening it mostly means waiting for a network.
    pub(super) fn is_remote(&self) -> bool {
        match self {
            Self::Path(path) => storage::url_of(path).is_some(),
            Self::Listed(listed) => storage::url_of(&listed.0).is_some(),
            Self::Overlay(layers) => layers.parts.iter().any(|part| part.file.is_remote()),
            Self::File(_) | Self::Dataset(_) => false,
        }
    }

    /// How many entries it has, if that was stated.
    pub(super) fn entry_count(&self) -> Option<u64> {
        match self {
            Self::Overlay(layers) => layers.entry_count,
            Self::Path(_) | Self::Listed(_) | Self::File(_) | Self::Dataset(_) => None,
        }
    }

    /// Opens the ntuple at `path`.
    pub(super) fn dataset(&self, path: &str, options: &ReadOptions) -> Result<Arc<Dataset>> {
        let file = match self {
            Self::Path(path) => &open(path, None, options)?,
            Self::Listed(listed) => &open(&listed.0, Some(listed.1), options)?,
            Self::File(file) => file,
            Self::Dataset(dataset) => return Ok(dataset.clone()),
            Self::Overlay(layers) => {
                let layer = |part: &Part<Self>| {
                    let dataset = part.file.dataset(part.path.as_deref().unwrap_or(path), options)?;
                    Ok(Layer { dataset, fields: part.fields.clone(), types: part.types.clone() })
                };
                return Dataset::compose(&layers.parts.iter().map(layer).collect::<Result<Vec<_>>>()?);
            }
        };
        Ok(Arc::new(Dataset::open(&options.limit(file), path)?))
    }
}

/// Opens the file at a path or a URL, of which a list may have said the size.
fn open(path: &Path, size: Option<u64>, options: &ReadOptions) -> Result<RootFile> {
    let storage = storage::open_listed(path, size);
    let storage = storage.map_err(|error| Error::from(error).in_file(&storage::shown(path)))?;
    RootFile::from_arc(match &options.cache {
        Some(cache) if storage::url_of(path).is_some() => cache.wrap(storage),
        _ => storage,
    })
}

impl Origin {
    /// Fields of several files as those of one.
    pub(super) fn overlay(layers: Layers<Self>) -> Self {
        Self(Given::Overlay(layers))
    }
}

impl From<Place> for Origin {
    fn from(place: Place) -> Self {
        Self(Given::Place(Box::new(place)))
    }
}

impl<S: ReadAt + 'static> From<S> for Origin {
    fn from(storage: S) -> Self {
        Self::from(Arc::new(storage) as Arc<dyn ReadAt>)
    }
}

impl From<Arc<dyn ReadAt>> for Origin {
    fn from(storage: Arc<dyn ReadAt>) -> Self {
        Self(Given::Storage(storage))
    }
}

impl From<RootFile> for Origin {
    fn from(file: RootFile) -> Self {
        Self::from(Place::from(file))
    }
}

impl From<&RootFile> for Origin {
    fn from(file: &RootFile) -> Self {
        Self::from(Place::from(file.clone()))
    }
}

macro_rules! paths {
    ($($path:ty)*) => {$(
        impl From<$path> for Origin {
            fn from(path: $path) -> Self {
                Self::from(Place::Path(path.into()))
            }
        }
    )*};
}

paths! { PathBuf &PathBuf &Path String &String &str &&str }

impl<O: Into<Origin>> From<O> for Files {
    fn from(origin: O) -> Self {
        Self::one(origin.into())
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $list:ty: $origin:ty;)*) => {$(
        impl<$($generics)*> From<$list> for Files
        where
            $origin: Into<Origin>,
        {
            fn from(origins: $list) -> Self {
                origins.into_iter().collect()
            }
        }
    )*};
}

lists! {
    [O] Vec<O>: O;
    [O, const N: usize] [O; N]: O;
    ['a, O] &'a [O]: &'a O;
    ['a, O, const N: usize] &'a [O; N]: &'a O;
    ['a, O] &'a Vec<O>: &'a O;
}

impl<O: Into<Origin>> FromIterator<O> for Files {
    fn from_iter<I: IntoIterator<Item = O>>(origins: I) -> Self {
        Self::list(origins.into_iter().map(Into::into).collect())
    }
}

/// A storage with its position among the files in its name: each file in memory is called `memory`, and an error would
/// not say which; then `memory (file 2)`.
struct Numbered {
    storage: Arc<dyn ReadAt>,
    name: String,
}

impl ReadAt for Numbered {
    fn size(&self) -> u64 {
        self.storage.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.storage.read_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.storage.block(range)
    }

    fn block_in(&self, range: Range<u64>, spare: Vec<u8>) -> io::Result<Block> {
        self.storage.block_in(range, spare)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        self.storage.blocks(ranges)
    }

    fn blocks_in(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Block>> {
        self.storage.blocks_in(ranges, spare)
    }

    fn is_remote(&self) -> bool {
        self.storage.is_remote()
    }

    fn version(&self) -> Option<&str> {
        self.storage.version()
    }

    fn refresh(&self) -> io::Result<()> {
        self.storage.refresh()
    }

    fn name(&self) -> &str {
        &self.name
    }
}
