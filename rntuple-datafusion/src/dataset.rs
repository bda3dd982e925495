//! Versions of data sets as tables.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::Schema;
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics, plan_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::object_store::ObjectStoreUrl;
use object_store::ObjectMeta;
use object_store::path::Path;
use rntuple::{Dataset, EntryList};
use rntuple_dataset::Snapshot;

use crate::error::external;
use crate::facts;
use crate::files::{OpenFiles, Origin};
use crate::options::TableOptions;
use crate::table::RNTupleTable;

/// Of more fragments than this, none is asked whether its rows are sorted: each is a request.
const MOST_ASKED: usize = 256;

impl RNTupleTable {
    /// Takes one version of a data set: without rows that are deleted, with columns that are in files of their own.
    ///
    /// # Errors
    /// The first fragment cannot be opened.
    pub async fn snapshot(snapshot: &Snapshot, options: TableOptions) -> Result<Self> {
        let origin = Arc::new(Fragments::of(snapshot.clone()));
        let files = origin.metas();
        let open = Arc::new(OpenFiles::default());
        let schema = match files.first() {
            None => Arc::new(Schema::empty()),
            Some(first) => {
                let (open, origin, options, first) =
                    (open.clone(), origin.clone(), options.clone(), first.clone());
                let work = move || open.open(&first, origin.as_ref(), &options);
                let file = tokio::task::spawn_blocking(work).await;
                file.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??.columns.schema.clone()
            }
        };
        let rows = |meta: ObjectMeta| {
            let mut statistics = Statistics::new_unknown(&schema);
            if let Some(rows) = origin.rows(&meta) {
                statistics.num_rows = Precision::Exact(usize::try_from(rows).unwrap_or(usize::MAX));
            }
            PartitionedFile::new_from_meta(meta).with_statistics(Arc::new(statistics))
        };
        let files = files.into_iter().map(rows).collect();
        let url = store_of(snapshot.location().root())?;
        let asked = snapshot.clone();
        let order = tokio::task::spawn_blocking(move || sorted_by(&asked)).await;
        let order = order.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        let order = facts::sortable(&order, &schema);
        Ok(Self::new(url, files, schema.clone(), options, open, Some(origin.clone())).with_order(order))
    }
}

/// The columns that the rows of all fragments are in order of.
fn sorted_by(snapshot: &Snapshot) -> Result<Vec<String>> {
    let order = snapshot.sort_order();
    let fragments = snapshot.fragments().len();
    if order.is_empty() || fragments > MOST_ASKED {
        return Ok(Vec::new());
    }
    for position in 0..fragments {
        if !snapshot.is_fragment_sorted(position).map_err(external)? {
            return Ok(Vec::new());
        }
    }
    Ok(order)
}

/// The store of a folder, as DataFusion names it.
fn store_of(root: &str) -> Result<ObjectStoreUrl> {
    let Some((scheme, rest)) = root.split_once("://") else { return Ok(ObjectStoreUrl::local_filesystem()) };
    let host = rest.split('/').next().unwrap_or_default();
    ObjectStoreUrl::parse(format!("{scheme}://{host}"))
}

/// The fragments of a version, each as a file.
#[derive(Debug)]
pub(crate) struct Fragments {
    pub(crate) snapshot: Snapshot,
    positions: HashMap<Path, usize>,
}

impl Fragments {
    pub(crate) fn of(snapshot: Snapshot) -> Self {
        let ids = snapshot.fragments().iter().enumerate();
        let positions = ids.map(|(position, fragment)| (name(fragment.id), position)).collect();
        Self { snapshot, positions }
    }

    fn metas(&self) -> Vec<ObjectMeta> {
        let meta = |fragment: &rntuple_dataset::format::DataFragment| ObjectMeta {
            location: name(fragment.id),
            last_modified: Default::default(),
            // Not of one file, but parts of it are cut by it.
            size: fragment.files.iter().map(|file| file.file_size_bytes).sum::<u64>().max(1),
            e_tag: None,
            version: Some(self.snapshot.version().to_string()),
        };
        self.snapshot.fragments().iter().map(meta).collect()
    }

    fn position(&self, file: &ObjectMeta) -> Result<usize> {
        let found = self.positions.get(&file.location).copied();
        found.ok_or_else(|| {
            let version = self.snapshot.version();
            plan_datafusion_err!("version {version} of the data set has no {}", file.location)
        })
    }

    /// How many rows there are.
    fn rows(&self, file: &ObjectMeta) -> Option<u64> {
        let fragment = self.snapshot.fragments().get(self.position(file).ok()?)?;
        fragment.physical_rows.checked_sub(fragment.deleted_rows())
    }
}

/// What a fragment is called among files.
fn name(fragment: u64) -> Path {
    Path::from(format!("fragment-{fragment}"))
}

/// Where the fragments of a version are.
fn place(root: &str, version: u64) -> String {
    format!("{root}@{version}")
}

impl Origin for Fragments {
    fn open(&self, file: &ObjectMeta) -> Result<Arc<Dataset>> {
        self.snapshot.fragment(self.position(file)?).map_err(external)
    }

    fn live(&self, file: &ObjectMeta) -> Result<Option<EntryList>> {
        self.snapshot.live_in(self.position(file)?).map_err(external)
    }

    fn place(&self) -> String {
        place(self.snapshot.location().root(), self.snapshot.version())
    }

    fn snapshot(&self) -> Option<(String, u64)> {
        Some((self.snapshot.location().root().to_owned(), self.snapshot.version()))
    }
}

/// The fragments of a version that a plan names, which is opened when the first of them is.
#[cfg(feature = "codec")]
#[derive(Debug)]
pub(crate) struct Late {
    root: String,
    version: u64,
    found: std::sync::Mutex<Option<Arc<Fragments>>>,
}

#[cfg(feature = "codec")]
impl Late {
    /// # Errors
    /// The folder is in a store that is not registered: whoever sends a plan names no other place.
    pub(crate) fn new(
        root: String,
        version: u64,
        context: &datafusion::execution::TaskContext,
    ) -> Result<Self> {
        context.runtime_env().object_store(store_of(&root)?)?;
        Ok(Self { root, version, found: std::sync::Mutex::default() })
    }

    fn fragments(&self) -> Result<Arc<Fragments>> {
        let mut found = self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = found.as_ref() {
            return Ok(found.clone());
        }
        let table = rntuple_dataset::Table::open(&self.root).map_err(external)?;
        let fragments = Arc::new(Fragments::of(table.at(self.version).map_err(external)?));
        Ok(found.insert(fragments).clone())
    }
}

#[cfg(feature = "codec")]
impl Origin for Late {
    fn open(&self, file: &ObjectMeta) -> Result<Arc<Dataset>> {
        self.fragments()?.open(file)
    }

    fn live(&self, file: &ObjectMeta) -> Result<Option<EntryList>> {
        self.fragments()?.live(file)
    }

    fn place(&self) -> String {
        place(&self.root, self.version)
    }

    fn snapshot(&self) -> Option<(String, u64)> {
        Some((self.root.clone(), self.version))
    }
}
