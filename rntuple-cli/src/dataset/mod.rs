//! `rntuple dataset`: many files with versions.

pub(crate) mod args;
mod list;

use std::fmt::Display;
use std::io::{self, Write};

use rntuple::statistics::SortOrder;
use rntuple::{Dataset, RootFile};
use rntuple_dataset::{
    Adopt, At, CleanupOptions, CompactOptions, Error, ErrorKind, IndexOptions, Location, Snapshot, Source,
    Table, lance_info,
};

use crate::failure::{Failure, Status};
use crate::ntuple;
use crate::remote::expanded;
use crate::text::{bytes, count, printable};
use args::{Command, parse_time};

pub(crate) fn run(args: &args::Dataset) -> Result<Status, Failure> {
    match &args.command {
        Command::Create(args) => create(args)?,
        Command::Append(args) => {
            let table = open(&args.dataset)?;
            say(&args.dataset, &table.append_files(&sources(&args.files, args.copy)?)?)?;
        }
        Command::Ls(args) => {
            list::version(&snapshot(&open(&args.dataset)?, &args.at)?, args.json)?;
        }
        Command::Log(args) => list::versions(&open(&args.dataset)?.versions()?)?,
        Command::Tag(args) => tag(args)?,
        Command::Restore(args) => {
            let table = open(&args.dataset)?;
            let version = snapshot(&table, &args::At { at: Some(args.version.clone()) })?.version();
            say(&args.dataset, &table.restore(version)?)?;
        }
        Command::Delete(args) => delete(args)?,
        Command::Drop(args) => {
            let fields: Vec<&str> = args.fields.iter().map(String::as_str).collect();
            say(&args.dataset, &open(&args.dataset)?.drop_columns(&fields)?)?;
        }
        Command::Rename(args) => {
            say(&args.dataset, &open(&args.dataset)?.rename_column(&args.field, &args.name)?)?;
        }
        Command::Compact(args) => {
            let options =
                CompactOptions::new().target_size(args.target.saturating_mul(1 << 20)).deleted(args.deleted);
            say(&args.dataset, &open(&args.dataset)?.compact(&options)?)?;
        }
        Command::Index(args) => index(args)?,
        Command::Cleanup(args) => cleanup(args)?,
        Command::Check(args) => return check(args),
        Command::Export(args) => {
            let snapshot = snapshot(&open(&args.dataset)?, &args.at)?;
            snapshot.export(&args.out)?;
            line(format_args!("{}: {}", printable(&args.out), count(snapshot.len(), "entry")))?;
        }
    }
    Ok(Status::Good)
}

/// `rntuple lance-info`: what is known of a data set of Lance.
pub(crate) fn print_lance_info(args: &args::LanceInfo) -> Result<Status, Failure> {
    // `s3://bucket/..`, and `file:/data/..`
    let url = args.folder.to_str().filter(|folder| folder.contains(":/"));
    let describe = |version| match url {
        Some(url) => lance_info::describe_at(&Location::new(url)?, version),
        None => lance_info::describe(&args.folder, version),
    };
    let text = describe(args.version).map_err(|error| match error.kind() {
        // No version of it is there.
        ErrorKind::NotFound if args.version.is_none() || describe(None).is_err() => missing(&error),
        _ => error.into(),
    })?;
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    write!(io::stdout(), "{}", lines.join("\n"))?;
    Ok(Status::Good)
}

fn open(dataset: &str) -> Result<Table, Failure> {
    Table::open(dataset).map_err(|error| match error.kind() {
        ErrorKind::NotFound => missing(&error),
        _ => error.into(),
    })
}

/// What is to be read does not exist. Of names within it, that is wrong usage.
fn missing(error: &Error) -> Failure {
    Failure::Message(Status::Unreadable, error.to_string())
}

fn create(args: &args::Create) -> Result<(), Failure> {
    let sources = sources(&args.files, args.copy)?;
    Source::check_distinct(&sources)?;
    let Some((first, others)) = sources.split_first() else { return Ok(()) };
    let path = match &args.ntuple {
        Some(path) => path.clone(),
        None => ntuple::choose(&RootFile::open(first.path())?, None)?,
    };
    let order: Vec<&str> = args.sorted_by.iter().map(String::as_str).collect();
    if !order.is_empty() {
        // Before there is a data set.
        let file = RootFile::open(first.path())?;
        SortOrder::verify(&Dataset::open(&file, &path)?, &args.sorted_by)?;
    }
    let table = Table::create_from(&args.dataset, &path, first)?;
    let mut snapshot = table.snapshot()?;
    if !order.is_empty() {
        snapshot = table.set_sort_order(&order)?;
    }
    if !others.is_empty() {
        snapshot = table.append_files(others)?;
    }
    say(&args.dataset, &snapshot)
}

fn sources(files: &[std::path::PathBuf], copy: bool) -> Result<Vec<Source>, Failure> {
    let adopt = if copy { Adopt::Copy } else { Adopt::InPlace };
    let source = |file: &std::path::PathBuf| match file.to_str() {
        Some(path) => Ok(Source::new(path, adopt)),
        None => Err(Failure::Message(Status::Usage, format!("{}: the path is not UTF-8", file.display()))),
    };
    expanded(files)?.iter().map(source).collect()
}

fn tag(args: &args::Tag) -> Result<(), Failure> {
    if args.tag.is_none() && args.at.at.is_some() {
        let message = "`--at` has no effect without the name of a tag";
        return Err(Failure::Message(Status::Usage, message.to_owned()));
    }
    let table = open(&args.dataset)?;
    let Some(tag) = &args.tag else {
        return table
            .tags()?
            .iter()
            .try_for_each(|(tag, version)| line(format_args!("{}  version {version}", printable(tag))));
    };
    if args.remove {
        return Ok(table.untag(tag)?);
    }
    let version = snapshot(&table, &args.at)?.version();
    match args.force {
        true => table.move_tag(tag, version)?,
        false => table.tag(tag, version)?,
    }
    line(format_args!("{tag}  version {version}"))
}

fn delete(args: &args::Delete) -> Result<(), Failure> {
    let table = open(&args.dataset)?;
    let before = table.snapshot()?;
    let after = match &args.condition {
        Some(condition) => {
            let predicate = condition.parse().map_err(|error: rntuple::Error| {
                Failure::Message(Status::Usage, format!("--where: {error}"))
            })?;
            table.delete_where(&predicate)?
        }
        None => table.delete_rows(&args.rows)?,
    };
    if after.version() == before.version() {
        return line(format_args!("{}: no row matches, nothing is changed", printable(&args.dataset)));
    }
    say(&args.dataset, &after)
}

fn index(args: &args::Index) -> Result<(), Failure> {
    let snapshot = open(&args.dataset)?.index_bounds(&IndexOptions::new().compute(args.compute))?;
    let fragments = snapshot.fragments().iter().filter(|fragment| fragment.physical_rows > 0).count() as u64;
    let indexed = count(snapshot.indexed_fragments(), "fragment");
    let (dataset, version) = (printable(&args.dataset), snapshot.version());
    line(format_args!("{dataset}: version {version}, bounds of {indexed} of {fragments} with rows"))?;
    if snapshot.indexed_fragments() < fragments {
        line("the others have no statistics: with --compute, they are read to find the bounds")?;
    }
    Ok(())
}

fn cleanup(args: &args::Cleanup) -> Result<(), Failure> {
    let options = CleanupOptions::older_than(args.older_than)
        .unreferenced_after(args.unreferenced_after)
        .dry_run(args.dry_run);
    let cleaned = open(&args.dataset)?.cleanup(&options)?;
    for version in &cleaned.versions {
        line(format_args!("version {version}"))?;
    }
    for file in &cleaned.files {
        line(printable(file))?;
    }
    let (versions, files) = (cleaned.versions.len() as u64, cleaned.files.len() as u64);
    let done = if args.dry_run { "would be removed" } else { "removed" };
    let what = format!("{}, {}, {}", count(versions, "version"), count(files, "file"), bytes(cleaned.bytes));
    line(format_args!("{}: {what} {done}", printable(&args.dataset)))
}

fn check(args: &args::Check) -> Result<Status, Failure> {
    let report = open(&args.dataset)?.check(args.pages)?;
    for finding in &report.findings {
        line(printable(&finding.to_string()))?;
    }
    let looked =
        format!("{}, {}", count(report.versions as u64, "version"), count(report.files as u64, "data file"));
    let verdict = match report.findings.len() as u64 {
        0 => "ok".to_owned(),
        faults => count(faults, "fault"),
    };
    line(format_args!("{}: {verdict}; {looked}", printable(&args.dataset)))?;
    Ok(if report.is_sound() { Status::Good } else { Status::Damaged })
}

/// Says what a change has made.
fn say(dataset: &str, snapshot: &Snapshot) -> Result<(), Failure> {
    let (rows, fragments) =
        (count(snapshot.len(), "row"), count(snapshot.fragments().len() as u64, "fragment"));
    line(format_args!("{}: version {}, {rows} in {fragments}", printable(dataset), snapshot.version()))
}

fn line(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// The version that an argument means. A tag may look like a number or a time: it comes first, since it was given by a user.
fn snapshot(table: &Table, at: &args::At) -> Result<Snapshot, Failure> {
    let Some(text) = &at.at else { return Ok(table.snapshot()?) };
    let other = match (text.parse(), parse_time(text)) {
        (Ok(version), _) => At::Version(version),
        (Err(_), Some(time)) => At::Time(time),
        (Err(_), None) => return Ok(table.at(At::Tag(text.clone()))?),
    };
    match table.tagged(text) {
        Ok(version) => Ok(table.at(version)?),
        // There is no such tag, or it would not be a name.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidArgument) => {
            Ok(table.at(other)?)
        }
        Err(error) => Err(error.into()),
    }
}

/// The exit code for an error of a data set.
pub(crate) fn status(error: &Error) -> Status {
    match error.kind() {
        ErrorKind::OutOfSpec | ErrorKind::LimitExceeded => Status::Damaged,
        ErrorKind::InvalidArgument | ErrorKind::NotFound | ErrorKind::SchemaMismatch => Status::Usage,
        ErrorKind::Conflict => Status::Conflict,
        _ => Status::Unreadable,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Message(status(&error), error.to_string())
    }
}
