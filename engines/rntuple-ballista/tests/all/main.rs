//! Queries that run on a cluster of a scheduler and executors, which are processes of their own.
#![expect(clippy::unwrap_used, reason = "these are tests")]

mod failures;
mod flight;
mod queries;
mod remote;
mod sizes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use rntuple_engine_tests::{Process, free_port, within};
use rntuple_node::{Limits, Stores};
use tempfile::TempDir;

struct Cluster {
    executors: Vec<Process>,
    _scheduler: Process,
    port: u16,
    folder: TempDir,
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_rntuple-ballista"))
}

impl Cluster {
    /// Starts executors that run two parts at a time.
    fn start(executors: usize) -> Self {
        Self::with_stores(executors, "file:///", "file:///")
    }

    /// The same, with other stores of the scheduler and of the executors.
    fn with_stores(executors: usize, store: &str, of_executors: &str) -> Self {
        Self::with_flags(executors, &["--store", store], &["--store", of_executors])
    }

    /// The same, for a test that loses some of them: after a few seconds of silence.
    fn losing(executors: usize, flags: &[&str], of_executors: &[&str]) -> Self {
        Self::with_flags(executors, &[&["--lost-after", "4"][..], flags].concat(), of_executors)
    }

    /// The same, with flags of the scheduler and of the executors.
    fn with_flags(executors: usize, flags: &[&str], of_executors: &[&str]) -> Self {
        // On a busy machine, an executor may be silent for seconds.
        let patience: &[&str] = if flags.contains(&"--lost-after") { &[] } else { &["--lost-after", "15"] };
        let flags = [&["scheduler", "--listen", "127.0.0.1:0"][..], patience, flags].concat();
        let (scheduler, port) = Process::listening(program(), &flags);
        let mut cluster =
            Self { executors: Vec::new(), _scheduler: scheduler, port, folder: TempDir::new().unwrap() };
        for number in 0..executors {
            let (scheduler, work) = (port.to_string(), cluster.work(number));
            let (rows, orders) = (free_port().unwrap().to_string(), free_port().unwrap().to_string());
            let flags = [
                "executor",
                "--scheduler-port",
                &scheduler,
                "--port",
                &rows,
                "--order-port",
                &orders,
                "--cores",
                "2",
                "--work",
                work.to_str().unwrap(),
                "--heartbeat",
                "1",
            ];
            cluster.executors.push(Process::start(program(), &[&flags, of_executors].concat()));
        }
        cluster
    }

    /// The folder in which an executor keeps rows.
    fn work(&self, executor: usize) -> PathBuf {
        self.folder.path().join(format!("executor{executor}"))
    }

    /// The number of files in which an executor keeps rows.
    fn files(&self, executor: usize) -> usize {
        fn within(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
            let count = |path: PathBuf| if path.is_dir() { within(&path) } else { 1 };
            entries.map(|entry| count(entry.path())).sum()
        }
        within(&self.work(executor))
    }

    async fn session(&self) -> SessionContext {
        self.session_of(&["file:///"]).await
    }

    /// The same, with other stores.
    async fn session_of(&self, stores: &[&str]) -> SessionContext {
        let runtime = Stores::new(stores.iter().copied()).runtime(&Limits::default()).unwrap();
        let mut config = rntuple_datafusion::config().with_target_partitions(4).with_batch_size(256);
        config.options_mut().optimizer.repartition_file_min_size = 0;
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let url = format!("df://127.0.0.1:{}", self.port);
        rntuple_ballista::session_of(&url, builder.with_runtime_env(runtime)).await.unwrap()
    }

    /// Waits until one query has run on all executors.
    async fn ready(&self, context: &SessionContext) {
        let query = "SELECT run, count(*) FROM events GROUP BY run";
        let all_run = async {
            while !self.is_shared() {
                context.sql(query).await.unwrap().collect().await.unwrap();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        within(60, "a query of all executors", all_run).await;
    }

    /// Whether all executors have kept rows of the same query.
    fn is_shared(&self) -> bool {
        let all = (0..self.executors.len()).map(|executor| self.jobs(executor));
        all.reduce(|some, others| &some & &others).is_some_and(|shared| !shared.is_empty())
    }

    /// The queries of which an executor has kept rows: the names of folders.
    fn jobs(&self, executor: usize) -> BTreeSet<String> {
        names(&self.work(executor))
    }
}

/// The names in a folder, if there is one.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
