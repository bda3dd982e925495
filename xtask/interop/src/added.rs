//! Ntuples that are added to files which exist: ours, ROOT's, and one by uproot with trees and histograms.

use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple::root::FileOptions;
use rntuple::{Compression, RootFile, RootFileWriter, Writer};
use serde_json::{Map, Value as Json};

use crate::Result;
use crate::appended::as_it_is;
use crate::case::{Ntuple, Recipe, write, write_file};
use crate::command::{output, run};
use crate::environment::Environment;
use crate::json::member;
use crate::structures::{Event, Narrow, Run, Structure};

/// Every structure.
pub(crate) const ADDED: &[Structure] = &[
    Structure { name: "ntuples added", write: to_ours },
    Structure { name: "ntuples added, one after the other", write: one_by_one },
    Structure { name: "ntuples added to a file by ROOT", write: by_root },
];

fn zstd() -> Recipe {
    Recipe::new(Compression::zstd(5))
}

/// An event and a run, in a directory that the file has and in new ones.
fn add(path: &Path, ntuples: &mut Vec<Ntuple>, folder: &str) -> Result<()> {
    let (recipe, plain) = (zstd(), Recipe::new(Compression::NONE));
    let file = RootFileWriter::append(path, FileOptions::new())?;
    let events = format!("{folder}Events");
    ntuples.push(write(file.writer::<Event>(&events, recipe.options.clone())?, &events, &recipe)?);
    let runs = format!("{folder}new/er/Run");
    ntuples.push(write(file.writer::<Run>(&runs, plain.options.clone())?, &runs, &plain)?);
    file.finish()?;
    Ok(())
}

fn to_ours(path: &Path) -> Result<Vec<Ntuple>> {
    let recipe = zstd();
    let file = RootFileWriter::create(path, FileOptions::new())?;
    let mut ntuples = Vec::new();
    for narrow in ["Narrow", "a/Narrow"] {
        ntuples.push(write(file.writer::<Narrow>(narrow, recipe.options.clone())?, narrow, &recipe)?);
    }
    file.finish()?;
    add(path, &mut ntuples, "a/")?;
    Ok(ntuples)
}

fn one_by_one(path: &Path) -> Result<Vec<Ntuple>> {
    let recipe = zstd();
    let mut ntuples = write_file::<Narrow>(path, "Narrow", &recipe)?;
    for run in ["Run", "a/Run", "a/b/Run", "Last"] {
        let writer = Writer::<Run>::create_in(path, run, recipe.options.clone())?;
        ntuples.push(write(writer, run, &recipe)?);
    }
    Ok(ntuples)
}

fn by_root(path: &Path) -> Result<Vec<Ntuple>> {
    let mut ntuples = match as_it_is(path)? {
        Some(staff) => vec![staff],
        None => write_file::<Narrow>(path, "Narrow", &zstd())?,
    };
    add(path, &mut ntuples, "")?;
    Ok(ntuples)
}

/// Objects in the file by uproot, a directory among them.
const OBJECTS: usize = 7;

/// What the readers make of the objects in a file, by their names.
type Objects = Map<String, Json>;

/// Adds ntuples to a file by uproot that has trees and histograms; returns all that is then not as it was.
pub(crate) fn objects(environment: &Environment) -> Result<Vec<String>> {
    let folder = environment.folder.join("objects");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let (old, new) = (folder.join("old.root"), folder.join("new.root"));
    run(Command::new(&environment.python).arg("-B").arg(script(environment, "py")).arg("write").arg(&old))?;
    std::fs::copy(&old, &new)?;
    let mut added = Vec::new();
    add(&new, &mut added, "")?;
    add(&new, &mut added, "dir/")?;
    let mut differences = Vec::new();
    for (peer, read) in
        [("uproot", by_uproot as fn(&Environment, &Path) -> Result<Json>), ("JSROOT", by_jsroot)]
    {
        let (before, after) = (read(environment, &old)?, read(environment, &new)?);
        let mut complain =
            |text: String| differences.push(format!("ntuples added to a file by uproot, {peer}: {text}"));
        let (before_objects, after_objects) = (all(&before), all(&after));
        if before_objects.len() != OBJECTS {
            complain(format!("{} objects, expected {OBJECTS}", before_objects.len()));
        }
        for (name, object) in &before_objects {
            if after_objects.get(name) != Some(object) {
                complain(format!("{name} is not as it was"));
            }
        }
        for ntuple in &added {
            let entries = after_objects
                .get(&format!("{};1", ntuple.path))
                .and_then(|object| member(member(object, "value"), "entries").as_u64());
            if entries != Some(ntuple.entries) {
                complain(format!("{} has {entries:?} entries, expected {}", ntuple.path, ntuple.entries));
            }
        }
        for class in member(&before, "classes").as_array().into_iter().flatten() {
            if !member(&after, "classes").as_array().is_some_and(|classes| classes.contains(class)) {
                complain(format!("the streamer info has lost {class}"));
            }
        }
    }
    let report = RootFile::open(&new)?.verify()?;
    if !report.describes_anchors {
        differences.push("ntuples added to a file by uproot: the streamer info lacks their class".to_owned());
    }
    if let Some(judge) = &environment.judge {
        let answers = judge.inspect(std::slice::from_ref(&new))?;
        // uproot leaves zeros between records, where a walk from one to the next ends; ROOT reads the file all the same.
        let is_ours = |fault: &&String| !fault.contains("record");
        let faults = answers.values().flatten().filter(is_ours);
        differences.extend(faults.map(|fault| format!("ntuples added to a file by uproot, ROOT: {fault}")));
    }
    Ok(differences)
}

fn script(environment: &Environment, ending: &str) -> PathBuf {
    environment.peers.join(if ending == "py" { "objects.py" } else { "jsroot_objects.mjs" })
}

fn all(document: &Json) -> Objects {
    member(document, "objects").as_object().cloned().unwrap_or_default()
}

fn by_uproot(environment: &Environment, file: &Path) -> Result<Json> {
    let mut command = Command::new(&environment.python);
    parsed(&output(command.arg("-B").arg(script(environment, "py")).arg("read").arg(file))?, file)
}

fn by_jsroot(environment: &Environment, file: &Path) -> Result<Json> {
    let mut command = Command::new("node");
    let command =
        command.arg(script(environment, "mjs")).arg(file).arg("--modules").arg(&environment.modules);
    parsed(&output(command)?, file)
}

fn parsed(text: &str, file: &Path) -> Result<Json> {
    serde_json::from_str(text).map_err(|error| format!("{}: {error}", file.display()).into())
}
