//! `rntuple`: what is in a file, entry by entry, and whether it is sound.
//!
//! ```text
//! rntuple ls FILE...                       ntuples, their fields and columns; --json for programs
//! rntuple dump FILE [--ntuple PATH]        one JSON object for each entry, or for each attribute of a set
//! rntuple check FILE...                    every fault, one to a line
//! rntuple codegen FILE [--cxx]             Rust structs, or C++ classes, for the entries
//! rntuple merge OUT FILE...                one file with the entries of all
//! rntuple recover FILE -o OUT              what is left of a damaged file
//! rntuple stats FILE                       bounds and counts of values; --add keeps them in the file
//! rntuple dataset COMMAND DATASET ..       many files with versions, deletions and added columns
//! rntuple lance-info FOLDER                versions, schema and fragments of a data set of Lance
//! rntuple query SQL --table NAME=FILE ..   SQL over files and data sets
//! ```
//!
//! A file may be a URL (`root://host//data/run*.root`, `s3://bucket/run1.root`, `https://host/run1.root`) where the program
//! was built with the feature `remote`. Patterns of URLs are looked up; those of paths are the shell's affair.
//!
//! Results go to standard output, everything else (errors, as `rntuple: file: what`, and the progress bar) to
//! standard error; the faults that `check` finds are results. Where nobody reads on, as in `rntuple dump
//! events.root | head`, the program ends quietly.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | everything went well; for `check`: everything was checked and is sound |
//! | 1 | a file is damaged: `check` found faults, another command came upon one |
//! | 2 | wrong usage: arguments, names of ntuples and fields that the file does not have, files that cannot be merged |
//! | 3 | a file cannot be read: missing, no permission, without an ntuple, of an unsupported format |
//! | 4 | `check` found no fault, but could not check everything, or found bytes that nothing refers to; `recover` could not save all |
//! | 5 | a change of a data set lost against that of another program: nothing was changed, and it may be tried again |
//!
//! What a file may take is limited; `--limit NAME=VALUE` raises a limit or lowers it, with every command but `query`,
//! `dataset` and `lance-info`, which refuse it.
//!
//! With several files the worst code is returned, in the order 0, 4, 1, 2, 3; one bad file does not stop the rest.

use std::process::ExitCode;

use clap::Parser;

mod args;
mod check;
mod codegen;
#[cfg(feature = "dataset")]
mod dataset;
mod dump;
mod failure;
mod fields;
mod json;
mod limits;
mod ls;
mod merge;
mod ntuple;
mod progress;
#[cfg(feature = "sql")]
mod query;
mod recover;
mod remote;
mod stats;
mod text;

use args::{Args, Command};
use failure::Status;

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| args::explained(error).exit());
    let limits = limits::limits(&args.limit);
    remote::register();
    let result = match args.command {
        // They would be silently ignored.
        #[cfg(feature = "dataset")]
        Command::Dataset(_) if !args.limit.is_empty() => Err(unlimited("dataset")),
        #[cfg(feature = "dataset")]
        Command::LanceInfo(_) if !args.limit.is_empty() => Err(unlimited("lance-info")),
        #[cfg(feature = "sql")]
        Command::Query(_) if !args.limit.is_empty() => Err(unlimited("query")),
        Command::Ls(args) => ls::run(&args, limits),
        Command::Dump(args) => dump::run(&args, limits),
        Command::Check(args) => check::run(&args, limits),
        Command::Codegen(args) => codegen::run(&args, limits),
        Command::Merge(args) => merge::run(&args, limits),
        Command::Recover(args) => recover::run(&args, limits),
        Command::Stats(args) => stats::run(&args, limits),
        #[cfg(feature = "dataset")]
        Command::Dataset(args) => dataset::run(&args),
        #[cfg(feature = "dataset")]
        Command::LanceInfo(args) => dataset::print_lance_info(&args),
        #[cfg(feature = "sql")]
        Command::Query(args) => query::run(&args),
    };
    match result {
        Ok(status) => status.into(),
        // Nobody reads on: not our business, and nothing to talk about.
        Err(failure) if failure.is_broken_pipe() => Status::Good.into(),
        Err(failure) => failure.report().into(),
    }
}

/// The failure of a command that has no use for limits.
#[cfg(feature = "dataset")]
fn unlimited(command: &str) -> failure::Failure {
    failure::Failure::Message(Status::Usage, format!("`--limit` has no effect on `{command}`"))
}
