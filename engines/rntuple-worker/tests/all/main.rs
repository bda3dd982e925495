//! Queries that run on workers, which are processes of their own.
#![expect(clippy::unwrap_used, reason = "these are tests")]

mod failures;
mod flight;
mod queries;
mod remote;
mod speed;

use std::path::Path;

use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use datafusion_distributed::DistributedExt as _;
use rntuple_engine_tests::Process;
use rntuple_node::{Limits, Stores};
use rntuple_worker::{Deadlines, Workers};

struct Cluster {
    processes: Vec<Process>,
    urls: Vec<String>,
}

impl Cluster {
    fn start(count: usize, flags: &[&str]) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_rntuple-worker"));
        let flags: Vec<&str> = ["--listen", "127.0.0.1:0"].iter().chain(flags).copied().collect();
        let (processes, ports): (Vec<_>, Vec<_>) =
            (0..count).map(|_| Process::listening(program, &flags)).unzip();
        Self { processes, urls: ports.iter().map(|port| format!("http://127.0.0.1:{port}")).collect() }
    }

    /// The same with variables of their environment, `NAME=value`.
    fn start_with(variables: &[String], count: usize, flags: &[&str]) -> Self {
        let program = env!("CARGO_BIN_EXE_rntuple-worker");
        let variables = variables.iter().map(String::as_str);
        let flags: Vec<&str> =
            variables.chain([program, "--listen", "127.0.0.1:0"]).chain(flags.iter().copied()).collect();
        let (processes, ports): (Vec<_>, Vec<_>) =
            (0..count).map(|_| Process::listening(Path::new("env"), &flags)).unzip();
        Self { processes, urls: ports.iter().map(|port| format!("http://127.0.0.1:{port}")).collect() }
    }

    /// Workers that have one core each, as machines have cores of their own.
    fn with_cores(cores: &[usize]) -> Self {
        let program = env!("CARGO_BIN_EXE_rntuple-worker");
        let start = |core: &usize| {
            let core = core.to_string();
            let flags = ["-c", &core, program, "--listen", "127.0.0.1:0", "--store", "file:///"];
            Process::listening(Path::new("taskset"), &flags)
        };
        let (processes, ports): (Vec<_>, Vec<_>) = cores.iter().map(start).unzip();
        Self { processes, urls: ports.iter().map(|port| format!("http://127.0.0.1:{port}")).collect() }
    }

    fn workers(&self) -> Workers {
        // On a busy machine, a worker that lives may be silent for seconds.
        Workers::new(&self.urls).unwrap().deadlines(Deadlines::default().connect(20).alive(20))
    }

    /// A session whose scans are cut over all workers, however small they are.
    fn session(&self) -> SessionContext {
        self.session_with(2, |builder| builder)
    }

    /// The same, with a number of parts that a worker runs at a time.
    fn session_with(
        &self,
        partitions: usize,
        more: impl FnOnce(SessionStateBuilder) -> SessionStateBuilder,
    ) -> SessionContext {
        self.session_of(&["file:///"], partitions, more)
    }

    /// The same, with other stores.
    fn session_of(
        &self,
        stores: &[&str],
        partitions: usize,
        more: impl FnOnce(SessionStateBuilder) -> SessionStateBuilder,
    ) -> SessionContext {
        let runtime = Stores::new(stores.iter().copied()).runtime(&Limits::default()).unwrap();
        let config = rntuple_datafusion::config().with_target_partitions(partitions);
        let builder = SessionStateBuilder::new().with_config(config).with_default_features();
        let builder = self.workers().distribute(builder.with_runtime_env(runtime));
        let builder = builder.with_distributed_file_scan_config_bytes_per_partition(1).unwrap();
        SessionContext::new_with_state(more(builder).build())
    }
}
