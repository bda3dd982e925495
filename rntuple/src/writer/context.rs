//! What fills clusters, whatever the type of the entries: one for a writer, one for each thread of a parallel one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::WriteOptions;
use super::cluster::{EndedCluster, OpenCluster, Tally, Writing};
use super::core::{Core, Extension, SharedFile, lock_file};
use super::estimate::Estimate;
use super::order::Held;
use super::representations::Representations;
use super::share::Share;
use crate::cluster::Gathered;
use crate::column::ColumnSink;
use crate::error::{Error, Result};
use crate::field::WriteField;
use crate::page::SealedPage;
use crate::schema::ColumnId;
use crate::storage::WriteAt;

/// An ntuple that one or more contexts write.
pub(super) struct Shared<W: WriteAt> {
    core: Mutex<Core<W>>,
    /// A unit was written, room was made, or entries were lost.
    turn: Condvar,
}

impl<W: WriteAt> Shared<W> {
    pub(super) fn new(core: Core<W>) -> Arc<Self> {
        Arc::new(Self { core: Mutex::new(core), turn: Condvar::new() })
    }

    /// The lock survives a panic: what is behind it changes in whole steps.
    pub(super) fn lock(&self) -> MutexGuard<'_, Core<W>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All who wait look again.
    pub(super) fn call(&self) {
        self.turn.notify_all();
    }

    pub(super) fn into_core(self) -> Core<W> {
        self.core.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a context does to the file.
#[derive(Debug)]
pub(super) enum Step {
    /// Writes pages of the open cluster.
    Pages(Vec<(ColumnId, SealedPage)>),
    /// Ends the open cluster, which has so many entries, and these representations.
    End(u64, Arc<[u16]>),
}

/// Bytes of memory that pages take while they wait.
pub(super) fn footprint(pages: &[(ColumnId, SealedPage)]) -> u64 {
    pages.iter().map(|(_, page)| page.footprint()).sum()
}

/// The clusters that a context, or a unit that waited, makes of its steps.
#[derive(Debug)]
pub(super) struct Track {
    open: OpenCluster,
    ended: Vec<EndedCluster>,
}

impl Track {
    pub(super) fn new(columns: usize) -> Self {
        Self { open: OpenCluster::new(columns), ended: Vec::new() }
    }

    /// Writes pages of the open cluster.
    pub(super) fn put<W: WriteAt>(
        &mut self,
        pages: &[(ColumnId, SealedPage)],
        writing: Writing,
        file: &SharedFile<W>,
    ) -> Result<Tally> {
        self.open.put(pages, writing, |portion| {
            let mut file = lock_file(file);
            match &*portion.parts {
                [page] if portion.is_chunked => {
                    file.any().append_payload(page, portion.length, writing.limit)
                }
                parts => file.any().append_aligned_blob(parts, portion.length, portion.alignment),
            }
        })
    }

    /// More columns join.
    fn grow(&mut self, lanes: usize) {
        self.open.grow(lanes);
    }

    pub(super) fn end(&mut self, entries: u64, representations: Arc<[u16]>) {
        let ended = self.open.end(entries, representations);
        self.ended.push(ended);
    }

    pub(super) fn take_ended(&mut self) -> Vec<EndedCluster> {
        std::mem::take(&mut self.ended)
    }
}

/// Clusters that are published together.
#[derive(Debug)]
struct Unit {
    /// Its place in the order, if there is one.
    key: Option<u64>,
    /// All before it is on storage, so it goes there too.
    is_turn: bool,
    /// Steps that wait for its turn.
    held: Vec<Step>,
    /// Entries of its ended clusters.
    entries: u64,
}

/// Takes the pages of one set of columns to storage, and says when.
pub(super) struct Context<W: WriteAt> {
    pub(super) shared: Arc<Shared<W>>,
    /// What a parallel writer calls it while it is lent.
    pub(super) number: u64,
    file: SharedFile<W>,
    /// Entries belong into units.
    is_ordered: bool,
    sink: Arc<ColumnSink>,
    share: Share,
    pub(super) representations: Representations,
    writing: Writing,
    cluster_size: u64,
    max_cluster_length: u64,
    estimate: Estimate,
    /// Pages that the pool works on until the next ones come.
    queued: Option<Gathered>,
    track: Track,
    unit: Option<Unit>,
}

impl<W: WriteAt> Context<W> {
    pub(super) fn new(
        shared: Arc<Shared<W>>,
        sink: Arc<ColumnSink>,
        share: Share,
        representations: Representations,
    ) -> Self {
        let core = shared.lock();
        let options = core.options();
        let writing = Writing { share: options.share_pages, limit: options.max_key_size };
        let (cluster_size, max_cluster_length) = (options.cluster_size, options.max_cluster_length);
        let estimate = Estimate::new(core.is_compressed(), sink.sealer.is_parallel());
        let (file, track) = (core.file().clone(), Track::new(core.lane_count()));
        let is_ordered = core.is_ordered();
        drop(core);
        Self {
            shared,
            number: 0,
            file,
            is_ordered,
            sink,
            share,
            representations,
            writing,
            cluster_size,
            max_cluster_length,
            estimate,
            queued: None,
            track,
            unit: None,
        }
    }

    /// Declares columns that are to join behind so many entries.
    pub(super) fn declare_extension<X: WriteField + ?Sized>(
        &self,
        entries: u64,
        options: &WriteOptions,
    ) -> Result<(X::Writer, Extension)> {
        self.shared.lock().declare_extension::<X>(&self.sink, entries, options)
    }

    /// They join.
    pub(super) fn extend(&mut self, extension: Extension) {
        self.share = extension.share;
        let mut core = self.shared.lock();
        core.extend(extension);
        let (lanes, initial) = (core.lane_count(), core.options().initial_page_length);
        drop(core);
        self.share.limit(&self.sink, initial, lanes);
        self.track.grow(lanes);
    }

    /// # Errors
    /// Entries were lost before, by this context or another one.
    pub(super) fn check(&self) -> Result<()> {
        self.shared.lock().check()
    }

    /// Why nothing is taken any more.
    pub(super) fn refuse(&self) -> Error {
        self.shared.lock().refuse()
    }

    /// Takes full pages on their way to storage.
    pub(super) fn put(&mut self, pages: Gathered) -> Result<()> {
        self.check_order()?;
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
    pub(super) fn end_cluster(&mut self, pages: Gathered, entries: u64) -> Result<()> {
        if let Some(before) = self.queued.take() {
            self.write(before)?;
        }
        self.write(pages)?;
        self.estimate.end_cluster();
        let representations = self.representations.active();
        self.representations.turn();
        match &mut self.unit {
            Some(unit) => {
                unit.entries += entries;
                if unit.is_turn {
                    self.track.end(entries, representations);
                } else {
                    unit.held.push(Step::End(entries, representations));
                }
                Ok(())
            }
            None => {
                self.track.end(entries, representations);
                self.shared.lock().publish(self.track.take_ended())
            }
        }
    }

    fn write(&mut self, pages: Gathered) -> Result<()> {
        self.check_order()?;
        let pages = pages.into_pages()?;
        self.estimate.note(&pages);
        if pages.is_empty() {
            return Ok(());
        }
        if !self.take_turn()? {
            return self.hold(pages);
        }
        self.write_now(pages)
    }

    fn write_now(&mut self, pages: Vec<(ColumnId, SealedPage)>) -> Result<()> {
        self.track.put(&pages, self.writing, &self.file)?;
        pages.into_iter().for_each(|(_, page)| self.sink.sealer.recycle(page));
        Ok(())
    }

    /// # Errors
    /// The file has an order, and these entries have no place in it.
    fn check_order(&self) -> Result<()> {
        if self.is_ordered && self.unit.is_none() {
            return Err(Error::invalid_argument(
                "an ordered writer takes entries only in units: begin them with `FillContext::unit`",
            ));
        }
        Ok(())
    }

    /// Whether this context may write now; then what it has held back is written.
    fn take_turn(&mut self) -> Result<bool> {
        let Some(unit) = &mut self.unit else { return Ok(true) };
        if !unit.is_turn {
            unit.is_turn = unit.key.is_none_or(|key| self.shared.lock().is_turn(key));
            if unit.is_turn {
                let held = std::mem::take(&mut unit.held);
                self.replay(held)?;
            }
        }
        Ok(self.unit.as_ref().is_none_or(|unit| unit.is_turn))
    }

    fn replay(&mut self, steps: Vec<Step>) -> Result<()> {
        for step in steps {
            match step {
                Step::Pages(pages) => {
                    let size = footprint(&pages);
                    self.write_now(pages)?;
                    self.shared.lock().release(size);
                    self.shared.turn.notify_all();
                }
                Step::End(entries, representations) => self.track.end(entries, representations),
            }
        }
        Ok(())
    }

    /// Keeps pages until it is this unit's turn; waits where there is no room for them.
    fn hold(&mut self, pages: Vec<(ColumnId, SealedPage)>) -> Result<()> {
        let size = footprint(&pages);
        let shared = self.shared.clone();
        let mut core = shared.lock();
        let mut is_patience_over = false;
        loop {
            if self.unit.as_ref().and_then(|unit| unit.key).is_some_and(|key| core.is_turn(key)) {
                drop(core);
                self.take_turn()?;
                return self.write_now(pages);
            }
            if core.hold(size) {
                break;
            }
            // The unit before it may be lost.
            core.check()?;
            core.hold_context(self.number);
            let wait = core.begin_waiting()?;
            match wait.and_then(|wait| wait.limit) {
                None => core = shared.turn.wait(core).unwrap_or_else(PoisonError::into_inner),
                Some(_) if is_patience_over => return Err(core.give_up_waiting()),
                Some(limit) => {
                    let waited = shared.turn.wait_timeout(core, limit);
                    let (locked, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                    core = locked;
                    // Another thread may have begun its unit meanwhile, which wakes no one.
                    is_patience_over = timeout.timed_out();
                }
            }
            core.stop_waiting(wait);
        }
        drop(core);
        if let Some(unit) = &mut self.unit {
            unit.held.push(Step::Pages(pages));
        }
        Ok(())
    }

    pub(super) fn has_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Begins a unit: its clusters are published together, by key where there is an order.
    pub(super) fn begin_unit(&mut self, key: Option<u64>) -> Result<()> {
        let mut core = self.shared.lock();
        core.begin_unit(key, self.number)?;
        let is_turn = key.is_none_or(|key| core.is_turn(key));
        drop(core);
        self.unit = Some(Unit { key, is_turn, held: Vec::new(), entries: 0 });
        // What is in a file must not depend on which units one context happened to fill.
        self.estimate.forget();
        Ok(())
    }

    /// Publishes the unit, whose last cluster has ended, or leaves it to whoever writes the one before it.
    pub(super) fn commit_unit(&mut self) -> Result<()> {
        // What another context has lost does not matter to a unit that is whole.
        let entries = self.unit.as_ref().map_or(0, |unit| unit.entries);
        self.take_turn().map_err(|error| self.lose(error, 0))?;
        let Some(mut unit) = self.unit.take() else { return Ok(()) };
        let shared = self.shared.clone();
        let mut core = shared.lock();
        match unit.key {
            Some(key) if !unit.is_turn && !core.is_turn(key) => {
                core.keep(key, Held { steps: unit.held, entries: unit.entries });
                return Ok(());
            }
            Some(_) if !unit.is_turn => {
                // Its turn came just now.
                drop(core);
                let held = std::mem::take(&mut unit.held);
                self.replay(held).map_err(|error| self.lose(error, entries))?;
                core = shared.lock();
            }
            _ => {}
        }
        core.publish(self.track.take_ended())?;
        if unit.key.is_some() {
            core.advance(unit.entries, self.writing)?;
        }
        drop(core);
        shared.turn.notify_all();
        Ok(())
    }

    /// Forgets the unit: none of its entries will be in the file.
    pub(super) fn drop_unit(&mut self, entries: u64) {
        let Some(unit) = self.unit.take() else { return };
        self.give_up();
        let Some(key) = unit.key else { return };
        let why = if std::thread::panicking() { "by a panic" } else { "without `commit`" };
        let error = Error::invalid_argument(format!("unit {key} was dropped {why}"));
        self.lose(error, unit.entries + entries);
    }

    /// Forgets what is not published.
    pub(super) fn give_up(&mut self) {
        self.queued = None;
        self.unit = None;
        self.track = Track::new(self.shared.lock().lane_count());
        self.estimate.end_cluster();
    }

    /// Notes that these entries are lost, with those of the unit that they belong to.
    #[cold]
    pub(super) fn lose(&mut self, error: Error, entries: u64) -> Error {
        let entries = entries + self.unit.as_ref().map_or(0, |unit| unit.entries);
        self.give_up();
        let error = self.shared.lock().lose(error, entries);
        self.shared.turn.notify_all();
        error
    }

    /// The length of the open cluster at which to look again.
    pub(super) fn next_stop(&self, length: u64) -> u64 {
        if self.check_order().is_err() {
            return length.saturating_add(1);
        }
        let left = self.cluster_size.saturating_sub(self.estimate.size_of(length));
        let step = self.estimate.length_of(left).clamp(1, self.share.write_buffer.max(1));
        length.saturating_add(step).min(self.max_cluster_length)
    }

    pub(super) fn is_cluster_full(&self, length: u64) -> bool {
        length >= self.max_cluster_length
            || self.estimate.pages() >= self.share.cluster_pages
            || self.estimate.size_of(length) >= self.cluster_size
    }
}
