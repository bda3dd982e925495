//! `rntuple merge` from outside.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_tests::sample::One;

/// Exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let output = command.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[derive(RNTuple)]
struct More {
    value: u32,
    label: String,
}

/// A folder with `a.root` and `b.root`, of one schema, and `c.root`, which has one more field.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    for (name, first) in [("a.root", 0u32), ("b.root", 3)] {
        let mut writer = Writer::<One<u32>>::create(path.join(name), "Events", WriteOptions::new()).unwrap();
        writer.fill_all(&[0, 1, 2].map(|i| One { value: first + i })).unwrap();
        writer.finish().unwrap();
    }
    let mut writer = Writer::<More>::create(path.join("c.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&More { value: 6, label: "six".to_owned() }).unwrap();
    writer.finish().unwrap();
    (folder, path)
}

#[test]
fn files_become_one() {
    let (_folder, path) = folder();
    let (code, out, err) = run(&path, &["merge", "all.root", "a.root", "b.root", "a.root"]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.starts_with("all.root: 9 entries of 3 files, 3 clusters, "), "{out}");
    let (_, dump, _) = run(&path, &["dump", "all.root"]);
    let values: Vec<String> = [0, 1, 2, 3, 4, 5, 0, 1, 2].map(|i| format!("{{\"value\":{i}}}")).to_vec();
    assert_eq!(dump.lines().collect::<Vec<_>>(), values);
    let (code, out, _) = run(&path, &["check", "all.root"]);
    assert!(code == 0 && out.starts_with("all.root: ok"), "{out}");
    let groups = |name: &str| {
        let file = RootFile::open(path.join(name)).unwrap();
        Dataset::open(&file, "Events").unwrap().cluster_groups().len()
    };
    assert_eq!(groups("all.root"), 3);
    let args = ["merge", "-q", "--single-group", "--compression", "lz4", "one.root", "a.root", "b.root"];
    assert_eq!(run(&path, &args), (0, String::new(), String::new()));
    assert_eq!(groups("one.root"), 1);
}

#[test]
fn fields_may_be_filled_or_left_out() {
    let (_folder, path) = folder();
    let (code, _, err) = run(&path, &["merge", "all.root", "a.root", "c.root"]);
    assert_eq!((code, &*err), (2, "rntuple: c.root: Events: label: a field that a.root lacks\n"));
    assert!(!path.join("all.root").exists());
    let (code, _, _) = run(&path, &["merge", "--schema", "union", "all.root", "a.root", "c.root"]);
    assert_eq!(code, 0);
    let (_, dump, _) = run(&path, &["dump", "all.root", "--entries", "2..4"]);
    assert_eq!(dump, "{\"value\":2,\"label\":\"\"}\n{\"value\":6,\"label\":\"six\"}\n");
    let (code, _, _) = run(&path, &["merge", "--schema=filter", "-f", "all.root", "a.root", "c.root"]);
    assert_eq!(code, 0);
    let (_, dump, _) = run(&path, &["dump", "all.root", "--entries", "2..4"]);
    assert_eq!(dump, "{\"value\":2}\n{\"value\":6}\n");
}

#[test]
fn nothing_is_replaced_by_accident() {
    let (_folder, path) = folder();
    let before = fs::read(path.join("a.root")).unwrap();
    let (code, _, err) = run(&path, &["merge", "a.root", "b.root"]);
    assert_eq!(
        (code, &*err),
        (
            2,
            "rntuple: a.root: the output exists already; `--force` replaces it (`MergeOptions::overwrite` in a program)\n"
        )
    );
    let (code, _, err) = run(&path, &["merge", "--force", "a.root", "b.root", "./a.root"]);
    assert_eq!((code, &*err), (2, "rntuple: a.root: the output is one of the inputs: ./a.root\n"));
    assert!(fs::read(path.join("a.root")).unwrap() == before);
}

#[test]
fn what_cannot_be_merged_is_told() {
    let (_folder, path) = folder();
    let (code, _, err) = run(&path, &["merge", "all.root", "a.root", "d.root"]);
    assert_eq!(code, 3);
    assert!(err.starts_with("rntuple: d.root: "), "{err}");
    let (code, _, err) = run(&path, &["merge", "all.root", "a.root", "--ntuple", "Runs"]);
    assert_eq!(code, 2);
    assert!(err.contains("a.root: no ntuple \"Runs\""), "{err}");
    let mut bytes = fs::read(path.join("b.root")).unwrap();
    let length = bytes.len();
    bytes.truncate(length - 10);
    fs::write(path.join("b.root"), bytes).unwrap();
    let (code, _, err) = run(&path, &["merge", "all.root", "a.root", "b.root"]);
    assert_eq!(code, 1);
    assert!(err.starts_with("rntuple: b.root: the file is truncated: it has "), "{err}");
    assert!(run(&path, &["merge", "all.root"]).2.contains("<FILE>"));
    let left: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}
