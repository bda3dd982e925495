//! What is left when all ntuples have been checked: bytes of blobs that no page and no envelope of them uses.
//!
//! A writer that fails after it has written the pages of a cluster, and is finished all the same, leaves them there.
//! Appending leaves the footer that it has replaced, and page lists; these parse, which distinguishes them here. A writer
//! leaves records for a recovery on purpose: page lists of clusters that the ntuple has.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::claims::Blob;
use super::ntuple::{Checker, uncut};
use super::report::NoteKind;
use crate::dataset::Envelopes;
use crate::envelope::{Dialect, Footer, Header, PageList};
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;
use crate::root::{Anchor, EnvelopeSpan, KeyKind};
use crate::schema::{ClusterGroup, Locator};

/// A longer blob is not taken for an envelope that was replaced: those of ROOT and ours have a few MB at most.
const MOST_ENVELOPE: u64 = 64 << 20;
/// Zeros within a blob that are no more than this, next to bytes that are used, align these.
const MOST_PADDING: u64 = 4096;

impl Checker<'_, '_> {
    /// Accounts for every byte of every blob, and for those after the end.
    pub(super) fn account(&mut self) {
        self.findings.leave();
        self.account_for_tail();
        if self.claims.unused().is_empty() || !self.find_older_states() {
            return;
        }
        let unused = self.claims.unused();
        let mut rest = self.claims.unreferenced();
        let older = Left::of(&unused).without(&Left::of(&rest));
        rest.retain(|(blob, range)| !self.is_padding(blob, range));
        let lost = Left::of(&rest);
        if older.bytes() > 0 {
            self.findings.note(NoteKind::Superseded, || {
                Error::unsupported(format!("{older} of older states, which newer ones have replaced"))
            });
        }
        if let Some((_, first)) = rest.first() {
            self.unreferenced = self.unreferenced.saturating_add(lost.bytes());
            self.findings.note(NoteKind::Unreferenced, || {
                let message = format!("{lost} that nothing refers to, such as entries that a writer lost");
                Error::unsupported(message).at_offset(first.start)
            });
        }
    }

    /// Bytes after the end that the header states.
    fn account_for_tail(&mut self) {
        let (size, end) = (self.file.storage().size(), self.file.end());
        let Some(bytes) = size.checked_sub(end).filter(|bytes| *bytes > 0) else { return };
        self.unreferenced = bytes;
        self.findings.note(NoteKind::Unreferenced, || {
            let message = format!(
                "{bytes} bytes after the end of the file, such as those of a write that failed or an append that never \
                 finished"
            );
            Error::unsupported(message).at_offset(end)
        });
    }

    /// Looks for what older states use. Returns false where something cannot be read, which may use any bytes.
    fn find_older_states(&mut self) -> bool {
        let mut anchors = self.claims.anchors().to_vec();
        anchors.retain(|(offset, _)| !self.records.contains(offset));
        // A pre-release anchor cannot be read without its header, however long that is.
        if !self.is_complete || anchors.iter().any(|(_, kind)| *kind == KeyKind::PreRelease) {
            return false;
        }
        for (offset, _) in anchors {
            if let Ok(anchor) = self.file.anchor_of_record(offset)
                && !self.is_known(&anchor)
            {
                self.older_state(&uncut(anchor));
            }
        }
        for (blob, range) in self.claims.unreferenced() {
            if range == blob.payload {
                self.older_envelope(&blob);
            }
        }
        true
    }

    /// Everything that an anchor leads to that is not an ntuple's any more, or is that of an older cycle.
    fn older_state(&mut self, anchor: &Anchor) {
        let mut envelopes = Envelopes::new(self.file, anchor.max_key_size);
        let dialect = Dialect::of(anchor.format_version);
        // Where it cannot be read, its bytes are left over.
        let _ = self.older_load(anchor.header, anchor, &mut envelopes, |bytes| Header::read(bytes, dialect));
        // How many fields the header has matters for an extension of the schema only, which matters for nothing here.
        let footer =
            self.older_load(anchor.footer, anchor, &mut envelopes, |bytes| Footer::read(bytes, dialect, 0));
        let Ok(Some(mut footer)) = footer else { return };
        let mut summaries = std::mem::take(&mut footer.summaries).into_iter();
        for group in &footer.cluster_groups {
            let summaries = summaries.next().unwrap_or_default();
            let read = |bytes: &[u8]| PageList::read(bytes, dialect, summaries);
            self.older_group(group, anchor, &mut envelopes, read);
        }
    }

    fn older_group(
        &mut self,
        group: &ClusterGroup,
        anchor: &Anchor,
        envelopes: &mut Envelopes<'_>,
        read: impl FnOnce(&[u8]) -> Result<PageList>,
    ) {
        let Locator::File { offset, size } = group.page_list else { return };
        let span = EnvelopeSpan { offset, size, length: group.page_list_length };
        let Ok(Some(list)) = self.older_load(span, anchor, envelopes, read) else { return };
        for page in list.clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages)
        {
            let Locator::File { offset, size } = page.locator else { continue };
            let whole = size.saturating_add(if page.has_checksum { 8 } else { 0 });
            // The bytes are not looked at: they are no one's entries any more.
            let _ = self.older_bytes(offset, whole, anchor.max_key_size);
        }
    }

    /// An envelope of an older state, unless it is that of a present one or was seen already.
    fn older_load<T>(
        &mut self,
        span: EnvelopeSpan,
        anchor: &Anchor,
        envelopes: &mut Envelopes<'_>,
        read: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let own = span.offset..span.offset.saturating_add(span.size.min(anchor.max_key_size));
        if self.claims.is_used(&own) {
            return Ok(None);
        }
        // Any number of anchors may lead to the same bytes, which are damaged.
        self.spend(span.length.saturating_add(span.size))?;
        let content = read(&envelopes.load(span)?)?;
        self.older_bytes(span.offset, span.size, anchor.max_key_size)?;
        Ok(Some(content))
    }

    fn older_bytes(&mut self, offset: u64, size: u64, max_key_size: u64) -> Result<()> {
        let own = offset..offset.saturating_add(size.min(max_key_size));
        if self.claims.is_used(&own) {
            return Ok(());
        }
        // Offsets of the other parts are read for this.
        self.spend(max_key_size.min(8))?;
        for piece in self.file.pieces(offset, size, max_key_size)? {
            self.claims.older(&piece);
        }
        Ok(())
    }

    /// A blob that no anchor leads to any more may be an envelope whose anchor was replaced in place.
    fn older_envelope(&mut self, blob: &Blob) {
        let (offset, size) = (blob.payload.start, blob.payload.end - blob.payload.start);
        let dialect = Dialect::of(FormatVersion::V1);
        // Stored as it is, or compressed; then the key has the length.
        for length in [size, blob.length] {
            if length < size || length > MOST_ENVELOPE || self.spend(length).is_err() {
                return;
            }
            let span = EnvelopeSpan { offset, size, length };
            let Ok(bytes) = Envelopes::new(self.file, u64::MAX).load(span) else { continue };
            if self.is_record(&bytes, dialect) {
                // No one else's, as nothing refers to them.
                let _ = self.claims.envelope(&blob.payload);
                return;
            }
            let is_envelope = Footer::read(&bytes, dialect, 0).is_ok()
                || PageList::read(&bytes, dialect, Vec::new()).is_ok()
                || Header::read(&bytes, dialect).is_ok();
            if is_envelope {
                self.claims.older(&blob.payload);
                return;
            }
        }
    }

    /// Whether an envelope is there for a recovery: a page list of pages that are in use, or a footer without clusters.
    fn is_record(&self, bytes: &[u8], dialect: Dialect) -> bool {
        if let Ok(list) = PageList::read(bytes, dialect, Vec::new()) {
            let columns = list.clusters.iter().flat_map(|cluster| &cluster.columns);
            let mut pages = columns.flat_map(|column| &column.pages);
            return self.headers.contains_key(&list.header_checksum)
                && pages.all(|page| match page.locator {
                    Locator::File { offset, size } => {
                        self.claims.is_used(&(offset..offset.saturating_add(size)))
                    }
                    Locator::Unknown { .. } => false,
                });
        }
        let header = Footer::header_of(bytes, dialect).ok();
        let fields = header.and_then(|header| self.headers.get(&header));
        let footer = fields.and_then(|fields| Footer::read(bytes, dialect, *fields).ok());
        footer.is_some_and(|footer| footer.cluster_groups.is_empty())
    }

    /// Whether bytes of a blob that is used otherwise are there to align what follows.
    fn is_padding(&self, blob: &Blob, range: &Range<u64>) -> bool {
        let size = range.end - range.start;
        *range != blob.payload
            && size <= MOST_PADDING
            && self
                .file
                .payload(range.start, size, u64::MAX)
                .is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }
}

/// Bytes of each blob, by its offset.
struct Left(BTreeMap<u64, u64>);

impl Left {
    fn of(ranges: &[(Blob, Range<u64>)]) -> Self {
        let mut blobs = BTreeMap::new();
        for (blob, range) in ranges {
            *blobs.entry(blob.payload.start).or_default() += range.end - range.start;
        }
        Self(blobs)
    }

    fn without(mut self, part: &Self) -> Self {
        self.0.retain(|blob, bytes| {
            *bytes -= part.0.get(blob).copied().unwrap_or(0).min(*bytes);
            *bytes > 0
        });
        self
    }

    fn bytes(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 { "" } else { "s" };
        write!(f, "{} bytes in {} blob{plural}", self.bytes(), self.0.len())
    }
}
