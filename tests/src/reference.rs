//! Files written by ROOT itself, with their expected contents next to them.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file by ROOT and what it should hold.
#[derive(Debug)]
pub struct Reference {
    /// The file.
    pub file: PathBuf,
    /// Its name without the ending.
    pub name: String,
    /// The JSON next to it.
    pub expected: Value,
}

/// The folder of reference files: `RNTUPLE_REFERENCE_DIR`, else `shared/data/real` next to the workspace.
///
/// Says on standard error that the test is skipped where there is none.
///
/// # Panics
/// If there is none and `RNTUPLE_REFERENCE_REQUIRED` is set.
pub fn directory() -> Option<PathBuf> {
    let next_to = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/real");
    let directory = std::env::var_os("RNTUPLE_REFERENCE_DIR").map_or_else(next_to, PathBuf::from);
    if directory.is_dir() {
        return Some(directory);
    }
    let is_required = std::env::var_os("RNTUPLE_REFERENCE_REQUIRED").is_some_and(|value| value != "0");
    assert!(!is_required, "no reference files in {}, set RNTUPLE_REFERENCE_DIR", directory.display());
    skip("no reference files, set RNTUPLE_REFERENCE_DIR");
    None
}

/// Says on standard error that the test of this thread is skipped, even if it passes.
pub fn skip(why: &str) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    // The harness keeps back what `eprintln!` prints.
    let _ = writeln!(std::io::stderr(), "skipped {test}: {why}");
}

/// All reference files whose name contains `part`, by name; none where there is no folder.
///
/// # Panics
/// As [`directory`], and if the folder is there but cannot be read.
#[expect(clippy::expect_used, reason = "a test that cannot read its data has failed")]
pub fn files(part: &str) -> Vec<Reference> {
    let Some(directory) = directory() else { return Vec::new() };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the folder can be listed") {
        let file = entry.expect("the folder can be listed").path();
        let Some(name) = file.file_stem().map(|name| name.to_string_lossy().into_owned()) else { continue };
        if file.extension().is_some_and(|ending| ending == "root") && name.contains(part) {
            let text = std::fs::read_to_string(file.with_extension("json")).expect("each file has its JSON");
            let expected = serde_json::from_str(&text).expect("the JSON is sound");
            found.push(Reference { file, name, expected });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!found.is_empty() || part.is_empty(), "no reference file is called *{part}*");
    found
}
