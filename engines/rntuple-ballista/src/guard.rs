//! Ends the queries that Ballista 55 would answer wrongly after the loss of an executor.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::serde::protobuf::task_status::Status;
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::{BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_stage::ExecutionStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};

pub(crate) type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// The state of a cluster, which cancels queries when an executor is lost that has rows of theirs.
///
/// Ballista 55 runs a stage again whose inputs were lost, and all its tasks. What those of its tasks had written that were
/// done stays an input of the next stage, so that it has these rows twice. The rows are those of a wrong answer, and there
/// is no error. A query of which the executor has no rows of a stage that is done has no such inputs: its lost tasks run
/// again, and its answer is right.
pub(crate) struct Guard {
    state: Arc<dyn ClusterState>,
    server: OnceLock<Server>,
}

impl Guard {
    pub(crate) fn around(state: Arc<dyn ClusterState>) -> Self {
        Self { state, server: OnceLock::new() }
    }

    /// Takes the scheduler whose queries are watched.
    pub(crate) fn watch(&self, server: Server) {
        // There is one.
        let _ = self.server.set(server);
    }

    async fn cancel(&self, executor: &str) -> Result<()> {
        let Some(server) = self.server.get() else { return Ok(()) };
        for (job, info) in server.state.task_manager.get_running_job_cache().iter() {
            if is_safe(info, executor) {
                continue;
            }
            log::error!("query {job} is cancelled: executor {executor}, which had rows of it, was lost");
            server.cancel_job(job.clone()).await?;
        }
        Ok(())
    }
}

/// Whether an executor has no rows of a stage that is done.
fn is_safe(job: &JobInfoCache, executor: &str) -> bool {
    // Who holds the lock is changing the stages.
    let Ok(graph) = job.execution_graph.try_read() else { return false };
    let is_of = |status: &Status| {
        // One that failed has no rows.
        matches!(status, Status::Successful(task) if task.executor_id == executor)
    };
    !graph.stages().values().any(|stage| match stage {
        ExecutionStage::Successful(done) => done.task_infos.iter().any(|task| is_of(&task.task_status)),
        _ => false,
    })
}

#[async_trait]
impl ClusterState for Guard {
    async fn init(&self) -> Result<()> {
        self.state.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.state.bind_schedulable_tasks(distribution, active_jobs, executors).await
    }

    async fn unbind_tasks(&self, slots: Vec<ExecutorSlot>) -> Result<()> {
        self.state.unbind_tasks(slots).await
    }

    async fn register_executor(&self, metadata: ExecutorMetadata, spec: ExecutorData) -> Result<()> {
        self.state.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.state.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor: &str) -> Result<ExecutorMetadata> {
        self.state.get_executor_metadata(executor).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.state.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.state.save_executor_heartbeat(heartbeat).await
    }

    /// This comes before the event by which stages are run again, and events keep their order.
    async fn remove_executor(&self, executor: &str) -> Result<()> {
        self.cancel(executor).await?;
        self.state.remove_executor(executor).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.state.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor: &str) -> Option<ExecutorHeartbeat> {
        self.state.get_executor_heartbeat(executor)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.state.cluster_state_events().await
    }
}
