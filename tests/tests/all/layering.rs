//! The drawing of the layers is kept: every `use crate::` stands in this table.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a module may import, besides `error`, `bytes`, `limits` and `message`, which all use.
const LAYERS: &[(&str, &[&str])] = &[
    ("bytes", &[]),
    ("message", &[]),
    ("error", &["message"]),
    ("limits", &[]),
    ("generation", &[]),
    ("pool", &[]),
    ("encoding", &[]),
    ("compression", &[]),
    ("storage", &[]),
    ("text", &[]),
    ("schema", &["encoding", "generation", "text"]),
    ("envelope", &["generation", "schema", "compression"]),
    ("root", &["generation", "storage", "compression", "text"]),
    ("dataset", &["generation", "root", "storage", "envelope", "schema", "compression"]),
    ("catalog", &["dataset", "root", "storage", "envelope", "schema", "compression"]),
    ("page", &["encoding", "compression", "pool"]),
    ("cluster", &["page", "pool", "schema"]),
    ("column", &["cluster", "page", "pool", "encoding", "compression", "schema"]),
    ("field", &["column", "pool", "cluster", "page", "encoding", "compression", "schema"]),
    ("reader", &["dataset", "pool", "root", "storage", "encoding", "schema", "cluster", "column", "field"]),
    (
        "writer",
        &[
            "catalog",
            "dataset",
            "root",
            "storage",
            "pool",
            "envelope",
            "schema",
            "compression",
            "encoding",
            "page",
            "cluster",
            "column",
            "field",
        ],
    ),
    (
        "merge",
        &[
            "catalog",
            "dataset",
            "root",
            "storage",
            "envelope",
            "schema",
            "compression",
            "encoding",
            "field",
            "reader",
        ],
    ),
    (
        "check",
        &[
            "dataset",
            "generation",
            "root",
            "storage",
            "envelope",
            "schema",
            "compression",
            "encoding",
            "page",
            "cluster",
            "field",
            "reader",
        ],
    ),
    ("lock", &["compression", "encoding", "field", "reader", "schema", "writer"]),
    ("private", &["cluster", "compression", "encoding", "field", "lock", "schema"]),
    (
        "lib",
        &[
            "check",
            "compression",
            "dataset",
            "encoding",
            "field",
            "generation",
            "lock",
            "pool",
            "reader",
            "root",
            "schema",
            "writer",
        ],
    ),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The modules named behind `crate::`, in code that is not a test's.
fn imports(source: &str) -> BTreeSet<String> {
    let code: String = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut found = BTreeSet::new();
    for (position, _) in code.match_indices("crate::") {
        let before = code[..position].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[position + "crate::".len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        found.insert(name);
    }
    found
}

#[test]
fn every_module_uses_only_what_stands_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rntuple/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 50, "the sources are where they were");
    let mut faults = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&root).unwrap();
        let is_test = ["tests.rs", "testing.rs", "reference.rs", "corrupt.rs"];
        if relative.file_name().is_some_and(|name| is_test.iter().any(|test| name == *test)) {
            continue;
        }
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            faults.push(format!("{module}: not in the table"));
            continue;
        };
        for import in imports(&std::fs::read_to_string(&file).unwrap()) {
            let known = LAYERS.iter().any(|(name, _)| *name == import);
            let ground = match &*import {
                "message" => module != "message",
                "error" | "bytes" => !["error", "message"].contains(&&*module),
                "limits" => !["error", "bytes", "message"].contains(&&*module),
                _ => false,
            };
            if known && import != module && !ground && !allowed.contains(&&*import) {
                faults.push(format!("{}: uses {import}", relative.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn unsafe_code_stays_in_its_rooms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rntuple/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let source = std::fs::read_to_string(&file).unwrap();
        let is_room = relative == "storage/mmap.rs" || relative.starts_with("encoding/arch/");
        assert!(is_room || !source.contains("unsafe {"), "{relative} contains unsafe code");
    }
}
