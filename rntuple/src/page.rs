//! Pages: the unit of encoding, of compression and of checksums.
//!
//! ```text
//! values --encode--> bytes --compress--> fewer bytes --checksum--> sealed page
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::Block;
use crate::compression::{Compression, Compressor, Decompressor};
use crate::encoding::{ColumnEncoding, Conversion, Element, Misfit, Values, as_elements, decode_fitting};
use crate::error::{Error, Result};
use crate::limits::{self, Limits};
use crate::pool::{Pool, Task};

/// A page as it stands on storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedPage {
    /// The bytes, a checksum of 8 bytes at their end where there is one.
    stored: Vec<u8>,
    /// Number of elements.
    count: u32,
    /// Bytes before compression.
    length: usize,
    /// Bytes that the values took in memory.
    memory: usize,
    has_checksum: bool,
    /// Values that were outside the range of the encoding.
    saturated: u64,
}

impl SealedPage {
    /// The bytes on storage, checksum included.
    pub(crate) fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Bytes on storage without the checksum, as a locator counts them.
    pub(crate) fn size(&self) -> usize {
        self.stored.len() - if self.has_checksum { 8 } else { 0 }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn saturated(&self) -> u64 {
        self.saturated
    }

    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    pub(crate) fn has_checksum(&self) -> bool {
        self.has_checksum
    }

    /// Bytes of memory that the page takes while it waits; its buffer may have been made for a longer one.
    pub(crate) fn footprint(&self) -> u64 {
        (self.stored.capacity() + 2 * size_of::<Self>()) as u64
    }
}

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

/// Buffers of pages that are on storage by now.
struct Spare {
    buffers: Vec<Vec<u8>>,
    /// Their capacities together, and how large these may become.
    length: usize,
    limit: usize,
}

impl Spare {
    fn take(&mut self) -> Vec<u8> {
        let buffer = self.buffers.pop().unwrap_or_default();
        self.length -= buffer.capacity();
        buffer
    }

    fn put(&mut self, mut buffer: Vec<u8>) {
        if self.length + buffer.capacity() <= self.limit {
            buffer.clear();
            self.length += buffer.capacity();
            self.buffers.push(buffer);
        }
    }
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
            spare: Mutex::new(Spare { buffers: Vec::new(), length: 0, limit: 0 }),
            in_flight: AtomicUsize::new(0),
        };
        Self { workshop: Arc::new(workshop), pool }
    }

    /// Packs, compresses and signs one page of a column.
    pub(crate) fn seal<E: Element>(
        &self,
        packing: &ColumnEncoding,
        compression: Compression,
        values: &[E],
    ) -> Result<PendingPage> {
        let count = u32::try_from(values.len()).map_err(|_| Error::limit("a page has over 2^32 elements"))?;
        let mut encoded = self.buffer(compression);
        // Room for the checksum as well: growing for it would double the buffer.
        encoded.reserve_exact(usize::try_from(packing.page_length(count)).unwrap_or_default() + 8);
        E::encode(packing, values, &mut encoded)?;
        let saturated = if packing.saturates { E::outside(packing, values) } else { 0 };
        let (memory, has_checksum) = (size_of_val(values), self.workshop.checksums);
        let page = SealedPage { stored: encoded, count, length: 0, memory, has_checksum, saturated };
        self.close(compression, page)
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
    fn close(&self, compression: Compression, page: SealedPage) -> Result<PendingPage> {
        let workshop = &self.workshop;
        let pool = self.pool.as_ref().filter(|pool| {
            // A longer queue would take memory and save no time: this thread does its part instead.
            !compression.is_none() && workshop.in_flight.load(Ordering::Relaxed) < 2 * pool.threads()
        });
        let Some(pool) = pool else { return workshop.press(compression, page).map(PendingPage::Sealed) };
        let ticket = Ticket::new(workshop);
        let task = Task::spawn(pool, move || ticket.0.press(compression, page));
        Ok(PendingPage::Sealing(task))
    }

    /// Keeps buffers of up to `length` bytes together for later pages.
    pub(crate) fn keep_spare(&self, length: usize) {
        lock(&self.workshop.spare).limit = length;
    }

    /// Whether pages may be with other threads when their columns hand them over.
    pub(crate) fn is_parallel(&self) -> bool {
        self.pool.is_some()
    }

    /// Takes the buffers of pages back for the next ones.
    pub(crate) fn recycle(&self, pages: impl IntoIterator<Item = SealedPage>) {
        let mut spare = lock(&self.workshop.spare);
        pages.into_iter().for_each(|page| spare.put(page.stored));
    }
}

impl Workshop {
    /// Seals `page`, whose bytes are encoded so far.
    fn press(&self, compression: Compression, mut page: SealedPage) -> Result<SealedPage> {
        page.length = page.stored.len();
        if !compression.is_none() {
            let mut press = lock(&self.presses).pop().unwrap_or_default();
            let stored = press.squeeze(compression, &page.stored, || lock(&self.spare).take());
            lock(&self.presses).push(press);
            let mut encoded = std::mem::replace(&mut page.stored, stored?);
            encoded.clear();
            lock(&self.encoded).push(encoded);
        }
        if self.checksums {
            let checksum = xxh3_64(&page.stored);
            page.stored.extend_from_slice(&checksum.to_le_bytes());
        }
        Ok(page)
    }
}

impl Press {
    /// The smaller form of `encoded`, or a copy of it, in a buffer of `buffer`.
    fn squeeze(
        &mut self,
        compression: Compression,
        encoded: &[u8],
        buffer: impl FnOnce() -> Vec<u8>,
    ) -> Result<Vec<u8>> {
        self.compressed.clear();
        let shrunk = self.compressor.compress(compression, encoded, &mut self.compressed)?;
        let bytes = if shrunk { &self.compressed } else { encoded };
        let mut stored = buffer();
        stored.reserve_exact(bytes.len() + 8);
        stored.extend_from_slice(bytes);
        Ok(stored)
    }
}

/// The unsealers that all columns of one cursor share: as many as threads open pages at once.
pub(crate) struct Unsealers {
    verify: bool,
    limits: Limits,
    idle: Mutex<Vec<Unsealer>>,
}

impl Unsealers {
    /// With `verify`, pages whose checksum differs are refused.
    pub(crate) fn new(verify: bool, limits: &Limits) -> Self {
        Self { verify, limits: *limits, idle: Mutex::default() }
    }

    /// Lends one out.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Unsealer) -> T) -> T {
        let idle = self.lock().pop();
        let mut unsealer = idle.unwrap_or_else(|| Unsealer::new(self.verify, &self.limits));
        let result = work(&mut unsealer);
        self.lock().push(unsealer);
        result
    }

    /// The `count` values of a page where the file has them: a page that is not compressed, of values that
    /// are stored as they are in memory, at a place where such values may be. `None`: they must be decoded.
    pub(crate) fn lend<E: Element>(
        &self,
        packing: &ColumnEncoding,
        stored: &Block,
        has_checksum: bool,
        count: u32,
    ) -> Option<Result<Values<E>>> {
        let bytes = body(stored, has_checksum, false).ok()?;
        if bytes.len() as u64 != packing.page_length(count) {
            return None;
        }
        // Whether they can be seen costs nothing, the checksum does.
        as_elements::<E>(bytes, packing).filter(|values| values.len() as u64 == u64::from(count))?;
        if let Err(error) = body(stored, has_checksum, self.verify) {
            return Some(Err(error));
        }
        let block = stored.slice(0..bytes.len())?;
        Values::lent(block, |bytes| as_elements::<E>(bytes, packing)).map(Ok)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Unsealer>> {
        // Nothing panics while it holds the lock.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a page in front of its checksum, if it has one, which is checked where `verify` says so.
fn body(stored: &[u8], has_checksum: bool, verify: bool) -> Result<&[u8]> {
    if !has_checksum {
        return Ok(stored);
    }
    let Some((body, checksum)) = stored.split_last_chunk::<8>() else {
        return Err(Error::out_of_spec("the page is shorter than its checksum"));
    };
    if verify && xxh3_64(body) != u64::from_le_bytes(*checksum) {
        return Err(Error::out_of_spec("checksum differs"));
    }
    Ok(body)
}

/// Opens sealed pages: the codec contexts and buffers of one thread at a time.
pub(crate) struct Unsealer {
    decompressor: Decompressor,
    decoded: Vec<u8>,
    verify: bool,
    thorough: bool,
    limits: Limits,
}

impl Unsealer {
    /// With `verify`, pages whose checksum differs are refused.
    pub(crate) fn new(verify: bool, limits: &Limits) -> Self {
        let decompressor = Decompressor::new();
        Self { decompressor, decoded: Vec::new(), verify, thorough: false, limits: *limits }
    }

    /// Looks at checksums inside pages even where the page's own is right, as ROOT does.
    pub(crate) fn thorough(self) -> Self {
        Self { thorough: true, ..self }
    }

    /// Appends the `count` values of a page to `out`. `stored` ends with the checksum if the page has one.
    /// At a value that the type cannot hold it stops, and says which that is.
    pub(crate) fn unseal<E: Element>(
        &mut self,
        packing: &ColumnEncoding,
        stored: &[u8],
        has_checksum: bool,
        count: u32,
        how: Conversion,
        out: &mut Vec<E>,
    ) -> Result<Option<Misfit>> {
        // A few bytes can claim 2^31 elements.
        let (length, memory) =
            (packing.page_length(count), u64::from(count).saturating_mul(size_of::<E>() as u64));
        self.limits.check_page(length.max(memory))?;
        let bytes = self.open(length, stored, has_checksum)?;
        // The bytes are there, so the count is no mere claim any more. Growing would hold old and new values at
        // once, and leave up to twice the room.
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        let reserved = match out.capacity() - out.len() {
            room if room >= wanted => Ok(()),
            _ if out.is_empty() => {
                *out = Vec::new();
                out.try_reserve_exact(wanted)
            }
            _ => out.try_reserve(wanted),
        };
        reserved.map_err(|_| limits::no_memory(memory))?;
        Ok(decode_fitting(packing, bytes, count, how, out)?)
    }

    /// The `length` bytes of a page's elements: the part of unsealing that does not depend on their type,
    /// compiled once.
    pub(crate) fn open<'a>(
        &'a mut self,
        length: u64,
        stored: &'a [u8],
        has_checksum: bool,
    ) -> Result<&'a [u8]> {
        let bytes = body(stored, has_checksum, self.verify)?;
        if (self.decoded.capacity() as u64) < length {
            // Growing would copy the old bytes.
            self.decoded = Vec::new();
        }
        let verified = has_checksum && self.verify && !self.thorough;
        self.decompressor.restore_over(bytes, length, &mut self.decoded, verified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Algorithm;
    use crate::encoding::ColumnType;

    const ALL: Conversion = Conversion { skip: 0, lossy: false };

    fn sealed(compression: Compression, checksums: bool) -> (ColumnEncoding, Vec<u32>, SealedPage) {
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let values: Vec<u32> = (0..1000).collect();
        let sealer = Sealer::new(checksums, None);
        let page = sealer.seal(&packing, compression, &values).unwrap().wait().unwrap();
        (packing, values, page)
    }

    #[test]
    fn pages_come_back_sealed_in_every_way() {
        for compression in [
            Compression::NONE,
            Compression::zstd(1),
            Compression::lz4(1),
            Compression::zlib(6),
            Compression::lzma(1),
        ] {
            for checksums in [false, true] {
                let (packing, values, page) = sealed(compression, checksums);
                assert_eq!(page.length(), 4000);
                assert_eq!(page.size() < 4000, !compression.is_none());
                let mut out = Vec::<u32>::new();
                Unsealer::new(true, &Limits::new())
                    .unseal(&packing, page.stored(), page.has_checksum(), page.count(), ALL, &mut out)
                    .unwrap();
                assert_eq!(out, values);
            }
        }
    }

    #[test]
    fn every_flipped_byte_of_a_signed_page_is_noticed() {
        let (packing, _, page) = sealed(Compression::zstd(1), true);
        for position in 0..page.stored().len() {
            let mut bytes = page.stored().to_vec();
            bytes[position] ^= 0x40;
            let mut out = Vec::<u32>::new();
            let error = Unsealer::new(true, &Limits::new())
                .unseal(&packing, &bytes, true, 1000, ALL, &mut out)
                .unwrap_err();
            assert_eq!(error.to_string(), "checksum differs");
            // Unverified, the damage may pass or be found further down, but never panics.
            let _ = Unsealer::new(false, &Limits::new()).unseal(&packing, &bytes, true, 1000, ALL, &mut out);
        }
    }

    /// LZ4 blocks have checksums of their own.
    #[test]
    fn a_checksum_inside_counts_unless_that_of_the_page_is_right() {
        let (packing, values, page) = sealed(Compression::lz4(1), true);
        let (body, _) = page.stored().split_last_chunk::<8>().unwrap();
        let mut body = body.to_vec();
        body[9] ^= 1;
        let whole = [&body[..], &xxh3_64(&body).to_le_bytes()].concat();
        let unseal = |unsealer: Unsealer, stored: &[u8], has_checksum| {
            let (mut unsealer, mut out) = (unsealer, Vec::<u32>::new());
            unsealer.unseal(&packing, stored, has_checksum, 1000, ALL, &mut out).map(|_| out)
        };
        let unsealer = |verify| Unsealer::new(verify, &Limits::new());
        assert_eq!(unseal(unsealer(true), &whole, true).unwrap(), values);
        for (unsealer, stored, has_checksum) in [
            (unsealer(true).thorough(), &whole, true),
            (unsealer(false), &whole, true),
            (unsealer(true), &body, false),
        ] {
            let error = unseal(unsealer, stored, has_checksum).unwrap_err();
            assert!(error.to_string().ends_with("checksum differs"), "{error}");
        }
    }

    #[test]
    fn a_wrong_count_is_noticed() {
        let (packing, _, page) = sealed(Compression::NONE, true);
        for count in [0, 999, 1001, u32::MAX] {
            let mut out = Vec::<u32>::new();
            assert!(
                Unsealer::new(true, &Limits::new())
                    .unseal(&packing, page.stored(), true, count, ALL, &mut out)
                    .is_err()
            );
        }
    }

    #[test]
    fn one_sealer_serves_columns_of_all_settings() {
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let values: Vec<u32> = (0..1000).collect();
        let all = [
            Compression::lz4(4),
            Compression::NONE,
            Compression::zstd(1),
            Compression::lzma(1),
            Compression::zlib(6),
        ];
        let sealer = Sealer::new(true, None);
        // A second round: contexts and recycled buffers leave no traces.
        for compression in all.into_iter().chain(all) {
            let page = sealer.seal(&packing, compression, &values).unwrap().wait().unwrap();
            assert_eq!(page, sealed(compression, true).2);
            let named = page.stored().get(..2);
            match compression.algorithm() {
                Some(Algorithm::Lz4) => assert_eq!(named, Some(&b"L4"[..])),
                Some(Algorithm::Zstd) => assert_eq!(named, Some(&b"ZS"[..])),
                Some(Algorithm::Lzma) => assert_eq!(named, Some(&b"XZ"[..])),
                Some(Algorithm::Zlib) => assert_eq!(named, Some(&b"ZL"[..])),
                None => assert_eq!(page.size(), 4000),
            }
            sealer.recycle([page]);
        }
    }

    #[test]
    fn a_page_that_does_not_shrink_is_stored_raw() {
        let packing = ColumnEncoding::of(ColumnType::UInt8);
        let sealer = Sealer::new(false, None);
        let page = sealer.seal(&packing, Compression::zstd(1), &[7u8]).unwrap().wait().unwrap();
        assert_eq!(page.stored(), [7]);
    }
}
