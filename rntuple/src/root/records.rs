//! The chain of records: each one says where the next one begins.

use super::free_list::{FreeList, SMALLEST_GAP};
use super::key::SMALLEST_KEY;
use super::reader::RootFile;
use crate::bytes::Cursor;
use crate::error::{Error, Result};

/// What stands between two offsets of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Offset of its first byte.
    pub offset: u64,
    /// Bytes up to the next record.
    pub size: u64,
    /// What it is.
    pub kind: RecordKind,
}

/// A record or the lack of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// Free bytes.
    #[non_exhaustive]
    Gap {
        /// Whether the free list knows them.
        listed: bool,
    },
    /// A key and its payload.
    #[non_exhaustive]
    Object {
        /// Class in C++; `RBlob` for what belongs to an ntuple.
        class: String,
        /// Name; empty for a blob.
        name: String,
        /// Cycle.
        cycle: u16,
        /// Bytes of the key, behind which the payload begins.
        key_size: u16,
        /// Bytes of the payload when it is not compressed; of no meaning for a blob.
        length: u64,
    },
}

/// All records of a file in their order: see [`RootFile::records`]. Ends with the first error.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    file: &'a RootFile,
    /// Empty where the file has none that can be read.
    free: FreeList,
    at: u64,
}

impl RootFile {
    /// All records from the first to the last, gaps included, in the order of the file: for diagnosis.
    /// Ntuples are found through [`ntuples`](Self::ntuples).
    pub fn records(&self) -> Records<'_> {
        Records::new(self)
    }
}

impl<'a> Records<'a> {
    fn new(file: &'a RootFile) -> Self {
        let mut free = file.free_list().ok().flatten().unwrap_or_default();
        free.gaps.sort_unstable_by_key(|gap| gap.first);
        Self { file, free, at: file.header().begin }
    }

    fn read(&self) -> Result<Record> {
        let (offset, left) = (self.at, self.file.end() - self.at);
        let outside = |size: u64| {
            let message =
                format!("the next record begins after {size} bytes, but the file ends after {left}");
            Err(Error::out_of_spec(message).at_offset(offset))
        };
        // The list first: some releases of ROOT forgot to mark a gap behind a blob (format: container, section 5).
        let listed =
            self.free.gap_at(offset).and_then(|(_, gap)| gap.last.checked_sub(gap.first)?.checked_add(1));
        let marker = Cursor::new(&self.file.bytes(offset, left.min(4))?, offset).i32_be()?;
        if listed.is_some() || marker < 0 {
            let size = listed.unwrap_or_else(|| marker.unsigned_abs().into());
            if size < SMALLEST_GAP {
                return Err(Error::out_of_spec(format!("a gap has {size} bytes")).at_offset(offset));
            }
            if size > left {
                return outside(size);
            }
            return Ok(Record { offset, size, kind: RecordKind::Gap { listed: listed.is_some() } });
        }
        if (marker.unsigned_abs() as usize) < SMALLEST_KEY {
            return Err(Error::out_of_spec(format!("a record has {marker} bytes")).at_offset(offset));
        }
        if u64::from(marker.unsigned_abs()) > left {
            return outside(marker.unsigned_abs().into());
        }
        let key = self.file.key_at(offset)?;
        if key.offset != offset {
            let message = format!("the key of the record says that the record is at {}", key.offset);
            return Err(Error::out_of_spec(message).at_offset(offset));
        }
        let kind = RecordKind::Object {
            class: key.class,
            name: key.name,
            cycle: key.cycle,
            key_size: key.key_size,
            length: key.length.into(),
        };
        Ok(Record { offset, size: key.size.into(), kind })
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.file.end() {
            return None;
        }
        let record = self.read();
        self.at = record.as_ref().map_or(u64::MAX, |record| record.offset + record.size);
        Some(record.map_err(|error| self.file.locate(error)))
    }
}
