//! An optimizer rule that keeps the order of files.
//!
//! Where an order is declared, files of a group are read one after the other. DataFusion 55 forgets that for some queries with
//! `ORDER BY .. LIMIT`: its rule `LimitPushdown` lets the parts of a scan take files from each other, and rows would be wrong.

use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::config::ConfigOptions;
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use crate::source::RNTupleSource;

const NAME: &str = "rntuple_keep_order";

/// Has scans that declare an order read files in it.
#[derive(Debug)]
pub(crate) struct KeepOrder;

impl PhysicalOptimizerRule for KeepOrder {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let keep = |plan: Arc<dyn ExecutionPlan>| match in_order(plan.as_ref()) {
            Some(scan) => Ok(Transformed::yes(scan)),
            None => Ok(Transformed::no(plan)),
        };
        plan.transform_up(keep).data()
    }

    fn name(&self) -> &str {
        NAME
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The scan that reads files in the order that it declares, if it did not.
fn in_order(plan: &dyn ExecutionPlan) -> Option<Arc<dyn ExecutionPlan>> {
    let config = plan.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref::<FileScanConfig>()?;
    let is_lost = config.file_source().is::<RNTupleSource>()
        && !config.output_ordering.is_empty()
        && !config.preserve_order;
    is_lost.then(|| {
        let mut config = config.clone();
        config.preserve_order = true;
        DataSourceExec::from_data_source(config) as Arc<dyn ExecutionPlan>
    })
}

/// Whether plans of a session keep an order, so that one may be declared.
pub(crate) fn is_kept_in(session: &dyn Session) -> bool {
    session.physical_optimizers().iter().any(|rule| rule.name() == NAME)
}
