//! The command line of `rntuple dataset`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Parser, Subcommand};

/// Work on a data set: many files with versions, deletions and added columns
///
/// A data set is a folder, or the prefix of an object store, with ordinary ROOT files and what is known about them. Each
/// change is a new version; old ones stay until they are cleaned up. Programs that read the files without the data set
/// see rows that are deleted: `compact` writes files without them.
#[derive(Debug, Parser)]
pub(crate) struct Dataset {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(Create),
    Append(Append),
    Ls(Ls),
    Log(Log),
    Tag(Tag),
    Restore(Restore),
    Delete(Delete),
    Drop(Drop),
    Rename(Rename),
    Compact(Compact),
    Index(Index),
    Cleanup(Cleanup),
    Check(Check),
    Export(Export),
}

/// Which version is meant.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct At {
    /// The tag of a version, its number, or a time as `2026-11-24T08:00:00Z`; the default is the newest one
    #[arg(long, value_name = "VERSION")]
    pub(crate) at: Option<String>,
}

/// Create a data set with the fields of a file, which becomes its first one
#[derive(Debug, Parser)]
pub(crate) struct Create {
    /// Path or URL of the data set, as `events.rnds`
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// ROOT files; those after the first one are appended
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The ntuple, as `Events` or `directory/Events`; may be omitted where the first file has only one
    #[arg(long, value_name = "PATH")]
    pub(crate) ntuple: Option<String>,
    /// Copy the files into the data set; the default is to leave them where they are
    #[arg(long)]
    pub(crate) copy: bool,
    /// Declare that the rows of each file are in ascending order of these fields, as `run,event`; files that are not sorted
    /// are refused
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) sorted_by: Vec<String>,
}

/// Append the entries of files
#[derive(Debug, Parser)]
pub(crate) struct Append {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// ROOT files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Copy the files into the data set; the default is to leave them where they are
    #[arg(long)]
    pub(crate) copy: bool,
}

/// List the fields and files of a version
#[derive(Debug, Parser)]
pub(crate) struct Ls {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    #[command(flatten)]
    pub(crate) at: At,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the versions
#[derive(Debug, Parser)]
pub(crate) struct Log {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
}

/// Name a version; without a name, list the names
#[derive(Debug, Parser)]
pub(crate) struct Tag {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// The name
    #[arg(value_name = "TAG")]
    pub(crate) tag: Option<String>,
    #[command(flatten)]
    pub(crate) at: At,
    /// Move the name, if another version has it
    #[arg(long, short, requires = "tag")]
    pub(crate) force: bool,
    /// Remove the name
    #[arg(long, conflicts_with_all = ["force", "at"], requires = "tag")]
    pub(crate) remove: bool,
}

/// Make an old version the newest one
#[derive(Debug, Parser)]
pub(crate) struct Restore {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Tag or number of the version
    #[arg(value_name = "VERSION")]
    pub(crate) version: String,
}

/// Delete rows; the files stay as they are
#[derive(Debug, Parser)]
pub(crate) struct Delete {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// The rows that fulfil a condition, as `run == 42 and met > 50`
    #[arg(long = "where", value_name = "CONDITION", required_unless_present = "rows")]
    pub(crate) condition: Option<String>,
    /// Rows by their ids
    #[arg(long, value_name = "IDS", value_delimiter = ',', conflicts_with = "condition")]
    pub(crate) rows: Vec<u64>,
}

/// Remove columns: fields, or members of records as `muons.charge`
#[derive(Debug, Parser)]
pub(crate) struct Drop {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Fields
    #[arg(required = true, value_name = "FIELD")]
    pub(crate) fields: Vec<String>,
}

/// Give a field another name
#[derive(Debug, Parser)]
pub(crate) struct Rename {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// The field
    #[arg(value_name = "FIELD")]
    pub(crate) field: String,
    /// Its new name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Write small files together, and files without the rows that are deleted
#[derive(Debug, Parser)]
pub(crate) struct Compact {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Size of the new files in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) target: u64,
    /// Part of the rows of a file that must be deleted for it to be written again, whatever its size
    #[arg(long, value_name = "PART", default_value_t = 0.1)]
    pub(crate) deleted: f64,
}

/// Remove old versions, and files that no version needs
///
/// The newest version and those with tags stay. Files that no version names are kept for 7 days, as a program may be
/// writing them. If it takes longer until it commits, its files may be removed, and its commit is refused.
#[derive(Debug, Parser)]
pub(crate) struct Cleanup {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Age of the versions that are removed, as `30d`, `12h` or `0s`
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Duration,
    /// Age from which files are removed that no version names
    #[arg(long, value_name = "AGE", value_parser = parse_age, default_value = "7d")]
    pub(crate) unreferenced_after: Duration,
    /// Only say what would be removed
    #[arg(long, short = 'n')]
    pub(crate) dry_run: bool,
}

/// Collect the bounds of values in all files in one file: a search by a condition then opens only files that may have matches
///
/// Bounds are those of the statistics that the files have. After rows were appended, or files were written together, this
/// looks only into new files.
#[derive(Debug, Parser)]
pub(crate) struct Index {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Read files that have no statistics as a whole; the default is that nothing is known of them
    #[arg(long)]
    pub(crate) compute: bool,
}

/// Check all versions, their files, and with --pages every page
#[derive(Debug, Parser)]
pub(crate) struct Check {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// Read every page of every file
    #[arg(long)]
    pub(crate) pages: bool,
}

/// Write the rows of a version to one plain file
#[derive(Debug, Parser)]
pub(crate) struct Export {
    /// Path or URL of the data set
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: String,
    /// ROOT file to write
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
    #[command(flatten)]
    pub(crate) at: At,
}

/// Print what is known of a data set of Lance: its versions, schema, fragments, deletions and transactions
#[derive(Debug, Parser)]
pub(crate) struct LanceInfo {
    /// Folder or URL of the Lance data set
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The version that is described as a whole; the default is the newest one
    #[arg(long, value_name = "NUMBER")]
    pub(crate) version: Option<u64>,
}

/// `30d`, `12h`, `5m`, `10s`
fn parse_age(text: &str) -> Result<Duration, String> {
    let wrong = || "an age looks like 30d, 12h, 5m or 10s".to_owned();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "d" => 86_400,
        "h" => 3_600,
        "m" => 60,
        "s" => 1,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// `2026-11-24`, `2026-11-24T08:00:00Z`
pub(super) fn parse_time(text: &str) -> Option<SystemTime> {
    let text = match text.len() {
        10 => format!("{text}T00:00:00Z"),
        _ => text.to_owned(),
    };
    chrono::DateTime::parse_from_rfc3339(&text).ok().map(SystemTime::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        assert_eq!(parse_age("2d"), Ok(Duration::from_secs(172_800)));
        assert_eq!(parse_age("0s"), Ok(Duration::ZERO));
        for wrong in ["", "d", "5", "-1d", "1w", "1é", "99999999999999999999d", "999999999999999999d"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_dates_or_have_a_zone() {
        let day = parse_time("2026-11-24").unwrap();
        assert_eq!(parse_time("2026-11-24T01:00:00+01:00"), Some(day));
        for no_time in ["before", "12", "2026-13-24", "2026-11-24T08:00:00"] {
            assert_eq!(parse_time(no_time), None, "{no_time}");
        }
    }
}
