//! Where columns go.

use crate::cluster::Cluster;

/// An element of the cluster that columns are in, or of another one.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// `None`: the cluster stays the same.
    cluster: Option<&'a Cluster>,
    element: u64,
}

impl<'a> Position<'a> {
    /// The first element of another cluster.
    pub fn start_of(cluster: &'a Cluster) -> Self {
        Self { cluster: Some(cluster), element: 0 }
    }

    /// An element of the same cluster.
    #[inline]
    pub fn at(element: u64) -> Self {
        Self { cluster: None, element }
    }

    /// The other cluster, if it is another one.
    #[inline]
    pub fn cluster(self) -> Option<&'a Cluster> {
        self.cluster
    }

    /// The number of the element in its cluster.
    #[inline]
    pub fn element(self) -> u64 {
        self.element
    }

    /// The same cluster, and the element that columns below have to go to.
    #[inline]
    #[must_use]
    pub fn with_element(self, element: u64) -> Self {
        Self { element, ..self }
    }
}
