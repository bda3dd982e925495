//! Runs jobs in rounds: each round does every job once, so that a slow minute of the machine hits all alike.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::jobs::{ROWS, Row, Run, Work};
use crate::limits::Pages;
use crate::peers::uproot::Uproot;
use crate::random::Random;
use crate::{Codec, Data, Sink};

/// What one job took.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What.
    pub work: Work,
    /// Who.
    pub peer: &'static str,
    /// With what.
    pub codec: Codec,
    /// On how many threads.
    pub threads: u32,
    /// Time of the processor, of each round.
    cpu: Vec<Duration>,
    /// On the wall, of each round.
    wall: Vec<Duration>,
    /// Of the file that was written.
    pub bytes: Option<u64>,
}

impl Figure {
    /// The median in ns per event: of the processor's time for one thread, else on the wall.
    pub fn time(&self, events: u64) -> f64 {
        let times = if self.threads == 1 { &self.cpu } else { &self.wall };
        median(times) / events as f64
    }

    /// The median on the wall in ns per event.
    pub fn wall(&self, events: u64) -> f64 {
        median(&self.wall) / events as f64
    }

    /// The slowest round over the fastest.
    pub fn spread(&self) -> f64 {
        let times = if self.threads == 1 { &self.cpu } else { &self.wall };
        let (least, most) = (times.iter().min(), times.iter().max());
        least.zip(most).map_or(1.0, |(least, most)| most.as_secs_f64() / least.as_secs_f64())
    }
}

fn median(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    let middle = times.len() / 2;
    match times.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => times[middle].as_nanos() as f64,
        _ => (times[middle - 1] + times[middle]).as_nanos() as f64 / 2.0,
    }
}

/// How the jobs are run.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Rounds that count; one more comes first.
    pub repetitions: usize,
    /// Parts of jobs' `/job/peer/codec/`, of which any may be there; all jobs, if these are none.
    pub only: &'a [String],
    /// With uproot.
    pub python: Option<&'a Path>,
    /// Where files go.
    pub folder: &'a Path,
}

/// All figures, and what was left out and why.
#[derive(Debug)]
pub struct Figures {
    /// One of each job.
    pub figures: Vec<Figure>,
    /// Sentences.
    pub notes: Vec<String>,
}

impl Figures {
    /// The figure of a job.
    pub fn find(&self, work: Work, peer: &str, codec: Codec, threads: u32) -> Option<&Figure> {
        self.figures.iter().find(|figure| {
            (figure.work, figure.peer, figure.codec, figure.threads) == (work, peer, codec, threads)
        })
    }
}

/// The task of the script that makes the file for the others.
const WRITE: &str = "write";

struct Bench<'a> {
    data: &'a Data,
    folder: &'a Path,
    pages: Pages,
    uproot: Option<Uproot>,
}

/// Runs everything that the plan says.
pub fn run(data: &Data, plan: &Plan<'_>) -> Figures {
    let mut jobs: Vec<(&Row, Codec)> =
        ROWS.iter().flat_map(|row| row.codecs.iter().map(move |codec| (row, *codec))).collect();
    if !plan.only.is_empty() {
        jobs.retain(|(row, codec)| {
            let name = format!("/{}/{}/{codec}/", row.work.name(), row.peer);
            plan.only.iter().any(|only| name.contains(only))
        });
    }
    let mut notes = Vec::new();
    let mut bench = Bench { data, folder: plan.folder, pages: Pages::new(data), uproot: None };
    if jobs.iter().any(|(row, _)| matches!(row.run, Run::Uproot(_))) {
        match bench.start_uproot(plan.python) {
            Ok(uproot) => {
                notes.push(format!("uproot is {}.", uproot.version));
                bench.uproot = Some(uproot);
            }
            Err(reason) => {
                notes.push(format!("uproot was left out: {reason}"));
                jobs.retain(|(row, _)| !matches!(row.run, Run::Uproot(_)));
            }
        }
    }
    let mut figures: Vec<Figure> = jobs
        .iter()
        .map(|(row, codec)| Figure {
            work: row.work,
            peer: row.peer,
            codec: *codec,
            threads: row.threads,
            cpu: Vec::new(),
            wall: Vec::new(),
            bytes: None,
        })
        .collect();
    // An order of its own for each round, so that nobody always comes after the same one.
    let mut random = Random::new(20_261_123);
    // The first round warms up, makes the files that readers read, and does not count.
    for round in 0..=plan.repetitions {
        eprintln!("round {round} of {}", plan.repetitions);
        for index in random.order(jobs.len()) {
            let (row, codec) = jobs[index];
            let figure = &mut figures[index];
            let Once { cpu, wall, bytes } = bench.once(row, codec);
            if round > 0 {
                figure.cpu.push(cpu);
                figure.wall.push(wall);
            }
            figure.bytes = bytes;
        }
    }
    Figures { figures, notes }
}

struct Once {
    cpu: Duration,
    wall: Duration,
    bytes: Option<u64>,
}

fn timed<T>(work: impl FnOnce() -> T) -> (Once, T) {
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    let value = work();
    (Once { cpu: cpu.elapsed(), wall: wall.elapsed(), bytes: None }, value)
}

impl Bench<'_> {
    fn start_uproot(&self, python: Option<&Path>) -> Result<Uproot, String> {
        let python =
            python.ok_or("no Python was named, and that of `cargo run -p rntuple-interop` is not there.")?;
        let file = self.folder.join("uproot-input");
        crate::peers::ours::write(self.data, Codec::None, Sink::File(&file));
        let uproot = Uproot::start(python, &file);
        let _ = std::fs::remove_file(&file);
        uproot
    }

    fn once(&mut self, row: &Row, codec: Codec) -> Once {
        match row.run {
            Run::Write(write) => self.write(row, codec, write),
            Run::Read(source, read) => {
                let file = self.folder.join(format!("{}-{codec}", source.name));
                if !file.exists() {
                    // In the first round.
                    (source.write)(self.data, codec, Sink::File(&file));
                }
                let (once, digest) = timed(|| read(&file, codec));
                self.check(row, codec, digest);
                once
            }
            Run::Uproot(task) => self.uproot(row, codec, task),
            Run::Limit(limit) => {
                let scratch = self.scratch();
                let once = timed(|| limit(self.data, &self.pages, codec, &scratch)).0;
                let _ = std::fs::remove_file(scratch);
                once
            }
        }
    }

    /// A file that is not there.
    fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    fn write(&self, row: &Row, codec: Codec, write: crate::jobs::WriteJob) -> Once {
        if row.work.is_null() {
            return timed(|| write(self.data, codec, Sink::Null)).0;
        }
        let scratch = self.scratch();
        let mut once = timed(|| write(self.data, codec, Sink::File(&scratch))).0;
        // Two threads may have written a file each.
        let parts = [scratch.clone(), scratch.with_extension("0"), scratch.with_extension("1")];
        once.bytes =
            Some(parts.iter().filter_map(|part| std::fs::metadata(part).ok()).map(|part| part.len()).sum());
        parts.iter().for_each(|part| _ = std::fs::remove_file(part));
        once
    }

    fn uproot(&mut self, row: &Row, codec: Codec, task: &str) -> Once {
        let file = self.folder.join(format!("uproot-{codec}"));
        let uproot = self.uproot.as_mut().unwrap();
        if !file.exists() {
            uproot.run(WRITE, codec, &file).unwrap();
        }
        let (seconds, digest) = uproot.run(task, codec, &file).unwrap();
        if let Some(digest) = digest {
            self.check(row, codec, digest);
        }
        let bytes = std::fs::metadata(&file).ok().map(|file| file.len());
        Once { cpu: seconds, wall: seconds, bytes: bytes.filter(|_| row.work == Work::Write) }
    }

    fn check(&self, row: &Row, codec: Codec, digest: u64) {
        let expected = row.work.expected(self.data);
        assert_eq!(Some(digest), expected, "{}/{}/{codec} read other values", row.work.name(), row.peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads check their digests; writes into files leave some bytes.
    #[test]
    fn every_job_but_those_of_uproot_runs() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan { repetitions: 1, only: &[], python: None, folder: folder.path() };
        let figures = run(&Data::new(300), &plan);
        for row in ROWS.iter().filter(|row| !matches!(row.run, Run::Uproot(_))) {
            for codec in row.codecs {
                let figure = figures.find(row.work, row.peer, *codec, row.threads).unwrap();
                assert!(figure.time(300) > 0.0);
                let writes = matches!(row.work, Work::Write | Work::FlatWrite);
                assert_eq!(figure.bytes.is_some_and(|bytes| bytes > 10_000), writes, "{}", row.peer);
            }
        }
        assert!(figures.notes[0].starts_with("uproot was left out"));
    }
}
