//! Who uses which bytes of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use super::look::Seen;
use crate::error::{Error, Result};
use crate::root::{KeyKind, RecordKind, RootFile};

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

/// A record that holds bytes of an ntuple.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub(super) payload: Range<u64>,
    /// What its key says about the length of the payload when it is not compressed; decorative.
    pub(super) length: u64,
}

/// Keeps the bytes that envelopes and pages use apart from each other and from everything else.
#[derive(Debug)]
pub(super) struct Claims {
    /// All blobs, in order.
    blobs: Vec<Blob>,
    /// Behind this offset the blobs are not known: the chain of records is broken.
    blobs_end: u64,
    /// Records that hold an anchor, whether a directory lists it or not.
    anchors: Vec<(u64, KeyKind)>,
    /// By first byte; with the end.
    spans: BTreeMap<u64, (u64, Known)>,
    /// What only older states of the ntuples use: the end by the first byte. These may overlap.
    older: BTreeMap<u64, u64>,
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
        let mut claims = Self::default();
        let mut end = 0;
        for record in file.records() {
            let Ok(record) = record else {
                claims.blobs_end = end;
                break;
            };
            end = record.offset.saturating_add(record.size);
            let RecordKind::Object { class, key_size, length, .. } = record.kind else { continue };
            if class == BLOB_CLASS {
                let payload = record.offset.saturating_add(key_size.into())..end;
                claims.blobs.push(Blob { payload, length });
                continue;
            }
            let kind = KeyKind::of(&class);
            if kind.is_ntuple() {
                claims.anchors.push((record.offset, kind));
            }
        }
        claims
    }

    /// For a file of which these blobs are known, and no others.
    #[cfg(feature = "recover")]
    pub(super) fn of(blobs: impl IntoIterator<Item = (Range<u64>, u64)>) -> Self {
        let blobs = blobs.into_iter().map(|(payload, length)| Blob { payload, length }).collect();
        Self { blobs, ..Self::default() }
    }

    /// The same records, of whose bytes no one has any.
    #[cfg(feature = "recover")]
    pub(super) fn unclaimed(&self) -> Self {
        Self { blobs: self.blobs.clone(), blobs_end: self.blobs_end, ..Self::default() }
    }

    /// Whether all records of the file are known.
    pub(super) fn is_complete(&self) -> bool {
        self.blobs_end == u64::MAX
    }

    /// Offsets of all records that hold an anchor, and what kind of ntuple it is of.
    pub(super) fn anchors(&self) -> &[(u64, KeyKind)] {
        &self.anchors
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
        let before = self.blobs.partition_point(|blob| blob.payload.start <= range.start);
        let blob = before.checked_sub(1).and_then(|index| self.blobs.get(index));
        if blob.is_some_and(|blob| range.end <= blob.payload.end) || range.start >= self.blobs_end {
            return Ok(());
        }
        let message = format!("bytes {} to {} do not lie in one blob", range.start, range.end);
        Err(Error::out_of_spec(message))
    }

    /// Notes that an older state of an ntuple uses the bytes. Returns whether that is news.
    pub(super) fn older(&mut self, range: &Range<u64>) -> bool {
        if range.is_empty() || self.is_used(range) {
            return false;
        }
        self.older.insert(range.start, range.end);
        true
    }

    /// Whether it is known already that pages, envelopes or an older state use the bytes.
    pub(super) fn is_used(&self, range: &Range<u64>) -> bool {
        let span = self.spans.get(&range.start).map(|&(end, _)| end);
        let older = self.older.get(&range.start).copied();
        span.max(older).is_some_and(|end| end >= range.end)
    }

    /// The bytes of blobs that no ntuple uses, in order, each with its blob.
    pub(super) fn unused(&self) -> Vec<(Blob, Range<u64>)> {
        let spans = self.spans.iter().map(|(&start, &(end, _))| start..end);
        self.rest(spans)
    }

    /// Those of them that no older state uses either.
    pub(super) fn unreferenced(&self) -> Vec<(Blob, Range<u64>)> {
        let mut spans: Vec<_> = self.spans.iter().map(|(&start, &(end, _))| start..end).collect();
        spans.extend(self.older.iter().map(|(&start, &end)| start..end));
        spans.sort_unstable_by_key(|span| span.start);
        self.rest(spans.into_iter())
    }

    /// The bytes of blobs outside of `spans`, which are in the order of their first bytes.
    fn rest(&self, mut spans: impl Iterator<Item = Range<u64>>) -> Vec<(Blob, Range<u64>)> {
        let mut rest = Vec::new();
        let mut next = spans.next();
        let mut used = 0;
        for blob in &self.blobs {
            let mut at = blob.payload.start.max(used);
            while let Some(span) = next.as_ref().filter(|span| span.start < blob.payload.end) {
                if span.start > at {
                    rest.push((blob.clone(), at..span.start));
                }
                at = at.max(span.end);
                next = spans.next();
            }
            used = used.max(at);
            if at < blob.payload.end {
                rest.push((blob.clone(), at..blob.payload.end));
            }
        }
        rest
    }
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            blobs: Vec::new(),
            blobs_end: u64::MAX,
            anchors: Vec::new(),
            spans: BTreeMap::new(),
            older: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Claims {
        let blobs = [100..200, 300..400].map(|payload| Blob { payload, length: 0 }).into();
        Claims { blobs, blobs_end: 1000, ..Claims::default() }
    }

    fn ranges(found: Vec<(Blob, Range<u64>)>) -> Vec<Range<u64>> {
        found.into_iter().map(|(_, range)| range).collect()
    }

    #[test]
    fn every_byte_of_a_blob_is_accounted_for() {
        let mut claims = claims();
        assert_eq!(ranges(claims.unused()), [100..200, 300..400]);
        claims.page(&(110..150)).unwrap();
        claims.envelope(&(190..200)).unwrap();
        // Into the next blob and out of it: a fault for others to find.
        claims.page(&(290..310)).unwrap();
        claims.page(&(390..500)).unwrap();
        assert_eq!(ranges(claims.unused()), [100..110, 150..190, 310..390]);
        assert!(!claims.older(&(110..150)) && !claims.older(&(5..5)));
        assert!(claims.older(&(145..160)) && !claims.older(&(145..155)) && claims.older(&(320..330)));
        assert!(claims.older(&(322..325)) && claims.older(&(180..190)));
        assert_eq!(ranges(claims.unused()), [100..110, 150..190, 310..390]);
        assert_eq!(ranges(claims.unreferenced()), [100..110, 160..180, 310..320, 330..390]);
        claims.page(&(160..180)).unwrap();
        assert_eq!(ranges(claims.unreferenced()), [100..110, 310..320, 330..390]);
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
