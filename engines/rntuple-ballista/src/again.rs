//! Runs a query again that was cancelled when an executor was lost.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures_util::{StreamExt as _, stream};

/// How often a query is run again.
const MOST: usize = 3;

/// Ballista's planner, whose queries are run again. Those that write files are not: another one of before may still write.
#[derive(Debug)]
pub(crate) struct Planner(pub(crate) Arc<dyn QueryPlanner + Send + Sync>);

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let query = self.0.create_physical_plan(plan, session).await?;
        let writes = plan.exists(|node| Ok(matches!(node, LogicalPlan::Copy(_) | LogicalPlan::Dml(_))))?;
        Ok(match query.name() == "DistributedQueryExec" && !writes {
            true => Arc::new(Again(query)),
            false => query,
        })
    }
}

/// A query of a cluster, each execution of which is a job of its own.
#[derive(Debug)]
struct Again(Arc<dyn ExecutionPlan>);

impl ExecutionPlan for Again {
    fn name(&self) -> &str {
        "Again"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.0]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.is_empty()) {
            (Some(query), true) => Ok(Arc::new(Self(query))),
            _ => internal_err!("a query that runs again is one"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let query = self.0.clone();
        let execute = move || query.execute(partition, context.clone());
        let run = Run { rows: execute()?, execute, left: MOST };
        let batches = stream::unfold(Some(run), async |run| {
            let mut run = run?;
            match run.next().await? {
                Ok(batch) => Some((Ok(batch), Some(run))),
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.0.metrics()
    }
}

impl DisplayAs for Again {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Again")
    }
}

/// A query that runs.
struct Run<E> {
    rows: SendableRecordBatchStream,
    execute: E,
    /// How often it may be run again: not any more once there were rows.
    left: usize,
}

impl<E: Fn() -> Result<SendableRecordBatchStream>> Run<E> {
    async fn next(&mut self) -> Option<Result<datafusion::arrow::array::RecordBatch>> {
        loop {
            match self.rows.next().await? {
                Ok(batch) => {
                    self.left = 0;
                    return Some(Ok(batch));
                }
                Err(error) if self.left > 0 && is_cancelled(&error) => {
                    self.left -= 1;
                    log::warn!("the query runs again: {}", error.strip_backtrace());
                    match (self.execute)() {
                        Ok(rows) => self.rows = rows,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Whether the scheduler has cancelled a query, as it does when an executor is lost that has rows of it.
fn is_cancelled(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::Execution(message) => {
            message.starts_with("Job ") && message.ends_with(" failed: Cancelled")
        }
        _ => false,
    }
}
