//! The data of `kXR_pgread`: pages, each after its CRC32C.

use super::Fault;
use super::cursor::Cursor;

/// Length of a page. The first one is shorter where a read begins within a page of the file, and the last one may be.
pub(crate) const PAGE: usize = 4096;

/// Length of a checksum.
const CHECKSUM: usize = 4;

/// Adds the data of the pages in `body` to `data`. The first of them is at `offset` of the file.
pub(crate) fn read(offset: u64, body: &[u8], data: &mut Vec<u8>) -> Result<(), Fault> {
    let mut cursor = Cursor(body);
    let mut at = offset;
    while !cursor.is_empty() {
        let checksum = cursor.u32()?;
        let page = cursor.take(to_page_end(at).min(cursor.0.len()))?;
        if page.is_empty() {
            return Err(Fault::TooShort);
        }
        if crc32c::crc32c(page) != checksum {
            return Err(Fault::PageChecksum(at));
        }
        data.extend_from_slice(page);
        at = at.saturating_add(page.len() as u64);
    }
    Ok(())
}

/// How many bytes the pages of `length` bytes at `offset` take, with their checksums.
pub(crate) fn packed_length(offset: u64, length: usize) -> usize {
    let first = to_page_end(offset).min(length);
    let pages = usize::from(first > 0) + (length - first).div_ceil(PAGE);
    length.saturating_add(pages.saturating_mul(CHECKSUM))
}

fn to_page_end(offset: u64) -> usize {
    let within = usize::try_from(offset % PAGE as u64).unwrap_or(0);
    PAGE - within
}

/// The opposite of [`read`], as servers do it.
#[cfg(test)]
pub(crate) fn write(offset: u64, data: &[u8]) -> Vec<u8> {
    let (first, rest) = data.split_at(to_page_end(offset).min(data.len()));
    let mut body = Vec::new();
    for page in std::iter::once(first).chain(rest.chunks(PAGE)).filter(|page| !page.is_empty()) {
        body.extend_from_slice(&crc32c::crc32c(page).to_be_bytes());
        body.extend_from_slice(page);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_where_those_of_the_file_do() {
        let data: Vec<u8> = (0..20_000u32).map(|i| (i % 251) as u8).collect();
        for (offset, length) in
            [(0, 20_000), (0, 1), (4095, 4098), (4096, 8192), (100, 3996), (100, 3997), (5, 0)]
        {
            let body = write(offset, &data[..length]);
            assert_eq!(body.len(), packed_length(offset, length), "{offset} {length}");
            let mut back = Vec::new();
            read(offset, &body, &mut back).unwrap();
            assert_eq!(back, data[..length]);
        }
    }

    #[test]
    fn a_changed_byte_is_found() {
        let body = write(4000, &[7; 300]);
        for at in 0..body.len() {
            let mut changed = body.clone();
            changed[at] ^= 0x10;
            let offset = if at < 100 { 4000 } else { 4096 };
            assert_eq!(read(4000, &changed, &mut Vec::new()), Err(Fault::PageChecksum(offset)));
        }
        assert_eq!(read(4000, &body[..102], &mut Vec::new()), Err(Fault::TooShort));
    }
}
