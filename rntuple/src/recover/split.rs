//! The sealed pages in a record that nothing describes: each ends where its checksum follows.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::check::LoosePage;
use crate::compression::{ChunkHeader, Compression};

const CHECKSUM: usize = 8;

/// The pages that `bytes`, which begin at `offset`, consist of. `None`: not of pages with checksums alone, or there is one
/// of more than `most` bytes.
pub(super) fn split(bytes: &[u8], offset: u64, most: usize) -> Option<Vec<LoosePage>> {
    let mut pages = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let (size, length, compression) = chunks(rest).or_else(|| plain(rest, most))?;
        let offset = offset.checked_add(at as u64)?;
        pages.push(LoosePage { offset, size: size as u64, length, compression: compression.code() });
        at = at.checked_add(size)?.checked_add(CHECKSUM)?;
    }
    Some(pages)
}

/// Bytes of a compressed page, and of its content.
fn chunks(rest: &[u8]) -> Option<(usize, u64, Compression)> {
    let (mut size, mut length) = (0usize, 0u64);
    loop {
        let chunk = ChunkHeader::read(rest.get(size..)?)?;
        size = size.checked_add(chunk.size)?;
        length = length.checked_add(chunk.length as u64)?;
        let (page, after) = rest.split_at_checked(size)?;
        // A block that would not be smaller is not compressed.
        if u64::from_le_bytes(*after.first_chunk()?) == xxh3_64(page) && (size as u64) < length {
            let compression = Compression::new(chunk.algorithm, chunk.algorithm.default_level()).ok()?;
            return Some((size, length, compression));
        }
    }
}

/// Bytes of a page that is not compressed.
fn plain(rest: &[u8], most: usize) -> Option<(usize, u64, Compression)> {
    let mut hash = Xxh3::new();
    for size in 1..=most.min(rest.len().checked_sub(CHECKSUM)?) {
        hash.update(rest.get(size - 1..size)?);
        let checksum = rest.get(size..)?.first_chunk()?;
        if u64::from_le_bytes(*checksum) == hash.digest() {
            return Some((size, size as u64, Compression::NONE));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Compressor;

    fn sealed(content: &[u8], compression: Compression) -> Vec<u8> {
        let mut bytes = Vec::new();
        if !Compressor::new().compress(compression, content, &mut bytes).unwrap() {
            bytes.extend(content);
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn pages_end_where_their_checksum_follows() {
        let noise: Vec<u8> = (0..700u64).map(|n| (xxh3_64(&n.to_le_bytes()) & 0xff) as u8).collect();
        let long = vec![7; 20 << 20];
        let contents: [&[u8]; 5] = [&[1], &[0; 5000], &noise, &long, b"ZS\x01"];
        let pages: Vec<_> = contents.iter().map(|content| sealed(content, Compression::zstd(1))).collect();
        let bytes = pages.concat();
        let found = split(&bytes, 1000, 1 << 20).unwrap();
        assert_eq!(found.iter().map(|page| page.length).collect::<Vec<_>>(), [1, 5000, 700, 20 << 20, 3]);
        let mut offset = 1000;
        for (page, sealed) in found.iter().zip(&pages) {
            assert_eq!((page.offset, page.size), (offset, sealed.len() as u64 - 8));
            assert_eq!(page.compression == 0, page.size == page.length);
            offset += sealed.len() as u64;
        }
        // A byte that is missing, one too many, one that is another, a page that is too long.
        assert!(split(&bytes[..bytes.len() - 1], 0, 1 << 20).is_none());
        assert!(split(&[&bytes[..], &[0]].concat(), 0, 1 << 20).is_none());
        let mut other = bytes.clone();
        other[20] ^= 1;
        assert!(split(&other, 0, 1 << 20).is_none());
        assert!(split(&bytes, 0, 699).is_none());
    }
}
