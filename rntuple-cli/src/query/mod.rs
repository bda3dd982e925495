//! `rntuple query`: SQL over files and data sets.

mod csv;
mod print;
mod save;
mod table;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};
use rntuple_dataset::{At, Table};

use self::print::{Format, failure, print};
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
        Some(path) => save::run(&context, &mut stores, rows, path, &args.option, args.force).await,
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
                true => save::literal(file).into_owned(),
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
    let is_url = remote::is_url(Path::new(text));
    let is_pattern = match is_url {
        true => remote::pattern(Path::new(text)).is_some(),
        false => text.contains(['*', '[']) && !Path::new(text).exists(),
    };
    let files = match is_pattern {
        true => rntuple::storage::find_files(text)?,
        false => vec![PathBuf::from(text)],
    };
    let name = |file: &PathBuf| match file.to_str() {
        Some(name) if is_pattern && is_url => Ok(remote::literal(name)),
        Some(name) => Ok(name.to_owned()),
        None => Err(Failure::Message(Status::Usage, format!("{}: the path is not UTF-8", file.display()))),
    };
    Ok(Found::Files(files.iter().map(name).collect::<Result<_, _>>()?))
}
