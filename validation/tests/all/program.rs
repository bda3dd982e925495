//! The program: what it makes, what it says, and its exit codes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Output};

fn validation(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_validation")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn files_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let written = validation(&["write", "files", "--only", "types.vector", "--only", "types.pair"], folder);
    assert!(written.status.success());
    assert_eq!(
        String::from_utf8(written.stdout).unwrap(),
        "types.pair: done\ntypes.vector.fundamental: done\ntypes.vector.nested: done\n"
    );
    for arguments in [&["read", "files", "out"][..], &["read", "files", "dynamic", "--dynamic"]] {
        let read = validation(arguments, folder);
        // What is not there is told, and no failure.
        let text = String::from_utf8(read.stdout).unwrap();
        assert!(
            read.status.success() && text.contains("\ntypes.tuple: there is no files/types.tuple.root\n")
        );
        assert_eq!(std::fs::read_dir(folder.join(arguments[2])).unwrap().count(), 3);
    }
    let name = "types.vector.nested.json";
    let [typed, dynamic] = ["out", "dynamic"].map(|out| std::fs::read(folder.join(out).join(name)).unwrap());
    assert_eq!(typed, dynamic);
}

#[test]
fn failures_are_told_behind_what_went_well() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(validation(&["write", ".", "--only", "types.vector"], folder).status.success());
    std::fs::write(folder.join("types.pair.root"), "no file of ROOT's").unwrap();
    let read = validation(&["read", ".", "out"], folder);
    assert_eq!(read.status.code(), Some(1));
    assert!(String::from_utf8(read.stderr).unwrap().starts_with("validation: types.pair: "));
    assert!(folder.join("out/types.vector.nested.json").exists());
    let unknown = validation(&["list", "--only", "types.vektor"], folder);
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(unknown.stderr).unwrap(),
        "validation: no category begins with `types.vektor`\n"
    );
}
