//! One file, in one version.

use std::sync::Arc;

use super::date::http_date;
use super::habits::ETag;

/// When the first version of each file was written: 1 January 2026.
const FIRST: u64 = 1_767_225_600;

#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) version: u64,
}

impl File {
    pub(super) fn new(bytes: Vec<u8>, version: u64) -> Self {
        Self { bytes: Arc::new(bytes), version }
    }

    pub(super) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Seconds since 1970. Each version is an hour later than the one before.
    pub(super) fn modified(&self) -> u64 {
        FIRST + 3600 * self.version
    }

    pub(super) fn last_modified(&self) -> String {
        http_date(self.modified())
    }

    pub(super) fn e_tag(&self, kind: ETag) -> Option<String> {
        let (size, version) = (self.size(), self.version);
        match kind {
            ETag::Strong => Some(format!("\"{size:x}-{version:x}\"")),
            ETag::Weak => Some(format!("W/\"{size:x}-{version:x}\"")),
            ETag::OfSize => Some(format!("\"{size:x}\"")),
            ETag::None => None,
        }
    }
}
