//! Pages on their way from an input into the merged file, as they are stored.
//!
//! ```text
//! pages of a cluster, by offset  -- one read of 16 MiB -->  checksums  -- one write -->  one blob
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::options::Summary;
use super::ranges::{Change, Ranges};
use crate::bytes::Block;
use crate::compression::{Compression, Compressor, Decompressor};
use crate::encoding::{ColumnEncoding, ColumnType, Element};
use crate::error::{Error, Result};
use crate::root::{Anchor, FileWriter, PageBytes, RootFile};
use crate::storage::WriteAt;

/// Bytes that are read at once, and bytes that are written at once. A page that is longer is one portion.
const PORTION: u64 = 16 << 20;

/// Bytes between two pages that are rather read than passed over: those of a field that is left out.
const GAP: u64 = 128 << 10;

/// Pages that are remembered, so that those that share their bytes go on doing so.
const MOST_PLACES: usize = 1 << 20;

/// In how many ways a page may be wanted on average: columns that share it may have different settings.
const WAYS: u64 = 4;

/// A page of an input, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Page {
    pub(super) offset: u64,
    /// Bytes on storage, without the checksum.
    pub(super) size: u64,
    pub(super) has_checksum: bool,
    /// Bytes before compression.
    pub(super) length: u64,
    /// How to compress it anew.
    pub(super) settings: Option<u32>,
    /// What becomes of its values, and how these are stored: those of an attribute set that say where ranges are.
    pub(super) change: Option<(ColumnType, Change)>,
}

/// A page that is to be copied, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) page: Page,
    /// Which field, which of its columns in the input, and which page of that.
    pub(super) slot: usize,
    pub(super) column: u64,
    pub(super) number: u64,
}

impl Page {
    /// Bytes on storage, with the checksum.
    fn stored(&self) -> u64 {
        self.size.saturating_add(if self.has_checksum { 8 } else { 0 })
    }
}

/// The codecs.
#[derive(Debug, Default)]
pub(super) struct Codecs {
    pub(super) compressor: Compressor,
    decompressor: Decompressor,
}

/// The page of an attribute set whose ranges have other entries before them, or become `ranges`.
fn changed(
    bytes: &[u8],
    column_type: ColumnType,
    change: Change,
    ranges: Option<&Ranges>,
) -> Result<Vec<u8>> {
    let packing = ColumnEncoding::of(column_type);
    let count = bytes.len().checked_div(usize::from(packing.bits() / 8)).unwrap_or_default();
    let count = u32::try_from(count).map_err(|_| Error::limit("a page has over 2^32 elements"))?;
    let mut out = Vec::with_capacity(bytes.len());
    if let Change::Shift(more) = change {
        let mut starts = Vec::<u64>::new();
        u64::decode(&packing, bytes, count, &mut starts)?;
        for start in &mut starts {
            *start =
                start.checked_add(more).ok_or_else(|| Error::limit("the output has over 2^64 entries"))?;
        }
        u64::encode(&packing, &starts, &mut out)?;
    } else {
        let values = ranges.and_then(|ranges| ranges.values(change, count));
        let values =
            values.ok_or_else(|| Error::out_of_spec("the pages have more values than the set has rows"))?;
        u64::encode(&packing, values, &mut out)?;
    }
    Ok(out)
}

/// Copies the pages of one input.
#[derive(Debug)]
pub(super) struct Copier<'a> {
    input: &'a RootFile,
    /// Longer pages continue elsewhere (format, section 7.6).
    max_key_size: u64,
    codecs: &'a mut Codecs,
    /// What becomes of the ranges of an attribute set, if they are not only moved.
    ranges: Option<&'a Ranges>,
    /// Where pages went, and their size there.
    places: HashMap<Page, (u64, u64)>,
    /// Bytes that different pages can still have.
    room: u64,
    spare: Vec<u8>,
    pub(super) copied: Summary,
}

/// What to write for a page.
struct Piece<'b> {
    page: Page,
    bytes: Cow<'b, [u8]>,
    /// Behind the bytes, if they have none at their end.
    checksum: Option<[u8; 8]>,
}

impl Piece<'_> {
    fn stored(&self) -> u64 {
        self.bytes.len() as u64 + if self.checksum.is_some() { 8 } else { 0 }
    }

    fn size(&self) -> u64 {
        self.stored() - 8
    }

    fn as_page(&self) -> PageBytes<'_> {
        let parts = match (&self.checksum, self.bytes.split_last_chunk::<8>()) {
            (None, Some((bytes, checksum))) => [bytes, &checksum[..]],
            (checksum, _) => [&*self.bytes, checksum.as_ref().map_or(&[][..], |checksum| checksum)],
        };
        PageBytes { parts, length: self.page.length, is_raw: self.size() == self.page.length }
    }
}

impl<'a> Copier<'a> {
    pub(super) fn new(
        input: &'a RootFile,
        max_key_size: u64,
        codecs: &'a mut Codecs,
        ranges: Option<&'a Ranges>,
    ) -> Self {
        Self {
            input,
            max_key_size,
            codecs,
            ranges,
            places: HashMap::new(),
            room: input.end().saturating_mul(WAYS),
            spare: Vec::new(),
            copied: Summary::default(),
        }
    }

    /// Where a page went, and its size there.
    pub(super) fn place(&self, page: &Page) -> Option<(u64, u64)> {
        self.places.get(page).copied()
    }

    /// For pages that are written between those that are copied.
    pub(super) fn compressor(&mut self) -> &mut Compressor {
        &mut self.codecs.compressor
    }

    /// Copies all pages that are not in the merged file yet. `place` puts into an error whose page it is about;
    /// `after` is called behind each portion.
    pub(super) fn copy(
        &mut self,
        mut wanted: Vec<Wanted>,
        out: &mut FileWriter<dyn WriteAt + '_>,
        place: &dyn Fn(Error, &Wanted) -> Error,
        after: &mut dyn FnMut(&Summary),
    ) -> Result<()> {
        if self.places.len().saturating_add(wanted.len()) > MOST_PLACES {
            // All pages of a cluster are asked for together, so only clusters do not share any more.
            self.places.clear();
            self.room = self.input.end().saturating_mul(WAYS);
        }
        wanted.retain(|wanted| !self.places.contains_key(&wanted.page));
        wanted.sort_by_key(|wanted| wanted.page);
        wanted.dedup_by_key(|wanted| wanted.page);
        self.check(&wanted, place)?;
        let mut rest = &*wanted;
        while let Some((portion, later)) = self.portion(rest) {
            self.copy_portion(portion, out, place)?;
            after(&self.copied);
            rest = later;
        }
        Ok(())
    }

    /// Pages are equal or apart; a file could otherwise name the same bytes in many ways, and each would be a copy.
    fn check(&mut self, wanted: &[Wanted], place: &dyn Fn(Error, &Wanted) -> Error) -> Result<()> {
        let (mut end, mut before) = (0, None);
        for wanted in wanted {
            let Page { offset, size, has_checksum, length, .. } = wanted.page;
            // The same bytes may be wanted in several ways.
            let is_same = before.replace((offset, size, has_checksum)) == Some((offset, size, has_checksum));
            let fault = |message: String| Err(place(Error::out_of_spec(message).at_offset(offset), wanted));
            if offset < end && !is_same {
                return fault("the page begins inside another page".to_owned());
            }
            if size > length {
                return fault(format!("the page has {size} bytes for {length} bytes of content"));
            }
            let stored = wanted.page.stored();
            // Of a page in several blobs, only the first one is known to be here.
            let here = if self.is_cut(stored) { self.max_key_size } else { stored };
            end = match offset.checked_add(here) {
                Some(end) if end <= self.input.end() => end,
                _ => {
                    return fault(format!(
                        "the page has {stored} bytes, but the file ends at {}",
                        self.input.end()
                    ));
                }
            };
            // Pages with new ranges are as long as the ranges, which were counted when they were read.
            let is_new = matches!(wanted.page.change, Some((_, Change::Starts(_) | Change::Lengths(_))));
            self.room = match self.room.checked_sub(if is_new { 0 } else { stored }) {
                Some(room) => room,
                None => return fault("the pages are more than the file has bytes".to_owned()),
            };
        }
        Ok(())
    }

    fn is_cut(&self, stored: u64) -> bool {
        self.max_key_size != 0 && stored > self.max_key_size
    }

    /// Neighbours that are read at once, and the others.
    fn portion<'w>(&self, wanted: &'w [Wanted]) -> Option<(&'w [Wanted], &'w [Wanted])> {
        let first = wanted.first()?.page;
        let mut end = first.offset.saturating_add(first.stored());
        let mut count = 1;
        if !self.is_cut(first.stored()) {
            for next in wanted.get(1..).unwrap_or_default() {
                let page = next.page;
                let next_end = page.offset.saturating_add(page.stored());
                let is_near = page.offset.saturating_sub(end) <= GAP;
                if !is_near || next_end - first.offset > PORTION || self.is_cut(page.stored()) {
                    break;
                }
                end = next_end;
                count += 1;
            }
        }
        wanted.split_at_checked(count)
    }

    fn copy_portion(
        &mut self,
        portion: &[Wanted],
        out: &mut FileWriter<dyn WriteAt + '_>,
        place: &dyn Fn(Error, &Wanted) -> Error,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (portion.first(), portion.last()) else { return Ok(()) };
        let start = first.page.offset;
        let spare = std::mem::take(&mut self.spare);
        let block = if self.is_cut(first.page.stored()) {
            self.input.payload_in(start, first.page.stored(), self.max_key_size, spare)
        } else {
            let end = last.page.offset.saturating_add(last.page.stored());
            // Nothing is cut.
            self.input.payload_in(start, end - start, 0, spare)
        };
        let block = block.map_err(|error| place(error, first))?;
        let mut pieces = Vec::with_capacity(portion.len());
        let mut size = 0;
        for wanted in portion {
            let piece = self.piece(&block, start, wanted.page);
            let piece = piece.map_err(|error| place(error.at_offset(wanted.page.offset), wanted))?;
            if size + piece.stored() > PORTION {
                self.write(&mut pieces, out)?;
                size = 0;
            }
            size += piece.stored();
            pieces.push(piece);
        }
        self.write(&mut pieces, out)?;
        drop(pieces);
        self.spare = block.into_copy().unwrap_or_default();
        Ok(())
    }

    /// A page of a block that begins at `start`, checked.
    fn piece<'b>(&mut self, block: &'b Block, start: u64, page: Page) -> Result<Piece<'b>> {
        let cut_short = || Error::out_of_spec("the page is cut short");
        let from = usize::try_from(page.offset - start).map_err(|_| cut_short())?;
        let size = usize::try_from(page.size).map_err(|_| cut_short())?;
        let all = block.get(from..).ok_or_else(cut_short)?;
        let (body, behind) = all.split_at_checked(size).ok_or_else(cut_short)?;
        let checksum = xxh3_64(body).to_le_bytes();
        if page.has_checksum && behind.first_chunk::<8>() != Some(&checksum) {
            return Err(Error::out_of_spec("checksum differs"));
        }
        let Some(settings) = page.settings else {
            let (bytes, checksum) = match page.has_checksum {
                true => (all.get(..size + 8).ok_or_else(cut_short)?, None),
                false => (body, Some(checksum)),
            };
            return Ok(Piece { page, bytes: Cow::Borrowed(bytes), checksum });
        };
        self.input.limits().check_page(page.length)?;
        let mut bytes = Vec::new();
        self.codecs.decompressor.restore(body, page.length, &mut bytes)?;
        if let Some((column_type, change)) = page.change {
            bytes = changed(&bytes, column_type, change, self.ranges)?;
        }
        let mut stored = Vec::new();
        // What is not asked for may have settings that this build does not know.
        let settings = Compression::from_code(settings).ok();
        let settings = settings.filter(|settings| settings.require().is_ok()).unwrap_or(Compression::NONE);
        if !self.codecs.compressor.compress(settings, &bytes, &mut stored)? {
            stored = bytes;
        }
        let checksum = xxh3_64(&stored);
        stored.extend_from_slice(&checksum.to_le_bytes());
        // What was made has room for the worst case.
        stored.shrink_to_fit();
        self.copied.recompressed_pages += 1;
        Ok(Piece { page, bytes: Cow::Owned(stored), checksum: None })
    }

    /// Writes pages into one blob.
    fn write(&mut self, pieces: &mut Vec<Piece<'_>>, out: &mut FileWriter<dyn WriteAt + '_>) -> Result<()> {
        let pages: Vec<PageBytes<'_>> = pieces.iter().map(Piece::as_page).collect();
        let offsets = out.append_pages(&pages, Anchor::DEFAULT_MAX_KEY_SIZE)?;
        for (piece, offset) in pieces.iter().zip(offsets) {
            self.note(piece, offset);
        }
        pieces.clear();
        Ok(())
    }

    fn note(&mut self, piece: &Piece<'_>, offset: u64) {
        self.places.insert(piece.page, (offset, piece.size()));
        self.copied.pages += 1;
        self.copied.page_size += piece.stored();
    }
}
