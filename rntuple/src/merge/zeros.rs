//! Pages of zeros: what a field has in the entries of an input that lacks it (format, section 5.3).

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::compression::{Compression, Compressor};
use crate::encoding::{ColumnEncoding, ColumnType, Element};
use crate::error::{Error, ErrorKind, Result};
use crate::root::{Anchor, FileWriter, PageBytes};
use crate::schema::{Locator, PageLocation};
use crate::storage::WriteAt;

/// Bytes of a page of zeros before compression, at the most.
const LENGTH: u32 = 256 << 10;

/// A few bytes can claim any number of elements that were never written: they may become so many pages in one
/// cluster.
pub(super) const MOST_PAGES: u64 = 1 << 20;

/// Places of different pages that are remembered.
const MOST_PLACES: usize = 1 << 14;

/// Writes pages of zeros, each one once.
#[derive(Debug, Default)]
pub(super) struct Zeros {
    places: HashMap<Kind, (u64, u64)>,
}

/// Pages of one kind have the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Kind {
    count: u32,
    length: u64,
    settings: u32,
    /// Of values that count steps through a range: which step is zero.
    step: u64,
}

/// Whether columns of this packing can hold zeros.
///
/// # Errors
/// Zero is outside the range of a quantised column.
pub(super) fn check(packing: &ColumnEncoding) -> Result<()> {
    match packing.range() {
        Some((min, max)) if packing.column_type() == ColumnType::Real32Quant && (min > 0.0 || max < 0.0) => {
            let message =
                format!("entries without it would be zero, which is outside the values of {packing}");
            Err(Error::new(ErrorKind::SchemaMismatch, message))
        }
        _ => Ok(()),
    }
}

impl Zeros {
    /// Pages of `count` zeros; those that are not on storage yet are written. `room` is how many there may be.
    pub(super) fn put(
        &mut self,
        file: &mut FileWriter<dyn WriteAt + '_>,
        compressor: &mut Compressor,
        settings: Compression,
        packing: &ColumnEncoding,
        count: u64,
        room: &mut u64,
    ) -> Result<Vec<PageLocation>> {
        let most = (LENGTH * 8 / u32::from(packing.bits()).max(1)).max(1);
        let pages = count.div_ceil(u64::from(most));
        *room = room.checked_sub(pages).ok_or_else(|| {
            Error::limit(format!("{count} elements that were never written, and are to become zeros"))
        })?;
        if pages > 0 {
            check(packing)?;
        }
        let mut locations = Vec::new();
        let mut left = count;
        while left > 0 {
            let count = u32::try_from(left).map_or(most, |left| left.min(most));
            let place = self.place(file, compressor, settings, packing, count)?;
            let (offset, size) = place;
            locations.push(PageLocation::new(count, true, Locator::File { offset, size }));
            left -= u64::from(count);
        }
        Ok(locations)
    }

    fn place(
        &mut self,
        file: &mut FileWriter<dyn WriteAt + '_>,
        compressor: &mut Compressor,
        settings: Compression,
        packing: &ColumnEncoding,
        count: u32,
    ) -> Result<(u64, u64)> {
        let length = packing.page_length(count);
        let mut bytes = Vec::new();
        let mut step = 0;
        if packing.column_type() == ColumnType::Real32Quant {
            let zeros = vec![0.0f64; usize::try_from(count).unwrap_or_default()];
            f64::encode(packing, &zeros, &mut bytes)?;
            // The first values tell the others.
            step = u64::from(packing.bits()) << 56 | xxh3_64(&bytes) >> 8;
        } else {
            bytes.resize(usize::try_from(length).unwrap_or_default(), 0);
        }
        let kind = Kind { count, length, settings: settings.code(), step };
        if let Some(place) = self.places.get(&kind) {
            return Ok(*place);
        }
        let mut stored = Vec::new();
        if !compressor.compress(settings, &bytes, &mut stored)? {
            stored = bytes;
        }
        let size = stored.len() as u64;
        let checksum = xxh3_64(&stored).to_le_bytes();
        let page = PageBytes { parts: [&stored, &checksum], length, is_raw: size == length };
        let offsets = file.append_pages(&[page], Anchor::DEFAULT_MAX_KEY_SIZE)?;
        let offset = offsets.first().copied().unwrap_or_default();
        if self.places.len() >= MOST_PLACES {
            self.places.clear();
        }
        self.places.insert(kind, (offset, size));
        Ok((offset, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::FileOptions;
    use crate::storage::Memory;

    #[test]
    fn each_page_is_written_once() {
        let mut file = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
        let mut zeros = Zeros::default();
        let mut compressor = Compressor::new();
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let mut room = 100;
        let mut put = |settings, count| {
            let file = file.any();
            let pages = zeros.put(file, &mut compressor, settings, &packing, count, &mut room).unwrap();
            (pages, file.end())
        };
        let (pages, end) = put(Compression::zstd(1), 200_000);
        assert_eq!(pages.iter().map(|page| page.count).collect::<Vec<_>>(), [65_536, 65_536, 65_536, 3392]);
        assert_eq!((pages[0], pages[1]), (pages[1], pages[2]));
        assert!(end < 1000, "{end}");
        assert_eq!(put(Compression::zstd(1), 200_000), (pages, end));
        let (pages, raw_end) = put(Compression::NONE, 5);
        assert!(raw_end > end + 20);
        let Locator::File { offset, size } = pages[0].locator else { panic!() };
        assert_eq!((offset % 8, size), (0, 20));
        assert_eq!(put(Compression::NONE, 0), (vec![], raw_end));
        assert_eq!(room, 91);
    }

    #[test]
    fn claims_have_a_limit() {
        let mut file = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let (mut compressor, mut room) = (Compressor::new(), MOST_PAGES);
        let mut zeros = Zeros::default();
        let error = zeros
            .put(file.any(), &mut compressor, Compression::NONE, &packing, u64::MAX, &mut room)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn quantised_zeros_are_the_nearest_step() {
        let mut file = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
        let (mut compressor, mut room) = (Compressor::new(), MOST_PAGES);
        let packing = ColumnEncoding::quantized(8, -1.0, 1.0).unwrap();
        let pages = Zeros::default()
            .put(file.any(), &mut compressor, Compression::NONE, &packing, 4, &mut room)
            .unwrap();
        let Locator::File { offset, .. } = pages[0].locator else { panic!() };
        let bytes = file.into_inner().into_bytes();
        let start = usize::try_from(offset).unwrap();
        assert_eq!(bytes[start..start + 4], [128; 4]);
        let error = check(&ColumnEncoding::quantized(8, 1.0, 2.0).unwrap()).unwrap_err();
        assert!(error.to_string().contains("outside"), "{error}");
    }
}
