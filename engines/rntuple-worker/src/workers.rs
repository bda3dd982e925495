//! Sessions whose queries run on workers.

use std::sync::Arc;

use datafusion::common::{Result, config_datafusion_err, exec_datafusion_err, exec_err};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionContext;
use datafusion_distributed::{
    ChannelResolver as _, DistributedExt as _, GetWorkerInfoRequest, SessionStateBuilderExt as _,
    WorkerResolver,
};
use futures_util::future::try_join_all;
use rntuple_datafusion::{RNTuplePhysicalCodec, config, with_rntuple};
use url::Url;

use crate::channel::{Channels, Deadlines};
use crate::ordered::{cut_in_order, keep_whole};
use crate::release;

/// The workers that queries run on.
#[derive(Clone, Debug)]
#[must_use]
pub struct Workers {
    urls: Arc<[Url]>,
    deadlines: Deadlines,
}

impl Workers {
    /// Takes the URLs of workers: `http://node1:8080`.
    ///
    /// # Errors
    /// There is none, or a URL is wrong.
    pub fn new<U: AsRef<str>>(urls: impl IntoIterator<Item = U>) -> Result<Self> {
        let parse = |text: U| {
            let text = text.as_ref();
            let url = Url::parse(text)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            url.ok_or_else(|| {
                config_datafusion_err!("{text} is not the URL of a worker, as http://node1:8080 is")
            })
        };
        let urls: Arc<[Url]> = urls.into_iter().map(parse).collect::<Result<_>>()?;
        if urls.is_empty() {
            return Err(config_datafusion_err!("a distributed query needs a worker"));
        }
        Ok(Self { urls, deadlines: Deadlines::default() })
    }

    /// Sets when a worker counts as gone.
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// Asks all workers whether they are there, and of the same release as this program.
    ///
    /// # Errors
    /// One does not answer in time, or is of another release. The error names it.
    pub async fn check(&self) -> Result<()> {
        let channels = Channels::new(self.deadlines.clone());
        let ask = |url: Url| {
            let channels = channels.clone();
            async move {
                let mut worker = channels.get_worker_client_for_url(&url).await?;
                let limit = self.deadlines.connect_time();
                let answer =
                    tokio::time::timeout(limit, worker.get_worker_info(GetWorkerInfoRequest {})).await;
                let late =
                    |_| exec_datafusion_err!("worker {url} does not answer within {} s", limit.as_secs());
                let (here, there) = (release(), answer.map_err(late)??.version);
                match here == there {
                    true => Ok(()),
                    false => exec_err!(
                        "worker {url} is of {there}, this program of {here}: use one release everywhere"
                    ),
                }
            }
        };
        try_join_all(self.urls.iter().cloned().map(ask)).await.map(|_| ())
    }

    /// Starts a session whose queries run on the workers, and in which SQL knows RNTuple files.
    ///
    /// Stores of the runtime serve for planning, which looks into files; workers have their own.
    #[must_use]
    pub fn session(&self, runtime: Arc<RuntimeEnv>) -> SessionContext {
        let builder = SessionStateBuilder::new().with_config(config()).with_default_features();
        SessionContext::new_with_state(self.distribute(builder.with_runtime_env(runtime)).build())
    }

    /// Adds the workers, and RNTuple files, to what a session knows. How queries are cut is set after that.
    ///
    /// ```no_run
    /// use datafusion::execution::SessionStateBuilder;
    /// use datafusion::prelude::SessionContext;
    /// use datafusion_distributed::DistributedExt as _;
    /// # fn run(workers: rntuple_worker::Workers) -> datafusion::common::Result<()> {
    /// let config = rntuple_datafusion::config().with_target_partitions(16);
    /// let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    /// // One more worker takes part for each 64 MiB times 16 that a scan reads.
    /// let builder = workers.distribute(builder).with_distributed_file_scan_config_bytes_per_partition(64 << 20)?;
    /// let context = SessionContext::new_with_state(builder.build());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn distribute(&self, builder: SessionStateBuilder) -> SessionStateBuilder {
        with_rntuple(builder)
            .with_distributed_worker_resolver(Fixed(self.urls.clone()))
            .with_distributed_channel_resolver(Channels::new(self.deadlines.clone()))
            .with_distributed_user_codec(RNTuplePhysicalCodec::default())
            .with_distributed_desired_task_count_handler(keep_whole)
            .with_distributed_scale_up_leaf_node_handler(cut_in_order)
            .with_distributed_planner()
    }
}

/// Workers that are known from the start.
struct Fixed(Arc<[Url]>);

impl WorkerResolver for Fixed {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use datafusion_distributed::Worker;

    use super::*;

    #[test]
    fn urls_of_workers_are_checked() {
        assert!(Workers::new(["http://node1:8080"]).is_ok());
        for wrong in ["node1", "node1:8080", "s3://bucket", "http://"] {
            let error = Workers::new([wrong]).unwrap_err().to_string();
            assert!(error.contains(wrong), "{error}");
        }
        assert!(Workers::new::<&str>([]).is_err());
    }

    #[tokio::test]
    async fn a_worker_that_is_not_there_is_named() {
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        let workers = Workers::new([&url]).unwrap().deadlines(Deadlines::default().connect(5));
        let error = workers.check().await.unwrap_err().to_string();
        assert!(error.contains(&url), "{error}");
    }

    /// Serves a worker that says that it is of a release. Returns its URL.
    async fn of_release(release: String) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let worker = Worker::default().with_version(release).into_worker_server();
        let served = tonic::transport::Server::builder().add_service(worker);
        tokio::spawn(served.serve_with_incoming(tonic::transport::server::TcpIncoming::from(listener)));
        url
    }

    #[tokio::test]
    async fn a_worker_of_another_release_is_named() {
        let same = of_release(release()).await;
        Workers::new([&same]).unwrap().check().await.unwrap();
        let here = release();
        for other in [
            here.replace("DataFusion 55", "DataFusion 54"),
            here.replace("rntuple ", "rntuple 9"),
            String::new(),
        ] {
            assert_ne!(other, here);
            let url = of_release(other.clone()).await;
            let error = Workers::new([&same, &url]).unwrap().check().await.unwrap_err().to_string();
            for part in [
                format!("worker {url}/ is of {other}, this program of {here}"),
                "use one release everywhere".to_owned(),
            ] {
                assert!(error.contains(&part), "{error}");
            }
            assert!(!error.contains(&same), "{error}");
        }
    }

    #[tokio::test]
    async fn what_is_not_a_worker_is_named() {
        // It takes connections, and says nothing.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let workers = Workers::new([&url]).unwrap().deadlines(Deadlines::default().connect(1));
        let error = workers.check().await.unwrap_err().to_string();
        assert!(error.contains(&url) && error.contains("does not answer within 1 s"), "{error}");
    }
}
