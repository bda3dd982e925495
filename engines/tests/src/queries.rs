//! Queries, and their results in one process.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};
use rntuple_node::{Limits, Stores};

use crate::Sample;
use crate::process::within;
use crate::sample::text;

/// Queries with one right result, in order.
pub const QUERIES: &[&str] = &[
    "SELECT count(*), sum(number), min(met), max(met), avg(met) FROM events",
    "SELECT count(*) FROM events WHERE number >= 3500 AND number < 4500",
    "SELECT run, count(*), sum(met), max(number) FROM events WHERE met > 20 GROUP BY run ORDER BY run",
    "SELECT name, count(DISTINCT run), sum(cardinality(muons)) FROM events GROUP BY name ORDER BY name",
    "SELECT number, met FROM events ORDER BY met DESC, number LIMIT 12",
    // A list of structs, of which one member is read.
    "SELECT number, array_transform(muons, m -> m['pt'] * 2) FROM events \
     WHERE array_any_match(muons, m -> m['pt'] > 78) ORDER BY number",
    "SELECT run, sum(array_sum(array_transform(muons, m -> m['pt']))) FROM events GROUP BY run ORDER BY run",
    "SELECT r.luminosity, count(*), sum(e.met) FROM events e JOIN runs r ON e.run = r.run \
     WHERE r.luminosity > 1 GROUP BY r.luminosity ORDER BY r.luminosity",
    "SELECT a.number, b.met FROM events a JOIN events b ON a.number = b.number + 1 \
     WHERE a.met > 98 AND b.met > 90 ORDER BY a.number LIMIT 50",
    // Of files that are in order, and overlap.
    "SELECT number, met FROM sorted WHERE met > 95 ORDER BY number",
    "SELECT number, met FROM sorted ORDER BY number LIMIT 11",
    // Versions of a data set: with and without deleted rows, and with a column of a file of its own.
    "SELECT count(*), sum(number) FROM old",
    "SELECT run, count(*), sum(weight) FROM version GROUP BY run ORDER BY run",
    "SELECT v.number, v.weight, e.name FROM version v JOIN events e ON v.number = e.number \
     WHERE v.number > 1995 AND v.number < 3095 ORDER BY v.number",
    "SELECT number, sum(met) OVER (PARTITION BY run ORDER BY number ROWS 2 PRECEDING) FROM events \
     WHERE number % 500 < 5 ORDER BY number",
];

/// A session in this process.
pub fn local() -> SessionContext {
    local_with("file:///")
}

/// The same, with another store.
pub fn local_with(store: &str) -> SessionContext {
    let runtime = Stores::new([store]).runtime(&Limits::default()).unwrap();
    let builder =
        SessionStateBuilder::new().with_config(config().with_target_partitions(2)).with_default_features();
    SessionContext::new_with_state(with_rntuple(builder.with_runtime_env(runtime)).build())
}

/// Makes the tables of the sample.
pub async fn tables(context: &SessionContext, sample: &Sample, options: &TableOptions) {
    sample.register(context, options).await;
}

/// The store of a session that cannot open files.
pub const NO_FILES: &str = "http://127.0.0.1:9";

/// Makes the tables of the sample in a session that was not given the store of their files. Another session has looked into
/// them, so that a query can be planned, and whatever reads or writes a file in this process fails.
pub async fn tables_of_others(context: &SessionContext, sample: &Sample) {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    for name in ["events", "runs", "sorted", "version", "old"] {
        let table = here.table_provider(name).await.unwrap();
        context.register_table(name, table).unwrap();
    }
}

/// Writes a file there, from a session that was not given the store of files, and reads it here. Returns its size.
pub async fn copy_of_others(there: &SessionContext, sample: &Sample) -> u64 {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    let to = text(&sample.path("elsewhere.root"));
    let query = "SELECT number, met, muons FROM events WHERE met > 50";
    let expected = rows(&here, &format!("{query} ORDER BY number")).await;
    let copied = rows(there, &format!("COPY ({query}) TO '{to}'")).await;
    assert_eq!(copied, [expected.len().to_string()]);
    let table = RNTupleTable::open(&here.state(), [&to], TableOptions::new()).await.unwrap();
    here.register_table("copied", std::sync::Arc::new(table)).unwrap();
    assert_eq!(rows(&here, "SELECT number, met, muons FROM copied ORDER BY number").await, expected);
    std::fs::metadata(to).unwrap().len()
}

/// The rows of a query as text, in the order of the query; an error is a panic, as is more than a minute.
pub async fn rows(context: &SessionContext, query: &str) -> Vec<String> {
    let run = async { context.sql(query).await?.collect().await };
    let batches = within(60, query, run).await;
    shown(&batches.unwrap_or_else(|error| panic!("{query}: {error}")))
}

/// How a query fails, which is a panic if it does not, or takes more than a minute.
pub async fn failure(context: &SessionContext, query: &str) -> String {
    let run = async { context.sql(query).await?.collect().await };
    match within(60, query, run).await {
        Ok(batches) => panic!("{query}: {:?}", shown(&batches)),
        Err(error) => error.to_string(),
    }
}

/// Runs all queries here and there.
pub async fn compare(there: &SessionContext, sample: &Sample, options: &TableOptions) {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    tables(there, sample, options).await;
    for query in QUERIES {
        let expected = rows(&here, query).await;
        assert!(!expected.is_empty(), "{query}");
        assert_eq!(rows(there, query).await, expected, "{query}");
    }
}

/// Writes the rows of queries there, to one file and to a file for each run, and reads them here.
pub async fn copies(there: &SessionContext, sample: &Sample) {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    let one = text(&sample.path("skim.root"));
    let query = "SELECT number, met, muons FROM events WHERE met > 50";
    let expected = rows(&here, &format!("{query} ORDER BY number")).await;
    let copy = format!("COPY ({query}) TO '{one}' OPTIONS");
    let counted =
        rows(there, &format!("{copy} ('format.ntuple' 'Skim', 'format.compression' 'lz4:4')")).await;
    assert_eq!(counted, [expected.len().to_string()]);
    let options = TableOptions::new().ntuple("Skim");
    let table = RNTupleTable::open(&here.state(), [&one], options).await.unwrap();
    let file = rntuple::Dataset::open(&rntuple::RootFile::open(&one).unwrap(), "Skim").unwrap();
    let clusters = file.clusters().map(Result::unwrap);
    assert!(clusters.flat_map(|cluster| cluster.columns.clone()).all(|column| column.compression == 404));
    let misspelt =
        async { there.sql(&format!("{copy} ('format.compresion' 'none')")).await?.collect().await };
    let error = misspelt.await.unwrap_err().to_string();
    assert!(error.contains("compresion"), "{error}");
    here.register_table("skim", std::sync::Arc::new(table)).unwrap();
    assert_eq!(rows(&here, "SELECT number, met, muons FROM skim ORDER BY number").await, expected);

    let many = text(&sample.path("skims/"));
    let query = "SELECT number, run FROM events WHERE met > 50";
    let copied =
        rows(there, &format!("COPY ({query}) TO '{many}' STORED AS ROOT PARTITIONED BY (run)")).await;
    assert_eq!(copied, counted);
    let folders = std::fs::read_dir(&many).unwrap().count();
    assert_eq!(folders, usize::try_from(crate::FILES).unwrap());
    let table =
        RNTupleTable::open(&here.state(), [format!("{many}**/*.root")], TableOptions::new()).await.unwrap();
    here.register_table("skims", std::sync::Arc::new(table)).unwrap();
    assert_eq!(
        rows(&here, "SELECT count(*), sum(number) FROM skims").await,
        rows(&here, "SELECT count(*), sum(number) FROM events WHERE met > 50").await
    );
}

/// The number of entries of the ntuple `Events` of a file.
pub fn entries(file: &std::path::Path) -> u64 {
    rntuple::Dataset::open(&rntuple::RootFile::open(file).unwrap(), "Events").unwrap().entry_count()
}

/// Reads what [`copies`] has written as a table of which a column is in the names of folders.
///
/// # Errors
/// Those of the engine.
///
/// # Panics
/// The rows are not those of one process.
pub async fn folders_with_values(there: &SessionContext, sample: &Sample) -> datafusion::common::Result<()> {
    let here = local();
    for context in [there, &here] {
        let create = format!(
            "CREATE EXTERNAL TABLE folders STORED AS RNTUPLE PARTITIONED BY (run) LOCATION '{}'",
            text(&sample.path("skims/"))
        );
        context.sql(&create).await?.collect().await?;
    }
    let query = "SELECT run, count(*), sum(number) FROM folders GROUP BY run ORDER BY run";
    let found = there.sql(query).await?.collect().await?;
    let expected = rows(&here, query).await;
    assert_eq!(expected.len(), usize::try_from(crate::FILES).unwrap());
    assert_eq!(shown(&found), expected);
    Ok(())
}

/// Rows as text.
pub fn shown(batches: &[RecordBatch]) -> Vec<String> {
    let format = FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &format).unwrap());
        let columns: Vec<_> = columns.collect();
        for row in 0..batch.num_rows() {
            let values: Vec<_> = columns.iter().map(|column| column.value(row).to_string()).collect();
            rows.push(values.join(" | "));
        }
    }
    rows
}
