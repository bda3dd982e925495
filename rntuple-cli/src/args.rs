//! The command line.

use std::ops::Range;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand, ValueEnum};
use rntuple::Compression;
use rntuple::merge::AttributePolicy;
use rntuple::predicate::Predicate;

use crate::limits::{self, Limit};

/// Lists, prints, checks, merges and recovers RNTuple files, and writes structs and statistics for them.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES, after_long_help = format!("{}\n\n{EXIT_CODES}", limits::HELP))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Raise or lower a limit on what a file may take, as `entry=4GiB`; `none` for no limits. `rntuple --help` has the
    /// list
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = limits::parse)]
    pub(crate) limit: Vec<Limit>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  everything went well; check: everything was checked and is sound
  1  a file is damaged: check found faults, another command came upon one
  2  wrong usage: arguments, names of ntuples and fields that the file does not have, files that cannot be merged
  3  a file cannot be read: missing, no permission, without an ntuple, of an unsupported format
  4  check found no fault, but could not check everything, or found bytes that nothing refers to; recover could not
     save all
  5  a change of a data set lost against that of another program: nothing was changed, and it may be tried again
With several files the worst code is returned, in the order 0, 4, 1, 2, 3; one bad file does not stop the rest.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ls(Ls),
    Dump(Dump),
    Check(Check),
    Codegen(Codegen),
    Merge(Merge),
    Recover(Recover),
    Stats(Stats),
    #[cfg(feature = "dataset")]
    Dataset(crate::dataset::args::Dataset),
    #[cfg(feature = "dataset")]
    LanceInfo(crate::dataset::args::LanceInfo),
    #[cfg(feature = "sql")]
    Query(crate::query::Query),
}

/// List the ntuples of files, with their fields and columns
///
/// A column is shown as its type and, in brackets, its bits on storage (and value range); representations are
/// separated by |.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Ls {
    /// ROOT files, or their URLs
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print entries, one JSON object to a line
///
/// Numbers that are not finite are the strings "NaN", "Infinity" and "-Infinity"; strings that are not UTF-8 are
/// {"bytes": hex}; maps are lists of {"_0": key, "_1": value}; variants are {"variant": number, "value": ..} with
/// number 0 for none; streamed objects are {"streamed": hex}.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Dump {
    /// ROOT file, or its URL
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The ntuple, as `Events` or `directory/Events`; may be left out where the file has only one
    #[arg(long, value_name = "PATH")]
    pub(crate) ntuple: Option<String>,
    /// Only these entries: from A on, before B; entries are counted from 0. A range that begins after the last entry is
    /// an error; one that ends after it is cut, with a note
    #[arg(long, value_name = "A..B", value_parser = parse_entries)]
    pub(crate) entries: Option<Range<u64>>,
    /// Only these fields, as `met,muons.pt`; `*` matches any characters of a name, `?` for one: `Muon_*`
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// Only entries that this is true of, as `met > 50 and any(muons, pt > 20)`. Files, clusters and pages without any are
    /// not read, where the file has statistics
    #[arg(long = "where", value_name = "CONDITION", conflicts_with = "attributes")]
    pub(crate) condition: Option<Predicate>,
    /// What this attribute set says of the entries, as {"range": [A, B], "value": {..}}, instead of the entries
    #[arg(long, value_name = "SET", conflicts_with = "fields")]
    pub(crate) attributes: Option<String>,
}

/// Check every byte of the ntuples of files, and list everything that is wrong
///
/// Faults go to standard output, one to a line, then notes, and then a summary of each file: `ok`, the number of faults,
/// or `incomplete`. Incomplete is a file without faults in which something could not be checked, such as types of a
/// later version of the format, or in which there are bytes that nothing refers to, such as entries that a writer lost
/// on a full disk. Notes say what. Other notes change nothing: bytes that appending has replaced, or a file that JSROOT
/// cannot read.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Check {
    /// ROOT files, or their URLs
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print only faults, and why a file is incomplete
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Print Rust structs that read the entries of an ntuple, or C++ classes for them
///
/// The structs derive RNTuple and also write, unless the ntuple has what cannot be written. What has no type in
/// Rust is an `rntuple::Value`; what cannot be read is left out, and named in a comment.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Codegen {
    /// ROOT file, or its URL
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The ntuple, as `Events` or `directory/Events`; may be left out where the file has only one
    #[arg(long, value_name = "PATH")]
    pub(crate) ntuple: Option<String>,
    /// Name of the struct that is an entry, instead of the ntuple's
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Keep these fields values of any type, as `jets._0.tag`: enums with values that have no names, strings that are not
    /// UTF-8
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) value: Vec<String>,
    /// Print C++: a header, and behind it the LinkDef for rootcling
    #[arg(long)]
    pub(crate) cxx: bool,
    /// Print the LinkDef for rootcling alone
    #[arg(long, conflicts_with = "cxx")]
    pub(crate) link_def: bool,
}

/// Merge the ntuples of files into one file, without decoding anything
///
/// Entries follow each other in the order of the files. OUT is there once it is complete; the files are only read.
/// Other objects in them are not copied.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Merge {
    /// ROOT file to write, or its URL
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// ROOT files, or their URLs
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The ntuple of all files, as `Events` or `directory/Events`; may be left out where the first file has only one
    #[arg(long, value_name = "PATH")]
    pub(crate) ntuple: Option<String>,
    /// What becomes of fields that not all files have
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub(crate) schema: SchemaChoice,
    /// Compress pages anew, as `zstd:5`, `lz4` or `none`; the default is to leave them as they are
    #[arg(long, value_name = "SETTINGS")]
    pub(crate) compression: Option<Compression>,
    /// Refuse files that store a field in different ways, as JSROOT cannot read what comes of them
    #[arg(long)]
    pub(crate) strict_encoding: bool,
    /// Write one cluster group for all files instead of one for each, as JSROOT reads only the first
    #[arg(long)]
    pub(crate) single_group: bool,
    /// What becomes of attribute sets: `concat` (the default), `first`, `equal` or `drop`; of one set, as `Runs=first`
    #[arg(long, value_name = "[SET=]POLICY", value_parser = parse_policy)]
    pub(crate) attributes: Vec<(Option<String>, AttributePolicy)>,
    /// Replace OUT if it exists
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print nothing
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Save what is left of a damaged file to a new one
///
/// For files of a program that was killed, that are cut short, or that a medium has damaged. What can be proved whole by
/// its checksums is copied as it is, all ntuples of the file; nothing is guessed. The report says what was saved, and
/// what is lost by entries and fields. The exit code is 4 if anything is lost. FILE is only read, and need not be one
/// that other commands open: a program that dies leaves its file as NAME.partial, .NAME.part or NAME.left.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Recover {
    /// Damaged ROOT file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// ROOT file to write
    #[arg(long, short, value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Also save clusters that nothing describes, where their pages fit the columns in one way
    ///
    /// For files of ROOT jobs that died: ROOT writes what describes the clusters when it closes a file.
    #[arg(long)]
    pub(crate) deduce: bool,
    /// Replace OUT if it exists
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print nothing
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Print bounds and counts of the values of each field, or keep them so that readers can skip what they do not look for
///
/// Those that are kept, in the file or in a file of their own, are printed; if there are none, the file is read. Of a
/// collection, the bounds are those of the sizes, of its items those of all collections together; an option is a
/// collection of at most one item. Bounds need not be values: those of strings are cut after 64 bytes.
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Stats {
    /// ROOT file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The ntuple, as `Events` or `directory/Events`; may be omitted where the file has only one
    #[arg(long, value_name = "PATH")]
    pub(crate) ntuple: Option<String>,
    /// Print one JSON document
    #[arg(long, conflicts_with_all = ["add", "output"])]
    pub(crate) json: bool,
    /// Read the file, and add the statistics to it, in place of any that it has; everything else in it stays
    #[arg(long, conflicts_with_all = ["output", "from"])]
    pub(crate) add: bool,
    /// Read the file, and write the statistics to this file
    #[arg(long, short, value_name = "SIDE", conflicts_with = "from")]
    pub(crate) output: Option<PathBuf>,
    /// Also check that the entries are in ascending order of these fields, as `run,event`, and keep that they are
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) sorted_by: Vec<String>,
    /// Print those of a file that `--output` wrote
    #[arg(long, value_name = "SIDE")]
    pub(crate) from: Option<PathBuf>,
    /// Replace SIDE if it exists
    #[arg(long, short, requires = "output")]
    pub(crate) force: bool,
}

/// What becomes of fields that not all files have.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum SchemaChoice {
    /// There must be none
    #[default]
    Strict,
    /// Keep them; they are zero or empty in the entries of files that lack them
    Union,
    /// Keep only the fields of the first file, which all others must have
    Filter,
}

/// What the feature `dataset` adds.
const DATASET_COMMANDS: [&str; 2] = ["dataset", "lance-info"];

/// The error of a wrong command line: an argument too many, in commands that take one file, is most likely an ntuple.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    let tip = |error: &mut clap::Error, tip: String| {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    };
    let argument = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) => argument,
        _ => {
            let command = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(command)) => command.clone(),
                _ => return error,
            };
            if cfg!(not(feature = "dataset")) && DATASET_COMMANDS.contains(&&*command) {
                // It may be similar to one that exists.
                error.remove(ContextKind::SuggestedSubcommand);
                let way = "install it with `--features dataset`";
                tip(&mut error, format!("this program was built without data sets: {way}"));
            }
            return error;
        }
    };
    if !argument.starts_with('-') {
        let way = format!("an ntuple is named by '--ntuple {argument}'");
        tip(&mut error, way);
    }
    error
}

/// `POLICY`, `SET=POLICY`
fn parse_policy(text: &str) -> Result<(Option<String>, AttributePolicy), String> {
    let (set, policy) = match text.rsplit_once('=') {
        Some((set, policy)) => (Some(set.to_owned()), policy),
        None => (None, text),
    };
    let policy = match policy {
        "concat" => AttributePolicy::Concat,
        "first" => AttributePolicy::First,
        "equal" => AttributePolicy::Equal,
        "drop" => AttributePolicy::Drop,
        _ => return Err("it is one of concat, first, equal and drop".to_owned()),
    };
    Ok((set, policy))
}

/// `A..B`, `A..`, `..B`
fn parse_entries(text: &str) -> Result<Range<u64>, String> {
    let Some((first, end)) = text.split_once("..") else {
        return Err("a range looks like A..B, A.. or ..B".to_owned());
    };
    let number = |text: &str, default: u64| match text {
        "" => Ok(default),
        _ => text.parse().map_err(|error| format!("{text:?}: {error}")),
    };
    let range = number(first, 0)?..number(end, u64::MAX)?;
    if range.start > range.end {
        return Err(format!("entry {} is not before entry {}", range.start, range.end));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn commands_of_a_feature_name_it() {
        for command in DATASET_COMMANDS {
            let text = match Args::try_parse_from(["rntuple", command]) {
                Err(error) => explained(error).to_string(),
                Ok(_) => String::new(),
            };
            assert_eq!(text.contains("--features dataset"), cfg!(not(feature = "dataset")), "{text}");
        }
    }

    #[test]
    fn policies_are_for_all_sets_or_for_one() {
        assert_eq!(parse_policy("drop"), Ok((None, AttributePolicy::Drop)));
        assert_eq!(parse_policy("a=b=first"), Ok((Some("a=b".to_owned()), AttributePolicy::First)));
        for bad in ["", "Runs", "Runs=", "Runs=last"] {
            assert!(parse_policy(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ranges_are_half_open() {
        assert_eq!(parse_entries("3..7"), Ok(3..7));
        assert_eq!(parse_entries("3.."), Ok(3..u64::MAX));
        assert_eq!(parse_entries("..7"), Ok(0..7));
        assert_eq!(parse_entries(".."), Ok(0..u64::MAX));
        assert_eq!(parse_entries("5..5"), Ok(5..5));
        for bad in ["", "3", "7..3", "a..b", "-1..2", "1..=2"] {
            assert!(parse_entries(bad).is_err(), "{bad:?}");
        }
    }
}
