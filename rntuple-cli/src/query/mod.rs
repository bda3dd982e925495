//! `rntuple query`: SQL over files and data sets.

mod csv;
mod save;
mod table;

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::WriterBuilder;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::common::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{DataFrame, SessionContext};
use futures_util::StreamExt as _;
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};
use rntuple_dataset::{At, Table};

use crate::failure::{Failure, Status};
use crate::remote::{self, Stores};

/// Run SQL over files and data sets
///
/// Lists have lambdas: array_transform(muons, m -> m['pt']), array_filter, array_any_match; unnest(muons) makes a row of
/// each item. EXPLAIN ANALYZE shows what was read and what was skipped.
#[derive(Debug, Parser)]
pub(crate) struct Query {
    /// The query: `SELECT run, count(*) FROM events GROUP BY run`
    #[arg(value_name = "SQL")]
    sql: String,
    /// A table and its files: `events=run1.root`, `events=run*.root`, `events:Calibrated=run1.root` for one of several
    /// ntuples, `events=campaign.rnds@3` for a version or a tag of a data set
    #[arg(long, short, value_name = "NAME=FILE", required = true, value_parser = parse_table)]
    table: Vec<Named>,
    /// Make each member of structs, and of lists of structs, a column: "muons.pt"
    #[arg(long)]
    leaves: bool,
    /// How rows are printed. JSON and CSV are written as they are found, a table when all are
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the rows to a file instead, of the format that its name says: .root, .parquet, .arrow, .csv, .json
    #[arg(long, short, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
    /// How the file is written, as OPTIONS of COPY say it: `nested_nulls=true` keeps nulls in lists and structs of a .root file,
    /// `compression=zstd:5`, `ntuple=Skim`
    #[arg(long, value_name = "NAME=VALUE", requires = "output", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// Replace the file of `--output` if it exists
    #[arg(long, short, requires = "output")]
    force: bool,
    /// How many threads work on it. Default: as many as there are processors
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Format {
    #[default]
    Table,
    /// One object to a line; NaN is null
    Json,
    /// Without lists and structs; null is nothing, and an empty text is ""
    Csv,
}

/// A table of the command line.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    ntuple: Option<String>,
    files: String,
}

fn parse_table(text: &str) -> Result<Named, String> {
    let (name, files) = text.split_once('=').ok_or("a table is NAME=FILE, as events=run1.root")?;
    let (name, ntuple) = match name.split_once(':') {
        Some((name, ntuple)) => (name, Some(ntuple.to_owned())),
        None => (name, None),
    };
    if name.is_empty() || files.is_empty() || ntuple.as_ref().is_some_and(String::is_empty) {
        return Err("a table is NAME=FILE or NAME:NTUPLE=FILE".to_owned());
    }
    Ok(Named { name: name.to_owned(), ntuple, files: files.to_owned() })
}

/// An option with the name that DataFusion has for it.
fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("an option is NAME=VALUE, as nested_nulls=true")?;
    let name = if name.contains('.') { name.to_owned() } else { format!("format.{name}") };
    Ok((name, value.to_owned()))
}

pub(crate) fn run(args: &Query) -> Result<Status, Failure> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = args.threads {
        runtime.worker_threads(threads.max(1));
    }
    runtime.enable_all().build()?.block_on(query(args))?;
    Ok(Status::Good)
}

async fn query(args: &Query) -> Result<(), Failure> {
    let mut config = config();
    if let Some(threads) = args.threads {
        config = config.with_target_partitions(threads.max(1));
    }
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    let context = SessionContext::new_with_state(with_rntuple(builder).build());
    let mut stores = Stores::new();
    for table in &args.table {
        let opened = open(&context, &mut stores, table, args.leaves).await?;
        context.register_table(table.name.as_str(), Arc::new(opened)).map_err(failure)?;
    }
    let rows = context.sql(&args.sql).await.map_err(failure)?;
    match &args.output {
        Some(path) => save::run(&context, &mut stores, rows, path, args).await,
        None => {
            let out = io::stdout().lock();
            let is_terminal = out.is_terminal();
            print(rows, args.format, is_terminal, &mut io::BufWriter::new(out)).await
        }
    }
}

async fn open(
    context: &SessionContext,
    stores: &mut Stores,
    table: &Named,
    leaves: bool,
) -> Result<RNTupleTable, Failure> {
    let options = TableOptions::new().leaves(leaves);
    let options = match &table.ntuple {
        Some(ntuple) => options.ntuple(ntuple),
        None => options,
    };
    let files = table.files.clone();
    let found = tokio::task::spawn_blocking(move || find(&files)).await;
    match found.map_err(|error| Failure::Message(Status::Unreadable, error.to_string()))?? {
        Found::Snapshot(snapshot) => RNTupleTable::snapshot(&snapshot, options).await.map_err(failure),
        Found::Files(files) => {
            remote::register_stores(context, &files, stores)?;
            let taken = |file: &String| match Path::new(file).is_file() {
                true => literal(file).into_owned(),
                false => file.clone(),
            };
            let files: Vec<String> = files.iter().map(taken).collect();
            RNTupleTable::open(&context.state(), &files, options).await.map_err(failure)
        }
    }
}

enum Found {
    Files(Vec<String>),
    Snapshot(Box<rntuple_dataset::Snapshot>),
}

/// What a table is: a data set is a folder that has versions.
fn find(text: &str) -> Result<Found, Failure> {
    let (folder, at) = match text.rsplit_once('@') {
        Some((folder, at)) if !at.contains('/') => (folder, Some(at)),
        _ => (text, None),
    };
    let is_dataset = |folder: &str| {
        folder.trim_end_matches('/').ends_with(".rnds") || Path::new(folder).join("_versions").is_dir()
    };
    if is_dataset(folder) {
        let table = Table::open(folder)?;
        let at = match at {
            None => At::Latest,
            // A tag may be a number.
            Some(at) => match at.parse().ok() {
                Some(version) if !table.tags()?.contains_key(at) => At::Version(version),
                _ => At::Tag(at.to_owned()),
            },
        };
        return Ok(Found::Snapshot(Box::new(table.at(at)?)));
    }
    let is_pattern = match remote::is_url(Path::new(text)) {
        true => remote::pattern(Path::new(text)).is_some(),
        false => text.contains(['*', '[']) && !Path::new(text).exists(),
    };
    let files = match is_pattern {
        true => rntuple::storage::find_files(text)?,
        false => vec![PathBuf::from(text)],
    };
    let name = |file: &PathBuf| match file.to_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(Failure::Message(Status::Usage, format!("{}: the path is not UTF-8", file.display()))),
    };
    Ok(Found::Files(files.iter().map(name).collect::<Result<_, _>>()?))
}

/// A path as DataFusion takes it: as a URL where it would be taken for a pattern.
fn literal(path: &str) -> Cow<'_, str> {
    let absolute = std::path::absolute(path).ok().filter(|_| path.contains(['*', '?', '[']));
    let Some(absolute) = absolute.as_deref().and_then(Path::to_str) else { return path.into() };
    let mut url = "file://".to_owned();
    for byte in absolute.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => url.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url.into()
}

/// Prints rows. What a terminal shows must not be what it obeys.
async fn print(
    rows: DataFrame,
    format: Format,
    is_terminal: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let schema = Arc::clone(rows.schema().inner());
    let arrow = |error| failure(DataFusionError::ArrowError(Box::new(error), None));
    match format {
        Format::Table => {
            let is_plan = matches!(rows.logical_plan(), LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
            let batches = rows.collect().await.map_err(failure)?;
            writeln!(out, "{}", table::text(&schema, &batches, is_plan).map_err(arrow)?)?;
        }
        Format::Json | Format::Csv => {
            let shown = |lines: Vec<u8>| match is_terminal && format == Format::Csv {
                true => csv::shown(&lines).into_bytes(),
                false => lines,
            };
            if format == Format::Csv {
                out.write_all(&shown(csv::header(&schema).map_err(arrow)?))?;
            }
            let mut batches = rows.execute_stream().await.map_err(failure)?;
            while let Some(batch) = batches.next().await {
                let batch = batch.map_err(failure)?;
                let text = if format == Format::Csv { csv::rows(&batch) } else { json(&batch) };
                out.write_all(&shown(text.map_err(arrow)?))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn json(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut text = Vec::new();
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut text);
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    Ok(text)
}

/// Converts an error of DataFusion. The exit code is that of its cause.
fn failure(error: DataFusionError) -> Failure {
    let root = error.find_root();
    let of = |error: &(dyn std::error::Error + 'static)| {
        let ours = error.downcast_ref::<rntuple::Error>().map(Status::of);
        let output = || error.downcast_ref::<io::Error>().map(|_| Status::Unreadable);
        ours.or_else(output)
    };
    let status = match root {
        DataFusionError::External(error) => of(error.as_ref()).unwrap_or(Status::Unreadable),
        DataFusionError::ArrowError(..) | DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => {
            Status::Unreadable
        }
        _ => Status::Usage,
    };
    Failure::Message(status, error.strip_backtrace())
}
