//! `rntuple stats` from outside.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;

use rntuple::{RNTuple, WriteOptions, Writer};

/// Exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let output = command.current_dir(folder).arg("stats").args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[derive(RNTuple)]
struct Event {
    run: u32,
    met: f32,
    name: String,
    weights: Vec<f64>,
}

fn write(path: &Path, first: u32) {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    for run in first..first + 3 {
        let met = if run == first { f32::NAN } else { 1.5 };
        let weights = vec![f64::INFINITY; (run - first) as usize];
        writer.fill(&Event { run, met, name: format!("run {run}"), weights }).unwrap();
    }
    writer.finish().unwrap();
}

const COLUMNS: &str = "  field       elements  nulls  NaN  min      max
  run         3         0      0    7        9
  met         3         0      1    1.5      1.5
  name        3         0      0    \"run 7\"  \"run 9\"
  weights     3         1      0    0        2
  weights._0  3         0      0    inf      inf
";

#[test]
fn statistics_are_computed_added_and_put_next_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(&folder.join("a.root"), 7);
    write(&folder.join("b.root"), 17);
    let printed =
        |how: &str| (0, format!("a.root: Events: 3 entries, 1 cluster, {how}\n{COLUMNS}"), String::new());
    assert_eq!(run(folder, &["a.root"]), printed("computed"));
    assert_eq!(run(folder, &["a.root", "--output", "side.root"]), (0, String::new(), String::new()));
    assert_eq!(run(folder, &["a.root", "--from", "side.root"]), printed("kept"));
    assert_eq!(run(folder, &["a.root", "--output", "side.root"]).0, 2);
    assert_eq!(run(folder, &["a.root", "--output", "side.root", "--force"]).0, 0);
    let (code, _, error) = run(folder, &["b.root", "--from", "side.root"]);
    assert_eq!(code, 2);
    assert!(error.contains("b.root: Events: the statistics in side.root are about another file"), "{error}");

    assert_eq!(run(folder, &["a.root", "--add"]), (0, String::new(), String::new()));
    assert_eq!(run(folder, &["a.root"]), printed("kept"));
    assert_eq!(run(folder, &["a.root", "--add"]).0, 0);
    assert_eq!(run(folder, &["a.root"]), printed("kept"));
    let (code, json, _) = run(folder, &["a.root", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["kept"], &json["entries"]), (0, &true.into(), &3.into()));
    assert_eq!(json["columns"][2]["text"]["max"], "run 9");
    assert_eq!(json["columns"][4]["min"], "Infinity");
    let sound =
        Command::new(env!("CARGO_BIN_EXE_rntuple")).current_dir(folder).args(["check", "a.root"]).output();
    assert!(sound.unwrap().status.success());
}

#[test]
fn the_file_is_not_replaced_by_its_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(&folder.join("a.root"), 7);
    let before = std::fs::read(folder.join("a.root")).unwrap();
    let url = format!("file://{}", folder.join("a.root").display());
    let mut names = vec![("a.root", "a.root"), ("a.root", "./a.root"), (&*url, "a.root")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.root", folder.join("link.root")).unwrap();
        std::fs::hard_link(folder.join("a.root"), folder.join("hard.root")).unwrap();
        names.extend([("a.root", "link.root"), ("link.root", "a.root"), ("a.root", "hard.root")]);
    }
    for (input, output) in names {
        let message = format!("rntuple: {output}: the output is one of the inputs: {input}\n");
        assert_eq!(run(folder, &[input, "-o", output, "--force"]), (2, String::new(), message));
        assert!(std::fs::read(folder.join("a.root")).unwrap() == before);
    }
    // An input that does not exist leaves nothing either.
    assert_eq!(run(folder, &["none.root", "-o", "new.root"]).0, 3);
    assert!(!folder.join("new.root").exists());
}

/// The file is opened a second time when they are added.
#[test]
fn statistics_are_added_within_raised_limits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let options = WriteOptions::new().description("A".repeat(36 << 20));
    let mut writer = Writer::<Event>::create(folder.join("a.root"), "Events", options).unwrap();
    writer.fill(&Event { run: 7, met: 1.5, name: "run 7".to_owned(), weights: Vec::new() }).unwrap();
    writer.finish().unwrap();
    let (code, _, error) = run(folder, &["a.root", "--add"]);
    assert!(code == 1 && error.contains("`--limit envelopes=..` sets this limit"), "{code}: {error}");
    let raised = ["a.root", "--limit", "envelopes=100MiB"];
    assert_eq!(run(folder, &[&raised[..], &["--add"]].concat()), (0, String::new(), String::new()));
    let (code, said, _) = run(folder, &raised);
    assert!(code == 0 && said.starts_with("a.root: Events: 1 entry, 1 cluster, kept\n"), "{said}");
}
