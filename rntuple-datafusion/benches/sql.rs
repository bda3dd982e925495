//! SQL over RNTuple next to SQL over Parquet: the same rows, engine, codec and threads.
//!
//! `cargo bench -p rntuple-datafusion --all-features --bench sql -- 1000000 9`: how many events, and how often each query
//! runs. All candidates of a query run in turn, in each round; the medians are compared.

#[path = "../examples/adl/mod.rs"]
#[allow(dead_code, reason = "the example also prints what it finds")]
mod adl;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use futures_util::StreamExt as _;
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};

/// What is asked of the tables, beside the ADL benchmark.
const QUERIES: [(&str, &str); 7] = [
    ("all columns", "SELECT * FROM events"),
    ("one nested column", "SELECT jets FROM events"),
    ("numbers", "SELECT sum(met['pt']), max(met['phi']), count(DISTINCT run), avg(event) FROM events"),
    ("a member of a list", "SELECT sum(array_sum(array_transform(jets, j -> j['pt']))) FROM events"),
    (
        "a filter on a list",
        "SELECT event, met['pt'] FROM events WHERE array_any_match(jets, j -> j['pt'] > 150)",
    ),
    (
        "1 %, sorted, numbers",
        "SELECT sum(met['pt']), count(*) FROM events WHERE event BETWEEN {from} AND {to}",
    ),
    ("1 %, sorted, all columns", "SELECT * FROM events WHERE event BETWEEN {from} AND {to}"),
];

fn context(pushdown: bool) -> SessionContext {
    let mut config = config().with_target_partitions(threads());
    config.options_mut().execution.parquet.pushdown_filters = pushdown;
    config.options_mut().execution.parquet.reorder_filters = pushdown;
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    SessionContext::new_with_state(with_rntuple(builder).build())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs a query to its end: how long it took, and the bytes of the files that it read.
async fn run(context: &SessionContext, query: &str) -> Result<(Duration, usize)> {
    let start = Instant::now();
    let plan = context.sql(query).await?.create_physical_plan().await?;
    let mut rows = execute_stream(plan.clone(), context.task_ctx())?;
    while let Some(batch) = rows.next().await {
        std::hint::black_box(batch?);
    }
    Ok((start.elapsed(), bytes(plan.as_ref())))
}

fn bytes(plan: &dyn ExecutionPlan) -> usize {
    let own = plan.metrics().and_then(|metrics| metrics.sum_by_name("bytes_scanned"));
    own.map_or(0, |value| value.as_usize())
        + plan.children().iter().map(|child| bytes(child.as_ref())).sum::<usize>()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let numbers = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let numbers: Vec<u64> = numbers.map(|number| number.parse()).collect::<std::result::Result<_, _>>()?;
    let count = numbers.first().copied().unwrap_or(200_000);
    let rounds = usize::try_from(numbers.get(1).copied().unwrap_or(5))?;
    let folder = tempfile::tempdir()?;
    let files = write(folder.path(), count).await?;

    let ours = context(false);
    let table = RNTupleTable::open(&ours.state(), [&files[0]], TableOptions::new()).await?;
    ours.register_table("events", Arc::new(table))?;
    let (parquet, pushed) = (context(false), context(true));
    for context in [&parquet, &pushed] {
        context.register_parquet("events", &files[1], ParquetReadOptions::default()).await?;
    }

    println!("{count} events, {} threads, medians of {rounds}; times of Parquet over ours", threads());
    println!("| query | RNTuple | Parquet | Parquet, filters in the scan | MB read | MB read of Parquet |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let (from, to) = (count / 2, count / 2 + count / 100 - 1);
    for (name, query) in QUERIES {
        let query = query.replace("{from}", &from.to_string()).replace("{to}", &to.to_string());
        let [a, b, c] = compare([&ours, &parquet, &pushed], &query, rounds).await?;
        let mega = |bytes: usize| bytes as f64 / 1e6;
        let shown = format!("{:.1} | {:.1}", mega(a.1), mega(b.1.min(c.1)));
        println!("| {name} | {:.1} ms | {:.2} | {:.2} | {shown} |", a.0 * 1e3, b.0 / a.0, c.0 / a.0);
    }
    println!(
        "\n| ADL | RNTuple | Parquet | Parquet, filters in the scan | derive |\n| --- | --- | --- | --- | --- |"
    );
    for query in adl::queries::QUERIES {
        let [a, b, c] = compare([&ours, &parquet, &pushed], query.sql, rounds).await?;
        let mut derive = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let start = Instant::now();
            let input = adl::derive::Input { file: Path::new(&files[0]), threads: threads() };
            std::hint::black_box((query.derive)(input)?);
            derive.push(start.elapsed());
        }
        let derive = median(&mut derive);
        println!(
            "| {} | {:.1} ms | {:.2} | {:.2} | {:.2} |",
            query.name,
            a.0 * 1e3,
            b.0 / a.0,
            c.0 / a.0,
            derive / a.0
        );
    }
    Ok(())
}

/// The medians of contexts that run a query in turn, and what each has read.
async fn compare(contexts: [&SessionContext; 3], query: &str, rounds: usize) -> Result<[(f64, usize); 3]> {
    let mut times = [const { Vec::new() }; 3];
    let mut read = [0; 3];
    for round in 0..=rounds {
        for (number, context) in contexts.iter().enumerate() {
            let (time, bytes) = run(context, query).await?;
            // The first round warms caches.
            if round > 0
                && let Some(times) = times.get_mut(number)
            {
                times.push(time);
            }
            if let Some(read) = read.get_mut(number) {
                *read = bytes;
            }
        }
    }
    let mut read = read.into_iter();
    Ok(times.map(|mut times| (median(&mut times), read.next().unwrap_or_default())))
}

/// Writes the same events as RNTuple and as Parquet, with zstd of level 1.
async fn write(folder: &Path, count: u64) -> std::result::Result<[String; 2], Box<dyn Error>> {
    let made = folder.join("made.root");
    adl::event::write(&made, 1, count, rntuple::Compression::zstd(1))?;
    let context = context(false);
    let made = made.to_str().ok_or("the temporary folder has a name that is not UTF-8")?;
    let table = RNTupleTable::open(&context.state(), [made], TableOptions::new()).await?;
    context.register_table("events", Arc::new(table))?;
    let name = |name: &str| folder.join(name).display().to_string();
    let files = [name("events.root"), name("events.parquet")];
    for (file, compression) in files.iter().zip(["zstd:1", "zstd(1)"]) {
        let copy = format!(
            "COPY (SELECT * FROM events ORDER BY event) TO '{file}' OPTIONS ('format.compression' '{compression}')"
        );
        context.sql(&copy).await?.collect().await?;
        println!("{file}: {} MB", std::fs::metadata(file)?.len() / 1_000_000);
    }
    Ok(files)
}
