//! What is sealed, and what it is made of.

use std::any::Any;
use std::fmt;

use crate::encoding::{ColumnEncoding, Element, Observed, Ranks, TextBlocks};

/// The memory of a page that is being filled.
pub(crate) type OpenPage<E> = Box<[E]>;

/// A page as it is on storage.
#[derive(Debug)]
pub(crate) struct SealedPage {
    pub(super) body: Body,
    /// XXH3 of the bytes, which follows them on storage (format, section 5.1).
    pub(super) checksum: Option<[u8; 8]>,
    /// Number of elements.
    pub(super) count: u32,
    /// Bytes before compression.
    pub(super) length: usize,
    /// Bytes that the values took in memory.
    pub(super) memory: usize,
    /// Values that were outside the range of the encoding.
    pub(super) saturated: u64,
    /// What the values say together, if that was asked for.
    pub(super) observed: Option<Observed>,
    /// Of the last page of a string's offsets in a cluster: bounds of the cluster's strings, if that was asked for.
    pub(super) text: Option<Box<TextBlocks>>,
    /// Of the last page that a column hands over, if entries are sorted by it: ranks of all values that it hands over.
    pub(super) ranks: Option<Box<Ranks>>,
}

/// The bytes of a sealed page.
#[derive(Debug)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// Values that are stored as they are in memory.
    Values(Box<dyn PageMemory>),
}

impl SealedPage {
    /// The bytes on storage, without the checksum.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::Bytes(bytes) => bytes,
            Body::Values(values) => values.bytes(),
        }
    }

    pub(crate) fn checksum(&self) -> Option<&[u8; 8]> {
        self.checksum.as_ref()
    }

    /// Bytes on storage without the checksum, as a locator counts them.
    pub(crate) fn size(&self) -> usize {
        self.bytes().len()
    }

    /// Bytes on storage, checksum included.
    pub(crate) fn stored_size(&self) -> u64 {
        self.size() as u64 + if self.has_checksum() { 8 } else { 0 }
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

    pub(crate) fn observed(&self) -> Option<Observed> {
        self.observed
    }

    /// The strings whose offsets end with this page, from the beginning of the cluster on.
    pub(crate) fn text(&self) -> Option<&TextBlocks> {
        self.text.as_deref()
    }

    pub(crate) fn set_text(&mut self, text: Box<TextBlocks>) {
        self.text = Some(text);
    }

    /// The ranks of the values of this page and of those that its column handed over with it.
    pub(crate) fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_deref()
    }

    pub(crate) fn set_ranks(&mut self, ranks: Box<Ranks>) {
        self.ranks = Some(ranks);
    }

    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    pub(crate) fn has_checksum(&self) -> bool {
        self.checksum.is_some()
    }

    /// Bytes of memory that the page takes while it waits; its buffer may have been made for a longer one.
    pub(crate) fn footprint(&self) -> u64 {
        let body = match &self.body {
            Body::Bytes(bytes) => bytes.capacity(),
            Body::Values(values) => values.bytes().len(),
        };
        let ranks = self.ranks.as_ref().map_or(0, |ranks| 8 * ranks.values.len());
        (body + ranks + 2 * size_of::<Self>()) as u64
    }

    /// The bytes on storage, checksum included.
    #[cfg(test)]
    pub(crate) fn to_stored(&self) -> Vec<u8> {
        [self.bytes(), self.checksum.as_ref().map_or(&[], |checksum| checksum)].concat()
    }
}

/// The memory of an open page, of values of any type.
pub(super) trait PageMemory: Any + Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl fmt::Debug for dyn PageMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of values", self.bytes().len())
    }
}

/// What was an open page.
pub(super) struct ValuePage<E> {
    pub(super) values: OpenPage<E>,
    pub(super) packing: ColumnEncoding,
}

impl<E: Element> PageMemory for ValuePage<E> {
    fn bytes(&self) -> &[u8] {
        // Pages whose values are not their bytes are encoded instead.
        E::bytes(&self.packing, &self.values).unwrap_or_default()
    }
}
