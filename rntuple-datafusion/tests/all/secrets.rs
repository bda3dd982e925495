//! What grants access is in no plan, no explanation and no error.

use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    logical_plan_to_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use futures_util::StreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use rntuple::storage::{LocalFile, Memory, Protocol, ReadAt};
use rntuple::{WriteOptions, Writer};
use rntuple_datafusion::{RNTupleLogicalCodec, RNTuplePhysicalCodec, RNTupleTable, TableOptions};
use rntuple_dataset::{Location, Log, Table};

use crate::sample::{Event, context, event, rows};

const SECRET: &str = "pass-word";

fn assert_public(text: &[u8], place: &str) {
    let has_secret = text.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!has_secret, "{place}: {}", String::from_utf8_lossy(text));
}

/// Asserts that nothing that is sent or shown of a query has the secret.
async fn assert_query_is_public(context: &SessionContext, query: &str) {
    let plan = context.sql(query).await.unwrap();
    let logical = plan.logical_plan().clone();
    let bytes = logical_plan_to_bytes_with_extension_codec(&logical, &RNTupleLogicalCodec::default());
    assert_public(&bytes.unwrap(), "the logical plan");
    let physical = plan.create_physical_plan().await.unwrap();
    let bytes = physical_plan_to_bytes_with_extension_codec(physical, &RNTuplePhysicalCodec::default());
    assert_public(&bytes.unwrap(), "the physical plan");
    for explain in ["EXPLAIN", "EXPLAIN VERBOSE", "EXPLAIN ANALYZE"] {
        let shown = rows(context, &format!("{explain} {query}")).await.join("\n");
        assert!(shown.contains("DataSourceExec"), "{shown}");
        assert_public(shown.as_bytes(), explain);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_and_tokens_of_urls_stay_here() {
    let store = Arc::new(InMemory::new());
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new().statistics(true)).unwrap();
    (0..100).try_for_each(|number| writer.fill(&event(1, number))).unwrap();
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    store.put(&Path::from("run1.root"), bytes.into()).await.unwrap();
    let context = context(2, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store);
    let open = async |url: &str| RNTupleTable::open(&context.state(), [url], TableOptions::new()).await;
    let table = open("memory://me:pass-word@files/run1.root?token=pass-word").await.unwrap();
    assert_public(format!("{table:?}").as_bytes(), "the table");
    context.register_table("events", Arc::new(table)).unwrap();
    let query = "SELECT number FROM events WHERE met > 3 ORDER BY number";
    assert_query_is_public(&context, query).await;
    for url in [
        "memory://me:pass-word@files/none/?token=pass-word",
        "memory://me:pass-word@files/none.root?token=pass-word",
        "memory://me:pass-word@elsewhere/run1.root?token=pass-word",
        "memory://me:pass-word@files:broken/run1.root?token=pass-word",
    ] {
        let error = open(url).await.map(|_| ()).unwrap_err();
        assert_public(error.to_string().as_bytes(), url);
        assert_public(format!("{error:?}").as_bytes(), url);
    }
    let two = ["memory://me:pass-word@files/run1.root", "memory://me:pass-word@elsewhere/run1.root"];
    let error = RNTupleTable::open(&context.state(), two, TableOptions::new()).await.map(|_| ()).unwrap_err();
    assert_public(error.to_string().as_bytes(), "two stores");
}

/// The plan before any rule is DataFusion's own: it has the URL as it was written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_and_tokens_of_targets_are_in_no_plan_that_is_sent() {
    let store = Arc::new(InMemory::new());
    let context = context(1, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    for (number, target) in ["a.root?token=pass-word", "b.root"].iter().enumerate() {
        let query = format!("COPY (SELECT 1 AS a) TO 'memory://me:pass-word@files/{target}' STORED AS ROOT");
        let plan = context.sql(&query).await.unwrap().into_optimized_plan().unwrap();
        let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &RNTupleLogicalCodec::default());
        assert_public(&bytes.unwrap(), "the logical plan");
        let plan = context.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
        assert_public(displayable(plan.as_ref()).indent(true).to_string().as_bytes(), "the plan");
        assert_public(format!("{plan:?}").as_bytes(), "the plan for debugging");
        let bytes =
            physical_plan_to_bytes_with_extension_codec(plan.clone(), &RNTuplePhysicalCodec::default());
        assert_public(&bytes.unwrap(), "the physical plan");
        collect(plan, context.task_ctx()).await.unwrap();
        assert_eq!(store.list(None).count().await, number + 1);
    }
}

#[tokio::test]
async fn options_that_are_refused_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(1, 64);
    let folder = folder.path().display();
    for query in [
        format!(
            "CREATE EXTERNAL TABLE t STORED AS RNTUPLE LOCATION '{folder}/' OPTIONS ('aws.secret_access_key' 'pass-word')"
        ),
        format!(
            "CREATE EXTERNAL TABLE t STORED AS RNTUPLE LOCATION '{folder}/' OPTIONS ('format.aws_secret_access_key' 'pass-word')"
        ),
        format!(
            "COPY (SELECT 1 AS a) TO '{folder}/x.root' OPTIONS ('format.aws_secret_access_key' 'pass-word')"
        ),
    ] {
        let error = match context.sql(&query).await {
            Ok(planned) => planned.collect().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(error.to_string().contains("secret_access_key"), "{error}");
        assert_public(error.to_string().as_bytes(), &query);
    }
}

/// Opens the files of this machine whose paths are those of URLs.
struct Local;

impl Protocol for Local {
    fn open(&self, url: &str) -> std::io::Result<Arc<dyn ReadAt>> {
        let (_, path) = url.split_once("@host").unwrap();
        Ok(Arc::new(LocalFile::open(path)?))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_place_of_a_data_set_is_sent_without_its_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.rnds");
    rntuple::storage::register("secret", Arc::new(Local));
    let made = tokio::task::spawn_blocking(move || {
        let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
        table
            .append::<Event>(|writer| (0..100).try_for_each(|number| writer.fill(&event(1, number))))
            .unwrap();
        let prefix = Path::from_absolute_path(&path).unwrap();
        let root = format!("secret://me:pass-word@host{}", path.display());
        let location = Location::in_store(Arc::new(LocalFileSystem::new()), prefix, &root);
        Table::from_log(Log::new(location)).unwrap().snapshot().unwrap()
    });
    let snapshot = made.await.unwrap();
    let context = context(2, 64);
    let store = ObjectStoreUrl::parse("secret://host").unwrap();
    context.register_object_store(store.as_ref(), Arc::new(InMemory::new()));
    let table = RNTupleTable::snapshot(&snapshot, TableOptions::new()).await.unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
    let query = "SELECT number FROM events WHERE number > 1090 ORDER BY number";
    assert_eq!(rows(&context, query).await.len(), 9);
    assert_query_is_public(&context, query).await;
}
