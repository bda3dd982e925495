//! The processes of a Ballista cluster that reads and writes RNTuple files.

use std::process::ExitCode;

use clap::Parser;
use rntuple_ballista::{Executor, Scheduler};
use rntuple_node::{log_to_stderr, stopped};

/// The processes of a Ballista cluster that reads and writes RNTuple files
///
/// Credentials of object stores come from the environment. Who can reach the processes can read and write what they can:
/// they belong into a private network.
#[derive(Debug, Parser)]
#[command(version)]
enum Flags {
    /// Plans queries, and hands out their parts; one in a cluster
    Scheduler(Scheduler),
    /// Runs parts of queries; one on each machine
    Executor(Executor),
}

// Plans of many stages go deep, and debug builds use much stack for each level.
const STACK: usize = 32 << 20;

fn main() -> ExitCode {
    log_to_stderr();
    let flags = Flags::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(flags)),
        Err(error) => Err(error.into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rntuple-ballista: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: Flags) -> ballista_core::error::Result<()> {
    match flags {
        Flags::Scheduler(scheduler) => {
            scheduler.run(|address| println!("listening on {address}"), stopped()).await
        }
        Flags::Executor(executor) => executor.run().await,
    }
}
