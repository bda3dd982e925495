//! Which files are looked up, and which are opened, of folders and of lists.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use datafusion::catalog::TableProvider as _;
use datafusion::execution::object_store::ObjectStoreUrl;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use rntuple::storage::Memory;
use rntuple::{RNTuple, WriteOptions, Writer};
use rntuple_datafusion::{RNTupleTable, TableOptions};

use crate::sample::{context, event, rows};

/// A store that notes which objects are read, and lists them from the last to the first.
#[derive(Debug, Default)]
struct Noted {
    objects: InMemory,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    read: BTreeSet<Path>,
    now: Vec<Path>,
    /// The most that were read at a time.
    most: usize,
    /// How many were looked up, and the most at a time.
    looked_up: usize,
    looked_up_now: usize,
    most_looked_up: usize,
}

impl Noted {
    /// The objects that were read since the last call, and how many of them at a time.
    fn take(&self) -> (Vec<String>, usize) {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        (seen.read.iter().map(ToString::to_string).collect(), seen.most)
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Noted")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Noted {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.objects.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        {
            let mut seen = self.seen.lock().unwrap();
            if options.head {
                seen.looked_up += 1;
                seen.looked_up_now += 1;
                seen.most_looked_up = seen.most_looked_up.max(seen.looked_up_now);
            } else {
                seen.read.insert(path.clone());
                seen.now.push(path.clone());
                seen.most = seen.most.max(seen.now.iter().collect::<BTreeSet<_>>().len());
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        {
            let mut seen = self.seen.lock().unwrap();
            if options.head {
                seen.looked_up_now -= 1;
            } else if let Some(place) = seen.now.iter().position(|other| other == path) {
                seen.now.remove(place);
            }
        }
        self.objects.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let listed = self.objects.list(prefix).collect::<Vec<_>>();
        listed.map(|listed| stream::iter(listed.into_iter().rev())).flatten_stream().boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_folders_open_one_file_or_some_at_once() {
    let store = Arc::new(Noted::default());
    for year in 2010..2022 {
        let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new().statistics(true)).unwrap();
        (0..10).for_each(|number| writer.fill(&event(1, number)).unwrap());
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        store.objects.put(&Path::from(format!("data/year={year}/run.root")), bytes.into()).await.unwrap();
    }
    let context = context(2, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    rows(&context, "SET datafusion.execution.meta_fetch_concurrency = 4").await;
    let create = async |name: &str, columns: &str, options: &str| {
        let create = format!(
            "CREATE EXTERNAL TABLE {name} {columns} STORED AS RNTUPLE PARTITIONED BY (year)
            LOCATION 'memory://files/data/' OPTIONS ({options})"
        );
        rows(&context, &create).await;
        store.take()
    };

    let (read, most) = create("events", "", "'format.ntuple' 'Events'").await;
    assert_eq!(read.len(), 12);
    assert!((2..=4).contains(&most), "{most}");

    let alike = "'format.same_schema' 'true'";
    let (read, _) = create("alike", "", alike).await;
    assert_eq!(read, ["data/year=2010/run.root"]);
    let (read, _) = create("declared", "(number BIGINT UNSIGNED, year INT)", alike).await;
    assert_eq!(read, [""; 0]);
    for table in ["alike", "declared"] {
        store.take();
        let query = format!("SELECT sum(number) FROM {table} WHERE year = '2012'");
        context.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(store.take().0, [""; 0], "{query}");
        assert_eq!(rows(&context, &query).await, ["10045"]);
        assert_eq!(store.take().0, ["data/year=2012/run.root"], "{query}");
        assert_eq!(rows(&context, &format!("SELECT count(*) FROM {table}")).await, ["120"]);
    }
}

/// The first file gives columns their order, and where files are declared alike, all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_folder_come_in_the_order_of_their_names() {
    #[derive(RNTuple)]
    struct First {
        number: u64,
    }
    #[derive(RNTuple)]
    struct Later {
        met: f32,
        number: u64,
    }
    let store = Arc::new(Noted::default());
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&First { number: 1 }).unwrap();
    let first = writer.finish_into().unwrap().1.into_bytes();
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Later { met: 0.5, number: 2 }).unwrap();
    let later = writer.finish_into().unwrap().1.into_bytes();
    store.objects.put(&Path::from("data/run1.root"), first.into()).await.unwrap();
    store.objects.put(&Path::from("data/run2.root"), later.into()).await.unwrap();
    let context = context(2, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store);
    for (same_schema, expected) in [(true, &["number"][..]), (false, &["number", "met"])] {
        let options = TableOptions::new().same_schema(same_schema);
        let table = RNTupleTable::open(&context.state(), ["memory://files/data/"], options).await.unwrap();
        let schema = table.schema();
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, expected);
    }
}

/// A list of URLs takes a request for each, as a plan needs their sizes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_list_are_looked_up_some_at_once() {
    let store = Arc::new(Noted::default());
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(1, 1)).unwrap();
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    let mut urls = Vec::new();
    for number in 0..100 {
        store.objects.put(&Path::from(format!("{number}.root")), bytes.clone().into()).await.unwrap();
        urls.push(format!("memory://files/{number}.root"));
    }
    let context = context(2, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store.clone());
    let options = TableOptions::new().same_schema(true);
    let table = RNTupleTable::open(&context.state(), &urls, options).await.unwrap();
    {
        let seen = store.seen.lock().unwrap();
        assert!((100..110).contains(&seen.looked_up), "{seen:?}");
        assert!((2..=32).contains(&seen.most_looked_up), "{seen:?}");
        assert_eq!(seen.read.len(), 1, "{seen:?}");
    }
    context.register_table("events", Arc::new(table)).unwrap();
    assert_eq!(rows(&context, "SELECT count(*), sum(number) FROM events").await, ["100 | 100100"]);
}

/// Wherever a folder is, and whether its files or SQL say what the columns are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_root_files_of_a_folder_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    for year in [2025, 2026] {
        let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        (0..10).for_each(|number| writer.fill(&event(1, number)).unwrap());
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        let inside = folder.path().join(format!("year={year}"));
        std::fs::create_dir(&inside).unwrap();
        for (name, bytes) in [("run.root", bytes), ("notes.txt", b"not a ROOT file".to_vec())] {
            std::fs::write(inside.join(name), &bytes).unwrap();
            store.put(&Path::from(format!("data/year={year}/{name}")), bytes.into()).await.unwrap();
        }
    }
    let context = context(2, 64);
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), store);
    let here = format!("{}/", folder.path().display());
    let of_year = format!("{here}year=2026");
    for (number, (location, columns, partitions, expected)) in [
        (&*here, "", "PARTITIONED BY (year)", "20"),
        (&*here, "(number BIGINT UNSIGNED, year INT)", "PARTITIONED BY (year)", "20"),
        ("memory://files/data/", "", "PARTITIONED BY (year)", "20"),
        ("memory://files/data/", "(number BIGINT UNSIGNED, year INT)", "PARTITIONED BY (year)", "20"),
        (&*of_year, "(number BIGINT UNSIGNED)", "", "10"),
        ("memory://files/data/year=2025/", "(number BIGINT UNSIGNED)", "", "10"),
        ("memory://files/data/year=2025/*.root", "(number BIGINT UNSIGNED)", "", "10"),
        ("memory://files/data/year=2025/", "", "WITH ORDER (number ASC)", "10"),
        ("memory://files/data/year=2025/", "", "", "10"),
        // Only the store says that these are folders.
        ("memory://files/data", "", "PARTITIONED BY (year)", "20"),
        ("memory://files/data", "(number BIGINT UNSIGNED, year INT)", "PARTITIONED BY (year)", "20"),
        ("memory://files/data/year=2025", "(number BIGINT UNSIGNED)", "", "10"),
        ("memory://files/data/year=2025", "", "WITH ORDER (number ASC)", "10"),
        ("memory://files/data/year=2025", "", "", "10"),
        ("memory://files/data/year=2025/run.root", "(number BIGINT UNSIGNED)", "", "10"),
    ]
    .into_iter()
    .enumerate()
    {
        let create = format!(
            "CREATE EXTERNAL TABLE t{number} {columns} STORED AS RNTUPLE {partitions} LOCATION '{location}'"
        );
        rows(&context, &create).await;
        let counted = rows(&context, &format!("SELECT count(number) FROM t{number}")).await;
        assert_eq!(counted, [expected], "{create}");
    }
}
