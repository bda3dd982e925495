//! The sealed pages of one range of entries: gathered by a writer, loaded for a reader.
//!
//! Columns do not know where bytes go, storage does not know what they mean; here they meet.

mod ahead;
mod batch;
mod fetch;
mod gathered;
mod loaded;
mod reads;
mod room;
mod shared;
mod span;
mod wanted;

pub(crate) use ahead::ReadAhead;
pub(crate) use fetch::Fetch;
pub use gathered::Gathered;
pub(crate) use gathered::{Appended, LaneError, LaneId, PendingPages};
pub(crate) use loaded::Access;
pub use loaded::Cluster;
pub(crate) use reads::Merging;
pub(crate) use room::{Lease, Room};
pub(crate) use shared::{SharedPages, Sharing};
pub(crate) use span::StoredPage;
pub(crate) use wanted::Wanted;

#[cfg(all(test, rntuple_model))]
mod model;
