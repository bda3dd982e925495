//! RNTuple as a file format of SQL: listing tables, `COPY .. TO`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{DataFusionError, GetExt, Result, Statistics, not_impl_err};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr_common::sort_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectMeta, ObjectStore};

use crate::facts;
use crate::files::{Objects, OpenFile, OpenFiles};
use crate::options::TableOptions;
use crate::sink::{RNTupleSink, WriteSettings};
use crate::source::RNTupleSource;

/// Makes the format for a name under which SQL looks for it.
#[derive(Debug)]
pub(crate) struct RNTupleFormatFactory {
    pub(crate) name: &'static str,
    /// Those of a `COPY` that is sent: DataFusion sends the factory, and not the options next to it.
    pub(crate) options: BTreeMap<String, String>,
}

impl RNTupleFormatFactory {
    pub(crate) fn named(name: &'static str) -> Self {
        Self { name, options: BTreeMap::new() }
    }
}

impl GetExt for RNTupleFormatFactory {
    fn get_ext(&self) -> String {
        self.name.to_owned()
    }
}

impl FileFormatFactory for RNTupleFormatFactory {
    fn create(&self, _: &dyn Session, options: &HashMap<String, String>) -> Result<Arc<dyn FileFormat>> {
        let mut all = options.clone();
        all.extend(self.options.clone());
        let (write, read) = WriteSettings::from_sql(&all)?;
        Ok(Arc::new(RNTupleFormat::new(TableOptions::from_sql(&read)?, write)))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(RNTupleFormat::new(TableOptions::new(), WriteSettings::default()))
    }
}

/// The format of RNTuple files.
#[derive(Debug)]
pub(crate) struct RNTupleFormat {
    options: TableOptions,
    write: WriteSettings,
    open: Arc<OpenFiles>,
    inferred: Arc<OpenFiles>,
}

impl RNTupleFormat {
    pub(crate) fn new(options: TableOptions, write: WriteSettings) -> Self {
        Self { options, write, open: Arc::default(), inferred: Arc::default() }
    }

    /// Does something with an open file that may wait for a network.
    async fn of_file<T: Send + 'static>(
        &self,
        store: &Arc<dyn ObjectStore>,
        object: &ObjectMeta,
        work: impl FnOnce(&OpenFile, &Objects) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // DataFusion does not say which store this is. So files of this machine are opened as those of any store here, and
        // by their paths when they are read.
        let url = ObjectStoreUrl::parse("unknown://")?;
        let origin = Objects { store: store.clone(), url, ntuple: self.options.ntuple.clone() };
        let (open, object, options) = (self.inferred.clone(), object.clone(), self.options.clone());
        let work = move || work(open.open(&object, &origin, &options)?.as_ref(), &origin);
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?
    }
}

#[async_trait]
impl FileFormat for RNTupleFormat {
    fn get_ext(&self) -> String {
        "root".to_owned()
    }

    fn get_ext_with_compression(&self, _: &FileCompressionType) -> Result<String> {
        Ok(self.get_ext())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        // Stores list objects in any order, and the first one gives columns their order.
        let mut objects = objects.to_vec();
        objects.sort_unstable_by(|one, other| one.location.cmp(&other.location));
        if self.options.same_schema {
            objects.truncate(1);
        }
        let schema = |object: ObjectMeta| async move {
            let schema = self.of_file(store, &object, |file, _| Ok(file.columns.schema.clone())).await?;
            Ok::<_, DataFusionError>((object.location.to_string(), schema))
        };
        let at_once = state.config_options().execution.meta_fetch_concurrency.get();
        let schemas = stream::iter(objects).map(schema).buffered(at_once);
        facts::merge(&schemas.try_collect::<Vec<_>>().await?)
    }

    async fn infer_stats(
        &self,
        _: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        // Files that were declared alike are opened when they are read.
        if self.options.same_schema {
            return Ok(Statistics::new_unknown(&table_schema));
        }
        self.of_file(store, object, move |file, origin| facts::statistics(file, origin, &table_schema)).await
    }

    async fn create_physical_plan(
        &self,
        _: &dyn Session,
        config: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(DataSourceExec::from_data_source(config))
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.insert_op != InsertOp::Append {
            return not_impl_err!("overwriting RNTuple files");
        }
        let sink = RNTupleSink::new(config, self.options.ntuple.clone(), self.write.clone())?;
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), order)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(RNTupleSource::new(schema, self.options.clone(), self.open.clone()))
    }
}

impl fmt::Display for RNTupleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rntuple")
    }
}
