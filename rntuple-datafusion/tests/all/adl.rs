//! The ADL benchmark: SQL and loops over structs give the same histograms.

#[path = "../../examples/adl/mod.rs"]
mod benchmark;

use std::path::Path;

use benchmark::derive::Input;
use benchmark::event::write;
use benchmark::histogram::{BINS, Histogram};
use benchmark::queries::QUERIES;
use rntuple::Compression;
use rntuple_datafusion::TableOptions;

use crate::sample::{context, tables};

const EVENTS: u64 = 10_000;

fn file(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("adl.root");
    write(&file, 1, EVENTS, Compression::zstd(1)).unwrap();
    file
}

#[tokio::test]
async fn sql_and_the_derive_give_the_same_histograms() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path());
    for (partitions, batch_size) in [(1, 8192), (2, 1000)] {
        let context = context(partitions, batch_size);
        tables(&context, std::slice::from_ref(&file), TableOptions::new()).await;
        for query in QUERIES {
            let name = format!("{}: {}", query.name, query.about);
            let in_sql = Histogram::query(&context, query.sql, query.column, query.axis).await;
            let in_sql = in_sql.unwrap_or_else(|error| panic!("{name}: {error}"));
            let in_rust = (query.derive)(Input { file: &file, threads: partitions }).unwrap();
            assert_eq!(in_sql, in_rust, "{name}");
            let filled = in_rust.counts()[1..=BINS].iter().filter(|count| **count > 0).count();
            assert!(filled >= BINS / 2, "{name}: {filled} bins have entries");
        }
    }
}
