//! A column being filled.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::cluster::{Gathered, LaneId};
use crate::compression::Compression;
use crate::encoding::{ColumnEncoding, Element, RankKind, Ranks};
use crate::error::{Error, Result};
use crate::page::{OpenPage, PendingPage, Sealer};

/// How large the open pages of one writer may grow; lengths in bytes of memory. Set when the columns are known, and again
/// when more of them come.
#[derive(Debug, Default)]
pub(crate) struct PageLimits {
    /// A page starts with room for this many bytes.
    pub(crate) initial_length: AtomicUsize,
    /// A page that is this long is sealed.
    pub(crate) max_length: AtomicUsize,
    /// Every page may become so long, whatever the others take.
    pub(crate) fair_length: AtomicUsize,
    /// What all open pages together may take beyond that; a column that would pass it seals instead of growing.
    pub(crate) budget: AtomicUsize,
    /// What they take of it now.
    used: AtomicUsize,
}

impl PageLimits {
    /// Whether a page may grow to `length` bytes, of which its column has `taken` this many from the budget; then it does.
    fn grow(&self, taken: &mut usize, is_first: bool, length: usize) -> bool {
        let fair = self.fair_length.load(Ordering::Relaxed);
        let growth = length.saturating_sub(fair).saturating_sub(*taken);
        let used = self.used.fetch_add(growth, Ordering::Relaxed);
        // A column needs some page.
        let allowed = is_first || used.saturating_add(growth) <= self.budget.load(Ordering::Relaxed);
        if allowed {
            *taken += growth;
        } else {
            self.used.fetch_sub(growth, Ordering::Relaxed);
        }
        allowed
    }

    /// How many elements of `width` bytes a full page of `count` may have if it grows; then it does.
    fn room(&self, taken: &mut usize, count: usize, width: usize) -> Option<usize> {
        let elements = |length: &AtomicUsize| length.load(Ordering::Relaxed) / width;
        let limit = elements(&self.max_length).max(1);
        if count >= limit {
            return None;
        }
        let initial = elements(&self.initial_length).clamp(1, limit);
        let capacity = (count * 2).clamp(initial, limit);
        self.grow(taken, count == 0, capacity * width).then_some(capacity)
    }

    fn give_back(&self, taken: usize) {
        self.used.fetch_sub(taken, Ordering::Relaxed);
    }
}

/// What the columns of one writer share: contexts, limits.
pub(crate) struct ColumnSink {
    pub(crate) sealer: Sealer,
    pub(crate) limits: PageLimits,
    /// The columns that entries are sorted by, first the one that counts most. Set once, before any is filled.
    pub(crate) keys: OnceLock<Box<[LaneId]>>,
}

impl ColumnSink {
    pub(crate) fn new(sealer: Sealer) -> Self {
        Self { sealer, limits: PageLimits::default(), keys: OnceLock::new() }
    }

    /// An empty list of ranks for a column that entries are sorted by; `None` for others.
    fn ranks(&self, lane: LaneId, packing: &ColumnEncoding) -> Option<Box<Ranks>> {
        let keys = self.keys.get()?;
        let key = keys.iter().position(|key| *key == lane)?;
        let kind = RankKind::of(packing.column_type())?;
        Some(Box::new(Ranks { key, keys: keys.len(), kind, values: Vec::new() }))
    }
}

/// The packings of a column whose field has several representations: a cluster has one of them.
#[derive(Debug)]
pub(crate) struct Alternatives {
    pub(crate) packings: Box<[ColumnEncoding]>,
    /// Which one the next cluster has; shared by all columns of the field.
    pub(crate) chosen: Arc<AtomicU16>,
}

/// A column being filled: one open page, and the sealed ones that wait for their cluster.
pub struct ColumnWriter<E> {
    open: Open<E>,
    /// Apart, so that structs of many columns stay small enough to be moved.
    /// `None` only when it is dropped.
    cold: ManuallyDrop<Option<Box<dyn Close<E>>>>,
}

/// The open page of a column.
pub(super) struct Open<E> {
    pub(super) page: ManuallyDrop<OpenPage<E>>,
    pub(super) filled: usize,
}

/// What a column does once per page. The set of elements is closed: all of it is compiled in this crate, and a program
/// that fills columns has none of it.
pub(super) trait Close<E>: Send + Sync {
    /// Makes room: the page grows, or is sealed if it is as large as it may be.
    fn close(&mut self, open: &mut Open<E>);
    /// Hands over what there is: [`ColumnWriter::commit`].
    fn commit(&mut self, open: &mut Open<E>, cluster: &mut Gathered<'_>);
    /// The column is not needed any more.
    fn end(self: Box<Self>, page: OpenPage<E>);
    fn lane(&self) -> LaneId;
    /// `None` where pages are never sealed.
    fn cold(&self) -> Option<&Cold>;
}

/// What a column needs once per page.
pub(super) struct Cold {
    sealed: Vec<PendingPage>,
    /// Ranks of their values, if entries are sorted by the column.
    ranks: Option<Box<Ranks>>,
    /// Elements of the pages that were sealed since the cluster began.
    before: u64,
    lane: LaneId,
    packing: ColumnEncoding,
    alternatives: Option<Box<Alternatives>>,
    compression: Compression,
    sink: Arc<ColumnSink>,
    /// What its open page has taken from the budget, in bytes.
    taken: usize,
    /// The first value that could not be packed: reported by the commit that would have published it.
    fault: Option<Error>,
}

impl<E: Element> ColumnWriter<E> {
    /// Its number, as long as it is there.
    pub(crate) fn lane(&self) -> Option<LaneId> {
        self.cold.as_ref().map(|cold| cold.lane())
    }

    /// An empty column that does this once per page.
    pub(super) fn with(cold: impl Close<E> + 'static) -> Self {
        let open = Open { page: ManuallyDrop::new(Box::default()), filled: 0 };
        Self { open, cold: ManuallyDrop::new(Some(Box::new(cold))) }
    }

    pub(crate) fn new(
        lane: LaneId,
        packing: ColumnEncoding,
        alternatives: Option<Alternatives>,
        compression: Compression,
        sink: Arc<ColumnSink>,
    ) -> Self {
        let alternatives = alternatives.map(Box::new);
        let cold = Cold {
            sealed: Vec::new(),
            ranks: None,
            before: 0,
            lane,
            packing,
            alternatives,
            compression,
            sink,
            taken: 0,
            fault: None,
        };
        Self::with(cold)
    }

    /// Appends one value; returns its length in bytes.
    #[inline]
    pub fn push(&mut self, value: E) -> usize {
        if self.open.filled == self.open.page.len() {
            self.close();
        }
        if let Some(slot) = self.open.page.get_mut(self.open.filled) {
            *slot = value;
            self.open.filled += 1;
        }
        size_of::<E>()
    }

    /// Appends values one after the other; returns their length in bytes.
    #[inline]
    pub fn extend(&mut self, values: impl ExactSizeIterator<Item = E>) -> usize {
        let count = values.len();
        match self.open.page.get_mut(self.open.filled..).and_then(|rest| rest.get_mut(..count)) {
            // One check for all of them, and a loop that the compiler may turn into vectors.
            Some(slots) => {
                for (slot, value) in slots.iter_mut().zip(values) {
                    *slot = value;
                }
                self.open.filled += count;
            }
            None => self.extend_pages(values),
        }
        count * size_of::<E>()
    }

    /// Appends values that do not all fit into the page.
    #[inline(never)]
    fn extend_pages(&mut self, mut values: impl ExactSizeIterator<Item = E>) {
        while values.len() > 0 {
            if self.open.filled == self.open.page.len() {
                self.close();
            }
            let slots = self.open.page.get_mut(self.open.filled..).unwrap_or_default();
            let count = slots.len().min(values.len());
            for (slot, value) in slots.iter_mut().zip(values.by_ref()) {
                *slot = value;
            }
            self.open.filled += count;
        }
    }

    /// Appends values as [`extend`](Self::extend) does, those of items: few, of many types of iterators. Where they do not
    /// all fit into the page, they come one by one, as that is the least code.
    #[inline]
    pub(crate) fn extend_items(&mut self, values: impl ExactSizeIterator<Item = E>) -> usize {
        let count = values.len();
        match self.open.page.get_mut(self.open.filled..).and_then(|rest| rest.get_mut(..count)) {
            Some(slots) => {
                for (slot, value) in slots.iter_mut().zip(values) {
                    *slot = value;
                }
                self.open.filled += count;
            }
            None => self.push_each(values),
        }
        count * size_of::<E>()
    }

    #[cold]
    #[inline(never)]
    fn push_each(&mut self, values: impl Iterator<Item = E>) {
        for value in values {
            self.push(value);
        }
    }

    /// Appends a slice; returns its length in bytes.
    #[inline]
    pub fn extend_from_slice(&mut self, values: &[E]) -> usize {
        let mut rest = values;
        loop {
            let room = self.open.page.len() - self.open.filled;
            let (now, later) = rest.split_at(rest.len().min(room));
            if let Some(slots) = self.open.page.get_mut(self.open.filled..self.open.filled + now.len()) {
                slots.copy_from_slice(now);
            }
            self.open.filled += now.len();
            if later.is_empty() {
                return size_of_val(values);
            }
            rest = later;
            self.close();
        }
    }

    /// Makes room.
    #[cold]
    #[inline(never)]
    fn close(&mut self) {
        if let Some(cold) = &mut *self.cold {
            cold.close(&mut self.open);
        }
    }

    /// Gives up the sealed pages, or the first value since the last commit that the column's encoding could not hold. At
    /// the end of a cluster, the open page too.
    #[inline]
    pub fn commit(&mut self, cluster: &mut Gathered<'_>) {
        if let Some(cold) = &mut *self.cold {
            cold.commit(&mut self.open, cluster);
        }
    }
}

impl<E: Element> Close<E> for Cold {
    fn close(&mut self, open: &mut Open<E>) {
        if let Some(capacity) = self.sink.limits.room(&mut self.taken, open.page.len(), size_of::<E>()) {
            open.grow(capacity);
        } else {
            self.seal(open);
        }
    }

    fn commit(&mut self, open: &mut Open<E>, cluster: &mut Gathered<'_>) {
        if cluster.is_for_items() {
            return;
        }
        if cluster.discards() {
            // As if it had never been filled: how long its page has become is forgotten too.
            (*open.page, open.filled) = (Box::default(), 0);
            self.forget();
            self.turn();
            return;
        }
        if cluster.cluster_ends() {
            self.seal(open);
        }
        self.hand_over(cluster);
        if cluster.cluster_ends() {
            self.turn();
        }
    }

    fn end(self: Box<Self>, page: OpenPage<E>) {
        drop(page);
    }

    fn lane(&self) -> LaneId {
        self.lane
    }

    fn cold(&self) -> Option<&Cold> {
        Some(self)
    }
}

impl<E: Element> Open<E> {
    /// Makes room for `capacity` values in all.
    pub(super) fn grow(&mut self, capacity: usize) {
        let mut page = std::mem::take(&mut *self.page).into_vec();
        page.reserve_exact(capacity.saturating_sub(page.len()));
        page.resize(capacity, E::default());
        *self.page = page.into_boxed_slice();
    }
}

impl Alternatives {
    /// The packing that the next cluster has.
    pub(super) fn chosen(&self) -> Option<&ColumnEncoding> {
        self.packings.get(usize::from(self.chosen.load(Ordering::Relaxed)))
    }
}

impl Cold {
    fn seal<E: Element>(&mut self, open: &mut Open<E>) {
        let count = std::mem::take(&mut open.filled);
        if count > 0 && self.fault.is_none() {
            if self.ranks.is_none() {
                self.ranks = self.sink.ranks(self.lane, &self.packing);
            }
            if let Some(ranks) = &mut self.ranks {
                // Before the page is sealed, which may take its memory.
                let values = open.page.get(..count).unwrap_or_default();
                E::ranks(&self.packing, values, &mut ranks.values);
            }
            let page = self.sink.sealer.seal(&self.packing, self.compression, &mut open.page, count);
            self.keep(page, count);
        }
    }

    fn forget(&mut self) {
        self.sink.limits.give_back(std::mem::take(&mut self.taken));
        self.sealed.clear();
        self.ranks = None;
        self.before = 0;
        self.fault = None;
    }

    /// Another cluster begins: pages are packed as was chosen for it.
    fn turn(&mut self) {
        self.before = 0;
        if let Some(packing) = self.alternatives.as_deref().and_then(Alternatives::chosen) {
            self.packing = *packing;
        }
    }

    /// Keeps a page of `count` elements, or what was wrong with one of them.
    fn keep(&mut self, page: Result<PendingPage>, count: usize) {
        match page {
            Ok(page) => {
                self.sealed.push(page);
                self.before += count as u64;
            }
            Err(fault) => {
                self.fault = Some(match fault.element() {
                    Some(position) => fault.at_element(self.before + position),
                    None => fault,
                });
            }
        }
    }

    fn hand_over(&mut self, cluster: &mut Gathered<'_>) {
        if let Some(fault) = self.fault.take() {
            self.sealed.clear();
            cluster.fail(self.lane, fault);
        }
        for page in self.sealed.drain(..) {
            cluster.put(self.lane, page);
        }
        if let Some(ranks) = self.ranks.take() {
            cluster.put_ranks(self.lane, ranks);
        }
    }
}

impl<E> Drop for ColumnWriter<E> {
    /// One call, because a struct of many columns would repeat the code for each of them. The members are `ManuallyDrop`, so
    /// that the compiler adds no drop code of its own.
    #[inline(never)]
    fn drop(&mut self) {
        let page = std::mem::take(&mut *self.open.page);
        if let Some(cold) = self.cold.take() {
            cold.end(page);
        }
    }
}

impl Drop for Cold {
    fn drop(&mut self) {
        self.forget();
    }
}

impl<E> fmt::Debug for ColumnWriter<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("ColumnWriter");
        if let Some(cold) = self.cold.as_ref().and_then(|cold| cold.cold()) {
            text.field("lane", &cold.lane)
                .field("packing", &cold.packing)
                .field("compression", &cold.compression)
                .field("sealed", &cold.sealed.len());
        }
        text.field("open", &self.open.filled).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::LaneError;
    use crate::compression::Compression;
    use crate::encoding::ColumnType;

    fn column<E: Element>(packing: ColumnEncoding, max_length: usize, budget: usize) -> ColumnWriter<E> {
        let limits = PageLimits {
            initial_length: 16.into(),
            max_length: max_length.into(),
            budget: budget.into(),
            ..PageLimits::default()
        };
        let sink = ColumnSink { limits, ..ColumnSink::new(Sealer::new(false, None)) };
        ColumnWriter::new(LaneId(3), packing, None, Compression::NONE, Arc::new(sink))
    }

    fn counts(column: &mut ColumnWriter<u32>, cluster_ends: bool) -> Vec<u32> {
        let mut gathered = Gathered::new(cluster_ends);
        column.commit(&mut gathered);
        gathered.into_pages().into_sealed().unwrap().iter().map(|(_, page)| page.count()).collect()
    }

    #[test]
    fn pages_grow_and_are_sealed_when_full() {
        let mut column = column::<u32>(ColumnEncoding::of(ColumnType::UInt32), 64, usize::MAX);
        for value in 0..37 {
            assert_eq!(column.push(value), 4);
        }
        assert_eq!(counts(&mut column, false), [16, 16], "only full pages");
        assert_eq!(counts(&mut column, true), [5]);
        assert_eq!(counts(&mut column, true), [0u32; 0], "an empty cluster has no pages");
    }

    #[test]
    fn nothing_of_a_column_stays_when_it_is_dropped() {
        let mut column = column::<u32>(ColumnEncoding::of(ColumnType::UInt32), 64, usize::MAX);
        for value in 0..100 {
            column.push(value);
        }
        let cold = column.cold.as_ref().unwrap().cold().unwrap();
        assert!(!cold.sealed.is_empty());
        let sink = cold.sink.clone();
        assert_eq!((Arc::strong_count(&sink), sink.limits.used.load(Ordering::Relaxed)), (2, 64));
        drop(column);
        assert_eq!((Arc::strong_count(&sink), sink.limits.used.load(Ordering::Relaxed)), (1, 0));
    }

    #[test]
    fn slices_iterators_and_single_values_fill_alike() {
        let values: Vec<u32> = (0..1000).collect();
        let pages = |fill: &dyn Fn(&mut ColumnWriter<u32>)| {
            let mut column = column::<u32>(ColumnEncoding::of(ColumnType::UInt32), 400, usize::MAX);
            fill(&mut column);
            let mut gathered = Gathered::new(true);
            column.commit(&mut gathered);
            let pages = gathered.into_pages().into_sealed().unwrap();
            pages.iter().map(|(_, page)| (page.count(), page.to_stored())).collect::<Vec<_>>()
        };
        let one_by_one = pages(&|column| {
            for &value in &values {
                column.push(value);
            }
        });
        let slice = pages(&|column| assert_eq!(column.extend_from_slice(&values), 4000));
        let iterator = pages(&|column| {
            for chunk in values.chunks(7) {
                column.extend(chunk.iter().copied());
            }
        });
        assert_eq!(one_by_one, slice);
        assert_eq!(one_by_one, iterator);
        assert_eq!(slice.len(), 10);
    }

    #[test]
    fn a_column_out_of_budget_seals_small_pages() {
        let mut column = column::<u32>(ColumnEncoding::of(ColumnType::UInt32), 1 << 20, 64);
        column.extend(0..64u32);
        assert_eq!(counts(&mut column, true), [16, 16, 16, 16]);
        let sink = column.cold.as_ref().unwrap().cold().unwrap().sink.clone();
        assert_eq!(sink.limits.used.load(Ordering::Relaxed), 64);
        drop(column);
        assert_eq!(sink.limits.used.load(Ordering::Relaxed), 0);
    }

    /// More columns come, so that the fair share of each is less: what was taken before is given back, no more.
    #[test]
    fn limits_may_change_while_a_page_is_open() {
        let mut column = column::<u32>(ColumnEncoding::of(ColumnType::UInt32), 1 << 20, 128);
        let sink = column.cold.as_ref().unwrap().cold().unwrap().sink.clone();
        let used = || sink.limits.used.load(Ordering::Relaxed);
        sink.limits.fair_length.store(64, Ordering::Relaxed);
        column.extend(0..32u32);
        assert_eq!(used(), 64);
        sink.limits.fair_length.store(16, Ordering::Relaxed);
        column.commit(&mut Gathered::discarding());
        assert_eq!(used(), 0);
        column.extend(0..64u32);
        assert_eq!((used(), counts(&mut column, true)), (112, vec![32, 32]));
        drop(column);
        assert_eq!(used(), 0);
    }

    /// Commits, and returns what the column reports.
    fn fault(column: &mut ColumnWriter<f32>, cluster_ends: bool) -> Option<LaneError> {
        let mut gathered = Gathered::new(cluster_ends);
        column.commit(&mut gathered);
        gathered.into_pages().into_sealed().err()
    }

    #[test]
    fn a_value_out_of_range_is_reported_at_commit() {
        let mut column = column::<f32>(ColumnEncoding::quantized(8, 0.0, 1.0).unwrap(), 64, usize::MAX);
        column.extend([0.5, 2.0].into_iter());
        let LaneError { lane, error } = fault(&mut column, true).unwrap();
        assert_eq!((lane, error.element()), (LaneId(3), Some(1)));
        assert_eq!(error.to_string(), "element 1: the value 2 is outside the range of the column, 0 to 1");
        column.push(0.5);
        assert!(fault(&mut column, true).is_none());
        // Elements are counted from the beginning of the cluster, whatever was handed over before.
        column.extend([0.5; 30].into_iter());
        assert!(fault(&mut column, false).is_none());
        column.extend([0.5, 0.5, 7.0].into_iter());
        assert_eq!(fault(&mut column, true).unwrap().error.element(), Some(32));
    }
}
