//! `cargo run --release -p rntuple-instructions`: how many instructions some jobs take, compared with
//! `instructions.txt`, as times would tell more of the machine than of the change.
//!
//! `RNTUPLE_BLESS=1` writes the file anew: a change that makes a job faster or slower says so in its commit.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod jobs;

use jobs::JOBS;

/// By how much a count may differ, in percent: allocators and C libraries are not the same everywhere.
const MARGIN: u64 = 3;
/// With another compiler than that of the file.
const OTHER_COMPILER_MARGIN: u64 = 15;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.as_slice() {
        [] => compare(),
        [name] => run(name),
        _ => Err("at most one word: the name of a job".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Does one job; it is counted from outside.
fn run(name: &str) -> Outcome<()> {
    let job = JOBS.iter().find(|job| job.name == name).ok_or_else(|| format!("there is no job `{name}`"))?;
    Ok((job.run)()?)
}

fn compare() -> Outcome<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let compiler = compiler()?;
    let mut counts = BTreeMap::new();
    for job in JOBS {
        counts.insert(job.name, count(job.name)?);
    }
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        return Ok(std::fs::write(file, to_text(&compiler, &counts)?)?);
    }
    let (known_compiler, known) = from_text(&std::fs::read_to_string(file)?)?;
    let margin = if known_compiler == compiler { MARGIN } else { OTHER_COMPILER_MARGIN };
    if known_compiler != compiler {
        println!("counted with {known_compiler}, this is {compiler}: {margin} % are allowed");
    }
    let mut differences = 0;
    for (name, &count) in &counts {
        let before = known.get(*name).copied().ok_or_else(|| format!("`{name}` is not in the file"))?;
        let is_near = count.abs_diff(before) * 100 <= before * margin;
        #[expect(clippy::cast_precision_loss, reason = "for the eye")]
        let change = (count as f64 / before as f64 - 1.0) * 100.0;
        println!(
            "{name:16} {before:>12} {count:>12} {change:+6.1} % {}",
            if is_near { "" } else { "DIFFERS" }
        );
        differences += usize::from(!is_near);
    }
    if known.len() != counts.len() {
        return Err("the file has jobs that are not there: bless it".into());
    }
    match differences {
        0 => Ok(()),
        _ => Err(format!("{differences} jobs differ: better or worse, bless what is meant").into()),
    }
}

/// Instructions of the measured part of a job.
fn count(job: &str) -> Outcome<u64> {
    let this: PathBuf = std::env::current_exe()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*jobs::measured*"])
        .arg(this)
        .arg(job)
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("`{job}` fails: {text}").into());
    }
    let line = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, number) = line.ok_or_else(|| format!("callgrind says nothing of `{job}`: {text}"))?;
    Ok(number.trim().parse()?)
}

/// The compiler's version.
fn compiler() -> Outcome<String> {
    let output = Command::new("rustc").arg("--version").output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

fn to_text(compiler: &str, counts: &BTreeMap<&str, u64>) -> Outcome<String> {
    let mut text = format!(
        "# Instructions of x86-64 by callgrind: cargo run --release -p rntuple-instructions\n{compiler}\n"
    );
    for (name, count) in counts {
        writeln!(text, "{name}: {count}")?;
    }
    Ok(text)
}

/// Compiler and counts.
fn from_text(text: &str) -> Outcome<(String, BTreeMap<String, u64>)> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let compiler = lines.next().ok_or("the file is empty")?.to_owned();
    let mut counts = BTreeMap::new();
    for line in lines {
        let (name, count) = line.split_once(": ").ok_or_else(|| format!("`{line}` is no count"))?;
        counts.insert(name.to_owned(), count.parse()?);
    }
    Ok((compiler, counts))
}
