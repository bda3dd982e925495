//! Where the clusters of a builder go.

use std::ops::Deref;
use std::sync::Arc;

use super::cluster::{OpenCluster, Pages};
use super::ntuple::{Ntuple, State};
use crate::error::{Error, Result};
use crate::page::Sealer;
use crate::storage::WriteAt;

/// Where the pages of a cluster go, and the cluster when it ends: an ntuple, or a place in the queue before one.
pub(super) trait Destination {
    /// Takes pages of the open cluster, which notes where they are. `sealer` gets their memory back.
    ///
    /// What is taken is lent, here and below: a function of generic types would have the code that drops it.
    fn put(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()>;

    /// Takes the open cluster, whose pages have all been taken. It has these representations of its fields.
    fn end_cluster(
        &mut self,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()>;

    /// The ntuple.
    fn ntuple(&self) -> Box<dyn Deref<Target = State> + '_>;

    /// Notes that entries of the open cluster are lost, with what belongs to them. The ntuple takes no more.
    fn lose(&mut self, error: Error, entries: u64) -> Error;

    /// The same by a panic. Others that fill the same ntuple continue.
    fn lose_by_panic(&mut self, error: Error, entries: u64) -> Error {
        self.lose(error, entries)
    }

    /// How many entries the open cluster and those after it may have.
    fn room(&self) -> u64 {
        u64::MAX
    }

    /// # Errors
    /// Entries were lost before, here or by another thread, and nothing that has begun must be completed first.
    fn check(&self) -> Result<()> {
        self.ntuple().check()
    }

    /// # Errors
    /// Entries cannot be taken in the present state, whatever they are.
    fn check_ready(&self) -> Result<()> {
        Ok(())
    }
}

impl<W: WriteAt> Destination for Ntuple<W> {
    fn put(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        let (state, file) = self.parts();
        state.put(file, open, pages, sealer)
    }

    fn end_cluster(
        &mut self,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()> {
        let (state, file) = self.parts();
        state.end_cluster(file, open, entries, representations)
    }

    fn ntuple(&self) -> Box<dyn Deref<Target = State> + '_> {
        Box::new(&**self)
    }

    fn lose(&mut self, error: Error, entries: u64) -> Error {
        State::lose(self, error, entries)
    }
}
