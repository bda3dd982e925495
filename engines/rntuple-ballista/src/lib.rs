//! Scheduler, executors and sessions of [Ballista](ballista) that read and write RNTuple files.
//!
//! The program `rntuple-ballista` starts the scheduler and the executors. A session sends its queries to the scheduler,
//! which cuts them into stages; executors run those, keep the rows between them on their disks, and repeat what is lost
//! with one of them:
//!
//! ```no_run
//! use rntuple_datafusion::{RNTupleTable, TableOptions};
//! use rntuple_node::{Limits, Stores};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Stores::new(["s3://bucket"]).runtime(&Limits::default())?;
//! let context = rntuple_ballista::session("df://scheduler:50050", runtime).await?;
//! let events = RNTupleTable::open(&context.state(), ["s3://bucket/run*.root"], TableOptions::new()).await?;
//! context.register_table("events", std::sync::Arc::new(events))?;
//! context.sql("SELECT run, avg(met) FROM events GROUP BY run").await?.show().await?;
//! # Ok(())
//! # }
//! ```

mod codecs;
mod executor;
mod scheduler;
mod session;

pub use executor::Executor;
pub use scheduler::Scheduler;
pub use session::{session, session_of};

/// Most bytes of a message, which a plan has to fit into.
pub(crate) const MESSAGE: u32 = 64 << 20;
