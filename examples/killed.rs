//! A film of one day: a simulation that is killed 50 times, and ends with the events of one that never was.
//!
//! ```sh
//! cargo run --release --example killed -- events.root
//! ```
#![expect(clippy::unwrap_used, reason = "what the film shows would be wrong")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rntuple::checkpoint::Interval;
use rntuple::storage::LocalFile;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

/// What the simulation goes on from.
#[derive(RNTuple)]
struct State {
    position: u64,
}

/// Simulates up to this many events. What an earlier process has saved is continued.
fn simulate(path: &Path, end: u64) -> Result<()> {
    let options = WriteOptions::new().checkpoint_every(Interval::Entries(500));
    let (mut writer, state) = Writer::<Event>::resume_with::<State>(path, "Events", options)?;
    let mut random = ChaCha8Rng::seed_from_u64(42);
    random.set_word_pos(state.map_or(0, |state| state.position.into()));
    while writer.entry_count() < end {
        let hits = (0..random.random_range(0..20)).map(|_| random.random()).collect();
        writer.fill(&Event { number: writer.entry_count(), hits })?;
        if writer.is_checkpoint_due() {
            writer.checkpoint_with(&State { position: u64::try_from(random.get_word_pos()).unwrap() })?;
        }
    }
    writer.finish()?;
    Ok(())
}

/// Starts a process and kills it, so often, and lets the last one finish. Each lives until it has saved something.
/// Returns how many entries were safe at each death.
fn film(path: &Path, deaths: usize, start: impl Fn() -> Command) -> Result<Vec<u64>> {
    let partial = LocalFile::partial(path).unwrap();
    let saved =
        || Reader::<Event>::open(&partial, "Events").and_then(|reader| reader.entry_count()).unwrap_or(0);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut safe = Vec::new();
    while safe.len() < deaths {
        let before = saved();
        let mut process = start().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while saved() == before && process.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.random_range(0..30_000)));
        // SIGKILL: nothing in the process can prepare for it.
        process.kill().unwrap();
        let status = process.wait().unwrap();
        assert!(!status.success(), "the simulation ended before it was killed {deaths} times");
        safe.push(saved());
    }
    assert!(start().stdout(Stdio::null()).status().unwrap().success());
    Ok(safe)
}

fn events(path: &Path) -> Result<Vec<Event>> {
    Reader::open(path, "Events")?.entries().collect()
}

/// Enough for all deaths.
#[cfg_attr(test, allow(dead_code, reason = "its tests have a film of their own"))]
const EVENTS: u64 = 500_000;

#[cfg_attr(test, allow(dead_code, reason = "its tests have a film of their own"))]
fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().map_or_else(|| "killed.root".into(), std::path::PathBuf::from);
    if arguments.next().is_some() {
        return simulate(&path, EVENTS);
    }
    let safe = film(&path, 50, || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(&path).arg("simulate");
        command
    })?;
    println!("killed {} times, with {safe:?} events saved", safe.len());
    let undisturbed = path.with_extension("undisturbed.root");
    simulate(&undisturbed, EVENTS)?;
    assert!(events(&path)? == events(&undisturbed)?);
    println!("{} has the same {EVENTS} events as {}", path.display(), undisturbed.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "RNTUPLE_EXAMPLES_KILLED";
    const FEW: u64 = 20_000;

    /// The process of the film below.
    #[test]
    fn job() {
        if let Some(path) = std::env::var_os(PATH) {
            simulate(path.as_ref(), FEW).unwrap();
        }
    }

    #[test]
    fn a_job_that_is_killed_gives_the_same_events() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.root");
        let safe = film(&path, 3, || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "book::killed::tests::job"]).env(PATH, &path);
            command
        })
        .unwrap();
        assert!(safe[0] >= 500 && safe.is_sorted_by(|a, b| a < b), "{safe:?}");
        let undisturbed = directory.path().join("undisturbed.root");
        simulate(&undisturbed, FEW).unwrap();
        assert_eq!(events(&path).unwrap(), events(&undisturbed).unwrap());
    }
}
