//! Connections to workers, whose errors name the worker, and which notice that a machine is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result, config_datafusion_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{
    ChannelResolver, CoordinatorToWorkerMsg, ExecuteTaskRequest, GetWorkerInfoRequest, GetWorkerInfoResponse,
    SetPlanRequest, WorkerChannel, WorkerToCoordinatorMsg,
};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::HeaderMap;
use tonic::transport::{Channel, Endpoint};
use url::Url;

/// Connections that are kept. A plan names its workers, so their number is not ours to choose.
const MOST: usize = 4096;

/// When a worker counts as gone.
///
/// A process that ends is noticed at once. These are for machines and networks that fall silent.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[must_use]
pub struct Deadlines {
    /// Longest time for a connection to another worker, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    connect: u64,
    /// Time after which a silent worker is asked whether it is alive, in seconds; without an answer in the same time it is gone
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    alive: u64,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { connect: 10, alive: 20 }
    }
}

impl Deadlines {
    /// Sets the longest time for a connection, in seconds. Default: 10.
    pub fn connect(mut self, seconds: u64) -> Self {
        self.connect = seconds;
        self
    }

    /// Sets the time after which a silent worker is asked whether it is alive, in seconds. Without an answer in the same
    /// time it is gone. Default: 20.
    pub fn alive(mut self, seconds: u64) -> Self {
        self.alive = seconds;
        self
    }

    pub(crate) fn connect_time(&self) -> Duration {
        Duration::from_secs(self.connect.max(1))
    }

    pub(crate) fn alive_time(&self) -> Duration {
        Duration::from_secs(self.alive.max(1))
    }

    fn endpoint(&self, url: &Url) -> Result<Endpoint> {
        let endpoint = Channel::from_shared(url.to_string());
        let endpoint = endpoint.map_err(|error| config_datafusion_err!("worker {url}: {error}"))?;
        Ok(endpoint
            .connect_timeout(self.connect_time())
            .tcp_nodelay(true)
            .http2_keep_alive_interval(self.alive_time())
            .keep_alive_timeout(self.alive_time())
            .keep_alive_while_idle(true))
    }
}

/// Connections to workers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels {
    known: Arc<Mutex<HashMap<Url, Channel>>>,
    deadlines: Deadlines,
}

impl Channels {
    pub(crate) fn new(deadlines: Deadlines) -> Self {
        Self { known: Arc::default(), deadlines }
    }

    /// A channel connects when it is used, and again after it was cut.
    fn channel(&self, url: &Url) -> Result<Channel> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = known.get(url) {
            return Ok(channel.clone());
        }
        if known.len() >= MOST {
            known.clear();
        }
        let channel = self.deadlines.endpoint(url)?.connect_lazy();
        Ok(known.entry(url.clone()).or_insert(channel).clone())
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let client = create_worker_client(BoxCloneSyncChannel::new(self.channel(url)?));
        Ok(Box::new(Named { name: format!("worker {url}").into(), client }))
    }
}

/// A connection whose errors name the worker.
struct Named {
    name: Arc<str>,
    client: Box<dyn WorkerChannel>,
}

/// Adds the name of the worker to the errors of a stream.
fn named<T: 'static>(
    name: &Arc<str>,
    stream: BoxStream<'static, Result<T>>,
) -> BoxStream<'static, Result<T>> {
    let name = name.clone();
    stream.map(move |item| item.map_err(|error| of(&name, error))).boxed()
}

fn of(name: &Arc<str>, error: DataFusionError) -> DataFusionError {
    error.context(name.as_ref())
}

#[async_trait]
impl WorkerChannel for Named {
    async fn coordinator_channel(
        &mut self,
        headers: HeaderMap,
        plan: SetPlanRequest,
        messages: BoxStream<'static, CoordinatorToWorkerMsg>,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<BoxStream<'static, Result<WorkerToCoordinatorMsg>>> {
        let answers = self.client.coordinator_channel(headers, plan, messages, metrics, context).await;
        answers.map(|answers| named(&self.name, answers)).map_err(|error| of(&self.name, error))
    }

    async fn execute_task(
        &mut self,
        headers: HeaderMap,
        request: ExecuteTaskRequest,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<Vec<BoxStream<'static, Result<RecordBatch>>>> {
        let parts = self.client.execute_task(headers, request, metrics, context).await;
        let parts = parts.map_err(|error| of(&self.name, error))?;
        Ok(parts.into_iter().map(|part| named(&self.name, part)).collect())
    }

    async fn get_worker_info(&mut self, request: GetWorkerInfoRequest) -> Result<GetWorkerInfoResponse> {
        self.client.get_worker_info(request).await.map_err(|error| of(&self.name, error))
    }
}
