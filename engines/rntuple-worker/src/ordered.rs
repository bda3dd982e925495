//! Scans in order, and scans that are whole, over workers.

use std::sync::Arc;

use datafusion::datasource::physical_plan::{FileGroup, FileGroupPartitioner, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties as _};
use datafusion_distributed::{
    DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedLeafExec, ScaleUpLeafNodeEvent,
    ScaleUpLeafNodeEventResponse,
};

/// Keeps a scan of a single partition, and its stage, in one task.
///
/// What is above may take the partition for all rows, and put nothing over it that brings parts together: with two of them, a
/// limit would give twice as many rows, a window would begin twice, and a sum be two sums.
pub(crate) fn keep_whole(
    event: DesiredTaskCountEvent<'_>,
) -> Option<datafusion::common::Result<DesiredTaskCountEventResponse>> {
    scan_of(event.plan)?;
    let is_whole = event.plan.output_partitioning().partition_count() == 1;
    is_whole.then(|| Ok(DesiredTaskCountEventResponse::maximum(1)))
}

fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&FileScanConfig> {
    plan.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref()
}

/// Cuts a scan whose files are in order over the tasks of its stage. Other scans are the engine's own affair.
///
/// Groups of files in order may be fewer than they should be, or more, and each task must have the same number of them. The
/// engine deals them out in turn, and refuses its own plan where they do not come out even. Here, groups without files fill up.
pub(crate) fn cut_in_order(
    event: ScaleUpLeafNodeEvent<'_>,
) -> Option<datafusion::common::Result<ScaleUpLeafNodeEventResponse>> {
    let scan = scan_of(event.plan)?;
    if scan.output_ordering.is_empty() || scan.output_partitioning.is_some() {
        return None;
    }
    let partitions = event.plan.output_partitioning().partition_count();
    let groups = FileGroupPartitioner::new()
        .with_target_partitions(partitions * event.task_count)
        .with_repartition_file_min_size(0)
        .with_preserve_order_within_groups(true)
        .repartition_file_groups(&scan.file_groups)
        .unwrap_or_else(|| scan.file_groups.clone());
    let tasks = dealt(groups, event.task_count).into_iter().map(|groups| {
        let mut scan = scan.clone();
        scan.file_groups = groups;
        DataSourceExec::from_data_source(scan) as Arc<dyn ExecutionPlan>
    });
    let leaf = DistributedLeafExec::try_new(event.plan.clone(), tasks);
    Some(leaf.map(|leaf| ScaleUpLeafNodeEventResponse::new(Arc::new(leaf))))
}

/// Deals out groups in turn, and groups without files until each task has the same number.
fn dealt(groups: Vec<FileGroup>, tasks: usize) -> Vec<Vec<FileGroup>> {
    let tasks = tasks.max(1);
    let each = groups.len().div_ceil(tasks);
    let of_task = |task: usize| {
        let mut dealt: Vec<FileGroup> = groups.iter().skip(task).step_by(tasks).cloned().collect();
        dealt.resize(each, FileGroup::default());
        dealt
    };
    (0..tasks).map(of_task).collect()
}

#[cfg(test)]
mod tests {
    use datafusion::datasource::listing::PartitionedFile;

    use super::*;

    #[test]
    fn each_task_has_as_many_groups() {
        for (count, tasks) in [(8, 3), (1, 3), (6, 3), (2, 1), (0, 2)] {
            let group = |number: usize| FileGroup::new(vec![PartitionedFile::new(number.to_string(), 1)]);
            let dealt = dealt((0..count).map(group).collect(), tasks);
            assert_eq!(dealt.len(), tasks);
            assert!(dealt.iter().all(|groups| groups.len() == count.div_ceil(tasks)), "{count}, {tasks}");
            let files = dealt.iter().flatten().map(FileGroup::len).sum::<usize>();
            assert_eq!(files, count);
        }
    }
}
