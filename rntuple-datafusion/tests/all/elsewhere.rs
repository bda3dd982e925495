//! Files in a store that is not this machine's file system.

use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreUrl;
use object_store::ObjectStoreExt as _;
use object_store::memory::InMemory;
use object_store::path::Path;
use rntuple::{RNTuple, RootFile, WriteOptions, Writer, storage::Memory};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::sample::{context, event, rows};

/// A session with a store, in which there are files of two runs.
async fn stored() -> (datafusion::prelude::SessionContext, Arc<InMemory>) {
    let store = Arc::new(InMemory::new());
    for run in 1..3 {
        let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new().statistics(true)).unwrap();
        (0..100).try_for_each(|number| writer.fill(&event(run, number))).unwrap();
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        store.put(&Path::from(format!("data/run{run}.root")), bytes.into()).await.unwrap();
    }
    let context = context(3, 64);
    let url = ObjectStoreUrl::parse("memory://files").unwrap();
    context.register_object_store(url.as_ref(), store.clone());
    (context, store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_of_a_store_are_a_table() {
    let (context, store) = stored().await;
    let open = RNTupleTable::open(&context.state(), ["memory://files/data/"], TableOptions::new()).await;
    context.register_table("events", Arc::new(open.unwrap())).unwrap();
    let query = "SELECT count(*), sum(cardinality(muons)) FROM events WHERE number < 1090 OR run = 2";
    assert_eq!(rows(&context, query).await, ["190 | 283"]);

    let copy = "COPY (SELECT number, met FROM events WHERE number >= 2098) TO 'memory://files/skim.root'";
    assert_eq!(rows(&context, copy).await, ["2"]);
    let skim = store.get(&Path::from("skim.root")).await.unwrap().bytes().await.unwrap();
    let skim = RootFile::from_storage(skim.to_vec()).unwrap();
    assert_eq!(rntuple::Dataset::open(&skim, "Events").unwrap().entry_count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn urls_may_be_patterns() {
    let (context, store) = stored().await;
    // What none of the patterns is for.
    for name in ["data/run1.txt", "data/run/x.txt", "data/run_old/run3.root", "run1.root"] {
        store.put(&Path::from(name), "not a ROOT file".into()).await.unwrap();
    }
    for (number, (pattern, count)) in [
        ("data/run*.root", 200),
        ("data/run?.root", 200),
        ("data/run[2].root", 100),
        ("*/run1.root", 100),
        ("**/run2.root", 100),
        ("data/run*.root?token=a*b", 200),
        ("data/run1.root?token=a*b", 100),
    ]
    .into_iter()
    .enumerate()
    {
        let url = format!("memory://files/{pattern}");
        let create = format!("CREATE EXTERNAL TABLE t{number} STORED AS RNTUPLE LOCATION '{url}'");
        rows(&context, &create).await;
        let open = RNTupleTable::open(&context.state(), [&url], TableOptions::new()).await;
        context.deregister_table("events").unwrap();
        context.register_table("events", Arc::new(open.unwrap())).unwrap();
        for table in ["events".to_owned(), format!("t{number}")] {
            let counted = rows(&context, &format!("SELECT count(*) FROM {table}")).await;
            assert_eq!(counted, [count.to_string()], "{pattern}, {table}");
        }
    }
    let none = ["memory://files/data/none*.root"];
    let error =
        RNTupleTable::open(&context.state(), none, TableOptions::new()).await.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("memory://files/data/none*.root"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_was_replaced_is_an_error() {
    let (context, store) = stored().await;
    // So large that it is not in memory once it is open.
    let put = async |first: u64| {
        let options = WriteOptions::new().compression(rntuple::Compression::NONE);
        let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
        (first..first + 20_000).try_for_each(|number| writer.fill(&event(1, number))).unwrap();
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        store.put(&Path::from("data/large.root"), bytes.into()).await.unwrap();
    };
    put(0).await;
    let open =
        RNTupleTable::open(&context.state(), ["memory://files/data/large.root"], TableOptions::new()).await;
    context.register_table("events", Arc::new(open.unwrap())).unwrap();
    put(7).await;
    let error = context.sql("SELECT sum(number) FROM events").await.unwrap().collect().await.unwrap_err();
    assert!(error.to_string().contains("large.root"), "{error}");
}

#[tokio::test]
async fn files_of_one_table_are_in_one_store() {
    let (context, _) = stored().await;
    let paths = ["memory://files/data/run1.root", "/none.root"];
    let error =
        RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("one store"), "{error}");
}

/// DataFusion finds stores by their hosts, and these URLs of Azure have the container before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_one_table_are_in_one_container() {
    let (context, store) = stored().await;
    let url = ObjectStoreUrl::parse("abfss://account.dfs.core.windows.net").unwrap();
    context.register_object_store(url.as_ref(), store);
    let open = async |containers: [&str; 2]| {
        let paths = [(containers[0], 1), (containers[1], 2)]
            .map(|(name, run)| format!("abfss://{name}@account.dfs.core.windows.net/data/run{run}.root"));
        RNTupleTable::open(&context.state(), paths, TableOptions::new()).await
    };
    let error = open(["first", "second"]).await.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("one store") && error.contains("first") && error.contains("second"), "{error}");
    context.register_table("events", Arc::new(open(["first", "first"]).await.unwrap())).unwrap();
    assert_eq!(rows(&context, "SELECT count(*), sum(run) FROM events").await, ["200 | 300"]);
}

/// DataFusion has paths decoded, so that another file would be read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_with_an_escaped_slash_is_refused() {
    let (context, store) = stored().await;
    let url = ObjectStoreUrl::parse("https://host").unwrap();
    context.register_object_store(url.as_ref(), store);
    let open = async |path: &str| {
        let paths = [format!("https://host/{path}")];
        RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.map(drop)
    };
    open("data/run1.root?sig=a%2Fb").await.unwrap();
    for path in ["data%2Frun1.root", "data%2frun1.root?sig=SECRET", "data%2F*.root?sig=SECRET"] {
        let error = open(path).await.unwrap_err().to_string();
        assert!(error.contains("escaped slash") && !error.contains("SECRET"), "{error}");
        // DataFusion lists the files of a table whose columns are declared.
        let create = format!(
            "CREATE EXTERNAL TABLE events (number BIGINT UNSIGNED) STORED AS RNTUPLE LOCATION 'https://host/{path}'"
        );
        let error = context.sql(&create).await.map(drop).unwrap_err().to_string();
        assert!(error.contains("escaped slash") && !error.contains("SECRET"), "{error}");
    }
}

/// Columns that came while the file was written.
#[tokio::test]
async fn late_columns_are_zeros_before() {
    #[derive(RNTuple)]
    struct First {
        number: u64,
    }
    #[derive(RNTuple)]
    struct Late {
        weight: f64,
    }
    let folder = tempfile::tempdir().unwrap();
    for has_statistics in [false, true] {
        let path = folder.path().join("late.root");
        let options = WriteOptions::new().statistics(has_statistics);
        let mut writer = Writer::create(&path, "Events", options).unwrap();
        (0..10).try_for_each(|number| writer.fill(&First { number })).unwrap();
        writer.commit_cluster().unwrap();
        let mut writer = writer.extend::<Late>().unwrap();
        (10..20)
            .try_for_each(|number| writer.fill_both(&First { number }, &Late { weight: number as f64 }))
            .unwrap();
        writer.finish().unwrap();
        let context = context(2, 64);
        let paths = [path.to_str().unwrap()];
        let table = RNTupleTable::open(&context.state(), paths, TableOptions::new()).await.unwrap();
        context.register_table("events", Arc::new(table)).unwrap();
        let query = "SELECT count(*), sum(weight) FROM events WHERE weight = 0 OR number > 17";
        assert_eq!(rows(&context, query).await, ["12 | 37.0"]);
        assert_eq!(rows(&context, "SELECT count(*) FROM events WHERE weight < 5").await, ["10"]);
        let query = "SELECT number FROM events ORDER BY weight, number LIMIT 2";
        assert_eq!(rows(&context, query).await, ["0", "1"]);
    }
}
