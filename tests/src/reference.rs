//! Files written by ROOT itself, with their expected contents beside them.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file by ROOT and what it should hold.
#[derive(Debug)]
pub struct Reference {
    /// The file.
    pub file: PathBuf,
    /// Its name without the ending.
    pub name: String,
    /// The JSON beside it.
    pub expected: Value,
}

/// The folder of reference files: `RNTUPLE_REFERENCE_DIR`, else `../shared/data/real` seen from the workspace.
pub fn directory() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/real");
    let directory = std::env::var_os("RNTUPLE_REFERENCE_DIR").map_or_else(beside, PathBuf::from);
    directory.is_dir().then_some(directory)
}

/// All reference files whose name contains `part`, by name; says so and is empty where there is no folder.
///
/// # Panics
/// If the folder is there but cannot be read.
#[expect(clippy::expect_used, reason = "a test that cannot read its data has failed")]
pub fn files(part: &str) -> Vec<Reference> {
    let Some(directory) = directory() else {
        println!("skipped: no reference files (set RNTUPLE_REFERENCE_DIR)");
        return Vec::new();
    };
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
