//! Scans and sinks of physical plans.

use std::sync::Arc;

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::datasource::physical_plan::{
    FileScanConfig, FileScanConfigBuilder, FileSink as _, FileSinkConfig,
};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::{
    parse_physical_sort_exprs, parse_protobuf_file_scan_config, parse_table_schema_from_proto,
};
use datafusion_proto::physical_plan::to_proto::{serialize_file_scan_config, serialize_physical_sort_exprs};
use datafusion_proto::physical_plan::{
    PhysicalExtensionCodec, PhysicalPlanDecodeContext, PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf;
use prost::Message as _;

use super::messages::{Part, Scan, Sink, decode, encode, is_ours, origin, snapshot, theirs};
use crate::files::OpenFiles;
use crate::options::TableOptions;
use crate::sink::{RNTupleSink, WriteSettings};
use crate::source::RNTupleSource;

/// Sends scans of RNTuple files, and the writing of them, to other processes; all other nodes pass to the codec inside.
///
/// A worker reads files from the object stores that are registered with it, by credentials of its own.
///
/// ```
/// use rntuple_datafusion::RNTuplePhysicalCodec;
/// // Alone, or around the codec of an engine.
/// let codec = RNTuplePhysicalCodec::default();
/// # let inner = std::sync::Arc::new(datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec {});
/// let codec = RNTuplePhysicalCodec::around(inner);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RNTuplePhysicalCodec {
    inner: Option<Arc<dyn PhysicalExtensionCodec>>,
    /// Files that parts of plans have opened.
    files: Arc<OpenFiles>,
}

impl RNTuplePhysicalCodec {
    /// A codec that hands other nodes to another one.
    #[must_use]
    pub fn around(inner: Arc<dyn PhysicalExtensionCodec>) -> Self {
        Self { inner: Some(inner), files: Arc::default() }
    }
}

impl PhysicalExtensionCodec for RNTuplePhysicalCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let config = node.downcast_ref::<DataSourceExec>();
        let config = config.and_then(|exec| exec.data_source().downcast_ref::<FileScanConfig>());
        if let Some(config) = config
            && let Some(source) = config.file_source().downcast_ref::<RNTupleSource>()
        {
            let filter = source.filter_within(config.limit);
            let filter = filter.map(|filter| converter.physical_expr_to_proto(&filter, self));
            let scan = Scan {
                base: Some(serialize_file_scan_config(config, self, converter)?.encode_to_vec()),
                filter: filter.transpose()?.map(|filter| filter.encode_to_vec()),
                options: Some((&source.options).into()),
                snapshot: snapshot(source.origin.as_ref()),
                wanted: source.wanted.iter().map(Into::into).collect(),
                limit: config.limit.map(|limit| limit as u64),
            };
            return encode(Part::Scan(scan), bytes);
        }
        if let Some(exec) = node.downcast_ref::<DataSinkExec>()
            && let Some(sink) = exec.sink().downcast_ref::<RNTupleSink>()
        {
            let order = exec.sort_order().as_ref().map(|order| -> Result<_> {
                let order = order.iter().map(|sort| sort.clone().into());
                let exprs = serialize_physical_sort_exprs(order, self, converter)?;
                let sent = protobuf::PhysicalSortExprNodeCollection { physical_sort_expr_nodes: exprs };
                Ok(sent.encode_to_vec())
            });
            let sink = Sink {
                config: Some(protobuf::FileSinkConfig::try_from(sink.config())?.encode_to_vec()),
                ntuple: sink.ntuple.clone(),
                compression: sink.write.compression.clone(),
                statistics: sink.write.statistics,
                nested_nulls: sink.write.nested_nulls,
                order: order.transpose()?,
            };
            return encode(Part::Sink(sink), bytes);
        }
        match &self.inner {
            Some(inner) => inner.try_encode(node, bytes, converter),
            None => exec_err!("{} is no node of rntuple-datafusion", node.name()),
        }
    }

    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !is_ours(bytes)
            && let Some(inner) = &self.inner
        {
            return inner.try_decode(bytes, inputs, context, converter);
        }
        match decode(bytes)? {
            Part::Scan(scan) => self.scan(scan, context, converter),
            Part::Sink(sink) => self.sink(sink, inputs, context, converter),
            _ => exec_err!("this part of a plan is not a physical one"),
        }
    }
}

impl RNTuplePhysicalCodec {
    fn scan(
        &self,
        scan: Scan,
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let base = scan.base.ok_or_else(|| exec_datafusion_err!("a scan without files"))?;
        let base: protobuf::FileScanExecConf = theirs(&base)?;
        let schema = parse_table_schema_from_proto(&base)?;
        let decoding = PhysicalPlanDecodeContext::new(context, self);
        let filter = scan.filter.map(|filter| {
            let filter: protobuf::PhysicalExprNode = theirs(&filter)?;
            converter.proto_to_physical_expr(&filter, schema.table_schema(), &decoding)
        });
        let filter = filter.transpose()?;
        let options = scan.options.map_or_else(TableOptions::new, Into::into);
        let source = RNTupleSource::new(schema, options, self.files.clone()).with_filter(filter);
        let source = match origin(scan.snapshot, context)? {
            Some(origin) => source.with_origin(origin),
            None => source,
        };
        let config = parse_protobuf_file_scan_config(&base, &decoding, converter, Arc::new(source))?;
        // DataFusion's own message has 32 bits for it.
        let limit = scan.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        // Taking the projection over, the source forgot what is looked at of it.
        let wanted = scan.wanted.into_iter().map(Into::into).collect();
        let source = config.file_source().downcast_ref::<RNTupleSource>();
        let source = source.ok_or_else(|| exec_datafusion_err!("a scan without its source"))?.clone();
        let source = Arc::new(source.with_wanted(wanted));
        let config =
            FileScanConfigBuilder::from(config.clone()).with_source(source).with_limit(limit).build();
        Ok(DataSourceExec::from_data_source(config))
    }

    fn sink(
        &self,
        sink: Sink,
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = inputs else {
            return exec_err!("files are written from one plan, not from {}", inputs.len());
        };
        let settings = WriteSettings::from(&sink);
        let config = sink.config.ok_or_else(|| exec_datafusion_err!("a sink without files"))?;
        let config = FileSinkConfig::try_from(&theirs::<protobuf::FileSinkConfig>(&config)?)?;
        let decoding = PhysicalPlanDecodeContext::new(context, self);
        let order = sink.order.map(|order| {
            let exprs = theirs::<protobuf::PhysicalSortExprNodeCollection>(&order)?.physical_sort_expr_nodes;
            parse_physical_sort_exprs(&exprs, &decoding, &config.output_schema, converter)
        });
        let order = order.transpose()?.and_then(datafusion::physical_expr::LexOrdering::new).map(Into::into);
        let sink = RNTupleSink::new(config, sink.ntuple, settings)?;
        Ok(Arc::new(DataSinkExec::new(input.clone(), Arc::new(sink), order)))
    }
}
