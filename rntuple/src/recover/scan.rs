//! Which envelopes a file has, wherever they are: each has a checksum, so none is taken for what it is not.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::chunks::Chunks;
use crate::dataset::Envelopes;
use crate::envelope::{ClusterSummary, Dialect, Footer, Header, PageIndex};
use crate::format_version::FormatVersion;
use crate::root::{Anchor, EnvelopeSpan, KeyKind, RootFile, Salvaged};
use crate::storage::ReadAt;

/// What was found in a file.
pub(super) struct Found {
    /// The file, up to the last byte that there is.
    pub(super) file: RootFile,
    pub(super) headers: Vec<FoundHeader>,
    /// By the checksum of the header that they name, in the order of the file.
    pub(super) footers: HashMap<u64, Vec<(EnvelopeSpan, Footer)>>,
    pub(super) lists: HashMap<u64, Vec<FoundList>>,
    /// By the offset of the header, with the path of the directory where one lists the anchor.
    pub(super) anchors: HashMap<u64, Vec<(Option<String>, Anchor)>>,
    /// By checksum: of several ntuples the headers may be the same.
    numbers: HashMap<u64, Vec<usize>>,
    /// By offset: the checksum of the header that a page list names, and its number there.
    list_places: HashMap<u64, (u64, usize)>,
    /// All blobs, in order: where the payload is, and how long its key says that it is.
    pub(super) blobs: Vec<(Range<u64>, u64)>,
    /// Those that are no envelopes.
    pub(super) data: Vec<Data>,
    /// Whether some envelope was not looked at, as all together were too long for the file.
    pub(super) is_limited: bool,
}

/// A blob that is no envelope.
pub(super) struct Data {
    pub(super) payload: Range<u64>,
    /// Whether the file ends before it does.
    pub(super) is_cut: bool,
}

/// A header.
pub(super) struct FoundHeader {
    pub(super) span: EnvelopeSpan,
    pub(super) header: Header,
    pub(super) checksum: u64,
}

/// A page list.
pub(super) struct FoundList {
    pub(super) span: EnvelopeSpan,
    pub(super) clusters: Vec<ClusterSummary>,
}

impl Found {
    /// Looks through a file.
    pub(super) fn of(storage: &Arc<dyn ReadAt>, limits: crate::Limits) -> Self {
        let file = RootFile::broken(storage.clone()).with_limits(limits);
        let mut found = Self {
            headers: Vec::new(),
            footers: HashMap::new(),
            lists: HashMap::new(),
            anchors: HashMap::new(),
            numbers: HashMap::new(),
            list_places: HashMap::new(),
            blobs: Vec::new(),
            data: Vec::new(),
            is_limited: false,
            file: file.clone(),
        };
        // What the directories say, if they are whole, has the paths of the ntuples.
        let mut seen = HashSet::new();
        if let Ok(whole) = RootFile::from_arc(storage.clone()) {
            for (key, anchor) in whole.with_limits(limits).anchors() {
                let Ok(anchor) = anchor else { continue };
                if seen.insert((anchor.header.offset, anchor.footer.offset)) {
                    let anchors = found.anchors.entry(anchor.header.offset).or_default();
                    anchors.push((Some(key.directory.to_string()), anchor));
                }
            }
        }
        let (mut envelopes, mut chunks) = (Envelopes::new(&file, u64::MAX), Chunks::new(&file));
        let mut footers = Vec::new();
        for record in file.salvage() {
            if KeyKind::of(&record.class).is_ntuple() {
                // One that no directory lists: of an attribute set, or of a file whose end is missing.
                if let Ok(anchor) = file.anchor_of_record(record.offset)
                    && seen.insert((anchor.header.offset, anchor.footer.offset))
                {
                    found.anchors.entry(anchor.header.offset).or_default().push((None, anchor));
                }
            } else if record.class == "RBlob" {
                found.blobs.push((record.payload.clone(), record.length));
                found.blob(&record, &mut envelopes, &mut chunks, &mut footers);
            }
        }
        found.is_limited |= chunks.is_used_up();
        for (span, bytes) in footers {
            found.footer(span, &bytes);
        }
        found
    }

    fn blob(
        &mut self,
        record: &Salvaged,
        envelopes: &mut Envelopes<'_>,
        chunks: &mut Chunks<'_>,
        footers: &mut Vec<(EnvelopeSpan, Vec<u8>)>,
    ) {
        let size = record.payload.end - record.payload.start;
        let data = || Data { payload: record.payload.clone(), is_cut: record.is_cut };
        let Some(length) = self.envelope_length(record, size, chunks) else {
            return self.data.push(data());
        };
        let span = EnvelopeSpan { offset: record.payload.start, size, length };
        let dialect = Dialect::of(FormatVersion::V1).within(self.file.limits());
        let bytes = match envelopes.load(span) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.is_limited |= error.kind() == crate::ErrorKind::LimitExceeded;
                return self.data.push(data());
            }
        };
        if let Ok(index) = PageIndex::read(&bytes, dialect, Vec::new()) {
            let lists = self.lists.entry(index.header_checksum).or_default();
            self.list_places.insert(span.offset, (index.header_checksum, lists.len()));
            lists.push(FoundList { span, clusters: index.summaries });
        } else if let Ok((header, checksum)) = Header::read(&bytes, dialect) {
            self.numbers.entry(checksum).or_default().push(self.headers.len());
            self.headers.push(FoundHeader { span, header, checksum });
        } else if Footer::verify(&bytes, dialect).is_ok() {
            // How it is read depends on the header, which may come after it.
            footers.push((span, bytes.to_vec()));
        } else {
            self.data.push(data());
        }
    }

    fn footer(&mut self, span: EnvelopeSpan, bytes: &[u8]) {
        let dialect = Dialect::of(FormatVersion::V1).within(self.file.limits());
        let Ok(checksum) = Footer::header_of(bytes, dialect) else { return };
        let number = self.numbers.get(&checksum).and_then(|numbers| numbers.first());
        let Some(header) = number.and_then(|number| self.headers.get(*number)) else { return };
        let fields = u32::try_from(header.header.schema.fields.len()).unwrap_or(u32::MAX);
        if let Ok(footer) = Footer::read(bytes, dialect, fields) {
            self.footers.entry(checksum).or_default().push((span, footer));
        }
    }

    /// Blobs in which none of these pages is.
    pub(super) fn unknown(&self, pages: &mut [u64]) -> Vec<&Data> {
        pages.sort_unstable();
        let is_used = |blob: &Range<u64>| {
            let next = pages.partition_point(|page| *page < blob.start);
            pages.get(next).is_some_and(|page| *page < blob.end)
        };
        self.data.iter().filter(|data| !is_used(&data.payload)).collect()
    }

    /// Whether no other header is the same.
    pub(super) fn is_unique(&self, header: &FoundHeader) -> bool {
        self.numbers.get(&header.checksum).is_some_and(|numbers| numbers.len() == 1)
    }

    /// The page list at an offset, if it names a header.
    pub(super) fn list_at(&self, offset: u64, header: &FoundHeader) -> Option<&FoundList> {
        let (checksum, number) = self.list_places.get(&offset)?;
        self.lists.get(checksum)?.get(*number).filter(|_| *checksum == header.checksum)
    }

    /// The length of the envelope that a blob could be: it says so itself, or is compressed as a whole.
    fn envelope_length(&self, record: &Salvaged, size: u64, chunks: &mut Chunks<'_>) -> Option<u64> {
        if record.is_cut || size < 16 {
            return None;
        }
        let front = self.file.payload(record.payload.start, 16, u64::MAX).ok()?;
        let preamble = u64::from_le_bytes(*front.first_chunk()?);
        if (1..=3).contains(&(preamble & 0xffff)) && preamble >> 16 == size {
            return Some(size);
        }
        chunks.length(&record.payload).filter(|length| *length == record.length)
    }
}
