//! One cluster, whose pages are read as they are needed.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::ahead::{BATCH, ReadAhead};
use super::fetch::Fetch;
use super::reads::{Merging, Reads};
use super::room::{Lease, Room};
use super::shared::Sharing;
use super::span::{SpanState, StoredPage};
use super::wanted::Wanted;
use crate::bytes::Block;
use crate::error::{Error, Result};
use crate::schema::{ClusterDescriptor, ClusterId, ColumnId, ColumnRange, Locator, PageLocation};

/// How the pages of a cluster are read by a walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// Whether the entries will be read one after the other, from the first one on.
    pub(crate) from_start: bool,
    /// Bounds merged reads; a page that is asked for is read in any case.
    pub(crate) room: Option<Arc<Room>>,
    /// What reads ahead: for entries in order, and for storage that is far away.
    pub(crate) ahead: Option<Arc<ReadAhead>>,
    /// Pages that walks share, where memory is not scarce.
    pub(crate) sharing: Option<Sharing>,
    /// The entries that the walk comes to; `None`: maybe all.
    pub(crate) wanted: Option<Wanted>,
}

/// One cluster of a file, with the pages of the selected columns.
///
/// Pages are read in merged ranges, each when its first page is asked for, and let go when its last one
/// was: a reader that walks through the entries holds at most one range per column.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
    /// Whether columns decode nothing before they are asked for values.
    waits: bool,
}

struct Inner {
    id: ClusterId,
    descriptor: Arc<ClusterDescriptor>,
    selected: BTreeSet<ColumnId>,
    reads: Arc<Reads>,
    access: Access,
    /// By column, once they were requested.
    page_starts: Mutex<HashMap<ColumnId, Arc<[u64]>>>,
}

impl Cluster {
    /// Plans the reads of one cluster.
    pub(crate) fn new(
        id: ClusterId,
        descriptor: Arc<ClusterDescriptor>,
        selected: &BTreeSet<ColumnId>,
        merging: Merging,
        fetch: Arc<dyn Fetch>,
    ) -> Self {
        let columns = selected.iter().filter_map(|column| descriptor.columns.get(column.index()));
        let pages = columns.flat_map(|column| &column.pages);
        // A page that cannot be located is an error when it is requested.
        let wanted = pages.filter_map(|page| stored_range(page).ok()).collect();
        let reads = Arc::new(Reads::plan(wanted, merging, fetch));
        let inner = Arc::new(Inner {
            id,
            descriptor,
            selected: selected.clone(),
            reads,
            access: Access::default(),
            page_starts: Mutex::default(),
        });
        Self { inner, waits: false }
    }

    /// Says how it will be read.
    pub(crate) fn accessed(mut self, access: Access) -> Self {
        // There is no other handle yet.
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.access = access;
        }
        self
    }

    /// The same cluster, for columns that may not be needed at all: they decode nothing before they are asked for values.
    pub(crate) fn waiting(&self) -> Self {
        Self { inner: self.inner.clone(), waits: true }
    }

    /// Whether columns may decode their first page at once: the entries will be read one after the other, from the first
    /// one on.
    pub(crate) fn begins_at_once(&self) -> bool {
        self.inner.access.from_start && !self.waits
    }

    /// Whether the walk comes to any of some elements, of which a column has `total`. Where entries may have different
    /// numbers of elements, this is guessed: as if all had equally many.
    pub(crate) fn comes_to(&self, elements: &Range<u64>, total: u64) -> bool {
        let Some(wanted) = &self.inner.access.wanted else { return true };
        let descriptor = &self.inner.descriptor;
        let total = u128::from(total.max(1));
        let scaled = |element: u64| u128::from(element) * u128::from(descriptor.entry_count);
        let entry = |at: u128| descriptor.first_entry.saturating_add(u64::try_from(at).unwrap_or(u64::MAX));
        wanted.has_any_of(entry(scaled(elements.start) / total)..entry(scaled(elements.end).div_ceil(total)))
    }

    /// Pages that walks share.
    pub(crate) fn sharing(&self) -> Option<&Sharing> {
        self.inner.access.sharing.as_ref()
    }

    /// Its id.
    pub fn id(&self) -> ClusterId {
        self.inner.id
    }

    /// What the page list says of it.
    pub fn descriptor(&self) -> &ClusterDescriptor {
        &self.inner.descriptor
    }

    /// The part of `column` that lies in this cluster; `None` for a column that came later.
    pub(crate) fn column(&self, column: ColumnId) -> Option<&ColumnRange> {
        self.inner.descriptor.columns.get(column.index())
    }

    /// The position of the first element of each page of `column`, and the end of the last one. Many readers
    /// may share a column, through projections: they share this.
    ///
    /// # Errors
    /// The pages have over 2^64 elements.
    pub(crate) fn page_starts(&self, column: ColumnId) -> Result<Arc<[u64]>> {
        let mut known = self.inner.page_starts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(starts) = known.get(&column) {
            return Ok(starts.clone());
        }
        let pages = self.column(column).map(|column| &*column.pages).unwrap_or_default();
        let mut starts = Vec::with_capacity(pages.len() + 1);
        let mut end = 0u64;
        starts.push(end);
        for page in pages {
            end = end
                .checked_add(page.count.into())
                .ok_or_else(|| Error::out_of_spec("the column has over 2^64 elements"))?;
            starts.push(end);
        }
        let starts: Arc<[u64]> = starts.into();
        known.insert(column, starts.clone());
        Ok(starts)
    }

    /// Takes back the bytes of a page that was kept, so that their memory serves the next read.
    pub(crate) fn recycle(&self, block: Block) {
        self.inner.reads.fetch.recycle(block);
    }

    /// The stored bytes of a page, its checksum included.
    pub(crate) fn page(&self, page: &PageLocation) -> Result<StoredPage> {
        let wanted = stored_range(page)?;
        let reads = &*self.inner.reads;
        let merged = match reads.position(&wanted) {
            Some(number) => self.page_of_span(number, &wanted),
            None => Ok(None),
        };
        let stored = match merged.transpose() {
            Some(stored) => stored,
            // Jumping back to what was let go costs a read of its own, and so does a lack of memory.
            None => reads.fetch.fetch(wanted.clone()).map(|block| self.stored(block, None)),
        };
        stored.map_err(|error| error.at_offset(wanted.start))
    }

    fn stored(&self, block: Block, lease: Option<Arc<Lease>>) -> StoredPage {
        StoredPage::new(block, lease, &self.inner.reads.fetch, self.inner.access.room.is_none())
    }

    /// Begins to read the pages of some of its entries, counted from its first one and in order, before they are requested.
    pub(crate) fn begin(&self, entries: &[Range<u64>]) {
        if let Some(ahead) = &self.inner.access.ahead {
            ahead.add(&self.inner.reads, self.reads_of(entries).into_iter());
        }
    }

    /// The same before all that waits to be read, if the storage is far away: these entries are needed now. The reads are
    /// begun by [`ReadAhead::expect_more`].
    pub(crate) fn hurry(&self, entries: &[Range<u64>]) {
        if let Some(ahead) = self.inner.access.ahead.as_ref().filter(|ahead| ahead.is_far()) {
            ahead.hurry(&self.inner.reads, self.reads_of(entries).into_iter());
        }
    }

    /// The reads of entries, in the order of the file. Where these are only some of the cluster's, which pages they have
    /// is guessed: as if all entries had equally many elements.
    fn reads_of(&self, entries: &[Range<u64>]) -> BTreeSet<usize> {
        let Inner { descriptor, reads, selected, .. } = &*self.inner;
        if entries.iter().any(|run| run.start == 0 && run.end >= descriptor.entry_count) {
            return (0..reads.spans.len()).collect();
        }
        let mut numbers = BTreeSet::new();
        for column in selected.iter().filter_map(|id| descriptor.columns.get(id.index())) {
            let total: u64 = column.pages.iter().map(|page| u64::from(page.count)).sum();
            let scaled = |entry: u64| {
                let at = u128::from(total) * u128::from(entry) / u128::from(descriptor.entry_count.max(1));
                u64::try_from(at).unwrap_or(u64::MAX)
            };
            let mut wanted = entries.iter().map(|run| scaled(run.start)..scaled(run.end)).peekable();
            let mut end = 0u64;
            for page in &column.pages {
                let start = end;
                end = end.saturating_add(page.count.into());
                while wanted.next_if(|run| run.end <= start).is_some() {}
                if wanted.peek().is_some_and(|run| run.start < end) {
                    numbers.extend(stored_range(page).ok().and_then(|range| reads.position(&range)));
                }
            }
        }
        numbers
    }

    /// A page as a part of a merged read; `None` where that was let go, or where there is no room for it.
    fn page_of_span(&self, number: usize, wanted: &Range<u64>) -> Result<Option<StoredPage>> {
        let Access { room, ahead, .. } = &self.inner.access;
        let Some(span) = self.inner.reads.spans.get(number) else { return Ok(None) };
        // A page that cannot be read must not take its neighbours with it: then each is read alone.
        let alone = |state: &mut SpanState, error: Error| {
            if span.range == *wanted || error.is_late() {
                return Err(error);
            }
            state.waiting -= 1;
            Ok(None)
        };
        // Other threads that request the same read meanwhile wait for it here.
        let mut state = span.lock();
        if state.waiting == 0 {
            return Ok(None);
        }
        if let Some(ahead) = ahead.as_ref().filter(|ahead| ahead.is_far() && state.is_untouched()) {
            // Of single entries, what comes next is not known.
            let most = if self.inner.access.from_start { BATCH } else { 0 };
            ahead.demand(&self.inner.reads, number, &mut state, most);
        }
        let begun = state.begun.take();
        let was_ahead = begun.is_some();
        let block = match (&state.block, begun) {
            (Some(block), _) => block.clone(),
            (None, Some(begun)) => {
                let result = begun.batch.wait(begun.number);
                drop(begun.in_flight);
                match result {
                    Ok(block) => {
                        state.lease = begun.lease.map(Arc::new);
                        block
                    }
                    Err(error) => return alone(&mut state, error),
                }
            }
            (None, None) => {
                if let Some(room) = room.as_ref().filter(|_| span.range != *wanted) {
                    let Some(lease) = room.take(span.size()) else {
                        state.waiting -= 1;
                        return Ok(None);
                    };
                    state.lease = Some(Arc::new(lease));
                }
                match self.inner.reads.fetch.fetch(span.range.clone()) {
                    Ok(block) => block,
                    Err(error) => {
                        state.lease = None;
                        return alone(&mut state, error);
                    }
                }
            }
        };
        state.waiting -= 1;
        let lease = if state.waiting > 0 {
            state.block = Some(block.clone());
            state.lease.clone()
        } else {
            state.block = None;
            state.lease.take()
        };
        drop(state);
        if let Some(ahead) = ahead.as_ref().filter(|_| was_ahead) {
            ahead.pump();
        }
        let cut = |offset: u64| usize::try_from(offset - span.range.start).unwrap_or(usize::MAX);
        let part =
            if span.range == *wanted { Some(block) } else { block.slice(cut(wanted.start)..cut(wanted.end)) };
        match part {
            Some(part) if part.len() as u64 == wanted.end - wanted.start => {
                Ok(Some(self.stored(part, lease)))
            }
            _ => Err(Error::out_of_spec("the storage gave fewer bytes than it was asked for")),
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("id", &self.inner.id)
            .field("descriptor", &self.inner.descriptor)
            .finish()
    }
}

/// The bytes of `page` in the file, its checksum included.
fn stored_range(page: &PageLocation) -> Result<Range<u64>> {
    match page.locator {
        Locator::File { offset, size } => {
            let size = size.checked_add(if page.has_checksum { 8 } else { 0 });
            let end = size.and_then(|size| offset.checked_add(size));
            end.map(|end| offset..end)
                .ok_or_else(|| Error::out_of_spec("the page ends beyond 2^64").at_offset(offset))
        }
        Locator::Unknown { kind } => {
            Err(Error::unsupported(format!("the page is in storage of type {kind:#x}, which is not a file")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Recorder {
        bytes: Vec<u8>,
        reads: Mutex<Vec<Range<u64>>>,
    }

    impl Fetch for Recorder {
        fn fetch(&self, range: Range<u64>) -> Result<Block> {
            self.reads.lock().unwrap().push(range.clone());
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            let bytes = self.bytes.get(range).ok_or_else(|| Error::out_of_spec("short"))?;
            Ok(Block::from(bytes.to_vec()))
        }
    }

    fn page(offset: u64, size: u64) -> PageLocation {
        PageLocation::new(1, false, Locator::File { offset, size })
    }

    fn cluster(columns: Vec<Vec<PageLocation>>, selected: &[u32]) -> (Cluster, Arc<Recorder>) {
        let columns = columns.into_iter().map(|pages| ColumnRange::new(0, 0, pages)).collect();
        let fetch = Arc::new(Recorder { bytes: (0..200).collect(), ..Default::default() });
        let cluster = Cluster::new(
            ClusterId(0),
            Arc::new(ClusterDescriptor::new(0, 1, columns)),
            &selected.iter().map(|&id| ColumnId(id)).collect(),
            Merging { gap: 4, size: 50, chunk: 100 },
            fetch.clone(),
        );
        (cluster, fetch)
    }

    #[test]
    fn neighbours_are_read_at_once_and_others_not_at_all() {
        let pages = vec![vec![page(10, 10), page(24, 6)], vec![page(100, 10)], vec![page(40, 10)]];
        let (cluster, fetch) = cluster(pages, &[0, 2]);
        assert_eq!(cluster.page(&page(24, 6)).unwrap()[0], 24);
        assert_eq!(cluster.page(&page(10, 10)).unwrap()[0], 10);
        assert_eq!(cluster.page(&page(40, 10)).unwrap()[0], 40);
        assert_eq!(*fetch.reads.lock().unwrap(), [10..30, 40..50]);
    }

    #[test]
    fn a_range_does_not_outgrow_its_limit() {
        let (cluster, fetch) = cluster(vec![vec![page(0, 30), page(30, 30), page(60, 10)]], &[0]);
        for wanted in [page(0, 30), page(30, 30), page(60, 10)] {
            cluster.page(&wanted).unwrap();
        }
        assert_eq!(*fetch.reads.lock().unwrap(), [0..30, 30..70]);
    }

    #[test]
    fn shared_pages_and_jumps_back_are_served() {
        let (cluster, fetch) = cluster(vec![vec![page(0, 10)], vec![page(0, 10)]], &[0, 1]);
        for _ in 0..4 {
            assert_eq!(cluster.page(&page(0, 10)).unwrap().len(), 10);
        }
        assert_eq!(fetch.reads.lock().unwrap().len(), 3, "one for both columns, then one for each jump");
    }

    #[test]
    fn impossible_places_are_errors() {
        let (cluster, _) = cluster(vec![vec![page(u64::MAX, 10), page(190, 20)]], &[0]);
        assert!(cluster.page(&page(u64::MAX, 10)).is_err());
        let error = cluster.page(&page(190, 20)).unwrap_err();
        assert_eq!(error.location().offset, Some(190));
        let unknown = PageLocation::new(1, false, Locator::Unknown { kind: 2 });
        assert!(cluster.page(&unknown).unwrap_err().to_string().contains("0x2"));
    }

    /// Reads of the first half wait until one of the second half was made.
    struct Gate {
        opened: Mutex<bool>,
        open: std::sync::Condvar,
        reads: Mutex<Vec<Range<u64>>>,
    }

    impl Fetch for Gate {
        fn fetch(&self, range: Range<u64>) -> Result<Block> {
            self.reads.lock().unwrap().push(range.clone());
            let mut opened = self.opened.lock().unwrap();
            if range.start >= 100 {
                *opened = true;
                self.open.notify_all();
            }
            while !*opened {
                opened = self.open.wait(opened).unwrap();
            }
            Ok(Block::from(vec![7; usize::try_from(range.end - range.start).unwrap()]))
        }
    }

    #[test]
    fn no_thread_waits_for_the_read_of_another_and_the_same_read_is_made_once() {
        let columns = vec![ColumnRange::new(0, 0, vec![page(0, 10), page(10, 10), page(100, 10)])];
        let gate =
            Arc::new(Gate { opened: Mutex::default(), open: Default::default(), reads: Mutex::default() });
        let cluster = Cluster::new(
            ClusterId(0),
            Arc::new(ClusterDescriptor::new(0, 1, columns)),
            &[ColumnId(0)].into(),
            Merging { gap: 4, size: 50, chunk: 100 },
            gate.clone(),
        );
        std::thread::scope(|scope| {
            let first = scope.spawn(|| cluster.page(&page(0, 10)).unwrap().len());
            let second = scope.spawn(|| cluster.page(&page(10, 10)).unwrap().len());
            while gate.reads.lock().unwrap().is_empty() {
                std::thread::yield_now();
            }
            // With one lock for all spans this would never return.
            assert_eq!(cluster.page(&page(100, 10)).unwrap().len(), 10);
            assert_eq!((first.join().unwrap(), second.join().unwrap()), (10, 10));
        });
        assert_eq!(*gate.reads.lock().unwrap(), [0..20, 100..110]);
    }
}
