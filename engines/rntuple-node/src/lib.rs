//! What the programs of a cluster have in common: object stores, limits, a log.
//!
//! ```
//! use rntuple_node::{Limits, Stores};
//! # fn main() -> datafusion::common::Result<()> {
//! // Queries of this process read local files and one bucket, with the credentials of the environment.
//! let stores = Stores::new(["file:///", "s3://bucket"]);
//! let runtime = stores.runtime(&Limits::default().memory(8 << 30))?;
//! # Ok(())
//! # }
//! ```

mod limits;
mod log;
mod registry;
mod signal;
mod stores;

pub use crate::log::log_to_stderr;
pub use limits::Limits;
pub use signal::stopped;
pub use stores::Stores;
