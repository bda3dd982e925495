use rntuple::{RNTuple, Reader};
use rntuple_datafusion::TableOptions;

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
