//! Files as a source of DataFusion: what of a query is done while they are read.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroupPartitioner, FileOpenFuture, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{
    DynamicFilterTracking, LexOrdering, PhysicalExpr, conjunction, conjunction_opt, split_conjunction,
};
use datafusion::physical_expr_adapter::{
    DefaultPhysicalExprAdapterFactory, PhysicalExprAdapterFactory, replace_columns_with_literals,
};
use datafusion::physical_expr_common::physical_expr::snapshot_physical_expr;
use datafusion::physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, apply_expression_roots};
use datafusion::scalar::ScalarValue;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use object_store::ObjectStore;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::files::{Objects, OpenFile, OpenFiles, Origin};
use crate::foreseen::{is_excluded_by_origin, is_excluded_by_plan};
use crate::metrics::ScanMetrics;
use crate::options::TableOptions;
use crate::scan::{Handful, Rows, Scan};
use crate::used::Wanted;

/// How often batches are handed over before they are asked for.
const AHEAD: usize = 2;

/// A limit of no more rows than this is work for one thread.
const FEW_ROWS: usize = 8192;

/// RNTuple files as a source of DataFusion.
#[derive(Clone)]
pub(crate) struct RNTupleSource {
    schema: TableSchema,
    pub(crate) options: TableOptions,
    pub(crate) filter: Option<Arc<dyn PhysicalExpr>>,
    projection: ProjectionExprs,
    /// What is looked at of each column of the projection; empty: all.
    pub(crate) wanted: Vec<Wanted>,
    batch_size: usize,
    metrics: ExecutionPlanMetricsSet,
    pub(crate) files: Arc<OpenFiles>,
    /// `None`: objects of the store that DataFusion knows.
    pub(crate) origin: Option<Arc<dyn Origin>>,
}

impl RNTupleSource {
    pub(crate) fn new(schema: TableSchema, options: TableOptions, files: Arc<OpenFiles>) -> Self {
        let all: Vec<usize> = (0..schema.table_schema().fields().len()).collect();
        Self {
            projection: ProjectionExprs::from_indices(&all, schema.table_schema()),
            schema,
            options,
            filter: None,
            wanted: Vec::new(),
            batch_size: 8192,
            metrics: ExecutionPlanMetricsSet::new(),
            files,
            origin: None,
        }
    }

    /// Takes files from elsewhere than the store.
    pub(crate) fn with_origin(self, origin: Arc<dyn Origin>) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Reads no more than this of each column of the projection.
    pub(crate) fn with_wanted(self, wanted: Vec<Wanted>) -> Self {
        Self { wanted, ..self }
    }

    /// The filter, where a scan ends after `limit` rows of it. What becomes known of it only while a query runs comes from
    /// what is above that limit: it says which of those rows count, not which rows are the first ones.
    pub(crate) fn filter_within(&self, limit: Option<usize>) -> Option<Arc<dyn PhysicalExpr>> {
        let filter = self.filter.as_ref()?;
        if limit.is_none() {
            return Some(filter.clone());
        }
        let is_static =
            |part: &&Arc<dyn PhysicalExpr>| !DynamicFilterTracking::classify(part).contains_dynamic_filter();
        let parts = split_conjunction(filter);
        conjunction_opt(parts.into_iter().filter(is_static).cloned())
    }

    /// With a filter that a plan was sent with.
    #[cfg(feature = "codec")]
    pub(crate) fn with_filter(self, filter: Option<Arc<dyn PhysicalExpr>>) -> Self {
        Self { filter, ..self }
    }
}

impl FileSource for RNTupleSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let adapters = config.expr_adapter_factory.clone();
        let objects =
            || Objects { store, url: config.object_store_url.clone(), ntuple: self.options.ntuple.clone() };
        Ok(Arc::new(Opener {
            source: Self { filter: self.filter_within(config.limit), ..self.clone() },
            origin: self.origin.clone().unwrap_or_else(|| Arc::new(objects())),
            adapters: adapters.unwrap_or_else(|| Arc::new(DefaultPhysicalExprAdapterFactory)),
            limit: config.limit,
            metrics: ScanMetrics::new(&self.metrics, partition),
        }))
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_size, ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.filter.clone()
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "rntuple"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(filter) = &self.filter {
            write!(f, ", predicate={filter}")?;
        }
        for (column, wanted) in self.projection.iter().zip(&self.wanted) {
            if let Some(paths) = wanted.as_ref().filter(|paths| !paths.is_empty()) {
                let paths: Vec<_> = paths.iter().map(|path| path.join(".")).collect();
                write!(f, ", members of {}=[{}]", column.alias, paths.join(", "))?;
            }
        }
        Ok(())
    }

    /// Parts of files, for as many threads; but for a few rows, of which each thread would read a cluster.
    fn repartitioned(
        &self,
        partitions: usize,
        min_size: usize,
        order: Option<LexOrdering>,
        config: &FileScanConfig,
    ) -> Result<Option<FileScanConfig>> {
        if config.limit.is_some_and(|limit| limit <= FEW_ROWS) {
            return Ok(None);
        }
        let groups = FileGroupPartitioner::new()
            .with_target_partitions(partitions)
            .with_repartition_file_min_size(min_size)
            .with_preserve_order_within_groups(order.is_some())
            .repartition_file_groups(&config.file_groups);
        Ok(groups.map(|groups| FileScanConfigBuilder::from(config.clone()).with_file_groups(groups).build()))
    }

    /// All filters are evaluated here: their columns are read first, and those of the result for the rows that are left.
    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let answers = vec![PushedDown::Yes; filters.len()];
        // Of no filter at all there is nothing to be evaluated.
        let filters: Vec<_> = self.filter.iter().cloned().chain(filters).collect();
        let filter = (!filters.is_empty()).then(|| conjunction(filters));
        let source: Arc<dyn FileSource> = Arc::new(Self { filter, ..self.clone() });
        Ok(FilterPushdownPropagation::with_parent_pushdown_result(answers).with_updated_node(source))
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let projection = self.projection.try_merge(projection)?;
        // What was looked at of other columns is not what is looked at of these.
        Ok(Some(Arc::new(Self { projection, wanted: Vec::new(), ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let projection = self.projection.iter().map(|column| &column.expr);
        apply_expression_roots(self.filter.iter().chain(projection), f)
    }
}

/// Opens files, and reads them on threads that may wait.
struct Opener {
    source: RNTupleSource,
    origin: Arc<dyn Origin>,
    adapters: Arc<dyn PhysicalExprAdapterFactory>,
    limit: Option<usize>,
    metrics: ScanMetrics,
}

impl FileOpener for Opener {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let (source, origin, adapters) = (self.source.clone(), self.origin.clone(), self.adapters.clone());
        let (limit, metrics) = (self.limit, self.metrics.clone());
        Ok(async move {
            let (sender, receiver) = mpsc::channel::<Handful>(AHEAD);
            let work = on_thread(move || {
                let rows = Rows(sender);
                let scan = source.scan(&part, origin, adapters.as_ref(), limit, metrics, rows.clone());
                let read = scan.and_then(|scan| {
                    let Some(scan) = scan else { return Ok(()) };
                    let clusters = scan.file.entries_of(&part)?;
                    scan.run(&clusters).map_err(|error| of_file(&scan.file, error))
                });
                if let Err(error) = read {
                    rows.give(Err(error));
                }
            })?;
            let batches = stream::unfold((receiver, Some(work)), |(mut receiver, mut work)| async move {
                if let Some(batch) = receiver.recv().await {
                    return Some((batch, (receiver, work)));
                }
                // The thread is done, or has panicked.
                let panicked = work.take()?.await.is_err();
                let error = || exec_datafusion_err!("the thread that reads a file has panicked");
                panicked.then(|| (Err(error()), (receiver, None)))
            });
            let batches = batches.flat_map(|handful| match handful {
                Ok(batches) => stream::iter(batches.into_iter().map(Ok).collect::<Vec<_>>()),
                Err(error) => stream::iter(vec![Err(error)]),
            });
            Ok(batches.boxed())
        }
        .boxed())
    }
}

/// Adds the name of the file to an error of Arrow's, which does not know it.
fn of_file(file: &OpenFile, error: DataFusionError) -> DataFusionError {
    let name = file.dataset.file().name();
    match matches!(error, DataFusionError::ArrowError(..)) && !error.to_string().contains(name) {
        true => error.context(format!("{name}, ntuple {:?}", file.dataset.path())),
        false => error,
    }
}

/// Starts a thread that ends with the work, within the runtime of the caller. It is not one of those that the runtime has for
/// work that waits: a thread waits until its rows are taken, and a merge takes rows of each file in turn, of however many.
fn on_thread(work: impl FnOnce() + Send + 'static) -> Result<oneshot::Receiver<()>> {
    let (done, end) = oneshot::channel();
    let runtime = Handle::current();
    std::thread::Builder::new().name("rntuple-scan".to_owned()).spawn(move || {
        let _runtime = runtime.enter();
        work();
        // The rows may not be wanted any more.
        let _ = done.send(());
    })?;
    Ok(end)
}

impl RNTupleSource {
    /// What is to be done for one file; `None`: nothing, as no row of it can match.
    fn scan(
        &self,
        part: &PartitionedFile,
        origin: Arc<dyn Origin>,
        adapters: &dyn PhysicalExprAdapterFactory,
        limit: Option<usize>,
        metrics: ScanMetrics,
        rows: Rows,
    ) -> Result<Option<Scan>> {
        let values: HashMap<&str, &ScalarValue> = {
            let names = self.schema.table_partition_cols().iter().map(|field| field.name().as_str());
            names.zip(&part.partition_values).collect()
        };
        let with_values = |expr: Arc<dyn PhysicalExpr>| {
            if values.is_empty() { Ok(expr) } else { replace_columns_with_literals(expr, &values) }
        };
        let filter = self.filter.clone().map(with_values).transpose()?;
        let is_excluded = match &filter {
            Some(filter) => self.is_excluded(part, filter, origin.as_ref(), adapters)?,
            None => false,
        };
        metrics.file(is_excluded);
        if is_excluded {
            return Ok(None);
        }
        let file = self.files.open(&part.object_meta, origin.as_ref(), &self.options)?;
        let adapter = adapters.create(self.schema.file_schema().clone(), file.columns.schema.clone())?;
        let of_file = |expr: Arc<dyn PhysicalExpr>| -> Result<Arc<dyn PhysicalExpr>> {
            adapter.rewrite(expr).map_err(|error| {
                let name = file.dataset.file().name();
                exec_datafusion_err!("{name}, ntuple {:?}: {error}", file.dataset.path())
            })
        };
        Ok(Some(Scan {
            filter: filter.map(of_file).transpose()?,
            projection: self.projection.clone().try_map_exprs(|expr| of_file(with_values(expr)?))?,
            wanted: self.wanted.clone(),
            file: file.clone(),
            origin,
            options: self.options.clone(),
            batch_size: self.batch_size,
            limit,
            metrics,
            rows,
        }))
    }

    /// Whether it is known before a file is opened that the filter, as it is now, is true of none of its rows.
    fn is_excluded(
        &self,
        part: &PartitionedFile,
        filter: &Arc<dyn PhysicalExpr>,
        origin: &dyn Origin,
        adapters: &dyn PhysicalExprAdapterFactory,
    ) -> Result<bool> {
        let filter = snapshot_physical_expr(filter.clone())?;
        let schema = self.schema.file_schema();
        if let Some(known) = &part.statistics
            && is_excluded_by_plan(known, schema, &filter)
        {
            return Ok(true);
        }
        // Only data sets know more.
        if origin.snapshot().is_none() {
            return Ok(false);
        }
        let Some(like) = self.files.like(origin, &self.options) else { return Ok(false) };
        let adapter = adapters.create(schema.clone(), like.columns.schema.clone())?;
        is_excluded_by_origin(origin, &part.object_meta, &like, &adapter.rewrite(filter)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::time::{Duration, Instant};

    use datafusion::execution::SessionStateBuilder;
    use datafusion::execution::object_store::ObjectStoreUrl;
    use datafusion::prelude::SessionContext;
    use object_store::ObjectMeta;
    use rntuple::storage::{Memory, ReadAt};
    use rntuple::{Compression, Dataset, EntryList, RNTuple, RootFile, WriteOptions, Writer};

    use super::*;

    #[derive(RNTuple)]
    struct Event {
        number: u64,
        met: f64,
    }

    const CLUSTERS: u16 = 300;
    const PER_CLUSTER: u16 = 100;

    /// Storage that counts reads once it is asked to, and whose first such read may have to wait.
    #[derive(Default)]
    struct Gate {
        bytes: Vec<u8>,
        is_counting: AtomicBool,
        is_closed: AtomicBool,
        reads: AtomicUsize,
    }

    impl ReadAt for Gate {
        fn size(&self) -> u64 {
            self.bytes.size()
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
            if self.is_counting.load(Relaxed) {
                self.reads.fetch_add(1, Relaxed);
                while self.is_closed.load(Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            self.bytes.read_at(offset, buffer)
        }
    }

    #[derive(Debug)]
    struct Opened(Arc<Dataset>);

    impl Origin for Opened {
        fn open(&self, _: &ObjectMeta) -> Result<Arc<Dataset>> {
            Ok(self.0.clone())
        }

        fn live(&self, _: &ObjectMeta) -> Result<Option<EntryList>> {
            Ok(None)
        }

        fn place(&self) -> String {
            "opened".to_owned()
        }
    }

    fn until(is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed().as_secs() < 60);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The reads of a query; of one that is dropped, as soon as there was one.
    async fn reads(bytes: &[u8], query: &str, is_dropped: bool) -> usize {
        let gate = Arc::new(Gate { bytes: bytes.to_vec(), ..Gate::default() });
        let file = RootFile::from_arc(gate.clone()).unwrap();
        let origin = Arc::new(Opened(Arc::new(Dataset::open(&file, "Events").unwrap())));
        let options = TableOptions::new();
        let schema = OpenFile::new(origin.0.clone(), None, &options).unwrap().columns.schema;
        let part = PartitionedFile::new("events.root", gate.size());
        let table = crate::RNTupleTable::new(
            ObjectStoreUrl::local_filesystem(),
            vec![part],
            schema,
            options,
            Arc::default(),
            Some(origin.clone()),
        );
        let config = crate::config().with_target_partitions(1).with_batch_size(PER_CLUSTER.into());
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let context = SessionContext::new_with_state(crate::with_rntuple(builder).build());
        context.register_table("events", Arc::new(table)).unwrap();
        let mut stream = context.sql(query).await.unwrap().execute_stream().await.unwrap();
        drop(context);
        gate.is_closed.store(is_dropped, Relaxed);
        gate.is_counting.store(true, Relaxed);
        if is_dropped {
            assert!(stream.next().now_or_never().is_none(), "{query}");
            until(|| gate.reads.load(Relaxed) > 0);
            drop(stream);
            gate.is_closed.store(false, Relaxed);
        } else {
            while let Some(batch) = stream.next().await {
                batch.unwrap();
            }
            drop(stream);
        }
        // Until its end, the thread has it as well.
        until(|| Arc::strong_count(&origin) == 1);
        gate.reads.load(Relaxed)
    }

    #[tokio::test]
    async fn nothing_is_read_once_no_one_wants_rows() {
        let options = WriteOptions::new().compression(Compression::NONE);
        let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
        for number in 0..CLUSTERS * PER_CLUSTER {
            writer.fill(&Event { number: number.into(), met: 0.5 }).unwrap();
            if number % PER_CLUSTER == PER_CLUSTER - 1 {
                writer.commit_cluster().unwrap();
            }
        }
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        for query in [
            // No row matches, and few do: they are put together before they are handed out.
            "SELECT met FROM events WHERE number % 100 = 200",
            "SELECT number FROM events WHERE number % 100 = 200",
            "SELECT met FROM events WHERE number % 3000 = 7",
            "SELECT met, number FROM events",
        ] {
            let all = reads(&bytes, query, false).await;
            assert!(all >= usize::from(CLUSTERS), "{query}: {all}");
            let some = reads(&bytes, query, true).await;
            assert!(some < 10, "{query}: {some} of {all}");
        }
    }
}
