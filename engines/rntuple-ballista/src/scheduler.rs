//! The process that plans queries and hands out their parts.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_core::extension::SessionConfigExt as _;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionConfig;
use rntuple_datafusion::with_rntuple;
use rntuple_node::{Limits, Stores};
use tokio::net::TcpListener;

use crate::guard::{Guard, Server};
use crate::{MESSAGE, codecs};

/// A scheduler: it plans queries, and hands out their parts.
///
/// When an executor is lost, its parts of a query run again elsewhere as long as it has no rows of a stage that is done. Otherwise
/// the query is cancelled.
#[derive(Clone, Debug, clap::Args)]
#[must_use]
pub struct Scheduler {
    /// Address to listen on; port 0 takes a free one, which the first line of output names
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:50050")]
    listen: SocketAddr,
    /// Name under which executors reach this machine. Default: the address to listen on
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    #[command(flatten)]
    stores: Stores,
    /// Time without a sign of life after which an executor is lost, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    lost_after: u64,
    /// Most bytes of a message, which a plan has to fit into
    #[arg(long, value_name = "BYTES", default_value_t = MESSAGE)]
    message_size: u32,
    /// Send results through the scheduler, for clients that do not reach executors
    #[arg(long)]
    proxy: bool,
}

impl Scheduler {
    /// Serves until `stop` is ready. Queries that run then fail.
    ///
    /// `listening` gets the address first.
    ///
    /// # Errors
    /// The address is taken, or a store cannot be used.
    pub async fn run(self, listening: impl FnOnce(SocketAddr), stop: impl Future<Output = ()>) -> Result<()> {
        let listener = TcpListener::bind(self.listen).await.map_err(BallistaError::from)?;
        let address = listener.local_addr().map_err(BallistaError::from)?;
        let config = Arc::new(self.config(address)?);
        config.validate()?;
        let cluster = BallistaCluster::new_from_config(&config).await?;
        let guard = Arc::new(Guard::around(cluster.cluster_state()));
        let cluster = BallistaCluster::new(guard.clone(), cluster.job_state());
        let scheduler: Server = create_scheduler(cluster, config).await?;
        guard.watch(scheduler.clone());
        listening(address);
        tokio::select! {
            ended = start_grpc_service_with_listener(listener, scheduler) => ended,
            () = stop => Ok(()),
        }
    }

    fn config(self, address: SocketAddr) -> Result<SchedulerConfig> {
        let runtime = self.stores.runtime(&Limits::default())?;
        // Ballista's own choice of functions and rules, with our stores and formats.
        let session = move |config: SessionConfig| {
            let builder = SessionStateBuilder::new_from_existing(default_session_builder(config)?);
            Ok(with_rntuple(builder.with_runtime_env(runtime.clone())).build())
        };
        Ok(SchedulerConfig {
            bind_host: address.ip().to_string(),
            bind_port: address.port(),
            external_host: self.host.unwrap_or_else(|| address.ip().to_string()),
            // Otherwise the first idle executor gets all parts of a stage.
            task_distribution: TaskDistributionPolicy::RoundRobin,
            executor_timeout_seconds: self.lost_after,
            expire_dead_executor_interval_seconds: (self.lost_after / 4).clamp(1, 15),
            no_executors_grace_period_seconds: self.lost_after,
            grpc_server_max_decoding_message_size: self.message_size,
            grpc_server_max_encoding_message_size: self.message_size,
            grpc_client_max_message_size: self.message_size,
            // Rows that cannot be fetched were lost with an executor, see `Guard`.
            stage_max_failures: 1,
            enable_embedded_flight_proxy: self.proxy,
            override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
            override_session_builder: Some(Arc::new(session)),
            override_logical_codec: Some(codecs::logical()),
            override_physical_codec: Some(codecs::physical()),
            ..SchedulerConfig::default()
        })
    }
}
