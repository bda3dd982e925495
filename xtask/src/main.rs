//! `cargo xtask TASK..`: the tasks of this repository, from one table.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

mod cost;
mod fuzz;
mod tasks;

use tasks::{TASKS, Task};

/// How a task ended.
enum Outcome {
    Passed,
    Skipped(String),
    Failed(String),
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    // Paths in the table are those of the workspace.
    if let Err(error) = std::env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        eprintln!("xtask: the workspace cannot be entered: {error}");
        return ExitCode::FAILURE;
    }
    if names.is_empty() {
        usage();
        return ExitCode::FAILURE;
    }
    match names.split_first().map(|(name, words)| (name.as_str(), words.iter().cloned())) {
        Some(("cost", words)) => return cost::main(words),
        Some(("fuzz", words)) => return fuzz::main(words),
        _ => {}
    }
    let mut chosen: Vec<&Task> = Vec::new();
    for name in &names {
        match TASKS.iter().find(|task| task.name == name) {
            Some(task) => chosen.push(task),
            None if name == "ci" => chosen.extend(TASKS),
            None => {
                eprintln!("xtask: there is no task `{name}`");
                usage();
                return ExitCode::FAILURE;
            }
        }
    }
    let mut results = Vec::new();
    for task in chosen {
        let start = Instant::now();
        let outcome = run(task);
        results.push((task.name, outcome, start.elapsed()));
    }
    summary(&results)
}

fn usage() {
    println!("cargo xtask TASK..");
    println!("  {:12} all of them, in this order", "ci");
    for task in TASKS {
        println!("  {:12} {}", task.name, task.about);
    }
    println!("cargo xtask {}", cost::USAGE);
    println!("  what the derive costs a build, next to serde's; not a part of `ci`");
    println!("cargo xtask {}", fuzz::USAGE);
    println!("  inputs that reach new code, for a long time; `ci` does the same for a short one");
}

/// Runs the commands up to the first that fails.
fn run(task: &Task) -> Outcome {
    println!("=== {}: {}", task.name, task.about);
    if let Some(missing) = task.needs.iter().find_map(tasks::Need::missing) {
        println!("skipped: {missing}");
        return Outcome::Skipped(missing);
    }
    let features = match std::fs::read_to_string("rntuple/Cargo.toml") {
        Ok(manifest) => tasks::features(&manifest),
        Err(error) => return Outcome::Failed(format!("rntuple/Cargo.toml: {error}")),
    };
    for line in task.commands.iter().flat_map(|line| tasks::lines(line, &features)) {
        println!("$ {line}");
        if let Err(reason) = execute(&line) {
            return Outcome::Failed(format!("`{line}`: {reason}"));
        }
    }
    Outcome::Passed
}

/// Runs one line of the table.
fn execute(line: &str) -> Result<(), String> {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let mut command = Command::new(words.next().unwrap_or_default());
    match command.args(words).envs(variables).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Prints how each task ended and how long it took.
fn summary(results: &[(&str, Outcome, Duration)]) -> ExitCode {
    println!();
    let mut code = ExitCode::SUCCESS;
    for (name, outcome, time) in results {
        let (word, why) = match outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Skipped(why) => ("skipped", why.as_str()),
            Outcome::Failed(why) => {
                code = ExitCode::FAILURE;
                ("FAILED", why.as_str())
            }
        };
        println!("{}", format!("{name:12} {word:8} {:7.1} s  {why}", time.as_secs_f64()).trim_end());
    }
    code
}
