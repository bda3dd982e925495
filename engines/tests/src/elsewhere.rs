//! Files that no machine has: they are on a server.

use std::sync::Arc;

use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_remote_tests::http::FileServer;

use crate::queries::{QUERIES, failure, local, rows, tables};
use crate::{FILES, Sample};

/// Serves the files of the sample over HTTP. The URL of the server is that of a store.
pub fn serve(sample: &Sample) -> (FileServer, String) {
    let server = FileServer::of_folder(&sample.path("")).unwrap();
    let store = server.url("");
    (server, store)
}

/// Makes the tables of files that are on a server.
async fn register(context: &SessionContext, server: &FileServer) {
    let runs: Vec<String> = (0..FILES).map(|run| server.url(&format!("/run{run}.root"))).collect();
    for (name, files) in [("events", runs), ("runs", vec![server.url("/luminosity.root")])] {
        let table = RNTupleTable::open(&context.state(), files, TableOptions::new()).await.unwrap();
        context.register_table(name, Arc::new(table)).unwrap();
    }
}

/// Runs queries over files on the server, which `there` reads and `others`, who were not given the store, do not.
pub async fn elsewhere(
    there: &SessionContext,
    others: &SessionContext,
    sample: &Sample,
    server: &FileServer,
) {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    register(there, server).await;
    server.take_requests();
    // The server has no data sets.
    for query in QUERIES.iter().filter(|query| !query.contains(" old") && !query.contains(" version")) {
        assert_eq!(rows(there, query).await, rows(&here, query).await, "{query}");
    }
    let requests = server.take_requests();
    assert!(requests.iter().any(|request| request.header("range").is_some()), "{requests:?}");

    register(others, server).await;
    let error = failure(others, "SELECT run, sum(number) FROM events GROUP BY run").await;
    assert!(error.contains(&server.address().to_string()), "{error}");
}
