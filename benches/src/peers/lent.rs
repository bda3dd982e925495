//! A reader for exactly these events, by hand, that gives its caller all columns at once: batches of 1024 entries, of each
//! column a slice. It has a page of every column in memory, so that values leave the processor's cache between the pages'
//! checksums and their use, and copies the values of a batch that begins in one page and ends in another. The other
//! bound, [`bound`], does neither, as it has one column at a time.

use std::fs::File;
use std::path::Path;
use std::vec;

use rntuple::encoding::Index;

use super::bound::{self, Layout, Page, Record, Slice, Source};
use crate::Codec;

/// Entries of a batch, as for the reader that is compared.
const BATCH: usize = 1024;

/// Reads the columns of the nested events.
pub fn read_columns(path: &Path, codec: Codec) -> u64 {
    bound::nested(path, codec, add)
}

/// Reads the columns of the nested events, each half of the pages on a thread of its own.
pub fn read_columns_2(path: &Path, codec: Codec) -> u64 {
    bound::nested_2(path, codec, add)
}

/// Reads the columns of the flat events.
pub fn read_flat_columns(path: &Path, codec: Codec) -> u64 {
    bound::flat(path, codec, add)
}

/// The sums of all columns. The first one has a value for each entry.
fn add(file: &File, codec: Codec, layouts: &[Layout], records: &[Record]) -> Vec<u64> {
    let mut source = Source::new(file, codec);
    let mut columns: Vec<Column> = (0u64..)
        .zip(layouts)
        .map(|(number, layout)| {
            let own = records.iter().filter(|[column, ..]| *column == number);
            Column::new(*layout, own.copied().collect())
        })
        .collect();
    let batches = columns[0].count.div_ceil(BATCH);
    for number in 1..=batches {
        for column in &mut columns {
            column.read_batch(&mut source, column.count * number / batches);
        }
        for column in &mut columns {
            column.add_batch(codec != Codec::None);
        }
    }
    columns.iter().map(|column| column.sum).collect()
}

/// A column of which a page is held.
struct Column {
    layout: Layout,
    records: vec::IntoIter<Record>,
    /// Values of all pages.
    count: usize,
    page: Page,
    /// Values of the page, and which of them is the next.
    held: usize,
    next: usize,
    /// Values so far.
    seen: usize,
    /// Values of the batch: those of the page before the next one, or those that were gathered.
    lent: usize,
    gathered: Gathered,
    before: u64,
    sum: u64,
}

impl Column {
    fn new(layout: Layout, records: Vec<Record>) -> Self {
        let count = records.iter().map(|[.., length, _]| layout.count(*length as usize)).sum();
        let before = records.first().map_or(0, |[.., before]| *before);
        Self {
            layout,
            records: records.into_iter(),
            count,
            page: Page::new(),
            held: 0,
            next: 0,
            seen: 0,
            lent: 0,
            gathered: Gathered::default(),
            before,
            sum: 0,
        }
    }

    /// Reads the values of a batch that ends where there were `until` of them.
    fn read_batch(&mut self, source: &mut Source<'_>, until: usize) {
        self.lent = until - self.seen;
        self.seen = until;
        self.gathered.clear();
        if self.next + self.lent <= self.held {
            self.next += self.lent;
            return;
        }
        let mut wanted = self.lent;
        while wanted > 0 {
            if self.next == self.held {
                let record = self.records.next().unwrap();
                self.held = self.page.read(source, self.layout, &record);
                self.next = 0;
            }
            let count = wanted.min(self.held - self.next);
            self.next += count;
            if count == self.lent {
                // All of them are in the page that begins here.
                return;
            }
            self.gathered.append(self.page.slice(
                self.layout,
                source.codec != Codec::None,
                self.next - count..self.next,
            ));
            wanted -= count;
        }
    }

    /// Adds the values of the batch.
    fn add_batch(&mut self, is_split: bool) {
        let lent = match self.gathered.slice(self.layout, is_split) {
            Some(gathered) => gathered,
            None => self.page.slice(self.layout, is_split, self.next - self.lent..self.next),
        };
        self.sum = self.sum.wrapping_add(lent.sum(&mut self.before));
    }
}

/// Values of a batch from several pages.
#[derive(Default)]
struct Gathered {
    flags: Vec<bool>,
    bytes: Vec<u8>,
    twos: Vec<u16>,
    fours: Vec<u32>,
    eights: Vec<u64>,
    indices: Vec<Index>,
    tags: Vec<[u32; 3]>,
    is_used: bool,
}

impl Gathered {
    fn clear(&mut self) {
        self.is_used = false;
        self.flags.clear();
        self.bytes.clear();
        self.twos.clear();
        self.fours.clear();
        self.eights.clear();
        self.indices.clear();
        self.tags.clear();
    }

    fn append(&mut self, slice: Slice<'_>) {
        self.is_used = true;
        match slice {
            Slice::Flags(values) => self.flags.extend_from_slice(values),
            Slice::Bytes(values) => self.bytes.extend_from_slice(values),
            Slice::Twos(values) => self.twos.extend_from_slice(values),
            Slice::Fours(values) => self.fours.extend_from_slice(values),
            Slice::Eights(values) | Slice::Ends(values) => self.eights.extend_from_slice(values),
            Slice::Indices(values) => self.indices.extend_from_slice(values),
            Slice::Tags(values) => self.tags.extend_from_slice(values),
        }
    }

    /// All of them; `None` if the batch is in one page.
    fn slice(&self, layout: Layout, is_split: bool) -> Option<Slice<'_>> {
        self.is_used.then(|| match layout {
            Layout::Flags => Slice::Flags(&self.flags),
            Layout::Bytes => Slice::Bytes(&self.bytes),
            Layout::Twos => Slice::Twos(&self.twos),
            Layout::Fours => Slice::Fours(&self.fours),
            Layout::Eights => Slice::Eights(&self.eights),
            Layout::Ends if is_split => Slice::Indices(&self.indices),
            Layout::Ends => Slice::Ends(&self.eights),
            Layout::Tags => Slice::Tags(&self.tags),
        })
    }
}
