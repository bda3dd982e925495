//! The run: write, read with everybody, let ROOT change the files, read again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Map, Value as Json, json};

use crate::Result;
use crate::added::ADDED;
use crate::appended::APPENDED;
use crate::case::{CODECS, Ntuple, Written};
use crate::cases::CASES;
use crate::command::output;
use crate::environment::{Environment, Judge};
use crate::findings::{FileFindings, Finding};
use crate::json::member;
use crate::judge::copies;
use crate::structures::STRUCTURES;
use crate::table::{self, Judged};
use crate::{added, foreign, ours, validation};

/// What the peers make of a folder of files, by the files' names.
struct Peers(Json);

impl Peers {
    fn of(&self, stem: &str, peer: &str) -> FileFindings {
        FileFindings::from_json(member(member(&self.0, stem), peer))
    }
}

/// Says how long each step takes.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self, what: &str) {
        println!("{:6.1} s  {what}", self.0.elapsed().as_secs_f64());
        self.0 = Instant::now();
    }
}

/// Runs everything and prints the tables; whether nothing unforeseen was found.
pub(crate) fn run() -> Result<bool> {
    let mut clock = Clock(Instant::now());
    let environment = Environment::set_up()?;
    clock.lap("environment");

    let (folder, updated) = (environment.folder.join("files"), environment.folder.join("updated"));
    for folder in [&folder, &updated] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
    }
    let written = write_all(&folder)?;
    clock.lap(&format!("{} files written", written.len()));
    let before = compare(&environment, &folder)?;
    clock.lap("read by uproot and JSROOT");
    let mut files: Vec<Judged> = Vec::new();
    for written in written {
        let mut findings = vec![
            Some(ours::typed(&written.file, &written.ntuples)),
            Some(ours::untyped(&written.file, &written.ntuples)),
            Some(before.of(&written.stem, "uproot")),
            Some(before.of(&written.stem, "jsroot")),
        ];
        findings.resize(table::READERS.len(), None);
        files.push(Judged { written, findings });
    }
    clock.lap("read by Reader<T> and Reader<Value>");
    match &environment.judge {
        Some(judge) => {
            judge_all(&environment, judge, &updated, &mut files)?;
            clock.lap("judged, changed and judged again by ROOT, read again by all");
        }
        None => println!("skipped: ROOT's file layer (no judge script)"),
    }
    let foreign = foreign::read_uproot(&environment)?;
    clock.lap("files by uproot read");
    let objects = added::objects(&environment)?;
    clock.lap("ntuples added to trees and histograms by uproot, read by all");
    let validation = validation::run(&environment)?;
    clock.lap("files of the Validation Suite written and read by all");

    let (types, structures): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| !file.written.codec.is_empty());
    println!("\n{}\n{}", table::LEGEND, table::types(&types));
    println!("{}\n{}", table::structures(&structures), table::foreign(&foreign));
    let all: Vec<Judged> = types.into_iter().chain(structures).collect();
    println!("{validation}");
    println!("limits and known faults of the peers, and what they concern\n{}", table::limits(&all));
    println!("what the peers say themselves: {}", folder.join("log.txt").display());
    let mut differences = table::differences(&all, &foreign);
    differences.extend(objects);
    differences.extend(validation.differences());
    for difference in &differences {
        println!("DIFFERENT {difference}");
    }
    println!("{} files, {} unforeseen differences", all.len() + foreign.len(), differences.len());
    Ok(differences.is_empty())
}

fn write_all(folder: &Path) -> Result<Vec<Written>> {
    let mut files = Vec::new();
    let mut add = |case, codec, stem: String, write: &dyn Fn(&Path) -> Result<Vec<Ntuple>>| -> Result<()> {
        let file = folder.join(format!("{stem}.root"));
        let ntuples = write(&file).map_err(|error| format!("{stem}: {error}"))?;
        let documents: Map<String, Json> =
            ntuples.iter().map(|ntuple| (ntuple.path.clone(), ntuple.document())).collect();
        std::fs::write(file.with_extension("json"), json!({"ntuples": documents}).to_string())?;
        files.push(Written { case, codec, stem, file, ntuples });
        Ok(())
    };
    for case in CASES {
        for (codec, settings) in CODECS {
            let stem = format!("{}-{codec}", case.name);
            add(case.name, codec, stem, &|file| (case.write)(file, settings))?;
        }
    }
    for structure in STRUCTURES.iter().chain(APPENDED).chain(ADDED) {
        let stem = structure.name.replace(", ", "-").replace(' ', "-");
        add(structure.name, "", format!("structure-{stem}"), &structure.write)?;
    }
    Ok(files)
}

/// Has the peers read a folder.
fn compare(environment: &Environment, folder: &Path) -> Result<Peers> {
    let out = folder.join("verdicts.out");
    let mut command = Command::new(&environment.python);
    // No compiled copies beside the scripts.
    command.arg("-B").arg(environment.peers.join("compare.py")).arg(folder);
    command.arg("--modules").arg(&environment.modules).arg("--out").arg(&out);
    let text = output(&mut command)?;
    std::fs::write(folder.join("log.txt"), &text)?;
    let verdicts = std::fs::read_to_string(&out).map_err(|error| format!("no verdicts: {error}\n{text}"))?;
    Ok(Peers(serde_json::from_str(&verdicts)?))
}

/// Lets ROOT judge and change the files; everybody must then see what they saw before.
fn judge_all(environment: &Environment, judge: &Judge, folder: &Path, files: &mut [Judged]) -> Result<()> {
    let paths: Vec<PathBuf> = files.iter().map(|file| file.written.file.clone()).collect();
    let inspected = judge.inspect(&paths)?;
    let copies = copies(&paths, folder)?;
    let updates = judge.update(&copies)?;
    let inspected_again = judge.inspect(&copies)?;
    let after = compare(environment, folder)?;
    for (file, copy) in files.iter_mut().zip(&copies) {
        let Written { stem, ntuples, file: original, .. } = &file.written;
        let mut judged = FileFindings::default();
        judged.different.extend(inspected.get(original).into_iter().flatten().cloned());
        let mut changed = FileFindings::default();
        for faults in [&updates, &inspected_again] {
            changed.different.extend(faults.get(copy).into_iter().flatten().cloned());
        }
        let now = [
            ours::typed(copy, ntuples),
            ours::untyped(copy, ntuples),
            after.of(stem, "uproot"),
            after.of(stem, "jsroot"),
        ];
        for (now, reader) in now.iter().zip(table::READERS) {
            changed.different.extend(now.different.iter().map(|fault| format!("{reader}: {fault}")));
        }
        for (ntuple, field) in file.written.fields() {
            judged.insert(&ntuple.path, field, Finding::same());
            let different =
                now.iter().zip(&file.findings).zip(table::READERS).find_map(|((now, before), reader)| {
                    let (now, before) =
                        (now.get(&ntuple.path, field), before.as_ref()?.get(&ntuple.path, field));
                    (now != before).then(|| Finding::different(format!("{reader}: {}", now.detail)))
                });
            changed.insert(&ntuple.path, field, different.unwrap_or_else(Finding::same));
        }
        if let [.., first, second] = &mut *file.findings {
            (*first, *second) = (Some(judged), Some(changed));
        }
    }
    Ok(())
}
