//! What of a `COPY` travels with it, and what does not.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::file_format::{file_type_to_format, format_as_file_type};
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use rntuple::storage::without_secrets;

use crate::format::RNTupleFormatFactory;
use crate::options::TableOptions;
use crate::sink::WriteSettings;

/// Gives the options of a `COPY` to its format, since DataFusion sends logical plans without them, and what reads these
/// elsewhere would write files with the defaults. And takes what grants access out of its URL: that is the store's.
#[derive(Debug)]
pub(crate) struct PrepareCopy;

impl OptimizerRule for PrepareCopy {
    fn name(&self) -> &str {
        "rntuple_prepare_copy"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Copy(copy) = plan else { return Ok(Transformed::no(plan)) };
        let format = file_type_to_format(&copy.file_type)?;
        let Some(RNTupleFormatFactory { name, options }) = format.downcast_ref() else {
            return Ok(Transformed::no(LogicalPlan::Copy(copy)));
        };
        let output_url = without_secrets(&copy.output_url);
        let has_new_options = options.is_empty() && !copy.options.is_empty();
        if !has_new_options && output_url == copy.output_url {
            return Ok(Transformed::no(LogicalPlan::Copy(copy)));
        }
        let mut options = options.clone();
        if has_new_options {
            // Those that are refused are not sent: who knows what is in them.
            let (_, read) = WriteSettings::from_sql(&copy.options)?;
            let _ = TableOptions::from_sql(&read)?;
            options = copy.options.clone().into_iter().collect();
        }
        let file_type = format_as_file_type(Arc::new(RNTupleFormatFactory { name, options }));
        Ok(Transformed::yes(LogicalPlan::Copy(CopyTo { output_url, file_type, ..copy })))
    }
}
