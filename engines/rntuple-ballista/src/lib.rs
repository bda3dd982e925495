//! Scheduler, executors and sessions of [Ballista](ballista) that read and write RNTuple files.
//!
//! The program `rntuple-ballista` starts the scheduler and the executors. A session sends its queries to the scheduler,
//! which cuts them into stages; executors run those, and keep the rows between them on their disks:
//!
//! ```no_run
//! use rntuple_datafusion::{RNTupleTable, TableOptions};
//! use rntuple_node::{Limits, Stores};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Stores::new(["s3://bucket"]).runtime(&Limits::default())?;
//! let context = rntuple_ballista::session("df://scheduler:50050", runtime).await?;
//! let options = TableOptions::new().same_schema(true);
//! let events = RNTupleTable::open(&context.state(), ["s3://bucket/run*.root"], options).await?;
//! context.register_table("events", std::sync::Arc::new(events))?;
//! context.sql("SELECT run, avg(met) FROM events GROUP BY run").await?.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Ballista 55 gives wrong answers when an executor is lost that has rows of a stage that is done. The scheduler of this crate
//! cancels such queries, and sessions of this crate run them again, but for those that write files. Others continue without
//! the executor.

mod again;
mod codecs;
mod executor;
mod guard;
mod scheduler;
mod session;

pub use executor::Executor;
pub use scheduler::Scheduler;
pub use session::{session, session_of};

/// Most bytes of a message, which a plan has to fit into.
pub(crate) const MESSAGE: u32 = 64 << 20;
