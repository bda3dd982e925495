//! The same SQL over the same events in Parquet, which a script makes, gives the same rows in DuckDB and polars; uproot reads
//! the same from the files.
//!
//! `tests/setup.sh` installs them.

mod engines;
mod text;
mod texts;

use std::path::Path;

use datafusion::prelude::SessionContext;
use rntuple_datafusion::TableOptions;

use crate::peers::engines::{python, run, write_events};
use crate::peers::texts::{Engine, Said, queries};
use crate::sample::{context, tables, write};

async fn rows(context: &SessionContext, query: &str) -> Vec<String> {
    let planned = context.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    text::rows(&planned.collect().await.unwrap_or_else(|error| panic!("{query}: {error}")))
}

/// Compares an engine, and returns how many queries it had the same rows for.
async fn compare(engine: &Engine, python: &Path, context: &SessionContext, file: &Path) -> usize {
    let asked: Vec<(&str, String, Said)> =
        queries().filter_map(|query| engine.text(query).map(|(text, said)| (query, text, said))).collect();
    let texts: Vec<String> = asked.iter().map(|(_, text, _)| text.clone()).collect();
    let mut same = 0;
    let mut wrong = Vec::new();
    for ((query, text, said), found) in asked.iter().zip(run(python, engine.name, file, &texts)) {
        let here = rows(context, query).await;
        let expected: Result<Vec<String>, String> = match said {
            Said::Same => Ok(here.clone()),
            Said::Other(rows) => Ok(rows.iter().map(|row| (*row).to_owned()).collect()),
        };
        if found != expected {
            wrong.push(format!("{text}\n  expected {expected:?}\n  found    {found:?}"));
        } else if matches!(said, Said::Other(_)) && found == Ok(here) {
            wrong.push(format!("{text}\n  the rows are those of DataFusion now"));
        }
        same += usize::from(matches!(said, Said::Same));
    }
    assert!(wrong.is_empty(), "{}:\n{}", engine.name, wrong.join("\n"));
    same
}

#[tokio::test]
async fn duckdb_and_polars_have_the_same_rows() {
    let Some(python) = python("duckdb_and_polars_have_the_same_rows") else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path());
    let context = context(2, 100);
    tables(&context, &files, TableOptions::new()).await;
    let parquet = folder.path().join("events.parquet");
    write_events(&python, &parquet);
    let all = queries().count();
    assert!(all >= 60, "{all}");
    let same = compare(&texts::DUCKDB, &python, &context, &parquet).await;
    assert!(same + 3 >= all, "DuckDB: {same} of {all}");
    let same = compare(&texts::POLARS, &python, &context, &parquet).await;
    assert!(same >= 45, "polars: {same} of {all}");
}

#[tokio::test]
async fn uproot_has_the_same_rows() {
    let Some(python) = python("uproot_has_the_same_rows") else { return };
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path());
    let context = context(2, 100);
    tables(&context, &files[..1], TableOptions::new()).await;
    let expressions: Vec<String> =
        texts::UPROOT.iter().map(|(_, expression)| (*expression).to_owned()).collect();
    let found = run(&python, "uproot", &files[0], &expressions);
    for ((query, expression), found) in texts::UPROOT.iter().zip(found) {
        let found = found.unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert!(!found.is_empty(), "{expression}");
        assert_eq!(found, rows(&context, query).await, "{query}: {expression}");
    }
}
