//! Writing the rows of a query to files: `COPY .. TO 'skim.root'`.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::datasource::file_format::write::demux::DemuxedStreamReceiver;
use datafusion::datasource::file_format::write::get_writer_schema;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::ObjectStore;
use object_store::path::Path;
use rntuple::WriteOptions;
use rntuple::compression::Compression;
use rntuple::storage::without_secrets;
use rntuple_arrow::{ArrowOptions, ArrowWriter, Nulls};
use tokio::sync::mpsc::Receiver;

use crate::columns::with_items;
use crate::error::{external, joined};
use crate::files::local_path;
use crate::stores;

mod upload;

/// The name of an ntuple that is written without another name.
const NTUPLE: &str = "Events";

/// Files that are finished at once.
const AT_ONCE: usize = 4;

/// How files are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WriteSettings {
    pub(crate) compression: Option<String>,
    pub(crate) statistics: bool,
    /// Whether what is in lists and structs may be null.
    pub(crate) nested_nulls: bool,
}

impl Default for WriteSettings {
    fn default() -> Self {
        Self { compression: None, statistics: true, nested_nulls: false }
    }
}

impl WriteSettings {
    /// Reads them as SQL has them; what else there is, is for reading.
    pub(crate) fn from_sql(options: &HashMap<String, String>) -> Result<(Self, HashMap<String, String>)> {
        let (mut write, mut rest) = (Self::default(), HashMap::new());
        for (key, value) in options {
            let flag = || -> Result<bool> {
                let message = || format!("option {key:?} is true or false, not {value:?}");
                value.to_lowercase().parse().map_err(|_| DataFusionError::Configuration(message()))
            };
            match key.strip_prefix("format.").unwrap_or(key) {
                "compression" => {
                    value.parse::<Compression>().map_err(external)?;
                    write.compression = Some(value.clone());
                }
                "statistics" => write.statistics = flag()?,
                "nested_nulls" => write.nested_nulls = flag()?,
                _ => {
                    rest.insert(key.clone(), value.clone());
                }
            }
        }
        Ok((write, rest))
    }

    fn options(&self) -> Result<WriteOptions> {
        let options = WriteOptions::new().statistics(self.statistics);
        Ok(match &self.compression {
            Some(compression) => options.compression(compression.parse().map_err(external)?),
            None => options,
        })
    }
}

/// Writes the rows of a query to files.
pub(crate) struct RNTupleSink {
    config: FileSinkConfig,
    pub(crate) ntuple: Option<String>,
    pub(crate) write: WriteSettings,
}

impl RNTupleSink {
    /// Takes where files go. What grants access is not kept: the store of the session has it, and plans are shown and sent.
    ///
    /// # Errors
    /// A URL is not one without what grants access.
    pub(crate) fn new(
        mut config: FileSinkConfig,
        ntuple: Option<String>,
        write: WriteSettings,
    ) -> Result<Self> {
        config.original_url = without_secrets(&config.original_url);
        if let Some(store) = stores::store_of(config.object_store_url.as_str()) {
            config.object_store_url = ObjectStoreUrl::parse(store)?;
        }
        let public = |path: &ListingTableUrl| {
            let mut url = path.get_url().clone();
            // A URL without a host, of a file, has no user.
            let _ = url.set_username("").and_then(|()| url.set_password(None));
            url.set_query(None);
            url.set_fragment(None);
            ListingTableUrl::try_new(url, path.get_glob().clone())
        };
        config.table_paths = config.table_paths.iter().map(public).collect::<Result<_>>()?;
        Ok(Self { config, ntuple, write })
    }
}

#[async_trait]
impl FileSink for RNTupleSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    /// Files are filled as rows come, and get their names once it is known that there are no more rows: their streams end in
    /// the same way if the query fails.
    async fn spawn_writer_tasks_and_join(
        &self,
        context: &Arc<TaskContext>,
        demux_task: SpawnedTask<Result<()>>,
        mut files: DemuxedStreamReceiver,
        store: Arc<dyn ObjectStore>,
    ) -> Result<u64> {
        let mut tasks = JoinSet::new();
        while let Some((path, batches)) = files.recv().await {
            let target = Target {
                local: local_path(&self.config.object_store_url, &path)?,
                store: store.clone(),
                path,
                schema: get_writer_schema(&self.config),
                ntuple: self.ntuple.clone().unwrap_or_else(|| NTUPLE.to_owned()),
                write: self.write.clone(),
            };
            tasks.spawn(target.fill(context.runtime_env(), batches));
        }
        let mut filled = Vec::new();
        while let Some(file) = tasks.join_next().await {
            filled.push(file.map_err(joined)??);
        }
        demux_task.join_unwind().await.map_err(joined)??;
        let finished = stream::iter(filled).map(Filled::finish).buffer_unordered(AT_ONCE);
        finished.try_fold(0, async |rows, more| Ok(rows + more)).await
    }
}

/// A file that is written.
struct Target {
    local: Option<PathBuf>,
    store: Arc<dyn ObjectStore>,
    path: Path,
    schema: SchemaRef,
    ntuple: String,
    write: WriteSettings,
}

/// A file that has all its rows, and not yet its name.
struct Filled {
    target: Target,
    writer: ArrowWriter,
    /// What is sent to a store: the first bytes of a ROOT file are written last, and stores take an object from front to back.
    scratch: Option<Scratch>,
}

/// A file on the disk that a query may use.
type Scratch = Arc<dyn SpillFile>;

impl Target {
    /// Writes batches as they come. No thread waits for them: there may be more files than threads.
    async fn fill(self, runtime: Arc<RuntimeEnv>, mut batches: Receiver<RecordBatch>) -> Result<Filled> {
        let scratch = match &self.local {
            Some(_) => None,
            None => Some(runtime.disk_manager.create_tmp_file("writing a file for an object store")?),
        };
        let create = move || {
            let writer = self.create(scratch.as_ref())?;
            Ok(Filled { target: self, writer, scratch })
        };
        let mut filled = wait(create).await?;
        while let Some(batch) = batches.recv().await {
            filled = wait(move || filled.with(&batch)).await?;
        }
        Ok(filled)
    }

    fn create(&self, scratch: Option<&Scratch>) -> Result<ArrowWriter> {
        let path = match &self.local {
            Some(path) => path.as_path(),
            None => scratch_path(scratch)?,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Functions say of all lists and structs that what is inside may be null, and it never is.
        let schema = if self.write.nested_nulls {
            self.schema.as_ref().clone()
        } else {
            without_nested_nulls(&self.schema)
        };
        let arrow = ArrowOptions::new().nulls(Nulls::Optional);
        ArrowWriter::create(path, &self.ntuple, &schema, self.write.options()?, &arrow).map_err(external)
    }
}

impl Filled {
    fn with(mut self, batch: &RecordBatch) -> Result<Self> {
        self.writer.write(batch).map_err(|error| {
            let advice = "option 'format.nested_nulls' keeps nulls that are inside of lists and structs";
            external(error).context(advice)
        })?;
        Ok(self)
    }

    /// Gives the file its name. Returns the number of rows.
    async fn finish(self) -> Result<u64> {
        let Self { target, writer, scratch } = self;
        let rows = wait(move || Ok(writer.finish().map_err(external)?.entries)).await?;
        let Some(scratch) = scratch else { return Ok(rows) };
        upload::send(scratch_path(Some(&scratch))?, target.store.as_ref(), &target.path).await?;
        Ok(rows)
    }
}

fn scratch_path(scratch: Option<&Scratch>) -> Result<&FilePath> {
    let path = scratch.and_then(|scratch| scratch.path());
    path.ok_or_else(|| {
        exec_datafusion_err!("a file for an object store needs a local disk for scratch files")
    })
}

/// Does something that may wait for a disk.
async fn wait<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(joined)?
}

/// The schema in which nothing inside of a column is null.
fn without_nested_nulls(schema: &Schema) -> Schema {
    fn inside(field: &Field) -> FieldRef {
        Arc::new(Field::new(field.name(), with_items(field.data_type(), &inside), false))
    }
    let column =
        |field: &FieldRef| field.as_ref().clone().with_data_type(with_items(field.data_type(), &inside));
    Schema::new(schema.fields().iter().map(column).collect::<Vec<_>>())
}

#[async_trait]
impl DataSink for RNTupleSink {
    fn schema(&self) -> &SchemaRef {
        self.config.output_schema()
    }

    async fn write_all(&self, data: SendableRecordBatchStream, context: &Arc<TaskContext>) -> Result<u64> {
        FileSink::write_all(self, data, context).await
    }
}

impl fmt::Debug for RNTupleSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RNTupleSink").field("to", &self.config.original_url).finish_non_exhaustive()
    }
}

impl DisplayAs for RNTupleSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RNTupleSink(to={})", self.config.original_url)
    }
}
