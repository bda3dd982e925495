//! `rntuple dump`: entries as JSON, one to a line.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::Range;
use std::sync::Arc;

use rntuple::attributes::{Attribute, AttributeReader};
use rntuple::{Dataset, Limits, ReadOptions, Reader, RootFile, Value};

use crate::args::Dump;
use crate::failure::{Failure, Status, note};
use crate::json::write_json;
use crate::progress::Progress;
use crate::text::count;
use crate::{fields, ntuple};

pub(crate) fn run(args: &Dump, limits: Limits) -> Result<Status, Failure> {
    let file = RootFile::open(&args.file)?.with_limits(limits);
    let path = ntuple::choose(&file, args.ntuple.as_deref())?;
    let dataset = Arc::new(Dataset::open(&file, &path)?);
    let options = ReadOptions::new();
    let range = within(&dataset, args.entries.clone().unwrap_or(0..u64::MAX))?;
    if let Some(set) = &args.attributes {
        let set = Arc::new(dataset.attribute_set(set)?);
        return attributes(&AttributeReader::from_dataset(set, options)?, args.entries.as_ref());
    }
    let options = match args.fields.is_empty() {
        true => options,
        false => options.fields(fields::chosen(&dataset, &args.fields)?),
    };
    let reader = Reader::<Value>::from_dataset(dataset, options)?;
    let mut out = BufWriter::new(io::stdout().lock());
    // Entries on the same terminal are progress enough.
    let mut progress = (!io::stdout().is_terminal()).then(|| Progress::new(&path));
    let all = range.end.saturating_sub(range.start);
    let entries = match &args.condition {
        Some(condition) => reader.filter(condition)?.within(range).entries(),
        None => reader.entries_in(range),
    };
    for (done, entry) in (1..).zip(entries) {
        match entry {
            Ok(entry) => write_json(&mut out, &entry)?,
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

/// The part of a range that the ntuple has. A range that ends after the last entry is cut, with a note; that it begins
/// after the last entry is an error.
fn within(dataset: &Dataset, range: Range<u64>) -> Result<Range<u64>, Failure> {
    let all = dataset.entry_count();
    let place = || format!("{}: {}", dataset.file().name(), dataset.path());
    if range.start > 0 && range.start >= all && !range.is_empty() {
        let entries = count(all, "entry");
        let message = format!("{}: no entry {}; the ntuple has {entries}", place(), range.start);
        return Err(Failure::Message(Status::Usage, message));
    }
    if range.end > all && range.end < u64::MAX && !range.is_empty() {
        note(&format!("{}: the ntuple has only {}", place(), count(all, "entry")));
    }
    Ok(range.start.min(all)..range.end.min(all))
}

/// What is said of the entries, of those of a range if one is given.
fn attributes(set: &AttributeReader<Value>, entries: Option<&Range<u64>>) -> Result<Status, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    for attribute in set.entries() {
        let Attribute { range, value } = match attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                // What was read before is good.
                out.flush()?;
                return Err(error.into());
            }
        };
        if entries.is_some_and(|entries| range.start.max(entries.start) >= range.end.min(entries.end)) {
            continue;
        }
        write!(out, "{{\"range\":[{},{}],\"value\":", range.start, range.end)?;
        write_json(&mut out, &value)?;
        out.write_all(b"}\n")?;
    }
    out.flush()?;
    Ok(Status::Good)
}
