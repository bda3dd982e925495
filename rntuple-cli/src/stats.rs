//! `rntuple stats`: bounds and counts of the values of each column.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use rntuple::schema::ColumnId;
use rntuple::statistics::{Bounds, ElementStatistics, SortOrder, Statistics};
use rntuple::storage::Output;
use rntuple::{Dataset, Limits, Pool, RootFile, WriteOptions};
use serde_json::{Map, Value, json};

use crate::args::Stats;
use crate::failure::{Failure, Status};
use crate::json::write_json;
use crate::ntuple;
use crate::remote::{is_url, shown};
use crate::text::{Table, count, printable};

pub(crate) fn run(args: &Stats, limits: Limits) -> Result<Status, Failure> {
    if args.add && is_url(&args.file) {
        let message = "a file at a URL cannot be changed: `--output` writes the statistics to another one";
        return Err(Failure::Message(Status::Usage, format!("{}: {message}", shown(&args.file))));
    }
    // A file that is open is not replaced by this process.
    let file = RootFile::open(&args.file)?.with_limits(limits);
    // Before the file is read, which may take long.
    let output = args.output.as_deref().map(|side| create(side, &args.file, args.force)).transpose()?;
    let path = ntuple::choose(&file, args.ntuple.as_deref())?;
    let dataset = Dataset::open(&file, &path)?;
    if args.add {
        let statistics = compute(&dataset, &args.sorted_by)?;
        drop((dataset, file));
        statistics.add_to(&args.file, WriteOptions::new().limits(limits))?;
        return Ok(Status::Good);
    }
    if let Some(output) = output {
        compute(&dataset, &args.sorted_by)?.save_to_storage(output, WriteOptions::new())?;
        return Ok(Status::Good);
    }
    let kept = match &args.from {
        Some(side) => Some(Statistics::open(&RootFile::open(side)?.with_limits(limits), &dataset)?),
        None => Statistics::of(&dataset)?,
    };
    let is_kept = kept.is_some();
    let mut statistics = kept.map_or_else(|| compute(&dataset, &[]), Ok)?;
    if !args.sorted_by.is_empty() {
        statistics.verify_order(&dataset, args.sorted_by.clone())?;
    }
    let order = statistics.sort_order().map_or(&[][..], SortOrder::fields);
    let columns = columns(&dataset, &statistics)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        let columns: Vec<Value> = columns.iter().map(Column::json).collect();
        let document = json!({
            "file": file.name(),
            "ntuple": path,
            "entries": dataset.entry_count(),
            "clusters": dataset.cluster_count(),
            "kept": is_kept,
            "sort_order": order,
            "columns": columns,
        });
        write_json(&mut out, &document)?;
        writeln!(out)?;
    } else {
        let origin = if is_kept { "kept" } else { "computed" };
        let (entries, clusters) =
            (count(dataset.entry_count(), "entry"), count(dataset.cluster_count(), "cluster"));
        let sorted = match order {
            [] => String::new(),
            fields => format!(", sorted by {}", printable(&fields.join(", "))),
        };
        let (name, path) = (printable(file.name()), printable(&path));
        writeln!(out, "{name}: {path}: {entries}, {clusters}, {origin}{sorted}")?;
        let mut table = Table::default();
        table.row(["field", "elements", "nulls", "NaN", "min", "max"].map(str::to_owned));
        columns.iter().for_each(|column| table.row(column.cells()));
        write!(out, "{}", table.lines("  "))?;
    }
    out.flush()?;
    Ok(Status::Good)
}

/// The file for the statistics of an open file, which is there once it is complete.
fn create(side: &Path, input: &Path, overwrite: bool) -> Result<Output, Failure> {
    let usage = |message: String| Failure::Message(Status::Usage, format!("{}: {message}", shown(side)));
    let same = || usage(format!("the output is one of the inputs: {}", shown(input)));
    // A URL does not lead anywhere else.
    if side == input {
        return Err(same());
    }
    Output::create(side, !overwrite).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => usage("the file exists; --force replaces it".to_owned()),
        io::ErrorKind::ResourceBusy => same(),
        _ => Failure::Message(Status::Unreadable, format!("{}: {error}", shown(side))),
    })
}

/// Reads the file, on all cores.
fn compute(dataset: &Dataset, sorted_by: &[String]) -> Result<Statistics, Failure> {
    let mut statistics = Statistics::compute_on(dataset, &Pool::new(0)?)?;
    if !sorted_by.is_empty() {
        statistics.verify_order(dataset, sorted_by)?;
    }
    Ok(statistics)
}

/// What is known of one column of a field.
struct Column {
    field: String,
    /// Its columns, one for each representation.
    ids: Vec<ColumnId>,
    /// Clusters of which anything is known.
    clusters: u64,
    /// What is known of all of them.
    known: Option<ElementStatistics>,
}

/// The columns of all fields that have their own; not the characters of strings.
fn columns(dataset: &Dataset, statistics: &Statistics) -> Result<Vec<Column>, Failure> {
    let schema = dataset.schema();
    let mut columns = Vec::new();
    let own = schema.fields().filter(|(_, field)| field.projection_source.is_none());
    for (id, _) in own {
        let representations = schema.representations(id);
        let ids: Vec<ColumnId> = representations.iter().filter_map(|ids| ids.first()).copied().collect();
        if ids.is_empty() {
            continue;
        }
        let found = statistics.field(id, 0)?;
        let clusters = found.clusters().count() as u64;
        columns.push(Column { field: schema.path(id), ids, clusters, known: found.file() });
    }
    Ok(columns)
}

impl Column {
    fn cells(&self) -> Vec<String> {
        let field = printable(&self.field).into_owned();
        let Some(known) = &self.known else {
            let text = match self.clusters {
                0 => "not known".to_owned(),
                some => format!("known in {} only", count(some, "cluster")),
            };
            return vec![field, text];
        };
        let (min, max) = match (&known.text, known.bounds) {
            (Some(text), _) => {
                let shown = |text: &Option<String>| {
                    text.as_ref().map_or_else(|| "?".to_owned(), |text| format!("{text:?}"))
                };
                (shown(&text.min), shown(&text.max))
            }
            (None, Bounds::Signed { min, max }) => (min.to_string(), max.to_string()),
            (None, Bounds::Unsigned { min, max }) => (min.to_string(), max.to_string()),
            (None, Bounds::Real { min, max }) => (min.to_string(), max.to_string()),
            (None, _) => (String::new(), String::new()),
        };
        let counts = [known.elements, known.nulls, known.nan_count].map(|number| number.to_string());
        [field].into_iter().chain(counts).chain([min, max]).collect()
    }

    fn json(&self) -> Value {
        let mut out = Map::new();
        out.insert("field".to_owned(), json!(self.field));
        out.insert("columns".to_owned(), json!(self.ids));
        out.insert("clusters".to_owned(), json!(self.clusters));
        if let Some(known) = &self.known {
            out.insert("elements".to_owned(), json!(known.elements));
            out.insert("nulls".to_owned(), json!(known.nulls));
            out.insert("nan".to_owned(), json!(known.nan_count));
            let (min, max) = match known.bounds {
                Bounds::Signed { min, max } => (json!(min), json!(max)),
                Bounds::Unsigned { min, max } => (json!(min), json!(max)),
                Bounds::Real { min, max } => (real(min), real(max)),
                _ => (Value::Null, Value::Null),
            };
            out.insert("min".to_owned(), min);
            out.insert("max".to_owned(), max);
            if let Some(text) = &known.text {
                out.insert("text".to_owned(), json!({ "min": text.min, "max": text.max }));
            }
        }
        Value::Object(out)
    }
}

/// A number; as in `rntuple dump`, infinities are strings.
fn real(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(if value > 0.0 { "Infinity" } else { "-Infinity" }) }
}
