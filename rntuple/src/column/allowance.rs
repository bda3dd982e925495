//! What one entry may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};
use crate::limits::{self, Limits};
use crate::schema::ClusterId;

/// What one entry has taken so far, and what it may take.
///
/// Neither the file's size nor that of its pages bounds an entry: pages may share their bytes, and items without columns
/// have none. So three things are counted: the values that are made, in bytes; the pages that are turned, in bytes,
/// whatever is made of them; and items that are not on storage.
///
/// Values are counted once for each collection, before memory is allocated for its items. What is not counted there, as
/// it is of a fixed length for each element, is bounded by the pages. So are [short](ItemLength::SHORT) collections.
#[derive(Clone, Debug)]
pub(crate) struct Allowance(Arc<Taken>);

/// Below zero: what was granted in addition. One cursor's columns are read by one thread at a time: the atomics only
/// make it `Sync`.
#[derive(Debug)]
struct Taken {
    bytes: AtomicI64,
    pages: AtomicI64,
    items: AtomicI64,
    /// Bytes of pages of this cluster that were decoded again for variants.
    again: AtomicI64,
    cluster: AtomicU64,
    /// Whether a variant of this entry has its values in another order than the entries are in.
    is_scattered: AtomicBool,
    /// The most for one entry.
    length: i64,
    unstored: i64,
    /// The most that may be decoded again for variants in one cluster.
    walk: i64,
}

/// What entries may take that are read at once, in addition to what one may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Bytes of values, and of pages.
    pub(crate) bytes: u64,
    /// Items that are not on storage.
    pub(crate) items: u64,
}

/// What each item of a collection takes in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemLength {
    bytes: usize,
    /// Up to this many items are not counted.
    few: usize,
}

impl ItemLength {
    /// Bytes of a collection that are not counted, like those that the allocator adds: counting each collection would take
    /// a tenth more time for events of small ones. The pages bound them: a collection has an offset of 8 bytes, and
    /// each item an element, so that the memory is at most some 15 times that of the pages.
    const SHORT: usize = 128;

    /// Items that are moved into a list.
    pub(crate) const fn of<T>() -> Self {
        match size_of::<T>() {
            0 => Self::exactly(0),
            bytes => Self { bytes, few: Self::SHORT / bytes },
        }
    }

    /// Whether this many items are counted.
    #[inline]
    pub(crate) const fn counts(self, count: usize) -> bool {
        count > self.few
    }

    /// Items of `bytes` each, of which all count.
    pub(crate) const fn exactly(bytes: usize) -> Self {
        Self { bytes, few: if bytes == 0 { usize::MAX } else { 0 } }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Allowance {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Taken {
            bytes: AtomicI64::new(0),
            pages: AtomicI64::new(0),
            items: AtomicI64::new(0),
            again: AtomicI64::new(0),
            cluster: AtomicU64::new(u64::MAX),
            is_scattered: AtomicBool::new(false),
            length: signed(limits.entry_length),
            unstored: signed(limits.unstored_items),
            walk: signed(limits.walk_length),
        }))
    }

    /// Another entry begins.
    #[inline]
    pub(crate) fn renew(&self) {
        self.0.bytes.store(0, Relaxed);
        self.0.pages.store(0, Relaxed);
        self.0.items.store(0, Relaxed);
        self.0.is_scattered.store(false, Relaxed);
    }

    /// Entries begin that are read at once.
    pub(crate) fn renew_with(&self, grant: Grant) {
        let (bytes, items) = (-signed(grant.bytes), -signed(grant.items));
        self.0.bytes.store(bytes, Relaxed);
        self.0.pages.store(bytes, Relaxed);
        self.0.items.store(items, Relaxed);
        self.0.is_scattered.store(false, Relaxed);
    }

    /// What was taken is taken from `other` as well, which also has this in addition.
    pub(crate) fn hand_over(&self, other: &Self, more: Grant) {
        let (bytes, items) = (signed(more.bytes), signed(more.items));
        other.0.bytes.store(self.0.bytes.load(Relaxed).saturating_sub(bytes), Relaxed);
        other.0.pages.store(self.0.pages.load(Relaxed).saturating_sub(bytes), Relaxed);
        other.0.items.store(self.0.items.load(Relaxed).saturating_sub(items), Relaxed);
    }

    /// Bytes of values, and items that are not on storage, since the last entry began, which was granted nothing.
    pub(crate) fn taken(&self) -> (u64, u64) {
        let positive = |count: &AtomicI64| u64::try_from(count.load(Relaxed)).unwrap_or_default();
        (positive(&self.0.bytes), positive(&self.0.items))
    }

    /// The most items that are not on storage in one entry.
    pub(crate) fn unstored_items(&self) -> u64 {
        self.0.unstored.unsigned_abs()
    }

    /// How many items that are not on storage a column may make ahead, up to `most`: with less left, less. An entry may
    /// have one item of each of many columns, for which half of all is kept.
    pub(crate) fn portion(&self, most: u64) -> u64 {
        let left = (self.0.unstored / 2).saturating_sub(self.0.items.load(Relaxed));
        (2 * left.max(0).unsigned_abs() / most.max(1)).clamp(1, most.max(1))
    }

    /// Takes `count` items that are not on storage.
    ///
    /// # Errors
    /// The entry has had too many.
    pub(crate) fn take(&self, count: u64) -> Result<()> {
        let taken = self.0.items.load(Relaxed).saturating_add_unsigned(count);
        if taken > self.0.unstored {
            let found = format_args!("one entry has {count} items that are not on storage, or more");
            return Err(limits::exceeded(found, self.unstored_items(), "unstored_items"));
        }
        self.0.items.store(taken, Relaxed);
        Ok(())
    }

    /// Takes memory for `count` items.
    ///
    /// # Errors
    /// The entry is too long.
    #[inline]
    pub(crate) fn take_values(&self, count: usize, length: ItemLength) -> Result<()> {
        if !length.counts(count) {
            return Ok(());
        }
        let length = length.bytes;
        let bytes = (count as u64).checked_mul(length as u64);
        let taken = bytes.and_then(|bytes| self.0.bytes.load(Relaxed).checked_add_unsigned(bytes));
        match taken {
            Some(taken) if taken <= self.0.length => {
                self.0.bytes.store(taken, Relaxed);
                Ok(())
            }
            _ => Err(self.too_long(count, length)),
        }
    }

    /// Takes a page of `length` bytes, where the columns hold `held` bytes of pages together.
    ///
    /// # Errors
    /// The pages are more than an entry may have, even if it shares the first ones with other entries.
    pub(crate) fn take_page(&self, length: u64, held: u64) -> Result<()> {
        let taken = self.0.pages.load(Relaxed).saturating_add_unsigned(length);
        // Of each column the page in which the entry begins, and the one before: a jump looks there for the offset in
        // front of it.
        if taken > self.0.length.saturating_add(signed(held.saturating_mul(2))) {
            let found = format_args!("one entry has pages of {taken} bytes, or more");
            return Err(limits::exceeded(found, self.0.length.unsigned_abs(), "entry_length"));
        }
        self.0.pages.store(taken, Relaxed);
        Ok(())
    }

    /// Notes that a variant of this entry has its values in another order than the entries are in.
    #[cold]
    pub(crate) fn scatter(&self) {
        self.0.is_scattered.store(true, Relaxed);
    }

    /// The caller begins a walk or asks for an entry, which may decode pages again that others did.
    pub(crate) fn begin_again(&self) {
        self.0.again.store(0, Relaxed);
    }

    /// Columns with variants turn to a cluster, or to its beginning after an error.
    pub(crate) fn begin_cluster(&self, id: ClusterId) {
        if self.0.cluster.swap(id.0.into(), Relaxed) != u64::from(id.0) {
            self.0.again.store(0, Relaxed);
        }
    }

    /// Whether more pages of the cluster were decoded again for variants than may be: it is no better for fewer entries
    /// at a time.
    pub(crate) fn is_used_up(&self) -> bool {
        self.0.again.load(Relaxed) > self.0.walk
    }

    /// Takes `length` bytes of a page that a column decodes again, if a variant makes it do so: a caller may ask for
    /// entries in another order than they are in as often as wanted, but a file may not.
    ///
    /// # Errors
    /// There were too many in this cluster.
    pub(crate) fn take_again(&self, length: u64) -> Result<()> {
        if length == 0 || !self.0.is_scattered.load(Relaxed) {
            return Ok(());
        }
        let taken = self.0.again.load(Relaxed).saturating_add_unsigned(length);
        self.0.again.store(taken, Relaxed);
        if taken > self.0.walk {
            let found = format_args!(
                "values of a variant are not in order, so that {taken} bytes of pages of one cluster are decoded again"
            );
            return Err(limits::exceeded(found, self.0.walk.unsigned_abs(), "walk_length"));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_long(&self, count: usize, length: usize) -> Error {
        let found = format!("one entry has a collection of {count} items of {length} bytes each in memory");
        let found = match self.0.bytes.load(Relaxed) {
            ..=0 => found,
            taken => format!("{found}, after {taken} bytes of others"),
        };
        limits::exceeded(found, self.0.length.unsigned_abs(), "entry_length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn allowance() -> Allowance {
        Allowance::new(&Limits::new().entry_length(1000).unstored_items(10))
    }

    /// Each of them has one item in an entry, whatever it makes ahead.
    #[test]
    fn as_many_columns_as_there_may_be_have_an_item() {
        let limits = Limits::new();
        let allowance = Allowance::new(&limits);
        assert_eq!(allowance.portion(1024), 1024);
        for column in 0..limits.column_count {
            allowance.take(allowance.portion(1024)).unwrap_or_else(|error| panic!("{column}: {error}"));
        }
    }

    #[test]
    fn each_entry_has_its_own() {
        let allowance = allowance();
        for _ in 0..3 {
            allowance.renew();
            allowance.take_values(100, ItemLength::of::<u32>()).unwrap();
            allowance.take_values(150, ItemLength::of::<u32>()).unwrap();
            allowance.take_values(usize::MAX, ItemLength::of::<()>()).unwrap();
            // Short ones are free.
            allowance.take_values(16, ItemLength::of::<u64>()).unwrap();
            assert!(allowance.take_values(17, ItemLength::of::<u64>()).is_err());
            let error = allowance.take_values(1, ItemLength::exactly(1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            let message = "one entry has a collection of 1 items of 1 bytes each in memory, after 1000 bytes of others, \
                           expected at most 1000; `Limits::entry_length` sets this limit";
            assert_eq!(error.to_string(), message);
            allowance.take(10).unwrap();
            assert!(allowance.take(1).unwrap_err().to_string().contains("`Limits::unstored_items`"));
            assert_eq!(allowance.taken(), (1000, 10));
        }
        for (count, length) in [(usize::MAX, 2), (usize::MAX, 1), (1 << 62, 1 << 10), (1, 1001)] {
            allowance.renew();
            assert!(allowance.take_values(count, ItemLength::exactly(length)).is_err());
        }
        assert!(allowance.take(u64::MAX).is_err());
        let unlimited = Allowance::new(&Limits::unlimited());
        unlimited.take_values(1 << 40, ItemLength::exactly(1 << 20)).unwrap();
    }

    #[test]
    fn pages_that_are_held_anyway_are_none_of_an_entry() {
        let allowance = allowance();
        allowance.renew();
        allowance.take_page(5000, 5000).unwrap();
        allowance.take_page(5000, 5000).unwrap();
        allowance.take_page(1000, 5000).unwrap();
        assert!(allowance.take_page(1, 5000).unwrap_err().to_string().contains("`Limits::entry_length`"));
    }

    #[test]
    fn pages_that_scattered_values_go_back_to_have_a_limit_in_a_cluster() {
        let allowance = Allowance::new(&Limits::new().walk_length(1000));
        allowance.take_again(5000).unwrap();
        allowance.begin_cluster(ClusterId(7));
        for taken in [600, 400] {
            allowance.renew();
            allowance.take_again(5000).unwrap();
            allowance.scatter();
            allowance.take_again(taken).unwrap();
        }
        let error = allowance.take_again(1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("1001 bytes of pages of one cluster"), "{error}");
        // The same cluster again is not another one.
        allowance.begin_cluster(ClusterId(7));
        assert!(allowance.is_used_up() && allowance.take_again(1).is_err());
        allowance.begin_cluster(ClusterId(8));
        allowance.take_again(1000).unwrap();
        assert!(!allowance.is_used_up());
        // Entries that the caller asks for next have their own.
        allowance.begin_again();
        allowance.take_again(1000).unwrap();
        assert!(!allowance.is_used_up());
    }

    #[test]
    fn several_entries_may_have_more() {
        let allowance = allowance();
        allowance.renew_with(Grant { bytes: 500, items: 5 });
        allowance.take_values(1500, ItemLength::exactly(1)).unwrap();
        allowance.take(15).unwrap();
        assert!(allowance.take_values(1, ItemLength::exactly(1)).is_err() && allowance.take(1).is_err());
        let other = self::allowance();
        allowance.hand_over(&other, Grant { bytes: 1, items: 0 });
        other.take_values(1, ItemLength::exactly(1)).unwrap();
        assert!(other.take_values(1, ItemLength::exactly(1)).is_err() && other.take(1).is_err());
    }
}
