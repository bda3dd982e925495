//! A worker of datafusion-distributed that reads and writes RNTuple files.

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Parser;
use datafusion::common::{DataFusionError, Result};
use rntuple_node::{log_to_stderr, stopped};
use rntuple_worker::{Service, serve};
use tokio::net::TcpListener;

/// A worker of datafusion-distributed that reads and writes RNTuple files
///
/// Credentials of object stores come from the environment. Who can reach the worker can read and write what it can:
/// it belongs into a private network.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    /// Address to listen on; port 0 takes a free one, which the first line of output names
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[command(flatten)]
    service: Service,
}

#[tokio::main]
async fn main() -> ExitCode {
    log_to_stderr();
    match run(Flags::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rntuple-worker: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: Flags) -> Result<()> {
    let at =
        |error: std::io::Error| DataFusionError::from(error).context(format!("--listen {}", flags.listen));
    let listener = TcpListener::bind(flags.listen).await.map_err(at)?;
    println!("listening on {}", listener.local_addr().map_err(at)?);
    serve(listener, flags.service, stopped()).await
}
