//! The drawing of the layers in the book is kept: who imports whom, which files need each other, and where `unsafe` is.
//!
//! The tables here are exact: what they lack is a fault, and so is what they permit without need. Imports and circles
//! are those of the code that is compiled outside of tests, with whatever features; `unsafe` is looked for in all Rust
//! files of the repository. What the library shows at its root, and what it hides, are lists as well.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod circles;
mod dependencies;
mod drawing;
mod root;
mod snippets;
mod source;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use circles::circles;
use source::Crate;
use tokens::unsafe_in;

/// A module and the modules that it imports.
type Row = (&'static str, &'static [&'static str]);

/// What each module of `rntuple` imports: only modules of the rows above it, so that there are no circles.
const LAYERS: &[Row] = &[
    ("message", &[]),
    ("hidden", &[]),
    ("error", &["hidden", "message"]),
    ("limits", &["error"]),
    ("bytes", &["error", "message"]),
    ("sync", &[]),
    ("format_version", &["error"]),
    ("pool", &["error", "sync"]),
    ("encoding", &["bytes", "error"]),
    ("compression", &["bytes", "error", "message"]),
    ("storage", &["bytes", "error", "sync"]),
    ("text", &[]),
    ("schema", &["error", "limits", "message", "encoding", "format_version", "text"]),
    ("envelope", &["bytes", "error", "limits", "message", "format_version", "schema"]),
    (
        "root",
        &[
            "bytes",
            "error",
            "limits",
            "message",
            "format_version",
            "hidden",
            "storage",
            "compression",
            "text",
        ],
    ),
    (
        "dataset",
        &[
            "bytes",
            "error",
            "limits",
            "message",
            "format_version",
            "root",
            "envelope",
            "schema",
            "compression",
        ],
    ),
    ("catalog", &["error", "dataset", "root", "storage", "envelope", "schema", "compression"]),
    ("page", &["bytes", "error", "limits", "encoding", "compression", "pool", "sync"]),
    ("cluster", &["bytes", "error", "encoding", "page", "pool", "schema", "sync"]),
    (
        "column",
        &[
            "bytes",
            "error",
            "limits",
            "message",
            "cluster",
            "page",
            "pool",
            "encoding",
            "compression",
            "schema",
        ],
    ),
    (
        "field",
        &["error", "limits", "message", "column", "cluster", "encoding", "compression", "hidden", "schema"],
    ),
    ("predicate", &["error", "encoding", "field", "schema"]),
    (
        "reader",
        &[
            "bytes", "error", "limits", "message", "dataset", "hidden", "pool", "root", "storage",
            "encoding", "schema", "cluster", "column", "field",
        ],
    ),
    (
        "statistics",
        &["error", "limits", "dataset", "encoding", "field", "page", "pool", "reader", "root", "schema"],
    ),
    (
        "writer",
        &[
            "error",
            "limits",
            "message",
            "catalog",
            "dataset",
            "root",
            "storage",
            "hidden",
            "pool",
            "sync",
            "envelope",
            "schema",
            "compression",
            "encoding",
            "page",
            "cluster",
            "column",
            "field",
            "statistics",
        ],
    ),
    ("filter", &["error", "dataset", "encoding", "field", "predicate", "reader", "schema", "statistics"]),
    ("resume", &["error", "message", "dataset", "field", "reader", "root", "storage", "writer"]),
    (
        "merge",
        &[
            "bytes",
            "error",
            "limits",
            "message",
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
            "statistics",
            "writer",
        ],
    ),
    (
        "check",
        &[
            "bytes",
            "error",
            "dataset",
            "format_version",
            "root",
            "envelope",
            "schema",
            "encoding",
            "page",
            "field",
            "reader",
        ],
    ),
    (
        "recover",
        &[
            "bytes",
            "error",
            "limits",
            "message",
            "check",
            "compression",
            "dataset",
            "envelope",
            "format_version",
            "merge",
            "root",
            "schema",
            "statistics",
            "storage",
            "writer",
        ],
    ),
    ("lock", &["error", "compression", "field", "reader", "schema", "writer"]),
    ("private", &["error", "cluster", "encoding", "field", "lock", "predicate", "schema"]),
    (
        "internals",
        &[
            "bytes",
            "error",
            "limits",
            "compression",
            "dataset",
            "encoding",
            "envelope",
            "format_version",
            "page",
            "schema",
        ],
    ),
    (
        "lib",
        &[
            "error",
            "limits",
            "compression",
            "dataset",
            "encoding",
            "field",
            "pool",
            "reader",
            "root",
            "writer",
        ],
    ),
];

/// Files that need each other: their folder, their names there, and why they still do.
const CIRCLES: &[(&str, &[&str], &str)] = &[
    (
        "rntuple/src/encoding",
        &[
            "bits.rs",
            "element.rs",
            "load.rs",
            "mod.rs",
            "observe.rs",
            "plain.rs",
            "quant.rs",
            "rank.rs",
            "split.rs",
            "switch.rs",
            "trunc.rs",
        ],
        "the table of column types in `mod.rs` names every transform, and transforms are about its types",
    ),
    (
        "rntuple-xrootd/src",
        &["hosts.rs", "options.rs", "session.rs"],
        "clones of the options share their connections, which are made as the options say",
    ),
    (
        "remote-tests/src/proxy",
        &["connection.rs", "mod.rs"],
        "a network keeps its connections, so that it can cut them, and they keep it, for what they share",
    ),
];

/// Files and folders with `unsafe` in them.
const UNSAFE: &[&str] = &[
    "rntuple/src/encoding/arch/",
    "rntuple/src/storage/mmap.rs",
    // Allocators that count.
    "tests/src/memory.rs",
    "benches/src/bin/memory.rs",
    "fuzz/src/allocation.rs",
    // What the C data interface of Arrow hands over.
    "rntuple-arrow/tests/all/other_versions.rs",
    "xtask/neighbours/polars/tests/recipe.rs",
    // Files in memory maps, which no one changes.
    "tests/tests/all/columnar/lending.rs",
    "tests/tests/all/read_ahead.rs",
    "tests/tests/all/structure.rs",
];

/// Files that allow it, there or in a module that they declare.
const DOORS: &[&str] = &[
    "rntuple/src/encoding/mod.rs",
    "rntuple/src/storage/mod.rs",
    "tests/src/memory.rs",
    "benches/src/bin/memory.rs",
    "fuzz/src/allocation.rs",
    "rntuple-arrow/tests/all/other_versions.rs",
    "tests/tests/all/columnar/lending.rs",
    "tests/tests/all/read_ahead.rs",
    "tests/tests/all/structure.rs",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the members of both workspaces.
fn members() -> Vec<String> {
    let mut members = Vec::new();
    for folder in ["", "engines/"] {
        let manifest = std::fs::read_to_string(repository().join(folder).join("Cargo.toml")).unwrap();
        let (_, list) = manifest.split_once("\nmembers = [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        members.extend(list.split('"').skip(1).step_by(2).map(|member| format!("{folder}{member}")));
    }
    for expected in ["rntuple", "engines/rntuple-node"] {
        assert!(members.iter().any(|member| member == expected), "{members:?}");
    }
    members
}

/// All Rust files in `folder`, with their paths from there; but what is built, and folders with a dot.
fn sources(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if path == folder || name != "target" && !name.starts_with('.') {
                waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        } else if name.ends_with(".rs") {
            let relative: Vec<_> = path.strip_prefix(folder).unwrap().iter().collect();
            found.insert(relative.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/"));
        }
    }
    found
}

/// The crates of each member, its library and its programs, by the member's folder.
static CRATES: LazyLock<BTreeMap<String, Vec<Crate>>> = LazyLock::new(|| {
    let is_root = |file: &&String| {
        ["lib.rs", "main.rs"].contains(&&***file)
            || file.starts_with("bin/") && file.matches('/').count() == 1
    };
    let crates = |member: String| {
        let src = repository().join(&member).join("src");
        let load = |name: &str| std::fs::read_to_string(src.join(name)).ok();
        (member, sources(&src).iter().filter(is_root).map(|root| Crate::read(root, &load)).collect())
    };
    members().into_iter().map(crates).collect()
});

fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Both ways: what a table like `LAYERS` lacks, and what it permits without need.
fn differences(imports: &[(&str, &str, String)], layers: &[Row]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, from, path) in imports {
        let top = |file: &'_ str| file.split(['/', '.']).next().unwrap_or_default().len();
        let (module, import) = (&file[..top(file)], &from[..top(from)]);
        let Some((_, permitted)) = layers.iter().find(|(name, _)| *name == module) else {
            faults.push(format!("{file}: there is no row for `{module}`"));
            continue;
        };
        if module == import {
            continue;
        }
        if permitted.contains(&import) {
            used.entry(module).or_default().insert(import);
        } else {
            faults.push(format!(
                "{file}: `{path}` is of `{import}`, which the row of `{module}` does not permit"
            ));
        }
    }
    for (number, (module, permitted)) in layers.iter().enumerate() {
        for import in *permitted {
            if !used.get(module).is_some_and(|used| used.contains(import)) {
                faults.push(format!("row `{module}`: remove `{import}`, which no code there imports"));
            }
            if !layers.iter().take(number).any(|(name, _)| name == import) {
                faults.push(format!("row `{module}`: `{import}` has no row above it"));
            }
        }
    }
    faults
}

#[test]
fn every_module_imports_what_its_row_permits_and_all_of_it() {
    let tree = &CRATES["rntuple"][0];
    let files = tree.files();
    assert!(files.len() > 150, "{files:?}");
    let mut faults = differences(&tree.imports(), LAYERS);
    for (module, _) in LAYERS {
        let is_there = [format!("{module}.rs"), format!("{module}/mod.rs")];
        if !is_there.iter().any(|file| files.contains(&**file)) {
            faults.push(format!("row `{module}`: there is no such module, remove the row"));
        }
    }
    assert_none(&faults);
}

#[test]
fn every_file_belongs_to_a_module() {
    let mut faults = Vec::new();
    for (member, crates) in &*CRATES {
        for file in sources(&repository().join(member).join("src")) {
            let of_test = |test: &String| {
                let folder = test.strip_suffix("/mod.rs").unwrap_or(test.trim_end_matches(".rs"));
                file == *test || file.starts_with(&format!("{folder}/"))
            };
            let is_part = |tree: &Crate| tree.files().contains(&*file) || tree.tests.iter().any(of_test);
            if !crates.iter().any(is_part) {
                faults.push(format!("{member}/src/{file} is compiled nowhere"));
            }
        }
    }
    assert_none(&faults);
}

/// A test that no program has passes always.
#[test]
fn every_file_of_a_test_program_belongs_to_a_module() {
    let mut faults = Vec::new();
    let mut programs = 0;
    for member in members() {
        let folder = repository().join(&member).join("tests");
        if !folder.is_dir() {
            continue;
        }
        let files = sources(&folder);
        for root in files.iter().filter(|file| file.ends_with("/main.rs")) {
            programs += 1;
            let program = root.trim_end_matches("main.rs");
            let load = |name: &str| std::fs::read_to_string(folder.join(program).join(name)).ok();
            let tree = Crate::read("main.rs", &load);
            let compiled = tree.files();
            let is_text = |file: &str| {
                let include = format!("include_str!(\"{file}\")");
                compiled.iter().any(|name| load(name).is_some_and(|text| text.contains(&include)))
            };
            let others = files.iter().filter_map(|file| file.strip_prefix(program));
            for file in others.filter(|file| !compiled.contains(file) && !is_text(file)) {
                faults.push(format!("{member}/tests/{program}{file} is compiled nowhere"));
            }
        }
    }
    assert!(programs > 0);
    assert_none(&faults);
}

/// Both ways: circles without a row, and rows without a circle.
fn unexpected_circles(edges: &[(String, String, String)], rows: &[(&str, &[&str], &str)]) -> Vec<String> {
    let mut faults = Vec::new();
    let in_folder = |(folder, files, _): &(&str, &[&str], &str)| -> BTreeSet<String> {
        files.iter().map(|file| format!("{folder}/{file}")).collect()
    };
    let mut expected: Vec<BTreeSet<String>> = rows.iter().map(in_folder).collect();
    for circle in circles(edges.iter().map(|(from, to, _)| (&**from, &**to))) {
        if let Some(row) =
            expected.iter().position(|row| row.iter().map(|file| &**file).eq(circle.iter().copied()))
        {
            expected.remove(row);
            continue;
        }
        let is_within =
            |(from, to, _): &&(String, String, String)| circle.contains(&**from) && circle.contains(&**to);
        let within = edges.iter().filter(is_within);
        // One path for each pair of files says enough.
        let pairs: BTreeMap<(&str, &str), &str> =
            within.map(|(from, to, path)| ((&**from, &**to), &**path)).collect();
        let lines: String =
            pairs.iter().map(|((from, to), path)| format!("\n    {from} needs {to} for `{path}`")).collect();
        faults.push(format!("a circle of {} files that is not in the list:{}", circle.len(), lines));
    }
    faults.extend(
        expected.iter().map(|row| format!("remove or change the row, it is no longer a circle: {row:?}")),
    );
    faults
}

#[test]
fn files_need_each_other_only_where_the_list_says_so() {
    let mut edges = Vec::new();
    for (member, crates) in &*CRATES {
        let file = |name: &str| format!("{member}/src/{name}");
        edges.extend(
            crates.iter().flat_map(Crate::edges).map(|(from, to, path)| (file(from), file(to), path)),
        );
    }
    assert_none(&unexpected_circles(&edges, CIRCLES));
}

#[test]
fn unsafe_code_stays_in_its_rooms() {
    let mut faults = Vec::new();
    let (mut rooms, mut doors) = (BTreeSet::new(), BTreeSet::new());
    for file in sources(&repository()) {
        let text = std::fs::read_to_string(repository().join(&file)).unwrap();
        // Most files have not even the word, and need not be parsed.
        if !text.contains("unsafe") {
            continue;
        }
        let found = unsafe_in(&text);
        if !found.unsafe_code.is_empty() {
            let is_within = |room: &&&str| file == ***room || room.ends_with('/') && file.starts_with(**room);
            match UNSAFE.iter().find(is_within) {
                Some(room) => drop(rooms.insert(*room)),
                None => faults.push(format!("{file}: {:?}", found.unsafe_code)),
            }
        }
        if !found.permissions.is_empty() {
            match DOORS.iter().find(|door| file == **door) {
                Some(door) => drop(doors.insert(*door)),
                None => faults.push(format!("{file}: {:?}", found.permissions)),
            }
        }
    }
    let unused = UNSAFE.iter().filter(|room| !rooms.contains(**room));
    let unused = unused.chain(DOORS.iter().filter(|door| !doors.contains(**door)));
    faults.extend(unused.map(|row| format!("remove the row {row}: it has no unsafe code, or permits none")));
    assert_none(&faults);
}
