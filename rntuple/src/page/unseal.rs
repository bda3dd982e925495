//! Sealed pages on their way back: checksum, bytes, values.

use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::Block;
use crate::compression::Decompressor;
use crate::encoding::{ColumnEncoding, Conversion, Element, Misfit, Values, as_elements, decode_fitting};
use crate::error::{Error, Result};
use crate::limits::{self, Limits};

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
    /// Length of the last page in `decoded`; 0 where it was not compressed.
    length: usize,
    verify: bool,
    thorough: bool,
    limits: Limits,
}

impl Unsealer {
    /// With `verify`, pages whose checksum differs are refused.
    pub(crate) fn new(verify: bool, limits: &Limits) -> Self {
        let decompressor = Decompressor::new();
        Self { decompressor, decoded: Vec::new(), length: 0, verify, thorough: false, limits: *limits }
    }

    /// Looks at checksums inside pages even where the page's own is right, as ROOT does.
    #[cfg(feature = "check")]
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
        let length = packing.page_length(count);
        // A few bytes can claim 2^31 elements.
        self.limits.check_page(length.max(memory::<E>(count)))?;
        let bytes = self.open(length, stored, has_checksum)?;
        append_values(packing, bytes, count, how, out)
    }

    /// Gives away what the last page is decompressed, if it was compressed, for memory that is not needed.
    pub(crate) fn give(&mut self, give: impl FnOnce(Block) -> Vec<u8>) {
        let length = std::mem::take(&mut self.length);
        // Memory of a much longer page would be kept for a short one.
        if length > self.decoded.capacity() / 2 {
            self.decoded = give(Block::front(std::mem::take(&mut self.decoded), length));
        } else if length > 0 {
            give(Block::from(self.decoded.get(..length).unwrap_or_default().to_vec()));
        }
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
        self.length = if bytes.len() as u64 == length { 0 } else { usize::try_from(length).unwrap_or(0) };
        self.decompressor.restore_over(bytes, length, &mut self.decoded, verified)
    }
}

/// Bytes of `count` values.
fn memory<E>(count: u32) -> u64 {
    u64::from(count).saturating_mul(size_of::<E>() as u64)
}

/// Appends the values of a decompressed page to `out`.
pub(crate) fn append_values<E: Element>(
    packing: &ColumnEncoding,
    content: &[u8],
    count: u32,
    how: Conversion,
    out: &mut Vec<E>,
) -> Result<Option<Misfit>> {
    // The bytes are there, so the count is no mere claim any more. Growing would hold old and new values at once, and
    // leave up to twice the room.
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    let reserved = match out.capacity() - out.len() {
        room if room >= wanted => Ok(()),
        _ if out.is_empty() => {
            *out = Vec::new();
            out.try_reserve_exact(wanted)
        }
        _ => out.try_reserve(wanted),
    };
    reserved.map_err(|_| limits::no_memory(memory::<E>(count)))?;
    Ok(decode_fitting(packing, content, count, how, out)?)
}
