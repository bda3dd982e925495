//! The file that is written: there once it is complete, and never in place of something else.

use std::fs;
use std::path::{Path, PathBuf};

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::{Error, ErrorKind, RNTuple, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::sample::One;

struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with two inputs.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, first) in [("a.root", 0), ("b.root", 1000)] {
            let mut writer =
                Writer::<One<u32>>::create(folder.path(name), "Events", WriteOptions::new()).unwrap();
            for value in first..first + 1000 {
                writer.fill(&One { value }).unwrap();
            }
            writer.finish().unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn inputs(&self) -> Vec<Input> {
        vec![self.path("a.root").into(), self.path("b.root").into()]
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn refused(inputs: &[Input], out: &Path, options: MergeOptions<'_>) -> Error {
    merge_files(inputs, out, options).unwrap_err()
}

#[test]
fn a_file_is_written_with_the_usual_permissions() {
    let folder = Folder::new();
    let before = fs::read(folder.path("a.root")).unwrap();
    let summary = merge_files(&folder.inputs(), folder.path("all.root"), MergeOptions::new()).unwrap();
    assert_eq!(summary.entries, 2000);
    assert_eq!(summary.file_size, fs::metadata(folder.path("all.root")).unwrap().len());
    let reader = Reader::<One<u32>>::open(folder.path("all.root"), "Events").unwrap();
    let values: Vec<u32> = reader.entries().map(|entry| entry.unwrap().value).collect();
    assert_eq!(values, (0..2000).collect::<Vec<_>>());
    assert_eq!(folder.names(), ["a.root", "all.root", "b.root"]);
    assert_eq!(fs::read(folder.path("a.root")).unwrap(), before);
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions();
    assert_eq!(mode("all.root"), mode("a.root"));
    // The same bytes wherever it is.
    let once = fs::read(folder.path("all.root")).unwrap();
    fs::create_dir(folder.path("sub")).unwrap();
    merge_files(&folder.inputs(), folder.path("sub/all.root"), MergeOptions::new()).unwrap();
    assert!(fs::read(folder.path("sub/all.root")).unwrap() == once);
}

#[test]
fn a_file_that_exists_is_replaced_only_on_request() {
    let folder = Folder::new();
    let out = folder.path("all.root");
    fs::write(&out, b"precious").unwrap();
    let error = refused(&folder.inputs(), &out, MergeOptions::new());
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let text =
        "all.root: the output exists already; `--force` replaces it (`MergeOptions::overwrite` in a program)";
    assert!(error.to_string().ends_with(text), "{error}");
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    merge_files(&folder.inputs(), &out, MergeOptions::new().overwrite(true)).unwrap();
    assert_eq!(Reader::<One<u32>>::open(&out, "Events").unwrap().entry_count().unwrap(), 2000);
}

#[test]
fn an_input_is_never_the_output() {
    let folder = Folder::new();
    let before = fs::read(folder.path("b.root")).unwrap();
    let dotted = folder.path("./b.root");
    let mut outs = vec![folder.path("b.root"), dotted];
    fs::hard_link(folder.path("b.root"), folder.path("hard.root")).unwrap();
    outs.push(folder.path("hard.root"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("b.root"), folder.path("soft.root")).unwrap();
        outs.push(folder.path("soft.root"));
    }
    for out in outs {
        let open = RootFile::open(folder.path("b.root")).unwrap();
        for inputs in [folder.inputs(), vec![Input::open(&open)]] {
            let error = refused(&inputs, &out, MergeOptions::new().overwrite(true));
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.to_string().contains("one of the inputs"), "{error}");
        }
    }
    assert!(fs::read(folder.path("b.root")).unwrap() == before);
    let error = refused(&folder.inputs(), folder.0.path(), MergeOptions::new().overwrite(true));
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn a_merge_that_fails_leaves_nothing() {
    let folder = Folder::new();
    let mut damaged = fs::read(folder.path("b.root")).unwrap();
    let place = damaged.len() / 3;
    damaged[place] ^= 1;
    fs::write(folder.path("b.root"), &damaged).unwrap();
    let error = refused(&folder.inputs(), &folder.path("all.root"), MergeOptions::new());
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(error.to_string().contains("b.root"), "{error}");
    assert_eq!(folder.names(), ["a.root", "b.root"]);
    fs::write(folder.path("all.root"), b"precious").unwrap();
    refused(&folder.inputs(), &folder.path("all.root"), MergeOptions::new().overwrite(true));
    assert_eq!(folder.names(), ["a.root", "all.root", "b.root"]);
    assert_eq!(fs::read(folder.path("all.root")).unwrap(), b"precious");
    let missing = [folder.path("a.root").into(), folder.path("c.root").into()];
    assert_eq!(refused(&missing, &folder.path("new.root"), MergeOptions::new()).kind(), ErrorKind::Io);
    assert_eq!(folder.names(), ["a.root", "all.root", "b.root"]);
}

#[test]
fn more_inputs_than_files_can_be_open() {
    let folder = Folder::new();
    let inputs = vec![Input::file(folder.path("a.root")); 1500];
    let summary = merge_files(&inputs, folder.path("all.root"), MergeOptions::new()).unwrap();
    assert_eq!(summary.entries, 1_500_000);
}

#[test]
fn an_input_that_changes_meanwhile_is_refused() {
    #[derive(RNTuple)]
    struct Other {
        other: u8,
    }

    let folder = Folder::new();
    let mut is_first = true;
    let options = MergeOptions::new().progress(|_| {
        if std::mem::take(&mut is_first) {
            let path = folder.path("b.root");
            let mut writer = Writer::<Other>::create(path, "Events", WriteOptions::new()).unwrap();
            writer.fill(&Other { other: 1 }).unwrap();
            writer.finish().unwrap();
        }
    });
    let error = refused(&folder.inputs(), &folder.path("out.root"), options);
    // As where a reader finds it.
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    let said = error.to_string();
    assert!(said.contains("b.root") && said.contains("has changed"), "{said}");
    assert_eq!(folder.names(), ["a.root", "b.root"]);
}

#[test]
fn a_name_may_be_as_long_as_names_may_be() {
    let folder = Folder::new();
    for name in ["x".repeat(255), "\u{e9}".repeat(127)] {
        let out = folder.path(&name);
        merge_files(&folder.inputs(), &out, MergeOptions::new()).unwrap();
        assert_eq!(Reader::<One<u32>>::open(&out, "Events").unwrap().entry_count().unwrap(), 2000);
    }
}
