//! One page: its bytes, and what they say.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use super::claims::{Claimed, Claims};
use super::look::{Content, Look, Number, Reading, Seen};
use crate::bytes::Block;
use crate::encoding::{ColumnEncoding, ColumnType, Element, Index, Switch};
use crate::error::{Error, Result};
use crate::page::Unsealer;
use crate::root::RootFile;
use crate::schema::{ClusterDescriptor, Locator, PageLocation};

/// Bytes that were found to be damaged so often are not looked at again.
const MOST_FAILURES: u8 = 4;
/// Bytes that are asked for at once of storage that is far away, and a page.
const BATCH: u64 = 8 << 20;

/// Where a page is, with its checksum.
fn place(page: &PageLocation) -> Option<Range<u64>> {
    let Locator::File { offset, size } = page.locator else { return None };
    let size = size.checked_add(if page.has_checksum { 8 } else { 0 })?;
    Some(offset..offset.checked_add(size)?)
}

/// A page that is in order.
#[derive(Debug)]
pub(super) struct Sound {
    pub(super) content: Content,
    /// Bytes on storage that no other page had before.
    pub(super) new_bytes: u64,
    /// Whether the bytes are compressed.
    pub(super) is_compressed: bool,
}

/// Reads pages.
pub(super) struct Pages<'a> {
    file: &'a RootFile,
    unsealer: Unsealer,
    /// Of storage that is far away: where the pages are that come next, in the order in which they are looked at.
    upcoming: VecDeque<Range<u64>>,
    /// Of these, the first ones.
    ready: HashMap<Range<u64>, Block>,
}

impl<'a> Pages<'a> {
    pub(super) fn new(file: &'a RootFile) -> Self {
        let unsealer = Unsealer::new(true, file.limits()).thorough();
        Self { file, unsealer, upcoming: VecDeque::new(), ready: HashMap::new() }
    }

    /// Says that all pages of a cluster will be looked at, column by column.
    pub(super) fn expect(&mut self, cluster: &ClusterDescriptor) {
        self.ready.clear();
        self.upcoming.clear();
        if self.file.is_remote() {
            self.upcoming.extend(cluster.columns.iter().flat_map(|column| &column.pages).filter_map(place));
        }
    }

    /// The bytes of a page; from far away, together with those of pages that come next.
    fn stored(&mut self, range: Range<u64>, max_key_size: u64) -> Result<Block> {
        if let Some(block) = self.ready.remove(&range) {
            return Ok(block);
        }
        self.ready.clear();
        let size = range.end - range.start;
        let mut left = BATCH.saturating_sub(size);
        let fits = |next: &&Range<u64>| {
            let size = next.end - next.start;
            let is_whole = size <= max_key_size && next.end <= self.file.end();
            let taken = is_whole && size <= left;
            left = left.saturating_sub(size);
            taken
        };
        let next: Vec<_> = self.upcoming.iter().take_while(fits).cloned().collect();
        if next.is_empty() {
            return self.file.payload(range.start, size, max_key_size);
        }
        let ranges: Vec<_> = std::iter::once(range).chain(next).collect();
        let mut blocks = self.file.payloads(&ranges, max_key_size, &|_| Vec::new()).into_iter();
        let first = blocks.next();
        // Of one that cannot be read, its own request says why.
        let others = ranges.into_iter().skip(1).zip(blocks);
        self.ready.extend(others.filter_map(|(range, block)| Some((range, block.ok()?))));
        first.unwrap_or_else(|| Err(Error::out_of_spec("the page was not read")))
    }

    /// Looks at one page.
    ///
    /// The bytes of a shared page are read twice, and not again: a file could name them without end.
    pub(super) fn check(
        &mut self,
        page: &PageLocation,
        reading: Reading,
        max_key_size: u64,
        claims: &mut Claims,
    ) -> Result<Sound> {
        let &PageLocation { count, has_checksum, locator } = page;
        let (offset, size) = match locator {
            Locator::File { offset, size } => (offset, size),
            Locator::Unknown { kind } => {
                let message = format!("the page is in storage of type {kind:#x}, which is not a file");
                return Err(Error::unsupported(message));
            }
        };
        let at = |error: Error| error.at_offset(offset);
        let checksum_size = if has_checksum { 8 } else { 0 };
        let whole = size.checked_add(checksum_size);
        let Some((whole, end)) = whole.and_then(|whole| Some((whole, offset.checked_add(whole)?))) else {
            return Err(at(Error::out_of_spec("the page ends beyond 2^64")));
        };
        if self.upcoming.front() == Some(&(offset..end)) {
            self.upcoming.pop_front();
        }
        // Of a payload in several blobs only the first one stands here.
        let own = offset..if whole > max_key_size { offset.saturating_add(max_key_size) } else { end };
        if own.end > self.file.end() {
            let message = format!("a page of {whole} bytes, but the file ends at {}", self.file.end());
            return Err(at(Error::out_of_spec(message)));
        }
        let length = reading.packing.map_or(size, |packing| packing.page_length(count));
        let is_compressed = size < length;
        let shared = match claims.page(&own).map_err(at)? {
            Claimed::New => {
                claims.check_blob(&own).map_err(at)?;
                false
            }
            Claimed::Again(known) => {
                let is_same = |seen: &&Seen| {
                    (seen.count, seen.has_checksum, seen.reading) == (count, has_checksum, reading)
                };
                if let Some(seen) = known.seen.iter().find(is_same) {
                    return Ok(Sound { content: seen.content.clone(), new_bytes: 0, is_compressed });
                }
                if known.failures >= MOST_FAILURES {
                    return Err(at(Error::out_of_spec("the bytes of another page, which is damaged")));
                }
                true
            }
        };
        if !shared {
            self.claim_rest(offset, whole, max_key_size, claims).map_err(at)?;
        }
        let memory = length.max(u64::from(count) * reading.look.width());
        self.file.limits().check_page(memory).map_err(at)?;
        let content = self
            .stored(offset..end, max_key_size)
            .and_then(|stored| self.look(&stored, page, length, reading));
        if let Some(known) = claims.known(offset) {
            match &content {
                Ok(content) if shared => {
                    known.seen.push(Seen { count, has_checksum, reading, content: content.clone() });
                }
                Ok(_) => {}
                Err(_) => known.failures = known.failures.saturating_add(1),
            }
        }
        let content = content.map_err(at)?;
        Ok(Sound { content, new_bytes: if shared { 0 } else { whole }, is_compressed })
    }

    /// Takes the bytes that follow in other blobs.
    fn claim_rest(&self, offset: u64, size: u64, max_key_size: u64, claims: &mut Claims) -> Result<()> {
        if size <= max_key_size {
            return Ok(());
        }
        let pieces = self.file.pieces(offset, size, max_key_size)?;
        for piece in pieces.iter().skip(1) {
            claims.check_blob(piece)?;
            if let Claimed::Again(_) = claims.page(piece)? {
                let message = format!("bytes {} to {} belong to another page, too", piece.start, piece.end);
                return Err(Error::out_of_spec(message));
            }
        }
        Ok(())
    }

    /// What the values of a page of `length` bytes say, if it is one of a column that is read in this way.
    #[cfg(feature = "recover")]
    pub(super) fn content(
        &mut self,
        page: &PageLocation,
        length: u64,
        reading: Reading,
        max_key_size: u64,
    ) -> Result<Content> {
        let Locator::File { offset, size } = page.locator else { return Ok(Content::Nothing) };
        self.file.limits().check_page(length.max(u64::from(page.count) * reading.look.width()))?;
        let stored = self.file.payload(offset, size.saturating_add(8), max_key_size)?;
        self.look(&stored, page, length, reading)
    }

    fn look(
        &mut self,
        stored: &Block,
        page: &PageLocation,
        length: u64,
        reading: Reading,
    ) -> Result<Content> {
        let bytes = self.unsealer.open(length, stored, page.has_checksum)?;
        let Some(packing) = reading.packing else { return Ok(Content::Nothing) };
        let count = page.count;
        check_unused_bits(&packing, bytes, count)?;
        match reading.look {
            Look::Bytes => Ok(Content::Nothing),
            Look::Index => look_at_offsets(&decode(&packing, bytes, count)?),
            Look::Switch(alternatives) => look_at_switches(&decode(&packing, bytes, count)?, alternatives),
            Look::Fit(number) => {
                let decode = match number {
                    Number::Bool => fits::<bool>,
                    Number::I8 => fits::<i8>,
                    Number::U8 => fits::<u8>,
                    Number::I16 => fits::<i16>,
                    Number::U16 => fits::<u16>,
                    Number::I32 => fits::<i32>,
                    Number::U32 => fits::<u32>,
                    Number::I64 => fits::<i64>,
                    Number::U64 => fits::<u64>,
                };
                decode(&packing, bytes, count)
            }
        }
    }
}

fn decode<E: Element>(packing: &ColumnEncoding, bytes: &[u8], count: u32) -> Result<Vec<E>> {
    let mut values = Vec::new();
    E::decode(packing, bytes, count, &mut values)?;
    Ok(values)
}

fn fits<E: Element>(packing: &ColumnEncoding, bytes: &[u8], count: u32) -> Result<Content> {
    decode::<E>(packing, bytes, count).map(|_| Content::Nothing)
}

/// The bits behind the last element are zero (format, section 6.4), except those behind single bits, where
/// ROOT leaves whatever was in its memory.
fn check_unused_bits(packing: &ColumnEncoding, bytes: &[u8], count: u32) -> Result<()> {
    if packing.column_type() == ColumnType::Bit {
        return Ok(());
    }
    let used = u64::from(count) * u64::from(packing.bits()) % 8;
    match bytes.last() {
        Some(last) if used > 0 && last >> used != 0 => {
            Err(Error::out_of_spec("the bits behind the last element are not all zero"))
        }
        _ => Ok(()),
    }
}

/// End offsets never fall (format, section 5.2).
fn look_at_offsets(offsets: &[Index]) -> Result<Content> {
    let mut last = offsets.first().map_or(0, |offset| offset.0);
    let content = |last| Content::Index(offsets.first().map_or(0, |offset| offset.0), last);
    for (position, &Index(offset)) in offsets.iter().enumerate() {
        if offset < last {
            let message = format!("element {position} of the page ends at item {offset}, before {last}");
            return Err(Error::out_of_spec(message));
        }
        last = offset;
    }
    Ok(if offsets.is_empty() { Content::Nothing } else { content(last) })
}

/// Positions of each alternative follow each other, as its elements do (format, section 6.7).
fn look_at_switches(switches: &[Switch], alternatives: u32) -> Result<Content> {
    let mut runs: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (position, &Switch { index, tag }) in switches.iter().enumerate() {
        let fault =
            |message: String| Err(Error::out_of_spec(format!("element {position} of the page {message}")));
        if tag > alternatives {
            return fault(format!("names alternative {tag} of {alternatives}"));
        }
        if tag == 0 {
            continue;
        }
        let (first, count) = runs.entry(tag).or_insert((index, 0));
        let wanted = first.saturating_add(*count);
        if index != wanted {
            return fault(format!("is at {index} of alternative {tag}, {wanted} is the next"));
        }
        *count += 1;
    }
    Ok(Content::Switch(Rc::new(runs)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Byte, CxxChar};

    #[test]
    fn offsets_may_stay_but_not_fall() {
        let look =
            |offsets: &[u64]| look_at_offsets(&offsets.iter().map(|&at| Index(at)).collect::<Vec<_>>());
        assert!(matches!(look(&[1, 1, 3]), Ok(Content::Index(1, 3))));
        assert!(matches!(look(&[]), Ok(Content::Nothing)));
        assert_eq!(look(&[4, 3]).unwrap_err().to_string(), "element 1 of the page ends at item 3, before 4");
    }

    #[test]
    fn switches_count_up() {
        let look = |switches: &[(u64, u32)]| {
            let switches: Vec<_> = switches.iter().map(|&(index, tag)| Switch { index, tag }).collect();
            look_at_switches(&switches, 2)
        };
        let Ok(Content::Switch(runs)) = look(&[(4, 1), (0, 2), (0, 0), (5, 1)]) else { panic!("unsound") };
        assert_eq!(*runs, BTreeMap::from([(1, (4, 2)), (2, (0, 1))]));
        let fault = |switches| look(switches).unwrap_err().to_string();
        assert_eq!(fault(&[(0, 3)]), "element 0 of the page names alternative 3 of 2");
        assert_eq!(fault(&[(0, 1), (2, 1)]), "element 1 of the page is at 2 of alternative 1, 1 is the next");
        assert_eq!(fault(&[(0, 1), (0, 1)]), "element 1 of the page is at 0 of alternative 1, 1 is the next");
    }

    #[test]
    fn unused_bits_are_zero() {
        let packing = ColumnEncoding::truncated(10).unwrap();
        assert!(check_unused_bits(&packing, &[0xff, 0b0000_0011], 1).is_ok());
        assert!(check_unused_bits(&packing, &[0xff, 0b0000_0111], 1).is_err());
        assert!(check_unused_bits(&packing, &[0xff; 5], 4).is_ok());
        assert!(check_unused_bits(&packing, &[], 0).is_ok());
        assert!(check_unused_bits(&ColumnEncoding::of(ColumnType::Bit), &[0xff], 1).is_ok());
    }

    #[test]
    fn every_number_is_checked_against_its_own_type() {
        let packing = ColumnEncoding::of(ColumnType::Int16);
        assert!(fits::<i8>(&packing, &[5, 0], 1).is_ok());
        assert!(fits::<i8>(&packing, &[5, 1], 1).is_err());
        assert!(decode::<CxxChar>(&ColumnEncoding::of(ColumnType::Char), b"ab", 2).is_ok());
        assert!(decode::<Byte>(&ColumnEncoding::of(ColumnType::Byte), b"ab", 3).is_err());
    }
}
