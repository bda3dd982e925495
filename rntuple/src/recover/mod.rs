//! What is left of a damaged file becomes a sound one.
//!
//! This module needs the Cargo feature `recover`.
//!
//! For files of a writer that was killed, that are cut short, or that a medium has damaged. A cluster is saved if it can
//! be proved whole: a page list with the checksum of its header describes it, and each of its pages has the right
//! checksum and content. Where the page list of a file is lost, there are mostly others: a writer notes where the pages
//! of each large cluster are, at the end of the cluster, and each checkpoint has a list of all. Nothing is guessed,
//! and deduced only if this is asked for. What is not saved is in the report, by entries and fields.
//!
//! ```
//! use rntuple::recover::{RecoverOptions, recover_file};
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Event { number: u64 }
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name);
//! let mut writer = Writer::<Event>::create(path("events.root"), "Events", WriteOptions::new())?;
//! for number in 0..250 {
//!     writer.fill(&Event { number })?;
//!     if number % 100 == 99 {
//!         writer.commit_cluster()?;
//!     }
//! }
//! writer.finish()?;
//! // A sector of the medium is lost: a page of the second cluster was in it.
//! # let mut bytes = std::fs::read(path("events.root"))?;
//! # let file = rntuple::RootFile::open(path("events.root"))?;
//! # let cluster = rntuple::Dataset::open(&file, "Events")?.cluster(1)?;
//! # let rntuple::schema::Locator::File { offset, .. } = cluster.columns[0].pages[0].locator else { panic!() };
//! # bytes[offset as usize] ^= 1;
//! # std::fs::write(path("events.root"), bytes)?;
//!
//! let recovery = recover_file(path("events.root"), path("saved.root"), RecoverOptions::new())?;
//! let events = &recovery.ntuples[0];
//! assert_eq!((events.entries, &events.saved[..]), (150, &[0..100, 200..250][..]));
//! assert_eq!(events.lost[0].entries, 100..200);
//! assert_eq!(events.lost[0].faults[0].location().field.as_deref(), Some("number"));
//! assert_eq!(Reader::<Event>::open(path("saved.root"), "Events")?.get(100)?.number, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is saved
//!
//! | of the damaged file | is in the new one |
//! | --- | --- |
//! | whole clusters | byte for byte as they were, one after the other: entries after a loss have lower numbers |
//! | a cluster with a damaged page | not at all: the other fields of its entries would have no value for this one |
//! | entries that a writer had not written yet, when it was killed | no: they were in its memory |
//! | clusters after the last checkpoint, or of an append that was never finished | yes, up to the first that is not whole, and the report says so |
//! | clusters whose page list is lost, as ROOT's is where a job died | with [`RecoverOptions::deduce`], where the pages fit in one way |
//! | ntuples of one name, such as `mc/Events` and `data/Events`, whose directories are lost | yes, as `Events` and `Events_2` |
//! | an ntuple whose name no writer takes, such as `my tuple` | yes, as `my_tuple` |
//! | an ntuple with a field of a later version of the format | no, and the report says so: it cannot be copied |
//! | an ntuple whose header is damaged | no: nothing else has the schema |
//! | attribute sets | those that are whole and linked, where no entries before are lost: they speak of entries by number |
//! | files from before version 1 of the format | no: their pages cannot be copied |
//! | other objects: trees, histograms | no |
//!
//! The damaged file is only read. The new file is there once it is complete, and is sound.

mod chunks;
mod deduce;
mod ntuple;
mod paths;
mod pick;
mod report;
mod scan;
mod split;
mod tally;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

pub use report::{Loss, RecoveredNtuple, Recovery};

use crate::check::FileRecords;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::merge::{check_output, copy_into};
use crate::root::{Anchor, FileOptions};
use crate::schema::{LinkedAttributeSet, Locator, RANGE_LENGTH, RANGE_START, USER_DATA};
use crate::storage::{Cache, ReadAt, WriteAt, open, shown};
use deduce::deduce;
use ntuple::Ntuple;
use paths::tell_apart;
use scan::{Found, FoundHeader};
use tally::Tally;

/// What is looked at for each ntuple is some bytes for each record of the file: few bytes could claim many of both.
const MOST_NTUPLES: usize = 10_000;

/// Memory for what was read of a file at a URL, in bytes.
const FAR_MEMORY: u64 = 64 << 20;

/// How a file is recovered.
///
/// ```
/// use rntuple::recover::RecoverOptions;
/// let options = RecoverOptions::new().overwrite(true);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RecoverOptions {
    overwrite: bool,
    deduce: bool,
    limits: Limits,
}

impl RecoverOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether a file that exists is replaced, once the new one is complete. Default: `false`, it is refused.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Says whether clusters that no page list describes are saved if there is just one way in which their pages, in the
    /// order of the columns, can be the columns of some number of entries. Default: `false`, they are lost.
    ///
    /// ROOT writes page lists when it closes a file, so of a ROOT job that died nothing else can be saved. It leaves out
    /// pages that are equal to earlier ones of the cluster: where that has happened, mostly no way is found. Pages of
    /// elements that are no whole bytes are taken to be full, but for the last one of a column. What was saved so is in
    /// the report ([`RecoveredNtuple::deduced`]).
    pub fn deduce(mut self, deduce: bool) -> Self {
        self.deduce = deduce;
        self
    }

    /// Sets how much the damaged file may take while it is read. Default: the defaults of [`Limits`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Saves what can be proved whole of the file at `damaged` to a new file at `out`; both may be URLs.
///
/// One page is in memory at a time, and all page lists of the file. With [`deduce`](RecoverOptions::deduce), one cluster.
///
/// # Errors
/// The file cannot be read at all, or nothing in it is an ntuple ([`NotFound`](ErrorKind::NotFound)); `out` is the same file, or exists ([`RecoverOptions::overwrite`]), or cannot be written. There is then no new file.
pub fn recover_file(
    damaged: impl AsRef<Path>,
    out: impl AsRef<Path>,
    options: RecoverOptions,
) -> Result<Recovery> {
    let (damaged, out) = (damaged.as_ref(), out.as_ref());
    check_output(out, damaged, options.overwrite)?;
    let storage = open(damaged).map_err(|error| Error::from(error).in_file(&shown(damaged)))?;
    // It is read record by record, most of which are short.
    let storage = if storage.is_remote() { Cache::new(FAR_MEMORY).wrap(storage) } else { storage };
    let (mut recovery, datasets) = look(storage, &options)?;
    let storage = FileOptions::new().create(out, !options.overwrite)?;
    recovery.file_size = copy_into(&datasets, storage, FileOptions::new())?.0;
    Ok(recovery)
}

/// As [`recover_file`], from and to any storage. Returns the storage that was written.
///
/// # Errors
/// As [`recover_file`], but for what is about files.
pub fn recover_into<W: WriteAt>(
    damaged: impl ReadAt + 'static,
    storage: W,
    options: RecoverOptions,
) -> Result<(Recovery, W)> {
    let (mut recovery, datasets) = look(Arc::new(damaged), &options)?;
    let (size, storage) = copy_into(&datasets, storage, FileOptions::new())?;
    recovery.file_size = size;
    Ok((recovery, storage))
}

/// Finds out what is whole; writes nothing.
fn look(storage: Arc<dyn ReadAt>, options: &RecoverOptions) -> Result<(Recovery, Vec<Dataset>)> {
    let found = Found::of(&storage, options.limits);
    let file = storage.name().to_owned();
    let sets = set_headers(&found);
    let is_set = |header: &FoundHeader| sets.contains(&header.span.offset) || is_attribute_set(header);
    let headers: Vec<&FoundHeader> = found.headers.iter().filter(|header| !is_set(header)).collect();
    if headers.len() > MOST_NTUPLES {
        return Err(Error::limit(format!("over {MOST_NTUPLES} ntuples in one file")).in_file(&file));
    }
    let records = FileRecords::new(found.blobs.iter().cloned());
    let mut taken = HashSet::new();
    let mut ntuples: Vec<_> =
        headers.into_iter().map(|header| Ntuple::new(&found, &records, header, &mut taken)).collect();
    tell_apart(&mut ntuples);
    let mut tally = Tally::default();
    let mut saved: Vec<_> = ntuples.iter_mut().map(|ntuple| ntuple.save_most(&mut tally)).collect();
    let mut unknown = found.unknown(&mut tally.pages);
    let mut not_deduced = Vec::new();
    if options.deduce {
        let deduced = deduce(&ntuples, &unknown);
        not_deduced = deduced.failures;
        for (number, clusters) in deduced.clusters {
            if let Some((ntuple, saved)) = ntuples.get(number).zip(saved.get_mut(number)) {
                *saved = ntuple.save_or_say_why(&clusters, &mut tally);
            }
        }
        unknown = found.unknown(&mut tally.pages);
    }
    let mut recovery = Recovery {
        unknown_bytes: unknown.iter().map(|data| data.payload.end - data.payload.start).sum(),
        unknown_records: unknown.len() as u64,
        not_deduced: not_deduced.into_iter().map(|error| error.in_file(&file)).collect(),
        file,
        ..Recovery::default()
    };
    let mut datasets = Vec::new();
    for (ntuple, dataset) in saved {
        recovery.ntuples.push(ntuple);
        datasets.extend(dataset);
    }
    if datasets.is_empty() {
        let error = recovery.ntuples.pop().and_then(|ntuple| ntuple.error);
        return Err(error.unwrap_or_else(|| nothing(&found).in_file(&recovery.file)));
    }
    Ok((recovery, datasets))
}

fn nothing(found: &Found) -> Error {
    let is_old = found.anchors.values().flatten().any(|(_, anchor)| anchor.format_version.is_pre_release());
    if is_old {
        return Error::unsupported(
            "the ntuples are from before version 1 of the format: they cannot be recovered",
        );
    }
    let message = match found.is_limited {
        true => "no header of an ntuple is within the limits",
        false => "there is no whole header of an ntuple, which has the schema: nothing can be recovered",
    };
    Error::new(ErrorKind::NotFound, message)
}

/// Offsets of the headers of attribute sets that a footer links.
fn set_headers(found: &Found) -> HashSet<u64> {
    let footers = found.footers.values().flatten();
    let links = footers.flat_map(|(_, footer)| footer.attribute_sets.iter().flatten());
    links.filter_map(|link| anchor_of(found, link)).map(|anchor| anchor.header.offset).collect()
}

fn anchor_of(found: &Found, link: &LinkedAttributeSet) -> Option<Anchor> {
    let Locator::File { offset, size } = link.anchor else { return None };
    found.file.anchor_at(offset, size, link.anchor_length.into()).ok()
}

/// Whether a header has the fields of an attribute set (format, section 8).
fn is_attribute_set(header: &FoundHeader) -> bool {
    let fields = header.header.schema.fields.iter().filter(|field| field.parent.is_none());
    fields.map(|field| &*field.name).eq([RANGE_START, RANGE_LENGTH, USER_DATA])
}
