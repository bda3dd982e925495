//! Ntuples that are written with random entries, and what must be found in them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rntuple::field::{ReadField, WriteField};
use rntuple::parallel::Order;
use rntuple::storage::Output;
use rntuple::{Compression, ParallelWriter, Reader, RootFile, Value, WriteOptions, Writer};
use serde_json::{Map, Value as Json, json};

use crate::Result;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::Rows;
use crate::sample::Sample;

/// The codecs that every type is written with.
pub(crate) const CODECS: [(&str, Compression); 5] = [
    ("none", Compression::NONE),
    ("zstd", Compression::zstd(5)),
    ("lz4", Compression::lz4(4)),
    ("zlib", Compression::zlib(6)),
    ("lzma", Compression::lzma(6)),
];

/// Top-level fields by name, each a list with the value of every entry.
pub(crate) type Columns = Map<String, Json>;

/// What an entry of the run can do.
pub(crate) trait Entry: rntuple::Entry + WriteField + Model + Sample + Rows {}

impl<T: rntuple::Entry + WriteField + Model + Sample + Rows> Entry for T {}

/// How an ntuple is written.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) options: WriteOptions,
    /// Whether the columns are in their split forms.
    pub(crate) compressed: bool,
    /// The entries of each cluster, group by group; the sizes of a single cluster without an end are for
    /// the writer to choose.
    pub(crate) groups: &'static [&'static [u64]],
    pub(crate) automatic: bool,
}

impl Recipe {
    /// Three clusters in one group, the last with pages of bits that are not full.
    pub(crate) fn new(settings: Compression) -> Self {
        Self {
            options: WriteOptions::new().compression(settings),
            compressed: !settings.is_none(),
            groups: &[&[96, 1, 51]],
            automatic: false,
        }
    }

    #[must_use]
    pub(crate) fn with(mut self, change: impl FnOnce(WriteOptions) -> WriteOptions) -> Self {
        self.options = change(self.options);
        self
    }
}

/// A file and what must be found in it.
pub(crate) struct Written {
    pub(crate) case: &'static str,
    pub(crate) codec: &'static str,
    /// The file's name without its ending.
    pub(crate) stem: String,
    pub(crate) file: PathBuf,
    pub(crate) ntuples: Vec<Ntuple>,
}

impl Written {
    /// Every top-level field.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&Ntuple, &str)> {
        self.ntuples.iter().flat_map(|ntuple| ntuple.rows.iter().map(move |(field, _)| (ntuple, &**field)))
    }
}

/// What must be found in an ntuple.
#[derive(Clone)]
pub(crate) struct Ntuple {
    pub(crate) path: String,
    fields: Json,
    pub(crate) values: Columns,
    pub(crate) entries: u64,
    /// The entries of each cluster, where they were chosen.
    clusters: Option<Vec<u64>>,
    groups: u64,
    /// How many fields stand in the header, but for those that joined late.
    in_header: usize,
    pub(crate) description: String,
    /// The most bytes of a record, where that matters.
    pub(crate) max_key_size: Option<u64>,
    /// The row of the table that each field belongs to.
    pub(crate) rows: Vec<(String, &'static str)>,
    /// Reads it as the type that it was written as.
    pub(crate) read: fn(&RootFile, &str) -> rntuple::Result<Columns>,
}

impl fmt::Debug for Ntuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ntuple").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Ntuple {
    /// Everything but the values.
    pub(crate) fn about(&self) -> Json {
        json!({
            "name": self.path.rsplit('/').next(),
            "description": self.description,
            "entries": self.entries,
            "num_cluster_groups": self.groups,
            "fields": self.fields,
        })
    }

    /// The fields from the top-level one `name` on, up to another one, joined behind so many entries.
    pub(crate) fn joined(&mut self, name: &str, end: &str, entries: u64) {
        let Some(fields) = self.fields.as_array_mut() else { return };
        let position =
            |name| fields.iter().position(|field| field["parent"].is_null() && field["name"] == name);
        let (start, end) = (position(name).unwrap_or(usize::MAX), position(end).unwrap_or(usize::MAX));
        // By field: how many elements each entry has, if all have as many.
        let mut elements: Vec<Option<u64>> = Vec::new();
        for (id, field) in fields.iter_mut().enumerate() {
            let above = match field["parent"].as_u64() {
                None => Some(1),
                Some(parent) => {
                    let parent = usize::try_from(parent).ok();
                    parent.and_then(|parent| elements.get(parent).copied().flatten())
                }
            };
            let own = above.map(|above| above * field["repetitions"].as_u64().unwrap_or(1));
            let ends_here = field["role"] == "collection" || field["role"] == "variant";
            elements.push(own.filter(|_| !ends_here));
            let column = field["columns"].get_mut(0).and_then(Json::as_object_mut);
            if let (Some(own), Some(column), true) = (own, column, (start..end).contains(&id)) {
                column.insert("first".to_owned(), json!(own * entries));
            }
        }
    }

    /// The number of the field at a path.
    fn position(&self, path: &str) -> Option<usize> {
        let fields = self.fields.as_array()?;
        let mut parent = Json::Null;
        for name in path.split('.') {
            parent =
                fields.iter().find(|field| field["parent"] == parent && field["name"] == name)?["id"].clone();
        }
        parent.as_u64().and_then(|id| usize::try_from(id).ok())
    }

    /// A projected field `name`, below another one or none: it looks at the field at `source`, and is as that, but
    /// for what is said of its role and type. Returns its number.
    pub(crate) fn projected(
        &mut self,
        parent: Option<usize>,
        name: &str,
        source: &str,
        kind: Option<(&str, &str)>,
    ) -> Option<usize> {
        let source = self.position(source)?;
        let fields = self.fields.as_array_mut()?;
        let id = fields.len();
        let mut field = fields.get(source)?.clone();
        let object = field.as_object_mut()?;
        object.extend([
            ("id".to_owned(), json!(id)),
            ("parent".to_owned(), json!(parent)),
            ("name".to_owned(), json!(name)),
            ("columns".to_owned(), json!([])),
            ("projection_source".to_owned(), json!(source)),
        ]);
        if let Some((role, type_name)) = kind {
            object.extend([("role".to_owned(), json!(role)), ("type".to_owned(), json!(type_name))]);
        }
        fields.push(field);
        Some(id)
    }

    /// The field at a path has one more representation, of these columns.
    pub(crate) fn also_stored(&mut self, path: &str, number: u32, types: &[(&str, u32)]) {
        let position = self.position(path);
        let Some(fields) = self.fields.as_array_mut() else { return };
        let field = position.and_then(|position| fields.get_mut(position));
        if let Some(columns) = field.and_then(|field| field["columns"].as_array_mut()) {
            columns.extend(
                types.iter().map(|(kind, bits)| json!({"type": kind, "bits": bits, "repidx": number})),
            );
        }
        let columns = fields.iter_mut().filter_map(|field| field["columns"].as_array_mut()).flatten();
        for (id, column) in columns.filter_map(Json::as_object_mut).enumerate() {
            column.insert("id".to_owned(), json!(id));
        }
    }

    /// The fields from the top-level one `name` on stand in the footer, with pages in every cluster.
    pub(crate) fn added(&mut self, name: &str) {
        let fields = self.fields.as_array().into_iter().flatten();
        self.in_header =
            fields.take_while(|field| !field["parent"].is_null() || field["name"] != name).count();
    }

    /// What must be found where these were merged: the fields of the first, entries of all.
    pub(crate) fn merged(parts: &[Self], path: &str, is_one_group: bool) -> Result<Self> {
        let mut whole = parts.first().ok_or("nothing is merged")?.clone();
        whole.path = path.to_owned();
        if is_one_group {
            whole.groups = 1;
        }
        for part in parts.get(1..).unwrap_or_default() {
            whole.entries += part.entries;
            whole.groups += if is_one_group { 0 } else { part.groups };
            for (name, values) in &mut whole.values {
                let more = part.values.get(name).and_then(Json::as_array).cloned();
                if let Json::Array(values) = values {
                    values.extend(more.ok_or("other fields")?);
                }
            }
            whole.clusters = match (whole.clusters, &part.clusters) {
                (Some(all), Some(more)) => Some([all, more.clone()].concat()),
                _ => None,
            };
        }
        Ok(whole)
    }

    /// Its cluster groups are counted otherwise than it was written.
    pub(crate) fn set_groups(&mut self, groups: u64) {
        self.groups = groups;
    }

    /// Every entry has these members too.
    pub(crate) fn fill(&mut self, members: &Json) {
        for (name, value) in members.as_object().into_iter().flatten() {
            let values = (0..self.entries).map(|_| value.clone()).collect();
            self.values.insert(name.clone(), Json::Array(values));
        }
    }

    /// Each field that `other` stores in another way has both: two representations.
    pub(crate) fn represented(&mut self, other: &Self) {
        let (Some(fields), Some(others)) = (self.fields.as_array_mut(), other.fields.as_array()) else {
            return;
        };
        let without_id = |columns: &Json| {
            let mut columns = columns.clone();
            for column in columns.as_array_mut().into_iter().flatten() {
                column["id"] = Json::Null;
            }
            columns
        };
        let mut id = 0u64;
        for (field, other) in fields.iter_mut().zip(others) {
            let is_same = without_id(&field["columns"]) == without_id(&other["columns"]);
            let mut more = other["columns"].as_array().filter(|_| !is_same).cloned().unwrap_or_default();
            for column in &mut more {
                column["repidx"] = json!(1);
            }
            let Some(columns) = field["columns"].as_array_mut() else { continue };
            columns.extend(more);
            for column in columns {
                column["id"] = json!(id);
                id += 1;
            }
        }
    }

    /// What the peers' scripts are told.
    pub(crate) fn document(&self) -> Json {
        let mut document = self.about();
        let fields = document.get_mut("fields").and_then(Json::as_array_mut).into_iter().flatten();
        for field in fields.skip(self.in_header).filter_map(Json::as_object_mut) {
            field.insert("added".to_owned(), json!(true));
        }
        if let Some(document) = document.as_object_mut() {
            document.insert("values".to_owned(), json!(self.values));
            document.extend(self.clusters.as_ref().map(|clusters| ("clusters".to_owned(), json!(clusters))));
            document.extend(self.max_key_size.map(|size| ("max_key_size".to_owned(), json!(size))));
        }
        document
    }
}

/// Writes entries of type `T`, which can also be read as `T`.
pub(crate) fn write<T: Entry + ReadField>(
    writer: Writer<T, Output>,
    path: &str,
    recipe: &Recipe,
) -> Result<Ntuple> {
    write_as::<T, T>(writer, path, recipe)
}

/// Writes entries of type `T`, which are read as `R`.
pub(crate) fn write_as<T: Entry, R: rntuple::Entry + ReadField + Model>(
    mut writer: Writer<T, Output>,
    path: &str,
    recipe: &Recipe,
) -> Result<Ntuple> {
    let mut random = Random::new(path);
    let mut values = Vec::new();
    let mut sizes = Vec::new();
    for (number, group) in recipe.groups.iter().enumerate() {
        if number > 0 {
            writer.commit_cluster_group()?;
        }
        for (number, &size) in group.iter().enumerate() {
            if number > 0 {
                writer.commit_cluster()?;
            }
            for _ in 0..size {
                let entry = T::sample(&mut random);
                writer.fill(&entry)?;
                values.push(entry.json(Side::Stored));
            }
            sizes.extend((size > 0).then_some(size));
        }
    }
    let clusters = writer.finish()?.clusters;
    describe::<T, R>(path, recipe, values, sizes, clusters)
}

/// Writes an ntuple that is the whole file with three threads, a transaction for each cluster.
pub(crate) fn write_in_transactions<T: Entry<Writer: Send> + ReadField + Sync>(
    file: &Path,
    path: &str,
    recipe: &Recipe,
) -> Result<Vec<Ntuple>> {
    let mut random = Random::new(path);
    let sizes: Vec<u64> = recipe.groups.concat();
    let transactions: Vec<Vec<T>> =
        sizes.iter().map(|&size| (0..size).map(|_| T::sample(&mut random)).collect()).collect();
    let writer = ParallelWriter::<T>::create(file, path, recipe.options.clone())?;
    let writer = writer.ordered(Order::Transactions { first: 0 });
    let next = AtomicUsize::new(0);
    writer.scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|context| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entries) = transactions.get(number) else { return Ok(()) };
                    let mut transaction = context.begin_ordered(number as u64)?;
                    for entry in entries {
                        transaction.fill(entry)?;
                    }
                    transaction.commit()?;
                }
            });
        }
    })?;
    let clusters = writer.finish()?.clusters;
    let values = transactions.iter().flatten().map(|entry| entry.json(Side::Stored)).collect();
    Ok(vec![describe::<T, T>(path, recipe, values, sizes, clusters)?])
}

/// What must be found in an ntuple of these entries.
pub(crate) fn describe<T: Entry, R: rntuple::Entry + ReadField + Model>(
    path: &str,
    recipe: &Recipe,
    values: Vec<Json>,
    sizes: Vec<u64>,
    clusters: u64,
) -> Result<Ntuple> {
    let shape = T::shape(recipe.compressed);
    if !recipe.automatic && clusters != sizes.len() as u64 {
        return Err(format!("{path}: {clusters} clusters instead of {}", sizes.len()).into());
    }
    let rows = T::rows();
    if !shape.members().eq(rows.iter().map(|(member, _)| &**member)) {
        return Err(format!("{path}: the rows of the table are not the members").into());
    }
    Ok(Ntuple {
        path: path.to_owned(),
        in_header: usize::MAX,
        fields: shape.fields(),
        entries: values.len() as u64,
        values: columns(shape.members(), values),
        clusters: (!recipe.automatic).then_some(sizes),
        groups: recipe.groups.iter().filter(|group| group.iter().any(|&size| size > 0)).count() as u64,
        description: String::new(),
        max_key_size: None,
        rows,
        read: read::<R>,
    })
}

/// One ntuple that is the whole file.
pub(crate) fn write_file<T: Entry + ReadField>(
    file: &Path,
    path: &str,
    recipe: &Recipe,
) -> Result<Vec<Ntuple>> {
    let writer = Writer::<T>::create(file, path, recipe.options.clone())?;
    Ok(vec![write(writer, path, recipe)?])
}

/// Entries, turned into columns.
pub(crate) fn columns<'a>(names: impl Iterator<Item = &'a str>, entries: Vec<Json>) -> Columns {
    let mut columns: Columns = names.map(|name| (name.to_owned(), Json::Array(Vec::new()))).collect();
    for entry in entries {
        let Json::Object(members) = entry else { continue };
        for (name, value) in members {
            let column = columns.entry(name).or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(values) = column {
                values.push(value);
            }
        }
    }
    columns
}

pub(crate) fn read<T: rntuple::Entry + ReadField + Model>(
    file: &RootFile,
    path: &str,
) -> rntuple::Result<Columns> {
    let reader = Reader::<T>::open(file, path)?;
    let entries = reader.entries().map(|entry| entry.map(|entry| entry.json(Side::Read)));
    let entries = entries.collect::<rntuple::Result<_>>()?;
    Ok(columns(T::shape(true).members(), entries))
}

/// Reads whatever the ntuple has.
pub(crate) fn read_any(file: &RootFile, path: &str) -> Result<Columns> {
    let reader = Reader::<Value>::open(file, path)?;
    let schema = reader.schema();
    let names: Vec<&str> =
        schema.top_level().iter().filter_map(|&id| Some(schema.field(id)?.name.as_str())).collect();
    let mut entries = Vec::new();
    for entry in reader.entries() {
        entries.push(serde_json::to_value(entry?)?);
    }
    Ok(columns(names.into_iter(), entries))
}
