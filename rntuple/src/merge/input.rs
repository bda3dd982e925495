//! The ntuples that are merged.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::reader::EntryList;
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
    /// The ntuple whose attribute sets are taken, and those of its entries that are copied.
    sets: Option<Box<(Dataset, EntryList)>>,
}

#[derive(Clone, Debug)]
enum Place {
    /// Opened when it is its turn, and closed behind it: there may be more inputs than files can be open.
    Path(PathBuf),
    Open(Box<RootFile>),
    /// An ntuple that its file may not describe as it is.
    Dataset(Box<Dataset>),
}

impl Input {
    /// The only ntuple of the file at `path`, which is opened only while it is needed.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::Path(path.into()), ntuple: None, sets: None }
    }

    /// The only ntuple of a file that is open, whatever its storage.
    pub fn open(file: &RootFile) -> Self {
        Self { place: Place::Open(Box::new(file.clone())), ntuple: None, sets: None }
    }

    /// An ntuple that is open; it may be that of an [`Overlay`](crate::join::Overlay), from
    /// [`Reader::dataset`](crate::Reader::dataset).
    pub fn dataset(dataset: &Dataset) -> Self {
        Self { place: Place::Dataset(Box::new(dataset.clone())), ntuple: None, sets: None }
    }

    /// The ntuple at this path in the file: `Events`, or `directory/Events`. Needed where it has several.
    pub fn ntuple(mut self, path: impl Into<String>) -> Self {
        self.ntuple = Some(path.into());
        self
    }

    /// Takes the attribute sets of `dataset` in place of its own. Of that ntuple, only the entries `left` are merged: this
    /// input has the first of them, and the inputs after it the others. Ranges are reduced to the entries in `left`, and may
    /// become empty.
    ///
    /// ```
    /// # use rntuple::{Dataset, EntryList, RNTuple, Reader, RootFile, WriteOptions, Writer, storage::Memory};
    /// use rntuple::merge::{Input, MergeOptions, merge_into};
    /// # #[derive(RNTuple)]
    /// # struct Event { number: u64 }
    /// # #[derive(RNTuple)]
    /// # struct Run { run: u32 }
    ///
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// for number in 0..10 {
    ///     writer.fill(&Event { number })?;
    ///     writer.commit_cluster()?;
    /// }
    /// writer.attributes("Runs")?.add(3..8, &Run { run: 7 })?;
    /// # let file = RootFile::from_storage(writer.finish_into()?.1)?;
    ///
    /// // Without the entries 4 and 5: the parts have no attribute sets themselves.
    /// let events = Dataset::open(&file, "Events")?;
    /// let left: EntryList = [0..4, 6..10].into_iter().collect();
    /// let first = Input::dataset(&events.part(0..4)?).with_sets_of(&events, left);
    /// let last = Input::dataset(&events.part(6..10)?);
    /// let (_, merged) = merge_into(&[first, last], Memory::new(), MergeOptions::new())?;
    /// let run = Reader::<Event>::open(merged, "Events")?.attributes::<Run>("Runs")?.get(0)?;
    /// assert_eq!((run.range, run.value.run), (3..6, 7));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn with_sets_of(mut self, dataset: &Dataset, left: impl Into<EntryList>) -> Self {
        self.sets = Some(Box::new((dataset.clone(), left.into())));
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
            Place::Open(file) => self.find((**file).clone(), limits)?,
            Place::Dataset(dataset) => (**dataset).clone(),
        };
        refuse_old(&dataset)?;
        Ok(dataset)
    }

    /// The ntuple whose attribute sets are taken, and those of its entries that are copied, if not all are.
    pub(super) fn sets<'a>(&'a self, own: &'a Dataset) -> Result<(&'a Dataset, Option<&'a EntryList>)> {
        let Some(sets) = &self.sets else { return Ok((own, None)) };
        let (dataset, left) = &**sets;
        refuse_old(dataset)?;
        Ok((dataset, Some(left)))
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

fn refuse_old(dataset: &Dataset) -> Result<()> {
    let format_version = dataset.anchor().format_version;
    if !format_version.is_pre_release() {
        return Ok(());
    }
    let message = format!(
        "the ntuple has {format_version}, whose pages cannot be copied: read its entries and write them"
    );
    Err(Error::unsupported(message).in_ntuple(dataset.path()).in_file(dataset.file().name()))
}

impl<P: AsRef<Path>> From<P> for Input {
    fn from(path: P) -> Self {
        Self::file(path.as_ref())
    }
}
