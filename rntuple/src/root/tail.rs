//! Records at the end of a file, put together in memory.

use super::datetime::Datetime;
use super::key::Key;
use super::patch::Place;
use super::raw_key::RawKey;
use crate::error::Result;

/// Records being put together in memory, to be written at `start`.
pub(super) struct Tail {
    start: u64,
    time: Datetime,
    bytes: Vec<u8>,
}

impl Tail {
    pub(super) fn new(start: u64, time: Datetime) -> Self {
        Self { start, time, bytes: Vec::new() }
    }

    /// When its records are written.
    pub(super) fn time(&self) -> Datetime {
        self.time
    }

    /// Offset of the next record.
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes.len() as u64)
    }

    /// Adds an uncompressed record that belongs to the directory at `directory`.
    pub(super) fn record(&mut self, key: Key, directory: u64, payload: &[u8]) -> Result<Key> {
        let size = payload.len() as u64;
        let mut key = key.with_payload(size, size)?;
        key.offset = self.end();
        key.directory = directory;
        key.written = self.time;
        key.write(&mut self.bytes);
        self.bytes.extend_from_slice(payload);
        Ok(key)
    }

    /// Adds a record whose key is `key`, moved to its place.
    pub(super) fn moved(&mut self, key: &RawKey, directory: Option<u64>, payload: &[u8]) -> Result<Place> {
        let offset = self.end();
        let key = key.moved(offset, payload.len(), self.time, directory)?;
        self.put(&key, payload);
        Ok(Place { offset, size: key.record_size() })
    }

    /// The key of a record that is added next; its size is that of an empty one.
    pub(super) fn place(&self, key: &RawKey, directory: Option<u64>) -> Result<RawKey> {
        key.moved(self.end(), 0, self.time, directory)
    }

    /// Adds a record as it is.
    pub(super) fn put(&mut self, key: &RawKey, payload: &[u8]) {
        self.bytes.extend_from_slice(key.bytes());
        self.bytes.extend_from_slice(payload);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Overwrites bytes that are there.
    pub(super) fn replace(&mut self, offset: u64, bytes: &[u8]) {
        let start = offset.checked_sub(self.start).and_then(|start| usize::try_from(start).ok());
        let room = start.and_then(|start| self.bytes.get_mut(start..start + bytes.len()));
        debug_assert!(room.is_some(), "only records of the tail are replaced");
        if let Some(room) = room {
            room.copy_from_slice(bytes);
        }
    }
}

/// A UUID of the version for numbers of one's own making (8).
pub(super) fn derived_uuid(digest: u128) -> [u8; 16] {
    let mut uuid = digest.to_be_bytes();
    uuid[6] = uuid[6] & 0x0F | 0x80;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}
