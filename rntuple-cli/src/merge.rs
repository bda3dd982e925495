//! `rntuple merge`: one file with the entries of all.

use std::io::{self, Write};

use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_files};
use rntuple::{Error, ErrorKind, Limits, RootFile};

use crate::args::{Merge, SchemaChoice};
use crate::failure::{Failure, Status};
use crate::ntuple;
use crate::progress::Progress;
use crate::remote::{expanded, shown};
use crate::text::{bytes, count, printable};

pub(crate) fn run(args: &Merge, limits: Limits) -> Result<Status, Failure> {
    let files = expanded(&args.files)?;
    let path = match (&args.ntuple, files.first()) {
        (Some(path), _) => path.clone(),
        (None, Some(first)) => ntuple::choose(&RootFile::open(first)?.with_limits(limits), None)?,
        // The command line has at least one.
        (None, None) => return Ok(Status::Usage),
    };
    let inputs: Vec<Input> = files.iter().map(|file| Input::file(file).ntuple(&path)).collect();
    let mut progress = Progress::new(&shown(&args.out));
    let mut options = MergeOptions::new()
        .schema(match args.schema {
            SchemaChoice::Strict => SchemaMode::Strict,
            SchemaChoice::Union => SchemaMode::Union,
            SchemaChoice::Filter => SchemaMode::Filter,
        })
        .strict_encoding(args.strict_encoding)
        .single_group(args.single_group)
        .overwrite(args.force)
        .limits(limits)
        .progress(|at| {
            let message = || format!("{}, {}", printable(at.input), bytes(at.bytes));
            progress.at(at.entries, at.entry_count, message);
        });
    if let Some(settings) = args.compression {
        options = options.compression(settings);
    }
    for (set, policy) in &args.attributes {
        options = match set {
            Some(set) => options.attributes_of(set, *policy),
            None => options.attributes(*policy),
        };
    }
    let summary = merge_files(&inputs, &args.out, options).map_err(failure)?;
    drop(progress);
    if !args.quiet {
        let out = shown(&args.out);
        let (entries, clusters) = (count(summary.entries, "entry"), count(summary.clusters, "cluster"));
        let files = count(files.len() as u64, "file");
        let size = bytes(summary.file_size);
        writeln!(io::stdout(), "{}: {entries} of {files}, {clusters}, {size}", printable(&out))?;
    }
    Ok(Status::Good)
}

/// Files that do not fit together are sound: it was wrong to ask.
fn failure(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::SchemaMismatch => Failure::Message(Status::Usage, error.to_string()),
        _ => error.into(),
    }
}
