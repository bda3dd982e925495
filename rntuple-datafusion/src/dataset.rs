//! Versions of data sets as tables.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{FieldRef, Schema};
#[cfg(feature = "codec")]
use datafusion::common::plan_err;
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics, plan_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::object_store::ObjectStoreUrl;
#[cfg(feature = "codec")]
use datafusion::execution::runtime_env::RuntimeEnv;
use object_store::ObjectMeta;
use object_store::path::Path;
use rntuple::statistics::{self, ElementStatistics};
use rntuple::storage::without_secrets;
use rntuple::{Dataset, EntryList};
use rntuple_dataset::Snapshot;

#[cfg(feature = "codec")]
use crate::codec::has_one_host;
use crate::error::external;
use crate::facts;
#[cfg(feature = "codec")]
use crate::files::own_statistics;
use crate::files::{OpenFiles, Origin};
use crate::options::TableOptions;
use crate::stores;
use crate::table::RNTupleTable;

/// If the index of bounds knows of more fragments than this not whether their rows are sorted, none is asked: each is a
/// request.
const MOST_ASKED: usize = 256;

/// A plan has no more bounds of fragments than this. The others are looked for when a fragment is reached.
const MOST_BOUNDS: usize = 1 << 16;

impl RNTupleTable {
    /// Takes one version of a data set: without rows that are deleted, with columns that are in files of their own.
    ///
    /// # Errors
    /// The first fragment cannot be opened.
    pub async fn snapshot(snapshot: &Snapshot, options: TableOptions) -> Result<Self> {
        let origin = Arc::new(Fragments::of(snapshot.clone()));
        let files = origin.metas();
        let open = Arc::new(OpenFiles::default());
        // Of one with rows, it can be asked later what an index of bounds says of others.
        let first = files.iter().find(|file| origin.rows(file) != Some(0)).or(files.first());
        let schema = match first {
            None => Arc::new(Schema::empty()),
            Some(first) => {
                let (open, origin, options, first) =
                    (open.clone(), origin.clone(), options.clone(), first.clone());
                let work = move || open.open(&first, origin.as_ref(), &options);
                let file = tokio::task::spawn_blocking(work).await;
                file.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??.columns.schema.clone()
            }
        };
        let url = store_of(snapshot.location().root())?;
        let (asked, of_table) = (origin.clone(), schema.clone());
        let known = tokio::task::spawn_blocking(move || {
            let order = facts::sortable(&sorted_by(&asked.snapshot)?, &of_table);
            let files = asked.with_statistics(files, &order, &of_table)?;
            Ok::<_, DataFusionError>((files, order))
        });
        let known = known.await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
        let (files, order) = known?;
        Ok(Self::new(url, files, schema.clone(), options, open, Some(origin.clone())).with_order(order))
    }
}

/// The columns that the rows of all fragments are in order of.
fn sorted_by(snapshot: &Snapshot) -> Result<Vec<String>> {
    let order = snapshot.sort_order();
    if order.is_empty() {
        return Ok(order);
    }
    let known = snapshot.sorted_in_index().map_err(external)?;
    let unknown = || known.iter().enumerate().filter(|(_, is_sorted)| !**is_sorted);
    if unknown().count() > MOST_ASKED {
        return Ok(Vec::new());
    }
    for (position, _) in unknown() {
        if !snapshot.is_fragment_sorted(position).map_err(external)? {
            return Ok(Vec::new());
        }
    }
    Ok(order)
}

/// The store of a folder, as DataFusion names it.
fn store_of(root: &str) -> Result<ObjectStoreUrl> {
    match stores::store_of(root) {
        Some(store) => ObjectStoreUrl::parse(store),
        None => Ok(ObjectStoreUrl::local_filesystem()),
    }
}

/// Checks that a path or a URL, which a plan or a manifest names, is in a store that is registered.
#[cfg(feature = "codec")]
fn check_store(url: &str, runtime: &RuntimeEnv) -> Result<()> {
    if !has_one_host(url) {
        return plan_err!("{:?} does not say clearly which host it is of", without_secrets(url));
    }
    runtime.object_store(store_of(url)?).map(|_| ())
}

/// The fragments of a version, each as a file.
pub(crate) struct Fragments {
    snapshot: Snapshot,
    positions: HashMap<Path, usize>,
    find_statistics: Box<FindStatistics>,
    /// By the path of a field: what the index of bounds says of it, by fragment.
    bounds: Mutex<HashMap<String, Arc<Vec<Option<ElementStatistics>>>>>,
}

type FindStatistics = dyn Fn(&Dataset) -> rntuple::Result<Option<statistics::Statistics>> + Send + Sync;

impl Fragments {
    pub(crate) fn of(snapshot: Snapshot) -> Self {
        let ids = snapshot.fragments().iter().enumerate();
        let positions = ids.map(|(position, fragment)| (name(fragment.id), position)).collect();
        let find_statistics = Box::new(snapshot.find_statistics());
        Self { snapshot, positions, find_statistics, bounds: Mutex::default() }
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

    /// The fragments that have rows, each with the number of them and what is known of their values. That is first what
    /// the rows are in order of, by which fragments follow one another.
    fn with_statistics(
        &self,
        metas: Vec<ObjectMeta>,
        order: &[String],
        schema: &Schema,
    ) -> Result<Vec<PartitionedFile>> {
        if metas.len().saturating_mul(schema.fields().len()) > facts::MOST_COLUMNS {
            let has_rows = |meta: &ObjectMeta| self.rows(meta) != Some(0);
            return Ok(metas.into_iter().filter(has_rows).map(PartitionedFile::new_from_meta).collect());
        }
        let mut columns: Vec<(usize, &FieldRef)> =
            schema.fields().iter().enumerate().filter(|(_, field)| facts::is_plain(field)).collect();
        columns.sort_by_key(|(_, field)| !order.contains(field.name()));
        columns.truncate((MOST_BOUNDS / metas.len().max(1)).max(order.len()));
        let rows = |meta: &ObjectMeta| {
            let mut statistics = Statistics::new_unknown(schema);
            if let Some(rows) = self.rows(meta) {
                statistics.num_rows = Precision::Exact(usize::try_from(rows).unwrap_or(usize::MAX));
            }
            statistics
        };
        let mut known: Vec<Statistics> = metas.iter().map(rows).collect();
        for (column, field) in columns {
            let bounds = self.bounds_of(field.name())?;
            for (meta, statistics) in metas.iter().zip(&mut known) {
                let found = bounds.get(self.position(meta)?).and_then(Option::as_ref);
                let found = found.and_then(|found| facts::bounds(found, field.data_type()));
                if let (Some(slot), Some(found)) = (statistics.column_statistics.get_mut(column), found) {
                    *slot = found;
                }
            }
        }
        let file = |(meta, statistics): (ObjectMeta, Statistics)| {
            PartitionedFile::new_from_meta(meta).with_statistics(Arc::new(statistics))
        };
        let has_rows = |(_, known): &(ObjectMeta, Statistics)| known.num_rows != Precision::Exact(0);
        Ok(metas.into_iter().zip(known).filter(has_rows).map(file).collect())
    }

    /// What the index of bounds says of a field, by fragment.
    fn bounds_of(&self, path: &str) -> Result<Arc<Vec<Option<ElementStatistics>>>> {
        let bounds = || self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = bounds().get(path) {
            return Ok(known.clone());
        }
        let found = Arc::new(self.snapshot.bounds_of(path).map_err(external)?);
        bounds().insert(path.to_owned(), found.clone());
        Ok(found)
    }

    fn position(&self, file: &ObjectMeta) -> Result<usize> {
        let found = self.positions.get(&file.location).copied();
        found.ok_or_else(|| {
            let version = self.snapshot.version();
            plan_datafusion_err!("version {version} of the data set has no {}", file.location)
        })
    }

    /// How many rows there are, if the manifest says how many are deleted.
    fn rows(&self, file: &ObjectMeta) -> Option<u64> {
        let fragment = self.snapshot.fragments().get(self.position(file).ok()?)?;
        if !fragment.states_deleted_rows() {
            return None;
        }
        fragment.physical_rows.checked_sub(fragment.deleted_rows())
    }
}

impl fmt::Debug for Fragments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fragments").field(&self.snapshot).finish()
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

    fn bounds(&self, file: &ObjectMeta, path: &str) -> Result<Option<ElementStatistics>> {
        let position = self.position(file)?;
        Ok(self.bounds_of(path)?.get(position).cloned().flatten())
    }

    fn statistics(&self, file: &Dataset) -> rntuple::Result<Option<statistics::Statistics>> {
        (self.find_statistics)(file)
    }

    fn place(&self) -> String {
        place(self.snapshot.location().root(), self.snapshot.version())
    }

    fn snapshot(&self) -> Option<(String, u64)> {
        Some((without_secrets(self.snapshot.location().root()), self.snapshot.version()))
    }
}

/// The fragments of a version that a plan names, which is opened when the first of them is.
#[cfg(feature = "codec")]
#[derive(Debug)]
pub(crate) struct Late {
    root: String,
    version: u64,
    runtime: Arc<RuntimeEnv>,
    found: Mutex<Option<Arc<Fragments>>>,
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
        let runtime = context.runtime_env();
        check_store(&root, &runtime)?;
        Ok(Self { root, version, runtime, found: Mutex::default() })
    }

    fn fragments(&self) -> Result<Arc<Fragments>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// Opens a fragment. A manifest may name files that are elsewhere than its data set: they are in a store that is registered
    /// as well.
    fn open(&self, file: &ObjectMeta) -> Result<Arc<Dataset>> {
        let fragments = self.fragments()?;
        let (snapshot, position) = (&fragments.snapshot, fragments.position(file)?);
        let files = snapshot.fragments().get(position).map_or(&[][..], |fragment| &fragment.files);
        for file in files {
            check_store(&snapshot.location().data_file(&file.path), &self.runtime)?;
        }
        fragments.open(file)
    }

    fn live(&self, file: &ObjectMeta) -> Result<Option<EntryList>> {
        self.fragments()?.live(file)
    }

    fn bounds(&self, file: &ObjectMeta, path: &str) -> Result<Option<ElementStatistics>> {
        self.fragments()?.bounds(file, path)
    }

    fn statistics(&self, file: &Dataset) -> rntuple::Result<Option<statistics::Statistics>> {
        match self.fragments() {
            Ok(fragments) => fragments.statistics(file),
            // The file is open: without the data set, its own are left.
            Err(_) => own_statistics(file),
        }
    }

    fn place(&self) -> String {
        place(&self.root, self.version)
    }

    fn snapshot(&self) -> Option<(String, u64)> {
        Some((self.root.clone(), self.version))
    }
}
