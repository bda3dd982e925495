//! uproot, in a Python process of its own that answers one question after the other and times itself.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Codec;
use crate::digest::Digest;

/// A running Python with uproot.
pub struct Uproot {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Of uproot.
    pub version: String,
}

/// What a question took, and the digest of what was read.
pub type Answer = (Duration, Option<u64>);

impl Uproot {
    /// Starts `python`, and has it load `file`, which is one of ours.
    ///
    /// # Errors
    /// A sentence that says what is missing.
    pub fn start(python: &Path, file: &Path) -> Result<Self, String> {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("uproot_peer.py");
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}.", python.display()))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("Python has no output.")?);
        let mut uproot = Self { child, questions, answers, version: String::new() };
        let hello = uproot.answer().map_err(|_| format!("{} has no uproot.", python.display()))?;
        uproot.version = hello["version"].as_str().unwrap_or("?").to_owned();
        uproot.ask(&json!({"do": "load", "file": file}))?;
        Ok(uproot)
    }

    /// One of the script's tasks.
    ///
    /// # Errors
    /// What the script says.
    pub fn run(&mut self, task: &str, codec: Codec, file: &Path) -> Result<Answer, String> {
        let answer = self.ask(&json!({"do": task, "codec": codec.name(), "file": file}))?;
        let seconds = answer["seconds"].as_f64().ok_or("The script took no time.")?;
        let sums: Option<Vec<u64>> =
            answer["sums"].as_array().map(|sums| sums.iter().filter_map(Value::as_u64).collect());
        let digest = sums.map(|sums| match sums.as_slice() {
            [one] => *one,
            sums => sums.try_into().map_or(0, |sums| Digest::from_sums(sums).finish()),
        });
        Ok((Duration::from_secs_f64(seconds), digest))
    }

    fn ask(&mut self, question: &Value) -> Result<Value, String> {
        let questions = self.questions.as_mut().ok_or("Python has no input.")?;
        writeln!(questions, "{question}").map_err(|error| error.to_string())?;
        let answer = self.answer()?;
        match answer["error"].as_str() {
            Some(error) => Err(format!("uproot: {error}")),
            None => Ok(answer),
        }
    }

    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|error| error.to_string())
    }
}

impl Drop for Uproot {
    /// Without input, the script ends.
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.child.wait();
    }
}
