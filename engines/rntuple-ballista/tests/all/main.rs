//! Queries that run on a cluster of a scheduler and executors, which are processes of their own.

mod failures;
mod queries;

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
    /// Starts executors that run two parts at a time, and are lost after some seconds of silence.
    fn start(executors: usize) -> Self {
        let flags = ["scheduler", "--listen", "127.0.0.1:0", "--store", "file:///", "--lost-after", "4"];
        let (scheduler, port) = Process::listening(program(), &flags);
        let mut cluster =
            Self { executors: Vec::new(), _scheduler: scheduler, port, folder: TempDir::new().unwrap() };
        for number in 0..executors {
            let (scheduler, work) = (port.to_string(), cluster.work(number));
            let (rows, orders) = (free_port().to_string(), free_port().to_string());
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
                "--store",
                "file:///",
                "--heartbeat",
                "1",
            ];
            cluster.executors.push(Process::start(program(), &flags));
        }
        cluster
    }

    /// The folder in which an executor keeps rows.
    fn work(&self, executor: usize) -> PathBuf {
        self.folder.path().join(format!("executor{executor}"))
    }

    /// Whether an executor has kept rows.
    fn has_rows(&self, executor: usize) -> bool {
        fn any(folder: &Path) -> bool {
            let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
            entries.map(|entry| entry.path()).any(|path| path.is_file() || any(&path))
        }
        any(&self.work(executor))
    }

    async fn session(&self) -> SessionContext {
        let runtime = Stores::new(["file:///"]).runtime(&Limits::default()).unwrap();
        let mut config = rntuple_datafusion::config().with_target_partitions(4);
        config.options_mut().optimizer.repartition_file_min_size = 0;
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let url = format!("df://127.0.0.1:{}", self.port);
        rntuple_ballista::session_of(&url, builder.with_runtime_env(runtime)).await.unwrap()
    }

    /// Waits until all executors have run something.
    async fn ready(&self, context: &SessionContext) {
        let query = "SELECT run, count(*) FROM events GROUP BY run";
        let all_run = async {
            while !(0..self.executors.len()).all(|executor| self.has_rows(executor)) {
                let _ = context.sql(query).await.unwrap().collect().await;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        within(60, "executors", all_run).await;
    }
}
