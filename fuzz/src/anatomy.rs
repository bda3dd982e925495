//! Where a file has what: so that it can be changed, and all that depends on the change made right again.

use std::ops::Range;

use rntuple::__internals::{EnvelopeKind, decompress, sign};
use rntuple::root::{EnvelopeSpan, FileKey, FormatVersion, RecordKind};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Dataset, RootFile};
use xxhash_rust::xxh3::xxh3_64;

use crate::items::{FOOTER, Grammar, HEADER, Items, PAGE_LIST};
use crate::mutator::Mutator;
use crate::ways::limits;

/// The end of an anchor: version, two links of three numbers each, the size of keys; then the checksum.
const ANCHOR: usize = 72;
/// Where the links to header and footer are in it.
const LINKS: [usize; 2] = [8, 32];
/// Type and length in front of the items of an envelope, and the checksum after them.
const PREAMBLE: usize = 8;
const CHECKSUM: usize = 8;
/// Where footers and page lists repeat the checksum of the header.
const IN_FOOTER: usize = 16;
const IN_PAGE_LIST: usize = 8;
/// Clusters of one file that are looked for pages.
const MOST_CLUSTERS: usize = 100;
/// The longest envelope that is taken apart.
const LONGEST: u64 = 1 << 20;

/// What describes one ntuple, or one attribute set.
struct Ntuple {
    anchor: Range<usize>,
    header: EnvelopeSpan,
    footer: EnvelopeSpan,
    lists: Vec<EnvelopeSpan>,
}

/// The parts of a file.
struct Anatomy {
    ntuples: Vec<Ntuple>,
    /// Pages with their checksums.
    pages: Vec<Range<usize>>,
    /// Keys of records.
    keys: Vec<Range<usize>>,
}

fn range(offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

impl Anatomy {
    fn of(bytes: &[u8]) -> Option<Self> {
        let file = RootFile::from_storage(Memory::from(bytes.to_vec())).ok()?.with_limits(limits());
        let mut this = Self { ntuples: Vec::new(), pages: Vec::new(), keys: Vec::new() };
        for record in file.records().take_while(Result::is_ok).flatten() {
            if !matches!(record.kind, RecordKind::Gap { .. }) {
                this.keys.extend(range(record.offset, record.size.min(60)));
            }
        }
        for key in file.ntuples().unwrap_or_default() {
            this.add(&file, &key);
        }
        Some(this)
    }

    fn add(&mut self, file: &RootFile, key: &FileKey) -> Option<()> {
        let dataset = Dataset::open(file, &key.path()).ok()?;
        for link in dataset.attribute_sets() {
            if let (Locator::File { offset, size }, Ok(set)) =
                (link.anchor, dataset.attribute_set(&link.name))
            {
                self.add_dataset(&set, offset + size);
            }
        }
        self.add_dataset(&dataset, key.offset + key.size)
    }

    /// `end` is where the anchor ends.
    fn add_dataset(&mut self, dataset: &Dataset, end: u64) -> Option<()> {
        let anchor = dataset.anchor();
        if anchor.format_version != FormatVersion::V1 {
            return None;
        }
        let lists = dataset.cluster_groups().iter().map(|group| match group.page_list {
            Locator::File { offset, size } => EnvelopeSpan { offset, size, length: group.page_list_length },
            _ => EnvelopeSpan::default(),
        });
        let (header, footer, lists) = (anchor.header, anchor.footer, lists.collect());
        let anchor = range(end.checked_sub(ANCHOR as u64)?, ANCHOR as u64)?;
        self.ntuples.push(Ntuple { anchor, header, footer, lists });
        let clusters = dataset.clusters().take(MOST_CLUSTERS).take_while(Result::is_ok).flatten();
        for cluster in clusters {
            for page in cluster.columns.iter().flat_map(|column| &column.pages) {
                if let Locator::File { offset, size } = page.locator {
                    let checksum = if page.has_checksum { CHECKSUM as u64 } else { 0 };
                    self.pages.extend(range(offset, size + checksum).filter(|_| page.has_checksum));
                }
            }
        }
        Some(())
    }

    /// Makes all checksums right.
    fn repair(&self, bytes: &mut [u8]) {
        for page in &self.pages {
            sign_range(bytes, page.clone());
        }
        for ntuple in &self.ntuples {
            let Some(header) = ntuple.header.sign(bytes) else { continue };
            for list in &ntuple.lists {
                list.put_checksum(bytes, IN_PAGE_LIST, header);
                list.sign(bytes);
            }
            ntuple.footer.put_checksum(bytes, IN_FOOTER, header);
            ntuple.footer.sign(bytes);
            let Some(anchor) = bytes.get_mut(ntuple.anchor.clone()) else { continue };
            if let Some((members, checksum)) = anchor.split_last_chunk_mut::<CHECKSUM>() {
                *checksum = xxh3_64(members).to_be_bytes();
            }
        }
    }
}

/// Writes the checksum of the bytes in front of it, if there are any.
fn sign_range(bytes: &mut [u8], range: Range<usize>) -> Option<u64> {
    let (body, checksum) = bytes.get_mut(range)?.split_last_chunk_mut::<CHECKSUM>()?;
    let sum = xxh3_64(body);
    *checksum = sum.to_le_bytes();
    Some(sum)
}

/// What is done with an envelope that is not compressed. Others remain as they are.
trait Uncompressed {
    fn place(&self) -> Option<Range<usize>>;

    /// Returns the checksum of what is there.
    fn sign(&self, bytes: &mut [u8]) -> Option<u64> {
        sign_range(bytes, self.place()?)
    }

    fn put_checksum(&self, bytes: &mut [u8], at: usize, checksum: u64) {
        let Some(envelope) = self.place().and_then(|place| bytes.get_mut(place)) else { return };
        if let Some(place) = envelope.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            *place = checksum.to_le_bytes();
        }
    }
}

impl Uncompressed for EnvelopeSpan {
    fn place(&self) -> Option<Range<usize>> {
        range(self.offset, self.size).filter(|_| self.size == self.length)
    }
}

/// Changes a file, in most cases so that all sizes, places and checksums are right afterwards.
pub(crate) fn mutate(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let Some(mut anatomy) = Anatomy::of(bytes) else { return mutator.bytes(bytes, max) };
    match mutator.below(16) {
        0 => return mutator.bytes(bytes, max),
        1 => mutator.in_place(bytes),
        2 | 3 => strike(bytes, &anatomy.keys, mutator),
        4..=6 => strike(bytes, &anatomy.pages, mutator),
        7 => {
            let anchors: Vec<_> = anatomy.ntuples.iter().map(|ntuple| ntuple.anchor.clone()).collect();
            strike(bytes, &anchors, mutator);
        }
        _ => {
            let number = mutator.below(anatomy.ntuples.len());
            if let Some(ntuple) = anatomy.ntuples.get_mut(number) {
                ntuple.mutate(bytes, max, mutator);
            }
        }
    }
    if !mutator.one_in(16) {
        anatomy.repair(bytes);
    }
}

/// As [`mutate`], but what describes the ntuples stays as it is.
pub(crate) fn mutate_container(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    let Some(anatomy) = Anatomy::of(bytes) else { return mutator.bytes(bytes, max) };
    match mutator.below(8) {
        0 => return mutator.bytes(bytes, max),
        1 => mutator.in_place(bytes.get_mut(..160).unwrap_or_default()),
        2 => mutator.in_place(bytes),
        3 => {
            let anchors: Vec<_> = anatomy.ntuples.iter().map(|ntuple| ntuple.anchor.clone()).collect();
            strike(bytes, &anchors, mutator);
        }
        _ => strike(bytes, &anatomy.keys, mutator),
    }
    anatomy.repair(bytes);
}

fn strike(bytes: &mut [u8], places: &[Range<usize>], mutator: &mut Mutator) {
    let place = mutator.pick(places).cloned();
    if let Some(place) = place.and_then(|place| bytes.get_mut(place)).filter(|place| !place.is_empty()) {
        mutator.in_place(place);
    }
}

impl Ntuple {
    /// Changes the items of an envelope, which may have another size then.
    fn mutate(&mut self, bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) -> Option<()> {
        let list = mutator.below(self.lists.len().max(1));
        let choice = mutator.below(4);
        let (kind, grammar, span) = match choice {
            0 => (EnvelopeKind::Header, &HEADER, self.header),
            1 => (EnvelopeKind::Footer, &FOOTER, self.footer),
            _ => (EnvelopeKind::PageList, &PAGE_LIST, *self.lists.get(list)?),
        };
        let mut items = take(bytes, span, grammar)?;
        items.mutate(mutator);
        let mut written = items.write();
        // Sizes that are not right have to be tried as well.
        if mutator.one_in(8) {
            mutator.bytes(&mut written, max);
        }
        let new = put(bytes, max, span, &sign(FormatVersion::V1, kind, &written))?;
        match choice {
            0 => self.header = new,
            1 => self.footer = new,
            _ => {
                *self.lists.get_mut(list)? = new;
                let mut footer = take(bytes, self.footer, &FOOTER)?;
                footer.link(list, new.offset, u32::try_from(new.size).ok()?);
                let footer = sign(FormatVersion::V1, EnvelopeKind::Footer, &footer.write());
                self.footer = put(bytes, max, self.footer, &footer)?;
            }
        }
        self.link(bytes)
    }

    /// Lets the anchor lead to header and footer.
    fn link(&self, bytes: &mut [u8]) -> Option<()> {
        for (span, at) in [self.header, self.footer].into_iter().zip(LINKS) {
            let link = bytes.get_mut(self.anchor.clone())?.get_mut(at..at + 24)?;
            for (place, number) in link.chunks_exact_mut(8).zip([span.offset, span.size, span.length]) {
                place.copy_from_slice(&number.to_be_bytes());
            }
        }
        Some(())
    }
}

fn take(bytes: &[u8], span: EnvelopeSpan, grammar: &Grammar) -> Option<Items> {
    let stored = bytes.get(range(span.offset, span.size)?)?;
    let envelope = decompress(stored, span.length.min(LONGEST)).ok()?;
    let items = envelope.get(PREAMBLE..envelope.len().checked_sub(CHECKSUM)?)?;
    Some(Items::parse(grammar, items, true))
}

/// Puts an envelope where another one was; into a new record at the end of the file, if it is longer.
fn put(bytes: &mut Vec<u8>, max: usize, old: EnvelopeSpan, new: &[u8]) -> Option<EnvelopeSpan> {
    let size = new.len() as u64;
    let is_longer = size > old.size;
    let offset = if is_longer { (bytes.len() + BLOB_KEY) as u64 } else { old.offset };
    let place = range(offset, size)?;
    if place.end > max {
        return None;
    }
    if is_longer {
        let key = blob_key(bytes.len(), new.len())?;
        bytes.extend(key);
        bytes.extend(new);
        move_end(bytes)?;
    } else {
        bytes.get_mut(place)?.copy_from_slice(new);
    }
    Some(EnvelopeSpan { offset, size, length: size })
}

/// Bytes of the key of a blob.
const BLOB_KEY: usize = 42;

/// The key of a blob at `offset`, of `length` bytes (format: container, section 3).
fn blob_key(offset: usize, length: usize) -> Option<Vec<u8>> {
    let whole = u32::try_from(BLOB_KEY + length).ok()?.to_be_bytes();
    let length = u32::try_from(length).ok()?.to_be_bytes();
    let (key, cycle) = (u16::try_from(BLOB_KEY).ok()?.to_be_bytes(), 1_u16.to_be_bytes());
    let (offset, directory) = ((offset as u64).to_be_bytes(), [0; 8]);
    let (version, date) = (1004_u16.to_be_bytes(), [0; 4]);
    let parts: [&[u8]; 9] =
        [&whole, &version, &length, &date, &key, &cycle, &offset, &directory, b"\x05RBlob\0\0"];
    Some(parts.concat())
}

/// Notes where the file ends, which is the same place in all files of less than 2 GB; also in the list of free bytes, if
/// there are no others.
fn move_end(bytes: &mut [u8]) -> Option<()> {
    let end = u32::try_from(bytes.len()).ok()?.to_be_bytes();
    bytes.get_mut(12..16)?.copy_from_slice(&end);
    let free = usize::try_from(u32::from_be_bytes(*bytes.get(16..)?.first_chunk()?)).ok()?;
    let key = bytes.get(free..)?;
    let (size, key_size) = (key.first_chunk()?, key.get(14..)?.first_chunk()?);
    let (size, key_size) = (u32::from_be_bytes(*size), u16::from_be_bytes(*key_size));
    if size == u32::from(key_size) + 10 {
        let segment = free + usize::from(key_size);
        bytes.get_mut(segment + 2..segment + 6)?.copy_from_slice(&end);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use rntuple_tests::sample::Random;

    use super::*;
    use crate::corpus;
    use crate::mutator::strike;
    use crate::tiny;

    #[test]
    fn repairing_what_is_sound_changes_nothing() {
        for file in corpus::files().unwrap().into_iter().chain(corpus::by_root()) {
            let anatomy = Anatomy::of(&file).unwrap();
            let mut bytes = file.clone();
            anatomy.repair(&mut bytes);
            assert!(bytes == file);
            assert!(!anatomy.keys.is_empty());
        }
    }

    /// Otherwise `check` would find the same in every file.
    #[test]
    fn a_file_with_a_longer_envelope_is_sound() {
        for file in [corpus::sound().unwrap(), tiny::seeds().unwrap().swap_remove(2)] {
            let mut bytes = file;
            let mut anatomy = Anatomy::of(&bytes).unwrap();
            let ntuple = anatomy.ntuples.first_mut().unwrap();
            // Items of a later version may follow those that are known.
            let items = [take(&bytes, ntuple.header, &HEADER).unwrap().write(), vec![0; 40]].concat();
            let header = sign(FormatVersion::V1, EnvelopeKind::Header, &items);
            ntuple.header = put(&mut bytes, 100_000, ntuple.header, &header).unwrap();
            ntuple.link(&mut bytes).unwrap();
            anatomy.repair(&mut bytes);
            let file = RootFile::from_storage(Memory::from(bytes)).unwrap();
            let report = rntuple::check::check_file(&file, rntuple::check::CheckOptions::default());
            assert!(report.faults.is_empty(), "{:?}", report.faults);
        }
    }

    /// Otherwise the targets would only test how checksums are checked.
    #[test]
    fn many_changed_files_can_still_be_opened() {
        let mut files = corpus::files().unwrap();
        files.extend(tiny::seeds().unwrap());
        files.extend(corpus::by_root());
        let mut mutator = Mutator { random: Random::new(1), strike };
        let (mut changed, mut open) = (0, 0);
        for original in files.iter().filter(|file| file.len() < 8000) {
            for _ in 0..40 {
                let mut bytes = original.clone();
                mutate(&mut bytes, 16_000, &mut mutator);
                changed += usize::from(bytes != *original);
                let file = RootFile::from_storage(Memory::from(bytes));
                let is_open = |file: RootFile| {
                    let path = file.ntuples().ok()?.first()?.path();
                    let dataset = Dataset::open(&file, &path).ok()?;
                    dataset.clusters().all(|cluster| cluster.is_ok()).then_some(())
                };
                open += usize::from(file.ok().and_then(is_open).is_some());
            }
        }
        assert!(open * 2 > changed, "{open} of {changed}");
    }
}
