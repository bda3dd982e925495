//! The cluster that one set of columns fills: its pages on their way to storage, its size, its representations.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::WriteOptions;
use super::cluster::OpenCluster;
use super::destination::Destination;
use super::draft::{Declaration, Draft, Parts};
use super::estimate::Estimate;
use super::representations::Representations;
use super::share::Share;
use crate::cluster::PendingPages;
use crate::column::ColumnSink;
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};

/// Makes clusters of the pages of one set of columns, and decides when they end.
pub(super) struct ClusterBuilder<D: ?Sized> {
    state: Hidden<ClusterState>,
    pub(super) destination: D,
}

/// What is known of a cluster, wherever it goes.
pub(super) struct ClusterState {
    pub(super) representations: Representations,
    pub(super) sink: Arc<ColumnSink>,
    share: Share,
    cluster_size: u64,
    max_cluster_length: u64,
    estimate: Estimate,
    /// Pages that the pool works on until the next ones come.
    queued: Option<PendingPages>,
    pub(super) open: OpenCluster,
}

discards!(ClusterState);

impl<D: ?Sized> Deref for ClusterBuilder<D> {
    type Target = ClusterState;

    fn deref(&self) -> &ClusterState {
        &self.state
    }
}

impl<D: ?Sized> DerefMut for ClusterBuilder<D> {
    fn deref_mut(&mut self) -> &mut ClusterState {
        &mut self.state
    }
}

impl<D> ClusterBuilder<D> {
    pub(super) fn new(destination: D, state: Hidden<ClusterState>) -> Self {
        Self { state, destination }
    }
}

impl<D: Destination> ClusterBuilder<D> {
    /// The cluster, and where it goes.
    pub(super) fn split(&mut self) -> (&mut ClusterState, &mut D) {
        (&mut self.state, &mut self.destination)
    }

    /// The same builder, whatever its destination is.
    pub(super) fn any(&mut self) -> &mut ClusterBuilder<dyn Destination + '_> {
        self
    }
}

impl ClusterState {
    /// That of the columns that were declared.
    pub(super) fn of(draft: &Draft, schema: Hidden<Declaration>) -> Hidden<Self> {
        Self::new(schema.into_inner().parts, &draft.options)
    }

    pub(super) fn new(parts: Parts, options: &WriteOptions) -> Hidden<Self> {
        let Parts { sink, share, representations, lanes, is_compressed } = parts;
        Hidden::new(Self {
            representations,
            share,
            cluster_size: options.cluster_size,
            max_cluster_length: options.max_cluster_length,
            estimate: Estimate::new(is_compressed, sink.sealer.is_parallel()),
            sink,
            queued: None,
            open: OpenCluster::new(lanes),
        })
    }

    /// More columns join; there are `lanes` column writers then.
    pub(super) fn grow(&mut self, lanes: usize, share: Share, initial_page_length: usize) {
        self.share = share;
        self.share.limit(&self.sink, initial_page_length, lanes);
        self.open.grow(lanes);
    }

    /// Forgets the open cluster.
    pub(super) fn give_up(&mut self) {
        self.queued = None;
        self.open.clear();
        self.estimate.end_cluster();
    }

    /// Forgets how well the clusters before were compressed.
    pub(super) fn forget(&mut self) {
        self.estimate.forget();
    }

    pub(super) fn is_cluster_full(&self, length: u64) -> bool {
        length >= self.max_cluster_length
            || self.estimate.pages() >= self.share.cluster_pages
            || self.estimate.size_of(length) >= self.cluster_size
    }

    /// The length of the open cluster at which the buffer is full, whether or not the cluster can end there.
    pub(super) fn buffer_stop(&self, length: u64) -> u64 {
        length.saturating_add(self.share.write_buffer.max(1))
    }
}

impl ClusterBuilder<dyn Destination + '_> {
    /// Takes full pages on their way to storage.
    pub(super) fn put(&mut self, pages: PendingPages) -> Result<()> {
        self.destination.check_ready()?;
        if !self.sink.sealer.is_parallel() {
            return self.write(pages);
        }
        // The pool has time for them until the next ones come.
        match self.queued.replace(pages) {
            Some(before) => self.write(before),
            None => Ok(()),
        }
    }

    /// Takes the last pages of the open cluster.
    pub(super) fn put_last(&mut self, pages: PendingPages) -> Result<()> {
        if let Some(before) = self.queued.take() {
            self.write(before)?;
        }
        self.write(pages)
    }

    /// Ends the open cluster, whose pages have all been taken.
    pub(super) fn end_cluster(&mut self, entries: u64) -> Result<()> {
        self.estimate.end_cluster();
        let representations = self.representations.active();
        self.representations.turn();
        self.destination.end_cluster(&mut self.state.open, entries, &representations)
    }

    fn write(&mut self, pages: PendingPages) -> Result<()> {
        self.destination.check_ready()?;
        let mut pages = pages.into_sealed().map_err(|fault| self.destination.ntuple().locate(fault))?;
        self.estimate.note(&pages);
        if pages.is_empty() {
            return Ok(());
        }
        let state = &mut *self.state;
        self.destination.put(&mut state.open, &mut pages, &state.sink.sealer)
    }

    /// Notes that these entries of the open cluster are lost.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        self.give_up();
        self.destination.lose(error, entries)
    }

    /// The same by a panic.
    #[cold]
    pub(super) fn lose_by_panic(&mut self, error: Error, entries: u64) -> Error {
        self.give_up();
        self.destination.lose_by_panic(error, entries)
    }

    /// The length of the open cluster at which to look again.
    pub(super) fn next_stop(&self, length: u64) -> u64 {
        if self.destination.check_ready().is_err() {
            return length.saturating_add(1);
        }
        let left = self.cluster_size.saturating_sub(self.estimate.size_of(length));
        let step = self.estimate.length_of(left).clamp(1, self.share.write_buffer.max(1));
        length.saturating_add(step).min(self.max_cluster_length)
    }
}
