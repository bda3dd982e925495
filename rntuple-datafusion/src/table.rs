//! Files as a table.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics, plan_err, project_schema};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::{ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::FileScanConfigBuilder;
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt as _};
use rntuple::storage::without_secrets;

use crate::facts;
use crate::files::{Objects, OpenFile, OpenFiles, Origin};
use crate::groups;
use crate::options::TableOptions;
use crate::order;
use crate::patterns;
use crate::source::RNTupleSource;
use crate::stores;

/// Files that are opened at once.
const AT_ONCE: usize = 16;

/// Places that are looked up at once: each takes a request for the head of a file, or for a list of a folder.
const LOOKED_UP_AT_ONCE: usize = 32;

/// Files with the same ntuple as a table: one, a list, the files of a folder or of a pattern, at paths or URLs.
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer};
/// use std::sync::Arc;
/// use rntuple_datafusion::{RNTupleTable, TableOptions, session};
///
/// # #[derive(RNTuple)]
/// # struct Muon { pt: f32 }
/// # #[derive(RNTuple)]
/// # struct Event { run: u32, muons: Vec<Muon> }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # for run in 1..3u32 {
/// #     let path = directory.path().join(format!("run{run}.root"));
/// #     let mut writer = Writer::create(path, "Events", WriteOptions::new())?;
/// #     for number in 0..10u8 {
/// #         writer.fill(&Event { run, muons: vec![Muon { pt: f32::from(number) }] })?;
/// #     }
/// #     writer.finish()?;
/// # }
/// # std::env::set_current_dir(&directory)?;
/// let context = session();
/// let events = RNTupleTable::open(&context.state(), ["run*.root"], TableOptions::new()).await?;
/// context.register_table("events", Arc::new(events))?;
/// let query = "SELECT run, sum(array_sum(array_transform(muons, m -> m['pt']))) AS pt FROM events GROUP BY run ORDER BY run";
/// let batches = context.sql(query).await?.collect().await?;
/// assert_eq!(batches[0].num_rows(), 2);
/// # Ok(())
/// # }
/// ```
///
/// Each file is a table part, and large ones are cut further. Filters are evaluated where the files are read: clusters and
/// pages of which the statistics of a file say that nothing in them matches are skipped, also by filters that are known only
/// while the query runs, and other columns are read only for what matches. Of structs, and of lists of structs, only
/// members that a query looks at are read.
pub struct RNTupleTable {
    pub(crate) url: ObjectStoreUrl,
    pub(crate) files: Vec<PartitionedFile>,
    schema: SchemaRef,
    pub(crate) options: TableOptions,
    open: Arc<OpenFiles>,
    pub(crate) origin: Option<Arc<dyn Origin>>,
    /// The columns that the rows of each file are in order of.
    pub(crate) order: Vec<String>,
    statistics: Statistics,
}

impl RNTupleTable {
    /// Opens the files at paths or URLs, which may be folders or patterns: their files come in the order of their names. Those
    /// of one table are in one object store, which is registered with DataFusion; of Azure, in one container. A file that
    /// several of them lead to is in the table once.
    ///
    /// Of a folder these are the files whose names end in `.root`. Patterns are those of
    /// [`Files::glob`](rntuple::Files::glob): `*` and `?` are for characters of one name, `**` is for folders of any depth. In
    /// a URL, `?name=` begins a query, and of `http`, `https` and `root` URLs, a `?` alone makes no pattern. A name with a `*`
    /// or a `[` is spelled with `%2A` or `%5B` there.
    ///
    /// Patterns and folders are listed; for each other file, the store is asked for its size and its date, which the plan of a
    /// query needs.
    ///
    /// # Errors
    /// There is no such file; one cannot be opened, or has no such ntuple; a pattern leads into over 100 000 folders, or
    /// finds names of over 1 GiB; the path of an `https://` URL has an escaped slash (`%2F`), which would be asked for as
    /// another path; or two have the same column with types of which none has all values of both.
    pub async fn open<P: AsRef<str>>(
        state: &dyn Session,
        paths: impl IntoIterator<Item = P>,
        options: TableOptions,
    ) -> Result<Self> {
        let mut found: Option<(String, ObjectStoreUrl, Arc<dyn ObjectStore>)> = None;
        let mut locations = Vec::new();
        for path in paths {
            let path = patterns::location(&listing_url(path.as_ref()))?;
            let url = match stores::store_of(path.as_str()) {
                Some(store) if path.scheme() != "file" => ObjectStoreUrl::parse(store)?,
                _ => path.object_store(),
            };
            let place = match stores::container_of(path.as_str()) {
                Some(container) => format!("{container} of {url}"),
                None => url.to_string(),
            };
            let store = match &found {
                Some((known, _, store)) if *known == place => store.clone(),
                Some((known, ..)) => {
                    return plan_err!("files of one table are in one store, not in {known} and {place}");
                }
                None => state.runtime_env().object_store(&url)?,
            };
            locations.push(path);
            found = Some((place, url, store));
        }
        let Some((_, url, store)) = found else { return plan_err!("a table needs a file") };
        let stored: &dyn ObjectStore = store.as_ref();
        let listed = |path: ListingTableUrl| async move {
            let (files, pattern) = match path.get_glob() {
                Some(pattern) => {
                    let pattern = pattern.as_str();
                    (patterns::matching(stored, path.prefix(), pattern).await?, pattern)
                }
                None => (list(&path, state, stored).await?, ""),
            };
            if files.is_empty() {
                let place = without_secrets(&format!("{}{pattern}", path.as_str()));
                return plan_err!("there are no files at {place}");
            }
            Ok::<_, DataFusionError>(files)
        };
        let listed = stream::iter(locations).map(listed).buffered(LOOKED_UP_AT_ONCE);
        let listed: Vec<Vec<ObjectMeta>> = listed.try_collect().await?;
        // Its rows are those of one file, however many patterns it matches.
        let mut known = HashSet::new();
        let is_new = |meta: &ObjectMeta| known.insert(meta.location.clone());
        let metas: Vec<ObjectMeta> = listed.into_iter().flatten().filter(is_new).collect();
        let origin = Arc::new(Objects { store, url: url.clone(), ntuple: options.ntuple.clone() });
        Self::over(url, metas, origin, options).await
    }

    async fn over(
        url: ObjectStoreUrl,
        metas: Vec<ObjectMeta>,
        origin: Arc<dyn Origin>,
        options: TableOptions,
    ) -> Result<Self> {
        let open = Arc::new(OpenFiles::default());
        let looked_into = if options.same_schema { metas.get(..1).unwrap_or_default() } else { &metas };
        let (of_open, of_origin, of_options) = (open.clone(), origin.clone(), options.clone());
        let opened = of_each(looked_into.to_vec(), move |meta: ObjectMeta| {
            let file = of_open.open(&meta, of_origin.as_ref(), &of_options)?;
            Ok((meta, file))
        });
        let opened = opened.await?;
        let schemas: Vec<(String, SchemaRef)> = opened
            .iter()
            .map(|(_, file)| (file.dataset.file().name().to_owned(), file.columns.schema.clone()))
            .collect();
        let schema = facts::merge(&schemas)?;
        let count = opened.len();
        let table = schema.clone();
        let known = of_each(opened, move |(meta, file): (ObjectMeta, Arc<OpenFile>)| {
            let statistics = facts::statistics(&file, origin.as_ref(), &table)?;
            let file_order = facts::order(&file, origin.as_ref(), &table);
            Ok((PartitionedFile::new_from_meta(meta).with_statistics(Arc::new(statistics)), file_order))
        });
        let (mut files, orders): (Vec<_>, Vec<_>) = known.await?.into_iter().unzip();
        let order = orders.into_iter().reduce(|one, other| facts::common(one, &other)).unwrap_or_default();
        // Files that were not opened may have another one.
        let order = if count == metas.len() { order } else { Vec::new() };
        files.extend(metas.into_iter().skip(count).map(PartitionedFile::new_from_meta));
        Ok(Self::new(url, files, schema, options, open, None).with_order(order))
    }

    pub(crate) fn new(
        url: ObjectStoreUrl,
        files: Vec<PartitionedFile>,
        schema: SchemaRef,
        options: TableOptions,
        open: Arc<OpenFiles>,
        origin: Option<Arc<dyn Origin>>,
    ) -> Self {
        let unknown = || Arc::new(Statistics::new_unknown(&schema));
        let known = files.iter().map(|file| file.statistics.clone().unwrap_or_else(unknown));
        let known: Vec<Arc<Statistics>> = known.collect();
        let statistics = Statistics::try_merge_iter(known.iter().map(AsRef::as_ref), &schema).ok();
        // In a plan of a stranger they may be about other columns.
        let statistics = statistics.filter(|known| known.column_statistics.len() == schema.fields().len());
        let statistics = statistics.unwrap_or_else(|| Statistics::new_unknown(&schema));
        Self { url, files, schema, options, open, origin, order: Vec::new(), statistics }
    }

    /// Says that the rows of each file are in ascending order of some columns.
    pub(crate) fn with_order(self, order: Vec<String>) -> Self {
        Self { order, ..self }
    }

    /// The columns of a projection, and what is known of the first ones of the order among them, for a plan that has no
    /// statistics of files as it would have too many of them.
    async fn as_projected(
        &self,
        files: &[PartitionedFile],
        projection: Option<&Vec<usize>>,
        order: &[String],
    ) -> Result<Option<Projected>> {
        let has_any = files.iter().any(|file| file.statistics.is_some());
        let Some(origin) = self.origin.clone().filter(|_| !has_any && !order.is_empty()) else {
            return Ok(None);
        };
        let columns = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&columns)?);
        let order = order.iter().take_while(|name| schema.index_of(name).is_ok()).cloned();
        let order: Vec<String> = order.collect();
        if order.is_empty() || files.len().saturating_mul(columns.len()) > facts::MOST_COLUMNS {
            return Ok(None);
        }
        let (files, of_files) = (files.to_vec(), schema.clone());
        let known = move || {
            let known = |file: PartitionedFile| -> Result<PartitionedFile> {
                let mut known = Statistics::new_unknown(&of_files);
                for (field, slot) in of_files.fields().iter().zip(&mut known.column_statistics) {
                    if order.contains(field.name())
                        && let Some(found) = origin.bounds(&file.object_meta, field.name())?
                    {
                        *slot = facts::bounds(&found, field.data_type()).unwrap_or_default();
                    }
                }
                Ok(file.with_statistics(Arc::new(known)))
            };
            let files = files.into_iter().map(known).collect::<Result<Vec<_>>>()?;
            Ok::<_, DataFusionError>((files, order))
        };
        // The index may have to be read.
        let known = tokio::task::spawn_blocking(known).await;
        let (files, order) = known.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        Ok(Some(Projected { schema, columns, files, order }))
    }
}

/// Some columns of a table, as if it had no others.
struct Projected {
    schema: SchemaRef,
    columns: Vec<usize>,
    files: Vec<PartitionedFile>,
    order: Vec<String>,
}

/// Does something that may wait for a network for each of several files, some at once. Returns the results in order.
async fn of_each<I: Send + 'static, O: Send + 'static>(
    items: Vec<I>,
    work: impl Fn(I) -> Result<O> + Send + Sync + 'static,
) -> Result<Vec<O>> {
    let work = Arc::new(work);
    let of_one = |item| {
        let work = work.clone();
        async move {
            let done = tokio::task::spawn_blocking(move || work(item)).await;
            done.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?
        }
    };
    stream::iter(items).map(of_one).buffered(AT_ONCE).try_collect().await
}

/// The first files, which have that many rows, as far as is known.
fn enough(files: &[PartitionedFile], limit: Option<usize>) -> &[PartitionedFile] {
    let Some(mut left) = limit else { return files };
    let mut count = 0;
    for file in files {
        if left == 0 {
            break;
        }
        let rows = file.statistics.as_ref().map_or(Precision::Absent, |known| known.num_rows);
        if let Precision::Exact(rows) = rows {
            left = left.saturating_sub(rows);
        }
        count += 1;
    }
    files.get(..count).unwrap_or(files)
}

/// Returns a URL as DataFusion takes it: `root://host/path` for `root://host//path`, which is how XRootD spells it.
///
/// [`RNTupleTable::open`](crate::RNTupleTable::open) takes both, and so does `LOCATION` in SQL. `COPY .. TO` is
/// DataFusion's own.
///
/// ```
/// use rntuple_datafusion::listing_url;
/// assert_eq!(listing_url("root://host:1094//data/run1.root"), "root://host:1094/data/run1.root");
/// ```
#[must_use]
pub fn listing_url(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return url.into() };
    // In other stores, an empty name of a folder is a name.
    if !matches!(scheme, "root" | "roots" | "xroot" | "xroots") {
        return url.into();
    }
    match rest.split_once('/') {
        Some((host, path)) if path.starts_with('/') => {
            format!("{scheme}://{host}/{}", path.trim_start_matches('/')).into()
        }
        _ => url.into(),
    }
}

/// The files at a path or a URL: one, or those of a folder, in the order of their names. (DataFusion keeps lists of folders as
/// long as a session lives, so that files that came later are not in them, and by paths alone, which are the same in several
/// stores.)
async fn list(
    path: &ListingTableUrl,
    state: &dyn Session,
    store: &dyn ObjectStore,
) -> Result<Vec<ObjectMeta>> {
    let one = match path.is_collection() {
        true => None,
        false => match head(store, path.prefix()).await {
            Ok(meta) => Some(meta),
            // It may be a folder.
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        },
    };
    let (listed, ending): (Vec<ObjectMeta>, &str) = match one {
        Some(meta) => (vec![meta], ""),
        None => (store.list(Some(path.prefix())).try_collect().await?, ".root"),
    };
    let ignores_subdirectories = state.config_options().execution.listing_table_ignore_subdirectory;
    let is_wanted = |meta: &ObjectMeta| {
        meta.location.as_ref().ends_with(ending) && path.contains(&meta.location, ignores_subdirectories)
    };
    let mut wanted: Vec<ObjectMeta> = listed.into_iter().filter(is_wanted).collect();
    // Stores list objects in any order, and the first one gives columns their order.
    wanted.sort_unstable_by(|one, other| one.location.cmp(&other.location));
    Ok(wanted)
}

/// What a store says of an object. It may refuse to say that alone: the signature in a URL may be for `GET`, and some
/// servers have no `HEAD`.
async fn head(store: &dyn ObjectStore, path: &Path) -> object_store::Result<ObjectMeta> {
    match store.head(path).await {
        Err(error) if may_have_refused_head(&error) => {
            let first = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
            Ok(store.get_opts(path, first).await?.meta)
        }
        answer => answer,
    }
}

fn may_have_refused_head(error: &object_store::Error) -> bool {
    use object_store::Error::{Generic, NotFound, PermissionDenied, Unauthenticated};
    match error {
        PermissionDenied { .. } | Unauthenticated { .. } => true,
        // A store of HTTP says of it that there is no such object. Only the text has the status.
        NotFound { source, .. } | Generic { source, .. } => {
            source.to_string().contains("405 Method Not Allowed")
        }
        _ => false,
    }
}

#[async_trait]
impl TableProvider for RNTupleTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let files = enough(&self.files, limit);
        if files.is_empty() {
            return Ok(Arc::new(EmptyExec::new(project_schema(&self.schema, projection)?)));
        }
        let is_all = files.len() == self.files.len();
        let statistics = if is_all { self.statistics.clone() } else { self.statistics.clone().to_inexact() };
        let partitions = state.config().target_partitions();
        let order = if order::is_kept_in(state) { &self.order[..] } else { &[] };
        let (schema, statistics, projection, (groups, order)) =
            match self.as_projected(files, projection, order).await? {
                Some(Projected { schema, columns, files, order }) => {
                    let groups = groups::in_order(&files, &schema, &order, partitions)?;
                    (schema, statistics.project(Some(&columns)), None, groups)
                }
                None => {
                    let groups = groups::in_order(files, &self.schema, order, partitions)?;
                    (self.schema.clone(), statistics, projection.cloned(), groups)
                }
            };
        let schema = TableSchema::from(schema);
        let source = RNTupleSource::new(schema, self.options.clone(), self.open.clone());
        let source = match &self.origin {
            Some(origin) => source.with_origin(origin.clone()),
            None => source,
        };
        let config = FileScanConfigBuilder::new(self.url.clone(), Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(projection)?
            .with_limit(limit)
            .with_output_ordering(order)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }

    /// The plan offers its filters again, as those of its engine, once it is made.
    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Unsupported; filters.len()])
    }

    fn statistics(&self) -> Option<Statistics> {
        Some(self.statistics.clone())
    }
}

impl fmt::Debug for RNTupleTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RNTupleTable")
            .field("store", &self.url)
            .field("files", &self.files.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_xrootd_have_one_slash_for_datafusion() {
        for (url, listed) in [
            ("root://host//data/run*.root", "root://host/data/run*.root"),
            ("roots://me@[::1]:1//a//b?c=//d", "roots://me@[::1]:1/a//b?c=//d"),
            ("xroot://host/data/a.root", "xroot://host/data/a.root"),
            ("root://host", "root://host"),
            ("s3://bucket//a.root", "s3://bucket//a.root"),
            ("//data/a.root", "//data/a.root"),
        ] {
            assert_eq!(listing_url(url), listed);
        }
    }
}
