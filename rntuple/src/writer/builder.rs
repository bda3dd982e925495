//! The cluster that one set of columns fills: its pages on their way to storage, its size, its representations.

use std::sync::Arc;

use super::WriteOptions;
use super::cluster::OpenCluster;
use super::destination::Destination;
use super::draft::Parts;
use super::estimate::Estimate;
use super::representations::Representations;
use super::share::Share;
use crate::cluster::PendingPages;
use crate::column::ColumnSink;
use crate::error::{Error, Result};

/// Makes clusters of the pages of one set of columns, and decides when they end.
pub(super) struct ClusterBuilder<D> {
    pub(super) destination: D,
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

impl<D> ClusterBuilder<D> {
    pub(super) fn new(destination: D, parts: Parts, options: &WriteOptions) -> Self {
        let Parts { sink, share, representations, lanes, is_compressed } = parts;
        Self {
            destination,
            representations,
            share,
            cluster_size: options.cluster_size,
            max_cluster_length: options.max_cluster_length,
            estimate: Estimate::new(is_compressed, sink.sealer.is_parallel()),
            sink,
            queued: None,
            open: OpenCluster::new(lanes),
        }
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
}

impl<D: Destination> ClusterBuilder<D> {
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

    /// Ends the open cluster with these last pages.
    pub(super) fn end_cluster(&mut self, pages: PendingPages, entries: u64) -> Result<()> {
        if let Some(before) = self.queued.take() {
            self.write(before)?;
        }
        self.write(pages)?;
        self.estimate.end_cluster();
        let representations = self.representations.active();
        self.representations.turn();
        self.destination.end_cluster(&mut self.open, entries, representations)
    }

    fn write(&mut self, pages: PendingPages) -> Result<()> {
        self.destination.check_ready()?;
        let pages =
            pages.into_sealed().map_err(|fault| self.destination.ask(|ntuple| ntuple.locate(fault)))?;
        self.estimate.note(&pages);
        if pages.is_empty() {
            return Ok(());
        }
        self.destination.put(&mut self.open, pages, &self.sink.sealer)
    }

    /// Notes that these entries of the open cluster are lost.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        self.give_up();
        self.destination.lose(error, entries)
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
