//! Writing the rows of a query to files: `COPY .. TO 'skim.root'`.

use std::collections::HashMap;
use std::fmt;
use std::io::Read as _;
use std::path::Path as FilePath;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::write::demux::DemuxedStreamReceiver;
use datafusion::datasource::file_format::write::get_writer_schema;
use datafusion::datasource::physical_plan::{FileSink, FileSinkConfig};
use datafusion::datasource::sink::DataSink;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, WriteMultipart};
use rntuple::WriteOptions;
use rntuple::compression::Compression;
use rntuple_arrow::{ArrowOptions, ArrowWriter, Nulls};
use tokio::sync::mpsc::Receiver;

use crate::columns::with_items;
use crate::error::external;
use crate::files::local_path;

/// The name of an ntuple that is written without another name.
const NTUPLE: &str = "Events";

/// Bytes that are sent to a store at once.
const PART: usize = 8 << 20;

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
    pub(crate) fn new(config: FileSinkConfig, ntuple: Option<String>, write: WriteSettings) -> Self {
        Self { config, ntuple, write }
    }
}

#[async_trait]
impl FileSink for RNTupleSink {
    fn config(&self) -> &FileSinkConfig {
        &self.config
    }

    async fn spawn_writer_tasks_and_join(
        &self,
        _: &Arc<TaskContext>,
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
            tasks.spawn(target.fill(batches));
        }
        let joined = |error| DataFusionError::ExecutionJoin(Box::new(error));
        let mut rows = 0;
        while let Some(written) = tasks.join_next().await {
            rows += written.map_err(joined)??;
        }
        demux_task.join_unwind().await.map_err(joined)??;
        Ok(rows)
    }
}

/// A file that is written.
struct Target {
    local: Option<std::path::PathBuf>,
    store: Arc<dyn ObjectStore>,
    path: Path,
    schema: SchemaRef,
    ntuple: String,
    write: WriteSettings,
}

impl Target {
    /// Writes batches as they come. Returns the number of rows.
    async fn fill(self, batches: Receiver<RecordBatch>) -> Result<u64> {
        let joined = |error| DataFusionError::ExecutionJoin(Box::new(error));
        if let Some(path) = self.local.clone() {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            return tokio::task::spawn_blocking(move || self.write(&path, batches)).await.map_err(joined)?;
        }
        // The first bytes of a ROOT file are written last, and stores take an object from front to back.
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("part.root");
        let (store, to) = (self.store.clone(), self.path.clone());
        let from = path.clone();
        let rows =
            tokio::task::spawn_blocking(move || self.write(&path, batches)).await.map_err(joined)??;
        let mut upload = WriteMultipart::new_with_chunk_size(store.put_multipart(&to).await?, PART);
        if let Err(error) = send(&from, &mut upload).await {
            // A store would keep the parts that it has.
            let _ = upload.abort().await;
            return Err(error);
        }
        upload.finish().await?;
        Ok(rows)
    }

    fn write(&self, path: &FilePath, mut batches: Receiver<RecordBatch>) -> Result<u64> {
        // Functions say of all lists and structs that what is inside may be null, and it never is.
        let schema = if self.write.nested_nulls {
            self.schema.as_ref().clone()
        } else {
            without_nested_nulls(&self.schema)
        };
        let arrow = ArrowOptions::new().nulls(Nulls::Optional);
        let mut writer = ArrowWriter::create(path, &self.ntuple, &schema, self.write.options()?, &arrow)
            .map_err(external)?;
        while let Some(batch) = batches.blocking_recv() {
            writer.write(&batch).map_err(|error| {
                let advice = "option 'format.nested_nulls' keeps nulls that are inside of lists and structs";
                external(error).context(advice)
            })?;
        }
        Ok(writer.finish().map_err(external)?.entries)
    }
}

/// Sends the bytes of a file, in parts.
async fn send(from: &FilePath, upload: &mut WriteMultipart) -> Result<()> {
    let mut file = std::fs::File::open(from)?;
    let mut buffer = vec![0; PART];
    loop {
        let length = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        upload.wait_for_capacity(2).await?;
        upload.write(bytes);
    }
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
