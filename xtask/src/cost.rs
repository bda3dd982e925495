//! `cargo xtask cost`: what the derive costs a user's build, next to serde's.
//!
//! Library crates with one struct each, written and read through `rntuple` or through `serde_json`, are built in turns.
//! Measured is the wall time of `cargo` on that crate alone, after its dependencies are there, and the machine
//! code that the compiler made of it: the executable sections of all objects in its release library. That is what
//! is generated for the struct, generic code of the library included, before a linker removes anything.
//!
//! A benchmark, so not a part of `ci`; all of it takes some minutes, most of them serde's 500 members.
//!
//! `--check`, which is a part of `ci`, only builds our crates in release mode and compares their machine code with
//! `xtask/cost.txt`, so that it does not grow unseen. `RNTUPLE_BLESS=1` writes the file again: a change that makes code
//! larger or smaller says so in its commit.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

mod crates;
mod known;
mod object;

use crates::{EMPTY, LIBRARIES, Library, SHAPES, Shape};
use known::Known;
use object::Size;

/// What the arguments ask for.
#[derive(Debug, PartialEq)]
struct Options {
    repetitions: usize,
    /// The smallest struct alone.
    quick: bool,
    /// Our machine code alone, compared with what it was.
    check: bool,
    save: Option<PathBuf>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { repetitions: 3, quick: false, check: false, save: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => (options.quick, options.repetitions) = (true, 1),
                "--check" => options.check = true,
                "--repetitions" => {
                    let number = words.next().and_then(|number| number.parse().ok());
                    let number = number.filter(|&number| number > 0);
                    options.repetitions = number.ok_or("--repetitions wants a number above 0")?;
                }
                "--save" => options.save = Some(words.next().ok_or("--save wants a file")?.into()),
                _ => return Err(format!("there is no option `{word}`: {USAGE}")),
            }
        }
        Ok(options)
    }
}

/// The arguments.
pub(crate) const USAGE: &str = "cost [--check] [--quick] [--repetitions N] [--save FILE]";

/// What is done with a crate: `cargo` and these words.
struct Action {
    name: &'static str,
    words: &'static [&'static str],
    /// For the compiler of that crate alone.
    flags: &'static [&'static str],
}

const ACTIONS: &[Action] = &[
    Action { name: "`cargo check`", words: &["check"], flags: &[] },
    Action { name: "`cargo build`", words: &["build"], flags: &[] },
    RELEASE,
];

const RELEASE: Action =
    Action { name: "`cargo build --release`", words: &["build", "--release"], flags: &[] };

/// In one unit: how a crate is cut into several depends on its folder, and a tenth of the code on that.
const IN_ONE_UNIT: Action = Action {
    name: "`cargo rustc --release`",
    words: &["rustc", "--release"],
    flags: &["--", "-C", "codegen-units=1"],
};

/// What takes so long in both libraries together is not repeated.
const LONG: Duration = Duration::from_secs(20);

/// The ratios to serde that are wanted.
const MOST_TIME: f64 = 1.0;
const MOST_CODE: f64 = 1.3;

/// Runs the benchmark and prints its table.
pub(crate) fn main(words: impl Iterator<Item = String>) -> ExitCode {
    let result = Options::read(words).and_then(|options| {
        if options.check {
            return check();
        }
        let table = measure(&options)?;
        println!("{table}");
        options.save.iter().try_for_each(|file| {
            std::fs::write(file, &table)
                .map_err(|error| format!("{} cannot be written: {error}", file.display()))
        })
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The times of one action on one crate.
#[derive(Debug, Default)]
struct Times(Vec<Duration>);

impl Times {
    fn least(&self) -> f64 {
        self.0.iter().min().map_or(f64::NAN, Duration::as_secs_f64)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
    }
}

/// Compares our machine code with what it was.
fn check() -> Result<(), String> {
    let (workspace, file) = (Path::new("target/cost"), Path::new("xtask/cost.txt"));
    let cannot = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let is_blessed = std::env::var_os("RNTUPLE_BLESS").is_some();
    let compiler = compiler().split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let known = match is_blessed {
        true => None,
        false => {
            let text = std::fs::read_to_string(file).map_err(|error| cannot(&error))?;
            Some(Known::read(&text).map_err(|error| cannot(&error))?)
        }
    };
    if let Some(known) = known.as_ref().filter(|known| known.compiler != compiler) {
        println!("skipped: the sizes are those of {}, this is {compiler}", known.compiler);
        return Ok(());
    }
    crates::write(workspace, SHAPES)?;
    let mut found = Known { compiler, code: Default::default() };
    for shape in SHAPES {
        let name = crates::name(Library::Rntuple, shape);
        run(workspace, &IN_ONE_UNIT, &name)?;
        found.code.insert(shape.id.to_owned(), object::size(&library(workspace, &name))?.code);
    }
    let Some(known) = known else {
        return std::fs::write(file, found.to_text()).map_err(|error| cannot(&error));
    };
    let (lines, is_near) = known.compare(&found);
    print!("{lines}");
    match is_near {
        true => Ok(()),
        false => Err("the machine code differs: more or less, bless what is meant".to_owned()),
    }
}

fn measure(options: &Options) -> Result<String, String> {
    let workspace = Path::new("target/cost");
    let shapes = if options.quick { SHAPES.get(..1).unwrap_or_default() } else { SHAPES };
    crates::write(workspace, shapes)?;
    // The crates without a struct: their builds are those of the dependencies.
    eprintln!("building the dependencies");
    for action in ACTIONS {
        for library in LIBRARIES {
            run(workspace, action, &crates::name(library, &EMPTY))?;
        }
    }
    let mut table = Table::new(options.repetitions);
    for shape in std::iter::once(&EMPTY).chain(shapes) {
        eprintln!("measuring: {}", shape.about);
        let names = LIBRARIES.map(|library| crates::name(library, shape));
        for action in ACTIONS {
            let mut times: [Times; 2] = Default::default();
            // In turns, so that a busy minute of the machine meets both.
            for _ in 0..options.repetitions {
                let start = Instant::now();
                for (name, times) in names.iter().zip(&mut times) {
                    crates::touch(workspace, name)?;
                    times.0.push(run(workspace, action, name)?);
                }
                if start.elapsed() > LONG {
                    break;
                }
            }
            table.times(shape, action, &times);
        }
        let [ours, serde] = &names;
        table.size(
            shape,
            object::size(&library(workspace, ours))?,
            object::size(&library(workspace, serde))?,
        );
    }
    Ok(table.0)
}

/// The library file of a crate in release mode.
fn library(workspace: &Path, name: &str) -> PathBuf {
    workspace.join("target/release").join(format!("lib{}.rlib", name.replace('-', "_")))
}

/// Does something with a crate, in the time that is returned.
fn run(workspace: &Path, action: &Action, name: &str) -> Result<Duration, String> {
    let mut command = Command::new("cargo");
    command.args(action.words).args(["--quiet", "--offline", "--package", name]);
    command.args(action.flags).current_dir(workspace);
    // Full builds, by the default profiles, beside all other files of the benchmark.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", "target").env_remove("RUSTFLAGS");
    let start = Instant::now();
    let output = command.output().map_err(|error| format!("cargo does not start: {error}"))?;
    let time = start.elapsed();
    match output.status.success() {
        true => Ok(time),
        false => Err(format!("{} of {name}:\n{}", action.name, String::from_utf8_lossy(&output.stderr))),
    }
}

/// What the compiler says it is.
fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let line = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    line.unwrap_or_else(|_| "an unknown rustc".to_owned())
}

/// The results, as markdown.
struct Table(String);

impl Table {
    fn new(repetitions: usize) -> Self {
        let mut text = String::new();
        let compiler = compiler();
        let _ = write!(
            text,
            "{compiler}; times are wall times, least and median of {repetitions} in turns \
             (of one, where that takes over {} s); ratios are of the least.\n\n\
             | crate | what | rntuple | serde | ratio | target |  |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
            LONG.as_secs()
        );
        Self(text)
    }

    fn times(&mut self, shape: &Shape, action: &Action, times: &[Times; 2]) {
        let cell = |times: &Times| format!("{:.2} s ({:.2} s)", times.least(), times.median());
        let [ours, serde] = times;
        self.row(shape, action.name, [cell(ours), cell(serde)], ours.least() / serde.least(), MOST_TIME);
    }

    fn size(&mut self, shape: &Shape, ours: Size, serde: Size) {
        let cell = |size: u64| format!("{:.1} kB", size as f64 / 1000.0);
        let ratio = |ours: u64, serde: u64| ours as f64 / serde as f64;
        let (code, all) = ("release: code", "release: code and data");
        self.row(shape, code, [cell(ours.code), cell(serde.code)], ratio(ours.code, serde.code), MOST_CODE);
        self.row(shape, all, [cell(ours.all), cell(serde.all)], ratio(ours.all, serde.all), MOST_CODE);
    }

    fn row(&mut self, shape: &Shape, what: &str, [ours, serde]: [String; 2], ratio: f64, most: f64) {
        let _ = write!(self.0, "| {} | {what} | {ours} | {serde} |", shape.about);
        let _ = match shape.is_empty() {
            // Nothing of the derive: what `cargo` and the compiler need to start.
            true => writeln!(self.0, " | | |"),
            false => writeln!(
                self.0,
                " {ratio:.2} | ≤ {most:.2} | {} |",
                if ratio <= most + 0.005 { "met" } else { "**missed**" }
            ),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        assert_eq!(options("").unwrap(), Options { repetitions: 3, quick: false, check: false, save: None });
        assert!(options("--check").unwrap().check);
        let quick = options("--quick --repetitions 3 --save cost.md").unwrap();
        assert_eq!(
            quick,
            Options { repetitions: 3, quick: true, check: false, save: Some("cost.md".into()) }
        );
        assert!(options("--repetitions 0").is_err());
        assert!(options("--save").is_err());
        assert!(options("--fast").unwrap_err().contains("--fast"));
    }

    #[test]
    fn a_row_says_whether_the_target_is_met() {
        let seconds = |list: &[u64]| Times(list.iter().map(|&time| Duration::from_secs(time)).collect());
        let mut table = Table(String::new());
        table.times(&SHAPES[0], &ACTIONS[0], &[seconds(&[9, 3, 4]), seconds(&[4, 5, 4])]);
        table.size(&SHAPES[0], Size { code: 2000, all: 3000 }, Size { code: 1000, all: 3000 });
        assert_eq!(
            table.0,
            "| 10 members | `cargo check` | 3.00 s (4.00 s) | 4.00 s (4.00 s) | 0.75 | ≤ 1.00 | met |\n\
             | 10 members | release: code | 2.0 kB | 1.0 kB | 2.00 | ≤ 1.30 | **missed** |\n\
             | 10 members | release: code and data | 3.0 kB | 3.0 kB | 1.00 | ≤ 1.30 | met |\n"
        );
    }
}
