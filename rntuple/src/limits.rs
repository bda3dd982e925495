//! How much a file may take.

use std::fmt;

use crate::error::{Error, Result};

/// How much of the machine a file may take while it is read.
///
/// Compression and shared pages let a few kilobytes describe any amount of data. These limits decide how much of it
/// is believed: what is beyond them is refused with [`LimitExceeded`](crate::ErrorKind::LimitExceeded), before memory
/// is allocated for it. The error names the limit. The defaults are far above what programs write, so raise one where
/// an error says so and the file comes from someone you trust.
///
/// ```
/// use rntuple::{Limits, ReadOptions, RootFile};
/// let limits = Limits::new().entry_length(16 << 30);
/// // For what opens a file by itself,
/// let options = ReadOptions::new().limits(limits);
/// // or for everything that is read from one file.
/// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
/// # #[derive(RNTuple)]
/// # struct Event { met: f32 }
/// # let writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// # let storage = writer.finish_into()?.1;
/// let file = RootFile::from_storage(storage)?.with_limits(limits);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # What a walk takes at most
///
/// Reading entries takes the memory of one entry ([`entry_length`](Self::entry_length)), of decoded pages
/// ([`walk_length`](Self::walk_length)), of the pages that its threads decode at this moment (a few times
/// [`page_length`](Self::page_length) each), and of what describes the ntuple: header and footer, which take a few times
/// their length once they are parsed, and the page lists of the cluster groups that are being read
/// ([`envelope_length`](Self::envelope_length) limits all of them together). What the
/// allocator adds is not counted. To read within less memory, see
/// [`memory_budget`](crate::ReadOptions::memory_budget).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Limits {
    pub(crate) entry_length: u64,
    pub(crate) page_length: u64,
    pub(crate) walk_length: u64,
    pub(crate) envelope_length: u64,
    pub(crate) field_count: u64,
    pub(crate) column_count: u64,
    pub(crate) nesting: u64,
    pub(crate) unstored_items: u64,
    pub(crate) attribute_count: u64,
}

/// Bytes of envelopes, in addition to the limit, for each byte of the file: of page lists even a page of a single byte,
/// without a checksum, needs few more, and envelopes of a large file that compress better were made to do harm.
const ENVELOPES_PER_SIZE: u64 = 32;

/// Bytes of values that one call may return of a whole column, in addition to the limit of an entry, for each byte of
/// the file. Data that compress better than this are constant.
const VALUES_PER_SIZE: u64 = 64;

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

impl Limits {
    /// The defaults.
    pub const fn new() -> Self {
        Self {
            entry_length: 1 << 30,
            page_length: 128 << 20,
            walk_length: 4 << 30,
            envelope_length: 32 << 20,
            field_count: 1 << 17,
            column_count: 1 << 18,
            nesting: 256,
            unstored_items: 1 << 20,
            attribute_count: 1 << 24,
        }
    }

    /// No limits, except for [`nesting`](Self::nesting), which keeps the stack from overflowing: for files whose writer
    /// you trust as you trust your own code.
    pub fn unlimited() -> Self {
        Self {
            entry_length: u64::MAX,
            page_length: u64::MAX,
            walk_length: u64::MAX,
            envelope_length: u64::MAX,
            field_count: u64::MAX,
            column_count: u64::MAX,
            unstored_items: u64::MAX,
            attribute_count: u64::MAX,
            nesting: Self::new().nesting,
        }
    }

    /// Sets how many bytes the values of one entry may take in memory. Default: 1 GiB, as entries are events, of
    /// megabytes at most.
    ///
    /// An entry is counted as the type has it: a `Vec<f32>` takes 4 bytes for each item, a list of
    /// [`Value`](crate::Value) some 40. The limit holds for each entry, however it is read; entries that are read
    /// at once, as a [batch](crate::columns::Batches), share it.
    pub fn entry_length(mut self, bytes: u64) -> Self {
        self.entry_length = bytes;
        self
    }

    /// Sets how many bytes one page may have, before it was compressed and when it is decoded. Default: 128 MiB; ROOT
    /// writes up to 1 MiB.
    pub fn page_length(mut self, bytes: u64) -> Self {
        self.page_length = bytes;
        self
    }

    /// Sets how many bytes the decoded pages of one walk through the entries may take, those of all columns together.
    /// Default: 4 GiB; a whole cluster of ROOT has up to 1.25 GiB.
    ///
    /// Each column holds one page. Threads that decode ahead hold another one, and stop where these would be over the
    /// limit. In each cluster, one walk or call may decode up to that many bytes of pages again, where the values of a
    /// variant are in another order than its entries.
    pub fn walk_length(mut self, bytes: u64) -> Self {
        self.walk_length = bytes;
        self
    }

    /// Sets how many bytes the envelopes of one ntuple (header, footer and page lists) may have once they are
    /// decompressed, in addition to 32 bytes for each byte of the file. Default: 32 MiB, enough for as many fields as
    /// [`field_count`](Self::field_count) allows in a file that has next to no data.
    ///
    /// Headers and footers of attribute sets may have as many bytes, those of all sets together, where a writer
    /// continues their ntuple. No envelope may be longer than 1 GiB, as in ROOT.
    pub fn envelope_length(mut self, bytes: u64) -> Self {
        self.envelope_length = bytes;
        self
    }

    /// Sets how many fields an ntuple may have, subfields included. Default: 131 072, more than programs
    /// declare. The paths of its fields may have 1024 bytes together for each field that is allowed.
    pub fn field_count(mut self, count: u64) -> Self {
        self.field_count = count;
        self
    }

    /// Sets how many columns an ntuple may have, and how many alias columns. Default: 262 144, two for each field.
    pub fn column_count(mut self, count: u64) -> Self {
        self.column_count = count;
        self
    }

    /// Sets how deep fields may be nested. Default: 256.
    ///
    /// Readers of nested fields call each other: a larger value needs threads with a larger stack.
    pub fn nesting(mut self, depth: u64) -> Self {
        self.nesting = depth;
        self
    }

    /// Sets how many items one entry may have that take no bytes of the file: records without members, and the zeros
    /// of columns that were added later. Default: 1 048 576.
    ///
    /// What reads many entries at once, or a whole column, may have four times as many.
    pub fn unstored_items(mut self, count: u64) -> Self {
        self.unstored_items = count;
        self
    }

    /// Sets how many attributes a set may have so that it is searched, in addition to one for each byte of the file.
    /// Default: 16 777 216.
    pub fn attribute_count(mut self, count: u64) -> Self {
        self.attribute_count = count;
        self
    }

    /// Bytes that the envelopes of one ntuple may have, in a file of `size` bytes.
    pub(crate) fn envelopes_of(&self, size: u64) -> u64 {
        self.envelope_length.saturating_add(size.saturating_mul(ENVELOPES_PER_SIZE))
    }

    /// Checks the length of a page.
    #[inline]
    pub(crate) fn check_page(&self, length: u64) -> Result<()> {
        if length <= self.page_length { Ok(()) } else { Err(self.long_page(length)) }
    }

    #[cold]
    fn long_page(&self, length: u64) -> Error {
        exceeded(format_args!("the page has {length} bytes"), self.page_length, "page_length")
    }

    /// Checks the number of fields.
    pub(crate) fn check_fields(&self, count: u64) -> Result<()> {
        check(count, "fields", self.field_count, "field_count")
    }

    /// Checks the number of columns, or of alias columns, as `what` says.
    pub(crate) fn check_columns(&self, count: u64, what: &str) -> Result<()> {
        check(count, what, self.column_count, "column_count")
    }
}

/// Bytes of values that one call may return in addition to those of an entry, from a file of `size` bytes.
pub(crate) fn values_of(size: u64) -> u64 {
    size.saturating_mul(VALUES_PER_SIZE)
}

fn check(count: u64, what: &str, limit: u64, name: &'static str) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    Err(exceeded(format_args!("the ntuple has {count} {what}"), limit, name))
}

/// The error of something that is over a limit: `found` says what it is and how much.
#[cold]
pub(crate) fn exceeded(found: impl fmt::Display, limit: u64, name: &'static str) -> Error {
    Error::limit(format!("{found}, expected at most {limit}; `Limits::{name}` sets this limit"))
}

/// The error of memory that the machine does not have.
#[cold]
pub(crate) fn no_memory(bytes: u64) -> Error {
    Error::limit(format!("there is no memory for {bytes} more bytes"))
}

/// Values for which room is made at once, however many are announced.
const PORTION: usize = 1024;

/// Makes room for some of the next `wanted` values; returns for how many, at least one.
///
/// A count is a file's claim until the values are there. So there is never room for more than twice the existing
/// values, or for a first portion, and never for more than are wanted.
#[inline]
pub(crate) fn make_room<T>(out: &mut Vec<T>, wanted: usize) -> Result<usize> {
    let room = out.capacity() - out.len();
    if room >= wanted { Ok(wanted) } else { grow(out, wanted) }
}

fn grow<T>(out: &mut Vec<T>, wanted: usize) -> Result<usize> {
    let portion = wanted.min(out.len().max(PORTION));
    let reserved = if portion <= PORTION { out.try_reserve(portion) } else { out.try_reserve_exact(portion) };
    reserved.map_err(|_| no_memory((portion as u64).saturating_mul(size_of::<T>() as u64)))?;
    Ok(portion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn errors_name_the_limit_its_value_and_what_was_found() {
        let limits = Limits::new().page_length(100).field_count(3);
        limits.check_page(100).unwrap();
        limits.check_fields(3).unwrap();
        let error = limits.check_page(101).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        let message = "the page has 101 bytes, expected at most 100; `Limits::page_length` sets this limit";
        assert_eq!(error.to_string(), message);
        let error = limits.check_fields(4).unwrap_err();
        assert!(error.to_string().contains("4 fields, expected at most 3; `Limits::field_count`"), "{error}");
    }

    #[test]
    fn envelopes_are_measured_by_the_file() {
        let limits = Limits::new().envelope_length(1000);
        assert_eq!((limits.envelopes_of(0), limits.envelopes_of(10)), (1000, 1320));
        assert_eq!(Limits::unlimited().envelopes_of(10), u64::MAX);
        assert_eq!(limits.envelopes_of(u64::MAX), u64::MAX);
    }

    #[test]
    fn room_is_made_in_steps_that_values_have_paid_for() {
        let mut out = Vec::<u64>::new();
        let mut left = 1_000_000;
        while left > 0 {
            let portion = make_room(&mut out, left).unwrap();
            assert!(portion > 0 && out.capacity() <= (2 * out.len()).max(PORTION), "{}", out.len());
            out.resize(out.len() + portion, 1);
            left -= portion;
        }
        assert_eq!((out.len(), out.capacity()), (1_000_000, 1_000_000));
        assert_eq!(make_room(&mut out, 0).unwrap(), 0);
        let mut huge = Vec::<[u64; 1 << 57]>::new();
        assert_eq!(make_room(&mut huge, 1).unwrap_err().kind(), ErrorKind::LimitExceeded);
    }
}
