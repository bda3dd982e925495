//! Files that no machine has: they are on a server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datafusion::prelude::SessionContext;
use rntuple_datafusion::{RNTupleTable, TableOptions};
use rntuple_dataset::Location;
use rntuple_remote_tests::http::{Fault, FileServer, Rule};
use rntuple_remote_tests::servers::{Moto, Xrootd};

use crate::queries::{QUERIES, failure, local, rows, tables};
use crate::{FILES, Sample};

/// Serves the files of the sample over HTTP. The URL of the server is that of a store.
pub fn serve(sample: &Sample) -> (FileServer, String) {
    let server = FileServer::of_folder(&sample.path("")).unwrap();
    let store = server.url("");
    (server, store)
}

/// Has the server take seconds for each file, until its rules are cleared.
pub fn slow(server: &FileServer) {
    server.add(Rule::new(Fault::Trickle { bytes: 512, pause: Duration::from_millis(100) }).method("GET"));
}

/// The names of the files of the sample, those of the data set among them.
fn files(sample: &Sample) -> Vec<String> {
    fn within(folder: &Path, name: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{name}{}", entry.file_name().to_str().unwrap());
            match entry.path().is_dir() {
                true => within(&entry.path(), &format!("{name}/"), found),
                false => found.push(name),
            }
        }
    }
    let mut found = Vec::new();
    within(&sample.path(""), "", &mut found);
    found
}

/// Makes the tables of files at other URLs than those of this machine, by patterns or by their names.
async fn register(context: &SessionContext, url: &dyn Fn(&str) -> String, has_patterns: bool) {
    let of_runs = |name: &str| -> Vec<String> {
        match has_patterns {
            true => vec![url(&format!("{name}*.root"))],
            false => (0..FILES).map(|run| url(&format!("{name}{run}.root"))).collect(),
        }
    };
    let files =
        [("events", of_runs("run")), ("runs", vec![url("luminosity.root")]), ("sorted", of_runs("sorted"))];
    for (name, files) in files {
        let table = RNTupleTable::open(&context.state(), files, TableOptions::new()).await.unwrap();
        context.register_table(name, Arc::new(table)).unwrap();
    }
}

/// Runs queries over files at other URLs, which must give what the files of this machine give. HTTP servers have no data sets
/// and no patterns: they do not list folders.
pub async fn compare_at(
    there: &SessionContext,
    sample: &Sample,
    url: &dyn Fn(&str) -> String,
    dataset: Option<Location>,
) {
    let here = local();
    tables(&here, sample, &TableOptions::new()).await;
    let has_versions = dataset.is_some();
    register(there, url, has_versions).await;
    if let Some(place) = dataset {
        sample.register_versions(there, &TableOptions::new(), place).await;
    }
    let is_of_version = |query: &str| query.contains(" old") || query.contains(" version");
    for query in QUERIES.iter().filter(|query| has_versions || !is_of_version(query)) {
        assert_eq!(rows(there, query).await, rows(&here, query).await, "{query}");
    }
}

/// Runs queries over files on the server, which `there` reads and `others`, who were not given the store, do not.
pub async fn elsewhere(
    there: &SessionContext,
    others: &SessionContext,
    sample: &Sample,
    server: &FileServer,
) {
    let url = |name: &str| server.url(&format!("/{name}"));
    compare_at(there, sample, &url, None).await;
    let requests = server.take_requests();
    assert!(requests.iter().any(|request| request.header("range").is_some()), "{requests:?}");

    register(others, &url, false).await;
    let error = failure(others, "SELECT run, sum(number) FROM events GROUP BY run").await;
    assert!(error.contains(&server.address().to_string()), "{error}");
}

/// Serves the files of the sample over `root://`; `None`: there is no such server on this machine. Returns the URL of its
/// store as well.
pub fn serve_root(sample: &Sample) -> Option<(Xrootd, String)> {
    let server = Xrootd::start()?;
    for name in files(sample) {
        let to = server.folder().join(&name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(sample.path(&name), to).unwrap();
    }
    let store = format!("root://{}", server.address());
    Some((server, store))
}

/// The bucket of [`serve_s3`].
pub const BUCKET: &str = "s3://campaign";

/// The keys that [`serve_s3`] takes, as any others.
const KEYS: [(&str, &str); 4] = [
    ("AWS_ACCESS_KEY_ID", "campaign-key"),
    ("AWS_SECRET_ACCESS_KEY", "campaign-secret"),
    ("AWS_REGION", "us-east-1"),
    ("AWS_ALLOW_HTTP", "true"),
];

/// Serves the files of the sample as objects of a [bucket](BUCKET); `None`: there is no such server on this machine.
/// Returns the variables of the environment that a process needs, `NAME=value`.
pub fn serve_s3(sample: &Sample) -> Option<(Moto, Vec<String>)> {
    let server = Moto::start()?;
    server.create_bucket("campaign").unwrap();
    for name in files(sample) {
        server.put("campaign", &name, &std::fs::read(sample.path(&name)).unwrap()).unwrap();
    }
    let keys = KEYS.iter().map(|(name, value)| format!("{name}={value}"));
    let variables = keys.chain([format!("AWS_ENDPOINT_URL={}", server.endpoint())]).collect();
    Some((server, variables))
}

/// Gives a session the bucket of [`serve_s3`], and this process the keys of it. Returns where its data set is.
pub fn register_s3(context: &SessionContext, server: &Moto) -> Location {
    let options = rntuple_object_store::Options::new().config("aws_endpoint_url", server.endpoint());
    let options = KEYS.iter().fold(options, |options, (name, value)| options.config(*name, *value));
    let (store, _) = rntuple_object_store::store(BUCKET, &options).unwrap();
    context.register_object_store(&BUCKET.try_into().unwrap(), store);
    rntuple_object_store::register_with(options.clone());
    Location::with_options(&format!("{BUCKET}/events.rnds"), &options).unwrap()
}
