//! One input after the other into the merged ntuple.

use std::sync::Arc;

use super::input::Input;
use super::layout::Layout;
use super::mapping::{Mapped, Pages, Part, map};
use super::options::{MergeOptions, Progress, ProgressCallback, Summary};
use super::pages::{Codecs, Copier, Page, Wanted};
use super::ranges::{Change, Ranges};
use super::sets::{PlannedSet, Sets};
use super::tree::Tree;
use super::zeros::{self, Zeros};
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::compression::{Algorithm, Compression};
use crate::dataset::Dataset;
use crate::envelope::SchemaDescription;
use crate::error::{Error, ErrorKind, Result};
use crate::message::counted;
use crate::reader::EntryList;
use crate::root::{Anchor, FileWriter};
use crate::schema::{
    ClusterDescriptor, ColumnRange, LinkedAttributeSet, Locator, PageLocation, RANGE_LENGTH, RANGE_START,
};
use crate::storage::WriteAt;

/// A page list ends when it says something of so many columns of clusters and pages: some 200 MiB in memory. Few bytes of
/// an input can claim many clusters, each of which has all columns of the merged ntuple, and many pages of zeros.
const MOST_RANGES: usize = 1 << 22;

/// What is decided before anything is written.
#[derive(Debug)]
pub(super) struct Plan {
    main: Layout,
    sets: Vec<PlannedSet>,
    /// Where the merged ntuple will stand.
    path: String,
    entry_count: u64,
    /// What each input was.
    fingerprints: Vec<u64>,
}

impl Plan {
    /// Looks at the schemas of all inputs.
    pub(super) fn new(inputs: &[Input], options: &MergeOptions<'_>) -> Result<Self> {
        if let Some(settings) = options.compression {
            settings.require()?;
        }
        let (mut tree, mut sets) = (Tree::default(), Sets::default());
        let mut first = None;
        let (mut entry_count, mut end) = (0u64, 0u64);
        let mut fingerprints = Vec::with_capacity(inputs.len());
        for input in inputs {
            let dataset = input.opened(options.limits)?;
            fingerprints.push(dataset.fingerprint());
            let joined = tree.join(&dataset, options.schema, options.strict_encoding);
            let (of_sets, left) = input.sets(&dataset)?;
            let joined = joined.and_then(|()| sets.join(of_sets, options));
            joined.map_err(|error| place(error, &dataset))?;
            end = end.max(entry_count.saturating_add(left.map_or(0, EntryList::entry_count)));
            entry_count = entry_count.saturating_add(dataset.entry_count());
            if first.is_none() {
                first = Some((dataset.path().to_owned(), dataset.description().to_owned()));
            }
        }
        if end > entry_count {
            let message = format!(
                "attribute sets are about {} that do not follow",
                counted(end - entry_count, "entry")
            );
            return Err(Error::invalid_argument(message));
        }
        let Some((path, description)) = first else {
            return Err(Error::invalid_argument("a merge needs at least one input"));
        };
        let path = options.ntuple.clone().unwrap_or(path);
        let name = path.rsplit_once('/').map_or(&*path, |(_, name)| name).to_owned();
        let main = Layout::new(tree, name, description)?;
        Ok(Self { main, sets: sets.finish()?, path, entry_count, fingerprints })
    }

    /// Copies the pages of all inputs, and everything that describes them; the file is not finished.
    pub(super) fn run(
        &self,
        inputs: &[Input],
        mut options: MergeOptions<'_>,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<Summary> {
        file.reserve(&self.path)?;
        let mut main = Target::new(&self.main, &options, file)?;
        let sets = self.sets.iter().map(|set| Ok((set, Target::new(&set.layout, &options, file)?)));
        let mut sets = sets.collect::<Result<Vec<_>>>()?;
        let mut merger = Merger {
            entry_count: self.entry_count,
            compression: options.compression,
            progress: options.progress.take(),
            zeros: Zeros::default(),
            summary: Summary::default(),
            file,
        };
        let mut codecs = Codecs::default();
        for (number, input) in inputs.iter().enumerate() {
            let dataset = input.opened(options.limits)?;
            if self.fingerprints.get(number) != Some(&dataset.fingerprint()) {
                // What was decided of it holds no longer: a field could be missing, or a range have other entries.
                let message = "the input has changed since the merge began";
                return Err(place(Error::new(ErrorKind::Io, message), &dataset));
            }
            let before = main.catalog.entry_count();
            let copied = merger.input(&dataset, &mut codecs, &mut main, None, None);
            copied.map_err(|error| place(error, &dataset))?;
            if !options.single_group {
                main.end_group(merger.file)?;
            }
            let (of_sets, left) = input.sets(&dataset)?;
            for (set, target) in &mut sets {
                let has_it = of_sets.attribute_sets().iter().any(|link| link.name == set.layout.name);
                if has_it && set.keeps(number) {
                    let dataset = Arc::new(of_sets.attribute_set(&set.layout.name)?);
                    let ranges = left.map(|left| Ranges::new(&dataset, left, before)).transpose();
                    let copied = ranges.and_then(|ranges| {
                        merger.input(&dataset, &mut codecs, target, Some(before), ranges.as_ref())
                    });
                    copied.map_err(|error| place(error, &dataset))?;
                }
            }
        }
        let mut summary = merger.summary;
        summary.entries = main.catalog.entry_count();
        summary.attribute_sets = sets.len() as u64;
        for (set, mut target) in sets {
            let anchor = target.catalog.finish(file)?;
            let name = &*set.layout.name;
            let (offset, size) = file.put_unlisted_anchor(name, &anchor)?;
            let locator = Locator::File { offset, size: size.into() };
            main.catalog.link(LinkedAttributeSet::written(name, size, locator));
        }
        let anchor = main.catalog.finish(file)?;
        file.put_anchor(&self.path, &anchor)?;
        Ok(summary)
    }
}

#[cold]
fn place(error: Error, dataset: &Dataset) -> Error {
    error.in_ntuple(dataset.path()).in_file(dataset.file().name())
}

/// A merged ntuple on its way into the file: the one that was asked for, or one of its attribute sets.
struct Target<'a> {
    layout: &'a Layout,
    catalog: Catalog,
    /// Of each field's columns: elements in the clusters before (format, section 7.3).
    elements: Vec<Vec<u64>>,
    /// Columns and pages of the clusters in the open cluster group.
    ranges: usize,
    /// Whether that takes all clusters, however many.
    single_group: bool,
}

impl<'a> Target<'a> {
    /// Writes the header.
    fn new(
        layout: &'a Layout,
        options: &MergeOptions<'_>,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<Self> {
        let settings = match options.compression {
            Some(settings) => settings,
            None if Algorithm::Zstd.is_enabled() => Compression::default(),
            None => Compression::NONE,
        };
        let envelopes = EnvelopeWriter::new(settings, Anchor::DEFAULT_MAX_KEY_SIZE);
        let title =
            Title { name: layout.name.clone(), description: layout.description.clone(), ..Title::default() };
        let mut catalog = Catalog::create(file, envelopes, title, layout.schema.clone())?;
        // Where ROOT has it (format, section 5.6).
        let extra_type_info = layout.tree.type_info.records.clone();
        catalog.extend(SchemaDescription { extra_type_info, ..SchemaDescription::default() }, 0);
        let elements = layout.slots.iter().map(|slot| vec![0; slot.width]).collect();
        Ok(Self { layout, catalog, elements, ranges: 0, single_group: options.single_group })
    }

    /// Adds a cluster whose pages are copied.
    fn push(&mut self, cluster: ClusterDescriptor, file: &mut FileWriter<dyn WriteAt + '_>) -> Result<()> {
        let pages: usize = cluster.columns.iter().map(|range| range.pages.len()).sum();
        self.ranges = self.ranges.saturating_add(cluster.columns.len()).saturating_add(pages);
        self.catalog.push(cluster)?;
        let is_full = self.ranges > MOST_RANGES || self.catalog.is_group_full();
        if is_full && !self.single_group { self.end_group(file) } else { Ok(()) }
    }

    fn end_group(&mut self, file: &mut FileWriter<dyn WriteAt + '_>) -> Result<()> {
        self.ranges = 0;
        self.catalog.end_group(file)
    }
}

/// What goes on from input to input.
struct Merger<'a, 'p, 'w> {
    entry_count: u64,
    compression: Option<Compression>,
    progress: Option<ProgressCallback<'p>>,
    zeros: Zeros,
    summary: Summary,
    file: &'a mut FileWriter<dyn WriteAt + 'w>,
}

/// What is wanted of the pages of an input.
#[derive(Clone, Copy, Default)]
struct Wish {
    compression: Option<Compression>,
    /// Of an attribute set: the slots whose values say where ranges begin, and how long they are.
    starts: Option<usize>,
    lengths: Option<usize>,
    /// What is added to where ranges begin; `None`: all of them become others.
    shift: Option<u64>,
}

impl Wish {
    /// What becomes of the values of a slot from a row on.
    fn change(self, slot: usize, row: u64) -> Option<Change> {
        match self.shift {
            Some(more) => (self.starts == Some(slot) && more > 0).then_some(Change::Shift(more)),
            None if self.starts == Some(slot) => Some(Change::Starts(row)),
            None if self.lengths == Some(slot) => Some(Change::Lengths(row)),
            None => None,
        }
    }

    /// A page of the input, whose first value is that of `row`, if it is where this crate can find it, and how it is wanted.
    fn page(self, slot: usize, row: u64, location: &PageLocation, pages: &Pages<'_>) -> Result<Page> {
        let Locator::File { offset, size } = location.locator else {
            return Err(Error::unsupported("a page is not in the file"));
        };
        let length = pages.packing.page_length(location.count);
        // Pages of a column with these settings are what is asked for, also where they are not compressed.
        let mut settings = self.compression.map(Compression::code).filter(|&code| code != pages.compression);
        let change = self.change(slot, row).map(|change| (pages.packing.column_type(), change));
        if change.is_some() {
            settings = settings.or(Some(pages.compression));
        }
        Ok(Page { offset, size, has_checksum: location.has_checksum, length, settings, change })
    }
}

impl Merger<'_, '_, '_> {
    /// Copies the clusters of an input; those of an attribute set, which speak of entries that now have so many
    /// others before them, or of other `ranges`.
    fn input(
        &mut self,
        dataset: &Dataset,
        codecs: &mut Codecs,
        target: &mut Target<'_>,
        before: Option<u64>,
        ranges: Option<&Ranges>,
    ) -> Result<()> {
        let mapped = map(&target.layout.tree, &target.layout.slots, dataset.schema())?;
        let mut wish = Wish { compression: self.compression, ..Wish::default() };
        if before.is_some() {
            let slot = |name: &str| (0..mapped.len()).find(|slot| target.layout.path_of(*slot) == name);
            (wish.starts, wish.lengths) = (slot(RANGE_START), slot(RANGE_LENGTH));
            wish.shift = before.filter(|_| ranges.is_none());
        }
        let mut copier = Copier::new(dataset.file(), dataset.anchor().max_key_size, codecs, ranges);
        for (id, cluster) in (0u64..).zip(dataset.clusters()) {
            let cluster = cluster?;
            // There is nothing in it.
            if cluster.entry_count == 0 {
                continue;
            }
            let merged = self.cluster(&mapped, &cluster, &mut copier, dataset.file().name(), target, wish);
            target.push(merged.map_err(|error| error.in_cluster(id))?, self.file)?;
            if before.is_none() {
                self.summary.clusters += 1;
                self.summary.entries += cluster.entry_count;
                self.tell(dataset.file().name(), &copier.copied);
            }
        }
        self.summary.pages += copier.copied.pages;
        self.summary.recompressed_pages += copier.copied.recompressed_pages;
        self.summary.page_size += copier.copied.page_size;
        Ok(())
    }

    fn tell(&mut self, input: &str, copied: &Summary) {
        tell(&mut self.progress, &self.summary, self.entry_count, input, copied);
    }

    fn cluster(
        &mut self,
        mapped: &[Mapped],
        cluster: &ClusterDescriptor,
        copier: &mut Copier<'_>,
        input: &str,
        target: &mut Target<'_>,
        wish: Wish,
    ) -> Result<ClusterDescriptor> {
        let layout = target.layout;
        let in_slot = |slot: usize, error: Error| error.in_field(layout.path_of(slot));
        let parts = mapped.iter().enumerate();
        let parts = parts
            .map(|(slot, field)| field.part(cluster, mapped).map_err(|error| in_slot(slot, error)))
            .collect::<Result<Vec<_>>>()?;
        let mut wanted = Vec::new();
        for (slot, part) in parts.iter().enumerate() {
            if part.zeros > 0 && [wish.starts, wish.lengths].contains(&Some(slot)) {
                return Err(in_slot(slot, Error::out_of_spec("ranges that were never written")));
            }
            for pages in &part.columns {
                let mut row = cluster.first_entry;
                // Pages without elements, which uproot writes, have no place in the merged file.
                for (number, location) in (0..).zip(pages.pages).filter(|(_, location)| location.count > 0) {
                    let place = |error: Error| in_slot(slot, error.in_column(pages.id.0.into()));
                    let page = wish.page(slot, row, location, pages);
                    let page = page.map_err(|error| place(error).in_page(number))?;
                    wanted.push(Wanted { page, slot, column: pages.id.0.into(), number });
                    row = row.saturating_add(location.count.into());
                }
            }
        }
        let place = |error: Error, wanted: &Wanted| {
            let error = error.in_column(wanted.column).in_page(wanted.number);
            error.in_field(layout.path_of(wanted.slot))
        };
        let (progress, summary, entry_count) = (&mut self.progress, &self.summary, self.entry_count);
        copier.copy(wanted, self.file, &place, &mut |copied| {
            tell(progress, summary, entry_count, input, copied);
        })?;
        self.ranges(cluster, &parts, copier, target, wish)
    }

    /// What the page list will say of a cluster whose pages are copied.
    fn ranges(
        &mut self,
        cluster: &ClusterDescriptor,
        parts: &[Part<'_>],
        copier: &mut Copier<'_>,
        target: &mut Target<'_>,
        wish: Wish,
    ) -> Result<ClusterDescriptor> {
        let layout = target.layout;
        // Fields that are missing are compressed as others are.
        let codes = cluster.columns.iter().map(|range| range.compression);
        let common = codes.into_iter().find(|&code| code != 0).unwrap_or_default();
        let mut room = zeros::MOST_PAGES;
        let mut ranges = vec![ColumnRange::suppressed(); layout.schema.columns.len()];
        let slots = layout.slots.iter().zip(&mut target.elements).zip(parts).enumerate();
        for (number, ((slot, elements), part)) in slots {
            let place = |error: Error| error.in_field(layout.path_of(number));
            let stored = part.columns.first().map_or(common, |pages| pages.compression);
            let zeros_code = self.compression.map_or(stored, Compression::code);
            // An algorithm that this build does not have is no reason to fail: zeros can be stored as they are.
            let settings = Compression::from_code(zeros_code).ok();
            let settings =
                settings.filter(|settings| settings.require().is_ok()).unwrap_or(Compression::NONE);
            let zeros = self.zeros.put(
                self.file,
                copier.compressor(),
                settings,
                &part.principal,
                part.zeros,
                &mut room,
            );
            let mut locations = zeros.map_err(place)?;
            self.summary.zero_pages += locations.len() as u64;
            for (position, elements) in elements.iter_mut().enumerate() {
                let mut code = zeros_code;
                let mut count = if position == 0 { part.zeros } else { 0 };
                if let Some(pages) = part.columns.get(position) {
                    code = self.compression.map_or(pages.compression, Compression::code);
                    count = count.saturating_add(pages.count());
                    let mut row = cluster.first_entry;
                    for location in pages.pages.iter().filter(|location| location.count > 0) {
                        let (offset, size) = copier
                            .place(&wish.page(number, row, location, pages)?)
                            .ok_or_else(|| place(Error::out_of_spec("a page was not copied")))?;
                        row = row.saturating_add(location.count.into());
                        let locator = Locator::File { offset, size };
                        locations.push(PageLocation::new(location.count, true, locator));
                    }
                }
                let range = ColumnRange::new(*elements, code, std::mem::take(&mut locations));
                *elements = elements
                    .checked_add(count)
                    .filter(|&end| i64::try_from(end).is_ok())
                    .ok_or_else(|| place(Error::limit("a column has over 2^63 elements")))?;
                if let Some(place) = ranges.get_mut(slot.first + part.target * slot.width + position) {
                    *place = range;
                }
            }
        }
        Ok(ClusterDescriptor::new(0, cluster.entry_count, ranges))
    }
}

fn tell(
    progress: &mut Option<ProgressCallback<'_>>,
    summary: &Summary,
    entry_count: u64,
    input: &str,
    copied: &Summary,
) {
    if let Some(progress) = progress {
        let bytes = summary.page_size.saturating_add(copied.page_size);
        progress(&Progress { input, entries: summary.entries, entry_count, bytes });
    }
}
