//! Pages on their way to storage: encoding, compression, checksum.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::sealed::{Body, OpenPage, SealedPage, ValuePage};
use super::spare::Spare;
use crate::compression::{Compression, Compressor, Repeats};
use crate::encoding::{ColumnEncoding, ColumnType, Element, Observed};
use crate::error::{Error, Result};
use crate::pool::{Pool, Task};

/// A page that is being sealed, here or by another thread.
#[derive(Debug)]
pub(crate) enum PendingPage {
    /// It is.
    Sealed(SealedPage),
    /// A thread of the pool has it in its queue.
    Sealing(Task<Result<SealedPage>>),
}

impl PendingPage {
    /// The sealed page; does the work if no other thread has begun.
    pub(crate) fn wait(self) -> Result<SealedPage> {
        match self {
            Self::Sealed(page) => Ok(page),
            Self::Sealing(task) => task.wait(),
        }
    }
}

/// Seals pages: the buffers and contexts that all columns of one writer share.
pub(crate) struct Sealer {
    workshop: Arc<Workshop>,
    pool: Option<Pool>,
    observes: bool,
}

/// What the threads that seal pages of one writer share. Nothing half done is kept behind these locks: each page
/// starts from cleared buffers.
struct Workshop {
    checksums: bool,
    presses: Mutex<Vec<Press>>,
    /// Buffers for encoded pages that are to be compressed.
    encoded: Mutex<Vec<Vec<u8>>>,
    spare: Mutex<Spare>,
    /// Pages that the pool was given and has not sealed yet.
    in_flight: AtomicUsize,
}

/// What compressing takes, once for each thread that does it.
#[derive(Default)]
struct Press {
    compressor: Compressor,
    /// Room for the worst case, which a page that waits must not keep.
    compressed: Vec<u8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One page in flight, until it is sealed or given up.
struct Ticket(Arc<Workshop>);

impl Ticket {
    fn new(workshop: &Arc<Workshop>) -> Self {
        workshop.in_flight.fetch_add(1, Ordering::Relaxed);
        Self(workshop.clone())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Sealer {
    /// With a pool, its threads compress.
    pub(crate) fn new(checksums: bool, pool: Option<Pool>) -> Self {
        let workshop = Workshop {
            checksums,
            presses: Mutex::default(),
            encoded: Mutex::default(),
            spare: Mutex::default(),
            in_flight: AtomicUsize::new(0),
        };
        Self { workshop: Arc::new(workshop), pool, observes: false }
    }

    /// Says whether pages also get bounds of their values.
    pub(crate) fn observing(self, observes: bool) -> Self {
        Self { observes, ..self }
    }

    /// Whether pages get bounds of their values.
    pub(crate) fn observes(&self) -> bool {
        self.observes
    }

    fn observe<E: Element>(&self, packing: &ColumnEncoding, values: &[E]) -> Option<Observed> {
        if self.observes { E::observe(packing, values) } else { None }
    }

    /// Packs, compresses and signs the first `count` values of an open page. The page may be another one afterwards, as
    /// long as before: a full one of values that are stored as they are in memory becomes the sealed page.
    pub(crate) fn seal<E: Element>(
        &self,
        packing: &ColumnEncoding,
        compression: Compression,
        page: &mut OpenPage<E>,
        count: usize,
    ) -> Result<PendingPage> {
        let is_stored_as_it_is = || compression.is_none() && E::bytes(packing, page).is_some();
        // Of a page that is not full, a copy takes less memory while it waits.
        if count == page.len() && is_stored_as_it_is() {
            let next = lock(&self.workshop.spare).take_page(page);
            let values = std::mem::replace(page, next);
            let observed = self.observe(packing, &values);
            let (number, length) = (element_count(count)?, size_of_val(&*values));
            let body = Body::Values(Box::new(ValuePage { values, packing: *packing }));
            let page = SealedPage {
                body,
                checksum: None,
                count: number,
                length,
                memory: length,
                saturated: 0,
                observed,
                text: None,
                ranks: None,
            };
            return Ok(PendingPage::Sealed(self.workshop.sign(page)));
        }
        self.seal_copy(packing, compression, page.get(..count).unwrap_or_default())
    }

    /// Packs, compresses and signs one page of a column.
    pub(crate) fn seal_copy<E: Element>(
        &self,
        packing: &ColumnEncoding,
        compression: Compression,
        values: &[E],
    ) -> Result<PendingPage> {
        let count = element_count(values.len())?;
        let mut encoded = self.buffer(compression);
        encoded.reserve_exact(usize::try_from(packing.page_length(count)).unwrap_or_default());
        E::encode(packing, values, &mut encoded)?;
        let saturated = if packing.saturates { E::outside(packing, values) } else { 0 };
        let settings = (compression, repeats(packing.column_type()));
        let observed = self.observe(packing, values);
        let page = SealedPage {
            length: encoded.len(),
            body: Body::Bytes(encoded),
            checksum: None,
            count,
            memory: size_of_val(values),
            saturated,
            observed,
            text: None,
            ranks: None,
        };
        self.close(settings, page)
    }

    /// An empty buffer. One that is not to be compressed will be the stored page.
    fn buffer(&self, compression: Compression) -> Vec<u8> {
        if compression.is_none() {
            lock(&self.workshop.spare).take()
        } else {
            lock(&self.workshop.encoded).pop().unwrap_or_default()
        }
    }

    /// The part of sealing that does not depend on the element type, compiled once.
    fn close(&self, (compression, repeats): (Compression, Repeats), page: SealedPage) -> Result<PendingPage> {
        let workshop = &self.workshop;
        if compression.is_none() {
            return Ok(PendingPage::Sealed(workshop.sign(page)));
        }
        let pool = self.pool.as_ref().filter(|pool| {
            // A longer queue would take memory and save no time: this thread does its part instead.
            workshop.in_flight.load(Ordering::Relaxed) < 2 * pool.threads()
        });
        let Some(pool) = pool else {
            return workshop.press(compression, repeats, page).map(PendingPage::Sealed);
        };
        let ticket = Ticket::new(workshop);
        let task = Task::spawn(pool, move || ticket.0.press(compression, repeats, page));
        Ok(PendingPage::Sealing(task))
    }

    /// Keeps buffers of up to `length` bytes together for later pages.
    pub(crate) fn keep_spare(&self, length: usize) {
        lock(&self.workshop.spare).limit(length);
    }

    /// Whether pages may be with other threads when their columns hand them over.
    pub(crate) fn is_parallel(&self) -> bool {
        self.pool.is_some()
    }

    /// Takes the buffers of pages back for the next ones.
    pub(crate) fn recycle(&self, pages: impl IntoIterator<Item = SealedPage>) {
        let mut spare = lock(&self.workshop.spare);
        pages.into_iter().for_each(|page| spare.put(page.body));
    }
}

impl Workshop {
    /// Compresses and signs `page`, whose bytes are encoded so far.
    fn press(&self, compression: Compression, repeats: Repeats, mut page: SealedPage) -> Result<SealedPage> {
        let mut press = lock(&self.presses).pop().unwrap_or_default();
        let stored = press.squeeze(compression, repeats, page.bytes(), || lock(&self.spare).take());
        lock(&self.presses).push(press);
        if let Body::Bytes(mut encoded) = std::mem::replace(&mut page.body, Body::Bytes(stored?)) {
            encoded.clear();
            lock(&self.encoded).push(encoded);
        }
        Ok(self.sign(page))
    }

    fn sign(&self, mut page: SealedPage) -> SealedPage {
        page.checksum = self.checksums.then(|| xxh3_64(page.bytes()).to_le_bytes());
        page
    }
}

impl Press {
    /// The smaller form of `encoded`, or a copy of it, in a buffer of `buffer`.
    fn squeeze(
        &mut self,
        compression: Compression,
        repeats: Repeats,
        encoded: &[u8],
        buffer: impl FnOnce() -> Vec<u8>,
    ) -> Result<Vec<u8>> {
        self.compressed.clear();
        let shrunk = self.compressor.compress_as(compression, repeats, encoded, &mut self.compressed)?;
        let bytes = if shrunk { &self.compressed } else { encoded };
        let mut stored = buffer();
        stored.reserve_exact(bytes.len());
        stored.extend_from_slice(bytes);
        Ok(stored)
    }
}

fn element_count(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::limit("a page has over 2^32 elements"))
}

/// What repeats in a column.
fn repeats(column_type: ColumnType) -> Repeats {
    use ColumnType as C;
    match column_type {
        C::Real16 | C::Real32 | C::SplitReal32 | C::Real64 | C::SplitReal64 => Repeats::Bytes,
        C::Index32 | C::SplitIndex32 | C::Index64 | C::SplitIndex64 => Repeats::Bytes,
        _ => Repeats::Unknown,
    }
}
