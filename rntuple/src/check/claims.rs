//! Who uses which bytes of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use super::page::Seen;
use crate::error::{Error, Result};
use crate::root::{RecordKind, RootFile};

/// The class of a record that holds an ntuple's bytes.
const BLOB_CLASS: &str = "RBlob";

/// Bytes that an envelope or a page of some ntuple stands in.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Pages may share their bytes with pages, envelopes with nothing.
    is_page: bool,
    /// What was found out about the page, from the second look at it on.
    pub(super) seen: Vec<Seen>,
    /// How often it was found to be damaged.
    pub(super) failures: u8,
}

/// Keeps the bytes that envelopes and pages use apart from each other and from everything else.
#[derive(Debug)]
pub(super) struct Claims {
    /// Payloads of all blobs, in order.
    blobs: Vec<Range<u64>>,
    /// Behind this offset the blobs are not known: the chain of records is broken.
    blobs_end: u64,
    /// By first byte; with the end.
    spans: BTreeMap<u64, (u64, Known)>,
}

/// Whose bytes they are.
#[derive(Debug)]
pub(super) enum Claimed<'a> {
    /// Nobody else's.
    New,
    /// Another page's too: the same bytes, no more and no fewer.
    Again(&'a mut Known),
}

impl Claims {
    pub(super) fn new(file: &RootFile) -> Self {
        let mut claims = Self { blobs: Vec::new(), blobs_end: u64::MAX, spans: BTreeMap::new() };
        let mut end = 0;
        for record in file.records() {
            let Ok(record) = record else {
                claims.blobs_end = end;
                break;
            };
            end = record.offset.saturating_add(record.size);
            if let RecordKind::Object { class, key_size, .. } = &record.kind
                && class == BLOB_CLASS
            {
                claims.blobs.push(record.offset.saturating_add((*key_size).into())..end);
            }
        }
        claims
    }

    /// Takes the bytes of `range` for an envelope.
    pub(super) fn envelope(&mut self, range: &Range<u64>) -> Result<()> {
        match self.claim(range, false)? {
            Claimed::New => Ok(()),
            Claimed::Again(_) => Err(Error::out_of_spec("an envelope in bytes that are used already")),
        }
    }

    /// Takes the bytes of `range` for a page.
    pub(super) fn page(&mut self, range: &Range<u64>) -> Result<Claimed<'_>> {
        self.claim(range, true)
    }

    /// What is known about the page at `offset`.
    pub(super) fn known(&mut self, offset: u64) -> Option<&mut Known> {
        self.spans.get_mut(&offset).map(|(_, known)| known)
    }

    fn claim(&mut self, range: &Range<u64>, is_page: bool) -> Result<Claimed<'_>> {
        if range.is_empty() {
            return Ok(Claimed::New);
        }
        // All spans are apart, so only the last one that begins before the end can be in the way.
        if let Some((&start, &(end, ref known))) = self.spans.range(..range.end).next_back()
            && end > range.start
        {
            if (start..end) != *range || known.is_page != is_page {
                let message = format!(
                    "bytes {} to {} overlap another page or envelope, {start} to {end}",
                    range.start, range.end
                );
                return Err(Error::out_of_spec(message));
            }
            return match self.known(start) {
                Some(known) => Ok(Claimed::Again(known)),
                None => Ok(Claimed::New),
            };
        }
        let known = Known { is_page, ..Known::default() };
        self.spans.insert(range.start, (range.end, known));
        Ok(Claimed::New)
    }

    /// Whether the bytes are the content of one blob, as far as the blobs are known.
    pub(super) fn check_blob(&self, range: &Range<u64>) -> Result<()> {
        let before = self.blobs.partition_point(|blob| blob.start <= range.start);
        let blob = before.checked_sub(1).and_then(|index| self.blobs.get(index));
        if blob.is_some_and(|blob| range.end <= blob.end) || range.start >= self.blobs_end {
            return Ok(());
        }
        let message = format!("bytes {} to {} do not lie in one blob", range.start, range.end);
        Err(Error::out_of_spec(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        Claims { blobs: vec![100..200, 300..400], blobs_end: 1000, spans: BTreeMap::new() }
    }

    #[test]
    fn bytes_are_shared_as_a_whole_or_not_at_all() {
        let mut claims = claims();
        assert!(matches!(claims.page(&(100..120)), Ok(Claimed::New)));
        assert!(matches!(claims.page(&(100..120)), Ok(Claimed::Again(_))));
        claims.envelope(&(120..130)).unwrap();
        assert!(claims.envelope(&(120..130)).is_err());
        for range in [90..101, 100..119, 100..121, 110..115, 90..200, 119..121, 120..130, 125..126] {
            assert!(claims.page(&range).is_err(), "{range:?}");
        }
        assert!(matches!(claims.page(&(80..100)), Ok(Claimed::New)));
        assert!(matches!(claims.page(&(130..140)), Ok(Claimed::New)));
        assert!(matches!(claims.page(&(110..110)), Ok(Claimed::New)));
    }

    #[test]
    fn pages_lie_in_blobs() {
        let claims = claims();
        for range in [100..200, 150..160, 300..400, 1000..2000] {
            assert!(claims.check_blob(&range).is_ok(), "{range:?}");
        }
        for range in [99..110, 190..201, 200..300, 150..350, 500..600] {
            assert!(claims.check_blob(&range).is_err(), "{range:?}");
        }
    }
}
