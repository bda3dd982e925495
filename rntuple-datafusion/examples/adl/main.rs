//! Runs the ADL benchmark on made-up events, in SQL and with the derive: `cargo run --release --example adl -- 1000000`.
//!
//! It prints each histogram, and how long both took. Explained in the book, chapter "The ADL benchmark".

#[path = "mod.rs"]
mod adl;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use adl::derive::Input;
use adl::histogram::Histogram;
use adl::queries::QUERIES;
use rntuple::Compression;
use rntuple_datafusion::{RNTupleTable, TableOptions, session};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("events.root");
    adl::event::write(&file, 1, count, Compression::zstd(1))?;

    let context = session();
    let path = file.to_str().ok_or("the temporary folder has a name that is not UTF-8")?;
    let table = RNTupleTable::open(&context.state(), [path], TableOptions::new()).await?;
    context.register_table("events", Arc::new(table))?;
    let threads = context.copied_config().target_partitions();
    for query in QUERIES {
        let start = Instant::now();
        let in_sql = Histogram::query(&context, query.sql, query.column, query.axis).await?;
        let sql_time = start.elapsed();
        let start = Instant::now();
        let in_rust = (query.derive)(Input { file: &file, threads })?;
        let rust_time = start.elapsed();
        if in_sql != in_rust {
            return Err(
                format!("{} differs: {:?} and {:?}", query.name, in_sql.counts(), in_rust.counts()).into()
            );
        }
        println!("{}: {}\n{in_sql}", query.name, query.about);
        println!("SQL {sql_time:.1?}, derive {rust_time:.1?}\n");
    }
    Ok(())
}
