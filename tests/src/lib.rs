//! What the integration tests share.

pub mod chain;
pub mod counting;
pub mod died;
pub mod disk;
pub mod far;
pub mod forge;
pub mod memory;
pub mod objects;
pub mod places;
pub mod reference;
pub mod sample;
pub mod switched;

use std::sync::Arc;

use rntuple::Dataset;
use rntuple::schema::ClusterDescriptor;

/// All clusters of an ntuple.
///
/// # Panics
/// If a page list is damaged.
#[must_use]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
pub fn clusters(dataset: &Dataset) -> Vec<Arc<ClusterDescriptor>> {
    dataset.clusters().collect::<Result<_, _>>().unwrap()
}
