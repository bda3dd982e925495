use std::path::Path;
use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionContext;
use object_store::memory::InMemory;
use rntuple::statistics::Statistics;
use rntuple::{Dataset, RNTuple, Reader, RootFile};
use rntuple_datafusion::{TableOptions, config, with_rntuple};

use crate::sample::{context, rows, tables, write};

#[derive(RNTuple)]
struct Skim {
    number: u64,
    met: f32,
    pt: Vec<f32>,
}

#[tokio::test]
async fn rows_of_a_query_become_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(3, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let to = folder.path().join("skim.root");
    let query = format!(
        "COPY (SELECT number, met, array_transform(muons, m -> m['pt']) AS pt FROM events WHERE run = 2 ORDER BY number)
         TO '{}' OPTIONS ('format.compression' 'zstd:3', 'format.ntuple' 'Skim')",
        to.display()
    );
    assert_eq!(rows(&context, &query).await, ["400"]);
    let reader = Reader::<Skim>::open(&to, "Skim").unwrap();
    let read: Vec<Skim> = reader.entries().collect::<rntuple::Result<_>>().unwrap();
    assert_eq!(read.len(), 400);
    assert_eq!((read[6].number, read[6].met, &read[6].pt[..]), (2006, 42.0, &[6.0, 16.0][..]));
}

#[tokio::test]
async fn options_that_do_not_exist_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(1, 50);
    let to = folder.path().join("x.root");
    let query = format!("COPY (SELECT 1 AS a) TO '{}' OPTIONS ('format.compresion' 'zstd')", to.display());
    let error = match context.sql(&query).await {
        Ok(planned) => planned.collect().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.to_string().contains("compresion"), "{error}");
    assert!(!to.exists());
}

fn opened(path: &Path) -> Dataset {
    Dataset::open(&RootFile::open(path).unwrap(), "Events").unwrap()
}

#[tokio::test]
async fn files_are_written_as_options_say() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let to = folder.path().join("skim.root");
    for (options, compression, has_statistics) in [
        ("'format.compression' 'lz4:4'", 404, true),
        ("'format.compression' 'none', 'format.statistics' 'true'", 0, true),
        ("'format.compression' 'zstd:5', 'format.statistics' 'false'", 505, false),
    ] {
        let query = format!("COPY (SELECT number FROM events) TO '{}' OPTIONS ({options})", to.display());
        assert_eq!(rows(&context, &query).await, ["1200"]);
        let file = opened(&to);
        for cluster in file.clusters() {
            let cluster = cluster.unwrap();
            let of_columns = cluster.columns.iter().map(|column| column.compression).collect::<Vec<_>>();
            assert_eq!(of_columns, [compression], "{options}");
        }
        assert_eq!(Statistics::of(&file).unwrap().is_some(), has_statistics, "{options}");
    }
    let query = format!("COPY (SELECT number FROM events) TO '{}'", to.display());
    for (options, message) in
        [("'format.compression' 'zip'", "zip"), ("'format.statistics' '1'", "true or false")]
    {
        let error = match context.sql(&format!("{query} OPTIONS ({options})")).await {
            Ok(planned) => planned.collect().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[tokio::test]
async fn no_rows_are_a_file_without_entries() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(2, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let to = folder.path().join("none.root");
    for condition in ["false", "number > 99999"] {
        let query =
            format!("COPY (SELECT number, muons FROM events WHERE {condition}) TO '{}'", to.display());
        assert_eq!(rows(&context, &query).await, ["0"]);
        let file = opened(&to);
        assert_eq!((file.entry_count(), file.schema().find("muons._0.pt").is_some()), (0, true));
    }
    // Where each value has a file of its own, no value is no file.
    let parts = folder.path().join("parts");
    let query = format!(
        "COPY (SELECT number, run FROM events WHERE run > 9) TO '{}/' STORED AS ROOT PARTITIONED BY (run)",
        parts.display()
    );
    assert_eq!(rows(&context, &query).await, ["0"]);
    assert!(!parts.exists() || std::fs::read_dir(parts).unwrap().count() == 0);
}

#[tokio::test]
async fn each_value_of_a_column_has_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(2, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let parts = folder.path().join("parts");
    let query = format!(
        "COPY (SELECT number, met, run FROM events WHERE number % 2 = 0) TO '{}/' STORED AS ROOT PARTITIONED BY (run)",
        parts.display()
    );
    assert_eq!(rows(&context, &query).await, ["600"]);
    for run in 1..4 {
        let files = std::fs::read_dir(parts.join(format!("run={run}"))).unwrap();
        let files: Vec<_> = files.map(|file| opened(&file.unwrap().path())).collect();
        assert_eq!(files.iter().map(Dataset::entry_count).sum::<u64>(), 200, "{run}");
        // The value is in the name alone.
        assert!(
            files
                .iter()
                .all(|file| file.schema().find("run").is_none() && file.schema().find("met").is_some())
        );
    }
}

/// What is sent to a store is on the disk that queries may use before.
#[tokio::test]
async fn files_for_stores_are_written_where_the_session_says() {
    for is_disabled in [false, true] {
        let mode = if is_disabled { DiskManagerMode::Disabled } else { DiskManagerMode::OsTmpDirectory };
        let disk = DiskManagerBuilder::default().with_mode(mode);
        let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk).build_arc().unwrap();
        let builder = SessionStateBuilder::new().with_config(config()).with_default_features();
        let context = SessionContext::new_with_state(with_rntuple(builder.with_runtime_env(runtime)).build());
        let store = ObjectStoreUrl::parse("memory://files").unwrap();
        context.register_object_store(store.as_ref(), Arc::new(InMemory::new()));
        let copy = context.sql("COPY (SELECT 1 AS a) TO 'memory://files/a.root'").await.unwrap();
        match copy.collect().await {
            Ok(_) => assert!(!is_disabled),
            Err(error) => assert!(is_disabled && error.to_string().contains("disabled"), "{error}"),
        }
    }
}
