//! Other programs that run queries.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const EVENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/peers/events.py");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/peers/rows.py");

/// Returns the interpreter; `None`, after saying so, if it does not have the engines.
///
/// # Panics
/// It does not, and `RNTUPLE_ENGINES_REQUIRED` is 1.
pub(crate) fn python(test: &str) -> Option<PathBuf> {
    let python = match std::env::var_os("RNTUPLE_PYTHON") {
        Some(python) => PathBuf::from(python),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/datafusion/venv/bin/python"),
    };
    let imports = ["-c", "import awkward, duckdb, polars, uproot"];
    match Command::new(&python).args(imports).output() {
        Ok(output) if output.status.success() => Some(python),
        _ => {
            let help = "rntuple-datafusion/tests/setup.sh installs them, and RNTUPLE_PYTHON names another";
            let text = format!("{test}: no DuckDB, polars and uproot in {} ({help})", python.display());
            assert!(std::env::var_os("RNTUPLE_ENGINES_REQUIRED").is_none_or(|value| value != "1"), "{text}");
            eprintln!("skipped: {text}");
            None
        }
    }
}

/// Writes the events as Parquet, by a program that has made them itself.
pub(crate) fn write_events(python: &Path, file: &Path) {
    let status = Command::new(python).arg(EVENTS).arg(file).status().unwrap();
    assert!(status.success(), "{EVENTS}: {status}");
}

/// Runs queries over a file, and returns the rows of each, or what the engine has against it.
pub(crate) fn run(
    python: &Path,
    engine: &str,
    file: &Path,
    queries: &[String],
) -> Vec<Result<Vec<String>, String>> {
    let mut command = Command::new(python);
    command.arg(PROGRAM).arg(engine).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines: String = queries.iter().map(|query| one_line(query) + "\n").collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{engine}: {}", output.status);
    let output = String::from_utf8(output.stdout).unwrap();
    let mut results = Vec::new();
    let mut current = Ok(Vec::new());
    for line in output.lines() {
        if line == "end" {
            results.push(std::mem::replace(&mut current, Ok(Vec::new())));
        } else if let Some(error) = line.strip_prefix("error: ") {
            current = Err(error.to_owned());
        } else if let (Ok(rows), Some(row)) = (&mut current, line.strip_prefix("row: ")) {
            rows.push(row.to_owned());
        }
    }
    assert_eq!(results.len(), queries.len(), "{engine} ended after {} queries", results.len());
    results
}

fn one_line(query: &str) -> String {
    query.split_whitespace().collect::<Vec<_>>().join(" ")
}
