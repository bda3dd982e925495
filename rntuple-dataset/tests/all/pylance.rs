//! The interpreter with pylance, and what it makes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// Data sets that `generate.py` made, once for all tests.
pub(crate) struct Generated {
    python: PathBuf,
    folder: tempfile::TempDir,
}

static GENERATED: LazyLock<Result<Generated, String>> = LazyLock::new(generate);

/// Returns the data sets; `None`, after saying so, if there is no pylance.
pub(crate) fn generated(test: &str) -> Option<&'static Generated> {
    match &*GENERATED {
        Ok(generated) => Some(generated),
        Err(reason) => skipped(test, reason),
    }
}

/// Says that a test is skipped, or fails it where the packages of Python are required.
pub(crate) fn skipped<T>(test: &str, reason: &str) -> Option<T> {
    let required = std::env::var_os("RNTUPLE_PYLANCE_REQUIRED").is_some_and(|value| value == "1");
    assert!(!required, "{test}: {reason}");
    eprintln!("skipped: {test}: {reason}");
    None
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pylance")
}

fn generate() -> Result<Generated, String> {
    let python = match std::env::var_os("RNTUPLE_PYTHON") {
        Some(python) => PathBuf::from(python),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/dataset/venv/bin/python"),
    };
    let help = "rntuple-dataset/tests/setup.sh installs it, and RNTUPLE_PYTHON names another";
    let version = Command::new(&python).args(["-c", "import lance; print(lance.__version__)"]).output();
    match version {
        Ok(output) if output.status.success() => {}
        _ => return Err(format!("no pylance in {} ({help})", python.display())),
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = Command::new(&python).arg(scripts().join("generate.py")).arg(&data).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(Generated { python, folder })
}

impl Generated {
    /// The folder of a data set.
    pub(crate) fn dataset(&self, name: &str) -> PathBuf {
        self.folder.path().join("data").join(format!("{name}.lance"))
    }

    /// What pylance said about something.
    pub(crate) fn said(&self, name: &str) -> Value {
        let path = self.folder.path().join("data").join(format!("{name}.json"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    /// A copy of a data set, to be changed.
    pub(crate) fn copy(&self, name: &str) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(&self.dataset(name), copy.path());
        copy
    }

    /// What pylance says about a data set that was changed.
    pub(crate) fn open(&self, dataset: &Path) -> Value {
        let output = Command::new(&self.python).arg(scripts().join("open.py")).arg(dataset).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}
