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
        ("dataset ls set.rnds", 3, "there is no data set"),
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
        ("dataset ls nothing.rnds", 3, "there is no data set"),
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

/// Runs commands, each with the exit code and a part of what it says.
fn run_all(folder: &Path, lines: &[(&str, i32, &str)]) {
    for (line, code, text) in lines {
        let (found, said) = run(folder, line);
        assert_eq!((found, said.contains(text)), (*code, true), "{line}: {said}");
    }
}

/// A data set of three versions of 20, 40 and 60 rows.
fn three_runs() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    (1..4).for_each(|run| write(&directory.path().join(format!("run{run}.root")), run));
    run_all(
        directory.path(),
        &[
            ("dataset create set.rnds run1.root --copy", 0, "version 1, 20 rows"),
            ("dataset append set.rnds run2.root --copy", 0, "version 2, 40 rows"),
            ("dataset append set.rnds run3.root --copy", 0, "version 3, 60 rows"),
        ],
    );
    directory
}

/// A tag may look like something else.
#[test]
fn a_tag_comes_before_a_number_and_a_time() {
    let directory = three_runs();
    run_all(
        directory.path(),
        &[
            ("dataset ls set.rnds --at 1", 0, "version 1 of "),
            ("dataset tag set.rnds 2100-01-01 --at 1", 0, "2100-01-01  version 1"),
            ("dataset tag set.rnds 1 --at 2", 0, "1  version 2"),
            ("dataset ls set.rnds --at 1", 0, "version 2 of "),
            ("dataset ls set.rnds --at 2100-01-01", 0, "version 1 of "),
            // What is no tag.
            ("dataset ls set.rnds --at 2", 0, "version 2 of "),
            ("dataset ls set.rnds --at 3", 0, "version 3 of "),
            ("dataset ls set.rnds --at 2100-01-02", 0, "version 3 of "),
            ("dataset ls set.rnds --at 2100-01-02T08:00:00Z", 0, "version 3 of "),
            ("dataset ls set.rnds --at 2000-01-01", 2, "the data set did not exist then"),
            ("dataset ls set.rnds --at four", 2, "there is no tag \"four\""),
            ("dataset export set.rnds out.root --at 1", 0, "out.root: 40 entries"),
            ("dataset restore set.rnds 1", 0, "version 4, 40 rows"),
            ("dataset tag set.rnds 1 --remove", 0, ""),
            ("dataset ls set.rnds --at 1", 0, "version 1 of "),
        ],
    );
}

#[test]
fn the_time_of_a_version_finds_the_version() {
    let directory = three_runs();
    let folder = directory.path();
    let (_, log) = run(folder, "dataset log set.rnds");
    let mut found = Vec::new();
    for line in log.lines().skip(1) {
        let mut cells = line.split_whitespace();
        let (version, time) = (cells.next().unwrap(), cells.next().unwrap());
        let at = format!("dataset ls set.rnds --at {time}");
        run_all(
            folder,
            &[
                (&*at, 0, &*format!("version {version} of {time}, ")),
                (&*format!("{at} --json"), 0, &*format!("\"time\": \"{time}\"")),
            ],
        );
        found.push(version);
    }
    assert_eq!(found, ["1", "2", "3"]);
}

#[test]
fn tags_are_listed_and_moved() {
    let directory = three_runs();
    let folder = directory.path();
    assert_eq!(run(folder, "dataset tag set.rnds"), (0, String::new()));
    run_all(
        folder,
        &[
            ("dataset tag set.rnds good --at 2", 0, "good  version 2"),
            ("dataset tag set.rnds all", 0, "all  version 3"),
            ("dataset tag set.rnds good --at 1", 2, "there is a tag \"good\", for version 2"),
            ("dataset tag set.rnds good --at 1 --force", 0, "good  version 1"),
            ("dataset tag set.rnds a/b", 2, "cannot be a tag"),
            ("dataset tag set.rnds --at 2", 2, "`--at` has no effect"),
            ("dataset tag set.rnds --force", 2, "TAG"),
            ("dataset tag set.rnds --remove", 2, "TAG"),
        ],
    );
    assert_eq!(run(folder, "dataset tag set.rnds"), (0, "all  version 3\ngood  version 1\n".to_owned()));
}

#[test]
fn what_is_cleaned_up_is_said_before() {
    let directory = three_runs();
    let folder = directory.path();
    // A file of a program that has died.
    std::fs::write(folder.join("set.rnds/data/left.root"), "1234").unwrap();
    let all = "dataset cleanup set.rnds --older-than 0s --unreferenced-after 0s";
    let dry = run(folder, &format!("{all} --dry-run"));
    assert_eq!(dry.0, 0, "{dry:?}");
    for text in
        ["version 1\nversion 2\n", "data/left.root\n", "set.rnds: 2 versions, ", " would be removed\n"]
    {
        assert!(dry.1.contains(text), "{text}: {dry:?}");
    }
    run_all(
        folder,
        &[
            ("dataset log set.rnds", 0, "\n1        "),
            ("dataset cleanup set.rnds --older-than 1d", 0, "0 versions, 0 files, 0 B removed"),
            // It is not old enough.
            (
                "dataset cleanup set.rnds --older-than 0s --unreferenced-after 1h",
                0,
                "2 versions, 0 files, 0 B",
            ),
        ],
    );
    assert!(folder.join("set.rnds/data/left.root").exists());
    run_all(folder, &[(all, 0, "data/left.root"), ("dataset check set.rnds --pages", 0, "ok; 1 version")]);
    assert!(!folder.join("set.rnds/data/left.root").exists());
}

#[test]
fn files_are_compacted_up_to_a_size() {
    let directory = three_runs();
    run_all(
        directory.path(),
        &[
            // No file is less than half of it.
            ("dataset compact set.rnds --target 0", 0, "version 3, 60 rows in 3 fragments"),
            ("dataset compact set.rnds --target 1", 0, "version 4, 60 rows in 1 fragment"),
            ("dataset check set.rnds --pages", 0, "ok; 4 versions"),
        ],
    );
}

#[test]
fn a_conflict_has_an_exit_code_of_its_own() {
    let directory = three_runs();
    let folder = directory.path();
    write(&folder.join("set.rnds/data/run4.root"), 4);
    // Another program is about to remove the file.
    let announcement = folder.join("set.rnds/_versions/cleanup-1.txt");
    std::fs::write(&announcement, "data/run4.root\n").unwrap();
    let append = "dataset append set.rnds set.rnds/data/run4.root";
    run_all(folder, &[(append, 5, "data/run4.root was cleaned up before it was committed")]);
    std::fs::remove_file(announcement).unwrap();
    run_all(folder, &[(append, 0, "version 4, 80 rows")]);
}

/// The name of a file may be one that a terminal obeys.
#[test]
fn names_in_a_data_set_do_not_move_the_cursor() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write(&folder.join("run\u{9b}2J.root"), 1);
    run_all(
        folder,
        &[
            ("dataset create near.rnds run\u{9b}2J.root", 0, "version 1"),
            ("lance-info near.rnds", 0, r"/run\u{9b}2J.root, version"),
            ("dataset ls near.rnds --json", 0, r"/run\u009b2J.root"),
        ],
    );
    for line in ["lance-info near.rnds", "dataset ls near.rnds --json"] {
        let (_, said) = run(folder, line);
        assert!(!said.contains('\u{9b}'), "{line}: {said}");
    }
}

#[test]
fn lance_info_says_what_transactions_change() {
    let directory = three_runs();
    run_all(
        directory.path(),
        &[
            ("lance-info set.rnds --version 2", 0, ".txn: Append\n    adds 1 fragment of 20 rows\n"),
            ("dataset delete set.rnds --where met>=15", 0, "version 4"),
            ("lance-info set.rnds", 0, ".txn: Delete\n    deletes met >= 15\n    changes fragments 0..3\n"),
            ("dataset rename set.rnds met missing", 0, "version 5"),
            ("lance-info set.rnds", 0, ".txn: Project\n    new schema\n      run: std::uint32_t"),
        ],
    );
    run_all(
        directory.path(),
        &[
            ("lance-info nope", 3, "nope"),
            ("lance-info nope --version 1", 3, "nope"),
            ("lance-info set.rnds --version 99", 2, "set.rnds/_versions: there is no version 99"),
            (
                "dataset create new.rnds run1.root run2.root ./run1.root",
                2,
                "run1.root: the file is given twice",
            ),
            ("dataset ls new.rnds", 3, "new.rnds"),
            ("dataset ls nope", 3, "nope"),
            ("dataset ls set.rnds --at 99", 2, "there is no version 99"),
            ("dataset ls set.rnds --limit entry=1MiB", 2, "`--limit` has no effect on `dataset`"),
        ],
    );
    let of_folder = run(directory.path(), "lance-info set.rnds");
    for scheme in ["file://", "file:"] {
        let url = format!("{scheme}{}", directory.path().join("set.rnds").display());
        assert_eq!(run(directory.path(), &format!("lance-info {url}")), of_folder, "{url}");
    }
    // A file that stays where it is has an absolute path.
    run_all(directory.path(), &[("dataset create near.rnds run1.root", 0, "version 1")]);
    let (_, of_near) = run(directory.path(), "lance-info near.rnds");
    let path = directory.path().join("run1.root").canonicalize().unwrap();
    assert!(of_near.contains(&format!("\n    {}, version", path.display())), "{of_near}");
    assert!(of_folder.1.contains("\n    data/"), "{of_folder:?}");
}
