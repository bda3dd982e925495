//! Files that change between the plan and the query, and folders that change while a session lives.

use std::path::Path;
use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::prelude::SessionContext;
use object_store::ObjectStoreExt as _;
use object_store::memory::InMemory;
use rntuple::storage::Memory;
use rntuple::{Compression, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::sample::{Event, context, event, rows};

fn bytes(count: u64, first: u64) -> Vec<u8> {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    (first..first + count).for_each(|number| writer.fill(&event(1, number)).unwrap());
    writer.finish_into().unwrap().1.into_bytes()
}

async fn open(context: &SessionContext, place: &str) {
    let table = RNTupleTable::open(&context.state(), [place], TableOptions::new()).await.unwrap();
    context.deregister_table("events").unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
}

const SUM: &str = "SELECT count(*), sum(run) FROM events WHERE run > 0";

async fn assert_replaced(context: &SessionContext) {
    let error = context.sql(SUM).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains("run1.root") && error.contains("was replaced"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_was_replaced_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run1.root");
    let place = path.to_str().unwrap();
    let write = |count, first| {
        // Dates of files have some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let unfinished = folder.path().join("unfinished");
        std::fs::write(&unfinished, bytes(count, first)).unwrap();
        std::fs::rename(unfinished, &path).unwrap();
    };
    for (count, first) in [(150, 0), (50, 0), (100, 500)] {
        write(100, 0);
        // Of a file that was not looked into, nothing is open.
        let context = context(1, 64);
        let others = folder.path().join("others");
        std::fs::create_dir_all(&others).unwrap();
        std::fs::write(others.join("run0.root"), bytes(10, 0)).unwrap();
        let files = [others.join("run0.root").to_str().unwrap().to_owned(), place.to_owned()];
        let options = TableOptions::new().same_schema(true);
        let table = RNTupleTable::open(&context.state(), &files, options).await.unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes(100, 0).len() as u64);
        write(count, first);
        assert_replaced(&context).await;
        open(&context, place).await;
        assert_eq!(rows(&context, SUM).await, [format!("{count} | {count}")]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_was_replaced_is_an_error() {
    let context = context(1, 64);
    let store = Arc::new(InMemory::new());
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    let put = async |name: &str, bytes: Vec<u8>| store.put(&name.into(), bytes.into()).await.unwrap();
    for (count, first) in [(150, 0), (50, 0), (100, 500)] {
        put("run0.root", bytes(10, 0)).await;
        put("run1.root", bytes(100, 0)).await;
        let files = ["memory://files/run0.root", "memory://files/run1.root"];
        let options = TableOptions::new().same_schema(true);
        let table = RNTupleTable::open(&context.state(), files, options).await.unwrap();
        context.deregister_table("events").unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        put("run1.root", bytes(count, first)).await;
        assert_replaced(&context).await;
    }
}

fn add(folder: &Path, name: &str) {
    std::fs::write(folder.join(name), bytes(10, 0)).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_are_listed_again_by_each_table() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(1, 64);
    let place = format!("{}/", folder.path().display());
    for (number, name) in (1..).zip(["run1.root", "run2.root"]) {
        add(folder.path(), name);
        add(folder.path(), "run3.txt");
        open(&context, &place).await;
        assert_eq!(rows(&context, SUM).await, [format!("{0} | {0}", number * 10)]);
        open(&context, &format!("{place}run?.root")).await;
        assert_eq!(rows(&context, SUM).await, [format!("{0} | {0}", number * 10)]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_of_two_stores_may_have_the_same_path() {
    let context = context(1, 64);
    for (name, count) in [("memory://one", 10), ("memory://other", 20)] {
        let store = Arc::new(InMemory::new());
        context.register_object_store(ObjectStoreUrl::parse(name).unwrap().as_ref(), store.clone());
        store.put(&format!("data/run{count}.root").into(), bytes(count, 0).into()).await.unwrap();
        open(&context, &format!("{name}/data/")).await;
        assert_eq!(rows(&context, SUM).await, [format!("{count} | {count}")]);
    }
}
