//! Attribute sets: what is said of ranges of entries (format, section 8).

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use super::{Entries, ReadOptions, Reader};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attribute, AttributeRange, Entry, ReadField};
use crate::limits;

/// A table of ranges has no more lines: a set may have as many attributes as it likes.
const MOST_BLOCKS: u64 = 1 << 16;

impl<T: ReadField> Reader<T> {
    /// Opens an attribute set of the ntuple, as values of type `A`: it may have fewer members than the set, or other
    /// ones, as the type of any reader; [`Value`](crate::Value) stands for whatever the set has.
    ///
    /// # Errors
    /// There is no such set, its version is not known, it is damaged, or it does not hold what `A` asks for.
    pub fn attributes<A: Entry + ReadField>(&self, name: &str) -> Result<AttributeReader<A>> {
        // A selection is one of the fields of the entries.
        let options = ReadOptions { selection: None, ..self.options.clone() };
        AttributeReader::from_dataset(Arc::new(self.dataset.attribute_set(name)?), options)
    }
}

/// Reads an attribute set: values of type `A`, each about a range of entries.
///
/// ```
/// use rntuple::{RNTuple, Reader};
/// # use rntuple::{WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// #[derive(RNTuple)]
/// struct Quality { detector: String, good: bool }
///
/// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// # (0..10).try_for_each(|_| writer.fill(&Event { met: 1.0 }))?;
/// # let quality = writer.attributes("Quality")?;
/// # quality.add(0..10, &Quality { detector: "muon".to_owned(), good: true })?;
/// # quality.add(4..6, &Quality { detector: "tracker".to_owned(), good: false })?;
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::from_storage(storage, "Events")?;
/// let mut quality = reader.attributes::<Quality>("Quality")?;
/// assert_eq!(quality.len(), 2);
/// for attribute in quality.entries() {
///     let attribute = attribute?;
///     println!("{:?}: {}", attribute.range, attribute.value.detector);
/// }
/// let bad = |entry| -> rntuple::Result<bool> {
///     let mut covering = quality.covering(entry);
///     covering.try_fold(false, |bad, attribute| Ok(bad || !attribute?.value.good))
/// };
/// assert_eq!([3, 4, 5, 6].map(bad).into_iter().collect::<Result<Vec<_>, _>>()?, [false, true, true, false]);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Ranges are as the file has them, also where they go beyond the last entry, which
/// [`check_file`](crate::check::check_file) tells of.
pub struct AttributeReader<A: Entry + ReadField> {
    reader: Reader<Attribute<A>>,
    /// Made when an entry is first asked for.
    index: Option<Index>,
}

impl<A: Entry + ReadField> AttributeReader<A> {
    /// Reads a set that is open already: [`Dataset::attribute_set`].
    ///
    /// # Errors
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it is no attribute set, or does not hold what `A` asks
    /// for.
    pub fn from_dataset(set: Arc<Dataset>, options: ReadOptions) -> Result<Self> {
        Ok(Self { reader: Reader::from_dataset(set, options)?, index: None })
    }

    /// Number of attributes.
    pub fn len(&self) -> u64 {
        self.reader.len()
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.reader.is_empty()
    }

    /// What the file says about the set.
    pub fn dataset(&self) -> &Arc<Dataset> {
        self.reader.dataset()
    }

    /// All attributes, in the order in which they were added.
    pub fn entries(&self) -> Entries<Attribute<A>> {
        self.reader.entries()
    }

    /// The attribute that was added as the `index`-th.
    ///
    /// # Errors
    /// There are fewer, or its pages are damaged.
    pub fn get(&mut self, index: u64) -> Result<Attribute<A>> {
        self.reader.get(index)
    }

    /// The attributes whose ranges an entry is in, in the order in which they were added.
    ///
    /// The first call reads the ranges of the whole set, and keeps a table of at most 65 536 lines; where ranges follow
    /// each other, the next ones take the time of a binary search and of reading what they return. A set of more than
    /// 16 million attributes ([`attribute_count`](crate::Limits::attribute_count)), and of more than its file has bytes,
    /// is refused: no search through it would end.
    pub fn covering(&mut self, entry: u64) -> Covering<'_, A> {
        let found = self.prepare().map(|()| self.index.as_ref().map(|index| index.lines(entry)));
        let (lines, error) = match found {
            Ok(lines) => (lines.unwrap_or(0..0), None),
            Err(error) => (0..0, Some(error)),
        };
        Covering { attributes: self, entry, lines, block: None, error }
    }

    fn prepare(&mut self) -> Result<()> {
        if self.index.is_none() {
            // Pages may be named without end, and so a few bytes may claim any number of them.
            let dataset = self.dataset();
            let (count, limits) = (dataset.entry_count(), self.reader.options.limits_of(dataset.file()));
            let limit = limits.attribute_count.saturating_add(dataset.file().end());
            if count > limit {
                let found = format_args!("the set to be searched has {count} attributes");
                let error = limits::exceeded(found, limit, "attribute_count");
                return Err(error.in_ntuple(dataset.path()).in_file(dataset.file().name()));
            }
            self.index = Some(Index::new(self.ranges()?)?);
        }
        Ok(())
    }

    /// The ranges alone.
    fn ranges(&self) -> Result<Reader<AttributeRange>> {
        Reader::from_dataset(self.reader.dataset.clone(), self.reader.options.clone())
    }
}

impl<A: Entry + ReadField> IntoIterator for &AttributeReader<A> {
    type Item = Result<Attribute<A>>;
    type IntoIter = Entries<Attribute<A>>;

    fn into_iter(self) -> Entries<Attribute<A>> {
        self.entries()
    }
}

impl<A: Entry + ReadField> fmt::Debug for AttributeReader<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeReader")
            .field("set", &self.dataset().path())
            .field("attributes", &self.len())
            .finish_non_exhaustive()
    }
}

/// Where to look for the attributes of an entry.
///
/// Attributes stand in blocks of as many as make the table short; mostly, a block has one.
struct Index {
    lines: Vec<Line>,
    /// Attributes in a block.
    length: u64,
    len: u64,
    ranges: Reader<AttributeRange>,
}

/// A block of attributes.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The ranges of the block begin no earlier and end no later.
    start: u64,
    end: u64,
    /// No range of this block or one behind it begins earlier.
    start_behind: u64,
    /// No range of this block or one before it ends later.
    end_before: u64,
}

impl Index {
    fn new(ranges: Reader<AttributeRange>) -> Result<Self> {
        let len = ranges.len();
        let length = len.div_ceil(MOST_BLOCKS).max(1);
        let mut lines: Vec<Line> = Vec::new();
        let (mut left, mut end_before) = (0, 0);
        for range in ranges.entries() {
            let AttributeRange(range) = range?;
            if left == 0 {
                lines.push(Line { start: u64::MAX, end: 0, start_behind: u64::MAX, end_before });
                left = length;
            }
            left -= 1;
            // Nothing is in an empty one.
            if let Some(line) = lines.last_mut().filter(|_| !range.is_empty()) {
                end_before = end_before.max(range.end);
                line.start = line.start.min(range.start);
                line.end = line.end.max(range.end);
                line.end_before = end_before;
            }
        }
        let mut start_behind = u64::MAX;
        for line in lines.iter_mut().rev() {
            start_behind = start_behind.min(line.start);
            line.start_behind = start_behind;
        }
        Ok(Self { lines, length, len, ranges })
    }

    /// Lines outside of which no range has the entry. Both bounds are in order, whatever the ranges are.
    fn lines(&self, entry: u64) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.end_before <= entry);
        let end = self.lines.partition_point(|line| line.start_behind <= entry);
        first..end.max(first)
    }

    /// The attributes of a line, if some may have the entry.
    fn block(&self, line: usize, entry: u64) -> Option<Range<u64>> {
        let bounds = self.lines.get(line)?;
        if entry < bounds.start || entry >= bounds.end {
            return None;
        }
        let start = (line as u64).saturating_mul(self.length);
        Some(start..start.saturating_add(self.length).min(self.len))
    }
}

/// The attributes of one entry: [`AttributeReader::covering`]. Damage ends it, as it ends [`Entries`].
#[must_use = "iterators read nothing unless they are asked"]
pub struct Covering<'r, A: Entry + ReadField> {
    attributes: &'r mut AttributeReader<A>,
    entry: u64,
    lines: Range<usize>,
    /// The block of the line before, and the number of its next attribute.
    block: Option<(Entries<AttributeRange>, u64)>,
    error: Option<Error>,
}

impl<A: Entry + ReadField> Covering<'_, A> {
    /// The number of the next attribute that has the entry.
    fn find(&mut self) -> Result<Option<u64>> {
        loop {
            if let Some((ranges, number)) = &mut self.block {
                for range in ranges {
                    let found = *number;
                    *number += 1;
                    if range?.0.contains(&self.entry) {
                        return Ok(Some(found));
                    }
                }
                self.block = None;
            }
            let Some(index) = &self.attributes.index else { return Ok(None) };
            let Some(line) = self.lines.next() else { return Ok(None) };
            let Some(block) = index.block(line, self.entry) else { continue };
            if index.length == 1 {
                return Ok(Some(block.start));
            }
            self.block = Some((index.ranges.entries_in(block.clone()), block.start));
        }
    }
}

impl<A: Entry + ReadField> Iterator for Covering<'_, A> {
    type Item = Result<Attribute<A>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.error.take() {
            return Some(Err(error));
        }
        let result = match self.find() {
            Ok(None) => return None,
            Ok(Some(number)) => self.attributes.reader.get(number),
            Err(error) => Err(error),
        };
        if result.is_err() {
            (self.lines, self.block) = (0..0, None);
        }
        Some(result)
    }
}

impl<A: Entry + ReadField> FusedIterator for Covering<'_, A> {}

impl<A: Entry + ReadField> fmt::Debug for Covering<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Covering").field("entry", &self.entry).finish_non_exhaustive()
    }
}
