//! A program that changes a data set, again and again.

use std::fs::File;
use std::io::Write as _;
use std::time::{Duration, Instant};

use rntuple_dataset::{
    CleanupOptions, CompactOptions, Error, ErrorKind, IndexOptions, Result, Snapshot, Table,
};

use super::{Calibrated, Entry, Full, Job, Outcome, Row, Rows};

/// Random numbers: SplitMix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// What a program does, in memory and in a file that survives it.
#[derive(Default)]
pub(super) struct Journal {
    entries: Vec<Entry>,
    file: Option<File>,
}

impl Journal {
    pub(super) fn in_file(file: File) -> Self {
        Self { entries: Vec::new(), file: Some(file) }
    }

    fn line(&mut self, line: &impl serde::Serialize) {
        let Some(file) = &mut self.file else { return };
        let line = serde_json::to_string(line).unwrap() + "\n";
        file.write_all(line.as_bytes()).unwrap();
        file.sync_data().unwrap();
    }

    fn begin(&mut self, job: &Job) {
        self.line(job);
        self.entries.push((job.clone(), None));
    }

    fn end(&mut self, outcome: Outcome) {
        self.line(&outcome);
        self.entries.last_mut().unwrap().1 = Some(outcome);
    }

    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Reads a file: a line for each job, and one for its outcome. The last line may be cut.
    pub(super) fn read(text: &str) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            match serde_json::from_str::<Job>(line) {
                Ok(job) => entries.push((job, None)),
                Err(_) => entries.last_mut().unwrap().1 = Some(serde_json::from_str(line).unwrap()),
            }
        }
        entries
    }
}

/// A program, or a thread.
pub(super) struct Worker {
    pub(super) table: Table,
    pub(super) number: u32,
    pub(super) random: Random,
    pub(super) journal: Journal,
    /// The first sequence number that was never used, and the next number of a job.
    pub(super) next: u64,
}

impl Worker {
    /// Works until it is said to stop.
    pub(super) fn run(&mut self, is_over: impl Fn() -> bool) {
        let mut reported: Vec<(u64, u64)> = Vec::new();
        while !is_over() {
            let mut job = self.job();
            // A job that loses is done again.
            for _ in 0..10 {
                self.journal.begin(&job);
                let outcome = match self.work(&job) {
                    Ok(snapshot) => {
                        reported.push((snapshot.version(), snapshot.len()));
                        Outcome::Done(snapshot.version())
                    }
                    Err(error) => match (error.kind(), error.conflict()) {
                        (ErrorKind::Conflict, _) | (ErrorKind::SchemaMismatch, None) => Outcome::Lost,
                        // A file that was being written was cleaned up.
                        _ if is_missing(&error) => Outcome::Lost,
                        _ => Outcome::Failed(error.to_string()),
                    },
                };
                let is_lost = outcome == Outcome::Lost;
                self.journal.end(outcome);
                if !is_lost || is_over() {
                    break;
                }
                job = self.again(job);
            }
            if self.random.below(12) == 0 {
                let options = CleanupOptions::older_than(Duration::from_secs(3600));
                self.table.cleanup(&options.unreferenced_after(Duration::ZERO)).unwrap();
            }
            // What was reported once is there for ever.
            if !reported.is_empty() {
                let (version, rows) = reported[self.random.below(reported.len() as u64) as usize];
                let snapshot = self.table.at(version).unwrap();
                assert_eq!(
                    snapshot.reader::<Row>().unwrap().entries().map(Result::unwrap).count() as u64,
                    rows
                );
            }
            std::thread::sleep(Duration::from_millis(self.random.below(40)));
        }
    }

    fn fresh(&mut self, count: u64) -> u64 {
        let first = self.next;
        self.next += count;
        first
    }

    fn append(&mut self) -> Job {
        let count = 1 + self.random.below(8);
        let first = self.fresh(count);
        Job::Append { worker: self.number, first, end: first + count }
    }

    fn rows(&mut self) -> Rows {
        let divisor = 2 + self.random.below(8);
        Rows { divisor, rest: self.random.below(divisor) }
    }

    fn stamp(&mut self) -> u64 {
        (u64::from(self.number) << 40) + (self.fresh(1) << 8)
    }

    fn job(&mut self) -> Job {
        match self.random.below(23) {
            0..8 => self.append(),
            8..11 => Job::Delete(self.rows()),
            11..14 => Job::Update(self.rows(), self.stamp()),
            14..16 => Job::AddColumn(self.stamp()),
            16 => Job::DropColumn,
            17..19 => Job::Compact,
            19..22 => Job::Index,
            _ => {
                let newest = self.table.snapshot().unwrap().version();
                Job::Restore(newest - self.random.below(newest.min(6)))
            }
        }
    }

    /// The same job, with rows and numbers that no other job has.
    fn again(&mut self, job: Job) -> Job {
        match job {
            Job::Append { .. } => self.append(),
            Job::Update(rows, _) => Job::Update(rows, self.stamp()),
            Job::AddColumn(_) => Job::AddColumn(self.stamp()),
            other => other,
        }
    }

    fn work(&self, job: &Job) -> Result<Snapshot> {
        let table = &self.table;
        let is_full = || -> Result<bool> { Ok(has_column(&table.snapshot()?)) };
        match *job {
            Job::Append { worker, first, end } if is_full()? => table.append::<Full>(|writer| {
                let row = |sequence| Full { worker, sequence, value: 0, calibrated: sequence };
                (first..end).try_for_each(|sequence| writer.fill(&row(sequence)))
            }),
            Job::Append { worker, first, end } => table.append::<Row>(|writer| {
                let row = |sequence| Row { worker, sequence, value: 0 };
                (first..end).try_for_each(|sequence| writer.fill(&row(sequence)))
            }),
            Job::Delete(rows) => table.delete::<Row>(|row| rows.contain(row.worker, row.sequence)),
            Job::Update(rows, value) if is_full()? => table.update::<Full>(|row| {
                row.value = value;
                rows.contain(row.worker, row.sequence)
            }),
            Job::Update(rows, value) => table.update::<Row>(|row| {
                row.value = value;
                rows.contain(row.worker, row.sequence)
            }),
            Job::AddColumn(stamp) => table.add_columns(|rows: Vec<Row>| {
                rows.iter().map(|row| Calibrated { calibrated: stamp + row.sequence }).collect()
            }),
            Job::DropColumn => match table.drop_columns(&["calibrated"]) {
                // It is not there.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    Err(Error::new(ErrorKind::SchemaMismatch, error.to_string()))
                }
                other => other,
            },
            Job::Compact => table.compact(&CompactOptions::new().deleted(0.0)),
            Job::Index => table.index_bounds(&IndexOptions::new()),
            Job::Restore(version) => table.restore(version),
        }
    }
}

/// Whether a file in the folder of data files is missing.
fn is_missing(error: &Error) -> bool {
    let text = error.to_string();
    text.contains("/data/") && (text.contains("not found") || text.contains("No such file"))
}

pub(super) fn has_column(snapshot: &Snapshot) -> bool {
    snapshot.fields().iter().any(|field| field.name == "calibrated")
}

/// Whether a time is over.
pub(super) fn after(time: Duration) -> impl Fn() -> bool {
    let start = Instant::now();
    move || start.elapsed() >= time
}
