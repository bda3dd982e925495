//! Tables and formats of logical plans.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference, exec_err, plan_err};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::TaskContext;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion_proto::logical_plan::{DefaultLogicalExtensionCodec, LogicalExtensionCodec};
use datafusion_proto::protobuf;
use prost::Message as _;

use super::messages::{Format, Part, Table, decode, encode, is_ours, origin, snapshot, theirs};
use crate::format::RNTupleFormatFactory;
use crate::options::TableOptions;
use crate::session::FORMATS;
use crate::table::RNTupleTable;

/// Sends [tables](RNTupleTable) to a scheduler that plans there, as Ballista's does; all else passes to the codec inside.
///
/// Files are listed and looked into by the sender alone. Options of a `COPY` are part of an optimised plan, not of one that
/// was just parsed.
#[derive(Clone, Debug)]
pub struct RNTupleLogicalCodec {
    inner: Arc<dyn LogicalExtensionCodec>,
}

impl Default for RNTupleLogicalCodec {
    fn default() -> Self {
        Self::around(Arc::new(DefaultLogicalExtensionCodec {}))
    }
}

impl RNTupleLogicalCodec {
    /// A codec that hands all else to another one.
    #[must_use]
    pub fn around(inner: Arc<dyn LogicalExtensionCodec>) -> Self {
        Self { inner }
    }
}

impl LogicalExtensionCodec for RNTupleLogicalCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.inner.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.inner.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        if !is_ours(bytes) {
            return self.inner.try_decode_table_provider(bytes, name, schema, context);
        }
        let Part::Table(table) = decode(bytes)? else {
            return exec_err!("this part of a plan is not a table");
        };
        let file = |bytes: &Vec<u8>| PartitionedFile::try_from(&theirs::<protobuf::PartitionedFile>(bytes)?);
        let files = table.files.iter().map(file).collect::<Result<Vec<_>>>()?;
        let options = table.options.map_or_else(TableOptions::new, Into::into);
        let origin = origin(table.snapshot, context)?;
        let store = ObjectStoreUrl::parse(table.store)?;
        let sent = RNTupleTable::new(store, files, schema, options, Arc::default(), origin);
        Ok(Arc::new(sent.with_order(table.order)))
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(table) = provider.downcast_ref::<RNTupleTable>() else {
            return self.inner.try_encode_table_provider(name, provider, bytes);
        };
        let file = |file: &PartitionedFile| Ok(protobuf::PartitionedFile::try_from(file)?.encode_to_vec());
        let table = Table {
            store: table.url.to_string(),
            files: table.files.iter().map(file).collect::<Result<_>>()?,
            options: Some((&table.options).into()),
            snapshot: snapshot(table.origin.as_ref()),
            order: table.order.clone(),
        };
        encode(Part::Table(table), bytes)
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        if !is_ours(bytes) {
            return self.inner.try_decode_file_format(bytes, context);
        }
        let Part::Format(Format { name, options }) = decode(bytes)? else {
            return exec_err!("this part of a plan is not a format");
        };
        match FORMATS.iter().find(|known| **known == name) {
            Some(name) => Ok(Arc::new(RNTupleFormatFactory { name, options })),
            None => plan_err!("no format {name:?}"),
        }
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        match format.downcast_ref::<RNTupleFormatFactory>() {
            Some(RNTupleFormatFactory { name, options }) => {
                encode(Part::Format(Format { name: (*name).to_owned(), options: options.clone() }), bytes)
            }
            None => self.inner.try_encode_file_format(bytes, format),
        }
    }
}
