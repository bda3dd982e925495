//! ROOT's own container code: does it accept our files, and do they survive its changes?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::Result;
use crate::command::output;
use crate::environment::Judge;
use crate::json::member;

impl Judge {
    /// What ROOT finds wrong with each file.
    pub(crate) fn inspect(&self, files: &[PathBuf]) -> Result<BTreeMap<PathBuf, Vec<String>>> {
        self.ask("inspect", files, |answer| {
            let faults = member(answer, "faults").as_array()?;
            Some(faults.iter().map(|fault| fault.as_str().unwrap_or("?").to_owned()).collect())
        })
    }

    /// Lets ROOT add an object and a directory to each file; what went wrong.
    pub(crate) fn update(&self, files: &[PathBuf]) -> Result<BTreeMap<PathBuf, Vec<String>>> {
        self.ask("update", files, |answer| match member(answer, "update").as_i64()? {
            0 => Some(Vec::new()),
            code => Some(vec![format!("ROOT's update ends with code {code}")]),
        })
    }

    /// Runs the script until it has answered for every file: one that it dies of gets that as its fault.
    fn ask(
        &self,
        what: &str,
        files: &[PathBuf],
        read: impl Fn(&Json) -> Option<Vec<String>>,
    ) -> Result<BTreeMap<PathBuf, Vec<String>>> {
        let mut answers = BTreeMap::new();
        let mut rest = files;
        while !rest.is_empty() {
            let text = output(Command::new(&self.python).arg(&self.script).arg(what).args(rest))?;
            for line in text.lines() {
                let Ok(answer) = serde_json::from_str::<Json>(line) else { continue };
                let file = member(&answer, "file").as_str().map(PathBuf::from);
                if let (Some(file), Some(faults)) = (file, read(&answer)) {
                    answers.insert(file, faults);
                }
            }
            if answers.is_empty() {
                return Err(format!("`{}` gives no answers", self.script.display()).into());
            }
            let answered = rest.iter().take_while(|file| answers.contains_key(*file)).count();
            rest = rest.get(answered..).unwrap_or_default();
            if let Some((file, others)) = rest.split_first() {
                answers.insert(file.clone(), vec!["the judge died of it".to_owned()]);
                rest = others;
            }
        }
        Ok(answers)
    }
}

/// Copies of the files, with their descriptions beside them.
pub(crate) fn copies(files: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut copies = Vec::new();
    for file in files {
        let Some(name) = file.file_name() else { continue };
        let copy = folder.join(name);
        std::fs::copy(file, &copy)?;
        std::fs::copy(file.with_extension("json"), copy.with_extension("json"))?;
        copies.push(copy);
    }
    Ok(copies)
}
