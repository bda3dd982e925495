//! One ntuple of a damaged file: what of it is whole.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::pick::{Description, Picked, pick};
use super::report::RecoveredNtuple;
use super::scan::{Found, FoundHeader};
use super::tally::Tally;
use crate::check::{FileRecords, Prover, prove_set, require_values};
use crate::dataset::{Assembled, Dataset, Envelopes, build_schema};
use crate::envelope::{Dialect, Footer, PageIndex, SchemaDescription};
use crate::error::{Error, Result};
use crate::format_version::FormatVersion;
use crate::limits;
use crate::merge::require_copyable;
use crate::root::{Anchor, EnvelopeSpan};
use crate::schema::{ClusterDescriptor, ColumnId, LinkedAttributeSet, Locator, Schema};
use crate::statistics;
use crate::writer::STATE;

/// An ntuple of a damaged file.
pub(super) struct Ntuple<'a> {
    pub(super) found: &'a Found,
    records: &'a FileRecords,
    pub(super) header: &'a FoundHeader,
    pub(super) path: String,
    /// Whether a directory says the path. Otherwise it is the name alone.
    pub(super) is_listed: bool,
    max_key_size: u64,
    /// Whose columns and page lists are taken: first the one that the file leads to.
    footer: Option<&'a Footer>,
}

impl<'a> Ntuple<'a> {
    /// `taken` are the offsets of footers and page lists that ntuples before have.
    pub(super) fn new(
        found: &'a Found,
        records: &'a FileRecords,
        header: &'a FoundHeader,
        taken: &mut HashSet<u64>,
    ) -> Self {
        let anchors = found.anchors.get(&header.span.offset).map(Vec::as_slice).unwrap_or_default();
        let listed = anchors.iter().find(|(directory, _)| directory.is_some());
        let anchor = listed.or(anchors.last());
        let footers = found.footers.get(&header.checksum).map(Vec::as_slice).unwrap_or_default();
        let linked = |span: EnvelopeSpan| footers.iter().find(|(known, _)| known.offset == span.offset);
        let linked = anchor.and_then(|(_, anchor)| linked(anchor.footer));
        // Each ntuple has a footer of its own. Copies of a header take few bytes, and could claim the columns and the
        // clusters of one footer thousands of times.
        let linked = linked.filter(|(span, footer)| found.is_unique(header) || take(*span, footer, taken));
        // Where no anchor leads to one, the last one that has clusters, or else the last that has later columns. Of
        // ntuples with the very same header, it may be another one's.
        let last = footers.iter().rev().find(|(_, footer)| !footer.cluster_groups.is_empty());
        let last = last.or(footers.last()).filter(|_| found.is_unique(header));
        let footer = linked.or(last).map(|(_, footer)| footer);
        // The header has a checksum, and the key that repeats its name has none.
        let name = &header.header.name;
        let path = match listed.and_then(|(directory, _)| directory.as_deref()) {
            Some(directory) if !directory.is_empty() => format!("{directory}/{name}"),
            _ => name.clone(),
        };
        let max_key_size = anchor.map_or(0, |(_, anchor)| anchor.max_key_size);
        let max_key_size = if max_key_size == 0 { Anchor::DEFAULT_MAX_KEY_SIZE } else { max_key_size };
        Self { found, records, header, path, is_listed: listed.is_some(), max_key_size, footer }
    }

    /// What its footer adds to the header's schema.
    pub(super) fn extension(&self) -> SchemaDescription {
        self.footer.map(|footer| footer.extension.clone()).unwrap_or_default()
    }

    /// The footer with the most columns, if it has more than the present one: clusters may have them that were written
    /// after the last state that counts. Of such a state that adds columns to all clusters, some may be missing.
    fn with_more_columns(&self) -> Option<&'a Footer> {
        let size = |footer: &Footer| footer.extension.fields.len() + footer.extension.columns.len();
        if !self.found.is_unique(self.header) {
            return None;
        }
        let footers = self.found.footers.get(&self.header.checksum).into_iter().flatten();
        let largest = footers.map(|(_, footer)| footer).max_by_key(|footer| size(footer));
        largest.filter(|largest| size(largest) > self.footer.map_or(0, size))
    }

    /// What is whole of it with the footer with which more entries are.
    pub(super) fn save_most(&mut self, tally: &mut Tally) -> (RecoveredNtuple, Option<Dataset>) {
        let mut own = tally.begin();
        let mut saved = self.save_or_say_why(&[], &mut own);
        let is_whole = |report: &RecoveredNtuple| report.error.is_none() && report.lost.is_empty();
        if let Some(footer) = self.with_more_columns().filter(|_| !is_whole(&saved.0)) {
            let first = self.footer.replace(footer);
            let mut of_other = tally.begin();
            let other = self.save_or_say_why(&[], &mut of_other);
            if other.0.entries > saved.0.entries {
                (saved, own) = (other, of_other);
            } else {
                self.footer = first;
            }
        }
        tally.add(own);
        saved
    }

    /// What is whole of it, or why nothing can be saved. `deduced` are clusters that no page list describes.
    pub(super) fn save_or_say_why(
        &self,
        deduced: &[ClusterDescriptor],
        tally: &mut Tally,
    ) -> (RecoveredNtuple, Option<Dataset>) {
        let path = self.path.clone();
        let mut report = RecoveredNtuple { path: path.clone(), ..RecoveredNtuple::default() };
        match self.save(deduced, &mut report, tally) {
            Ok(dataset) => (report, Some(dataset)),
            Err(error) => {
                let error = Some(error.in_ntuple(&path).in_file(self.found.file.name()));
                (RecoveredNtuple { path, error, ..RecoveredNtuple::default() }, None)
            }
        }
    }

    pub(super) fn schema(&self, extension: &SchemaDescription) -> Result<Schema> {
        let described = self.header.header.schema.clone();
        let limits = self.found.file.limits();
        build_schema(FormatVersion::V1, limits, described, extension.clone()).map(|(schema, _)| schema)
    }

    pub(super) fn prover<'p>(&'p self, schema: &'p Schema) -> Result<Prover<'p>> {
        let header_columns = self.header.header.schema.columns.len();
        Prover::new(&self.found.file, self.records, schema, header_columns, self.max_key_size)
    }

    fn save(
        &self,
        deduced: &[ClusterDescriptor],
        report: &mut RecoveredNtuple,
        tally: &mut Tally,
    ) -> Result<Dataset> {
        let (found, header) = (self.found, self.header);
        let mut extension = self.extension();
        let schema = self.schema(&extension)?;
        let mut prover = self.prover(&schema)?;
        let mut picked = pick(found, header, self.footer);
        picked.fill(deduced);
        report.counted = picked.counted;
        let clusters = self.prove(&picked, deduced, &mut prover, report, tally);
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
        let without_sets = Dataset::assemble(&found.file, parts)?;
        require_values(&Arc::new(without_sets.clone()))?;
        // A field that cannot be copied loses this ntuple, and not the others of the file.
        require_copyable(&without_sets)?;
        let is_renumbered = report.lost.iter().any(|loss| loss.entries.start < report.entries);
        let is_short = report.entries < picked.counted.unwrap_or(0);
        let mut dataset = without_sets.clone();
        let (mut anchors, mut names) = (HashSet::new(), HashSet::new());
        let mut headers = HashSet::from([header.span.offset]);
        // The copy has one limit for the rows of all sets of an ntuple.
        let mut rows = found.file.limits().attribute_count.saturating_add(found.file.end());
        // The state of a writer is for the one that resumes, and statistics are about page lists that are replaced.
        for link in links.into_iter().filter(|link| link.name != STATE && link.name != statistics::NAME) {
            let whole = if !anchors.insert(link.anchor) {
                Err(Error::out_of_spec("another name of a set that is linked already"))
            } else if names.contains(&link.name) {
                Err(Error::out_of_spec("another set of this name is linked already"))
            } else if is_renumbered || is_short {
                Err(Error::unsupported("entries are lost, and its ranges speak of entries by their numbers"))
            } else {
                let (headers, used) = (&mut headers, &mut tally.pages);
                whole_set(&without_sets, self.records, &link, report.entries, headers, &mut rows, used)
            };
            match whole {
                Ok(()) => {
                    names.insert(link.name.clone());
                    dataset = dataset.with_attribute_set(link);
                }
                Err(error) => report.lost_sets.push((link.name, error)),
            }
        }
        Ok(dataset)
    }

    /// Looks at each cluster; returns those that are whole. After the entries that the file counts, these end with the
    /// first that is not: the next ones were left by a writer before the one whose clusters are lost there.
    fn prove(
        &self,
        picked: &Picked,
        deduced: &[ClusterDescriptor],
        prover: &mut Prover<'_>,
        report: &mut RecoveredNtuple,
        tally: &mut Tally,
    ) -> Vec<ClusterDescriptor> {
        let mut lists = Lists::new(self.found);
        let mut clusters = Vec::new();
        let mut next = 0;
        for (id, (&first, candidate)) in (0..).zip(&picked.clusters) {
            if next < first {
                self.lose(next..first, picked.missing_in(&(next..first)), prover, report, tally);
            }
            next = first + candidate.entry_count;
            let lost_to = report.lost.last().map_or(0, |loss| loss.entries.end);
            if picked.counted.is_some_and(|counted| lost_to > counted) {
                self.lose(first..next, (vec![left_over()], 0), prover, report, tally);
                continue;
            }
            let (cluster, is_deduced) = match candidate.description {
                Description::Listed(list, number) => (lists.cluster(list, number), false),
                Description::Deduced(number) => (deduced.get(number).cloned().ok_or_else(lost_cluster), true),
            };
            let proved = cluster.map_err(|error| vec![error]);
            match proved.and_then(|cluster| prover.prove(id, &cluster)) {
                Ok(proved) => {
                    let columns = proved.cluster.columns.iter();
                    let pages = columns.flat_map(|column| &column.pages);
                    tally.pages.extend(pages.filter_map(|page| offset_of(page.locator)));
                    report.keep(first..next, is_deduced);
                    report.clusters += 1;
                    report.pages += proved.pages;
                    report.bytes += proved.bytes;
                    clusters.push(proved.cluster);
                }
                Err(faults) => self.lose(first..next, (faults, 0), prover, report, tally),
            }
        }
        let end = picked.end();
        if next < end {
            self.lose(next..end, picked.missing_in(&(next..end)), prover, report, tally);
        }
        clusters
    }

    /// Notes that entries are lost, with the first faults and the number of the others.
    fn lose(
        &self,
        entries: Range<u64>,
        (faults, others): (Vec<Error>, u64),
        prover: &mut Prover<'_>,
        report: &mut RecoveredNtuple,
        tally: &mut Tally,
    ) {
        prover.lose(entries.clone());
        let place = |error: Error| error.in_ntuple(&self.path).in_file(self.found.file.name());
        report.lose(entries, faults.into_iter().map(place), others, &mut tally.faults);
    }
}

/// Takes a footer with its page lists, if no ntuple has any of them.
fn take(span: EnvelopeSpan, footer: &Footer, taken: &mut HashSet<u64>) -> bool {
    if !taken.insert(span.offset) {
        return false;
    }
    let lists = footer.cluster_groups.iter().filter_map(|group| offset_of(group.page_list));
    if lists.clone().any(|list| taken.contains(&list)) {
        return false;
    }
    taken.extend(lists);
    true
}

fn offset_of(locator: Locator) -> Option<u64> {
    match locator {
        Locator::File { offset, .. } => Some(offset),
        Locator::Unknown { .. } => None,
    }
}

/// Whether every page of an attribute set is whole, all ranges in it are of entries that the ntuple has, and it can be
/// copied. `headers` are those of the ntuple and of its other sets, and `rows` may still be copied.
fn whole_set(
    dataset: &Dataset,
    records: &FileRecords,
    link: &LinkedAttributeSet,
    entries: u64,
    headers: &mut HashSet<u64>,
    rows: &mut u64,
    used: &mut Vec<u64>,
) -> Result<()> {
    let set = dataset.linked_set(link, |anchor| match headers.insert(anchor.header.offset) {
        true => Ok(()),
        false => Err(Error::out_of_spec("it shares its header with another ntuple")),
    })?;
    let count = set.entry_count();
    let Some(left) = rows.checked_sub(count) else {
        return Err(limits::exceeded(format_args!("it has {count} rows"), *rows, "attribute_count"));
    };
    require_copyable(&set)?;
    let schema: &Schema = set.schema();
    let header_columns = schema.columns().filter(|(_, column)| column.first_element.is_none()).count();
    let mut prover = Prover::new(set.file(), records, schema, header_columns, set.anchor().max_key_size)?;
    for (id, cluster) in (0..).zip(set.clusters()) {
        let proved = prover.prove(id, &*cluster?);
        let proved = proved.map_err(|faults| {
            faults.into_iter().next().unwrap_or_else(|| Error::out_of_spec("a cluster of it is damaged"))
        })?;
        let pages = proved.cluster.columns.iter().flat_map(|column| &column.pages);
        used.extend(pages.filter_map(|page| offset_of(page.locator)));
    }
    prove_set(&Arc::new(set), link, entries)?;
    *rows = left;
    Ok(())
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

fn left_over() -> Error {
    Error::out_of_spec(
        "the file does not count the entries, and lacks some before them: they may be of another writer",
    )
}

fn lost_cluster() -> Error {
    Error::out_of_spec("the page list has lost a cluster")
}
