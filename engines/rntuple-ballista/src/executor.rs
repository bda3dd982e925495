//! A process that runs parts of queries.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_core::extension::{
    SessionConfigExt as _, ballista_aggregate_functions, ballista_scalar_functions, ballista_window_functions,
};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionConfig;
use rntuple_node::{Limits, Stores};

use crate::{MESSAGE, codecs};

/// An executor: it runs parts of queries, and keeps their rows for the next stage.
#[derive(Clone, Debug, clap::Args)]
#[must_use]
pub struct Executor {
    /// Host of the scheduler
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    scheduler: String,
    /// Port of the scheduler
    #[arg(long, value_name = "PORT", default_value_t = 50050)]
    scheduler_port: u16,
    /// Address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    listen: IpAddr,
    /// Name under which others reach this machine. Default: what the scheduler sees
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Port for rows
    #[arg(long, value_name = "PORT", default_value_t = 50051)]
    port: u16,
    /// Port for orders
    #[arg(long, value_name = "PORT", default_value_t = 50052)]
    order_port: u16,
    /// Parts that run at a time. Default: the number of cores
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    cores: usize,
    /// Folder for rows between the stages of a query: on a disk of this machine, with room for what queries shuffle
    #[arg(long, value_name = "FOLDER")]
    work: PathBuf,
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    limits: Limits,
    /// Time between signs of life, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    heartbeat: u64,
    /// Longest time to wait for the scheduler, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    connect: u16,
    /// Most bytes of a message, which a part of a plan has to fit into. No fewer than those of the scheduler: it takes an
    /// executor that refuses a message for lost
    #[arg(long, value_name = "BYTES", default_value_t = MESSAGE)]
    message_size: u32,
}

impl Executor {
    /// Runs until the process is asked to stop. Parts that run then may end.
    ///
    /// # Errors
    /// A port is taken, a store cannot be used, or the scheduler does not answer in time.
    pub async fn run(self) -> Result<()> {
        start_executor_process(Arc::new(self.config()?)).await
    }

    fn config(self) -> Result<ExecutorProcessConfig> {
        std::fs::create_dir_all(&self.work).map_err(BallistaError::from)?;
        let work = self.work.to_str().map(str::to_owned);
        let work = work.ok_or_else(|| BallistaError::Configuration("--work is not UTF-8".to_owned()))?;
        // Ballista puts a share of the memory into the runtime of each task.
        let memory = self.limits.memory_bytes().and_then(|bytes| u64::try_from(bytes).ok());
        let runtime = self.stores.runtime(&self.limits)?;
        let functions = SessionStateBuilder::new()
            .with_default_features()
            .with_scalar_functions(ballista_scalar_functions())
            .with_aggregate_functions(ballista_aggregate_functions())
            .with_window_functions(ballista_window_functions())
            .build();
        let functions = BallistaFunctionRegistry::from(&functions);
        Ok(ExecutorProcessConfig {
            bind_host: self.listen.to_string(),
            external_host: self.host,
            port: self.port,
            grpc_port: self.order_port,
            scheduler_host: self.scheduler,
            scheduler_port: self.scheduler_port,
            scheduler_connect_timeout_seconds: self.connect,
            vcores: self.cores,
            work_dir: Some(work),
            grpc_max_decoding_message_size: self.message_size,
            grpc_max_encoding_message_size: self.message_size,
            executor_heartbeat_interval_seconds: self.heartbeat,
            memory_pool_size: memory,
            // Ballista's own default lacks functions of lists.
            override_function_registry: Some(Arc::new(functions)),
            override_runtime_producer: Some(Arc::new(move |_| Ok(runtime.clone()))),
            override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
            override_logical_codec: Some(codecs::logical()),
            override_physical_codec: Some(codecs::physical()),
            ..ExecutorProcessConfig::default()
        })
    }
}
