//! Files of jobs that died, as ROOT would have left them: all pages of a cluster in one record, and no page list.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "files are small and were written just before"
)]

use rntuple::schema::Locator;
use rntuple::{Dataset, RootFile};

/// A record as of ROOT, which has all pages of a cluster in one.
#[must_use]
pub fn blob(offset: usize, payload: &[u8], length: usize) -> Vec<u8> {
    let mut key = Vec::new();
    key.extend((34 + payload.len() as u32).to_be_bytes());
    key.extend(4u16.to_be_bytes());
    key.extend((length as u32).to_be_bytes());
    key.extend([0; 4]);
    key.extend(34u16.to_be_bytes());
    key.extend(1u16.to_be_bytes());
    key.extend((offset as u32).to_be_bytes());
    key.extend(100u32.to_be_bytes());
    key.extend(b"\x05RBlob\0\0");
    [&key, payload].concat()
}

/// What a file of one ntuple was before it had a page list, if ROOT had written it: `change` may drop pages.
#[must_use]
pub fn died(bytes: &[u8], change: impl Fn(usize, &mut Vec<Vec<u8>>)) -> Vec<u8> {
    let root = RootFile::from_storage(bytes.to_vec()).unwrap();
    let path = root.ntuples().unwrap()[0].path();
    let dataset = Dataset::open(&root, &path).unwrap();
    let header = dataset.anchor().header;
    let mut out = bytes[..(header.offset + header.size) as usize].to_vec();
    for (number, cluster) in dataset.clusters().enumerate() {
        let cluster = cluster.unwrap();
        let pages = cluster.columns.iter().flat_map(|column| &column.pages);
        let mut pages: Vec<Vec<u8>> = pages
            .map(|page| {
                let Locator::File { offset, size } = page.locator else { panic!() };
                bytes[offset as usize..(offset + size) as usize + 8].to_vec()
            })
            .collect();
        change(number, &mut pages);
        let pages = pages.concat();
        out.extend(blob(out.len(), &pages, pages.len()));
    }
    out
}
