//! An ntuple that another one puts into its file.

use std::ops::Deref;
use std::sync::Arc;

use super::cluster::{OpenCluster, Pages};
use super::destination::Destination;
use super::draft::{Declaration, Draft};
use super::ntuple::State;
use super::shared_file::{AnyFile, lock_as};
use crate::error::{Error, Result};
use crate::hidden::Hidden;
use crate::page::Sealer;
use crate::root::Author;
use crate::schema::LinkedAttributeSet;

/// As [`Ntuple`](super::ntuple::Ntuple), whatever the storage of the file is: compiled in this crate, and not for each
/// storage of a program.
pub(super) struct Guest<'a> {
    file: &'a AnyFile<'a>,
    state: Hidden<State>,
}

impl<'a> Guest<'a> {
    /// Adds an ntuple to a file and writes its header. It belongs to what `author` writes.
    pub(super) fn create(
        file: &'a AnyFile<'a>,
        draft: &Draft,
        schema: &mut Declaration,
        author: Author,
    ) -> Result<Self> {
        let state = State::create(&mut lock_as(file, author), author, false, draft, schema)?;
        Ok(Self { file, state })
    }

    /// As [`Ntuple::finish_set`](super::ntuple::Ntuple::finish_set).
    pub(super) fn finish_set(&mut self, name: &str) -> Result<Option<LinkedAttributeSet>> {
        self.state.finish_set(self.file, name)
    }
}

impl Destination for Guest<'_> {
    fn put(&mut self, open: &mut OpenCluster, pages: &mut Pages, sealer: &Sealer) -> Result<()> {
        self.state.put(self.file, open, pages, sealer)
    }

    fn end_cluster(
        &mut self,
        open: &mut OpenCluster,
        entries: u64,
        representations: &Arc<[u16]>,
    ) -> Result<()> {
        self.state.end_cluster(self.file, open, entries, representations)
    }

    fn ntuple(&self) -> Box<dyn Deref<Target = State> + '_> {
        Box::new(&*self.state)
    }

    fn lose(&mut self, error: Error, entries: u64) -> Error {
        self.state.lose(error, entries)
    }
}
