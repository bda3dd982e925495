//! RNTuple files and data sets as tables of DataFusion: SQL over ROOT files.
//!
//! ```
//! # use rntuple::{RNTuple, WriteOptions, Writer};
//! use std::sync::Arc;
//! use rntuple_datafusion::{RNTupleTable, TableOptions, session};
//!
//! # #[derive(RNTuple)]
//! # struct Event { run: u32, met: f32 }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # std::env::set_current_dir(&directory)?;
//! # let mut writer = Writer::create("run1.root", "Events", WriteOptions::new())?;
//! # writer.fill(&Event { run: 1, met: 60.0 })?;
//! # writer.finish()?;
//! let context = session();
//! let events = RNTupleTable::open(&context.state(), ["run1.root"], TableOptions::new()).await?;
//! context.register_table("events", Arc::new(events))?;
//! context.sql("SELECT run, count(*) FROM events WHERE met > 50 GROUP BY run").await?.show().await?;
//! # Ok(())
//! # }
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | query files, folders and patterns, at paths and URLs | [`RNTupleTable::open`] |
//! | query a version of a data set | `RNTupleTable::snapshot` (feature `dataset`) |
//! | choose the ntuple, or make members of structs columns | [`TableOptions`] |
//! | use `STORED AS RNTUPLE` and `COPY .. TO 'skim.root'` in SQL | [`session`], [`with_rntuple`] |
//! | send plans to other processes | `RNTuplePhysicalCodec`, `RNTupleLogicalCodec` (feature `codec`) |
//!
//! # What is read
//! Columns that a query looks at; of structs, and of lists of structs, the members: `array_transform(muons, m -> m['pt'])`
//! reads `muons.pt`. Filters are evaluated by DataFusion while files are read: first the columns of the filter, then the
//! others, for the rows that are left where these are few. Before, the [statistics](rntuple::statistics) of a file exclude
//! clusters and pages; filters that are known only while a query runs, of a `LIMIT` with `ORDER BY` or a join, exclude what
//! comes later. Files are not even opened if what is known of them excludes them: statistics that the plan has, and the index
//! of bounds of a data set. `EXPLAIN ANALYZE` shows how many files, clusters, pages and entries were considered and skipped, as
//! [`Counters`](rntuple::filter::Counters) do, and `bytes_scanned` and `bytes_skipped`.
//!
//! A file is cut into parts for as many threads as there are partitions, in clusters too where these are large: a part is a
//! range of bytes, and has its share of the entries.
//!
//! # Types
//! Those of [`rntuple_arrow`], with variants as structs. What is inside of lists and structs is called nullable, as
//! DataFusion's own functions call it.
//!
//! # Versions
//! This is for DataFusion 55 and needs Rust 1.94. Each new major version of DataFusion takes a new one of this crate.

#![forbid(unsafe_code)]

#[cfg(feature = "codec")]
mod codec;
mod columns;
mod copy;
mod create;
#[cfg(feature = "dataset")]
mod dataset;
mod error;
mod facts;
mod files;
mod foreseen;
mod format;
mod groups;
mod joins;
mod metrics;
mod narrow;
mod options;
mod order;
mod patterns;
mod predicate;
mod prune;
mod scan;
mod session;
mod sink;
mod source;
mod stores;
mod table;
mod used;
mod zeros;

#[cfg(feature = "codec")]
pub use codec::{RNTupleLogicalCodec, RNTuplePhysicalCodec};
pub use options::TableOptions;
pub use session::{config, session, with_rntuple};
pub use table::{RNTupleTable, listing_url};
