//! `rntuple dataset`: a data set from its first file to its last version.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;

use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
struct Event {
    run: u32,
    met: f32,
}

fn write(path: &Path, run: u32) {
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new()).unwrap();
    (0..20u8).try_for_each(|i| writer.fill(&Event { run, met: i.into() })).unwrap();
    writer.finish().unwrap();
}

/// Runs a command in a folder: its exit code, and what it says.
fn run(folder: &Path, line: &str) -> (i32, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_rntuple"));
    let output = program.current_dir(folder).args(line.split(' ')).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn an_order_is_declared_and_kept() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    write(&folder.join("run2.root"), 2);
    for (line, code, text) in [
        ("stats run1.root --sorted-by run,met --json", 0, "\"sort_order\":[\"run\",\"met\"]"),
        ("stats run1.root --add --sorted-by met,run", 0, ""),
        ("stats run1.root", 0, "1 cluster, kept, sorted by met, run"),
        ("stats run1.root --sorted-by energy", 2, "energy"),
        ("dataset create set.rnds run1.root --sorted-by energy", 2, "there is no such field"),
        ("dataset ls set.rnds", 2, "there is no data set"),
        (
            "dataset create set.rnds run1.root run2.root --sorted-by run,met",
            0,
            "version 3, 40 rows in 2 fragments",
        ),
        ("dataset ls set.rnds", 0, "  sorted by run, met"),
        ("dataset ls set.rnds --json", 0, "\"sort_order\": ["),
        ("dataset check set.rnds --pages", 0, "ok; 3 versions"),
    ] {
        let (found, said) = run(folder, line);
        assert_eq!((found, said.contains(text)), (code, true), "{line}: {said}");
    }
}

#[test]
fn a_data_set_is_made_changed_and_exported() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    write(&folder.join("run2.root"), 2);
    for (line, code, text) in [
        ("dataset create set.rnds run1.root", 0, "set.rnds: version 1, 20 rows in 1 fragment"),
        ("dataset create set.rnds run1.root", 2, "there is a data set already"),
        ("dataset append set.rnds run2.root --copy", 0, "version 2, 40 rows in 2 fragments"),
        ("dataset append set.rnds missing.root", 3, "missing.root"),
        ("dataset tag set.rnds both", 0, "both  version 2"),
        ("dataset tag set.rnds both --at 1", 2, "there is a tag \"both\""),
        ("dataset delete set.rnds --where met>=15", 0, "version 3, 30 rows in 2 fragments"),
        ("dataset delete set.rnds --where met>=15", 0, "no row matches, nothing is changed"),
        ("dataset delete set.rnds --where mett>=15", 2, "did you mean \"met\"?"),
        ("dataset delete set.rnds --rows 0,1", 0, "version 4, 28 rows"),
        ("dataset rename set.rnds met missing", 0, "version 5"),
        ("dataset ls set.rnds", 0, "missing  float"),
        ("dataset ls set.rnds --at both", 0, "version 2 of "),
        ("dataset log set.rnds", 0, "both"),
        ("dataset compact set.rnds --deleted 0", 0, "version 6, 28 rows in 1 fragment"),
        ("dataset drop set.rnds missing", 0, "version 7"),
        ("dataset drop set.rnds missing", 2, "no field \"missing\""),
        ("dataset restore set.rnds 6", 0, "version 8, 28 rows"),
        ("dataset export set.rnds out.root", 0, "out.root: 28 entries"),
        ("dataset check set.rnds --pages", 0, "set.rnds: ok; 8 versions"),
        ("dataset cleanup set.rnds --older-than 0s", 0, "6 versions, 0 files, 0 B removed"),
        ("dataset tag set.rnds both --remove", 0, ""),
        ("dataset ls set.rnds --at both", 2, "there is no tag \"both\""),
        ("dataset ls set.rnds --at 1", 2, "there is no version 1, or it was cleaned up"),
        ("lance-info set.rnds", 0, "version 8: 28 rows"),
        ("dataset ls nothing.rnds", 2, "there is no data set"),
    ] {
        let (found, said) = run(folder, line);
        assert_eq!((found, said.contains(text)), (code, true), "{line}: {said}");
    }
    #[derive(RNTuple)]
    struct Renamed {
        run: u32,
        missing: f32,
    }
    let reader = Reader::<Renamed>::open(folder.join("out.root"), "Events").unwrap();
    let rows: Vec<_> =
        reader.entries().map(|row| row.map(|row| (row.run, row.missing))).collect::<Result<_, _>>().unwrap();
    assert_eq!((rows.len(), rows.first(), rows.last()), (28, Some(&(1, 2.0)), Some(&(2, 14.0))));
}

#[test]
fn bounds_are_indexed_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run1.root"), 1);
    write(&folder.join("run2.root"), 2);
    for (line, code, text) in [
        ("dataset create set.rnds run1.root", 0, "version 1"),
        ("dataset index set.rnds", 0, "version 1, bounds of 0 fragments of 1 with rows\nthe others have no"),
        ("dataset index set.rnds --compute", 0, "set.rnds: version 2, bounds of 1 fragment of 1 with rows\n"),
        ("dataset append set.rnds run2.root", 0, "version 3"),
        ("dataset index set.rnds --compute", 0, "version 4, bounds of 2 fragments of 2 with rows\n"),
        ("dataset log set.rnds", 0, "CreateIndex"),
        ("lance-info set.rnds", 0, "  index rntuple_bounds, /rntuple.dataset.FragmentBounds in _indices/"),
        ("lance-info set.rnds", 0, ": 2 fragments, made from version 3, fields [0, 1]\n    bounds.root, "),
        ("dataset check set.rnds --pages", 0, "set.rnds: ok; 4 versions"),
    ] {
        let (found, said) = run(folder, line);
        assert_eq!((found, said.contains(text)), (code, true), "{line}: {said}");
    }
    // Another file under the same name.
    std::fs::copy(folder.join("run1.root"), folder.join("run2.root")).unwrap();
    let (code, said) = run(folder, "dataset check set.rnds --pages");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("fragment 1: the index of bounds excludes values"), "{said}");
}
