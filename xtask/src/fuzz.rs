//! `cargo xtask fuzz`: the targets of `fuzz/` with libFuzzer, one after the other.
//!
//! It builds the targets with `cargo fuzz`, gives each the same time, and prints a table. What a run learns remains in
//! `target/fuzz/corpus`; `fuzz/corpus` has the few inputs that every run starts from. An input that fails remains in
//! `target/fuzz/findings`, and is the end of its target's time.
//!
//! `--minimise` replaces those in `fuzz/corpus` by the fewest that reach the same code as all of these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::tasks::Need;

/// The arguments.
pub(crate) const USAGE: &str = "fuzz --hours N | --seconds N | --minimise [--by-root] [TARGET..]";

const FOLDER: &str = "fuzz/fuzz_targets";
const WORK: &str = "target/fuzz";
/// Of an input, in seconds.
const MOST_TIME: u64 = 20;
/// Of the process, in megabytes: most of it is the sanitizer's.
const MOST_MEMORY: u64 = 2048;
/// Of one allocation, in megabytes: those of C libraries are counted nowhere else.
const MOST_AT_ONCE: u64 = 256;

/// What the arguments ask for.
#[derive(Debug, PartialEq)]
struct Options {
    task: Task,
    /// Start also from files that ROOT wrote, in a corpus of its own.
    by_root: bool,
    /// All, if there is none.
    targets: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Task {
    /// That long in all.
    Together(Duration),
    /// That long for each target.
    Each(Duration),
    Minimise,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut task, mut by_root, mut targets) = (None, false, Vec::new());
        while let Some(word) = words.next() {
            let mut number = |unit: f64| {
                let number = words.next().and_then(|number| number.parse::<f64>().ok());
                let number = number.filter(|&number| number > 0.0 && number < 1e6);
                number
                    .map(|number| Duration::from_secs_f64(number * unit))
                    .ok_or(format!("{word} wants a number"))
            };
            match word.as_str() {
                "--hours" => task = Some(Task::Together(number(3600.0)?)),
                "--seconds" => task = Some(Task::Each(number(1.0)?)),
                "--minimise" => task = Some(Task::Minimise),
                "--by-root" => by_root = true,
                option if option.starts_with('-') => {
                    return Err(format!("there is no option `{option}`: {USAGE}"));
                }
                _ => targets.push(word),
            }
        }
        match task {
            Some(task) => Ok(Self { task, by_root, targets }),
            None => Err(USAGE.to_owned()),
        }
    }
}

/// What libFuzzer says at the end of a run.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    executions: u64,
    /// Places of the program that were reached.
    coverage: u64,
    /// The same, by how often, and by what was compared there.
    features: u64,
}

impl Outcome {
    fn read(log: &str) -> Self {
        let mut outcome = Self::default();
        for line in log.lines() {
            let mut words = line.split_whitespace().peekable();
            while let Some(word) = words.next() {
                let number = words.peek().and_then(|number| number.parse().ok());
                match (word, number) {
                    ("cov:", Some(number)) => outcome.coverage = number,
                    ("ft:", Some(number)) => outcome.features = number,
                    ("stat::number_of_executed_units:", Some(number)) => outcome.executions = number,
                    _ => {}
                }
            }
        }
        outcome
    }
}

pub(crate) fn main(words: impl Iterator<Item = String>) -> ExitCode {
    let result = Options::read(words).and_then(|options| run(&options));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether there was no finding.
fn run(options: &Options) -> Result<bool, String> {
    let all = targets()?;
    if let Some(unknown) = options.targets.iter().find(|name| !all.contains(name)) {
        return Err(format!("there is no target `{unknown}`, there are {}", all.join(", ")));
    }
    let chosen: Vec<&String> =
        all.iter().filter(|name| options.targets.is_empty() || options.targets.contains(name)).collect();
    let programs = build()?;
    let seeds = Path::new(WORK).join("seeds");
    // Nothing that is committed comes from files of others.
    write_seeds(&programs, &seeds, options.by_root && options.task != Task::Minimise)?;
    let time = match options.task {
        Task::Together(time) => time / u32::try_from(chosen.len()).unwrap_or(u32::MAX),
        Task::Each(time) => time,
        Task::Minimise => {
            minimise(&programs, &chosen, &seeds)?;
            return Ok(true);
        }
    };
    let corpus = if options.by_root { "corpus-by-root" } else { "corpus" };
    println!(
        "{:10} {:>8} {:>12} {:>8} {:>8} {:>9} findings",
        "target", "seconds", "executions", "per s", "cov", "ft"
    );
    let mut findings = Vec::new();
    for target in chosen {
        let start = Instant::now();
        let (outcome, finding) = fuzz(&programs, target, time, corpus, &seeds)?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{target:10} {seconds:8.0} {:12} {:8.0} {:8} {:9} {}",
            outcome.executions,
            outcome.executions as f64 / seconds,
            outcome.coverage,
            outcome.features,
            u8::from(finding.is_some())
        );
        findings.extend(finding);
    }
    for finding in &findings {
        println!("{finding}");
    }
    Ok(findings.is_empty())
}

/// Names of all targets.
fn targets() -> Result<Vec<String>, String> {
    let folder = fs::read_dir(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = folder.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort();
    Ok(names)
}

/// Builds all targets; returns the folder of the programs.
fn build() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = std::env::current_dir().map(|folder| folder.join("target/tools/bin"));
    let paths = tools.into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).map_err(|error| error.to_string())?;
    let cargo = |words: &[&str]| {
        let mut command = Command::new("cargo");
        // What the surrounding `cargo` set would be that of another toolchain.
        command.args(words).env("PATH", &path).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        command
    };
    if let Some(missing) = Need::Toolchain("nightly").missing() {
        return Err(format!("{missing}: `rustup toolchain install nightly --profile minimal`"));
    }
    let version =
        cargo(&["+nightly", "fuzz", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        return Err("there is no cargo-fuzz: `cargo install cargo-fuzz`".to_owned());
    }
    let status =
        cargo(&["+nightly", "fuzz", "build", "--features", "libfuzzer", "--target-dir", WORK]).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("the targets do not build".to_owned());
    }
    let compiler = Command::new("rustc").args(["+nightly", "-vV"]).env_remove("RUSTUP_TOOLCHAIN").output();
    let compiler = compiler.map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&compiler.stdout).into_owned();
    let host =
        text.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc does not name its host")?;
    Ok(Path::new(WORK).join(host).join("release"))
}

/// Writes the inputs that a run starts from.
fn write_seeds(programs: &Path, folder: &Path, by_root: bool) -> Result<(), String> {
    // What an earlier run left may be of other files.
    let _ = fs::remove_dir_all(folder);
    let mut command = Command::new(programs.join("rntuple-fuzz"));
    command.arg("--seeds").arg(folder).args(by_root.then_some("--by-root"));
    command.env("ASAN_OPTIONS", ASAN_OPTIONS);
    let status = command.status().map_err(|error| format!("the seeds cannot be written: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the seeds cannot be written: {status}")) }
}

/// Rust's own allocations are watched by the targets, and a trace of each costs more than most targets do.
const ASAN_OPTIONS: &str = "detect_odr_violation=0:malloc_context_size=3:quarantine_size_mb=16";

fn folder(path: PathBuf) -> Result<PathBuf, String> {
    fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Returns the last lines of what is said of a failure, if there is one.
fn fuzz(
    programs: &Path,
    target: &str,
    time: Duration,
    corpus: &str,
    seeds: &Path,
) -> Result<(Outcome, Option<String>), String> {
    let work = folder(Path::new(WORK).join(corpus).join(target))?;
    let findings = folder(Path::new(WORK).join("findings").join(target))?;
    let mut command = Command::new(programs.join(target));
    command.arg(format!("-max_total_time={}", time.as_secs().max(1)));
    command.args([format!("-timeout={MOST_TIME}"), format!("-rss_limit_mb={MOST_MEMORY}")]);
    command.args([format!("-malloc_limit_mb={MOST_AT_ONCE}"), "-print_final_stats=1".to_owned()]);
    command.arg(format!("-artifact_prefix={}/", findings.display()));
    command.arg(work).arg(seeds.join(target));
    let output =
        command.env("ASAN_OPTIONS", ASAN_OPTIONS).output().map_err(|error| format!("{target}: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let path = folder(Path::new(WORK).join("logs"))?.join(target);
    fs::write(&path, &log).map_err(|error| format!("{}: {error}", path.display()))?;
    let finding = (!output.status.success()).then(|| {
        let is_told = |line: &&str| {
            ["panicked at", "SUMMARY:", "Test unit written to"].iter().any(|words| line.contains(words))
        };
        let lines: Vec<&str> = log.lines().filter(is_told).collect();
        format!("{target}: {}: {}\n{}", output.status, path.display(), lines.join("\n"))
    });
    Ok((Outcome::read(&log), finding))
}

/// Keeps of the inputs that are there the fewest that reach the same code.
fn minimise(programs: &Path, targets: &[&String], seeds: &Path) -> Result<(), String> {
    let all = Path::new(WORK).join("minimised");
    // What an earlier run left would be kept as well.
    let _ = fs::remove_dir_all(&all);
    for target in targets {
        let new = folder(all.join(target))?;
        let work = folder(Path::new(WORK).join("corpus").join(target))?;
        let mut command = Command::new(programs.join(target));
        // Places that are reached count, how often they are does not: that would keep ten times as many.
        command.args(["-set_cover_merge=1", "-use_counters=0"]);
        command.arg(&new).arg(&work).arg(seeds.join(target)).env("ASAN_OPTIONS", ASAN_OPTIONS);
        let output = command.output().map_err(|error| format!("{target}: {error}"))?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{target}: {}\n{log}", output.status));
        }
        println!("{target:10} {:5} inputs", fs::read_dir(&new).map_or(0, Iterator::count));
    }
    let status = Command::new(programs.join("rntuple-fuzz")).arg("--keep").arg(&all).status();
    if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err("the inputs cannot be kept".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn times_are_for_all_targets_or_for_each() {
        let options = |task| Options { task, by_root: false, targets: Vec::new() };
        assert_eq!(read("--hours 0.5").unwrap(), options(Task::Together(Duration::from_secs(1800))));
        assert_eq!(read("--seconds 15").unwrap(), options(Task::Each(Duration::from_secs(15))));
        assert_eq!(read("--minimise page").unwrap().targets, ["page"]);
        for line in ["", "page", "--hours", "--hours no", "--seconds -1", "--days 1"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_last_numbers_of_a_log_count() {
        let log = "#12\tINITED cov: 7 ft: 8 corp: 1/1b exec/s: 0\n#99\tDONE   cov: 123 ft: 456 corp: 7/8Kb\n\
                   Done 99 runs in 2 second(s)\nstat::number_of_executed_units: 99\n";
        assert_eq!(Outcome::read(log), Outcome { executions: 99, coverage: 123, features: 456 });
        assert_eq!(Outcome::read(""), Outcome::default());
    }

    /// A target without its row or its program would never run.
    #[test]
    fn every_target_has_a_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let mut declared: Vec<&str> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("path = \"fuzz_targets/")?.strip_suffix(".rs\""))
            .collect();
        declared.sort_unstable();
        let files = fs::read_dir(folder.join("fuzz_targets")).unwrap();
        let mut names: Vec<String> = files
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort_unstable();
        assert_eq!(declared, names);
    }
}
