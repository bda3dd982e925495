//! What the scans of a query counted.

use std::collections::HashMap;

use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;

/// Runs a query, and returns what its scans counted.
pub(crate) async fn counted(context: &SessionContext, query: &str) -> HashMap<String, usize> {
    let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    collect(plan.clone(), context.task_ctx()).await.unwrap();
    let mut counted = HashMap::new();
    note(plan.as_ref(), &mut counted);
    counted
}

/// Adds what the scans of a plan counted.
pub(crate) fn note(plan: &dyn ExecutionPlan, counted: &mut HashMap<String, usize>) {
    if plan.name() == "DataSourceExec" {
        for metric in plan.metrics().unwrap().iter() {
            *counted.entry(metric.value().name().to_owned()).or_default() += metric.value().as_usize();
        }
    }
    plan.children().iter().for_each(|child| note(child.as_ref(), counted));
}
