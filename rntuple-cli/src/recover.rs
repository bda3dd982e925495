//! `rntuple recover`: what is left of a damaged file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rntuple::recover::{RecoverOptions, recover_file};
use rntuple::storage::LocalFile;
use rntuple::{ErrorKind, Limits};

use crate::args::Recover;
use crate::failure::{Failure, Status};
use crate::limits::in_options;
use crate::remote::shown;
use crate::text::{bytes, printable};

pub(crate) fn run(args: &Recover, limits: Limits) -> Result<Status, Failure> {
    let options = RecoverOptions::new().overwrite(args.force).deduce(args.deduce).limits(limits);
    let recovery = recover_file(&args.file, &args.out, options).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Message(Status::Damaged, in_options(&error.to_string())),
        ErrorKind::Io if !args.file.exists() => left_by_writers(&args.file, error),
        _ => error.into(),
    })?;
    if !args.quiet {
        let mut out = io::stdout().lock();
        // Names of fields are those of the file.
        for line in recovery.to_string().lines() {
            writeln!(out, "{}", printable(&in_options(line)))?;
        }
        if recovery.unknown_bytes > 0 && !args.deduce {
            writeln!(out, "`--deduce` tries to find out which columns these bytes are of")?;
        }
        let (path, size) = (shown(&args.out), bytes(recovery.file_size));
        writeln!(out, "{}: {size}", printable(&path))?;
    }
    Ok(if recovery.is_complete() { Status::Good } else { Status::Incomplete })
}

/// A writer that dies leaves its file under another name: which ones there are, and are not being written.
fn left_by_writers(path: &Path, error: rntuple::Error) -> Failure {
    let left: Vec<PathBuf> = LocalFile::leftovers(path).unwrap_or_default();
    if left.is_empty() {
        return error.into();
    }
    let names: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
    Failure::Message(
        Status::Usage,
        format!("{}: there is no such file; a writer that died left {}", path.display(), names.join(", ")),
    )
}
