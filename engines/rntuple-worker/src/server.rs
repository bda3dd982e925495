//! The service.

use std::sync::Arc;
use std::time::Duration;

use datafusion::common::{DataFusionError, Result};
use datafusion_distributed::{DistributedExt as _, Worker, WorkerQueryContext};
use rntuple_datafusion::{RNTuplePhysicalCodec, with_rntuple};
use rntuple_node::{Limits, Stores};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::channel::{Channels, Deadlines};
use crate::lists::without_large_lists;
use crate::release;

/// How a worker serves.
#[derive(Clone, Debug, clap::Args)]
#[must_use]
pub struct Service {
    #[command(flatten)]
    stores: Stores,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    deadlines: Deadlines,
    /// Most bytes of a plan
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    plan_size: usize,
    /// Longest time for queries to end when the worker is asked to stop, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    grace: u64,
}

impl Service {
    /// Serves these stores, within these limits.
    pub fn new(stores: Stores, limits: Limits) -> Self {
        Self { stores, limits, deadlines: Deadlines::default(), plan_size: 64 << 20, grace: 60 }
    }
}

/// Serves on a listener until `stop` is ready. No query begins after that, and those that run may end.
///
/// The service trusts who can reach it, as those of all engines do: it belongs into a private network.
///
/// # Errors
/// A store cannot be used, or queries did not end in time.
pub async fn serve(listener: TcpListener, service: Service, stop: impl Future<Output = ()>) -> Result<()> {
    // One codec, so that queries share the files that are open.
    let codec = Arc::new(RNTuplePhysicalCodec::default());
    let channels = Channels::new(service.deadlines.clone());
    let session = move |context: WorkerQueryContext| {
        let builder = with_rntuple(context.builder)
            .with_distributed_user_codec_arc(codec.clone())
            .with_distributed_channel_resolver(channels.clone())
            .with_distributed_worker_plan_rewrite_handler(without_large_lists);
        async move { Ok(builder.build()) }
    };
    let worker = Worker::from_session_builder(session)
        .with_runtime_env(service.stores.runtime(&service.limits)?)
        .with_version(release());
    let (stopping, mut stopped) = watch::channel(false);
    let server = Server::builder()
        // Queries of a client that is gone end.
        .http2_keepalive_interval(Some(service.deadlines.alive_time()))
        .http2_keepalive_timeout(Some(service.deadlines.alive_time()))
        .add_service(worker.into_worker_server().max_decoding_message_size(service.plan_size))
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), async move {
            // An error is the end of the other side: stop as well.
            let _ = stopped.changed().await;
        });
    let external = |error: tonic::transport::Error| DataFusionError::External(Box::new(error));
    let mut server = std::pin::pin!(server);
    tokio::select! {
        ended = &mut server => return ended.map_err(external),
        () = stop => {}
    }
    let _ = stopping.send(true);
    match tokio::time::timeout(Duration::from_secs(service.grace), server).await {
        Ok(ended) => ended.map_err(external),
        Err(_) => {
            let message = format!("queries still ran {} s after the worker was asked to stop", service.grace);
            Err(DataFusionError::Execution(message))
        }
    }
}
