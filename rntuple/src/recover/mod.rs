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
//! | clusters after the last checkpoint, or of an append that was never finished | yes, and the report says so |
//! | clusters whose page list is lost, as ROOT's is where a job died | with [`RecoverOptions::deduce`], where the pages fit in one way |
//! | an ntuple whose header is damaged | no: nothing else has the schema |
//! | attribute sets | those that are whole and linked, where no entries before are lost: they speak of entries by number |
//! | files from before version 1 of the format | no: their pages cannot be copied |
//! | other objects: trees, histograms | no |
//!
//! The damaged file is only read. The new file is there once it is complete, and is sound.

mod deduce;
mod pick;
mod report;
mod scan;
mod split;

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use report::{Loss, RecoveredNtuple, Recovery};

use crate::check::{FileRecords, Prover, prove_set, require_values};
use crate::dataset::{Assembled, Dataset, Envelopes, build_schema};
use crate::envelope::{Dialect, Footer, PageIndex, SchemaDescription};
use crate::error::{Error, ErrorKind, Result};
use crate::format_version::FormatVersion;
use crate::limits::Limits;
use crate::merge::{check_output, copy_into};
use crate::root::{Anchor, EnvelopeSpan, FileOptions};
use crate::schema::{
    ClusterDescriptor, ColumnId, LinkedAttributeSet, Locator, RANGE_LENGTH, RANGE_START, Schema, USER_DATA,
};
use crate::storage::{LocalFile, ReadAt, WriteAt};
use crate::writer::STATE;
use deduce::deduce;
use pick::{Description, Picked, pick};
use scan::{Found, FoundHeader};

/// What is looked at for each ntuple is some bytes for each record of the file: few bytes could claim many of both.
const MOST_NTUPLES: usize = 10_000;

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

/// Saves what can be proved whole of the file at `damaged` to a new file at `out`.
///
/// One page is in memory at a time, and all page lists of the file. With [`deduce`](RecoverOptions::deduce), one cluster.
///
/// # Errors
/// The file cannot be read at all, or nothing in it is an ntuple ([`NotFound`](ErrorKind::NotFound)); `out` is the same
/// file, or exists ([`RecoverOptions::overwrite`]), or cannot be written. There is then no new file.
pub fn recover_file(
    damaged: impl AsRef<Path>,
    out: impl AsRef<Path>,
    options: RecoverOptions,
) -> Result<Recovery> {
    let (damaged, out) = (damaged.as_ref(), out.as_ref());
    check_output(out, damaged, options.overwrite)?;
    let storage = LocalFile::open(damaged)
        .map_err(|error| Error::from(error).in_file(&damaged.display().to_string()))?;
    let (mut recovery, datasets) = look(Arc::new(storage), &options)?;
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
    let records = FileRecords::of(&found.file);
    let ntuples: Vec<_> = headers.into_iter().map(|header| Ntuple::new(&found, &records, header)).collect();
    let mut used = Vec::new();
    let mut saved: Vec<_> = ntuples.iter().map(|ntuple| ntuple.save_or_say_why(&[], &mut used)).collect();
    let mut unknown = found.unknown(&mut used);
    let mut not_deduced = Vec::new();
    if options.deduce {
        let deduced = deduce(&ntuples, &unknown);
        not_deduced = deduced.failures;
        for (number, clusters) in deduced.clusters {
            if let Some((ntuple, saved)) = ntuples.get(number).zip(saved.get_mut(number)) {
                *saved = ntuple.save_or_say_why(&clusters, &mut used);
            }
        }
        unknown = found.unknown(&mut used);
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

/// An ntuple of a damaged file.
struct Ntuple<'a> {
    found: &'a Found,
    records: &'a FileRecords,
    header: &'a FoundHeader,
    path: String,
    max_key_size: u64,
    footer: Option<&'a Footer>,
}

impl<'a> Ntuple<'a> {
    fn new(found: &'a Found, records: &'a FileRecords, header: &'a FoundHeader) -> Self {
        let anchors = found.anchors.get(&header.span.offset).map(Vec::as_slice).unwrap_or_default();
        let listed = anchors.iter().find(|(directory, _)| directory.is_some());
        let anchor = listed.or(anchors.last());
        let footers = found.footers.get(&header.checksum).map(Vec::as_slice).unwrap_or_default();
        let linked = |span: EnvelopeSpan| footers.iter().find(|(known, _)| known.offset == span.offset);
        let linked = anchor.and_then(|(_, anchor)| linked(anchor.footer));
        // Where no anchor leads to one, the last one that has clusters, or else the last that has later columns.
        let last = footers.iter().rev().find(|(_, footer)| !footer.cluster_groups.is_empty());
        let footer = linked.or(last).or(footers.last()).map(|(_, footer)| footer);
        // The header has a checksum, and the key that repeats its name has none.
        let name = &header.header.name;
        let path = match listed.and_then(|(directory, _)| directory.as_deref()) {
            Some(directory) if !directory.is_empty() => format!("{directory}/{name}"),
            _ => name.clone(),
        };
        let max_key_size = anchor.map_or(0, |(_, anchor)| anchor.max_key_size);
        let max_key_size = if max_key_size == 0 { Anchor::DEFAULT_MAX_KEY_SIZE } else { max_key_size };
        Self { found, records, header, path, max_key_size, footer }
    }

    /// What its footer and later records add to the header's schema.
    fn extension(&self) -> SchemaDescription {
        let footers = self.found.footers.get(&self.header.checksum).into_iter().flatten();
        let extensions =
            footers.map(|(_, footer)| &footer.extension).chain(self.footer.map(|footer| &footer.extension));
        // It only grows.
        extensions
            .max_by_key(|extension| extension.fields.len() + extension.columns.len())
            .cloned()
            .unwrap_or_default()
    }

    /// What is whole of it, or why nothing can be saved. `deduced` are clusters that no page list describes.
    fn save_or_say_why(
        &self,
        deduced: &[ClusterDescriptor],
        used: &mut Vec<u64>,
    ) -> (RecoveredNtuple, Option<Dataset>) {
        let path = self.path.clone();
        let mut report = RecoveredNtuple { path: path.clone(), ..RecoveredNtuple::default() };
        match self.save(deduced, &mut report, used) {
            Ok(dataset) => (report, Some(dataset)),
            Err(error) => {
                let error = Some(error.in_ntuple(&path).in_file(self.found.file.name()));
                (RecoveredNtuple { path, error, ..RecoveredNtuple::default() }, None)
            }
        }
    }

    fn schema(&self, extension: &SchemaDescription) -> Result<Schema> {
        let described = self.header.header.schema.clone();
        let limits = self.found.file.limits();
        build_schema(FormatVersion::V1, limits, described, extension.clone()).map(|(schema, _)| schema)
    }

    fn prover<'p>(&'p self, schema: &'p Schema) -> Result<Prover<'p>> {
        let header_columns = self.header.header.schema.columns.len();
        Prover::new(&self.found.file, self.records, schema, header_columns, self.max_key_size)
    }

    fn save(
        &self,
        deduced: &[ClusterDescriptor],
        report: &mut RecoveredNtuple,
        used: &mut Vec<u64>,
    ) -> Result<Dataset> {
        let (found, header) = (self.found, self.header);
        let mut extension = self.extension();
        let schema = self.schema(&extension)?;
        let mut prover = self.prover(&schema)?;
        let mut picked = pick(found, header, self.footer);
        picked.fill(deduced);
        report.counted = picked.counted;
        let clusters = self.prove(&picked, deduced, &mut prover, report, used);
        let mut described = header.header.clone();
        let all = described.schema.columns.iter_mut().chain(&mut extension.columns);
        for (id, column) in (0..).zip(all) {
            column.first_element = prover.first_element(ColumnId(id))?;
        }
        let mut parts = Assembled {
            path: self.path.clone(),
            header: described,
            header_checksum: header.checksum,
            span: header.span,
            max_key_size: self.max_key_size,
            extension,
            clusters,
            attribute_sets: self.footer.and_then(|footer| footer.attribute_sets.clone()).unwrap_or_default(),
        };
        drop(prover);
        let links = std::mem::take(&mut parts.attribute_sets);
        let mut dataset = Dataset::assemble(&found.file, parts)?;
        require_values(&Arc::new(dataset.clone()))?;
        let is_renumbered = report.lost.iter().any(|loss| loss.entries.start < report.entries);
        let is_short = report.entries < picked.counted.unwrap_or(0);
        // The state of a writer is for the one that resumes.
        let mut names = HashSet::new();
        for link in links.into_iter().filter(|link| link.name != STATE) {
            let whole = if !names.insert(link.anchor) {
                Err(Error::out_of_spec("another name of a set that is linked already"))
            } else if is_renumbered || is_short {
                Err(Error::unsupported("entries are lost, and its ranges speak of entries by their numbers"))
            } else {
                whole_set(&dataset, self.records, &link, report.entries, used)
            };
            match whole {
                Ok(()) => dataset = dataset.with_attribute_set(link),
                Err(error) => report.lost_sets.push((link.name, error)),
            }
        }
        Ok(dataset)
    }

    /// Looks at each cluster; returns those that are whole.
    fn prove(
        &self,
        picked: &Picked,
        deduced: &[ClusterDescriptor],
        prover: &mut Prover<'_>,
        report: &mut RecoveredNtuple,
        used: &mut Vec<u64>,
    ) -> Vec<ClusterDescriptor> {
        let mut lists = Lists::new(self.found);
        let mut clusters = Vec::new();
        let mut next = 0;
        for (id, (&first, candidate)) in (0..).zip(&picked.clusters) {
            if next < first {
                self.lose(next..first, missing(picked, &(next..first)), prover, report);
            }
            next = first + candidate.entry_count;
            let (cluster, is_deduced) = match candidate.description {
                Description::Listed(list, number) => (lists.cluster(list, number), false),
                Description::Deduced(number) => (deduced.get(number).cloned().ok_or_else(lost_cluster), true),
            };
            let proved = cluster.map_err(|error| vec![error]);
            match proved.and_then(|cluster| prover.prove(id, &cluster)) {
                Ok(proved) => {
                    let columns = proved.cluster.columns.iter();
                    used.extend(columns.flat_map(|column| &column.pages).filter_map(
                        |page| match page.locator {
                            Locator::File { offset, .. } => Some(offset),
                            Locator::Unknown { .. } => None,
                        },
                    ));
                    report.keep(first..next, is_deduced);
                    report.clusters += 1;
                    report.pages += proved.pages;
                    report.bytes += proved.bytes;
                    clusters.push(proved.cluster);
                }
                Err(faults) => self.lose(first..next, faults, prover, report),
            }
        }
        let end = picked.end();
        if next < end {
            self.lose(next..end, missing(picked, &(next..end)), prover, report);
        }
        clusters
    }

    fn lose(
        &self,
        entries: Range<u64>,
        faults: Vec<Error>,
        prover: &mut Prover<'_>,
        report: &mut RecoveredNtuple,
    ) {
        prover.lose(entries.clone());
        let place = |error: Error| error.in_ntuple(&self.path).in_file(self.found.file.name());
        report.lose(entries, faults.into_iter().map(place).collect());
    }
}

/// Why nothing describes the clusters of these entries.
fn missing(picked: &Picked, entries: &Range<u64>) -> Vec<Error> {
    let groups = picked.missing.iter();
    let lists = groups.filter(|(group, _)| group.start < entries.end && entries.start < group.end);
    let mut faults: Vec<Error> = lists
        .map(|(_, offset)| Error::out_of_spec("the page list of the entries is damaged").at_offset(*offset))
        .collect();
    if faults.is_empty() {
        faults.push(Error::out_of_spec("no whole page list describes the entries"));
    }
    faults
}

/// Whether every page of an attribute set is whole, and what it says is about entries of the ntuple, which has so many.
fn whole_set(
    dataset: &Dataset,
    records: &FileRecords,
    link: &LinkedAttributeSet,
    entries: u64,
    used: &mut Vec<u64>,
) -> Result<()> {
    let set = dataset.clone().with_attribute_set(link.clone()).attribute_set(&link.name)?;
    let schema: &Schema = set.schema();
    let header_columns = schema.columns().filter(|(_, column)| column.first_element.is_none()).count();
    let mut prover = Prover::new(set.file(), records, schema, header_columns, set.anchor().max_key_size)?;
    for (id, cluster) in (0..).zip(set.clusters()) {
        let proved = prover.prove(id, &*cluster?);
        let proved = proved.map_err(|faults| {
            faults.into_iter().next().unwrap_or_else(|| Error::out_of_spec("a cluster of it is damaged"))
        })?;
        let pages = proved.cluster.columns.iter().flat_map(|column| &column.pages);
        used.extend(pages.filter_map(|page| match page.locator {
            Locator::File { offset, .. } => Some(offset),
            Locator::Unknown { .. } => None,
        }));
    }
    prove_set(&Arc::new(set), link, entries)
}

/// Page lists, the last one of which is kept.
struct Lists<'a> {
    envelopes: Envelopes<'a>,
    dialect: Dialect,
    last: Option<(EnvelopeSpan, crate::bytes::Block, PageIndex)>,
}

impl<'a> Lists<'a> {
    fn new(found: &'a Found) -> Self {
        let dialect = Dialect::of(FormatVersion::V1).within(found.file.limits());
        Self { envelopes: Envelopes::new(&found.file, u64::MAX), dialect, last: None }
    }

    fn cluster(&mut self, span: EnvelopeSpan, number: usize) -> Result<ClusterDescriptor> {
        if self.last.as_ref().is_none_or(|(last, ..)| last.offset != span.offset) {
            let bytes = self.envelopes.load(span)?;
            let index = PageIndex::read(&bytes, self.dialect, Vec::new())?;
            self.last = Some((span, bytes, index));
        }
        let cluster = match &self.last {
            Some((_, bytes, index)) => index.cluster(bytes, number)?,
            None => None,
        };
        cluster.ok_or_else(|| lost_cluster().at_offset(span.offset))
    }
}

fn lost_cluster() -> Error {
    Error::out_of_spec("the page list has lost a cluster")
}
