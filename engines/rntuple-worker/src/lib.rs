//! A worker of [datafusion-distributed](datafusion_distributed) that reads and writes RNTuple files, and sessions whose
//! queries run on such workers.
//!
//! The program `rntuple-worker` is [`serve`] with flags. A query is planned where the session is; scans are cut over the
//! workers, and workers exchange rows among each other:
//!
//! ```no_run
//! use rntuple_datafusion::{RNTupleTable, TableOptions};
//! use rntuple_node::{Limits, Stores};
//! use rntuple_worker::Workers;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let workers = Workers::new(["http://node1:8080", "http://node2:8080"])?;
//! // All answer, and are of this release.
//! workers.check().await?;
//! let runtime = Stores::new(["s3://bucket"]).runtime(&Limits::default())?;
//! let context = workers.session(runtime);
//! let options = TableOptions::new().same_schema(true);
//! let events = RNTupleTable::open(&context.state(), ["s3://bucket/run*.root"], options).await?;
//! context.register_table("events", std::sync::Arc::new(events))?;
//! context.sql("SELECT run, avg(met) FROM events GROUP BY run").await?.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! A query fails when one of its workers does: no work is repeated elsewhere. The error names the worker.
//!
//! The last part of a query has one task, and runs where the session is. So a `COPY .. TO` is read and computed by workers, and
//! its file is written by the program that asks, with the stores of that program.

mod channel;
mod lists;
mod ordered;
mod server;
mod workers;

pub use channel::Deadlines;
pub use server::{Service, serve};
pub use workers::Workers;

/// What must be the same on all machines, as what they send to each other is of one release.
pub(crate) fn release() -> String {
    format!("rntuple {}, DataFusion {}", env!("CARGO_PKG_VERSION"), datafusion::DATAFUSION_VERSION)
}
