//! The file header: where the file ends and where its lists are (format: container, section 2).

use super::wire::{put_offset, read_offset};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, ErrorKind, Result};

/// Where the first record of a file stands; what is free before it belongs to the header.
pub(super) const BEGIN: u64 = 100;
/// The greatest offset that ROOT puts into 32 bits.
pub(super) const GREATEST_SMALL_OFFSET: u64 = 2_000_000_000;
/// Bytes that hold a header of either layout.
pub(super) const HEADER_SIZE: u64 = LARGE_SIZE as u64;
const MAGIC: &[u8] = b"root";
/// Sizes of the two layouts.
const SMALL_SIZE: usize = 63;
const LARGE_SIZE: usize = 75;
/// Added to the version number where offsets have 64 bits.
pub(super) const LARGE: u32 = 1_000_000;

/// The file header, whatever the width of its offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileHeader {
    /// Release of ROOT that wrote the file: 63501 is 6.35/01.
    pub(super) version: u32,
    /// Offset of the first record, the root directory.
    pub(super) begin: u64,
    /// Offset of the first byte behind the last record.
    pub(super) end: u64,
    /// Offset of the free list record; 0 where there is none.
    pub(super) free_offset: u64,
    /// Size of the free list record, key included.
    pub(super) free_size: u32,
    /// Entries of the free list; advisory.
    pub(super) free_count: u32,
    /// Where the root directory's numbers begin, relative to its record.
    pub(super) name_size: u32,
    /// Compression for objects that ROOT adds; what is in the file may be compressed in any way.
    pub(super) compression: u32,
    /// Offset of the streamer info record; 0 where there is none.
    pub(super) info_offset: u64,
    /// Size of the streamer info record, key included.
    pub(super) info_size: u32,
    /// Identity of the file; readers ignore it.
    pub(super) uuid: [u8; 16],
}

impl FileHeader {
    /// Reads the header from the first bytes of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.starts_with(b"rntuple") {
            return Err(Error::unsupported(
                "the file is a bare ntuple, which is a test format of ROOT, not a ROOT file",
            ));
        }
        if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes) {
            return Err(
                Error::out_of_spec("the file is not a ROOT file: it does not begin with `root`").at_offset(0)
            );
        }
        let version =
            bytes.get(4..8).and_then(|bytes| bytes.first_chunk()).copied().map_or(0, u32::from_be_bytes);
        let large = version >= LARGE;
        if bytes.len() < if large { LARGE_SIZE } else { SMALL_SIZE } {
            return Err(cut_short(bytes.len()));
        }
        let mut cursor = Cursor::new(bytes, 0);
        cursor.take(8)?;
        let begin = u64::from(cursor.u32_be()?);
        let end = read_offset(&mut cursor, large)?;
        let free_offset = read_offset(&mut cursor, large)?;
        let free_size = cursor.u32_be()?;
        let free_count = cursor.u32_be()?;
        let name_size = cursor.u32_be()?;
        cursor.u8()?; // the width of an offset, which the version has told already
        let compression = cursor.u32_be()?;
        let info_offset = read_offset(&mut cursor, large)?;
        let info_size = cursor.u32_be()?;
        cursor.u16_be()?; // version of the UUID; some writers leave all of it zero
        let uuid = cursor.array()?;
        if begin >= end {
            return Err(Error::out_of_spec(format!("the first record at {begin} is after the end at {end}"))
                .at_offset(8));
        }
        Ok(Self {
            version: if large { version - LARGE } else { version },
            begin,
            end,
            free_offset,
            free_size,
            free_count,
            name_size,
            compression,
            info_offset,
            info_size,
            uuid,
        })
    }

    /// The header as it stands on storage, up to [`BEGIN`]: large as soon as an offset asks for it.
    pub(super) fn write(&self) -> Vec<u8> {
        let large =
            [self.end, self.free_offset, self.info_offset].iter().any(|&at| at > GREATEST_SMALL_OFFSET);
        let mut out = Vec::with_capacity(100);
        out.put(b"root");
        out.put_u32_be(if large { self.version + LARGE } else { self.version });
        put_offset(&mut out, false, self.begin);
        put_offset(&mut out, large, self.end);
        put_offset(&mut out, large, self.free_offset);
        out.put_u32_be(self.free_size);
        out.put_u32_be(self.free_count);
        out.put_u32_be(self.name_size);
        out.put_u8(if large { 8 } else { 4 });
        out.put_u32_be(self.compression);
        put_offset(&mut out, large, self.info_offset);
        out.put_u32_be(self.info_size);
        put_uuid(&mut out, &self.uuid);
        out.resize(100, 0);
        out
    }
}

/// A file that ends within its header: nothing else leaves one than a writer that stopped, or a copy that did.
#[cold]
fn cut_short(length: usize) -> Error {
    let message = match length {
        0 => "the file is empty: its writer stopped before it wrote anything".to_owned(),
        _ => format!("the file ends within its header, after {length} bytes: its writer stopped there"),
    };
    Error::new(ErrorKind::Unfinished, message)
}

/// Writes a UUID behind its version word.
pub(super) fn put_uuid(out: &mut Vec<u8>, uuid: &[u8; 16]) {
    out.put_u16_be(1);
    out.put(uuid);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(end: u64) -> FileHeader {
        FileHeader {
            version: 63501,
            begin: 100,
            end,
            free_offset: end - 51,
            free_size: 51,
            free_count: 1,
            name_size: 60,
            compression: 505,
            info_offset: end - 448,
            info_size: 397,
            uuid: *b"0123456789abcdef",
        }
    }

    #[test]
    fn both_layouts_come_back() {
        for (end, size, units) in [
            (2514, 63, 4),
            (GREATEST_SMALL_OFFSET, 63, 4),
            (GREATEST_SMALL_OFFSET + 1, 75, 8),
            (5 << 30, 75, 8),
        ] {
            let header = sample(end);
            let bytes = header.write();
            assert_eq!(bytes.len(), 100);
            assert_eq!(FileHeader::read(&bytes).unwrap(), header);
            assert_eq!(bytes[if size == 63 { 32 } else { 40 }], units);
            assert!(FileHeader::read(&bytes[..size]).is_ok());
            for length in 0..size {
                let error = FileHeader::read(&bytes[..length]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Unfinished, "{length}: {error}");
            }
        }
    }

    #[test]
    fn a_large_header_on_a_small_file_is_read() {
        let mut bytes = b"root".to_vec();
        bytes.put_u32_be(1_063_501);
        bytes.put_u32_be(100);
        put_offset(&mut bytes, true, 2514);
        put_offset(&mut bytes, true, 2463);
        for number in [51, 1, 60] {
            bytes.put_u32_be(number);
        }
        bytes.put_u8(8);
        bytes.put_u32_be(505);
        put_offset(&mut bytes, true, 2066);
        bytes.put_u32_be(397);
        put_uuid(&mut bytes, b"0123456789abcdef");
        assert_eq!(FileHeader::read(&bytes).unwrap(), sample(2514));
    }

    #[test]
    fn what_is_no_root_file_is_told_apart() {
        let error = FileHeader::read(b"rntuple of some test").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        for bytes in [&b"rot"[..], b"PK\x03\x04", &[0; 100], &[0]] {
            assert_eq!(FileHeader::read(bytes).unwrap_err().kind(), ErrorKind::OutOfSpec);
        }
        for (bytes, message) in [
            (&b""[..], "the file is empty: its writer stopped before it wrote anything"),
            (b"roo", "the file ends within its header, after 3 bytes: its writer stopped there"),
        ] {
            let error = FileHeader::read(bytes).unwrap_err();
            assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unfinished, message));
        }
    }
}
