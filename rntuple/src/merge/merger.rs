//! One input after the other into the merged ntuple.

use super::input::Input;
use super::mapping::{Mapped, Pages, Part, map};
use super::options::{MergeOptions, Progress, ProgressCallback, Summary};
use super::pages::{Codecs, Copier, Page, Tally, Wanted};
use super::tree::{Slot, Tree};
use super::zeros::{self, Zeros};
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::compression::{Algorithm, Settings};
use crate::dataset::Dataset;
use crate::envelope::SchemaDescription;
use crate::error::{Error, Result};
use crate::root::{Anchor, FileWriter};
use crate::schema::{ClusterDescriptor, ColumnRange, Locator, PageLocation};
use crate::storage::WriteAt;

/// What is decided before anything is written.
#[derive(Debug)]
pub(super) struct Plan {
    tree: Tree,
    slots: Vec<Slot>,
    schema: SchemaDescription,
    /// Where the merged ntuple will stand.
    path: String,
    description: String,
    entry_count: u64,
}

impl Plan {
    /// Looks at the schemas of all inputs.
    pub(super) fn new(inputs: &[Input], options: &MergeOptions<'_>) -> Result<Self> {
        if let Some(settings) = options.compression {
            settings.require()?;
        }
        let mut tree = Tree::default();
        let mut first = None;
        let mut entry_count = 0u64;
        for input in inputs {
            let dataset = input.dataset()?;
            let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
            tree.join(&dataset, options.schema, options.strict_encoding).map_err(place)?;
            entry_count = entry_count.saturating_add(dataset.entry_count());
            if first.is_none() {
                first = Some((dataset.path().to_owned(), dataset.description().to_owned()));
            }
        }
        let Some((path, description)) = first else {
            return Err(Error::invalid_argument("nothing to merge: no input is named"));
        };
        let path = options.ntuple.clone().unwrap_or(path);
        let (schema, slots) = tree.describe()?;
        Ok(Self { tree, slots, schema, path, description, entry_count })
    }

    /// Copies the pages of all inputs, and everything that describes them; the file is not finished.
    pub(super) fn run(
        mut self,
        inputs: &[Input],
        mut options: MergeOptions<'_>,
        file: &mut FileWriter<dyn WriteAt + '_>,
    ) -> Result<Summary> {
        file.reserve(&self.path)?;
        let name = self.path.rsplit_once('/').map_or(&*self.path, |(_, name)| name);
        let title = Title {
            name: name.to_owned(),
            description: std::mem::take(&mut self.description),
            ..Title::default()
        };
        let settings = match options.compression {
            Some(settings) => settings,
            None if Algorithm::Zstd.is_enabled() => Settings::default(),
            None => Settings::NONE,
        };
        let envelopes = EnvelopeWriter::new(settings, Anchor::DEFAULT_MAX_KEY_SIZE);
        let schema = std::mem::take(&mut self.schema);
        let column_count = schema.columns.len();
        let mut catalog = Catalog::create(file, envelopes, title, schema)?;
        // Where ROOT has it (format, section 5.6).
        let extra_type_info = std::mem::take(&mut self.tree.extra_type_info);
        catalog.extend(SchemaDescription { extra_type_info, ..SchemaDescription::default() });
        let mut merger = Merger {
            elements: self.slots.iter().map(|slot| vec![0; slot.width]).collect(),
            plan: &self,
            column_count,
            compression: options.compression,
            progress: options.progress.take(),
            zeros: Zeros::default(),
            summary: Summary::default(),
            file,
        };
        let mut codecs = Codecs::default();
        for input in inputs {
            let dataset = input.dataset()?;
            let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
            merger.input(&dataset, &mut codecs, &mut catalog).map_err(place)?;
            if !options.single_group {
                catalog.end_group(merger.file)?;
            }
        }
        let mut summary = merger.summary;
        summary.entries = catalog.entry_count();
        let anchor = catalog.finish(file)?;
        file.put_anchor(&self.path, &anchor)?;
        Ok(summary)
    }
}

/// The merged ntuple on its way into a file.
struct Merger<'a, 'p, 'w> {
    plan: &'a Plan,
    column_count: usize,
    compression: Option<Settings>,
    progress: Option<ProgressCallback<'p>>,
    /// Of each field's columns: elements in the clusters before (format, section 7.3).
    elements: Vec<Vec<u64>>,
    zeros: Zeros,
    summary: Summary,
    file: &'a mut FileWriter<dyn WriteAt + 'w>,
}

impl Merger<'_, '_, '_> {
    /// Copies the clusters of an input.
    fn input(&mut self, dataset: &Dataset, codecs: &mut Codecs, catalog: &mut Catalog) -> Result<()> {
        let mapped = map(&self.plan.tree, &self.plan.slots, dataset.schema())?;
        let mut copier = Copier::new(dataset.file(), dataset.anchor().max_key_size, codecs);
        for (id, cluster) in (0u64..).zip(dataset.clusters()) {
            // There is nothing in it.
            if cluster.entry_count == 0 {
                continue;
            }
            let merged = self.cluster(&mapped, cluster, &mut copier, dataset.file().name());
            catalog.push(merged.map_err(|error| error.in_cluster(id))?)?;
            self.summary.clusters += 1;
            self.summary.entries += cluster.entry_count;
            self.tell(dataset.file().name(), Tally::default());
        }
        self.summary.pages += copier.tally.pages;
        self.summary.recompressed_pages += copier.tally.recompressed;
        self.summary.page_size += copier.tally.size;
        Ok(())
    }

    fn tell(&mut self, input: &str, more: Tally) {
        let Some(progress) = &mut self.progress else { return };
        progress(&Progress {
            input,
            entries: self.summary.entries,
            entry_count: self.plan.entry_count,
            bytes: self.summary.page_size.saturating_add(more.size),
        });
    }

    fn cluster(
        &mut self,
        mapped: &[Mapped],
        cluster: &ClusterDescriptor,
        copier: &mut Copier<'_>,
        input: &str,
    ) -> Result<ClusterDescriptor> {
        let in_slot = |slot: usize, error: Error| error.in_field(self.plan.path_of(slot));
        let parts = mapped.iter().enumerate();
        let parts = parts
            .map(|(slot, field)| field.part(cluster, mapped).map_err(|error| in_slot(slot, error)))
            .collect::<Result<Vec<_>>>()?;
        let mut wanted = Vec::new();
        for (slot, part) in parts.iter().enumerate() {
            for pages in &part.columns {
                for (number, location) in (0..).zip(pages.pages) {
                    let page = stored_page(location, pages, self.compression);
                    let place = |error: Error| in_slot(slot, error.in_column(pages.id.0.into()));
                    let page = page.map_err(|error| place(error).in_page(number))?;
                    wanted.push(Wanted { page, slot, column: pages.id.0.into(), number });
                }
            }
        }
        let plan = self.plan;
        let place = |error: Error, wanted: &Wanted| {
            let error = error.in_column(wanted.column).in_page(wanted.number);
            error.in_field(plan.path_of(wanted.slot))
        };
        let (progress, file) = (&mut self.progress, &mut *self.file);
        let Summary { entries, page_size, .. } = self.summary;
        copier.copy(wanted, file, &place, &mut |tally: Tally| {
            if let Some(progress) = progress {
                let bytes = page_size.saturating_add(tally.size);
                progress(&Progress { input, entries, entry_count: plan.entry_count, bytes });
            }
        })?;
        self.ranges(cluster, &parts, copier)
    }

    /// What the page list will say of a cluster whose pages are copied.
    fn ranges(
        &mut self,
        cluster: &ClusterDescriptor,
        parts: &[Part<'_>],
        copier: &mut Copier<'_>,
    ) -> Result<ClusterDescriptor> {
        // Fields that are missing are compressed as others are.
        let codes = cluster.columns.iter().map(|range| range.compression);
        let common = codes.into_iter().find(|&code| code != 0).unwrap_or_default();
        let mut room = zeros::MOST_PAGES;
        let mut ranges = vec![ColumnRange::suppressed(); self.column_count];
        for ((number, slot), part) in self.plan.slots.iter().enumerate().zip(parts) {
            let place = |error: Error| error.in_field(self.plan.path_of(number));
            let stored = part.columns.first().map_or(common, |pages| pages.compression);
            let zeros_code = self.compression.map_or(stored, Settings::code);
            // Settings that this build does not know are no reason to fail: zeros can be stored as they are.
            let settings = Settings::from_code(zeros_code).ok();
            let settings = settings.filter(|settings| settings.require().is_ok()).unwrap_or(Settings::NONE);
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
            let elements = self.elements.get_mut(number);
            let Some(elements) = elements else { continue };
            for (position, elements) in elements.iter_mut().enumerate() {
                let mut code = zeros_code;
                let mut count = if position == 0 { part.zeros } else { 0 };
                if let Some(pages) = part.columns.get(position) {
                    code = self.compression.map_or(pages.compression, Settings::code);
                    count = count.saturating_add(pages.count());
                    for location in pages.pages {
                        let from = stored_page(location, pages, self.compression)?;
                        let (offset, size) = copier
                            .place(&from)
                            .ok_or_else(|| place(Error::out_of_spec("a page that was not copied")))?;
                        let locator = Locator::File { offset, size };
                        locations.push(PageLocation::new(location.count, true, locator));
                    }
                }
                let column = slot.first + part.target * slot.width + position;
                let range = ColumnRange::new(*elements, code, std::mem::take(&mut locations));
                *elements = elements
                    .checked_add(count)
                    .filter(|&end| i64::try_from(end).is_ok())
                    .ok_or_else(|| place(Error::limit("over 2^63 elements")))?;
                if let Some(place) = ranges.get_mut(column) {
                    *place = range;
                }
            }
        }
        Ok(ClusterDescriptor::new(0, cluster.entry_count, ranges))
    }
}

impl Plan {
    fn path_of(&self, slot: usize) -> String {
        let node = self.slots.get(slot).and_then(|slot| self.tree.nodes.get(slot.node));
        node.map_or_else(String::new, |node| node.path.clone())
    }
}

/// A page of the input, if it is where this crate can find it, and how it is wanted.
fn stored_page(location: &PageLocation, pages: &Pages<'_>, compression: Option<Settings>) -> Result<Page> {
    let Locator::File { offset, size } = location.locator else {
        return Err(Error::unsupported("a page outside the file"));
    };
    let length = pages.packing.page_length(location.count);
    // Pages of a column with these settings are what is asked for, also where they are not compressed.
    let settings = compression.map(Settings::code).filter(|&code| code != pages.compression);
    Ok(Page { offset, size, has_checksum: location.has_checksum, length, settings })
}
