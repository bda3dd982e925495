//! Attribute sets: what is said of ranges of entries (format, section 8).

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Entries, ReadOptions, Reader};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attribute, AttributeRange, Entry, ReadField};
use crate::limits;

/// A table of ranges has no more lines: a set may have as many attributes as it likes.
const MOST_BLOCKS: u64 = 1 << 16;

impl<T: ReadField> Reader<T> {
    /// Opens an attribute set of the ntuple, as values of type `A`: it may have fewer members than the set, or other
    /// ones, as the type of any reader; a [`Value`](crate::Value) has whatever the set has.
    ///
    /// Of many files, the sets of that name follow each other, and their ranges count entries as the reader does. Files
    /// without such a set have nothing to say, unless no file has one.
    ///
    /// # Errors
    /// There is no such set, its version is not known, it is damaged, or it does not hold what `A` asks for.
    pub fn attributes<A: Entry + ReadField>(&self, name: &str) -> Result<AttributeReader<A>> {
        // Selections are of the fields of the entries, and of entries.
        let options = self.cursors.options().for_all_fields().for_all_entries();
        let (sets, connected, starts) = self.sequence().open_set::<Attribute<A>>(name, &options)?;
        AttributeReader::new(Reader::of((sets, connected), options.hidden())?, &starts)
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
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let quality = reader.attributes::<Quality>("Quality")?;
/// assert_eq!(quality.attribute_count(), 2);
/// for attribute in quality.entries() {
///     let attribute = attribute?;
///     println!("{:?}: {}", attribute.range, attribute.value.detector);
/// }
/// let bad = |entry| -> rntuple::Result<bool> {
///     quality.covering(entry).try_fold(false, |bad, attribute| Ok(bad || !attribute?.value.good))
/// };
/// assert_eq!([3, 4, 5, 6].map(bad).into_iter().collect::<Result<Vec<_>, _>>()?, [false, true, true, false]);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Ranges are as the file has them, also where they go beyond the last entry, which
/// `check::check_file` reports.
pub struct AttributeReader<A: Entry + ReadField> {
    reader: Reader<Attribute<A>>,
    count: u64,
    places: Places,
    /// Made when an entry is first asked for.
    index: OnceLock<Index>,
}

/// Where the entries of each file begin, by the first attribute of the file's set.
#[derive(Clone, Debug)]
struct Places(Arc<[(u64, u64)]>);

impl Places {
    /// A range that an attribute has in its file, counted as the reader does.
    fn shift(&self, attribute: u64, range: Range<u64>) -> Range<u64> {
        let file = self.0.partition_point(|(first, _)| *first <= attribute).checked_sub(1);
        let start = file.and_then(|file| self.0.get(file)).map_or(0, |(_, start)| *start);
        range.start.saturating_add(start)..range.end.saturating_add(start)
    }
}

impl<A: Entry + ReadField> AttributeReader<A> {
    /// Reads a set that is open already: [`Dataset::attribute_set`]. It reads all of the attributes, whatever
    /// [`only`](ReadOptions::only) says.
    ///
    /// # Errors
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it is not an attribute set, or does not hold what `A` asks
    /// for.
    pub fn from_dataset(set: Arc<Dataset>, options: ReadOptions) -> Result<Self> {
        Self::new(Reader::from_dataset(set, options.for_all_entries())?, &[0])
    }

    /// `starts`: the first entry of each file that has a set.
    fn new(reader: Reader<Attribute<A>>, starts: &[u64]) -> Result<Self> {
        let count = reader.entry_count()?;
        let first = |file| reader.sequence().entries_of(file).unwrap_or_default().start;
        let places = starts.iter().enumerate().map(|(file, start)| (first(file), *start)).collect();
        Ok(Self { count, places: Places(places), index: OnceLock::new(), reader })
    }

    /// Returns the number of attributes.
    pub fn attribute_count(&self) -> u64 {
        self.count
    }

    /// Reads all attributes, in the order in which they were added.
    pub fn entries(&self) -> AttributeEntries<A> {
        AttributeEntries { entries: self.reader.entries(), places: self.places.clone() }
    }

    /// Reads the attribute that was added as the `index`-th.
    ///
    /// # Errors
    /// There are fewer, or its pages are damaged.
    pub fn get(&self, index: u64) -> Result<Attribute<A>> {
        let Attribute { range, value } = self.reader.get(index)?;
        Ok(Attribute { range: self.places.shift(index, range), value })
    }

    /// Finds the attributes whose ranges an entry is in, in the order in which they were added.
    ///
    /// The first call reads the ranges of the whole set, and keeps a table of at most 65 536 lines; where ranges follow
    /// each other, the next ones take the time of a binary search and of reading what they return. A set of more than
    /// 16 million attributes ([`attribute_count`](crate::Limits::attribute_count)), and of more than its files have
    /// bytes, is refused: no search through it would end.
    pub fn covering(&self, entry: u64) -> AttributesAt<'_, A> {
        let (index, error) = match self.index() {
            Ok(index) => (Some(index), None),
            Err(error) => (None, Some(error)),
        };
        let lines = index.map_or(0..0, |index| index.lines(entry));
        AttributesAt { attributes: self, index, entry, lines, block: None, error }
    }

    fn index(&self) -> Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        // Pages may be named without end, and so a few bytes may claim any number of them.
        let files = self.reader.sequence();
        let mut limit = 0u64;
        for file in 0..files.names().len() {
            let dataset = files.dataset(file)?;
            let limits = self.reader.cursors.options().limits_of(dataset.file());
            limit = limit.max(limits.attribute_count).saturating_add(dataset.file().end());
        }
        if self.count > limit {
            let found = format_args!("the set to be searched has {} attributes", self.count);
            return Err(files.place(limits::exceeded(found, limit, "attribute_count")));
        }
        let index = Index::new(self.ranges()?, self.places.clone())?;
        Ok(self.index.get_or_init(|| index))
    }

    /// The ranges alone.
    fn ranges(&self) -> Result<Reader<AttributeRange>> {
        let files = self.reader.sequence();
        Reader::of(files.open_again::<AttributeRange>()?, self.reader.cursors.options().clone().hidden())
    }
}

impl<A: Entry + ReadField> IntoIterator for &AttributeReader<A> {
    type Item = Result<Attribute<A>>;
    type IntoIter = AttributeEntries<A>;

    fn into_iter(self) -> AttributeEntries<A> {
        self.entries()
    }
}

impl<A: Entry + ReadField> fmt::Debug for AttributeReader<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeReader")
            .field("set", &self.reader.sequence().path())
            .field("attributes", &self.count)
            .finish_non_exhaustive()
    }
}

/// Iterator over the attributes of a set: [`AttributeReader::entries`]. Damage ends it, as it ends [`Entries`].
#[must_use = "iterators read nothing unless they are asked"]
pub struct AttributeEntries<A: Entry + ReadField> {
    entries: Entries<Attribute<A>>,
    places: Places,
}

impl<A: Entry + ReadField> Iterator for AttributeEntries<A> {
    type Item = Result<Attribute<A>>;

    fn next(&mut self) -> Option<Self::Item> {
        let attribute = self.entries.next()?;
        let number = self.entries.last_entry().unwrap_or_default();
        Some(
            attribute.map(|Attribute { range, value }| Attribute {
                range: self.places.shift(number, range),
                value,
            }),
        )
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl<A: Entry + ReadField> FusedIterator for AttributeEntries<A> {}

impl<A: Entry + ReadField> fmt::Debug for AttributeEntries<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeEntries").field("entries", &self.entries).finish_non_exhaustive()
    }
}

/// Where to look for the attributes of an entry.
///
/// Attributes stand in blocks of as many as make the table short; mostly, a block has one.
struct Index {
    lines: Vec<Line>,
    /// Attributes in a block.
    length: u64,
    count: u64,
    ranges: Reader<AttributeRange>,
    places: Places,
}

/// A block of attributes.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The ranges of the block begin no earlier and end no later.
    start: u64,
    end: u64,
    /// No range of this block or a later one begins earlier.
    later_start: u64,
    /// No range of this block or one before it ends later.
    end_before: u64,
}

impl Index {
    fn new(ranges: Reader<AttributeRange>, places: Places) -> Result<Self> {
        let count = ranges.entry_count()?;
        let length = count.div_ceil(MOST_BLOCKS).max(1);
        let mut lines: Vec<Line> = Vec::new();
        let (mut left, mut end_before) = (0, 0);
        for (number, range) in (0..).zip(ranges.entries()) {
            let range = places.shift(number, range?.0);
            if left == 0 {
                lines.push(Line { start: u64::MAX, end: 0, later_start: u64::MAX, end_before });
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
        let mut later_start = u64::MAX;
        for line in lines.iter_mut().rev() {
            later_start = later_start.min(line.start);
            line.later_start = later_start;
        }
        Ok(Self { lines, length, count, ranges, places })
    }

    /// Lines outside of which no range has the entry. Both bounds are in order, whatever the ranges are.
    fn lines(&self, entry: u64) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.end_before <= entry);
        let end = self.lines.partition_point(|line| line.later_start <= entry);
        first..end.max(first)
    }

    /// The attributes of a line, if some may have the entry.
    fn block(&self, line: usize, entry: u64) -> Option<Range<u64>> {
        let bounds = self.lines.get(line)?;
        if entry < bounds.start || entry >= bounds.end {
            return None;
        }
        let start = (line as u64).saturating_mul(self.length);
        Some(start..start.saturating_add(self.length).min(self.count))
    }
}

/// The attributes of one entry: [`AttributeReader::covering`]. Damage ends it, as it ends [`Entries`].
#[must_use = "iterators read nothing unless they are asked"]
pub struct AttributesAt<'r, A: Entry + ReadField> {
    attributes: &'r AttributeReader<A>,
    index: Option<&'r Index>,
    entry: u64,
    lines: Range<usize>,
    /// The block of the line before, and the number of its next attribute.
    block: Option<(Entries<AttributeRange>, u64)>,
    error: Option<Error>,
}

impl<A: Entry + ReadField> AttributesAt<'_, A> {
    /// The number of the next attribute that has the entry.
    fn find(&mut self) -> Result<Option<u64>> {
        loop {
            let Some(index) = self.index else { return Ok(None) };
            if let Some((ranges, number)) = &mut self.block {
                for range in ranges {
                    let found = *number;
                    *number += 1;
                    if index.places.shift(found, range?.0).contains(&self.entry) {
                        return Ok(Some(found));
                    }
                }
                self.block = None;
            }
            let Some(line) = self.lines.next() else { return Ok(None) };
            let Some(block) = index.block(line, self.entry) else { continue };
            if index.length == 1 {
                return Ok(Some(block.start));
            }
            self.block = Some((index.ranges.entries_in(block.clone()), block.start));
        }
    }
}

impl<A: Entry + ReadField> Iterator for AttributesAt<'_, A> {
    type Item = Result<Attribute<A>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.error.take() {
            return Some(Err(error));
        }
        let result = match self.find() {
            Ok(None) => return None,
            Ok(Some(number)) => self.attributes.get(number),
            Err(error) => Err(error),
        };
        if result.is_err() {
            (self.lines, self.block) = (0..0, None);
        }
        Some(result)
    }
}

impl<A: Entry + ReadField> FusedIterator for AttributesAt<'_, A> {}

impl<A: Entry + ReadField> fmt::Debug for AttributesAt<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributesAt").field("entry", &self.entry).finish_non_exhaustive()
    }
}
