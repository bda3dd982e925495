//! `rntuple ls`: what a file holds.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use rntuple::root::Anchor;
use rntuple::{Error, Limits};

mod compression;
mod json;
mod listed;
mod tree;

use self::listed::{Listed, Ntuple, SETS_SHOWN, attribute_sets, errors, is_too_old};
use crate::args::Ls;
use crate::failure::{Failure, Status};
use crate::json::write_json;
use crate::remote::found;
use crate::text::{count, printable};

/// Classes of other objects that are listed.
const CLASSES_SHOWN: usize = 12;

pub(crate) fn run(args: &Ls, limits: Limits) -> Result<Status, Failure> {
    let mut status = Status::Good;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut documents = Vec::new();
    for (number, (path, error)) in found(&args.files).into_iter().enumerate() {
        let found = match error.map_or_else(|| Listed::open(&path, limits), Err) {
            Err(error) if args.json => {
                documents.push(json::unreadable(&path, &error));
                vec![error]
            }
            Err(error) => vec![error],
            Ok(listed) if args.json => {
                let (document, found) = json::file(&path, &listed);
                documents.push(document);
                found
            }
            Ok(listed) => {
                if number > 0 {
                    writeln!(out)?;
                }
                print(&listed, &mut out)?
            }
        };
        // In the order in which a terminal should show it.
        out.flush()?;
        found.into_iter().for_each(|error| status.report(error));
    }
    if args.json {
        write_json(&mut out, &serde_json::json!({ "files": documents }))?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(status)
}

fn print(listed: &Listed, out: &mut dyn Write) -> io::Result<Vec<Error>> {
    let version = listed.file.root_version();
    let (major, minor, patch) = (version / 10_000, version / 100 % 100, version % 100);
    writeln!(out, "{} (ROOT {major}.{minor:02}/{patch:02})", printable(listed.file.name()))?;
    if listed.ntuples.is_empty() {
        writeln!(out, "  no ntuples")?;
    }
    let mut found = Vec::new();
    for (key, ntuple) in listed.ntuples() {
        let path = key.path();
        match &ntuple {
            Ok(ntuple) => print_ntuple(&printable(&path), ntuple, out)?,
            Err(error) if is_too_old(key, error) => {
                writeln!(out, "  {}: {}, not readable", printable(&path), printable(error.message()))?;
            }
            Err(_) => writeln!(out, "  {}: not readable", printable(&path))?,
        }
        found.extend(errors(key, ntuple));
    }
    if !listed.others.is_empty() {
        let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
        for key in &listed.others {
            *classes.entry(&key.class).or_default() += 1;
        }
        let mut list: Vec<String> = classes
            .iter()
            .take(CLASSES_SHOWN)
            .map(|(class, number)| format!("{number} {}", printable(class)))
            .collect();
        if classes.len() > CLASSES_SHOWN {
            list.push("others".to_owned());
        }
        let objects = count(listed.others.len() as u64, "other object");
        writeln!(out, "  {objects}: {}", list.join(", "))?;
        if listed.ntuples.is_empty() && classes.contains_key("TTree") {
            writeln!(out, "  ROOT's RNTupleImporter converts a TTree to an RNTuple")?;
        }
    }
    Ok(found)
}

/// The format, as far as the anchor says it: `1.0.1.0`, `0.2.0.0 (pre-release rc2.1)`, `pre-release rc1.2`.
fn format(anchor: &Anchor) -> String {
    let version = anchor.version.map(|part| part.to_string()).join(".");
    match (anchor.format_version, anchor.version) {
        (format_version, [0, 0, 0, 0]) => format_version.to_string(),
        (format_version, _) if format_version.is_pre_release() => format!("{version} ({format_version})"),
        _ => version,
    }
}

fn print_ntuple(path: &str, ntuple: &Ntuple, out: &mut dyn Write) -> io::Result<()> {
    let Ntuple { dataset, compression } = ntuple;
    writeln!(
        out,
        "  {path}: {}, {}, {}; format {} by {}",
        count(dataset.entry_count(), "entry"),
        count(dataset.cluster_count(), "cluster"),
        count(dataset.cluster_groups().len() as u64, "cluster group"),
        format(dataset.anchor()),
        printable(dataset.writer()),
    )?;
    if !dataset.description().is_empty() {
        writeln!(out, "    \"{}\"", printable(dataset.description()))?;
    }
    out.write_all(tree::fields(dataset.schema(), compression).lines("    ").as_bytes())?;
    for hidden in dataset.schema().hidden() {
        writeln!(out, "    {}: hidden, {}", printable(&hidden.name), printable(&hidden.reason))?;
    }
    for (name, set) in attribute_sets(dataset) {
        let name = printable(name);
        let Ntuple { dataset: set, compression } = match set {
            Ok(set) => set,
            Err(error) => {
                writeln!(out, "    attribute set {name}: not readable, {}", printable(error.message()))?;
                continue;
            }
        };
        writeln!(out, "    attribute set {name}: {}", count(set.entry_count(), "attribute"))?;
        out.write_all(tree::attributes(set.schema(), &compression).lines("      ").as_bytes())?;
    }
    if let Some(more) = dataset.attribute_sets().len().checked_sub(SETS_SHOWN).filter(|more| *more > 0) {
        writeln!(out, "    {}", count(more as u64, "more attribute set"))?;
    }
    Ok(())
}
