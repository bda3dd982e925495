//! A writer and a reader for exactly these events, by hand: what generated code should approach.
//!
//! Pages of 64 KiB per column, filled directly, hashed when full and handed to the sink; a few numbers for each are at
//! the end of the file. Uncompressed pages are not split, as in ROOT. The reader has one page at a time, in the order of
//! the file and in the same buffers, and adds up its values where they are. What a reader costs that gives several columns
//! to its caller at once is in [`lent`](super::lent).

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bytemuck::{NoUninit, Zeroable};
use rntuple::encoding::{ColumnEncoding, ColumnType, Element, Index};
use xxhash_rust::xxh3::xxh3_64;
use xxhash_rust::xxh64::xxh64;

use crate::digest::{self, Digest, FlatDigest, LEAVES};
use crate::event::gather;
use crate::{Codec, Data, Event, FlatEvent, Process, Sink};

const PAGE: usize = 64 << 10;
/// Bytes of a checksum that the format has in front of LZ4 data (format, section 3), besides that of the page.
const LZ4_HASH: usize = 8;

/// What the elements of a column are; numbers of one width are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Flags,
    Bytes,
    Twos,
    Fours,
    Eights,
    /// Where collections end, of which differences are stored.
    Ends,
    /// Numbers of alternatives, 1 the first, in the last of three numbers.
    Tags,
}

impl Layout {
    /// The number of elements in that many bytes.
    pub(super) fn count(self, length: usize) -> usize {
        match self {
            Self::Flags => length * 8,
            Self::Bytes => length,
            Self::Twos => length / 2,
            Self::Fours => length / 4,
            Self::Eights | Self::Ends => length / 8,
            Self::Tags => length / size_of::<[u32; 3]>(),
        }
    }
}

/// What is done with full pages: the number of the column, and the bytes.
type Close<'a> = &'a mut dyn FnMut(usize, &[u8]);

struct Column<T> {
    number: usize,
    page: Box<[T]>,
    length: usize,
}

impl<T: NoUninit + Zeroable> Column<T> {
    fn new(number: usize) -> Self {
        Self { number, page: vec![T::zeroed(); PAGE / size_of::<T>()].into(), length: 0 }
    }

    #[inline]
    fn push(&mut self, value: T, close: Close<'_>) {
        if self.length == self.page.len() {
            self.close(close);
        }
        self.page[self.length] = value;
        self.length += 1;
    }

    #[inline]
    fn extend(&mut self, mut values: &[T], close: Close<'_>) {
        while values.len() > self.page.len() - self.length {
            let (now, later) = values.split_at(self.page.len() - self.length);
            self.page[self.length..].copy_from_slice(now);
            self.length = self.page.len();
            self.close(close);
            values = later;
        }
        self.page[self.length..][..values.len()].copy_from_slice(values);
        self.length += values.len();
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, close: Close<'_>) {
        close(self.number, bytemuck::cast_slice(&self.page[..self.length]));
        self.length = 0;
    }
}

/// Flags, a byte each until the page is closed.
struct Flags {
    bytes: Column<u8>,
    bits: Vec<u8>,
}

impl Flags {
    fn new(number: usize) -> Self {
        Self { bytes: Column::new(number), bits: Vec::with_capacity(PAGE / 8) }
    }

    #[inline]
    fn push(&mut self, value: bool, close: Close<'_>) {
        self.extend(&[value], close);
    }

    #[inline]
    fn extend(&mut self, values: &[bool], close: Close<'_>) {
        if self.bytes.length + values.len() > PAGE {
            self.close(close);
        }
        self.bytes.page[self.bytes.length..][..values.len()].copy_from_slice(bytemuck::cast_slice(values));
        self.bytes.length += values.len();
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, close: Close<'_>) {
        let used = self.bytes.length.next_multiple_of(8).min(PAGE);
        self.bytes.page[self.bytes.length..used].fill(0);
        let (groups, _) = self.bytes.page[..used].as_chunks::<8>();
        self.bits.clear();
        self.bits.extend(groups.iter().map(|group| gather(*group)));
        close(self.bytes.number, &self.bits);
        self.bytes.length = 0;
    }
}

macro_rules! columns {
    ($(#[$doc:meta])* $columns:ident, $layouts:ident: $($name:ident: $type:ty = $layout:expr,)*) => {
        $(#[$doc])*
        struct $columns {
            $($name: $type,)*
        }

        const $layouts: &[Layout] = &[$($layout),*];

        impl $columns {
            fn new() -> Self {
                let mut numbers = 0..;
                Self { $($name: <$type>::new(numbers.next().unwrap()),)* }
            }

            fn close(&mut self, close: Close<'_>) {
                $(self.$name.close(close);)*
            }
        }
    };
}

columns! {
    /// In the order of [`Leaf`](crate::digest::Leaf).
    Columns, LAYOUTS:
    run: Column<u32> = Layout::Fours,
    event: Column<u64> = Layout::Eights,
    weight: Column<f64> = Layout::Eights,
    met: Column<f32> = Layout::Fours,
    good: Flags = Layout::Flags,
    triggers: Flags = Layout::Flags,
    x: Column<f64> = Layout::Eights,
    y: Column<f64> = Layout::Eights,
    z: Column<f64> = Layout::Eights,
    muons: Column<u64> = Layout::Ends,
    muon_pt: Column<f32> = Layout::Fours,
    muon_eta: Column<f32> = Layout::Fours,
    muon_phi: Column<f32> = Layout::Fours,
    muon_mass: Column<f32> = Layout::Fours,
    charge: Column<i32> = Layout::Fours,
    tight: Flags = Layout::Flags,
    isos: Column<u64> = Layout::Ends,
    iso: Column<f32> = Layout::Fours,
    jets: Column<u64> = Layout::Ends,
    jet_pt: Column<f32> = Layout::Fours,
    jet_eta: Column<f32> = Layout::Fours,
    jet_phi: Column<f32> = Layout::Fours,
    jet_mass: Column<f32> = Layout::Fours,
    btag: Column<f32> = Layout::Fours,
    n_const: Column<u16> = Layout::Twos,
    constituents: Column<u64> = Layout::Ends,
    constituent: Column<u32> = Layout::Fours,
    labels: Column<u64> = Layout::Ends,
    label: Column<u8> = Layout::Bytes,
    shape: Column<f32> = Layout::Fours,
    switch: Column<[u32; 3]> = Layout::Tags,
    mass: Column<f32> = Layout::Fours,
    leptons: Column<u8> = Layout::Bytes,
}

const _: () = assert!(LAYOUTS.len() == LEAVES);

columns! {
    /// In the order of the members.
    FlatColumns, FLAT_LAYOUTS:
    run: Column<u32> = Layout::Fours,
    event: Column<u64> = Layout::Eights,
    weight: Column<f64> = Layout::Eights,
    time: Column<f64> = Layout::Eights,
    x: Column<f64> = Layout::Eights,
    y: Column<f64> = Layout::Eights,
    z: Column<f64> = Layout::Eights,
    met: Column<f32> = Layout::Fours,
    met_phi: Column<f32> = Layout::Fours,
    pt1: Column<f32> = Layout::Fours,
    eta1: Column<f32> = Layout::Fours,
    phi1: Column<f32> = Layout::Fours,
    pt2: Column<f32> = Layout::Fours,
    eta2: Column<f32> = Layout::Fours,
    phi2: Column<f32> = Layout::Fours,
    mass: Column<f32> = Layout::Fours,
    charge: Column<i32> = Layout::Fours,
    jets: Column<u32> = Layout::Fours,
    good: Flags = Layout::Flags,
    tight: Flags = Layout::Flags,
}

impl FlatColumns {
    fn fill(&mut self, event: &FlatEvent, close: Close<'_>) {
        self.run.push(event.run, close);
        self.event.push(event.event, close);
        self.weight.push(event.weight, close);
        self.time.push(event.time, close);
        self.x.push(event.x, close);
        self.y.push(event.y, close);
        self.z.push(event.z, close);
        self.met.push(event.met, close);
        self.met_phi.push(event.met_phi, close);
        self.pt1.push(event.pt1, close);
        self.eta1.push(event.eta1, close);
        self.phi1.push(event.phi1, close);
        self.pt2.push(event.pt2, close);
        self.eta2.push(event.eta2, close);
        self.phi2.push(event.phi2, close);
        self.mass.push(event.mass, close);
        self.charge.push(event.charge, close);
        self.jets.push(event.jets, close);
        self.good.push(event.good, close);
        self.tight.push(event.tight, close);
    }
}

/// Where the next item of each collection goes.
#[derive(Default)]
struct Counts {
    muons: u64,
    isos: u64,
    jets: u64,
    constituents: u64,
    labels: u64,
    masses: u32,
    leptons: u32,
    nothing: u32,
}

impl Columns {
    fn fill(&mut self, event: &Event, counts: &mut Counts, close: Close<'_>) {
        self.run.push(event.run, close);
        self.event.push(event.event, close);
        self.weight.push(event.weight, close);
        self.met.push(event.met, close);
        self.good.push(event.good, close);
        self.triggers.extend(event.triggers.as_array(), close);
        self.x.push(event.vertex.x, close);
        self.y.push(event.vertex.y, close);
        self.z.push(event.vertex.z, close);
        for muon in &event.muons {
            self.muon_pt.push(muon.pt, close);
            self.muon_eta.push(muon.eta, close);
            self.muon_phi.push(muon.phi, close);
            self.muon_mass.push(muon.mass, close);
            self.charge.push(muon.charge, close);
            self.tight.push(muon.tight, close);
            if let Some(iso) = muon.iso {
                self.iso.push(iso, close);
                counts.isos += 1;
            }
            self.isos.push(counts.isos, close);
        }
        counts.muons += event.muons.len() as u64;
        self.muons.push(counts.muons, close);
        for jet in &event.jets {
            self.jet_pt.push(jet.pt, close);
            self.jet_eta.push(jet.eta, close);
            self.jet_phi.push(jet.phi, close);
            self.jet_mass.push(jet.mass, close);
            self.btag.push(jet.btag, close);
            self.n_const.push(jet.n_const, close);
            self.constituent.extend(&jet.constituents, close);
            counts.constituents += jet.constituents.len() as u64;
            self.constituents.push(counts.constituents, close);
        }
        counts.jets += event.jets.len() as u64;
        self.jets.push(counts.jets, close);
        self.label.extend(event.label.as_bytes(), close);
        counts.labels += event.label.len() as u64;
        self.labels.push(counts.labels, close);
        self.shape.extend(&event.shape, close);
        let (tag, index) = match event.process {
            Process::MinimumBias => (1, &mut counts.nothing),
            Process::DrellYan(mass) => {
                self.mass.push(mass, close);
                (2, &mut counts.masses)
            }
            Process::Top { leptons } => {
                self.leptons.push(leptons, close);
                (3, &mut counts.leptons)
            }
        };
        self.switch.push([*index, 0, tag], close);
        *index += 1;
    }
}

/// Shows every page of the nested events, and what it is, to `close`.
pub(crate) fn pages(events: &[Event], close: &mut dyn FnMut(Layout, &[u8])) {
    all_pages(events, &mut |column, page| close(LAYOUTS[column], page));
}

fn all_pages(events: &[Event], close: Close<'_>) {
    let mut columns = Columns::new();
    let mut counts = Counts::default();
    for event in events {
        columns.fill(event, &mut counts, close);
    }
    columns.close(close);
}

/// The bytes of a page as compressors see them: first all lowest bytes, then all second bytes, and so on; of ends, those
/// of lengths. With this project's kernels: they are as fast as memory.
pub(crate) fn split(layout: Layout, page: &[u8], split: &mut Vec<u8>) {
    fn encode<E: Element>(kind: ColumnType, values: &[E], split: &mut Vec<u8>) {
        E::encode(&ColumnEncoding::of(kind), values, split).unwrap();
    }
    split.clear();
    match layout {
        Layout::Flags | Layout::Bytes | Layout::Tags => split.extend_from_slice(page),
        Layout::Twos => encode::<u16>(ColumnType::SplitUInt16, bytemuck::cast_slice(page), split),
        Layout::Fours => encode::<u32>(ColumnType::SplitUInt32, bytemuck::cast_slice(page), split),
        Layout::Eights => encode::<u64>(ColumnType::SplitUInt64, bytemuck::cast_slice(page), split),
        Layout::Ends => {
            let ends: &[u64] = bytemuck::cast_slice(page);
            let before = [0].iter().chain(ends);
            let lengths: Vec<u64> = ends.iter().zip(before).map(|(end, before)| end - before).collect();
            encode(ColumnType::SplitUInt64, &lengths, split);
        }
    }
}

/// Says of a page where it is and what it holds.
pub(super) type Record = [u64; 5];

/// Writes pages, and after them the table that describes them.
struct Pages {
    sink: Box<dyn Write + Send>,
    codec: Codec,
    zstd: zstd::bulk::Compressor<'static>,
    split: Vec<u8>,
    packed: Vec<u8>,
    layouts: &'static [Layout],
    /// Of each column, its last element.
    last: Vec<u64>,
    records: Vec<Record>,
    offset: u64,
}

impl Pages {
    fn new(codec: Codec, sink: Sink<'_>, layouts: &'static [Layout]) -> Self {
        let level = if codec == Codec::Zstd5 { 5 } else { 1 };
        Self {
            sink: sink.open(),
            codec,
            zstd: zstd::bulk::Compressor::new(level).unwrap(),
            split: Vec::with_capacity(PAGE),
            packed: vec![0; 2 * PAGE],
            layouts,
            last: vec![0; layouts.len()],
            records: Vec::new(),
            offset: 0,
        }
    }

    fn write(&mut self, column: usize, page: &[u8]) {
        let layout = self.layouts[column];
        let stored = if self.codec == Codec::None {
            page
        } else {
            split(layout, page, &mut self.split);
            let size = match self.codec {
                Codec::Lz4 => {
                    let (hash, packed) = self.packed.split_at_mut(LZ4_HASH);
                    let size = lz4_flex::block::compress_into(&self.split, packed).unwrap();
                    hash.copy_from_slice(&xxh64(&packed[..size], 0).to_be_bytes());
                    LZ4_HASH + size
                }
                _ => self.zstd.compress_to_buffer(&self.split, &mut self.packed[..]).unwrap(),
            };
            if size < page.len() { &self.packed[..size] } else { &self.split }
        };
        self.sink.write_all(stored).unwrap();
        self.sink.write_all(&xxh3_64(stored).to_le_bytes()).unwrap();
        let size = stored.len() as u64;
        self.records.push([column as u64, self.offset, size, page.len() as u64, self.last[column]]);
        self.offset += size + 8;
        if layout == Layout::Ends {
            self.last[column] = page.last_chunk().map_or(0, |end| u64::from_ne_bytes(*end));
        }
    }

    fn finish(mut self) {
        self.sink.write_all(bytemuck::cast_slice(&self.records)).unwrap();
        self.sink.write_all(&(self.records.len() as u64).to_le_bytes()).unwrap();
    }
}

/// Writes the nested events.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let mut pages = Pages::new(codec, sink, LAYOUTS);
    all_pages(&data.events, &mut |column, page| pages.write(column, page));
    pages.finish();
}

/// Writes the nested events, each half of them on a thread of its own, to a sink of its own.
pub fn write_2(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 2);
}

/// Writes the nested events, each eighth of them on a thread of its own, to a sink of its own.
pub fn write_8(data: &Data, codec: Codec, sink: Sink<'_>) {
    write_parallel(&data.events, codec, sink, 8);
}

fn write_parallel(events: &[Event], codec: Codec, sink: Sink<'_>, threads: usize) {
    std::thread::scope(|scope| {
        for part in events.chunks(events.len().div_ceil(threads)) {
            scope.spawn(move || {
                let mut pages = Pages::new(codec, sink, LAYOUTS);
                all_pages(part, &mut |column, page| pages.write(column, page));
                pages.finish();
            });
        }
    });
}

/// Writes the flat events.
pub fn write_flat(data: &Data, codec: Codec, sink: Sink<'_>) {
    let mut pages = Pages::new(codec, sink, FLAT_LAYOUTS);
    let mut columns = FlatColumns::new();
    let close: Close<'_> = &mut |column, page| pages.write(column, page);
    data.flat.iter().for_each(|event| columns.fill(event, close));
    columns.close(close);
    pages.finish();
}

/// A page that was read, in memory that is used again for the next one.
pub(super) struct Page {
    /// Of numbers, so that they are aligned; so is `room`.
    stored: Vec<u64>,
    room: Vec<u64>,
    /// Whether the bytes are in `room`, as they were compressed.
    is_packed: bool,
    /// Of the bytes.
    length: usize,
    /// The values, if they were stored in another way.
    values: Values,
}

/// Values that were stored in another way, a page of each kind.
#[derive(Default)]
struct Values {
    flags: Vec<bool>,
    twos: Vec<u16>,
    fours: Vec<u32>,
    eights: Vec<u64>,
    ends: Vec<Index>,
}

impl Page {
    pub(super) fn new() -> Self {
        let [stored, room] = [(); 2].map(|()| vec![0u64; PAGE / 8 + 1]);
        Self { stored, room, is_packed: false, length: 0, values: Values::default() }
    }

    fn bytes(&self) -> &[u8] {
        let memory = if self.is_packed { &self.room } else { &self.stored };
        &bytemuck::cast_slice(memory)[..self.length]
    }

    /// Reads the page of a record. Returns how many values it has.
    pub(super) fn read(&mut self, source: &mut Source, layout: Layout, record: &Record) -> usize {
        let [_, offset, size, length, _] = *record;
        let (size, length) = (size as usize, length as usize);
        let stored: &mut [u8] = bytemuck::cast_slice_mut(&mut self.stored);
        source.file.read_exact_at(&mut stored[..size + 8], offset).unwrap();
        let (bytes, hash) = stored[..size + 8].split_last_chunk().unwrap();
        assert_eq!(xxh3_64(bytes), u64::from_le_bytes(*hash));
        (self.is_packed, self.length) = (size != length, length);
        if self.is_packed {
            let room = &mut bytemuck::cast_slice_mut(&mut self.room)[..length];
            let made = match source.codec {
                Codec::Lz4 => lz4_flex::block::decompress_into(&bytes[LZ4_HASH..], room).unwrap(),
                _ => source.zstd.decompress_to_buffer(bytes, room).unwrap(),
            };
            assert_eq!(made, length);
        }
        self.decode(layout, source.codec != Codec::None)
    }

    /// With this project's kernels.
    fn decode(&mut self, layout: Layout, is_split: bool) -> usize {
        let memory = if self.is_packed { &self.room } else { &self.stored };
        let page: &[u8] = &bytemuck::cast_slice(memory)[..self.length];
        let (values, count) = (&mut self.values, layout.count(page.len()));
        match layout {
            Layout::Flags => decode(ColumnType::Bit, page, count, &mut values.flags),
            Layout::Twos if is_split => decode(ColumnType::SplitUInt16, page, count, &mut values.twos),
            Layout::Fours if is_split => decode(ColumnType::SplitUInt32, page, count, &mut values.fours),
            Layout::Eights if is_split => decode(ColumnType::SplitUInt64, page, count, &mut values.eights),
            Layout::Ends if is_split => decode(ColumnType::SplitIndex64, page, count, &mut values.ends),
            _ => {}
        }
        count
    }

    /// These values of the page.
    pub(super) fn slice(&self, layout: Layout, is_split: bool, part: Range<usize>) -> Slice<'_> {
        let (page, values) = (self.bytes(), &self.values);
        match layout {
            Layout::Flags => Slice::Flags(&values.flags[part]),
            Layout::Twos if is_split => Slice::Twos(&values.twos[part]),
            Layout::Fours if is_split => Slice::Fours(&values.fours[part]),
            Layout::Eights if is_split => Slice::Eights(&values.eights[part]),
            Layout::Ends if is_split => Slice::Indices(&values.ends[part]),
            Layout::Bytes => Slice::Bytes(&page[part]),
            Layout::Twos => Slice::Twos(&bytemuck::cast_slice(page)[part]),
            Layout::Fours => Slice::Fours(&bytemuck::cast_slice(page)[part]),
            Layout::Eights => Slice::Eights(&bytemuck::cast_slice(page)[part]),
            Layout::Ends => Slice::Ends(&bytemuck::cast_slice(page)[part]),
            Layout::Tags => Slice::Tags(&bytemuck::cast_slice(page)[part]),
        }
    }
}

/// Values of a column that follow each other.
#[derive(Clone, Copy)]
pub(super) enum Slice<'a> {
    Flags(&'a [bool]),
    Bytes(&'a [u8]),
    Twos(&'a [u16]),
    Fours(&'a [u32]),
    Eights(&'a [u64]),
    Ends(&'a [u64]),
    Indices(&'a [Index]),
    Tags(&'a [[u32; 3]]),
}

impl Slice<'_> {
    /// What they add to the digest of their column. `before` is where the collection before the first of them ends;
    /// afterwards, where the last one does.
    pub(super) fn sum(self, before: &mut u64) -> u64 {
        match self {
            Self::Flags(values) => digest::sum(values),
            Self::Bytes(values) => digest::sum(values),
            Self::Twos(values) => digest::sum(values),
            Self::Fours(values) => digest::sum(values),
            Self::Eights(values) => digest::sum(values),
            Self::Ends(ends) => sum_ends(ends, before, |end| end),
            Self::Indices(ends) => sum_ends(ends, before, |end| end.0),
            Self::Tags(switches) => switches.iter().map(|switch| u64::from(switch[2] - 1)).sum(),
        }
    }
}

fn decode<E: Element>(kind: ColumnType, page: &[u8], count: usize, values: &mut Vec<E>) {
    values.clear();
    E::decode(&ColumnEncoding::of(kind), page, count as u32, values).unwrap();
}

/// The squares of the lengths.
fn sum_ends<T: Copy>(ends: &[T], before: &mut u64, end: impl Fn(T) -> u64) -> u64 {
    let Some((first, last)) = ends.first().zip(ends.last()) else { return 0 };
    let first = end(*first) - *before;
    *before = end(*last);
    let rest = ends.windows(2).map(|pair| end(pair[1]) - end(pair[0]));
    rest.fold(first * first, |sum, length| sum.wrapping_add(length * length))
}

/// What pages are read from.
pub(super) struct Source<'a> {
    file: &'a File,
    pub(super) codec: Codec,
    zstd: zstd::bulk::Decompressor<'static>,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &'a File, codec: Codec) -> Self {
        Self { file, codec, zstd: zstd::bulk::Decompressor::new().unwrap() }
    }
}

/// Adds the pages of these records to the sums of their columns.
fn add(file: &File, codec: Codec, layouts: &[Layout], records: &[Record]) -> Vec<u64> {
    let mut sums = vec![0u64; layouts.len()];
    let mut source = Source::new(file, codec);
    let mut page = Page::new();
    for record in records {
        let [column, .., mut before] = *record;
        let (sum, layout) = (&mut sums[column as usize], layouts[column as usize]);
        let count = page.read(&mut source, layout, record);
        *sum = sum.wrapping_add(page.slice(layout, codec != Codec::None, 0..count).sum(&mut before));
    }
    sums
}

fn open(path: &Path) -> (File, Vec<Record>) {
    let file = File::open(path).unwrap();
    let end = file.metadata().unwrap().len() - 8;
    let mut count = [0];
    file.read_exact_at(bytemuck::cast_slice_mut(&mut count), end).unwrap();
    let mut records = vec![[0; 5]; count[0] as usize];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut records);
    file.read_exact_at(bytes, end - bytes.len() as u64).unwrap();
    (file, records)
}

/// Adds the pages of these records to the sums of their columns.
pub(super) type Add = fn(&File, Codec, &[Layout], &[Record]) -> Vec<u64>;

/// Reads the columns of the nested events.
pub fn read_columns(path: &Path, codec: Codec) -> u64 {
    nested(path, codec, add)
}

/// Reads the columns of the nested events, each half of the pages on a thread of its own.
pub fn read_columns_2(path: &Path, codec: Codec) -> u64 {
    nested_2(path, codec, add)
}

/// Reads the columns of the flat events.
pub fn read_flat_columns(path: &Path, codec: Codec) -> u64 {
    flat(path, codec, add)
}

/// The digest of the nested events, in one way of reading.
pub(super) fn nested(path: &Path, codec: Codec, add: Add) -> u64 {
    let (file, records) = open(path);
    Digest::from_sums(add(&file, codec, LAYOUTS, &records).try_into().unwrap()).finish()
}

/// The same on two threads, of which each has half of the pages.
pub(super) fn nested_2(path: &Path, codec: Codec, add: Add) -> u64 {
    let (file, records) = open(path);
    let (first, second) = records.split_at(records.len() / 2);
    let mut digest = Digest::default();
    std::thread::scope(|scope| {
        let file = &file;
        let threads = [first, second].map(|half| scope.spawn(move || add(file, codec, LAYOUTS, half)));
        for thread in threads {
            digest.merge(&Digest::from_sums(thread.join().unwrap().try_into().unwrap()));
        }
    });
    digest.finish()
}

/// The digest of the flat events, in one way of reading.
pub(super) fn flat(path: &Path, codec: Codec, add: Add) -> u64 {
    let (file, records) = open(path);
    FlatDigest::from_sums(add(&file, codec, FLAT_LAYOUTS, &records).try_into().unwrap()).finish()
}
