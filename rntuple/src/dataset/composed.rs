//! An ntuple whose fields are in several files: the clusters of all of them begin and end with the same entries.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::layers::Layers;
use super::{Dataset, pinned};
use crate::envelope::SchemaDescription;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::root::RootFile;
use crate::schema::{
    AliasColumn, ClusterDescriptor, ColumnDescriptor, ColumnId, ColumnRange, ExtraTypeInfo, FieldDescriptor,
    FieldId, Locator, PageLocation, Role, Schema, is_known_column, type_includes,
};

/// An ntuple, and which of its fields are seen.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) dataset: Arc<Dataset>,
    /// The fields that are seen, and what they are called; `None`: all, by their own names.
    pub(crate) fields: Option<Arc<[(FieldId, String)]>>,
    /// The types that fields are shown with, where these [include](type_includes) their own.
    pub(crate) types: Arc<[(FieldId, String)]>,
}

impl Layer {
    fn schema(&self) -> &Schema {
        self.dataset.schema()
    }

    /// By field of the layer: what it is called, if it is seen.
    fn names(&self) -> Result<Vec<Option<String>>> {
        let all = self.schema().fields();
        let Some(fields) = &self.fields else {
            return Ok(all.map(|(_, field)| Some(field.name.clone())).collect());
        };
        let mut names = vec![None; all.count()];
        for (id, name) in fields.iter() {
            let slot = names.get_mut(id.index());
            let slot = slot.ok_or_else(|| self.refuse(format!("there is no field {}", id.0)))?;
            *slot = Some(name.clone());
        }
        Ok(names)
    }

    /// The fields that are shown with a wider type, and that type.
    fn wider(&self) -> HashMap<FieldId, &str> {
        let wider = self.types.iter().filter_map(|(id, shown)| {
            let own = &*self.schema().field(*id)?.type_name;
            (shown != own && type_includes(shown, own)).then_some((*id, &**shown))
        });
        wider.collect()
    }

    /// Whether the layer changes nothing.
    fn is_whole(&self) -> Result<bool> {
        if !self.wider().is_empty() {
            return Ok(false);
        }
        let names = self.names()?;
        let same = |(id, field): (FieldId, &FieldDescriptor)| {
            names.get(id.index()).is_some_and(|name| name.as_ref() == Some(&field.name))
        };
        Ok(self.schema().fields().all(same))
    }

    #[cold]
    fn refuse(&self, message: String) -> Error {
        self.dataset.place(Error::invalid_argument(message))
    }
}

impl Dataset {
    /// Sees the fields of several ntuples as those of one. Where two have a top-level field of the same name, that of the
    /// later layer is seen.
    ///
    /// # Errors
    /// Their clusters do not begin and end with the same entries; or a field is seen without what it needs.
    pub(crate) fn compose(layers: &[Layer]) -> Result<Arc<Self>> {
        let Some(first) = layers.first() else {
            return Err(Error::invalid_argument("an overlay needs at least one file"));
        };
        if layers.len() == 1 && first.is_whole()? {
            return Ok(first.dataset.clone());
        }
        let (records, order) = merge(layers)?;
        let base = &first.dataset;
        let files: Vec<RootFile> = layers.iter().map(|layer| layer.dataset.file.clone()).collect();
        let (file, starts) = RootFile::joined(&files).map_err(|error| base.place(error))?;
        let schema = records.build(&file)?;
        let header_field_count =
            u32::try_from(schema.fields().count()).map_err(|_| Error::limit("there are over 2^32 fields"))?;
        let clusters = Clusters { layers, order: &order, starts: &starts };
        // Only pages of the first file may continue in other records, so its maximum counts.
        let max_key_size = base.anchor.max_key_size;
        let groups = pinned::groups(&file, &schema, base.header_checksum, max_key_size, clusters.compose())?;
        let mut witness = Vec::new();
        for layer in layers {
            witness.extend_from_slice(&layer.dataset.fingerprint.to_le_bytes());
            witness.extend_from_slice(format!("{:?}{:?}", layer.fields, layer.types).as_bytes());
        }
        Ok(Arc::new(Self {
            fingerprint: xxh3_64(&witness),
            file,
            path: base.path.clone(),
            anchor: base.anchor.clone(),
            name: base.name.clone(),
            description: base.description.clone(),
            writer: base.writer.clone(),
            schema: Arc::new(schema),
            header_field_count,
            header_checksum: base.header_checksum,
            extension: SchemaDescription::default(),
            groups: Arc::new(groups),
            attribute_sets: base.attribute_sets.clone(),
            layers: Some(Arc::new(Layers {
                datasets: layers.iter().map(|layer| layer.dataset.clone()).collect(),
                columns: order.iter().map(|column| (column.layer, column.id)).collect(),
            })),
        }))
    }
}

/// The records of a schema.
#[derive(Default)]
struct Merged {
    fields: Vec<FieldDescriptor>,
    columns: Vec<ColumnDescriptor>,
    alias_columns: Vec<AliasColumn>,
    /// What the files say of classes: a copy of streamed objects needs it.
    extra_type_info: Vec<ExtraTypeInfo>,
}

impl Merged {
    fn build(self, file: &RootFile) -> Result<Schema> {
        let limits = file.limits();
        limits.check_fields(self.fields.len() as u64)?;
        limits.check_columns(self.columns.len() as u64, "columns")?;
        Schema::build_within(
            limits,
            self.fields,
            self.columns,
            self.alias_columns,
            self.extra_type_info,
            &is_known_column,
        )
    }
}

/// A column that is seen.
struct SeenColumn {
    layer: usize,
    id: ColumnId,
    /// It may be missing in the first clusters, with those after it.
    is_late: bool,
}

/// The fields and columns that are seen, by their new numbers.
fn merge(layers: &[Layer]) -> Result<(Merged, Vec<SeenColumn>)> {
    let mut names = layers.iter().map(Layer::names).collect::<Result<Vec<_>>>()?;
    hide_replaced(layers, &mut names);
    let infos = layers.iter().flat_map(|layer| layer.schema().extra_type_info());
    let mut merged = Merged { extra_type_info: infos.cloned().collect(), ..Merged::default() };
    let numbers = layers.iter().zip(&names).map(|(layer, names)| merged.add_fields(layer, names));
    let numbers = numbers.collect::<Result<Vec<_>>>()?;
    let (mut order, mut columns) = (Vec::new(), HashMap::new());
    // Lists of columns may stop before the last one: late ones come last.
    for late in [false, true] {
        for (position, (layer, numbers)) in layers.iter().zip(&numbers).enumerate() {
            let first = layer.dataset.clusters().next().transpose()?;
            let early = first.map_or(usize::MAX, |cluster| cluster.columns.len());
            for (id, column) in layer.schema().columns() {
                let is_late = column.first_element.is_some() || id.index() >= early;
                let Some(field) = number_in(numbers, column.field).filter(|_| is_late == late) else {
                    continue;
                };
                if is_late && position > 0 {
                    let path = layer.schema().path(column.field);
                    let message = format!(
                        "{path} is not in all clusters: only the first file of an overlay can have it"
                    );
                    return Err(layer.dataset.place(Error::unsupported(message)));
                }
                let mut column = column.clone();
                column.field = field;
                let number = u32::try_from(merged.columns.len());
                let number = number.map_err(|_| Error::limit("there are over 2^32 columns"))?;
                columns.insert((position, id), ColumnId(number));
                merged.columns.push(column);
                order.push(SeenColumn { layer: position, id, is_late });
            }
        }
    }
    for (position, (layer, numbers)) in layers.iter().zip(&numbers).enumerate() {
        for alias in layer.schema().alias_columns() {
            let Some(field) = number_in(numbers, alias.field) else { continue };
            let physical = columns.get(&(position, alias.physical)).copied().ok_or_else(|| {
                layer.refuse(format!("{} is seen without its source", layer.schema().path(alias.field)))
            })?;
            merged.alias_columns.push(AliasColumn::new(physical, field));
        }
    }
    Ok((merged, order))
}

fn number_in(numbers: &[Option<FieldId>], id: FieldId) -> Option<FieldId> {
    numbers.get(id.index()).copied().flatten()
}

/// Hides what a later layer has under the same name.
fn hide_replaced(layers: &[Layer], names: &mut [Vec<Option<String>>]) {
    let mut taken: HashSet<String> = HashSet::new();
    for (layer, names) in layers.iter().zip(names).rev() {
        let mut own = Vec::new();
        for (id, field) in layer.schema().fields() {
            let parent = field.parent.map(|parent| names.get(parent.index()).is_some_and(Option::is_none));
            let Some(slot) = names.get_mut(id.index()) else { continue };
            match parent {
                // Parents come before their children.
                Some(true) => *slot = None,
                Some(_) => {}
                None if slot.as_ref().is_some_and(|name| taken.contains(name)) => *slot = None,
                None => own.extend(slot.clone()),
            }
        }
        taken.extend(own);
    }
}

impl Merged {
    /// Adds the fields of a layer that are seen; returns their new numbers.
    fn add_fields(&mut self, layer: &Layer, names: &[Option<String>]) -> Result<Vec<Option<FieldId>>> {
        let (schema, wider) = (layer.schema(), layer.wider());
        let mut numbers: Vec<Option<FieldId>> = Vec::with_capacity(names.len());
        for ((id, field), name) in schema.fields().zip(names) {
            let parent = field.parent.map(|parent| (parent, number_in(&numbers, parent)));
            let Some(name) = name else {
                let needs = |(parent, number): (FieldId, Option<FieldId>)| {
                    number.is_some() && schema.field(parent).is_some_and(|parent| parent.role != Role::Record)
                };
                if parent.is_some_and(needs) {
                    let message = format!("{} is a part of its field, and not seen with it", schema.path(id));
                    return Err(layer.refuse(message));
                }
                numbers.push(None);
                continue;
            };
            let parent = parent.and_then(|(_, number)| number);
            let number =
                u32::try_from(self.fields.len()).map_err(|_| Error::limit("there are over 2^32 fields"))?;
            let mut field = field.clone();
            (field.name, field.parent) = (name.clone(), parent);
            if let Some(shown) = wider.get(&id) {
                field.type_alias = std::mem::replace(&mut field.type_name, (*shown).to_owned());
            }
            self.fields.push(field);
            numbers.push(Some(FieldId(number)));
        }
        // A source may come after what is projected from it.
        for (id, _) in schema.fields() {
            let field = number_in(&numbers, id).and_then(|number| self.fields.get_mut(number.index()));
            let Some(source) = field.and_then(|field| field.projection_source.as_mut()) else { continue };
            *source = number_in(&numbers, *source)
                .ok_or_else(|| layer.refuse(format!("{} is seen without its source", schema.path(id))))?;
        }
        Ok(numbers)
    }
}

/// The clusters of all layers, next to each other.
struct Clusters<'a> {
    layers: &'a [Layer],
    order: &'a [SeenColumn],
    /// Where the file of each layer begins.
    starts: &'a [u64],
}

impl Clusters<'_> {
    fn compose(&self) -> impl Iterator<Item = Result<ClusterDescriptor>> {
        let mut all: Vec<_> = self.layers.iter().map(|layer| layer.dataset.clusters()).collect();
        std::iter::from_fn(move || {
            let clusters: Result<Vec<_>> =
                all.iter_mut().map(|clusters| clusters.next().transpose()).collect();
            match clusters {
                Ok(clusters) if clusters.iter().all(Option::is_none) => None,
                Ok(clusters) => Some(self.compose_one(&clusters)),
                Err(error) => Some(Err(error)),
            }
        })
    }

    fn compose_one(&self, clusters: &[Option<Arc<ClusterDescriptor>>]) -> Result<ClusterDescriptor> {
        let range = |cluster: &Option<Arc<ClusterDescriptor>>| {
            cluster.as_ref().map(|cluster| (cluster.first_entry, cluster.entry_count))
        };
        let first = clusters.first().and_then(range);
        for (layer, cluster) in self.layers.iter().zip(clusters) {
            if range(cluster) != first {
                return Err(self.differ(layer));
            }
        }
        let (first_entry, entry_count) = first.unwrap_or_default();
        let mut columns = Vec::with_capacity(self.order.len());
        for seen in self.order {
            let (Some(Some(cluster)), Some(layer)) = (clusters.get(seen.layer), self.layers.get(seen.layer))
            else {
                break;
            };
            let Some(column) = cluster.columns.get(seen.id.index()) else {
                if seen.is_late {
                    break;
                }
                let message = format!("a cluster lacks column {}", seen.id.0);
                return Err(layer.dataset.place(Error::out_of_spec(message)));
            };
            let start = self.starts.get(seen.layer).copied().unwrap_or_default();
            columns.push(shifted(column, start, layer)?);
        }
        Ok(ClusterDescriptor::new(first_entry, entry_count, columns))
    }

    #[cold]
    fn differ(&self, layer: &Layer) -> Error {
        let Some(base) = self.layers.first() else { return Error::invalid_argument("no layers") };
        let (ours, theirs) = (layer.dataset.entry_count(), base.dataset.entry_count());
        let base = base.dataset.file.name();
        layer.refuse(match ours == theirs {
            true => format!("its clusters do not have the same entries as those of {base}"),
            false => format!("it has {}, {base} has {theirs}", counted(ours, "entry")),
        })
    }
}

/// The pages of a column where the file of its layer begins elsewhere.
fn shifted(column: &ColumnRange, start: u64, layer: &Layer) -> Result<ColumnRange> {
    let (end, most) = (layer.dataset.file.end(), layer.dataset.anchor.max_key_size);
    let mut column = column.clone();
    for page in &mut column.pages {
        let Locator::File { offset, size } = page.locator else { continue };
        if offset.checked_add(size).is_none_or(|page_end| page_end > end) {
            let message = format!("a page ends after the file, at {end}");
            return Err(layer.dataset.place(Error::out_of_spec(message).at_offset(offset)));
        }
        // Its checksum counts too. A maximum of 0, which uproot writes, means that nothing is cut.
        let stored = size.saturating_add(if page.has_checksum { 8 } else { 0 });
        if start > 0 && most > 0 && stored > most {
            let message =
                format!("a page has {size} bytes in several records: only the first file of an overlay can");
            return Err(layer.dataset.place(Error::unsupported(message).at_offset(offset)));
        }
        let locator = Locator::File { offset: offset.saturating_add(start), size };
        *page = PageLocation::new(page.count, page.has_checksum, locator);
    }
    Ok(column)
}
