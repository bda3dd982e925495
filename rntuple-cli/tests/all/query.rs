//! `rntuple query`: SQL over files and data sets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;

use rntuple::{RNTuple, WriteOptions, Writer};

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
struct Event {
    run: u32,
    met: f32,
    muons: Vec<Muon>,
}

pub(crate) fn write(path: &Path, run: u32) {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    for i in 0..20u8 {
        let muons = (0..i % 3).map(|j| Muon { pt: f32::from(j) }).collect();
        writer.fill(&Event { run, met: i.into(), muons }).unwrap();
    }
    writer.finish().unwrap();
}

/// Runs a query in a folder: its exit code, and what it says.
pub(crate) fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let output = program.current_dir(folder).arg("query").args(args).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn rows_are_printed_and_saved() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    write(&folder.join("run2.root"), 2);
    let sum = "SELECT run, sum(met) AS met FROM events GROUP BY run ORDER BY run";
    let (code, text) = run(folder, &[sum, "--table", "events=run*.root"]);
    assert_eq!((code, text.contains("| 2   | 190.0 |")), (0, true), "{text}");
    let (code, text) = run(folder, &[sum, "-t", "events:Events=run2.root", "--format", "json"]);
    assert_eq!((code, &*text), (0, "{\"run\":2,\"met\":190.0}\n"));
    let (code, text) = run(folder, &[sum, "-t", "events=run*.root", "--format", "csv", "--threads", "1"]);
    assert_eq!((code, &*text), (0, "run,met\n1,190.0\n2,190.0\n"));
    let leaves = r#"SELECT sum(cardinality("muons.pt")) AS n FROM events"#;
    let (code, text) = run(folder, &[leaves, "-t", "events=run1.root", "--leaves", "--format", "csv"]);
    assert_eq!((code, &*text), (0, "n\n19\n"));
}

#[test]
fn null_and_an_empty_text_differ_in_csv() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let query = "SELECT CASE WHEN met < 1 THEN '' WHEN met < 2 THEN 'a' END AS name, run FROM events WHERE met < 3 ORDER BY met";
    let expected = "name,run\n\"\",1\na,1\n,1\n";
    let table = ["-t", "events=run1.root"];
    let (code, text) = run(folder, &[&[query, "--format", "csv"][..], &table].concat());
    assert_eq!((code, &*text), (0, expected));
    let (code, text) = run(folder, &[&[query, "-o", "names.csv"][..], &table].concat());
    assert_eq!((code, &*text), (0, ""));
    assert_eq!(std::fs::read_to_string(folder.join("names.csv")).unwrap(), expected);
    // Without rows there are names.
    let (code, text) =
        run(folder, &[&["SELECT run FROM events WHERE run > 1", "--format", "csv"][..], &table].concat());
    assert_eq!((code, &*text), (0, "run\n"));
    // A file that cannot be finished is none.
    let (code, text) = run(folder, &[&["SELECT muons FROM events", "-o", "lists.csv"][..], &table].concat());
    assert!(code == 3 && text.contains("\"muons\""), "{code}, {text}");
    assert!(!folder.join("lists.csv").exists());
}

#[test]
fn files_are_written_with_options() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    // The third muon of each event is null.
    let query = "SELECT make_array(muons[1]['pt'], muons[3]['pt']) AS pts FROM events WHERE met < 3";
    let save = |options: &[&str]| {
        let args = [&[query, "-t", "events=run1.root", "-o", "skim.root", "-f"], options].concat();
        run(folder, &args)
    };
    let (code, text) = save(&[]);
    assert!(code != 0 && text.contains("nested_nulls"), "{code}, {text}");
    let options =
        ["--option", "nested_nulls=true", "--option", "ntuple=Skim", "--option", "compression=zstd:1"];
    assert_eq!(save(&options), (0, String::new()));
    let count = "SELECT count(*) AS n, count(pts[1]) AS first, count(pts[2]) AS second FROM skim";
    let (code, text) = run(folder, &[count, "-t", "skim:Skim=skim.root", "--format", "csv"]);
    assert_eq!((code, &*text), (0, "n,first,second\n3,2,0\n"));
    for (options, message) in [
        (&["--option", "nested_nulls=perhaps"][..], "true or false"),
        (&["--option", "nested_nulls"], "NAME=VALUE"),
        (&["--option", "nestednulls=true"], "nested_nulls"),
    ] {
        let (code, text) = save(options);
        assert!(code == 2 && text.contains(message), "{options:?}: {code}, {text}");
    }
    let (code, text) = run(folder, &[query, "-t", "events=run1.root", "--option", "nested_nulls=true"]);
    assert!(code == 2 && text.contains("--output"), "{code}, {text}");
    let (code, text) =
        run(folder, &[query, "-t", "events=run1.root", "-o", "a.csv", "--option", "delimiter=;"]);
    assert!(code == 2 && text.contains("no option"), "{code}, {text}");
}

#[test]
fn versions_of_data_sets_are_tables() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    for line in [
        "create set.rnds run1.root",
        "tag set.rnds 2026",
        "delete set.rnds --where met>=15",
        "tag set.rnds good",
        "tag set.rnds 1",
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
        assert!(
            program
                .current_dir(folder)
                .arg("dataset")
                .args(line.split(' '))
                .output()
                .unwrap()
                .status
                .success()
        );
    }
    // A tag may be a number, also that of another version.
    for (at, rows) in [("", 15), ("@1", 15), ("@2", 15), ("@good", 15), ("@2026", 20)] {
        let table = format!("events=set.rnds{at}");
        let found = run(folder, &["SELECT count(*) AS n FROM events", "-t", &table, "--format", "csv"]);
        assert_eq!(found, (0, format!("n\n{rows}\n")), "{at}");
    }
    let (code, text) = run(folder, &["SELECT 1", "-t", "events=set.rnds@9"]);
    assert_eq!((code, text.contains("no version 9")), (2, true), "{text}");
}

#[test]
fn a_damaged_file_of_a_data_set_has_the_exit_code_of_one() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let create = program.current_dir(folder).args(["dataset", "create", "set.rnds", "run1.root"]);
    assert!(create.output().unwrap().status.success());
    let sum = ["SELECT sum(met) AS met FROM events", "-t", "events=set.rnds", "--format", "csv"];
    assert_eq!(run(folder, &sum), (0, "met\n190.0\n".to_owned()));
    std::fs::write(folder.join("run1.root"), b"root").unwrap();
    let (code, text) = run(folder, &sum);
    assert!(code == 1 && text.contains("run1.root"), "{code}: {text}");
    // As a plain file that is missing.
    std::fs::remove_file(folder.join("run1.root")).unwrap();
    let (code, text) = run(folder, &sum);
    assert!(code == 3 && text.contains("run1.root"), "{code}: {text}");
}

#[test]
fn a_query_that_fails_leaves_the_file_of_before() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    // The last rows divide by zero, when there are others already.
    let query = "SELECT 1 / CAST(19 - met AS INT) AS x FROM events";
    for name in ["a.root", "a.parquet", "a.json", "a.arrow", "a.csv"] {
        let (code, text) = run(folder, &[query, "-t", "events=run1.root", "-o", name, "--threads", "1"]);
        assert!(code != 0 && text.contains("zero"), "{name}: {code}, {text}");
        assert!(!folder.join(name).exists(), "{name}");
        std::fs::write(folder.join(name), "of before").unwrap();
        let (code, text) = run(folder, &[query, "-t", "events=run1.root", "-o", name, "-f"]);
        assert!(code != 0 && text.contains("zero"), "{name}: {code}, {text}");
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), "of before", "{name}");
        let good = ["SELECT met FROM events", "-t", "events=run1.root", "-o", name];
        let refused = format!("rntuple: {name}: the file exists; --force replaces it\n");
        assert_eq!(run(folder, &good), (2, refused));
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), "of before", "{name}");
        assert_eq!(run(folder, &[&good[..], &["--force"]].concat()), (0, String::new()), "{name}");
        assert_ne!(std::fs::read(folder.join(name)).unwrap(), b"of before", "{name}");
    }
    // Nothing unfinished is left.
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 6);
}

#[test]
fn a_path_is_no_pattern() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run[1].root"), 1);
    write(&folder.join("run1.root"), 2);
    let rows = |name: &str| {
        run(folder, &["SELECT DISTINCT run FROM events", "-t", &format!("events={name}"), "--format", "csv"])
    };
    // The file, if there is one, and else those that match.
    assert_eq!(rows("run[1].root"), (0, "run\n1\n".to_owned()));
    assert_eq!(rows("run[1-9].root"), (0, "run\n2\n".to_owned()));
    assert_eq!(rows("run?.root"), (0, "run\n2\n".to_owned()));
    std::fs::create_dir(folder.join("a [x]")).unwrap();
    for name in ["a[1].root", "a?%.root", "a [x]/b#*.parquet", "c[2].json", "d*.arrow", "e?.csv"] {
        let saved = run(folder, &["SELECT run FROM events", "-t", "events=run1.root", "-o", name]);
        assert_eq!(saved, (0, String::new()), "{name}");
        assert!(folder.join(name).is_file(), "{name}");
    }
    assert_eq!(rows("a[1].root"), (0, "run\n2\n".to_owned()));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 8);
    assert_eq!(std::fs::read_dir(folder.join("a [x]")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    std::fs::create_dir(folder.join("elsewhere")).unwrap();
    for name in ["a.root", "a.parquet", "a.json", "a.arrow", "a.csv"] {
        let (target, link) = (folder.join("elsewhere").join(name), folder.join(name));
        std::os::unix::fs::symlink(Path::new("elsewhere").join(name), &link).unwrap();
        let args = ["SELECT run FROM events", "-t", "events=run1.root", "-o", name];
        // Also one to nowhere.
        assert_eq!(run(folder, &args).0, 2);
        for _ in 0..2 {
            assert_eq!(run(folder, &[&args[..], &["--force"]].concat()), (0, String::new()), "{name}");
            assert!(link.is_symlink() && target.metadata().unwrap().len() > 0, "{name}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.join("elsewhere")).unwrap().count(), 5);
}

#[test]
fn what_a_file_says_does_not_move_the_cursor() {
    #[derive(RNTuple)]
    struct Named {
        name: String,
    }
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let mut writer = Writer::<Named>::create(folder.join("a.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Named { name: "a\u{1b}[2J\r\nb\u{202e}".to_owned() }).unwrap();
    writer.finish().unwrap();
    let shown = |query: &str| run(folder, &[query, "-t", "events=a.root"]);
    let (code, text) = shown("SELECT name, make_array(name) AS \"l\u{1b}\", NULL AS n FROM events");
    assert_eq!(code, 0);
    assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']) && text.lines().count() == 5, "{text}");
    assert!(text.contains(r"| a\u{1b}[2J\r\nb\u{202e} | [a\u{1b}[2J\r\nb\u{202e}] |   |"), "{text}");
    assert!(text.contains(r"| l\u{1b} "), "{text}");
    // Files have what they are given.
    let json = run(folder, &["SELECT name FROM events", "-t", "events=a.root", "--format", "csv"]);
    assert_eq!(json, (0, "name\n\"a\u{1b}[2J\r\nb\u{202e}\"\n".to_owned()));
    // In JSON too, which loses nothing by it.
    let (_, json) = run(folder, &["SELECT name FROM events", "-t", "events=a.root", "--format", "json"]);
    assert_eq!(json, "{\"name\":\"a\\u001b[2J\\r\\nb\\u202e\"}\n");
    // Plans have lines.
    let (_, plan) = shown("EXPLAIN SELECT name FROM events WHERE name = 'b'");
    assert!(!plan.contains("\\n") && plan.lines().count() > 5, "{plan}");
}

#[test]
fn limits_are_refused_where_they_have_no_effect() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    let args = ["SELECT 1", "-t", "events=run1.root", "--limit", "entry=1"];
    let refused = (2, "rntuple: `--limit` has no effect on `query`\n".to_owned());
    assert_eq!(run(folder, &args), refused);
}

#[test]
fn what_is_wrong_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    std::fs::write(folder.join("broken.root"), b"root").unwrap();
    for (args, code, text) in [
        (&["SELECT mett FROM events", "-t", "events=run1.root"][..], 2, "mett"),
        (&["SELEC 1", "-t", "events=run1.root"], 2, "SELEC"),
        (&["SELECT 1", "-t", "run1.root"], 2, "NAME=FILE"),
        (&["SELECT 1", "-t", "events=missing.root"], 2, "missing.root"),
        (&["SELECT 1", "-t", "events:Evens=run1.root"], 2, "Evens"),
        (&["SELECT 1", "-t", "events=broken.root"], 1, "broken.root"),
        (&["SELECT 1 AS a", "-t", "events=run1.root", "-o", "out.xyz"], 2, ".parquet"),
    ] {
        let (found, said) = run(folder, args);
        assert!(found == code && said.contains(text), "{args:?}: {found}, {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}
