//! Entries in the order in which a training reads them.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::Reader;
use super::cursors::Cursors;
use super::entries::Entries;
use super::entry_list::EntryList;
use crate::error::{Error, Result};
use crate::field::ReadField;

/// Entries that stay together when blocks are shuffled. Where blocks begin is a matter of the numbers of entries alone,
/// so that parts are the same whatever is read of them, and however the file has been cut into clusters.
const BLOCK: u64 = 8192;

/// Entries that are mixed at a time, unless another number is asked for.
const BUFFER: u64 = 100_000;

/// One pass over the entries of a training, in an order that looks random and is the same for the same seed.
///
/// Files are read best from the beginning to the end, and trainings want entries from everywhere. So blocks of 8192
/// neighbouring entries are shuffled, as many of them are read as a [buffer](Self::buffer) holds, and the entries of
/// these are shuffled again.
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// use rntuple::training::Epoch;
///
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # (0..1000).try_for_each(|number| writer.fill(&Event { number }))?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let train = Epoch::new(42).part(0.0..0.8)?;
/// let validate = Epoch::new(42).part(0.8..1.0)?;
/// for number in 0..3 {
///     let events = reader.epoch(&train.clone().number(number))?;
///     assert_eq!(events.count(), 800);
/// }
/// assert_eq!(reader.epoch(&validate)?.count(), 200);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// The order depends on the seed, the number of the epoch, the buffer and the number of entries, and will not change
/// with versions of this crate.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Epoch {
    seed: u64,
    number: u64,
    buffer: u64,
    part: Range<f64>,
    is_shuffled: bool,
}

impl Epoch {
    /// The first pass over all entries.
    pub fn new(seed: u64) -> Self {
        Self { seed, number: 0, buffer: BUFFER, part: 0.0..1.0, is_shuffled: true }
    }

    /// One pass over all entries in their own order.
    pub fn in_order() -> Self {
        Self { is_shuffled: false, ..Self::new(0) }
    }

    /// Sets the number of the pass: each has an order of its own.
    pub fn number(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    /// Sets how many entries are in memory at a time and are mixed with each other: at least this many, if there are,
    /// and less than a block more. Default: 100 000.
    pub fn buffer(mut self, entries: u64) -> Self {
        self.buffer = entries;
        self
    }

    /// Limits it to a part of the entries: `0.0..0.8` to train with, and `0.8..1.0` to validate. Each block is cut in
    /// these proportions, whatever the seed and the number of the pass are.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is not within `0.0..1.0`.
    pub fn part(mut self, part: Range<f64>) -> Result<Self> {
        if !(0.0 <= part.start && part.start <= part.end && part.end <= 1.0) {
            return Err(Error::invalid_argument(format!("a part is within 0.0..1.0, and not {part:?}")));
        }
        self.part = part;
        Ok(self)
    }

    /// Returns how many of so many entries are in the part.
    pub fn entry_count(&self, entry_count: u64) -> u64 {
        let (blocks, rest) = (entry_count / BLOCK, entry_count % BLOCK);
        let of = |count| share(count, self.part.end) - share(count, self.part.start);
        // A part that has nothing of a whole block has nothing of the last one.
        if of(BLOCK) == 0 { 0 } else { blocks * of(BLOCK) + of(rest) }
    }

    /// Returns what is read and mixed at a time, of so many entries.
    pub fn windows(&self, entry_count: u64) -> Windows {
        let mut random = Random::new(self.seed, self.number);
        let blocks = if self.entry_count(entry_count) == 0 { 0 } else { entry_count.div_ceil(BLOCK) };
        let order = self.is_shuffled.then(|| Permutation::new(blocks, &mut random));
        Windows { epoch: self.clone(), blocks: 0..blocks, order, entry_count, random }
    }

    /// The entries of a block that are in the part.
    fn entries_of(&self, block: u64, entry_count: u64) -> Range<u64> {
        let first = block * BLOCK;
        let count = BLOCK.min(entry_count - first);
        first + share(count, self.part.start)..first + share(count, self.part.end)
    }
}

/// That part of a block, to the next entry.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the count is that of a block, and the part of it is no more"
)]
fn share(count: u64, part: f64) -> u64 {
    (count as f64 * part).round() as u64
}

/// Entries that are read and mixed at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    entries: EntryList,
    order: Vec<usize>,
}

impl Window {
    /// Returns the entries to read.
    pub fn entries(&self) -> &EntryList {
        &self.entries
    }

    /// Returns their positions in that list, in the order in which they are used.
    pub fn order(&self) -> &[usize] {
        &self.order
    }
}

/// The windows of a pass: [`Epoch::windows`].
#[derive(Clone, Debug)]
#[must_use = "iterators do nothing unless they are asked"]
pub struct Windows {
    epoch: Epoch,
    /// The positions in the order.
    blocks: Range<u64>,
    order: Option<Permutation>,
    entry_count: u64,
    random: Random,
}

impl Iterator for Windows {
    type Item = Window;

    fn next(&mut self) -> Option<Window> {
        let (mut ranges, mut count) = (Vec::new(), 0u64);
        while count < self.epoch.buffer.max(1) {
            let Some(position) = self.blocks.next() else { break };
            let block = self.order.as_ref().map_or(position, |order| order.at(position));
            let range = self.epoch.entries_of(block, self.entry_count);
            count += range.end - range.start;
            ranges.push(range);
        }
        if count == 0 {
            return None;
        }
        let mut order: Vec<usize> = (0..usize::try_from(count).ok()?).collect();
        if self.epoch.is_shuffled {
            self.random.shuffle(&mut order);
        }
        Some(Window { entries: ranges.into_iter().collect(), order })
    }
}

impl FusedIterator for Windows {}

/// SplitMix64: the order must be the same in all versions, so it cannot be that of another crate.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn new(seed: u64, number: u64) -> Self {
        // What differs in the number must not be what differs after some steps.
        let mut random = Self(number);
        let mixed = random.next();
        Self(seed ^ mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.next()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or_default()
    }

    fn shuffle<V>(&mut self, values: &mut [V]) {
        for index in (1..values.len()).rev() {
            values.swap(index, self.below(index + 1));
        }
    }
}

/// Numbers in another order, of which there may be more than memory holds: a Feistel network over the next power of four,
/// again and again until it comes to one of the numbers.
#[derive(Clone, Debug)]
struct Permutation {
    count: u64,
    half: u32,
    keys: [u64; 4],
}

impl Permutation {
    fn new(count: u64, random: &mut Random) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Self { count, half: bits.div_ceil(2), keys: [(); 4].map(|()| random.next()) }
    }

    /// The number at a position, which is less than the count.
    fn at(&self, position: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let mut number = position;
        loop {
            let (mut left, mut right) = (number >> self.half, number & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (Random(key ^ right).next() & mask));
            }
            number = (left << self.half) | right;
            // One of these comes, since it began with one; about every fourth is, or more.
            if number < self.count {
                return number;
            }
        }
    }
}

impl<T: ReadField> Reader<T> {
    /// Reads the entries of a pass in its order: see [`Epoch`].
    ///
    /// # Errors
    /// As [`entry_count`](Self::entry_count).
    pub fn epoch(&self, epoch: &Epoch) -> Result<EpochEntries<T>> {
        let list = self.cursors.options().among(&EntryList::from(..self.entry_count()?));
        let windows = epoch.windows(list.entry_count());
        Ok(EpochEntries { cursors: self.cursors.clone(), list, windows: Some(windows), mixed: Vec::new() })
    }
}

/// The entries of a pass in its order: [`Reader::epoch`]. Damage ends it.
#[must_use = "iterators read nothing unless they are asked"]
pub struct EpochEntries<T: ReadField> {
    cursors: Arc<Cursors<T>>,
    /// The entries that there are: windows are positions in it.
    list: EntryList,
    /// `None` after damage.
    windows: Option<Windows>,
    /// What was read, the next one last.
    mixed: Vec<T>,
}

impl<T: ReadField> EpochEntries<T> {
    fn read(&self, window: &Window) -> Result<Vec<T>> {
        let entries = Entries::new(&self.cursors, &self.list.at(window.entries()));
        let mut entries = entries.map(|entry| entry.map(Some)).collect::<Result<Vec<_>>>()?;
        let mixed = window.order().iter().rev();
        Ok(mixed.filter_map(|position| entries.get_mut(*position)?.take()).collect())
    }
}

impl<T: ReadField> Iterator for EpochEntries<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.mixed.is_empty() {
            let window = self.windows.as_mut()?.next()?;
            match self.read(&window) {
                Ok(mixed) => self.mixed = mixed,
                Err(error) => {
                    self.windows = None;
                    return Some(Err(error));
                }
            }
        }
        self.mixed.pop().map(Ok)
    }
}

impl<T: ReadField> FusedIterator for EpochEntries<T> {}

impl<T: ReadField> fmt::Debug for EpochEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EpochEntries").field("windows", &self.windows).finish_non_exhaustive()
    }
}
