//! How long SQL takes over RNTuple files, next to the same SQL over Parquet in the same DataFusion, and the derive next to both:
//!
//! ```sh
//! cargo bench -p rntuple-datafusion --bench sql -- --events 2000000 --rounds 7
//! ```
//!
//! | option | default |
//! | --- | --- |
//! | `--events N` | 2000000 |
//! | `--rounds N`: of each job, of which the median counts | 5 |
//! | `--partitions N`: threads of each | 2 |
//! | `--zstd LEVEL`: of both files | 1 |
//! | `--only TEXT`: jobs with this in their name | all |
//!
//! The events of both files are the same, and so is the codec. Parquet has as many row groups as there are parts that can be
//! read apart in the clusters. Each round does each job once with each
//! contestant, so that what else the machine does meets all of them. Parquet is timed as DataFusion reads it by default, and
//! with `pushdown_filters`; ratios are of the better one. Files are in the system's cache. ADL queries are also asked of
//! the same rows in memory, decoded before: no file can be faster than one that takes no time to read. The times of
//! their scans alone are next to that: what they need of the file, read and thrown away.

#[path = "../examples/adl/mod.rs"]
mod adl;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adl::derive::Input;
use adl::histogram::Histogram;
use adl::queries::{QUERIES, Query};
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use futures_util::StreamExt as _;
use rntuple::{Compression, Reader, Value};
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

struct Settings {
    events: u64,
    rounds: usize,
    partitions: usize,
    zstd: u8,
    only: String,
}

impl Settings {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self> {
        fn number<T: FromStr<Err: Error + 'static>>(value: Option<String>) -> Result<T> {
            Ok(value.ok_or("an option needs a value")?.parse()?)
        }
        let mut settings = Self { events: 2_000_000, rounds: 5, partitions: 2, zstd: 1, only: String::new() };
        // What Cargo adds.
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--events" => settings.events = number(arguments.next())?,
                "--rounds" => settings.rounds = number(arguments.next())?,
                "--partitions" => settings.partitions = number(arguments.next())?,
                "--zstd" => settings.zstd = number(arguments.next())?,
                "--only" => settings.only = arguments.next().ok_or("--only needs a text")?,
                _ => return Err(format!("there is no option {argument}").into()),
            }
        }
        Ok(settings)
    }
}

/// The same events in both formats.
struct Files {
    root: PathBuf,
    parquet: PathBuf,
}

impl Files {
    async fn write(folder: &Path, settings: &Settings) -> Result<Self> {
        let files = Self { root: folder.join("events.root"), parquet: folder.join("events.parquet") };
        adl::event::write(&files.root, 1, settings.events, Compression::zstd(settings.zstd))?;
        let reader = Reader::<Value>::open(&files.root, "Events")?;
        let (clusters, parts) = (reader.dataset(0)?.clusters().count(), reader.partitions(usize::MAX)?.len());
        let rows = settings.events.div_ceil(u64::try_from(parts.max(1))?);
        // One partition, or the rows might change their order.
        let context = session(1, false);
        rntuple_table(&context, &files.root).await?;
        let copy = format!(
            "COPY (SELECT * FROM events) TO '{}' OPTIONS ('format.compression' 'zstd({})', 'format.max_row_group_size' '{rows}')",
            files.parquet.display(),
            settings.zstd,
        );
        context.sql(&copy).await?.collect().await?;
        let size = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.len() as f64 / 1e6);
        println!(
            "{} events in {clusters} clusters, {parts} parts, zstd {}: RNTuple {:.1} MB, Parquet {:.1} MB; {} partitions, median of {}\n",
            settings.events,
            settings.zstd,
            size(&files.root)?,
            size(&files.parquet)?,
            settings.partitions,
            settings.rounds,
        );
        Ok(files)
    }
}

fn session(partitions: usize, pushdown: bool) -> SessionContext {
    let config = config()
        .with_target_partitions(partitions)
        .set_bool("datafusion.execution.parquet.pushdown_filters", pushdown)
        .set_bool("datafusion.execution.parquet.reorder_filters", pushdown);
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    SessionContext::new_with_state(with_rntuple(builder).build())
}

async fn rntuple_table(context: &SessionContext, file: &Path) -> Result<()> {
    let path = file.to_str().ok_or("the temporary folder has a name that is not UTF-8")?;
    let table = RNTupleTable::open(&context.state(), [path], TableOptions::new()).await?;
    context.register_table("events", Arc::new(table))?;
    Ok(())
}

/// A session with the rows of a table, decoded.
async fn in_memory(context: &SessionContext, settings: &Settings) -> Result<SessionContext> {
    let memory = session(settings.partitions, false);
    let table = context.table("events").await?;
    let schema = Arc::new(table.schema().as_arrow().clone());
    let rows = MemTable::try_new(schema, table.collect_partitioned().await?)?;
    memory.register_table("events", Arc::new(rows))?;
    Ok(memory)
}

/// Sessions with the events as a table.
struct Contestants {
    /// Of RNTuple, of Parquet, and of Parquet with filters pushed down.
    files: [SessionContext; 3],
    /// Of rows that are decoded already, where a job asks for them.
    memory: Option<SessionContext>,
}

impl Contestants {
    async fn new(files: &Files, settings: &Settings, jobs: &[Job]) -> Result<Self> {
        let ours = session(settings.partitions, false);
        rntuple_table(&ours, &files.root).await?;
        let [parquet, pushed] = [false, true].map(|pushdown| session(settings.partitions, pushdown));
        for context in [&parquet, &pushed] {
            let path = files.parquet.to_string_lossy();
            context.register_parquet("events", path, ParquetReadOptions::default()).await?;
        }
        let memory = match jobs.iter().any(|job| job.adl.is_some()) {
            true => Some(in_memory(&ours, settings).await?),
            false => None,
        };
        Ok(Self { files: [ours, parquet, pushed], memory })
    }
}

/// What is timed.
struct Job {
    name: String,
    sql: String,
    adl: Option<&'static Query>,
}

fn jobs(settings: &Settings) -> Vec<Job> {
    let job = |name: &str, sql: String| Job { name: name.to_owned(), sql, adl: None };
    let flat = "run, luminosity_block, event, met";
    let lists = "jets, muons, electrons";
    let middle = settings.events / 2;
    let one_percent =
        format!("event BETWEEN {middle} AND {}", middle + (settings.events / 100).saturating_sub(1));
    let sums = "sum(met['pt']), max(met['phi']), count(DISTINCT run), avg(event)";
    let pt = "array_transform(jets, jet -> jet['pt'])";
    let hard = "array_any_match(jets, jet -> jet['pt'] > 150)";
    let mut jobs = vec![
        job("all rows: flat columns", format!("SELECT {flat} FROM events")),
        job("all rows: lists", format!("SELECT {lists} FROM events")),
        job("all rows: everything", "SELECT * FROM events".to_owned()),
        job("all rows: sums of numbers", format!("SELECT {sums} FROM events")),
        job("all rows: sum of a member", format!("SELECT sum(array_sum({pt})) FROM events")),
        job("all rows: a filter on a list", format!("SELECT event, met['pt'] FROM events WHERE {hard}")),
        job("1 %: sums of numbers", format!("SELECT {sums} FROM events WHERE {one_percent}")),
        job("1 %: flat columns", format!("SELECT {flat} FROM events WHERE {one_percent}")),
        job("1 %: lists", format!("SELECT {lists} FROM events WHERE {one_percent}")),
        job("1 %: everything", format!("SELECT * FROM events WHERE {one_percent}")),
    ];
    jobs.extend(QUERIES.iter().map(|query| Job {
        name: format!("{}: {}", query.name, query.about),
        sql: query.axis.counted(query.sql, query.column),
        adl: Some(query),
    }));
    jobs.retain(|job| job.name.contains(&settings.only));
    jobs
}

/// What a run did.
#[derive(Clone, Copy, Default)]
struct Done {
    rows: usize,
    bytes: usize,
    time: Duration,
}

/// Plans a query and takes its rows, batch by batch.
async fn run(context: &SessionContext, sql: &str) -> Result<Done> {
    let start = Instant::now();
    let plan = context.sql(sql).await?.create_physical_plan().await?;
    let mut stream = execute_stream(plan.clone(), context.task_ctx())?;
    let mut rows = 0;
    while let Some(batch) = stream.next().await {
        rows += batch?.num_rows();
    }
    Ok(Done { rows, time: start.elapsed(), bytes: bytes_scanned(plan.as_ref()) })
}

/// Takes the rows that a query needs, and does nothing with them: what a format is, next to what the engine does.
async fn scan(context: &SessionContext, sql: &str) -> Result<Duration> {
    let plan = context.sql(sql).await?.create_physical_plan().await?;
    let start = Instant::now();
    let mut waiting = vec![plan];
    while let Some(plan) = waiting.pop() {
        let below = plan.children();
        if below.is_empty() {
            let mut stream = execute_stream(plan.clone(), context.task_ctx())?;
            while let Some(batch) = stream.next().await {
                batch?;
            }
        } else {
            waiting.extend(below.into_iter().cloned());
        }
    }
    Ok(start.elapsed())
}

fn bytes_scanned(plan: &dyn ExecutionPlan) -> usize {
    let here = plan.metrics().and_then(|metrics| metrics.sum_by_name("bytes_scanned"));
    let below = plan.children().into_iter().map(|child| bytes_scanned(child.as_ref()));
    here.map_or(0, |bytes| bytes.as_usize()) + below.sum::<usize>()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// Times a job with each contestant, and prints a line.
async fn measure(job: &Job, contestants: &Contestants, files: &Files, settings: &Settings) -> Result<()> {
    let mut sql_times = [const { Vec::new() }; 3];
    let mut last = [Done::default(); 3];
    // With one thread, and with as many as there are partitions.
    let threads = [1, settings.partitions];
    let mut derive_times = [const { Vec::new() }; 2];
    let mut memory_times = Vec::new();
    // Of RNTuple and of Parquet.
    let mut scan_times = [const { Vec::new() }; 2];
    let memory = contestants.memory.as_ref().filter(|_| job.adl.is_some());
    for context in contestants.files.iter().chain(memory) {
        // Metadata is read, and memory is taken from the system.
        run(context, &job.sql).await?;
    }
    for _ in 0..settings.rounds {
        for ((context, times), last) in contestants.files.iter().zip(&mut sql_times).zip(&mut last) {
            *last = run(context, &job.sql).await?;
            times.push(last.time);
        }
        if let Some(query) = job.adl {
            for (context, times) in contestants.files.iter().zip(&mut scan_times) {
                times.push(scan(context, &job.sql).await?);
            }
            if let Some(memory) = memory {
                memory_times.push(run(memory, &job.sql).await?.time);
            }
            for (threads, times) in threads.into_iter().zip(&mut derive_times) {
                let start = Instant::now();
                (query.derive)(Input { file: &files.root, threads })?;
                times.push(start.elapsed());
            }
        }
    }
    let [ours, parquet, pushed] = last;
    if ours.rows != parquet.rows || ours.rows != pushed.rows {
        return Err(format!("{}: {}, {} and {} rows", job.name, ours.rows, parquet.rows, pushed.rows).into());
    }
    let [ours_time, parquet_time, pushed_time] = sql_times.map(median);
    let best = parquet_time.min(pushed_time);
    let shown = |times: Vec<Duration>| match job.adl {
        Some(_) => format!("{:.1}", median(times)),
        None => String::new(),
    };
    let (memory, scans, derive) = (shown(memory_times), scan_times.map(shown), derive_times.map(shown));
    println!(
        "| {} | {ours_time:.1} | {parquet_time:.1} | {pushed_time:.1} | {:.2} | {memory} | {} | {} | {:.2} | {:.2} | {:.2} |",
        job.name,
        best / ours_time,
        scans.join(" | "),
        derive.join(" | "),
        ours.bytes as f64 / 1e6,
        parquet.bytes as f64 / 1e6,
        pushed.bytes as f64 / 1e6,
    );
    Ok(())
}

/// The histograms of all contestants are the same.
async fn check(contestants: &Contestants, files: &Files) -> Result<()> {
    for query in QUERIES {
        let expected = (query.derive)(Input { file: &files.root, threads: 1 })?;
        for context in &contestants.files {
            let found = Histogram::query(context, query.sql, query.column, query.axis).await?;
            if found != expected {
                let counts = (expected.counts(), found.counts());
                return Err(format!("{}: histograms differ: {counts:?}", query.name).into());
            }
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::parse(std::env::args().skip(1))?;
    let folder = tempfile::tempdir()?;
    let files = Files::write(folder.path(), &settings).await?;
    let jobs = jobs(&settings);
    let contestants = Contestants::new(&files, &settings, &jobs).await?;
    check(&contestants, &files).await?;
    println!(
        "Times in ms, bytes that were read in MB. The ratio is Parquet's better time over that of RNTuple.\n"
    );
    println!(
        "| job | RNTuple | Parquet | with filters pushed down | ratio | in memory | scan of RNTuple | scan of Parquet | derive, 1 thread | derive, {} threads | RNTuple MB \
         | Parquet MB | pushed down MB |",
        settings.partitions
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for job in &jobs {
        measure(job, &contestants, &files, &settings).await?;
    }
    Ok(())
}
