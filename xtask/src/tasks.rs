//! The table of tasks: what the continuous integration runs, and what `cargo xtask ci` runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

/// A list of commands with a name.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Where one is missing, the task is skipped, and says so.
    pub(crate) needs: &'static [Need],
    /// Program and arguments, separated by spaces; `NAME=value` in front sets a variable. A line with `{feature}` runs
    /// once for each Cargo feature of the crate `rntuple`. `{all}` is [`ALL`], and `{skipped}` the names of the tests
    /// that the commands before have skipped for lack of files that ROOT wrote.
    pub(crate) commands: &'static [&'static str],
}

/// Something that not every machine and not every state of the repository has.
#[derive(Debug)]
pub(crate) enum Need {
    /// A file or folder of the repository.
    Path(&'static str),
    /// A toolchain, by the start of its name.
    Toolchain(&'static str),
    /// That another task, which does the same and more, cannot run.
    NoTask(&'static str),
    /// A component of a toolchain.
    Component(&'static str, &'static str),
    /// A command that ends well.
    Command(&'static str),
    /// An architecture.
    Machine(&'static str),
    /// A number of minutes before the end that `.ci/run` has set: machines differ, and later steps count for more. What
    /// takes longer all the same is cut off.
    Minutes(u64),
}

/// When all of `.ci/run` must have ended, in seconds since 1970.
const END: &str = "RNTUPLE_CI_END";

/// The time until then, if there is an end.
pub(crate) fn left() -> Option<Duration> {
    let end = std::env::var(END).ok()?.parse().ok()?;
    Some(Duration::from_secs(end).saturating_sub(UNIX_EPOCH.elapsed().ok()?))
}

impl Task {
    /// Whether other steps count for more.
    pub(crate) fn is_late(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, Need::Minutes(_)))
    }
}

impl Need {
    /// What is missing.
    pub(crate) fn missing(&self) -> Option<String> {
        match self {
            Self::Path(path) => (!Path::new(path).exists()).then(|| format!("there is no {path}")),
            Self::Toolchain(name) => (!has_toolchain(name)).then(|| format!("there is no {name} toolchain")),
            Self::NoTask(name) => {
                let other = TASKS.iter().find(|task| task.name == *name)?;
                let runs = other.needs.iter().all(|need| need.missing().is_none());
                runs.then(|| format!("the task `{name}` does more"))
            }
            Self::Component(toolchain, name) => {
                let mut rustup = Command::new("rustup");
                let list =
                    rustup.args(["component", "list", "--installed", "--toolchain", toolchain]).output();
                let list = list.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
                let found = list.unwrap_or_default().lines().any(|line| line.starts_with(name));
                (!found).then(|| format!("the {toolchain} toolchain has no {name}"))
            }
            Self::Minutes(wanted) => {
                let left = left()?.as_secs() / 60;
                (left < *wanted).then(|| format!("{left} minutes are left, and {wanted} are wanted"))
            }
            Self::Machine(name) => {
                let is_other = std::env::consts::ARCH != *name;
                is_other.then(|| format!("this is {}, not {name}", std::env::consts::ARCH))
            }
            Self::Command(line) => {
                let mut words = line.split_whitespace();
                let mut command = Command::new(words.next().unwrap_or_default());
                command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
                let runs = command.status().is_ok_and(|status| status.success());
                (!runs).then(|| format!("`{line}` does not run"))
            }
        }
    }
}

fn has_toolchain(name: &str) -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).output();
    let list = list.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    list.unwrap_or_default().lines().any(|line| line.starts_with(name))
}

/// What tasks compile in common. With fewer packages, Cargo would choose other features, and compile the library again.
/// pytest tests the Python module, the lints compile the suite of benchmarks, and the README's command has all tests of
/// the others that are not here.
const ALL: &str = "--workspace --exclude rntuple --exclude rntuple-codegen --exclude rntuple-derive \
                   --exclude rntuple-tests --exclude rntuple-examples --exclude xtask \
                   --exclude rntuple-python --exclude rntuple-benches --exclude rntuple-example-built --all-features";

/// Where the names of skipped tests go.
pub(crate) const SKIPPED: &str = "{skipped}";

/// The test that `line` says is skipped for lack of files that ROOT wrote.
pub(crate) fn skipped(line: &str) -> Option<&str> {
    let (test, why) = line.strip_prefix("skipped ")?.split_once(": ")?;
    why.starts_with("no reference files").then_some(test)
}

/// In the order in which `ci` runs them.
pub(crate) const TASKS: &[Task] = &[
    Task {
        name: "fmt",
        about: "is everything formatted?",
        needs: &[],
        commands: &["cargo fmt --all --check"],
    },
    Task {
        name: "clippy",
        about: "lints, none allowed",
        needs: &[],
        commands: &[
            "cargo clippy --workspace --exclude rntuple-example-built --all-targets --all-features -- -D warnings",
        ],
    },
    Task {
        name: "readme",
        about: "the README's command `cargo test`, as where there are no files that ROOT wrote, then the tests of these files",
        needs: &[],
        commands: &[
            "RNTUPLE_REFERENCE_DIR=target/no-files env -u RNTUPLE_REFERENCE_REQUIRED -u RNTUPLE_PYLANCE_REQUIRED cargo test",
            "cargo test --lib --bins --test all -- --exact {skipped}",
        ],
    },
    Task {
        name: "test",
        about: "tests of all members with all features: also SQL, data sets, the derive's messages, and the Validation Suite",
        needs: &[],
        commands: &[
            "cargo test {all} --lib --bin rntuple-interop --bin rntuple --test all --test example --example arrow",
            "cargo test {all} --doc",
        ],
    },
    Task {
        name: "remote",
        about: "files on XRootD, S3 and HTTP servers on this machine, and over networks that fail",
        needs: &[
            // `remote-tests/setup.sh` installs them.
            Need::Command("which xrootd"),
            Need::Path("target/remote/venv/bin/moto_server"),
        ],
        commands: &[
            // With the program `rntuple` that the tests of its own package have.
            "cargo test {all} --test all --no-run",
            // Most of them wait for a server or for a network that fails.
            "RNTUPLE_SERVERS_REQUIRED=1 RNTUPLE_PROGRAM=target/debug/rntuple cargo test {all} --test remote --test dataset -- \
             --test-threads 6",
        ],
    },
    Task {
        name: "interop",
        about: "uproot, JSROOT and ROOT's container code read what we write, and we what uproot writes",
        needs: &[],
        commands: &["cargo test {all} --test readers -- --ignored --nocapture"],
    },
    Task {
        name: "doc",
        about: "the documentation without warnings",
        needs: &[],
        commands: &[
            // An example makes Cargo choose the features of the lints, which have checked what others depend on.
            "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --exclude rntuple-example-built --no-deps --all-features \
             --lib --example arrow",
        ],
    },
    Task {
        name: "msrv",
        about: "the oldest Rust that is promised",
        needs: &[Need::Toolchain("1.89")],
        commands: &["cargo +1.89 check --package rntuple --package rntuple-arrow --all-features"],
    },
    Task {
        name: "book",
        about: "the book",
        needs: &[Need::Path("book/book.toml")],
        commands: &[
            // Without the server, and not optimised: that is the quickest to install.
            "cargo install mdbook --locked --version 0.5.4 --root target/tools --debug \
             --no-default-features --features search",
            "target/tools/bin/mdbook build book",
        ],
    },
    Task {
        name: "python",
        about: "the Python package: a wheel, and its tests in a clean environment",
        needs: &[Need::Path("rntuple-python"), Need::Command("python3 --version")],
        commands: &[
            "xtask/python.sh target/tools/maturin maturin==1.16.0",
            "rm -rf target/wheels target/python",
            // With the assertions of a debug build, which takes less to compile.
            "target/tools/maturin/bin/maturin build --profile dev --config profile.dev.package.rntuple.opt-level=0 \
             --locked --manifest-path rntuple-python/Cargo.toml --out target/wheels",
            // As a user would: nothing but the wheel, and what it is tested against.
            "xtask/python.sh target/python awkward==2.14.0 uproot==5.7.7 polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.0 \
             pandas==3.1.1 dask-awkward==2026.2.1 coffea==2026.9.0 pytest==9.2.0 pytest-xdist==3.8.0 mypy==2.4.1 \
             moto[server]==5.2.5",
            "target/python/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps \
             --find-links target/wheels rntuple",
            "target/python/bin/python -m mypy --strict --disable-error-code import-untyped \
             rntuple-python/python/rntuple",
            "RNTUPLE_PACKAGES_REQUIRED=1 target/python/bin/python -m pytest -q -n 2 rntuple-python",
        ],
    },
    Task {
        name: "thorough",
        about: "each byte of small files is damaged, where tests before damage one of five; generated source is compiled",
        needs: &[Need::Minutes(5)],
        commands: &[
            "RNTUPLE_THOROUGH=1 cargo test --test all -- damage corrupt flip cut:: refused:: in_the_middle",
            "cargo test --test all -- --ignored compiled::",
        ],
    },
    Task {
        name: "features",
        about: "the crate with no and with each single feature, and those of remote storage with few, without warnings",
        needs: &[Need::Minutes(8)],
        commands: &[
            "cargo rustc --profile check --package rntuple --lib --no-default-features -- -D warnings",
            "cargo rustc --profile check --package rntuple --lib --no-default-features --features {feature} -- -D warnings",
            // Of no use but for stores of a caller's own: much of it is then never called.
            "cargo check --package rntuple-object-store --no-default-features",
            "cargo clippy --package rntuple-object-store --no-default-features --features gcs -- -D warnings",
            "cargo clippy --package rntuple-object-store --no-default-features --features azure -- -D warnings",
            "cargo clippy --package rntuple-xrootd --all-targets --no-default-features -- -D warnings",
            // Its build script calls the library, which has to be compiled for it.
            "cargo clippy --package rntuple-example-built --config profile.dev.package.rntuple.opt-level=0 -- -D warnings",
        ],
    },
    Task {
        name: "neighbours",
        about: "crates of query engines, which link C libraries of their own, beside ours; polars takes batches",
        needs: &[Need::Minutes(5)],
        commands: &[
            "cargo generate-lockfile --manifest-path xtask/neighbours/datafusion/Cargo.toml",
            "cargo generate-lockfile --manifest-path xtask/neighbours/ballista/Cargo.toml",
            "cargo test --manifest-path xtask/neighbours/polars/Cargo.toml --target-dir target/neighbours",
        ],
    },
    Task {
        name: "instructions",
        about: "no job takes more instructions than it did",
        needs: &[Need::Machine("x86_64"), Need::Command("valgrind --version"), Need::Minutes(10)],
        commands: &["cargo run --release --package rntuple-instructions"],
    },
    Task {
        name: "cost",
        about: "a derived struct is no more machine code than it was",
        needs: &[Need::Machine("x86_64"), Need::Minutes(7)],
        commands: &["cargo xtask cost --check"],
    },
    Task {
        name: "model",
        about: "threads that meet in every order, as far as models of them go, and tests of what is switched off, or in C",
        needs: &[Need::Minutes(5)],
        commands: &[
            // What models run is compiled quickly, and without layouts before version 1.
            "RUSTFLAGS=--cfg=rntuple_model cargo test --package rntuple --lib --no-default-features \
             --features lz4-c,lzma-c --config profile.dev.package.rntuple.opt-level=0 --config profile.dev.debug=0 -- \
             model:: no_prerelease codecs::lz",
        ],
    },
    Task {
        name: "tsan",
        about: "the tests in which threads meet, watched for data races by ThreadSanitizer",
        needs: &[
            Need::Machine("x86_64"),
            Need::Toolchain("nightly"),
            // The standard library has to be compiled for it as well.
            Need::Component("nightly", "rust-src"),
            Need::Minutes(30),
        ],
        commands: &[
            // Without three tests that read or write thousands of files.
            "RUSTFLAGS=-Zsanitizer=thread cargo +nightly test -Zbuild-std --target x86_64-unknown-linux-gnu \
             --package rntuple-tests --features threads --test threads -- \
             --skip damage_is_told --skip every_file_by_root --skip a_panic_of_the_storage_costs_one",
        ],
    },
    Task {
        name: "miri",
        about: "the encodings in an interpreter that sees undefined behaviour",
        needs: &[Need::Toolchain("nightly"), Need::Command("cargo +nightly miri --version")],
        commands: &["cargo +nightly miri test --package rntuple --lib --no-default-features encoding::"],
    },
    Task {
        name: "damage",
        about: "damaged inputs of all fuzz targets for a minute, where libFuzzer cannot run",
        needs: &[Need::Path("fuzz"), Need::NoTask("cargo-fuzz"), Need::Minutes(5)],
        commands: &[
            // With what was compiled for the tests, and its checks.
            "cargo build {all} --bin rntuple-fuzz",
            "target/debug/rntuple-fuzz --seconds 60",
        ],
    },
    Task {
        name: "cargo-fuzz",
        about: "each fuzz target with libFuzzer, for some seconds",
        needs: &[Need::Path("fuzz/fuzz_targets"), Need::Toolchain("nightly"), Need::Minutes(24)],
        commands: &[
            "cargo install cargo-fuzz --locked --version 0.13.2 --root target/tools --debug",
            // For so short a time, quick to compile matters more than quick to run.
            "CARGO_PROFILE_RELEASE_OPT_LEVEL=1 cargo xtask fuzz --seconds 8",
        ],
    },
];

/// The lines that `line` means: one for each of `features` where it has `{feature}`.
pub(crate) fn lines(line: &str, features: &[String]) -> Vec<String> {
    let line = line.replace("{all}", ALL);
    if line.contains("{feature}") {
        features.iter().map(|feature| line.replace("{feature}", feature)).collect()
    } else {
        vec![line]
    }
}

/// The Cargo features that a manifest declares, without the default set.
pub(crate) fn features(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = ["))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name != "default")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_another_and_does_something() {
        for (number, task) in TASKS.iter().enumerate() {
            assert!(TASKS.iter().skip(number + 1).all(|other| other.name != task.name), "{}", task.name);
            assert!(!["ci", "early", "late"].contains(&task.name) && !task.commands.is_empty());
        }
    }

    fn has_tests(folder: &Path) -> bool {
        std::fs::read_dir(folder).unwrap().any(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                return has_tests(&path);
            }
            std::fs::read_to_string(path).is_ok_and(|text| text.contains("#[test]"))
        })
    }

    /// A program of tests that no task runs would rot.
    #[test]
    fn each_test_is_run() {
        let manifest = include_str!("../../Cargo.toml");
        let members = manifest.split_once("members = [").unwrap().1.split_once(']').unwrap().0;
        let default = manifest.split_once("default-members = [").unwrap().1.split_once(']').unwrap().0;
        let tested = TASKS.iter().flat_map(|task| task.commands).filter(|line| line.contains("test {all}"));
        let tested: Vec<&str> = tested.flat_map(|line| line.split(' ')).collect();
        for folder in members.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\",")) {
            let path = Path::new("..").join(folder).join("tests");
            // The README's command runs all that members have by default.
            let is_default = default.contains(&format!("\"{folder}\""));
            if ALL.contains(&format!("--exclude rntuple-{folder} "))
                || ALL.contains(&format!("--exclude {folder} "))
            {
                continue;
            }
            let sources = Path::new("..").join(folder).join("src");
            if !sources.join("lib.rs").exists() && has_tests(&sources) {
                let name = format!("rntuple-{}", folder.rsplit('/').next().unwrap());
                assert!(is_default || tested.contains(&name.as_str()), "{folder}: {name}");
            }
            for entry in std::fs::read_dir(path).into_iter().flatten() {
                let entry = entry.unwrap().path();
                let is_program = entry.extension().is_some_and(|extension| extension == "rs")
                    || entry.join("main.rs").exists();
                let name = entry.file_stem().unwrap().to_str().unwrap();
                // Some of the tests of `all`, for ThreadSanitizer.
                if !is_program || name == "threads" {
                    continue;
                }
                assert!(is_default || tested.contains(&name), "{folder}: {name}");
            }
        }
    }

    #[test]
    fn the_readmes_test_command_is_a_task() {
        let readme = include_str!("../../README.md");
        assert!(readme.contains("\n$ cargo test\n"));
        let task = TASKS.iter().find(|task| task.name == "readme").unwrap();
        assert!(task.commands.iter().any(|line| line.ends_with(" cargo test")));
    }

    /// `cargo test` without flags, and `cargo install --path rntuple-cli`, take minutes less without DataFusion.
    #[test]
    fn sql_is_compiled_where_it_is_asked_for() {
        let members = include_str!("../../Cargo.toml").split_once("default-members = [").unwrap().1;
        let members = members.split_once(']').unwrap().0;
        assert!(members.contains("\"rntuple-cli\""), "{members}");
        for name in ["rntuple-datafusion", "rntuple-dataset", "engines"] {
            assert!(!members.contains(name), "{name} is a default member");
        }
        let cli = include_str!("../../rntuple-cli/Cargo.toml");
        let features = cli.split_once("\n[features]\n").unwrap().1.split_once("\n[").unwrap().0;
        assert!(features.contains("\nsql = [") && !features.contains("default ="), "{features}");
        for name in ["datafusion", "rntuple-datafusion"] {
            let line = cli.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
            assert!(line.contains("optional = true"), "{line}");
        }
    }

    #[test]
    fn skipped_tests_are_named() {
        let line = "skipped root::key::tests::keys_by_root: no reference files, set RNTUPLE_REFERENCE_DIR";
        assert_eq!(skipped(line), Some("root::key::tests::keys_by_root"));
        assert_eq!(skipped("skipped a::b: no server"), None);
        assert_eq!(skipped("test a::b ... ok"), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(Need::Path("/").missing(), None);
        assert_eq!(Need::Path("no/such/path").missing().unwrap(), "there is no no/such/path");
        assert!(Need::Command("no-such-program --version").missing().is_some());
        assert!(Need::Toolchain("no-such-toolchain").missing().is_some());
        assert_eq!(Need::NoTask("fmt").missing().unwrap(), "the task `fmt` does more");
        assert_eq!(Need::NoTask("msrv").missing().is_some(), has_toolchain("1.89"));
        let missing = Need::Component("no-such-toolchain", "rust-src").missing().unwrap();
        assert_eq!(missing, "the no-such-toolchain toolchain has no rust-src");
    }

    #[test]
    fn each_feature_of_the_crate_has_a_line() {
        let features = features(include_str!("../../rntuple/Cargo.toml"));
        for name in ["derive", "zstd", "lz4-c", "uuid", "internals"] {
            assert!(features.iter().any(|feature| feature == name), "{name} is not in {features:?}");
        }
        for name in ["default", "half", "name"] {
            assert!(!features.iter().any(|feature| feature == name), "{name} is in {features:?}");
        }
        let single = lines("check --features {feature} --lib", &["a".to_owned(), "b".to_owned()]);
        assert_eq!(single, ["check --features a --lib", "check --features b --lib"]);
        assert_eq!(lines("check", &features), ["check"]);
        assert_eq!(lines("test {all} --doc", &[]), [format!("test {ALL} --doc")]);
    }
}
