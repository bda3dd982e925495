//! `rntuple dump`: entries as JSON, one to a line.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;

use rntuple::{Dataset, FileKey, ReadOptions, Reader, RootFile, Value};

use crate::args::Dump;
use crate::failure::{Failure, Status};
use crate::progress::Progress;

/// Names that an error lists.
const NAMES_SHOWN: usize = 20;

pub(crate) fn run(args: &Dump) -> Result<Status, Failure> {
    let file = RootFile::open(&args.file)?;
    let path = match &args.ntuple {
        Some(path) => path.clone(),
        None => only_ntuple(&file)?,
    };
    let dataset = Arc::new(Dataset::open(&file, &path)?);
    let options = ReadOptions::new();
    let reader = if args.fields.is_empty() {
        Reader::<Value>::from_dataset(dataset, options)?
    } else {
        Reader::<Value>::with_fields(dataset, &args.fields, options)?
    };
    let range = args.entries.clone().unwrap_or(0..u64::MAX);
    let range = range.start.min(reader.len())..range.end.min(reader.len());
    let mut out = BufWriter::new(io::stdout().lock());
    // Entries on the same terminal are progress enough.
    let mut progress = (!io::stdout().is_terminal()).then(|| Progress::new(&path));
    let all = range.end.saturating_sub(range.start);
    for (done, entry) in (1..).zip(reader.entries_in(range)) {
        match entry {
            Ok(entry) => serde_json::to_writer(&mut out, &entry)?,
            Err(error) => {
                // What was read before is good.
                out.flush()?;
                return Err(error.into());
            }
        }
        out.write_all(b"\n")?;
        if let Some(progress) = &mut progress {
            progress.at(done, all, || format!("entry {done} of {all}"));
        }
    }
    out.flush()?;
    Ok(Status::Good)
}

fn only_ntuple(file: &RootFile) -> Result<String, Failure> {
    let ntuples = file.ntuples()?;
    match &*ntuples {
        [only] => Ok(only.path()),
        [] => Err(Failure::Message(
            Status::Unreadable,
            format!("{}: there is no ntuple in the file", file.name()),
        )),
        several => {
            let mut names: Vec<String> = several.iter().take(NAMES_SHOWN).map(FileKey::path).collect();
            if let Some(more) = several.len().checked_sub(NAMES_SHOWN).filter(|more| *more > 0) {
                names.push(format!("and {more} more"));
            }
            let names = names.join(", ");
            let message = format!("{}: several ntuples, choose one with --ntuple: {names}", file.name());
            Err(Failure::Message(Status::Usage, message))
        }
    }
}
