//! The files of the RNTuple Validation Suite, as we write them: who reads what is expected, and who does not, and why.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple_validation::{CATEGORIES, Category};
use serde_json::Value as Json;

use crate::Result;
use crate::command::run as run_command;
use crate::environment::Environment;
use crate::json::member;

/// What one reader makes of a file.
struct Cell {
    verdict: Verdict,
    /// What is otherwise, and the reason if it is known.
    note: String,
    is_foreseen: bool,
}

/// In the words of `validation.py`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Same,
    Different,
    Unreadable,
    /// The suite has no script for this reader.
    None,
}

impl Cell {
    fn of_ours(document: rntuple_validation::Result<String>, expected: &str) -> Self {
        let (verdict, note) = match document {
            Ok(text) if text == expected => (Verdict::Same, String::new()),
            Ok(_) => (Verdict::Different, "another document".to_owned()),
            Err(error) => (Verdict::Unreadable, error.to_string()),
        };
        Self { verdict, note, is_foreseen: verdict == Verdict::Same }
    }

    fn of_peer(json: &Json) -> Self {
        let text = |name| member(json, name).as_str().unwrap_or_default();
        let verdict = match text("verdict") {
            "same" => Verdict::Same,
            "different" => Verdict::Different,
            "none" => Verdict::None,
            _ => Verdict::Unreadable,
        };
        let is_foreseen = member(json, "foreseen").as_bool().unwrap_or_default();
        Self { verdict, note: text("note").to_owned(), is_foreseen }
    }
}

/// The readers, as `validation.py` names the foreign ones.
const PEERS: [&str; 3] = ["uproot", "jsroot", "suite"];

/// The whole table.
pub(crate) struct Table {
    rows: Vec<(&'static Category, Vec<Cell>)>,
    headings: Vec<String>,
}

impl Table {
    /// What nobody foresaw.
    pub(crate) fn differences(&self) -> impl Iterator<Item = String> + '_ {
        self.rows.iter().flat_map(move |(category, cells)| {
            cells
                .iter()
                .zip(&self.headings)
                .filter(|(cell, _)| !cell.is_foreseen)
                .map(move |(cell, reader)| format!("{}, {reader}: {}", category.name, cell.note))
        })
    }

    /// As a table in Markdown, with the reasons behind it by their numbers.
    fn markdown(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        let mut text = format!("| category | {} |\n", self.headings.join(" | "));
        text += &format!("| --- |{}\n", " --- |".repeat(self.headings.len()));
        for (category, cells) in &self.rows {
            let mut marks: Vec<String> = Vec::new();
            for cell in cells {
                let mark = match cell.verdict {
                    Verdict::Same => "same",
                    Verdict::None => "no script",
                    Verdict::Different => "different",
                    Verdict::Unreadable => "not read",
                };
                let number = (!cell.note.is_empty()).then(|| {
                    let known = reasons.iter().position(|reason| *reason == cell.note);
                    known.unwrap_or_else(|| {
                        reasons.push(&cell.note);
                        reasons.len() - 1
                    }) + 1
                });
                marks.push(number.map_or_else(|| mark.to_owned(), |number| format!("{mark} ({number})")));
            }
            text += &format!("| `{}` | {} |\n", category.name, marks.join(" | "));
        }
        text += "\n";
        for (number, reason) in (1..).zip(&reasons) {
            text += &format!("{number}. {reason}\n");
        }
        text
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the RNTuple Validation Suite")?;
        f.write_str(&self.markdown())
    }
}

/// Runs this part alone; whether nothing unforeseen was found.
pub(crate) fn run_alone() -> Result<bool> {
    let table = run(&Environment::set_up()?)?;
    println!("{table}");
    let differences: Vec<String> = table.differences().collect();
    differences.iter().for_each(|difference| println!("DIFFERENT {difference}"));
    Ok(differences.is_empty())
}

/// Writes the files, and has everybody read them.
pub(crate) fn run(environment: &Environment) -> Result<Table> {
    let folder = environment.folder.join("validation");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let expected = environment.peers.join("../../validation/expected").canonicalize()?;
    let file = |category: &Category| folder.join(format!("{}.root", category.name));
    for category in CATEGORIES {
        category.write(&file(category)).map_err(|error| format!("{}: {error}", category.name))?;
    }
    let suite = std::env::var_os("RNTUPLE_VALIDATION_SUITE").map(PathBuf::from);
    let verdicts = peers(environment, &folder, &expected, suite.as_deref())?;
    let peers = if suite.is_some() { &PEERS[..] } else { &PEERS[..2] };
    let mut rows = Vec::new();
    for category in CATEGORIES {
        let (name, file) = (category.name, file(category));
        let document = std::fs::read_to_string(expected.join(format!("{name}.json")))?;
        let ours = [category.read(&file), category.read_dynamic(&file)];
        let mut cells: Vec<Cell> = ours.map(|found| Cell::of_ours(found, &document)).into();
        cells.extend(peers.iter().map(|peer| Cell::of_peer(member(member(&verdicts, name), peer))));
        rows.push((category, cells));
    }
    let mut headings: Vec<String> = ["`Reader<T>`", "`Reader<Value>`"].map(str::to_owned).into();
    headings.extend(peers.iter().map(|peer| match *peer {
        "uproot" => "uproot".to_owned(),
        "jsroot" => "JSROOT".to_owned(),
        _ => "JSROOT, by the suite's script".to_owned(),
    }));
    let table = Table { rows, headings };
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        let page = environment.peers.join("../../book/src/generated/validation.md");
        std::fs::write(page, table.markdown())?;
    }
    Ok(table)
}

/// What the foreign readers make of a folder.
fn peers(environment: &Environment, folder: &Path, expected: &Path, suite: Option<&Path>) -> Result<Json> {
    let out = folder.join("verdicts.json");
    let mut command = Command::new(&environment.python);
    // No compiled copies beside the scripts.
    command.arg("-B").arg(environment.peers.join("validation.py")).arg(folder);
    command.arg("--expected").arg(expected).arg("--modules").arg(&environment.modules);
    command.arg("--out").arg(&out);
    if let Some(suite) = suite {
        command.arg("--suite").arg(suite);
    }
    run_command(&mut command)?;
    Ok(serde_json::from_str(&std::fs::read_to_string(out)?)?)
}
