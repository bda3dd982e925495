//! `cargo xtask TASK..`: the tasks of this repository, from one table.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
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
            None if name == "early" => chosen.extend(TASKS.iter().filter(|task| !task.is_late())),
            None if name == "late" => chosen.extend(TASKS.iter().filter(|task| task.is_late())),
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
    println!("  {:12} those that `.ci/run` always runs", "early");
    println!("  {:12} the others, which it runs where time is left", "late");
    for task in TASKS {
        println!("  {:12} {}", task.name, task.about);
    }
    println!("cargo xtask {}", cost::USAGE);
    println!("  what the derive costs a build, next to serde's; not a part of `ci`");
    println!("cargo xtask {}", fuzz::USAGE);
    println!("  inputs that reach new code, for a long time; `ci` does the same for a short one");
}

/// Runs the commands of a task, unless something that it needs is missing.
fn run(task: &Task) -> Outcome {
    println!("=== {}: {}", task.name, task.about);
    if let Some(missing) = task.needs.iter().find_map(tasks::Need::missing) {
        println!("skipped: {missing}");
        return Outcome::Skipped(missing);
    }
    match std::fs::read_to_string("rntuple/Cargo.toml") {
        Ok(manifest) => run_commands(task, &tasks::features(&manifest), tasks::left),
        Err(error) => Outcome::Failed(format!("rntuple/Cargo.toml: {error}")),
    }
}

/// Runs the commands up to the first that fails. A task that is skipped where time is short is cut off when none is left.
fn run_commands(task: &Task, features: &[String], time_left: fn() -> Option<Duration>) -> Outcome {
    // Tests that found no files by ROOT in the commands before.
    let mut skipped = Vec::new();
    for command in task.commands {
        if command.contains(tasks::SKIPPED) && skipped.is_empty() {
            println!("no test was skipped");
            continue;
        }
        let mut command = command.replace(tasks::SKIPPED, &skipped.join(" "));
        let left = if task.is_late() { time_left() } else { None };
        if let Some(left) = left {
            // Of no time at all, `timeout` makes all the time there is.
            command = format!("timeout {} env {command}", left.as_secs().max(1));
        }
        let result = match tasks::lines(&command, features).as_slice() {
            [line] => timed(line, Lane::Alone, &mut skipped),
            lines => side_by_side(lines),
        };
        if let Err(reason) = result {
            let is_over = left.and_then(|_| time_left()).is_some_and(|left| left.is_zero());
            return if is_over {
                Outcome::Skipped("cut off, as the whole must end".to_owned())
            } else {
                Outcome::Failed(reason)
            };
        }
    }
    Outcome::Passed
}

/// Runs lines that keep one processor busy each, two at a time.
fn side_by_side(lines: &[String]) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let work = |lane| {
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(reason) = timed(line, lane, &mut Vec::new()) {
                next.store(lines.len(), Ordering::Relaxed);
                return Err(reason);
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let second = scope.spawn(|| work(Lane::Second));
        let first = work(Lane::First);
        first.and(second.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })
}

/// What runs at the same time as a line.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    Alone,
    First,
    /// With a folder of its own for what is compiled, as Cargo locks that.
    Second,
}

/// Runs one line of the table. What it prints is seen at once where it is alone, else at its end. Where it is alone,
/// `skipped` takes the names of the tests that say that they are skipped for lack of files by ROOT.
fn timed(line: &str, lane: Lane, skipped: &mut Vec<String>) -> Result<(), String> {
    let start = Instant::now();
    let mut command = command(line);
    if lane == Lane::Second {
        command.env("CARGO_TARGET_DIR", "target/aside");
    }
    let result = if lane == Lane::Alone {
        println!("$ {line}");
        watched(command, skipped)
    } else {
        command.output().map(|output| {
            let printed = [output.stdout, output.stderr].concat();
            println!("$ {line}\n{}", String::from_utf8_lossy(&printed).trim_end());
            output.status
        })
    };
    println!("{:.1} s", start.elapsed().as_secs_f64());
    match result {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}`: {status}")),
        Err(error) => Err(format!("`{line}`: {error}")),
    }
}

/// Runs a command and passes on what it says on standard error, line by line.
fn watched(mut command: Command, skipped: &mut Vec<String>) -> io::Result<ExitStatus> {
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            skipped.extend(tasks::skipped(&line).map(str::to_owned));
        }
    }
    child.wait()
}

/// The process that a line of the table means.
fn command(line: &str) -> Command {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).envs(variables);
    command
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

#[cfg(test)]
mod tests {
    use super::*;
    use tasks::Need;

    #[test]
    fn a_late_task_ends_when_all_must_end() {
        let task = |needs, command| Task { name: "sleep", about: "", needs, commands: command };
        let (late, minutes): (&[&str], &[Need]) = (&["A=1 sleep 20"], &[Need::Minutes(0)]);
        let start = Instant::now();
        let outcome = run_commands(&task(minutes, late), &[], || Some(Duration::ZERO));
        assert!(matches!(&outcome, Outcome::Skipped(why) if why.starts_with("cut off")));
        assert!(start.elapsed() < Duration::from_secs(15));

        let short: &[&str] = &["A=1 sleep 0"];
        assert!(matches!(
            run_commands(&task(minutes, short), &[], || Some(Duration::from_secs(60))),
            Outcome::Passed
        ));
        assert!(matches!(run_commands(&task(minutes, short), &[], || None), Outcome::Passed));
        let wrong: &[&str] = &["false"];
        assert!(matches!(
            run_commands(&task(minutes, wrong), &[], || Some(Duration::from_secs(60))),
            Outcome::Failed(_)
        ));
        // What must run is not cut off.
        let long: &[&str] = &["sleep 2"];
        assert!(matches!(run_commands(&task(&[], long), &[], || Some(Duration::ZERO)), Outcome::Passed));
    }
}
