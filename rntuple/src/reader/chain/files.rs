//! The files of a chain: what is known of each, and which of them are open.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::shape;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::ReadField;
use crate::message::counted;
use crate::reader::cursor::Cursor;
use crate::reader::partition::Cut;
use crate::reader::source::Source;
use crate::reader::{ReadOptions, open_file};
use crate::root::{Anchor, RootFile};
use crate::schema::Schema;

/// Where a file comes from.
pub(super) enum Origin {
    /// Opened when it is needed.
    Path(PathBuf),
    /// Opened by others, who know how.
    File(RootFile),
}

impl Origin {
    fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::File(file) => file.name().to_owned(),
        }
    }

    fn open(&self, path: &str, options: &ReadOptions) -> Result<Dataset> {
        match self {
            Self::Path(file) => Dataset::open(&open_file(file, options)?, path),
            Self::File(file) => Dataset::open(&options.limit(file), path),
        }
    }
}

/// What is kept of a file that is closed.
struct Link {
    origin: Origin,
    name: String,
    entries: Range<u64>,
    anchor: Anchor,
    fingerprint: u64,
    /// Its clusters.
    cuts: Box<[Cut]>,
}

/// A file that goes with the type.
struct Examined {
    origin: Origin,
    dataset: Arc<Dataset>,
    cuts: Box<[Cut]>,
    least_budget: u64,
}

impl Examined {
    fn new<T: ReadField>(origin: Origin, path: &str, options: &ReadOptions) -> Result<Self> {
        let dataset = Arc::new(origin.open(path, options)?);
        let cursor = Cursor::<T>::connect(Source::One(dataset.clone()), options)?;
        let cuts = dataset.clusters().iter().map(|cluster| Cut::new(cluster, cursor.selected())).collect();
        Ok(Self { origin, cuts, least_budget: cursor.least(), dataset })
    }

    /// Several at once, where there are threads for it.
    fn all<T: ReadField>(origins: Vec<Origin>, path: &str, options: &ReadOptions) -> Vec<Result<Self>> {
        #[cfg(feature = "rayon")]
        if let Some(pool) = options.pool.as_ref().filter(|_| origins.len() > 1) {
            use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
            let examine = |origin| Self::new::<T>(origin, path, options);
            return pool.as_rayon().install(|| origins.into_par_iter().map(examine).collect());
        }
        origins.into_iter().map(|origin| Self::new::<T>(origin, path, options)).collect()
    }
}

/// The files of a chain, in order.
pub(in crate::reader) struct Files {
    /// Of the ntuple.
    path: String,
    options: ReadOptions,
    links: Vec<Link>,
    /// The schema of the first one.
    schema: Arc<Schema>,
    /// The least memory budget that any of them can be read with.
    least_budget: u64,
    /// The last ones that were used; the newest is at the end.
    open: Mutex<VecDeque<(usize, Arc<Dataset>)>>,
}

impl Files {
    /// Opens each file once and matches it with `T`; `same_fields`: and with the first one.
    pub(super) fn open<T: ReadField>(
        origins: Vec<Origin>,
        path: &str,
        options: &ReadOptions,
        same_fields: bool,
    ) -> Result<Self> {
        let mut files: Option<Self> = None;
        let threads = options.pool.as_ref().map_or(1, |pool| pool.threads().max(1));
        let mut origins = origins.into_iter();
        loop {
            let portion: Vec<Origin> = origins.by_ref().take(threads).collect();
            if portion.is_empty() {
                return files.ok_or_else(|| Error::invalid_argument("a chain needs at least one file"));
            }
            for examined in Examined::all::<T>(portion, path, options) {
                let examined = examined?;
                let files = files.get_or_insert_with(|| Self {
                    path: examined.dataset.path().to_owned(),
                    options: options.clone(),
                    links: Vec::new(),
                    schema: examined.dataset.schema().clone(),
                    least_budget: 0,
                    open: Mutex::default(),
                });
                files.add(examined, same_fields)?;
            }
        }
    }

    fn add(&mut self, examined: Examined, same_fields: bool) -> Result<()> {
        let Examined { origin, dataset, cuts, least_budget } = examined;
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        if let Some(first) = self.links.first().filter(|_| same_fields) {
            let selection = |schema| self.options.selection_in(schema);
            let (ours, theirs) = (selection(&self.schema)?, selection(dataset.schema()).map_err(place)?);
            shape::compare(&self.schema, ours.as_deref(), dataset.schema(), theirs.as_deref(), &first.name)
                .map_err(place)?;
        }
        let start = self.len();
        let Some(end) = start.checked_add(dataset.entry_count()) else {
            return Err(place(Error::limit("with this file the chain has over 2^64 entries")));
        };
        self.least_budget = self.least_budget.max(least_budget);
        self.links.push(Link {
            name: origin.name(),
            origin,
            entries: start..end,
            anchor: dataset.anchor().clone(),
            fingerprint: dataset.fingerprint(),
            cuts,
        });
        // A walk begins with the first ones.
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        if open.len() < self.options.open_files {
            open.push_front((self.links.len() - 1, dataset));
        }
        Ok(())
    }

    /// Number of entries.
    pub(in crate::reader) fn len(&self) -> u64 {
        self.links.last().map_or(0, |link| link.entries.end)
    }

    pub(in crate::reader) fn path(&self) -> &str {
        &self.path
    }

    /// What an error calls all of them.
    pub(in crate::reader) fn name(&self) -> String {
        match &*self.links {
            [one] => one.name.clone(),
            links => format!("{} files", links.len()),
        }
    }

    #[cfg(feature = "rayon")]
    pub(in crate::reader) fn least_budget(&self) -> u64 {
        self.least_budget
    }

    pub(super) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The clusters of all files.
    pub(in crate::reader) fn cuts(&self) -> impl Iterator<Item = Cut> {
        self.links.iter().flat_map(|link| link.cuts.iter().copied())
    }

    /// Name and entries of a file.
    pub(super) fn get(&self, index: usize) -> Option<(&str, Range<u64>)> {
        self.links.get(index).map(|link| (&*link.name, link.entries.clone()))
    }

    pub(in crate::reader) fn count(&self) -> usize {
        self.links.len()
    }

    /// The position of the file that has an entry.
    pub(super) fn position(&self, entry: u64) -> Option<usize> {
        // Files without entries end where the next one begins, and so do not come behind the entry.
        let index = self.links.partition_point(|link| link.entries.end <= entry);
        (index < self.links.len()).then_some(index)
    }

    /// What an error calls an entry.
    pub(in crate::reader) fn describe(&self, entry: u64) -> String {
        match self.position(entry).and_then(|index| self.get(index)) {
            Some((name, entries)) => format!("entry {} of {name}", entry - entries.start),
            None => format!("entry {entry}"),
        }
    }

    /// The ntuple that has an entry, and the number of its first one; `None` beyond the last one. Where there are no
    /// entries at all, the first ntuple stands for entry 0.
    pub(in crate::reader) fn at(&self, entry: u64) -> Option<Result<(Arc<Dataset>, u64)>> {
        let index = self.position(entry).or((entry == 0).then_some(0))?;
        let (_, entries) = self.get(index)?;
        let dataset = self.dataset(index).map_err(|error| error.at_entry(entry - entries.start));
        Some(dataset.map(|dataset| (dataset, entries.start)))
    }

    /// A file, opened again if it was closed.
    pub(super) fn dataset(&self, index: usize) -> Result<Arc<Dataset>> {
        if let Some(dataset) = self.take_open(index) {
            return Ok(dataset);
        }
        let Some(link) = self.links.get(index) else {
            return Err(Error::invalid_argument(format!("the chain has no file {index}")));
        };
        let dataset = link.origin.open(&self.path, &self.options).map_err(|error| match error.kind() {
            ErrorKind::Io => error.in_file(&link.name),
            _ => changed(link, error.message()),
        })?;
        let count = link.entries.end - link.entries.start;
        if dataset.entry_count() != count {
            let found = dataset.entry_count();
            return Err(changed(link, &format!("it had {} and has {found}", counted(count, "entry")))
                .in_ntuple(&self.path));
        }
        if dataset.fingerprint() != link.fingerprint || *dataset.anchor() != link.anchor {
            return Err(changed(link, "the description of its ntuple differs").in_ntuple(&self.path));
        }
        let dataset = Arc::new(dataset);
        self.keep(index, dataset.clone());
        Ok(dataset)
    }

    fn take_open(&self, index: usize) -> Option<Arc<Dataset>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let position = open.iter().position(|(number, _)| *number == index)?;
        let newest = open.remove(position)?;
        let dataset = newest.1.clone();
        open.push_back(newest);
        Some(dataset)
    }

    fn keep(&self, index: usize, dataset: Arc<Dataset>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((index, dataset));
        while open.len() > self.options.open_files {
            open.pop_front();
        }
    }

    /// Matches every file with another type.
    pub(in crate::reader) fn check<T: ReadField>(&self, options: &ReadOptions) -> Result<()> {
        for index in 0..self.links.len() {
            Cursor::<T>::connect(Source::One(self.dataset(index)?), options)?;
        }
        Ok(())
    }
}

/// The error of a file that is not what it was when the chain was opened.
#[cold]
fn changed(link: &Link, what: &str) -> Error {
    Error::new(ErrorKind::Io, format!("the file was changed after the chain was opened: {what}"))
        .in_file(&link.name)
}
