//! Files whose envelopes say something else, signed again: what a writer with bad intentions would make.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "files are small and were written just before"
)]

use std::sync::Arc;

use rntuple::schema::{ClusterDescriptor, ColumnRange, Locator};
use rntuple::storage::Memory;
use rntuple::{Dataset, RootFile};
use xxhash_rust::xxh3::xxh3_64;

/// A file with the only ntuple `Events`, whose envelopes are not compressed.
#[derive(Clone, Debug)]
pub struct Forge {
    bytes: Vec<u8>,
}

impl Forge {
    /// Begins with the bytes of a sound file.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The forged file.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn dataset(&self) -> Dataset {
        let file = RootFile::from_storage(Memory::from(self.bytes.clone())).unwrap();
        Dataset::open(&file, "Events").unwrap()
    }

    /// Writes over bytes, which no checksum covers.
    #[must_use]
    pub fn overwrite(mut self, offset: u64, bytes: &[u8]) -> Self {
        let offset = offset as usize;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Where the first page of a column is.
    #[must_use]
    pub fn page(&self, column: usize) -> u64 {
        let Locator::File { offset, .. } =
            self.dataset().cluster(0).unwrap().columns[column].pages[0].locator
        else {
            return 0;
        };
        offset
    }

    /// Replaces the clusters, which become one group.
    #[must_use]
    pub fn clusters(mut self, change: impl FnOnce(&mut Vec<ClusterDescriptor>)) -> Self {
        let dataset = self.dataset();
        let clusters = dataset.clusters().map(|cluster| cluster.map(Arc::unwrap_or_clone));
        let mut clusters: Vec<_> = clusters.collect::<Result<_, _>>().unwrap();
        change(&mut clusters);
        let header = dataset.anchor().header;
        let header = &self.bytes[header.offset as usize..(header.offset + header.size) as usize];
        let checksum: [u8; 8] = *header.last_chunk().unwrap();
        let list = page_list(&clusters, checksum);
        let list_offset = self.append(&list);
        let entries: u64 = clusters.iter().map(|cluster| cluster.entry_count).sum();
        let group = record(&[
            &0u64.to_le_bytes()[..],
            &entries.to_le_bytes(),
            &(clusters.len() as u32).to_le_bytes(),
            &(list.len() as u64).to_le_bytes(),
            &(list.len() as u32).to_le_bytes(),
            &list_offset.to_le_bytes(),
        ]);
        let footer = footer(checksum, &[group]);
        let offset = self.append(&footer);
        self.sign(2, offset, footer.len() as u64);
        self
    }

    /// Gives the only entry, a string or a list of numbers without compressed offsets, the page of its items `count`
    /// times.
    #[must_use]
    pub fn repeat(self, count: u64) -> Self {
        let items = u64::from(self.dataset().cluster(0).unwrap().columns[1].pages[0].count);
        let offsets = self.page(0);
        self.overwrite(offsets, &(count * items).to_le_bytes()).clusters(|clusters| {
            let pages = &mut clusters[0].columns[1].pages;
            *pages = vec![pages[0]; count as usize];
        })
    }

    /// Replaces the header by one of these records of fields and columns, of an ntuple without entries.
    #[must_use]
    pub fn schema(mut self, fields: &[Vec<u8>], columns: &[Vec<u8>]) -> Self {
        let mut items = vec![0; 8];
        for text in ["Events", "", "forged"] {
            items.extend(string(text));
        }
        for records in [fields, columns, &[], &[]] {
            items.extend(list(records));
        }
        let header = envelope(1, &items);
        let offset = self.append(&header);
        self.sign(1, offset, header.len() as u64);
        let footer = footer(*header.last_chunk().unwrap(), &[]);
        let offset = self.append(&footer);
        self.sign(2, offset, footer.len() as u64);
        self
    }

    /// States how many bytes of a payload are in one record at most; 0, as uproot writes it, means that nothing is cut.
    #[must_use]
    pub fn max_key_size(mut self, bytes: u64) -> Self {
        self.state(56, &[bytes]);
        self
    }

    /// Adds bytes after the end of the file, which moves there.
    fn append(&mut self, bytes: &[u8]) -> u64 {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len() as u32;
        self.bytes[12..16].copy_from_slice(&end.to_be_bytes());
        offset as u64
    }

    /// Lets the anchor lead to another header (1) or footer (2).
    fn sign(&mut self, kind: usize, offset: u64, size: u64) {
        self.state(8 + (kind - 1) * 24, &[offset, size, size]);
    }

    /// Replaces numbers of the anchor, from a position on.
    fn state(&mut self, position: usize, numbers: &[u64]) {
        let file = RootFile::from_storage(Memory::from(self.bytes.clone())).unwrap();
        let key = &file.ntuples().unwrap()[0];
        let end = (key.offset + key.size) as usize;
        // Version, two links of three numbers, the size of keys; then the checksum.
        let members = &mut self.bytes[end - 72..end];
        for (number, value) in numbers.iter().enumerate() {
            members[position + 8 * number..][..8].copy_from_slice(&value.to_be_bytes());
        }
        let checksum = xxh3_64(&members[..64]);
        members[64..].copy_from_slice(&checksum.to_be_bytes());
    }
}

/// The record of a field, a record without members.
#[must_use]
pub fn field(name: &str, parent: u32) -> Vec<u8> {
    field_of(name, parent, None)
}

/// The same, of a field that is a projection.
#[must_use]
pub fn projection(name: &str, parent: u32, source: u32) -> Vec<u8> {
    field_of(name, parent, Some(source))
}

fn field_of(name: &str, parent: u32, source: Option<u32>) -> Vec<u8> {
    let mut items = Vec::new();
    items.extend([0u32, 0, parent].iter().flat_map(|number| number.to_le_bytes()));
    // Role: record; flags: whether it is projected.
    items.extend([2, 0, if source.is_some() { 2 } else { 0 }, 0]);
    for text in [name, "", "", ""] {
        items.extend(string(text));
    }
    items.extend(source.into_iter().flat_map(u32::to_le_bytes));
    record(&[&items])
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn record(parts: &[&[u8]]) -> Vec<u8> {
    let payload = parts.concat();
    [&(payload.len() as i64 + 8).to_le_bytes()[..], &payload].concat()
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    list_of(items.len(), &items.concat())
}

fn list_of(count: usize, payload: &[u8]) -> Vec<u8> {
    let size = -(payload.len() as i64 + 12);
    [&size.to_le_bytes()[..], &(count as u32).to_le_bytes(), payload].concat()
}

fn envelope(kind: u64, items: &[u8]) -> Vec<u8> {
    let length = items.len() as u64 + 16;
    let mut bytes = [&(kind | length << 16).to_le_bytes()[..], items].concat();
    let checksum = xxh3_64(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

fn footer(header_checksum: [u8; 8], groups: &[Vec<u8>]) -> Vec<u8> {
    let extension = record(&[&list(&[]), &list(&[]), &list(&[]), &list(&[])]);
    envelope(2, &[&[0; 8][..], &header_checksum, &extension, &list(groups), &list(&[])].concat())
}

fn page_list(clusters: &[ClusterDescriptor], header_checksum: [u8; 8]) -> Vec<u8> {
    let summaries: Vec<_> = clusters
        .iter()
        .map(|cluster| record(&[&cluster.first_entry.to_le_bytes(), &cluster.entry_count.to_le_bytes()]))
        .collect();
    let locations: Vec<_> = clusters
        .iter()
        .map(|cluster| list(&cluster.columns.iter().map(column_range).collect::<Vec<_>>()))
        .collect();
    envelope(3, &[&header_checksum[..], &list(&summaries), &list(&locations)].concat())
}

fn column_range(column: &ColumnRange) -> Vec<u8> {
    let mut payload = Vec::new();
    for page in &column.pages {
        let Locator::File { offset, size } = page.locator else { continue };
        let count = page.count as i32;
        payload.extend((if page.has_checksum { -count } else { count }).to_le_bytes());
        payload.extend((size as u32).to_le_bytes());
        payload.extend(offset.to_le_bytes());
    }
    payload.extend((column.first_element.unwrap_or_default() as i64).to_le_bytes());
    payload.extend(column.compression.to_le_bytes());
    list_of(column.pages.len(), &payload)
}
