//! Whether the file around the ntuples is sound: what `check` needs to know and readers do not ask.

use std::collections::BTreeMap;

use super::directories::Directories;
use super::free_list::SMALLEST_GAP;
use super::key::Key;
use super::listing::{KeyKind, Listing};
use super::reader::RootFile;
use super::records::RecordKind;
use super::streamer_info::{self, INFO_LIMIT};
use crate::error::{Error, ErrorKind, Result};

/// What [`RootFile::verify`] found out about a file.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FileReport {
    /// Records that stand between the first byte and the end.
    pub records: u64,
    /// Gaps between them.
    pub gaps: u64,
    /// Bytes in these gaps.
    pub gap_bytes: u64,
    /// Keys that the directories list.
    pub keys: u64,
    /// Whether the streamer info describes the class of the anchor, `ROOT::RNTuple`. ROOT and uproot read a file that
    /// does not, JSROOT cannot. Of a file without ntuples it is true.
    pub describes_anchors: bool,
    /// Everything that is not as it should be. An ntuple may be readable in spite of them.
    pub faults: Vec<Error>,
}

impl FileReport {
    /// Whether no fault was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl RootFile {
    /// Checks the layers below the ntuples: that the records follow each other from the first byte to the
    /// end, that the directories list what is there, that free list and gaps agree, and that the streamer info can
    /// be read. The ntuples' own bytes are not looked at.
    ///
    /// # Errors
    /// Only those of the storage; what is wrong with the file is in the report.
    pub fn verify(&self) -> Result<FileReport> {
        let mut report = FileReport::default();
        let mut faults = Vec::new();
        self.check_chain(&mut report, &mut faults);
        self.check_directories(&mut report, &mut faults);
        report.faults = faults.into_iter().map(|error| self.locate(error)).collect();
        match report.faults.iter().position(|error| error.kind() == ErrorKind::Io) {
            Some(index) => Err(report.faults.swap_remove(index)),
            None => Ok(report),
        }
    }

    fn check_chain(&self, report: &mut FileReport, faults: &mut Vec<Error>) {
        let free = self.free_list();
        let header = self.header();
        let mut unused = BTreeMap::new();
        match free {
            Err(error) => faults.push(error),
            Ok(None) => {
                faults.push(Error::out_of_spec("the file has no free list: ROOT cannot update it"));
            }
            Ok(Some(list)) => {
                let fault = |message: String| Error::out_of_spec(message).at_offset(header.free_offset);
                if list.tail != Some(header.end) {
                    faults.push(fault(format!(
                        "the free list does not end in the bytes from {} on",
                        header.end
                    )));
                }
                let mut at = header.begin;
                for gap in &list.gaps {
                    if gap.first < at || gap.last < gap.first.saturating_add(SMALLEST_GAP - 1) {
                        faults.push(fault(format!("bytes {} to {} cannot be free", gap.first, gap.last)));
                        break;
                    }
                    at = gap.last.saturating_add(1);
                }
                unused.extend(list.gaps.iter().map(|gap| (gap.first, gap.last)));
            }
        }
        for record in self.records() {
            let record = match record {
                Ok(record) => record,
                // What follows is out of reach, and so are the gaps in it.
                Err(error) => return faults.push(error),
            };
            let RecordKind::Gap { listed } = record.kind else {
                report.records += 1;
                continue;
            };
            report.gaps += 1;
            report.gap_bytes += record.size;
            if listed {
                unused.remove(&record.offset);
            } else {
                let message = format!("a gap of {} bytes that the free list does not know", record.size);
                faults.push(Error::out_of_spec(message).at_offset(record.offset));
            }
        }
        if let Some((first, last)) = unused.first_key_value() {
            let message = format!("the free list calls bytes {first} to {last} free, which are not");
            faults.push(Error::out_of_spec(message).at_offset(header.free_offset));
        }
    }

    fn check_directories(&self, report: &mut FileReport, faults: &mut Vec<Error>) {
        let (begin, says) = (self.header().begin, self.top().offset);
        if says != begin {
            let message = format!("the root directory stands here and says that it is at {says}");
            faults.push(Error::out_of_spec(message).at_offset(begin));
        }
        let mut has_anchors = false;
        for listing in Directories::new(self) {
            match listing {
                Ok(listing) => {
                    report.keys += listing.keys.len() as u64;
                    has_anchors |= !listing.latest(|kind| kind == KeyKind::Ntuple).is_empty();
                    faults.extend(self.check_listing(&listing));
                }
                Err(error) => faults.push(error),
            }
        }
        match self.describes_anchors() {
            Ok(describes) => report.describes_anchors = describes || !has_anchors,
            // A build without the codec cannot tell.
            Err(error) if error.kind() == ErrorKind::FeatureDisabled => report.describes_anchors = true,
            Err(error) => faults.push(error),
        }
    }

    /// The first fault of a directory: one is enough to look into it.
    fn check_listing(&self, listing: &Listing) -> Option<Error> {
        let record = &listing.record;
        let fault = |message: String| Some(Error::out_of_spec(message).at_offset(record.offset));
        if let Some(list) = &listing.list
            && list.size != record.keys_size
        {
            let message =
                format!("a key list of {} bytes, the directory says {}", list.size, record.keys_size);
            return fault(message);
        }
        for key in &listing.keys {
            let found = match self.key_at(key.offset) {
                Ok(found) => found,
                Err(error) => return Some(error),
            };
            if !is_same(key, &found) {
                return fault(format!(
                    "{:?} is listed at {}, where {:?} stands",
                    key.name, key.offset, found.name
                ));
            }
        }
        None
    }

    /// Whether the streamer info describes the class of an anchor.
    fn describes_anchors(&self) -> Result<bool> {
        let at = self.header().info_offset;
        let fault = |message: &'static str| Err(Error::out_of_spec(message).at_offset(at));
        if at == 0 {
            return fault("the file has no streamer info");
        }
        let mut key = self.key_at(at)?;
        key.offset = at;
        if key.size != self.header().info_size {
            return fault("the header has another size for the streamer info");
        }
        let payload = self.object(&key, INFO_LIMIT)?;
        streamer_info::describes_anchor(&payload, key.key_size).map_err(|error| error.at_offset(at))
    }
}

/// Whether a key and its copy in a list are the same.
fn is_same(listed: &Key, found: &Key) -> bool {
    listed.offset == found.offset
        && listed.size == found.size
        && listed.key_size == found.key_size
        && listed.class == found.class
        && listed.name == found.name
        && listed.cycle == found.cycle
}
