//! What is done with parts of a file: quick, since nothing is around them.

use half::f16;
use rntuple::__internals::{
    EnvelopeKind, Unsealer, compress, decompress, read_page_list, read_schema, rewrite, rewrite_page_list,
    sign,
};
use rntuple::Compression;
use rntuple::cxx::{Byte, CxxChar};
use rntuple::encoding::{ColumnEncoding, ColumnType, Conversion, Element, Index, Switch};
use rntuple::root::FormatVersion;
use xxhash_rust::xxh3::xxh3_64;
use xxhash_rust::xxh64::xxh64;

use crate::items::{FOOTER, Grammar, HEADER, Items, PAGE_LIST};
use crate::mutator::Mutator;
use crate::ways::limits;

fn version(byte: u8) -> FormatVersion {
    let all = FormatVersion::ALL;
    all.get(usize::from(byte) % all.len()).copied().unwrap_or(FormatVersion::V1)
}

/// Whether frames have sizes of 64 bits.
fn is_wide(version: FormatVersion) -> bool {
    version >= FormatVersion::Rc20
}

/// An input of [`envelopes`]: the format version, the length of the first part in 16 bits, two parts.
fn halves(bytes: &[u8]) -> Option<(FormatVersion, &[u8], &[u8])> {
    let (&[byte, low, high], rest) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (first, second) = rest.split_at(length);
    Some((version(byte), first, second))
}

/// An input of [`envelopes`] with these items of a header and a footer.
pub(crate) fn join(version: u8, first: &[u8], second: &[u8]) -> Vec<u8> {
    let length = u16::try_from(first.len()).unwrap_or(u16::MAX).to_le_bytes();
    [&[version], &length[..], first, second].concat()
}

/// Reads the items of a header and a footer, and writes what was read.
///
/// # Panics
/// If what was written is not read as the same.
pub(crate) fn envelopes(bytes: &[u8]) {
    let Some((version, header, footer)) = halves(bytes) else { return };
    let header = sign(version, EnvelopeKind::Header, header);
    let footer = sign(version, EnvelopeKind::Footer, footer);
    if let Ok(schema) = read_schema(version, &limits(), &header, &footer) {
        let _ = schema.hidden();
        for (id, _) in schema.fields() {
            let path = schema.path(id);
            let _ = (schema.find(&path), schema.representations(id));
        }
    }
    if version == FormatVersion::V1
        && let Ok((header, footer)) = rewrite(&header, &footer)
    {
        assert!(rewrite(&header, &footer).is_ok_and(|again| again == (header, footer)), "written envelopes");
    }
}

/// Changes the items of a header or a footer.
pub(crate) fn mutate_envelopes(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let Some((version, header, footer)) = halves(bytes).filter(|_| !mutator.one_in(8)) else {
        return mutator.bytes(bytes, max);
    };
    let mut parts = [header.to_vec(), footer.to_vec()];
    let choice = mutator.below(2);
    let (Some(part), Some(grammar)) = (parts.get_mut(choice), [&HEADER, &FOOTER].get(choice)) else { return };
    *part = mutated(part, grammar, version, max, mutator);
    let byte = bytes.first().copied().unwrap_or_default();
    let [header, footer] = &parts;
    *bytes = join(byte, header, footer);
    bytes.truncate(max);
}

fn mutated(
    bytes: &[u8],
    grammar: &Grammar,
    version: FormatVersion,
    max: usize,
    mutator: &mut Mutator,
) -> Vec<u8> {
    let mut items = Items::parse(grammar, bytes, is_wide(version));
    items.mutate(mutator);
    let mut written = items.write();
    // Sizes that are not right have to be tried as well.
    if mutator.one_in(8) {
        mutator.bytes(&mut written, max);
    }
    written
}

/// Reads the items of a page list, after a byte for the format version and one for the number of clusters that the footer
/// of an old one would say; writes what was read.
///
/// # Panics
/// If what was written is not read as the same.
pub(crate) fn page_list(bytes: &[u8]) {
    let Some((&[byte, clusters], items)) = bytes.split_first_chunk() else { return };
    let version = version(byte);
    let list = sign(version, EnvelopeKind::PageList, items);
    let _ = read_page_list(version, &list, clusters.into());
    if version == FormatVersion::V1
        && let Ok(list) = rewrite_page_list(&list)
    {
        assert!(rewrite_page_list(&list).is_ok_and(|again| again == list), "written page list");
    }
}

/// Changes the items of a page list.
pub(crate) fn mutate_page_list(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let Some((&front, items)) = bytes.split_first_chunk::<2>().filter(|_| !mutator.one_in(8)) else {
        return mutator.bytes(bytes, max);
    };
    let [byte, _] = front;
    let items = mutated(items, &PAGE_LIST, version(byte), max, mutator);
    *bytes = [&front[..], &items].concat();
    bytes.truncate(max);
}

/// What a page is, in front of its bytes: column type, Rust type, bits, flags, the number of values, the range.
const PAGE_FRONT: usize = 24;
/// The number of values is that of the front, and not the one that the bytes have.
const LIES: u8 = 1;
/// Any number may be read as any other.
const LOSSY: u8 = 2;

/// An input of [`page`].
struct Page<'a> {
    element: u8,
    encoding: ColumnEncoding,
    how: Conversion,
    count: u32,
    content: &'a [u8],
}

impl<'a> Page<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&[code, element, bits, flags], rest) = bytes.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let (min, rest) = rest.split_first_chunk()?;
        let (max, content) = rest.split_first_chunk()?;
        let all = ColumnType::ALL;
        let column_type = *all.get(usize::from(code) % all.len())?;
        let widths = column_type.bit_range();
        let bits = widths.start() + u16::from(bits) % (widths.end() - widths.start() + 1);
        let range = (f64::from_le_bytes(*min), f64::from_le_bytes(*max));
        let encoding = ColumnEncoding::checked(column_type, bits, Some(range)).ok()?;
        let how = Conversion { skip: usize::from(flags >> 4), lossy: flags & LOSSY != 0 };
        if flags & LIES != 0 {
            return Some(Self { element, encoding, how, count: u32::from_le_bytes(*count), content });
        }
        let count = content.len() * 8 / usize::from(bits);
        let content = content.get(..(count * usize::from(bits)).div_ceil(8))?;
        Some(Self { element, encoding, how, count: u32::try_from(count).ok()?, content })
    }

    fn open<E: Element>(&self) {
        let unsealer = Unsealer::new(&limits());
        let sealed = seal(self.content);
        let mut values = Vec::<E>::new();
        let opened = unsealer.unseal(&self.encoding, &sealed, self.count, self.how, &mut values);
        if let Ok(Some(lent)) = unsealer.lend::<E>(&self.encoding, sealed, self.count) {
            let decoded = values.get(..).filter(|_| self.how.skip == 0 && matches!(opened, Ok(true)));
            let same = |decoded: &[E]| {
                decoded.len() == lent.len() && decoded.iter().zip(&lent).all(|(a, b)| is_same(a, b))
            };
            assert!(decoded.is_none_or(same), "lent and decoded values");
        }
        let mut written = Vec::new();
        if matches!(opened, Ok(true)) && E::encode(&self.encoding, &values, &mut written).is_ok() {
            let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
            let (mut read, mut again) = (Vec::<E>::new(), Vec::new());
            let how = Conversion { skip: 0, lossy: self.how.lossy };
            let opened = unsealer.unseal(&self.encoding, &seal(&written), count, how, &mut read);
            assert!(matches!(opened, Ok(true)), "written page: {opened:?}");
            assert!(
                E::encode(&self.encoding, &read, &mut again).is_ok() && again == written,
                "values of a page"
            );
        }
    }
}

#[expect(clippy::eq_op, reason = "what is not a number does not equal itself")]
fn is_same<E: PartialEq>(a: &E, b: &E) -> bool {
    a == b || a != a && b != b
}

fn seal(content: &[u8]) -> Vec<u8> {
    [content, &xxh3_64(content).to_le_bytes()].concat()
}

/// An input of [`page`] with honest numbers.
pub(crate) fn page_of(code: u8, element: u8, content: &[u8]) -> Vec<u8> {
    let range = [(-1.0_f64).to_le_bytes(), 1.0_f64.to_le_bytes()].concat();
    [&[code, element, 11, 0, 0, 0, 0, 0][..], &range, content].concat()
}

/// Number of column types, and of Rust types that they are read as.
pub(crate) fn page_kinds() -> (u8, u8) {
    (u8::try_from(ColumnType::ALL.len()).unwrap_or(u8::MAX), 16)
}

/// Decodes a page of any encoding as any type, and encodes what was read.
///
/// # Panics
/// If values that were written are not read as the same.
pub(crate) fn page(bytes: &[u8]) {
    let Some(page) = Page::read(bytes) else { return };
    match page.element % 16 {
        0 => page.open::<bool>(),
        1 => page.open::<Byte>(),
        2 => page.open::<CxxChar>(),
        3 => page.open::<i8>(),
        4 => page.open::<u8>(),
        5 => page.open::<i16>(),
        6 => page.open::<u16>(),
        7 => page.open::<i32>(),
        8 => page.open::<u32>(),
        9 => page.open::<i64>(),
        10 => page.open::<u64>(),
        11 => page.open::<f16>(),
        12 => page.open::<f32>(),
        13 => page.open::<f64>(),
        14 => page.open::<Index>(),
        _ => page.open::<Switch>(),
    }
}

/// Changes what a page is said to be, or its bytes.
pub(crate) fn mutate_page(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    if bytes.len() < PAGE_FRONT || mutator.one_in(16) {
        return mutator.bytes(bytes, max);
    }
    let mut content = bytes.split_off(PAGE_FRONT);
    match mutator.below(4) {
        0 => {
            let at = mutator.below(4);
            mutator.number(bytes.get_mut(at..=at).unwrap_or_default());
        }
        1 => {
            let at = [4, 8, 16].get(mutator.below(3)).copied().unwrap_or(4);
            let end = if at == 4 { 8 } else { at + 8 };
            mutator.number(bytes.get_mut(at..end).unwrap_or_default());
        }
        _ => mutator.bytes(&mut content, max.saturating_sub(PAGE_FRONT)),
    }
    bytes.extend(content);
}

/// The length of a compressed block, in front of its bytes.
const BLOCK_FRONT: usize = 4;
/// The chunk header: algorithm and method, size, length.
const CHUNK: usize = 9;
/// In front of the payload of an LZ4 chunk, big-endian.
const LZ4_CHECKSUM: usize = 8;
/// Blocks that claim more are not decompressed.
const LONGEST_BLOCK: u64 = 1 << 20;

/// Chunks of a block, as far as they can be told apart.
fn chunks(mut block: &[u8]) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    while let Some((front, rest)) = block.split_first_chunk::<CHUNK>() {
        let size = CHUNK + u24(front.get(3..6)).min(rest.len());
        let (chunk, rest) = block.split_at(size);
        chunks.push(chunk);
        block = rest;
    }
    if !block.is_empty() {
        chunks.push(block);
    }
    chunks
}

fn u24(bytes: Option<&[u8]>) -> usize {
    bytes.unwrap_or_default().iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Decompresses the chunks in the bytes. Their length is the one that the front says or, where that is 0, that of all
/// chunks.
///
/// # Panics
/// If something else comes out than what is announced, or what came out cannot be compressed and decompressed.
pub(crate) fn block(bytes: &[u8]) {
    let Some((front, stored)) = bytes.split_first_chunk::<BLOCK_FRONT>() else { return };
    let length = match u32::from_le_bytes(*front) {
        0 => chunks(stored).iter().map(|chunk| u24(chunk.get(6..CHUNK)) as u64).sum(),
        length => u64::from(length),
    };
    if length > LONGEST_BLOCK {
        return;
    }
    let Ok(content) = decompress(stored, length) else { return };
    assert_eq!(content.len() as u64, length, "length of a block");
    let settings = [Compression::lz4(1), Compression::zstd(1), Compression::zlib(1)];
    let Some(settings) = settings.get(content.len() % settings.len()) else { return };
    let again = compress(*settings, &content).and_then(|stored| decompress(&stored, length));
    assert!(again.is_ok_and(|again| again == content), "compressed and decompressed");
}

/// Changes a chunk of a block; its size and checksum are right afterwards, most of the time.
pub(crate) fn mutate_block(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let Some((front, block)) = bytes.split_first_chunk::<BLOCK_FRONT>().filter(|_| !mutator.one_in(8)) else {
        return mutator.bytes(bytes, max);
    };
    let mut chunks: Vec<Vec<u8>> = chunks(block).into_iter().map(<[u8]>::to_vec).collect();
    let at = mutator.below(chunks.len());
    match mutator.below(8) {
        0 if at < chunks.len() => drop(chunks.remove(at)),
        1 => chunks.extend(chunks.get(at).cloned()),
        _ => {
            if let Some(chunk) = chunks.get_mut(at) {
                mutate_chunk(chunk, max, mutator);
            }
        }
    }
    *bytes = [&front[..], &chunks.concat()].concat();
    bytes.truncate(max);
}

fn mutate_chunk(chunk: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    if chunk.len() < CHUNK {
        return mutator.bytes(chunk, max);
    }
    let mut payload = chunk.split_off(CHUNK);
    if mutator.one_in(4) {
        // What the content has: the length, or the algorithm.
        let part = if mutator.one_in(4) { 0..3 } else { 6..9 };
        mutator.number(chunk.get_mut(part).unwrap_or_default());
    } else {
        mutator.bytes(&mut payload, max);
    }
    if chunk.starts_with(b"L4")
        && let Some((checksum, packed)) = payload.split_first_chunk_mut::<LZ4_CHECKSUM>()
    {
        *checksum = xxh64(packed, 0).to_be_bytes();
    }
    for (to, from) in chunk.iter_mut().skip(3).zip(payload.len().to_le_bytes()).take(3) {
        *to = from;
    }
    chunk.extend(payload);
}
