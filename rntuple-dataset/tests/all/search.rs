//! Searching by a key in a large data set that is sorted by it: how many reads that takes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use futures_util::stream::{BoxStream, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use rntuple::storage::{Protocol, ReadAt, WriteAt};
use rntuple::{Compression, RNTuple, Value, WriteOptions, Writer};
use rntuple_dataset::{Adopt, IndexOptions, Location, Log, Snapshot, Source, Table};

const BLOCK: usize = 4096;

/// How schemes begin whose files are as those of a disk: readers ask for no more than they need, since each request takes
/// little time.
const NEAR: &str = "near";

/// Bytes of which blocks of zeros are not kept.
#[derive(Debug, Default)]
struct Sparse {
    size: u64,
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

impl Sparse {
    fn write(&mut self, mut at: u64, mut bytes: &[u8]) {
        self.size = self.size.max(at + bytes.len() as u64);
        while !bytes.is_empty() {
            let (block, from) = (at / BLOCK as u64, (at % BLOCK as u64) as usize);
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - from));
            if self.blocks.contains_key(&block) || now.iter().any(|byte| *byte != 0) {
                let kept = self.blocks.entry(block).or_insert_with(|| Box::new([0; BLOCK]));
                kept[from..from + now.len()].copy_from_slice(now);
            }
            (at, bytes) = (at + now.len() as u64, rest);
        }
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        if at + buffer.len() as u64 > self.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (number, byte) in (at..).zip(buffer) {
            *byte = self
                .blocks
                .get(&(number / BLOCK as u64))
                .map_or(0, |it| it[(number % BLOCK as u64) as usize]);
        }
        Ok(())
    }
}

/// What was asked of a store.
#[derive(Debug, Default)]
struct Asked {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Asked {
    fn add(&self, bytes: u64) {
        self.requests.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Requests and bytes so far.
    fn take(&self) -> (u64, u64) {
        (self.requests.swap(0, Relaxed), self.bytes.swap(0, Relaxed))
    }
}

/// A store that counts what is asked of it: small files, and files at URLs of the scheme `counted`.
#[derive(Debug, Default)]
struct Counted {
    small: InMemory,
    files: Mutex<BTreeMap<String, Arc<Sparse>>>,
    asked: Arc<Asked>,
}

struct Opened {
    file: Arc<Sparse>,
    asked: Arc<Asked>,
    url: String,
    is_remote: bool,
}

impl ReadAt for Opened {
    fn size(&self) -> u64 {
        self.file.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.asked.add(buffer.len() as u64);
        self.file.read(offset, buffer)
    }

    fn is_remote(&self) -> bool {
        self.is_remote
    }

    fn name(&self) -> &str {
        &self.url
    }
}

struct Written {
    store: Arc<Counted>,
    url: String,
    file: Sparse,
}

impl WriteAt for Written {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut at = offset;
        for part in parts {
            self.file.write(at, part);
            at += part.len() as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn publish(&mut self) -> io::Result<()> {
        let file = Arc::new(std::mem::take(&mut self.file));
        self.store.files.lock().unwrap().insert(self.url.clone(), file);
        // The store says that it is there.
        let path = Path::from(self.url.split_once("://shelf/").unwrap().1);
        let store = self.store.clone();
        let put =
            async move { store.small.put(&path, PutPayload::new()).await.map(drop).map_err(io::Error::from) };
        rntuple_object_store::wait(put)
    }
}

struct Scheme(Arc<Counted>);

impl Protocol for Scheme {
    fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>> {
        let file = self.0.files.lock().unwrap().get(url).cloned();
        // The answer says how large the file is.
        self.0.asked.add(0);
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        let (asked, is_remote) = (self.0.asked.clone(), !url.starts_with(NEAR));
        Ok(Arc::new(Opened { file, asked, url: url.to_owned(), is_remote }))
    }

    fn create(&self, url: &str, _: bool) -> io::Result<Box<dyn WriteAt>> {
        Ok(Box::new(Written { store: self.0.clone(), url: url.to_owned(), file: Sparse::default() }))
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Counted {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.small.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.small.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let got = self.small.get_opts(path, options).await?;
        self.asked.add(got.range.end - got.range.start);
        Ok(got)
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.small.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.asked.add(0);
        self.small.list(prefix).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.small.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.small.copy_opts(from, to, options).await
    }
}

#[derive(RNTuple)]
struct Event {
    run: u32,
    event: u64,
    payload: Vec<u8>,
}

/// A data set whose files begin with one without rows.
struct Shelf {
    store: Arc<Counted>,
    location: Location,
    table: Table,
}

impl Shelf {
    /// The scheme is used once: it leads to one store.
    fn new(scheme: &str) -> Self {
        let store = Arc::new(Counted::default());
        rntuple::storage::register(scheme, Arc::new(Scheme(store.clone())));
        let root = format!("{scheme}://shelf/events.rnds");
        let location = Location::in_store(store.clone(), Path::from("events.rnds"), &root);
        let table = Table::create_in::<Event>(Log::new(location.clone()), "Events").unwrap();
        Self { store, location, table }
    }

    /// Writes a file of one run, in which events have numbers from 0 on, and more of them than `count` if `step` is above 1.
    fn write(&self, run: u32, count: u64, step: u64, payload: usize) -> Source {
        self.write_with(WriteOptions::new(), run, count, step, payload)
    }

    fn write_with(&self, options: WriteOptions, run: u32, count: u64, step: u64, payload: usize) -> Source {
        let path = self.location.data_file(&format!("run{run}.root"));
        let options = options.statistics(true).compression(Compression::NONE);
        let mut writer = Writer::<Event>::create(&path, "Events", options).unwrap();
        let mut row = Event { run, event: 0, payload: vec![0; payload] };
        for number in 0..count {
            row.event = number * step;
            // Pages of the same bytes would be written once.
            let mark = if number % 10 == 0 { number } else { 0 };
            row.payload[..8].copy_from_slice(&mark.to_le_bytes());
            writer.fill(&row).unwrap();
        }
        writer.finish().unwrap();
        Source::new(path, Adopt::InPlace)
    }

    /// Opens the data set and finds one row: the requests and bytes that this takes, and the payload's size.
    fn search(&self, run: u32, event: u64) -> (u64, u64, usize) {
        self.store.asked.take();
        let table = Table::from_log(Log::new(self.location.clone())).unwrap();
        let found = row(&table.snapshot().unwrap(), run, event);
        let (requests, bytes) = self.store.asked.take();
        (requests, bytes, found)
    }
}

fn row(snapshot: &Snapshot, run: u32, event: u64) -> usize {
    let key = format!("run == {run} and event == {event}").parse().unwrap();
    let filtered = snapshot.filter::<Event>(&key).unwrap();
    let rows: Vec<Event> = filtered.entries().collect::<rntuple::Result<_>>().unwrap();
    let [row] = &*rows else { panic!("{} rows", rows.len()) };
    assert_eq!((row.run, row.event), (run, event));
    let counters = filtered.counters();
    let files = counters.files;
    assert_eq!(files.read(), 1, "{counters}");
    assert_eq!(files.considered, snapshot.fragments().len() as u64 - 1);
    row.payload.len()
}

/// Files of three events each, sorted by run and event.
fn many(scheme: &str, files: u32) -> (u64, u64) {
    let shelf = Shelf::new(scheme);
    let sources: Vec<Source> = (0..files).map(|run| shelf.write(run, 3, 1, 20)).collect();
    shelf.table.append_files(&sources).unwrap();
    let snapshot = shelf.table.index_bounds(&IndexOptions::new()).unwrap();
    assert_eq!(snapshot.fragments().len() as u32, files + 1);
    // The size of the manifest is that of the list of files.
    let list = snapshot.manifest().clone();
    let list = rntuple_dataset::format::ManifestFile::from(list).to_bytes().unwrap().len() as u64;
    let (requests, bytes, payload) = shelf.search(files / 2, 2);
    assert_eq!(payload, 20);
    println!("{files} files: {requests} requests, {bytes} bytes, {list} of them the manifest");
    // Again, with the manifest and the index at hand.
    shelf.store.asked.take();
    row(&snapshot, files / 3, 1);
    row(&snapshot, files / 2, 1);
    shelf.store.asked.take();
    row(&snapshot, files - 1, 1);
    let (again, more) = shelf.store.asked.take();
    println!("{files} files, again: {again} requests, {more} bytes");
    (requests, bytes - list)
}

#[test]
fn a_key_is_found_with_few_reads_whatever_the_number_of_files() {
    let (small, few) = many("counted-few", 300);
    let (large, more) = many("counted-many", 3_000);
    assert!(small < 25 && large < 25, "{small}, {large}");
    assert!(large <= small + 2, "{small}, {large}");
    // The bounds of two columns.
    assert!(few < 100_000 && more < 400_000, "{few}, {more}");
}

/// 1 TB is 1000 files of 1 GB. One of them has that size: rows with payloads of zeros, of which every tenth has its number,
/// not compressed, in a storage that does not keep blocks of zeros. The others are files of two rows whose bounds are as those of such files, and are not
/// opened.
#[test]
fn a_key_is_found_in_a_terabyte() {
    const ROWS: u64 = 200_000;
    let shelf = Shelf::new("counted-terabyte");
    let sources: Vec<Source> = (0..1000)
        .map(|run| match run {
            617 => shelf.write(run, ROWS, 1, 5_000),
            _ => shelf.write(run, 2, ROWS - 1, 5_000),
        })
        .collect();
    shelf.table.append_files(&sources).unwrap();
    let snapshot = shelf.table.index_bounds(&IndexOptions::new()).unwrap();
    let large = &snapshot.fragments()[618];
    assert_eq!(large.physical_rows, ROWS);
    let size = large.files[0].file_size_bytes;
    assert!(size > 1_000_000_000, "{size}");
    let (requests, bytes, payload) = shelf.search(617, 123_456);
    println!("1 TB: {requests} requests, {bytes} bytes");
    let values = snapshot.filter::<Value>(&"run == 617 and event == 123456".parse().unwrap()).unwrap();
    assert_eq!(values.matching().unwrap().entry_count(), 1);
    println!("{}", values.counters());
    assert_eq!(payload, 5_000);
    assert!(requests < 30, "{requests}");
    assert!(bytes < 8_000_000, "{bytes}");
}

/// Reads a hundredth of the rows of a data set of some files, which are sorted by a column: returns the bytes that this takes
/// from opening the data set on, and those that its files have.
fn read_a_hundredth(scheme: &str, files: u32, cluster_size: u64, payload: usize) -> (u64, u64) {
    const ROWS: u64 = 200_000;
    const COUNT: u64 = ROWS / 100;
    let shelf = Shelf::new(scheme);
    let rows = ROWS / u64::from(files);
    let options = || WriteOptions::new().cluster_size(cluster_size);
    let sources: Vec<Source> =
        (0..files).map(|run| shelf.write_with(options(), run, rows, 1, payload)).collect();
    shelf.table.append_files(&sources).unwrap();
    shelf.table.index_bounds(&IndexOptions::new()).unwrap();
    shelf.store.asked.take();
    let snapshot = Table::from_log(Log::new(shelf.location.clone())).unwrap().snapshot().unwrap();
    // In the middle of a file.
    let (run, wanted) = (files / 2, rows / 3..rows / 3 + COUNT);
    let query = format!("run == {run} and event >= {} and event < {}", wanted.start, wanted.end);
    let filtered = snapshot.filter::<Event>(&query.parse().unwrap()).unwrap();
    let found: Vec<Event> = filtered.entries().collect::<rntuple::Result<_>>().unwrap();
    let (requests, bytes) = shelf.store.asked.take();
    assert!(found.iter().map(|row| (row.run, row.event)).eq(wanted.map(|event| (run, event))));
    let all = snapshot.fragments().iter().flat_map(|fragment| &fragment.files);
    let all = all.map(|file| file.file_size_bytes).sum();
    println!("{files} files, clusters of {cluster_size} bytes: {requests} requests, {bytes} of {all} bytes");
    (bytes, all)
}

#[test]
fn a_hundredth_of_the_rows_takes_less_than_a_twentieth_of_the_bytes() {
    for (files, cluster_size) in [(1, 128 << 20), (1, 1 << 20), (20, 128 << 20), (20, 1 << 20)] {
        let scheme = format!("near-{files}-{cluster_size}");
        let (bytes, all) = read_a_hundredth(&scheme, files, cluster_size, 100);
        assert!(all > 20_000_000, "{all}");
        assert!(bytes * 20 < all, "{scheme}: {bytes} of {all} bytes");
    }
    // Of a server, readers rather ask for some more than for several parts.
    for (files, cluster_size) in [(1, 128 << 20), (20, 1 << 20)] {
        let scheme = format!("far-{files}-{cluster_size}");
        let (bytes, all) = read_a_hundredth(&scheme, files, cluster_size, 500);
        assert!(all > 100_000_000, "{all}");
        assert!(bytes * 20 < all, "{scheme}: {bytes} of {all} bytes");
    }
}

/// A file is adopted by what it says of itself, whatever it has.
#[test]
fn a_large_file_is_appended_with_as_few_reads_as_a_small_one() {
    let append = |scheme: &str, rows: u64| {
        let shelf = Shelf::new(scheme);
        let source = shelf.write(1, rows, 1, 100);
        shelf.store.asked.take();
        let snapshot = shelf.table.append_files(&[source]).unwrap();
        let (requests, bytes) = shelf.store.asked.take();
        let size = snapshot.fragments()[1].files[0].file_size_bytes;
        println!("{rows} rows: {requests} requests, {bytes} bytes for a file of {size}");
        (requests, bytes, size)
    };
    let (small, ..) = append("appended-small", 10);
    let (few, little, _) = append("appended-medium", 5_000);
    let (many, much, size) = append("appended-large", 40_000);
    assert_eq!(many, few);
    // A small file comes as a whole with its end.
    assert!(many <= small + 1, "{many}, {small}");
    assert!(size > 4_000_000, "{size}");
    assert!(much < little + 100_000, "{much}, {little}");
}
