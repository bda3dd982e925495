//! `rntuple recover` from outside.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::Command;

use rntuple::{WriteOptions, Writer};
use rntuple_tests::died::died;
use rntuple_tests::sample::One;

/// Exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let output = command.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn write(path: &Path, clusters: u32) {
    let mut writer = Writer::<One<u32>>::create(path, "Events", WriteOptions::new()).unwrap();
    for cluster in 0..clusters {
        writer.fill_all(&[0, 1, 2].map(|value| One { value: cluster * 3 + value })).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn what_is_left_is_a_file_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(&path.join("a.root"), 3);
    let (code, out, err) = run(path, &["recover", "a.root", "-o", "whole.root"]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.starts_with("a.root: Events: 9 entries saved in 3 clusters\nwhole.root: "), "{out}");

    // Without the end of the file.
    let bytes = fs::read(path.join("a.root")).unwrap();
    fs::write(path.join("cut.root"), &bytes[..bytes.len() - 100]).unwrap();
    assert_eq!(run(path, &["ls", "cut.root"]).0, 1);
    let (_, out, err) = run(path, &["recover", "cut.root", "--out", "saved.root"]);
    assert!(err.is_empty() && out.contains("9 entries saved"), "{out}{err}");
    let (code, out, _) = run(path, &["check", "saved.root"]);
    assert!(code == 0 && out.starts_with("saved.root: ok"), "{out}");
    let (_, dump, _) = run(path, &["dump", "saved.root"]);
    assert_eq!(dump.lines().count(), 9);

    // Without most of it.
    fs::write(path.join("short.root"), &bytes[..bytes.len() / 5]).unwrap();
    let (code, out, err) = run(path, &["recover", "short.root", "-o", "none.root"]);
    assert!(code == 1 || code == 4, "{code} {out}{err}");
    let (code, out, _) = run(path, &["recover", "-q", "-f", "a.root", "-o", "saved.root"]);
    assert_eq!((code, &*out), (0, ""));
}

#[test]
fn files_elsewhere_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, error) = run(folder.path(), &["recover", "http://127.0.0.1:1/a.root", "--out", "out.root"]);
    let why = if cfg!(feature = "remote") { "refused" } else { "--features remote" };
    assert_eq!((code, error.contains("http://127.0.0.1:1/a.root: ")), (3, true), "{error}");
    assert!(error.contains(why), "{error}");
    assert!(!folder.path().join("out.root").exists());
}

#[test]
fn what_nothing_describes_is_deduced_if_this_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(&path.join("a.root"), 2);
    let bytes = fs::read(path.join("a.root")).unwrap();
    fs::write(path.join("died.root"), died(&bytes, |_, _| ())).unwrap();
    let (code, out, _) = run(path, &["recover", "died.root", "-o", "none.root"]);
    assert!(code == 4 && out.contains("0 entries saved") && out.contains("`--deduce` tries"), "{code} {out}");
    let (code, out, err) = run(path, &["recover", "died.root", "-o", "saved.root", "--deduce"]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.contains("6 entries saved in 2 clusters") && !out.contains("--deduce"), "{out}");
    assert!(out.contains("entries 0 to 6: which pages each column has was deduced"), "{out}");
    assert_eq!(run(path, &["check", "saved.root"]).0, 0);
}

#[test]
fn what_a_dead_writer_left_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, _, err) = run(path, &["recover", "a.root", "-o", "b.root"]);
    assert!(code == 3 && err.contains("No such file"), "{code} {err}");
    fs::write(path.join(".a.root.part"), "what it wrote").unwrap();
    fs::write(path.join(".ab.root.part"), "of another file").unwrap();
    let (code, _, err) = run(path, &["recover", "a.root", "-o", "b.root"]);
    assert!(code == 2 && err.contains("a writer that died left"), "{code} {err}");
    assert!(err.contains(".a.root.part") && !err.contains("ab.root"), "{err}");
    // Not that of a writer that lives.
    fs::remove_file(path.join(".a.root.part")).unwrap();
    let writer = Writer::<One<u32>>::create(path.join("a.root"), "Events", WriteOptions::new()).unwrap();
    let (_, _, err) = run(path, &["recover", "a.root", "-o", "b.root"]);
    assert!(err.contains("No such file"), "{err}");
    drop(writer);
}
