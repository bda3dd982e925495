//! One ntuple: its envelopes, its schema, its groups of clusters.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::claims::Claims;
use super::cluster::{Clusters, Columns, Tools};
use super::findings::{Findings, shorten};
use super::layout::Layout;
use super::page::Pages;
use super::progress::{Progress, ProgressCallback};
use super::report::{NoteKind, NtupleReport, Report};
use super::values::require_values;
use super::{attributes, schema};
use crate::bytes::Block;
use crate::dataset::{Dataset, Envelopes, build_schema};
use crate::envelope::{ClusterSummary, Dialect, Footer, Header, PageList};
use crate::error::{Error, ErrorKind, Result};
use crate::root::{Anchor, EnvelopeSpan, FileKey, RootFile};
use crate::schema::{ClusterGroup, LinkedAttributeSet, Locator, Schema};

/// Envelopes of all ntuples together may be longer in memory than the file by this, and by this many times:
/// what compresses better was made to do harm.
const ENVELOPE_FLOOR: u64 = 64 << 20;
const ENVELOPE_RATIO: u64 = 64;

/// What is checked.
pub(super) struct Subject {
    path: String,
    /// The name that the header should repeat.
    name: Option<String>,
    /// Offset of the record that a directory lists.
    record: Option<u64>,
    set: Option<SetOf>,
}

/// What an attribute set belongs to.
struct SetOf {
    /// Minor version of the set's schema.
    minor: u16,
    /// Entries of the ntuple, where they are known.
    entries: Option<u64>,
}

impl Subject {
    pub(super) fn of_key(key: &FileKey) -> Self {
        Self { path: key.path(), name: Some(key.name.clone()), record: Some(key.offset), set: None }
    }
}

/// A greatest key of 0 bytes, as uproot writes it, means that nothing is cut.
pub(super) fn uncut(mut anchor: Anchor) -> Anchor {
    if anchor.max_key_size == 0 {
        anchor.max_key_size = u64::MAX;
    }
    anchor
}

/// An ntuple that was checked.
struct Known {
    path: String,
    is_set: bool,
}

/// What header and footer say, as far as they could be read.
struct Described {
    schema: Option<Schema>,
    header_columns: usize,
    /// `None`: the header is damaged.
    header_checksum: Option<u64>,
    footer: Footer,
}

/// Checks the ntuples of one file.
pub(super) struct Checker<'f, 'p> {
    pub(super) file: &'f RootFile,
    pub(super) claims: Claims,
    pub(super) findings: Findings,
    progress: Option<ProgressCallback<'p>>,
    pages: Pages<'f>,
    ntuples: Vec<NtupleReport>,
    /// Header and footer of the ntuples so far, and which they belong to.
    known: HashMap<(EnvelopeSpan, EnvelopeSpan), Known>,
    /// Offsets of the records that hold their anchors, as far as directories list them.
    pub(super) records: HashSet<u64>,
    /// The headers of all ntuples: by checksum, how many fields they have.
    pub(super) headers: HashMap<u64, u32>,
    /// Bytes of envelopes that may still be loaded.
    pub(super) budget: u64,
    /// Whether all that leads to bytes of the file could be read.
    pub(super) is_complete: bool,
    /// Bytes that nothing refers to.
    pub(super) unreferenced: u64,
    /// Ranges of attribute sets that may still be looked at.
    ranges: u64,
    /// Pages and bytes of the ntuples before.
    pages_before: u64,
    bytes_before: u64,
}

impl<'f, 'p> Checker<'f, 'p> {
    pub(super) fn new(
        file: &'f RootFile,
        claims: Claims,
        findings: Findings,
        progress: Option<ProgressCallback<'p>>,
    ) -> Self {
        let is_complete = claims.is_complete();
        Self {
            file,
            claims,
            findings,
            progress,
            pages: Pages::new(file),
            ntuples: Vec::new(),
            known: HashMap::new(),
            records: HashSet::new(),
            headers: HashMap::new(),
            budget: (file.end().saturating_mul(ENVELOPE_RATIO).saturating_add(ENVELOPE_FLOOR))
                .max(file.limits().envelopes_of(file.end())),
            is_complete,
            unreferenced: 0,
            ranges: attributes::MOST_RANGES.saturating_add(file.end()),
            pages_before: 0,
            bytes_before: 0,
        }
    }

    pub(super) fn finish(self) -> Report {
        let verdict = self.findings.verdict();
        let (faults, faults_left_out) = self.findings.faults.into_parts();
        let (notes, notes_left_out) = self.findings.notes.into_parts();
        Report {
            file: self.file.name().to_owned(),
            verdict,
            ntuples: self.ntuples,
            faults,
            faults_left_out,
            notes,
            notes_left_out,
            unreferenced_bytes: self.unreferenced,
            ..Report::default()
        }
    }

    /// Checks one ntuple, and its attribute sets.
    pub(super) fn check(&mut self, subject: &Subject, anchor: Result<Anchor>) {
        self.findings.enter(&subject.path);
        self.records.extend(subject.record);
        let mut report = NtupleReport { path: subject.path.clone(), ..NtupleReport::default() };
        let mut sets = Vec::new();
        let faults_before = self.findings.faults.count();
        match anchor {
            Err(error) => {
                self.is_complete = false;
                self.findings.add(error);
            }
            Ok(anchor) => {
                let anchor = uncut(anchor);
                report.format_version = Some(anchor.format_version);
                let ends = (anchor.header, anchor.footer);
                let is_set = subject.set.is_some();
                if let Some(other) = self.known.get(&ends) {
                    let path = &other.path;
                    if other.is_set == is_set {
                        let message = format!("the same ntuple as {path}, which was checked");
                        self.findings.note(NoteKind::Remark, || Error::unsupported(message));
                    } else {
                        // Its fields cannot suit both.
                        let message = format!("an attribute set, and the ntuple {path} as well");
                        self.findings.fault(|| Error::out_of_spec(message));
                    }
                } else {
                    self.known.insert(ends, Known { path: shorten(subject.path.clone()), is_set });
                    sets = self.check_anchored(subject, &anchor, &mut report).unwrap_or_default();
                }
            }
        }
        self.pages_before = self.pages_before.saturating_add(report.pages);
        self.bytes_before = self.bytes_before.saturating_add(report.bytes);
        let entries = (self.findings.faults.count() == faults_before).then_some(report.entries);
        self.ntuples.push(report);
        attributes::check_names(&sets, &mut self.findings);
        for set in sets {
            self.check_attribute_set(subject, entries, &set);
        }
    }

    /// Checks what the anchor leads to; returns the attribute sets, or `None` where the rest is out of reach.
    fn check_anchored(
        &mut self,
        subject: &Subject,
        anchor: &Anchor,
        report: &mut NtupleReport,
    ) -> Option<Vec<LinkedAttributeSet>> {
        let (faults_before, notes_before) = (self.findings.faults.count(), self.findings.notes.count());
        let mut envelopes = Envelopes::new(self.file, anchor.max_key_size);
        let Some(mut described) = self.describe(subject, anchor, &mut envelopes) else {
            self.is_complete = false;
            return None;
        };
        report.is_checked = described.schema.is_some();
        let layout = described.schema.as_ref().map(|schema| {
            schema::check(schema, described.header_columns, &mut |error| self.findings.add(error));
            schema::check_type_info(schema, &mut |error| self.findings.add(error));
            for hidden in schema.hidden() {
                let reason = shorten(hidden.reason.clone());
                let path = schema::path(schema, hidden.field);
                self.findings.note(NoteKind::Unchecked, || Error::unsupported(reason).in_field(path));
            }
            Layout::new(schema, &mut |error| self.findings.add(error))
        });
        let columns = described.schema.as_ref().zip(layout.as_ref()).map(|(schema, layout)| Columns {
            schema,
            layout,
            in_header: described.header_columns,
        });
        let summaries = std::mem::take(&mut described.footer.summaries);
        self.check_groups(&described, summaries, anchor, columns.as_ref(), &mut envelopes, report);

        // Readers know some rules of their own: what is sound here must be so for them.
        if self.findings.faults.count() == faults_before {
            let dataset = Dataset::read(self.file, &subject.path, anchor.clone());
            let dataset = dataset.and_then(|dataset| {
                dataset.groups().try_for_each(|group| group.map(drop))?;
                let dataset = Arc::new(dataset);
                require_values(&dataset)?;
                Ok(dataset)
            });
            match (dataset, &subject.set) {
                (Ok(set), Some(SetOf { minor, entries })) => {
                    let ranges = &mut self.ranges;
                    attributes::check_set(&set, *minor, *entries, ranges, &mut self.findings);
                }
                (Err(error), _)
                    if error.kind() == ErrorKind::OutOfSpec
                        || self.findings.notes.count() == notes_before =>
                {
                    self.findings.add(error);
                }
                _ => {}
            }
        }
        let sets = described.footer.attribute_sets.unwrap_or_default();
        if subject.set.is_some() && !sets.is_empty() {
            self.findings.fault(|| Error::out_of_spec("an attribute set that has attribute sets"));
            return None;
        }
        Some(sets)
    }

    /// Loads an envelope whose bytes nothing else uses.
    fn load(
        &mut self,
        span: EnvelopeSpan,
        max_key_size: u64,
        envelopes: &mut Envelopes<'_>,
    ) -> Result<Block> {
        let at = |error: Error| error.at_offset(span.offset);
        // Of a payload in several blobs only the first one stands here.
        let range = span.offset..span.offset.saturating_add(span.size.min(max_key_size));
        self.claims.envelope(&range).map_err(at)?;
        if range.end <= self.file.end()
            && let Err(error) = self.claims.check_blob(&range)
        {
            self.findings.add(at(error));
        }
        for piece in self.file.pieces(span.offset, span.size, max_key_size)?.iter().skip(1) {
            self.claims.envelope(piece).map_err(at)?;
        }
        self.spend(span.length).map_err(at)?;
        envelopes.load(span)
    }

    /// Takes `length` bytes of envelopes from the budget.
    pub(super) fn spend(&mut self, length: u64) -> Result<()> {
        match self.budget.checked_sub(length) {
            Some(budget) => self.budget = budget,
            None => {
                let message = format!("an envelope of {length} bytes, too long for this file");
                return Err(Error::limit(message));
            }
        }
        Ok(())
    }

    /// Whether the ntuple that the anchor leads to was checked.
    pub(super) fn is_known(&self, anchor: &Anchor) -> bool {
        self.known.contains_key(&(anchor.header, anchor.footer))
    }

    /// Header, footer and what they say together. Where the header is damaged, the footer still leads to
    /// the pages.
    fn describe(
        &mut self,
        subject: &Subject,
        anchor: &Anchor,
        envelopes: &mut Envelopes<'_>,
    ) -> Option<Described> {
        let at = |offset: u64| move |error: Error| error.at_offset(offset);
        let dialect = Dialect::of(anchor.format_version).within(self.file.limits());
        let (header_at, footer_at) = (anchor.header.offset, anchor.footer.offset);
        let header = self.load(anchor.header, anchor.max_key_size, envelopes);
        let header = header.and_then(|bytes| Header::read(&bytes, dialect).map_err(at(header_at)));
        let header = header.map_err(|error| self.findings.add(error)).ok();
        if let (Some((header, _)), Some(name)) = (&header, &subject.name)
            && header.name != *name
        {
            let message = format!("its header calls it {:?}", shorten(header.name.clone()));
            self.findings.fault(|| Error::out_of_spec(message).at_offset(header_at));
        }
        let field_count = header.as_ref().map(|(header, _)| header.schema.fields.len());
        let first_field = field_count.and_then(|count| u32::try_from(count).ok());
        let footer = self.load(anchor.footer, anchor.max_key_size, envelopes).and_then(|bytes| {
            Footer::verify(&bytes, dialect)?;
            Footer::read(&bytes, dialect, first_field.unwrap_or(0))
        });
        let mut footer = match footer.map_err(at(footer_at)) {
            Ok(footer) => footer,
            Err(error) => {
                self.findings.add(error);
                return None;
            }
        };
        let Some((header, header_checksum)) = header else {
            return Some(Described { schema: None, header_columns: 0, header_checksum: None, footer });
        };
        self.headers.insert(header_checksum, first_field.unwrap_or(0));
        if footer.header_checksum != header_checksum {
            let message = "the footer belongs to another header";
            self.findings.fault(|| Error::out_of_spec(message).at_offset(footer_at));
        }
        let header_columns = header.schema.columns.len();
        let extension = std::mem::take(&mut footer.extension);
        let schema = build_schema(anchor.format_version, self.file.limits(), header.schema, extension)
            .map(|(schema, _)| schema);
        let schema = schema.map_err(|error| self.findings.add(error)).ok();
        Some(Described { schema, header_columns, header_checksum: Some(header_checksum), footer })
    }

    /// Every group, cluster by cluster.
    fn check_groups(
        &mut self,
        described: &Described,
        summaries: Vec<Vec<ClusterSummary>>,
        anchor: &Anchor,
        columns: Option<&Columns<'_>>,
        envelopes: &mut Envelopes<'_>,
        report: &mut NtupleReport,
    ) {
        let mut clusters = Clusters::new(columns);
        let groups = &described.footer.cluster_groups;
        let last = groups.iter().rev().find(|group| !group.is_empty());
        let entry_count = last.map_or(0, |group| group.first_entry.saturating_add(group.entry_count));
        let (mut next_entry, mut next_cluster) = (0, 0u64);
        let mut summaries = summaries.into_iter();
        for (number, group) in groups.iter().enumerate() {
            let first_entry = if group.is_empty() { next_entry } else { group.first_entry };
            if first_entry != next_entry {
                self.findings.fault(|| {
                    let message =
                        format!("group {number} begins with entry {first_entry}, {next_entry} is the next");
                    Error::out_of_spec(message)
                });
            }
            let end = first_entry.saturating_add(group.entry_count);
            let summaries = summaries.next().unwrap_or_default();
            let list = self.page_list(group, summaries, anchor, described.header_checksum, envelopes);
            let mut list = match list {
                Ok(list) => list,
                Err(error) => {
                    self.is_complete = false;
                    self.findings.add(error);
                    clusters.lose(end);
                    (next_entry, next_cluster) =
                        (end, next_cluster.saturating_add(group.cluster_count.into()));
                    continue;
                }
            };
            let mut next_in_group = first_entry;
            for cluster in std::mem::take(&mut list.clusters) {
                let (id, first) = (next_cluster, cluster.first_entry);
                next_cluster = next_cluster.saturating_add(1);
                if first != next_in_group {
                    let message = format!("begins with entry {first}, {next_in_group} is the next");
                    self.findings.fault(|| Error::out_of_spec(message).in_cluster(id));
                }
                next_in_group = first.saturating_add(cluster.entry_count);
                let (pages_before, bytes_before) = (self.pages_before, self.bytes_before);
                let mut after = |clusters: &Clusters, column: usize| {
                    let Some(progress) = &mut self.progress else { return };
                    let part = (u128::from(cluster.entry_count) * (column as u128 + 1))
                        .checked_div(cluster.columns.len() as u128);
                    let part = part.and_then(|part| u64::try_from(part).ok()).unwrap_or(0);
                    progress(&Progress {
                        ntuple: &report.path,
                        entries: first.saturating_add(part).min(entry_count),
                        entry_count,
                        pages: pages_before.saturating_add(clusters.pages),
                        bytes: bytes_before.saturating_add(clusters.bytes),
                    });
                };
                let mut tools = Tools {
                    pages: &mut self.pages,
                    claims: &mut self.claims,
                    findings: &mut self.findings,
                    max_key_size: anchor.max_key_size,
                };
                clusters.check(id, &cluster, columns, &mut tools, &mut after);
                report.clusters = report.clusters.saturating_add(1);
                report.entries = report.entries.saturating_add(cluster.entry_count);
            }
            if next_in_group != end {
                self.findings.fault(|| {
                    let message =
                        format!("group {number} ends with entry {end}, its clusters with {next_in_group}");
                    Error::out_of_spec(message)
                });
            }
            next_entry = end;
        }
        if let Some(columns) = columns {
            clusters.finish(next_entry, columns, &mut self.findings);
        }
        (report.pages, report.unchecked_pages) = (clusters.pages, clusters.unchecked_pages);
        report.bytes = clusters.bytes;
    }

    /// The page list of one group.
    fn page_list(
        &mut self,
        group: &ClusterGroup,
        summaries: Vec<ClusterSummary>,
        anchor: &Anchor,
        header_checksum: Option<u64>,
        envelopes: &mut Envelopes<'_>,
    ) -> Result<PageList> {
        let Locator::File { offset, size } = group.page_list else {
            return Err(Error::unsupported("a page list outside the file"));
        };
        let at = |error: Error| error.at_offset(offset);
        let span = EnvelopeSpan { offset, size, length: group.page_list_length };
        let bytes = self.load(span, anchor.max_key_size, envelopes)?;
        let dialect = Dialect::of(anchor.format_version).within(self.file.limits());
        let list = PageList::read(&bytes, dialect, summaries).map_err(at)?;
        if dialect.page_lists_name_header()
            && header_checksum.is_some_and(|checksum| checksum != list.header_checksum)
        {
            self.findings.fault(|| at(Error::out_of_spec("the page list belongs to another header")));
        }
        if list.clusters.len() as u64 != u64::from(group.cluster_count) {
            let (found, wanted) = (list.clusters.len(), group.cluster_count);
            let message = format!("a page list of {found} clusters in a group of {wanted}");
            self.findings.fault(|| at(Error::out_of_spec(message)));
        }
        Ok(list)
    }

    /// An attribute set is an ntuple like others, found through the one it belongs to (format, section 8).
    fn check_attribute_set(&mut self, owner: &Subject, entries: Option<u64>, set: &LinkedAttributeSet) {
        let path = format!("{}, attribute set {}", owner.path, shorten(set.name.clone()));
        let anchor = set.require_known_version().and_then(|()| match set.anchor {
            Locator::File { offset, size } => self.file.anchor_at(offset, size, set.anchor_length.into()),
            Locator::Unknown { .. } => Err(Error::unsupported("an anchor outside the file")),
        });
        let of = SetOf { minor: set.version.1, entries };
        self.check(&Subject { path, name: None, record: None, set: Some(of) }, anchor);
    }
}
