//! Pages on their way into the file: the one place that lays them out.

use std::borrow::Cow;
use std::io::IoSlice;

use xxhash_rust::xxh3::xxh3_64;

use super::writer::FileWriter;
use crate::error::Result;
use crate::storage::WriteAt;

/// Pages that are not compressed begin at a multiple of this, so that their values can be used where a mapped file
/// has them.
const ALIGNMENT: u64 = 8;

/// A page as it will be on storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageBytes<'a> {
    /// Its bytes, and its checksum, which is empty where pages have none.
    pub(crate) parts: [&'a [u8]; 2],
    /// Bytes before compression.
    pub(crate) length: u64,
    /// Whether the page is stored as it was encoded.
    pub(crate) is_raw: bool,
}

impl PageBytes<'_> {
    /// Bytes on storage, the checksum included.
    fn size(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }

    /// What counts as the page in the digest of the file: its checksum. A page without one has it computed here, or files
    /// with other values could have the same identity.
    fn digest(&self) -> [u8; 8] {
        let [bytes, checksum] = self.parts;
        checksum.last_chunk().copied().unwrap_or_else(|| xxh3_64(bytes).to_le_bytes())
    }

    /// The bytes that its alignment may cost.
    pub(crate) fn padding(is_raw: bool) -> u64 {
        if is_raw { ALIGNMENT } else { 0 }
    }
}

impl FileWriter<dyn WriteAt + '_> {
    /// Appends pages in one blob, and returns the offset of each. A single page that is longer than `max_key_size`
    /// takes several blobs (format: ntuple, section 7.6).
    pub(crate) fn append_pages(&mut self, pages: &[PageBytes<'_>], max_key_size: u64) -> Result<Vec<u64>> {
        if let [page] = pages
            && page.size() > max_key_size
        {
            let whole = match page.parts {
                [whole, []] => {
                    self.add_to_digest(&page.digest());
                    Cow::Borrowed(whole)
                }
                parts => Cow::Owned(parts.concat()),
            };
            return Ok(vec![self.append_payload(&whole, page.length, max_key_size)?]);
        }
        const ZEROS: &[u8; 8] = &[0; 8];
        let mut parts = Vec::with_capacity(2 * pages.len() + 1);
        let digests: Vec<[u8; 8]> = pages.iter().map(PageBytes::digest).collect();
        let mut tails = Vec::with_capacity(pages.len() + 1);
        let mut offsets = Vec::with_capacity(pages.len());
        let first = self.next_payload()?;
        let mut length = 0u64;
        // Where any page is aligned, the first one is too.
        let mut end = first;
        let is_aligned = pages.iter().any(|page| page.is_raw);
        for ((number, page), digest) in pages.iter().enumerate().zip(&digests) {
            if page.is_raw || number == 0 && is_aligned {
                let padding = end.next_multiple_of(ALIGNMENT) - end;
                if let Some(zeros @ [_, ..]) = ZEROS.get(..usize::try_from(padding).unwrap_or_default()) {
                    parts.push(IoSlice::new(zeros));
                    tails.push(zeros);
                }
                end += padding;
            }
            offsets.push(end - first);
            let [bytes, more] = page.parts;
            parts.push(IoSlice::new(bytes));
            if !more.is_empty() {
                parts.push(IoSlice::new(more));
            }
            tails.push(digest);
            end += page.size();
            length = length.saturating_add(page.length);
        }
        if parts.is_empty() {
            return Ok(offsets);
        }
        let start = self.append_digested(&parts, length, &tails)?;
        offsets.iter_mut().for_each(|offset| *offset += start);
        Ok(offsets)
    }
}
