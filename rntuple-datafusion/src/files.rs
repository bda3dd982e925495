//! Files that are open: what a scan needs to know of each, kept for the next one.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use datafusion::common::{Result, exec_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::object_store::ObjectStoreUrl;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use rntuple::schema::Locator;
use rntuple::{Dataset, EntryList, ReadOptions, Reader, RootFile, Value};
use rntuple_arrow::to_arrow_schema;
use rntuple_object_store::{ObjectFile, Options};

use crate::columns::Columns;
use crate::error::external;
use crate::options::TableOptions;

/// How many files stay open.
const KEPT: usize = 64;

/// Where the ntuple of a file, or of several that are seen as one, comes from.
pub(crate) trait Origin: std::fmt::Debug + Send + Sync {
    /// Opens it. This may wait for a network.
    fn open(&self, file: &ObjectMeta) -> Result<Arc<Dataset>>;

    /// The entries that there are; `None`: all.
    fn live(&self, file: &ObjectMeta) -> Result<Option<EntryList>>;

    /// The folder and the version of the data set that the files are those of.
    fn snapshot(&self) -> Option<(String, u64)> {
        None
    }
}

/// Objects of a store, each with an ntuple.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) url: ObjectStoreUrl,
    pub(crate) ntuple: Option<String>,
}

impl Origin for Objects {
    fn open(&self, meta: &ObjectMeta) -> Result<Arc<Dataset>> {
        let file = match local_path(&self.url, &meta.location)? {
            Some(path) => RootFile::open(path),
            None => {
                let name = format!("{}{}", self.url.as_str(), meta.location);
                let store = self.store.clone();
                let object = ObjectFile::in_store(store, meta.location.clone(), name, &Options::new());
                object.map_err(rntuple::Error::from).and_then(RootFile::from_storage)
            }
        };
        let file = file.map_err(external)?;
        if file.end() > meta.size {
            let message = "is not what it was when the query was planned: its size is another";
            return Err(exec_datafusion_err!("{} {message}", file.name()));
        }
        let path = match &self.ntuple {
            Some(path) => path.clone(),
            None => file.only_ntuple().map_err(external)?.path(),
        };
        Ok(Arc::new(Dataset::open(&file, &path).map_err(external)?))
    }

    fn live(&self, _: &ObjectMeta) -> Result<Option<EntryList>> {
        Ok(None)
    }
}

/// The path of an object, if it is a file of this machine.
pub(crate) fn local_path(url: &ObjectStoreUrl, path: &Path) -> Result<Option<PathBuf>> {
    if url.as_str() != "file:///" {
        return Ok(None);
    }
    Ok(Some(LocalFileSystem::new().path_to_filesystem(path)?))
}

/// An open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) columns: Columns,
    /// The entries that there are; `None`: all.
    pub(crate) live: Option<EntryList>,
    clusters: OnceLock<Vec<Cluster>>,
}

/// A cluster, and where in the file it counts.
#[derive(Debug)]
struct Cluster {
    at: u64,
    entries: Range<u64>,
}

impl OpenFile {
    pub(crate) fn new(
        dataset: Arc<Dataset>,
        live: Option<EntryList>,
        options: &TableOptions,
    ) -> Result<Self> {
        let reader = Reader::<Value>::from_dataset(dataset.clone(), ReadOptions::new()).map_err(external)?;
        let schema = reader.selected_schema().map_err(external)?;
        let arrow = to_arrow_schema(&schema, &options.arrow()).map_err(external)?;
        let columns = Columns::of(&arrow, options.leaves);
        Ok(Self { dataset, columns, live, clusters: OnceLock::new() })
    }

    /// The entries of the clusters that belong to a part of the file: each to the one that has its first page.
    pub(crate) fn entries_of(&self, file: &PartitionedFile) -> Result<Vec<Range<u64>>> {
        let Some(range) = &file.range else {
            let clusters = self.clusters()?.iter().map(|cluster| cluster.entries.clone());
            return Ok(clusters.collect());
        };
        let offset = |offset: i64| u64::try_from(offset).unwrap_or_default();
        let part = offset(range.start)..offset(range.end);
        let last = file.object_meta.size.saturating_sub(1);
        let clusters = self.clusters()?.iter();
        let clusters = clusters.filter(|cluster| part.contains(&cluster.at.min(last)));
        Ok(clusters.map(|cluster| cluster.entries.clone()).collect())
    }

    fn clusters(&self) -> Result<&[Cluster]> {
        if let Some(clusters) = self.clusters.get() {
            return Ok(clusters);
        }
        let mut clusters = Vec::new();
        for cluster in self.dataset.clusters() {
            let cluster = cluster.map_err(external)?;
            let pages = cluster.columns.iter().flat_map(|column| column.pages.iter());
            let offsets = pages.filter_map(|page| match page.locator {
                Locator::File { offset, .. } => Some(offset),
                _ => None,
            });
            let end = cluster.first_entry.saturating_add(cluster.entry_count);
            clusters
                .push(Cluster { at: offsets.min().unwrap_or_default(), entries: cluster.first_entry..end });
        }
        Ok(self.clusters.get_or_init(|| clusters))
    }
}

/// Files that were opened for a table.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles(Mutex<Vec<(ObjectMeta, Arc<OpenFile>)>>);

impl OpenFiles {
    /// Opens a file, or returns one that is open. This may wait for a network.
    pub(crate) fn open(
        &self,
        meta: &ObjectMeta,
        origin: &dyn Origin,
        options: &TableOptions,
    ) -> Result<Arc<OpenFile>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = lock().iter().find(|(known, _)| known == meta) {
            return Ok(file.clone());
        }
        let file = Arc::new(OpenFile::new(origin.open(meta)?, origin.live(meta)?, options)?);
        let mut files = lock();
        if files.len() >= KEPT {
            files.remove(0);
        }
        files.push((meta.clone(), file.clone()));
        Ok(file)
    }
}
