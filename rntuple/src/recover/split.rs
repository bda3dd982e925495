//! The sealed pages in a record that nothing describes: each ends where its checksum follows.

use xxhash_rust::xxh3::Xxh3;

use crate::check::LoosePage;
use crate::compression::{ChunkHeader, Compression};
use crate::error::{Error, Result};

const CHECKSUM: usize = 8;

/// The pages that `bytes`, which begin at `offset`, consist of. Each byte that is hashed is taken from `left`.
///
/// # Errors
/// They do not consist of pages with checksums alone, there is one of more than `most` bytes, or nothing is left.
pub(super) fn split(bytes: &[u8], offset: u64, most: usize, left: &mut u64) -> Result<Vec<LoosePage>> {
    let mut pages = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let page = match chunks(rest, left)? {
            Some(page) => Some(page),
            None => plain(rest, most, left)?,
        };
        let (size, length, compression) = page
            .ok_or_else(|| Error::unsupported("the record does not consist of whole pages with checksums"))?;
        let offset = offset.saturating_add(at as u64);
        pages.push(LoosePage { offset, size: size as u64, length, compression: compression.code() });
        at = at.saturating_add(size).saturating_add(CHECKSUM);
    }
    Ok(pages)
}

/// Bytes of a compressed page, and of its content.
fn chunks(rest: &[u8], left: &mut u64) -> Result<Option<(usize, u64, Compression)>> {
    let mut hash = Xxh3::new();
    let (mut size, mut length) = (0usize, 0u64);
    loop {
        let Some(chunk) = rest.get(size..).and_then(ChunkHeader::read) else { return Ok(None) };
        let end = size.saturating_add(chunk.size);
        let Some((part, after)) = rest.get(size..end).zip(rest.get(end..)) else { return Ok(None) };
        let Some(checksum) = after.first_chunk() else { return Ok(None) };
        spend(left, chunk.size as u64)?;
        hash.update(part);
        (size, length) = (end, length.saturating_add(chunk.length as u64));
        // A block that would not be smaller is not compressed.
        if (size as u64) < length && u64::from_le_bytes(*checksum) == hash.digest() {
            let compression = Compression::new(chunk.algorithm, chunk.algorithm.default_level()).ok();
            return Ok(compression.map(|compression| (size, length, compression)));
        }
    }
}

/// Bytes of a page that is not compressed.
fn plain(rest: &[u8], most: usize, left: &mut u64) -> Result<Option<(usize, u64, Compression)>> {
    let mut hash = Xxh3::new();
    for (size, (byte, after)) in (1..=most).zip(rest.chunks(1).zip(rest.windows(CHECKSUM).skip(1))) {
        spend(left, 1)?;
        hash.update(byte);
        if after == hash.digest().to_le_bytes() {
            return Ok(Some((size, size as u64, Compression::NONE)));
        }
    }
    Ok(None)
}

/// Takes bytes from those that may still be looked at.
pub(super) fn spend(left: &mut u64, bytes: u64) -> Result<()> {
    let rest = left.checked_sub(bytes);
    *left =
        rest.ok_or_else(|| Error::limit("the records overlap, or could be pages in too many ways to try"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

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
        let split = |bytes: &[u8], offset, most| {
            let mut left = u64::MAX;
            split(bytes, offset, most, &mut left)
        };
        let found = split(&bytes, 1000, 1 << 20).unwrap();
        assert_eq!(found.iter().map(|page| page.length).collect::<Vec<_>>(), [1, 5000, 700, 20 << 20, 3]);
        let mut offset = 1000;
        for (page, sealed) in found.iter().zip(&pages) {
            assert_eq!((page.offset, page.size), (offset, sealed.len() as u64 - 8));
            assert_eq!(page.compression == 0, page.size == page.length);
            offset += sealed.len() as u64;
        }
        // A byte that is missing, one too many, one that is another, a page that is too long.
        assert!(split(&bytes[..bytes.len() - 1], 0, 1 << 20).is_err());
        assert!(split(&[&bytes[..], &[0]].concat(), 0, 1 << 20).is_err());
        let mut other = bytes.clone();
        other[20] ^= 1;
        assert!(split(&other, 0, 1 << 20).is_err());
        assert!(split(&bytes, 0, 699).is_err());
    }

    #[test]
    fn what_is_hashed_is_paid_for() {
        // Chunks that lead to the end, in pages of their own that are not compressed: each page could be all that follows.
        let mut bytes = Vec::new();
        for _ in 0..1000 {
            let content = *b"ZS\x01\x0b\0\0\xff\0\0abc";
            bytes.extend(content);
            bytes.extend(xxh3_64(&content).to_le_bytes());
        }
        let cost = |pages: usize| {
            let mut left = u64::MAX;
            assert_eq!(split(&bytes[..20 * pages], 0, 100, &mut left).unwrap().len(), pages);
            u64::MAX - left
        };
        // The chunks after each page, and its own bytes.
        assert_eq!(cost(10), 20 * (1..10).sum::<u64>() + 10 * 12);
        let error = split(&bytes, 0, 100, &mut 20_000).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::LimitExceeded);
    }
}
