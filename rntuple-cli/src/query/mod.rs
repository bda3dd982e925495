//! `rntuple query`: SQL over files and data sets.

mod csv;
mod table;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::WriterBuilder;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::format_as_file_type;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::{DataFrame, SessionContext};
use futures_util::StreamExt as _;
use rntuple::storage::without_secrets;
use rntuple_datafusion::{RNTupleTable, TableOptions, config, listing_url, with_rntuple};
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
    /// How many threads work on it. Default: as many as there are processors
    #[arg(long, value_name = "NUMBER")]
    threads: Option<usize>,
}

/// The names of our own format.
const FORMATS: [&str; 2] = ["root", "rntuple"];

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
        Some(path) => save(&context, &mut stores, rows, path, &args.option).await,
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
        false => text.contains(['*', '[']),
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

async fn save(
    context: &SessionContext,
    stores: &mut Stores,
    rows: DataFrame,
    path: &Path,
    options: &[(String, String)],
) -> Result<(), Failure> {
    let shown = without_secrets(&path.to_string_lossy());
    let usage = |message: String| Failure::Message(Status::Usage, format!("{shown}: {message}"));
    let url = path.to_str().filter(|path| path.contains("://"));
    // What follows the `?` of a URL is no part of a name.
    let name = url.map_or(path, |url| Path::new(url.split('?').next().unwrap_or_default()));
    let extension = name.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if let Some(url) = url {
        if extension.eq_ignore_ascii_case("csv") {
            return Err(usage("files of CSV are written to paths, not to URLs".to_owned()));
        }
        if ["http://", "https://"].iter().any(|scheme| url.to_ascii_lowercase().starts_with(scheme)) {
            return Err(usage("servers of HTTP are read, not written to".to_owned()));
        }
        remote::register_stores(context, &[url.to_owned()], stores)?;
        return copy(rows, &listing_url(url), extension, options, &usage).await;
    }
    if extension.eq_ignore_ascii_case("csv") {
        if let Some((name, _)) = options.first() {
            return Err(usage(format!("no option {name:?} for CSV files; COPY .. TO has some")));
        }
        let unfinished = Unfinished::of(path);
        save_csv(rows, path, &unfinished.0).await?;
        return unfinished.finish(path);
    }
    let path = std::path::absolute(path)?;
    let utf8 = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| usage("the path is not UTF-8".to_owned()))
    };
    // Our own files get their names at the end anyway.
    if FORMATS.iter().any(|name| extension.eq_ignore_ascii_case(name)) {
        return copy(rows, &utf8(&path)?, extension, options, &usage).await;
    }
    let unfinished = Unfinished::of(&path);
    copy(rows, &utf8(&unfinished.0)?, extension, options, &usage).await?;
    unfinished.finish(&path)
}

/// Writes rows to a file at a path or a URL, in a format of DataFusion or in ours.
async fn copy(
    rows: DataFrame,
    to: &str,
    extension: &str,
    options: &[(String, String)],
    usage: &dyn Fn(String) -> Failure,
) -> Result<(), Failure> {
    let (state, plan) = rows.into_parts();
    let format = state.get_file_format_factory(extension).ok_or_else(|| {
        usage("the name of a file says its format: .root, .parquet, .arrow, .csv, .json".to_owned())
    })?;
    let (to, options) = (to.to_owned(), options.iter().cloned().collect::<HashMap<_, _>>());
    let copy = LogicalPlanBuilder::copy_to(plan, to, format_as_file_type(format), options, Vec::new());
    let copy = copy.and_then(LogicalPlanBuilder::build).map_err(failure)?;
    DataFrame::new(state, copy).collect().await.map_err(failure)?;
    Ok(())
}

/// A file under the name that it has until it has all its rows. It is removed if it does not get them.
struct Unfinished(PathBuf);

impl Unfinished {
    fn of(path: &Path) -> Self {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        // Its extension says the format.
        let (name, extension) = (text(path.file_name()), text(path.extension()));
        Self(path.with_file_name(format!(".{name}.{}.{extension}", std::process::id())))
    }

    fn finish(self, path: &Path) -> Result<(), Failure> {
        std::fs::rename(&self.0, path).map_err(|error| unwritable(path, &error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // One that is finished has another name.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Message(Status::Unreadable, format!("{}: {error}", path.display()))
}

/// Writes a file of CSV for what is to be at a path.
async fn save_csv(rows: DataFrame, path: &Path, unfinished: &Path) -> Result<(), Failure> {
    let file = std::fs::File::create(unfinished).map_err(|error| unwritable(path, &error))?;
    let printed = print(rows, Format::Csv, false, &mut io::BufWriter::new(file)).await;
    printed.map_err(|failure| match failure {
        Failure::Output(error) => unwritable(path, &error),
        other => other,
    })
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
