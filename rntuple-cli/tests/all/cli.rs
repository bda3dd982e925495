//! The program from outside: what it prints, where, and with which exit code.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::fs;
use std::io::{self, BufRead, BufReader, IoSlice};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use rntuple::schema::Locator;
use rntuple::storage::{Memory, WriteAt};
use rntuple::{Compression, Dataset, RootFile, WriteOptions, Writer};
use rntuple_tests::forge::Forge;
use rntuple_tests::reference::{self, Reference};
use rntuple_tests::sample::One;
use serde_json::{Value, json};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rntuple"))
}

/// Exit code, standard output, standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    parts(&program().args(args).output().unwrap())
}

fn path(reference: &Reference) -> &str {
    reference.file.to_str().unwrap()
}

fn parts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A reference file, unless there are none on this machine.
fn file(name: &str) -> Option<Reference> {
    reference::files(name).into_iter().find(|file| file.name.starts_with(name))
}

/// A number as the JSON has it: integers exactly, floating-point numbers by value.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Every file by ROOT that is read.
fn released_and_older() -> impl Iterator<Item = Reference> {
    reference::files("-v1.").into_iter().chain(reference::files("-epoch0-"))
}

#[test]
fn check_finds_files_by_root_sound() {
    let files: Vec<_> = released_and_older().collect();
    let paths: Vec<&str> = files.iter().map(path).collect();
    if paths.is_empty() {
        return;
    }
    let output = program().arg("check").args(&paths).output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert_eq!(out.lines().count(), paths.len());
    for (line, path) in out.lines().zip(&paths) {
        assert!(line.starts_with(&format!("{path}: ok: ")), "{line}");
        assert_eq!(line.contains(" (pre-release rc"), path.contains("-epoch0-"), "{line}");
    }
    let output = program().args(["check", "--quiet"]).args(&paths).output().unwrap();
    assert_eq!(parts(&output), (0, String::new(), String::new()));
}

#[test]
fn check_does_not_call_sound_what_it_cannot_check() {
    let Some(old) = file("int_float-prototype") else { return };
    let (code, out, err) = run(&["check", path(&old)]);
    assert_eq!((code, &*err), (4, ""));
    assert!(out.contains("pre-release format prototype") && out.contains("(1 not checked)"), "{out}");
    assert!(out.contains(": incomplete: 1 ntuple"), "{out}");
    // What the exit code comes from is not kept quiet.
    let (code, quiet, _) = run(&["check", "-q", path(&old)]);
    assert_eq!((code, quiet.lines().collect::<Vec<_>>()), (4, out.lines().take(1).collect()));
}

/// A disk that is full at one write, and has room again for the few that finish the file.
struct Disk {
    memory: Arc<Mutex<Memory>>,
    writes_left: usize,
}

impl WriteAt for Disk {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.writes_left = self.writes_left.wrapping_sub(1);
        if self.writes_left == 0 {
            return Err(io::Error::other("the disk does not answer"));
        }
        self.memory.lock().unwrap().write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn check_notices_what_a_failed_write_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["lost.root", "part.root", "sound.root"].map(|name| folder.path().join(name));
    // A cluster of 40 000 bytes is ten blobs: the first one is lost, or the second, or none.
    for (path, writes_left) in paths.iter().zip([6, 16, usize::MAX]) {
        let options = WriteOptions::new().compression(Compression::NONE).max_page_length(1000);
        let memory = Arc::new(Mutex::new(Memory::new()));
        let disk = Disk { memory: memory.clone(), writes_left };
        let mut writer = Writer::<One<u64>, _>::new(disk, "Events", options.max_key_size(4200)).unwrap();
        let results = (0..10_000).map(|value| {
            writer.fill(&One { value })?;
            if value % 5000 == 4999 { writer.commit_cluster() } else { Ok(()) }
        });
        let failed = results.filter(Result::is_err).count() > 0;
        assert_eq!((failed, writer.finish().is_err()), (writes_left < 100, writes_left < 100));
        fs::write(path, memory.lock().unwrap().as_bytes()).unwrap();
    }
    let paths = paths.each_ref().map(|path| path.to_str().unwrap());
    let (code, out, err) = run(&[&["check"], &paths[..]].concat());
    assert_eq!((code, &*err), (4, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 5, "{out}");
    for (number, pages) in [(0, "0 pages, 0 B"), (1, "40 pages, ")] {
        let (note, summary) = (lines[2 * number], lines[2 * number + 1]);
        assert!(note.starts_with(&format!("{}: offset ", paths[number])), "{note}");
        assert!(note.contains(" blobs that nothing refers to") && note.ends_with(" (warning)"), "{note}");
        assert!(
            summary.starts_with(&format!("{}: incomplete: 1 ntuple, {pages}", paths[number])),
            "{summary}"
        );
        assert!(summary.ends_with(" KiB that nothing refers to"), "{summary}");
    }
    assert!(lines[4].starts_with(&format!("{}: ok: 1 ntuple, 80 pages, ", paths[2])), "{out}");
    let (code, quiet, _) = run(&["check", "--quiet", paths[0]]);
    assert_eq!((code, quiet.trim_end()), (4, lines[0]));
}

#[test]
fn check_says_how_much_it_has_not_checked() {
    let Some(reference) = file("multiple_cluster_groups-v1") else { return };
    let (code, out, _) = run(&["check", "--limit", "page=0", path(&reference)]);
    assert_eq!(code, 4);
    let last = out.lines().last().unwrap();
    assert!(
        last.contains(": incomplete: 1 ntuple, 0 pages (") && last.contains(" more not checked), 0 B"),
        "{out}"
    );
    assert!(
        out.lines()
            .next()
            .unwrap()
            .ends_with("expected at most 0; `--limit page=..` sets this limit (not checked)"),
        "{out}"
    );
    let (code, out, _) = run(&["check", "--limit", "page=1MiB", path(&reference)]);
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
}

#[test]
fn check_lists_faults_and_goes_on() {
    let Some(reference) = file("multiple_cluster_groups-v1") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(&reference.file).unwrap();
    let root_file = RootFile::open(&reference.file).unwrap();
    let key = root_file.ntuples().unwrap().remove(0);
    let dataset = Dataset::open(&root_file, &key.path()).unwrap();
    for cluster in [1, 7] {
        let Locator::File { offset, .. } = dataset.cluster(cluster).unwrap().columns[0].pages[0].locator
        else {
            panic!()
        };
        bytes[usize::try_from(offset).unwrap()] ^= 1;
    }
    let damaged = folder.path().join("damaged.root");
    fs::write(&damaged, bytes).unwrap();
    let damaged = damaged.to_str().unwrap();

    let (code, out, err) = run(&["check", "missing.root", damaged, path(&reference)]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(err.starts_with("rntuple: missing.root: "), "{err}");
    let (code, quiet, err) = run(&["check", "-q", damaged, path(&reference)]);
    assert_eq!((code, &*err), (1, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert_eq!(quiet.lines().collect::<Vec<_>>(), lines[..2]);
    for (line, cluster) in lines.iter().zip([1, 7]) {
        assert!(line.starts_with(&format!("{damaged}: {}: page 0 of column 0 (", key.path())), "{line}");
        assert!(
            line.contains(&format!("cluster {cluster}, ")) && line.ends_with("checksum differs"),
            "{line}"
        );
    }
    assert!(lines[2].starts_with(&format!("{damaged}: 2 faults: 1 ntuple")), "{out}");
    assert!(lines[3].contains(": ok: "), "{out}");

    // Reading stops at the fault, behind what is good.
    let (code, out, err) = run(&["dump", damaged]);
    assert_eq!(code, 1);
    assert_eq!(out.lines().count() as u64, dataset.cluster(1).unwrap().first_entry);
    assert!(err.starts_with(&format!("rntuple: {damaged}: ")) && err.contains("checksum differs"), "{err}");
}

#[test]
fn dump_prints_every_value() {
    for reference in released_and_older() {
        for ntuple in reference.expected["rntuples"].as_array().unwrap() {
            let (code, out, err) =
                run(&["dump", path(&reference), "--ntuple", ntuple["path"].as_str().unwrap()]);
            assert_eq!((code, &*err), (0, ""));
            let values: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(values.len() as u64, ntuple["num_entries"].as_u64().unwrap());
            for (part, from) in [("first", 0), ("last", values.len().saturating_sub(10))] {
                let Some(fields) = ntuple[part].as_object() else { continue };
                for (field, wanted) in fields {
                    for (entry, wanted) in (from..).zip(wanted.as_array().unwrap()) {
                        let found = &values[entry][field];
                        assert!(same(found, wanted), "{} {field} {entry}: {found}", reference.name);
                    }
                }
            }
        }
    }
}

#[test]
fn dump_takes_parts() {
    let Some(reference) = file("ntpl001_staff-v1.0.0.0") else { return };
    let whole = run(&["dump", path(&reference)]).1;
    let lines: Vec<&str> = whole.lines().collect();
    for (entries, wanted) in
        [("3..5", &lines[3..5]), ("..2", &lines[..2]), ("5000..5000", &[]), ("0..", &lines), ("4..4", &[])]
    {
        let (code, out, err) = run(&["dump", path(&reference), "--entries", entries]);
        assert_eq!((code, &*err), (0, ""));
        assert!(out.lines().eq(wanted.iter().copied()), "{entries}");
    }
    let entry: Value = serde_json::from_str(lines[3]).unwrap();
    let names: Vec<&String> = entry.as_object().unwrap().keys().collect();
    let fields = format!("{},{}", names[4], names[1]);
    let args = ["dump", path(&reference), "--fields", &fields, "--entries", "3..4"];
    let found: Value = serde_json::from_str(&run(&args).1).unwrap();
    assert_eq!(found, json!({ names[1]: entry[names[1]], names[4]: entry[names[4]] }));
}

#[test]
fn dump_reads_members_alone() {
    let Some(reference) = file("stl_containers-v1") else { return };
    let args =
        ["dump", path(&reference), "--fields", "lorentz_vector.pt,array_lv._0.eta", "--entries", "1..2"];
    let (code, out, err) = run(&args);
    assert_eq!((code, &*err), (0, ""));
    let found: Value = serde_json::from_str(&out).unwrap();
    let items = json!([{ "eta": 2.0 }, { "eta": 2.0 }, { "eta": 2.0 }]);
    assert_eq!(found, json!({ "lorentz_vector": { "pt": 2.0 }, "array_lv": items }));
}

#[test]
fn dump_reads_entries_that_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let options = WriteOptions::new().statistics(true);
    let mut writer = Writer::<One<u32>>::create(&path, "Events", options).unwrap();
    (0..10).for_each(|value| writer.fill(&One { value }).unwrap());
    writer.finish().unwrap();
    let path = path.to_str().unwrap();
    let (code, out, err) = run(&["dump", path, "--where", "value >= 7 or value == 2", "--entries", "2..9"]);
    assert_eq!((code, &*err), (0, ""));
    assert_eq!(out, "{\"value\":2}\n{\"value\":7}\n{\"value\":8}\n");

    let (code, out, err) = run(&["dump", path, "--where", "value >"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("character 8: the end where a value was expected"), "{err}");
    let (code, out, err) = run(&["dump", path, "--where", "valu > 1"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("no field \"valu\"; did you mean \"value\"?"), "{err}");
}

#[test]
fn wrong_usage_is_told() {
    let Some(two) = file("multiple_rntuples-v1") else { return };
    let (code, out, err) = run(&["dump", path(&two)]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("the file has 2 ntuples, choose one: \"A\", \"B\"; name it with --ntuple"), "{err}");
    for args in [
        &["dump", path(&two), "--ntuple", "C"][..],
        &["dump", path(&two), "--ntuple", "A", "--fields", "nothing"],
        &["dump", path(&two), "--entries", "5..3"],
        &["dump"],
        &["check"],
        &["frobnicate"],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, &*out), (2, ""), "{args:?}");
        assert!(!err.is_empty());
    }
}

#[test]
fn files_that_cannot_be_read_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "no physics here").unwrap();
    let text = text.to_str().unwrap();
    for command in ["ls", "dump", "check"] {
        let (code, _, err) = run(&[command, text]);
        assert_eq!(code, 1, "{command}");
        assert!(err.starts_with(&format!("rntuple: {text}: ")) && err.contains("not a ROOT file"), "{err}");
        let (code, _, err) = run(&[command, "missing.root"]);
        assert_eq!(code, 3, "{command}");
        assert!(err.starts_with("rntuple: missing.root: "), "{err}");
    }
    let Some(old) = file("int_float-prototype") else { return };
    let (code, _, err) = run(&["dump", path(&old)]);
    assert_eq!(code, 3);
    assert!(err.contains("pre-release format prototype"), "{err}");
    let (code, out, err) = run(&["ls", path(&old)]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.contains("ntuple: pre-release format prototype (ROOT 6.21 to 6.25)"), "{out}");
}

#[test]
fn a_pattern_without_files_does_not_stop_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("good.root");
    let mut writer = Writer::<One<f32>>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&One { value: 0.5 }).unwrap();
    writer.finish().unwrap();
    let (good, none) = (path.to_str().unwrap(), format!("file:{}/none*.root", folder.path().display()));
    for command in ["ls", "check"] {
        let (code, out, err) = run(&[command, &none, good]);
        assert_eq!((code, err.lines().count()), (3, 1), "{command}: {err}");
        assert!(out.contains("good.root") && err.contains("no file matches the pattern"), "{out}{err}");
    }
    let (code, out, _) = run(&["ls", "--json", &none, good]);
    assert_eq!(code, 3);
    let files = &serde_json::from_str::<Value>(&out).unwrap()["files"];
    assert!(files[0]["error"].as_str().unwrap().contains("no file matches"), "{out}");
    assert_eq!(files[1]["ntuples"][0]["entries"], json!(1));
    // As of a file that is missing.
    let merged = folder.path().join("merged.root");
    assert_eq!(run(&["merge", merged.to_str().unwrap(), &none]).0, 3);
}

#[test]
fn ls_names_the_generation() {
    for (name, wanted) in [
        ("int_float-epoch0-rc1.0", "; format pre-release rc1.0 by ROOT v6.26"),
        ("int_float-epoch0-rc1.1", "; format pre-release rc1.1 by ROOT v6.2"),
        ("minimal-epoch0-rc2.1", "; format 0.2.0.0 (pre-release rc2.1) by ROOT v6.33"),
    ] {
        let Some(old) = file(name) else { return };
        let (code, out, err) = run(&["ls", path(&old)]);
        assert_eq!((code, &*err), (0, ""));
        assert!(out.contains(wanted), "{out}");
        let (code, out, err) = run(&["ls", "--json", path(&old)]);
        assert_eq!((code, &*err), (0, ""));
        let document: Value = serde_json::from_str(&out).unwrap();
        let (found, ntuple) = (&document["files"][0]["ntuples"][0], &old.expected["rntuples"][0]);
        assert_eq!(found["generation"], ntuple["generation"]);
        assert_eq!(found["format_version"], ntuple["format_version"]);
        assert_eq!(found["entries"], ntuple["num_entries"]);
    }
}

/// Fields of the tree by id, with the ids of their parents.
fn flatten(fields: &Value, parent: &Value, found: &mut Vec<Value>) {
    for field in fields.as_array().unwrap() {
        let mut flat = field.clone();
        flat["parent"] = parent.clone();
        found.push(flat);
        flatten(&field["children"], &field["id"], found);
    }
}

#[test]
fn ls_shows_the_schema_as_json() {
    let references = reference::files("-v1.");
    if references.is_empty() {
        return;
    }
    let output = program().args(["ls", "--json"]).args(references.iter().map(path)).output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!((code, &*err), (0, ""));
    let document: Value = serde_json::from_str(&out).unwrap();
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), references.len());
    for (file, reference) in files.iter().zip(&references) {
        assert_eq!(file["file"], path(reference));
        assert_eq!(file["size"], reference.expected["file_size"]);
        let ntuples = reference.expected["rntuples"].as_array().unwrap();
        assert_eq!(file["ntuples"].as_array().unwrap().len(), ntuples.len());
        for (found, wanted) in file["ntuples"].as_array().unwrap().iter().zip(ntuples) {
            for (key, other) in [
                ("path", "path"),
                ("name", "name"),
                ("format_version", "format_version"),
                ("writer", "writer"),
                ("description", "description"),
                ("entries", "num_entries"),
                ("clusters", "num_clusters"),
                ("cluster_groups", "num_cluster_groups"),
            ] {
                assert_eq!(found[key], wanted[other], "{} {key}", reference.name);
            }
            same_schema(&found["schema"], wanted);
        }
    }
}

fn same_schema(schema: &Value, wanted: &Value) {
    let mut fields = Vec::new();
    flatten(&schema["fields"], &Value::Null, &mut fields);
    fields.sort_by_key(|field| field["id"].as_u64());
    let wanted_fields = wanted["fields"].as_array().unwrap();
    assert_eq!(fields.len(), wanted_fields.len());
    let mut columns = Vec::new();
    for (field, wanted) in fields.iter().zip(wanted_fields) {
        for (key, other) in [
            ("id", "id"),
            ("parent", "parent"),
            ("name", "name"),
            ("type", "type"),
            ("role", "role"),
            ("type_alias", "type_alias"),
            ("description", "description"),
            ("array_size", "repetitions"),
            ("projection_source", "projection_source"),
            ("type_checksum", "type_checksum"),
        ] {
            assert_eq!(field[key], wanted[other], "{key} of {wanted}");
        }
        if field["projection_source"].is_null() {
            let own = field["columns"].as_array().unwrap().iter();
            columns
                .extend(own.map(|column| json!([column["id"], field["id"], column["type"], column["bits"]])));
        }
    }
    columns.sort_by_key(|column| column[0].as_u64());
    let wanted = wanted["columns"].as_array().unwrap().iter();
    let wanted: Vec<Value> =
        wanted.map(|column| json!([column[0], column[1], column[2], column[3]])).collect();
    assert_eq!(columns, wanted);
}

#[test]
fn ls_draws_a_tree() {
    let Some(reference) = file("nested_structs-v1") else { return };
    let (code, out, err) = run(&["ls", path(&reference)]);
    assert_eq!((code, &*err), (0, ""));
    let field_count = reference.expected["rntuples"][0]["fields"].as_array().unwrap().len();
    assert_eq!(out.lines().count(), 2 + field_count, "{out}");
    assert!(out.lines().next().unwrap().starts_with(path(&reference)));
    assert!(out.contains("└─ ") && out.contains("├─ "), "{out}");
    assert!(out.lines().all(|line| line.trim_end() == line));
}

#[test]
fn ls_tells_compression_where_columns_differ() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let list = |options: WriteOptions| {
        let mut writer = Writer::<One<Vec<f32>>>::create(&path, "Events", options).unwrap();
        writer.fill(&One { value: vec![0.5; 100] }).unwrap();
        writer.finish().unwrap();
        let (code, out, err) = run(&["ls", path.to_str().unwrap()]);
        assert_eq!((code, &*err), (0, ""));
        out
    };
    let same = list(WriteOptions::new());
    assert!(same.contains("SplitIndex64[64]") && !same.contains("zstd"), "{same}");
    let differing = list(WriteOptions::new().compression_of("value._0", Compression::lz4(4)));
    assert!(differing.contains("SplitIndex64[64, zstd:1]"), "{differing}");
    assert!(differing.contains("SplitReal32[32, lz4:4]"), "{differing}");
    let raw = list(WriteOptions::new().compression_of("value._0", Compression::NONE));
    assert!(raw.contains("Real32[32, uncompressed]"), "{raw}");
}

#[test]
fn attribute_sets_are_listed_and_dumped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::<One<f32>>::create(&path, "Events", options).unwrap();
    let runs = writer.attributes::<One<u32>>("runs").unwrap();
    let _ = writer.attributes::<One<Vec<String>>>("nothing").unwrap();
    for run in 0..3 {
        let range = runs.begin(&writer).unwrap();
        (0..10).for_each(|_| writer.fill(&One { value: 0.5 }).unwrap());
        range.commit(&writer, &One { value: run }).unwrap();
    }
    runs.add(5..15, &One { value: 9 }).unwrap();
    writer.finish().unwrap();
    let path = path.to_str().unwrap();

    let (code, out, err) = run(&["ls", path]);
    assert_eq!((code, &*err), (0, ""));
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    assert!(lines[1].contains("30 entries") && lines[1].contains("format 1.0.1.0"), "{out}");
    let at = lines.iter().position(|line| *line == "    attribute set runs: 4 attributes").unwrap();
    assert!(lines[at + 1].starts_with("      value  std::uint32_t"), "{out}");
    assert_eq!(lines[at + 2], "    attribute set nothing: 0 attributes");
    assert!(lines[at + 3].starts_with("      value") && lines[at + 4].starts_with("      └─ _0"), "{out}");
    let (_, out, _) = run(&["ls", "--json", path]);
    let json: Value = serde_json::from_str(&out).unwrap();
    let sets = &json["files"][0]["ntuples"][0]["attribute_sets"];
    assert_eq!((&sets[0]["name"], &sets[0]["attributes"]), (&json!("runs"), &json!(4)));
    let fields = sets[1]["schema"]["fields"].as_array().unwrap();
    let names: Vec<_> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["_rangeStart", "_rangeLen", "_userData"]);

    let (code, out, err) = run(&["dump", path, "--attributes", "runs"]);
    assert_eq!((code, &*err), (0, ""));
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[1], json!({ "range": [10, 20], "value": { "value": 1 } }));
    let (_, out, _) = run(&["dump", path, "--attributes", "runs", "--entries", "4..5"]);
    assert_eq!(out, "{\"range\":[0,10],\"value\":{\"value\":0}}\n");
    let (_, out, _) = run(&["dump", path, "--attributes", "runs", "--entries", "14..20"]);
    assert_eq!(out.lines().count(), 2);
    let (code, out, err) = run(&["dump", path, "--attributes", "other"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("no attribute set \"other\"; the ntuple has \"runs\", \"nothing\""), "{err}");

    let (code, out, _) = run(&["check", path]);
    assert_eq!(code, 0);
    assert!(out.contains(": ok: 3 ntuples, "), "{out}");

    // A set whose header is damaged: the ntuple is listed, and what is wrong is told.
    let mut bytes = fs::read(path).unwrap();
    let file = RootFile::open(path).unwrap();
    let set = Dataset::open(&file, "Events").unwrap().attribute_set("runs").unwrap();
    bytes[usize::try_from(set.anchor().header.offset).unwrap() + 20] ^= 1;
    fs::write(path, bytes).unwrap();
    let (code, out, err) = run(&["ls", path]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("30 entries") && out.contains("attribute set runs: not readable"), "{out}");
    assert!(err.contains("Events, attribute set runs: "), "{err}");
    assert_eq!(run(&["check", path]).0, 1);
}

/// JSON has a spelling for all characters, so that nothing is lost.
#[test]
fn json_does_not_move_the_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.root");
    let text = "\u{9b}2J\u{7f}\u{202e}µ\n";
    let options = WriteOptions::new().description(text);
    let mut writer = Writer::<One<String>>::create(&path, "Events", options).unwrap();
    writer.fill(&One { value: text.to_owned() }).unwrap();
    writer.finish().unwrap();
    let path = path.to_str().unwrap();
    let parsed = |args: &[&str]| -> Value {
        let (code, out, err) = run(args);
        assert_eq!((code, &*err), (0, ""));
        assert!(out.contains(r"\u009b2J\u007f\u202eµ\n"), "{out}");
        assert!(!out.contains(['\u{9b}', '\u{7f}', '\u{202e}']), "{out}");
        serde_json::from_str(&out).unwrap()
    };
    assert_eq!(parsed(&["dump", path]), json!({ "value": text }));
    assert_eq!(parsed(&["ls", "--json", path])["files"][0]["ntuples"][0]["description"], json!(text));
}

/// As in `rntuple dump events.root | head -n 1`.
#[test]
fn a_reader_who_leaves_is_no_error() {
    let Some(reference) = file("split_3e4-v1") else { return };
    for args in [&["dump", path(&reference)][..], &["ls", path(&reference), path(&reference)]] {
        let mut child = program().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        // The pipe is closed here, long before 30000 entries have gone through it.
        let output = child.wait_with_output().unwrap();
        assert_eq!(parts(&output), (0, String::new(), String::new()));
    }
}

/// A file of one string, made of the same page of 16 MiB again and again.
fn bomb(folder: &Path, count: u64) -> String {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let options =
        options.compression_of("value", Compression::zstd(1)).max_page_length(32 << 20).page_budget(64 << 20);
    let mut writer = Writer::<One<String>, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&One { value: "a".repeat(0xff_ffff) }).unwrap();
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    let path = folder.join("bomb.root");
    fs::write(&path, Forge::new(bytes).repeat(count).into_bytes()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_is_over_a_limit_is_an_error_that_names_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let path = bomb(folder.path(), 1000);
    let (code, out, err) = run(&["dump", &path]);
    assert_eq!((code, &*out), (1, ""), "{err}");
    let limit = "16777215000 items of 1 bytes each in memory, after 40 bytes of others, expected at most \
                 1073741824; `--limit entry=..` sets this limit\n";
    assert!(err.ends_with(limit), "{err}");
    // Before and after the command.
    let (code, _, err) = run(&["--limit", "entry=1 MB", "dump", &path]);
    assert!(code == 1 && err.contains("expected at most 1000000;"), "{err}");
    let path = bomb(folder.path(), 2);
    let (code, _, err) = run(&["dump", &path, "--limit", "entry=33MiB", "--limit", "page=15MiB"]);
    assert!(code == 1 && err.contains("expected at most 15728640; `--limit page=..`"), "{err}");
    let (code, out, err) = run(&["dump", &path, "--limit=entry=33MiB"]);
    assert_eq!((code, out.len(), &*err), (0, 2 * 0xff_ffff + r#"{"value":""}"#.len() + 1, ""));
    let (code, _, err) = run(&["ls", &path, "--limit", "size=3"]);
    assert!(code == 2 && err.contains("there is no limit \"size\": it is one of entry, page,"), "{err}");
    for command in ["ls", "codegen", "check"] {
        let (code, _, err) = run(&[command, &path, "--limit", "envelopes=0", "--limit", "fields=0"]);
        assert!(code == 1, "{command}: {err}");
    }
    let merged = folder.path().join("merged.root");
    let args = ["merge", merged.to_str().unwrap(), &path, "--limit", "fields=0"];
    let (code, _, err) = run(&args);
    assert!(code == 1 && err.contains("1 fields, expected at most 0; `--limit fields=..`"), "{err}");
}

/// Where memory ends before the limit does, it is an error too.
#[cfg(target_os = "linux")]
#[test]
fn a_lack_of_memory_is_an_error_and_no_abort() {
    let folder = tempfile::tempdir().unwrap();
    let path = bomb(folder.path(), 60);
    let script = format!("ulimit -v 600000; exec {} dump {path}", env!("CARGO_BIN_EXE_rntuple"));
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let (code, out, err) = parts(&output);
    assert_eq!((code, &*out), (1, ""), "{err}");
    assert!(err.contains("there is no memory for") && err.lines().count() == 1, "{err}");
}

#[test]
fn help_names_the_exit_codes() {
    for args in [&["--help"][..], &["check", "--help"], &["ls", "-h"], &["dump", "--help"]] {
        let (code, out, _) = run(args);
        assert_eq!(code, 0);
        assert!(out.contains("Exit codes:") && out.contains("  3  a file cannot be read"), "{out}");
        assert!(out.contains("  4  check found no fault, but could not check everything"), "{out}");
    }
    assert!(Path::new(env!("CARGO_BIN_EXE_rntuple")).is_file());
}
