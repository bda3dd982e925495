//! Files that are open: what a scan needs to know of each, kept for the next one.

use std::fs::Metadata;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::object_store::ObjectStoreUrl;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use rntuple::statistics::{ElementStatistics, Statistics};
use rntuple::{Dataset, EntryList, ErrorKind, ReadOptions, Reader, RootFile, Value};
use rntuple_arrow::to_arrow_schema;
use rntuple_object_store::{ObjectFile, Options};

use crate::columns::Columns;
use crate::error::external;
use crate::options::TableOptions;

/// Of all files on servers: they count their requests together.
static OPTIONS: LazyLock<Options> = LazyLock::new(Options::new);

/// How many files stay open.
const KEPT: usize = 64;

/// Statistics of a file with more clusters than this are not kept.
const MOST_CLUSTERS: u64 = 1 << 14;

/// Where a cluster may be cut, next to what is worth being read apart. A part has many of these pieces, and pages are
/// decoded twice at its two ends alone: parts become more even, and not slower.
const FINER: u64 = 4;

/// Where the ntuple of a file, or of several that are seen as one, comes from.
pub(crate) trait Origin: std::fmt::Debug + Send + Sync {
    /// Opens it. This may wait for a network.
    fn open(&self, file: &ObjectMeta) -> Result<Arc<Dataset>>;

    /// The entries that there are; `None`: all.
    fn live(&self, file: &ObjectMeta) -> Result<Option<EntryList>>;

    /// What is known of all values of a field in a file before that is opened, by the path of the field. Files of which
    /// anything is known have the same fields.
    fn bounds(&self, _file: &ObjectMeta, _path: &str) -> Result<Option<ElementStatistics>> {
        Ok(None)
    }

    /// The statistics of a file that is open. Damaged ones are as good as none.
    fn statistics(&self, file: &Dataset) -> rntuple::Result<Option<Statistics>> {
        own_statistics(file)
    }

    /// Where its files are: those of two places differ, though they may have the same names.
    fn place(&self) -> String;

    /// The folder and the version of the data set that the files are those of.
    fn snapshot(&self) -> Option<(String, u64)> {
        None
    }
}

/// The statistics that a file keeps itself.
pub(crate) fn own_statistics(file: &Dataset) -> rntuple::Result<Option<Statistics>> {
    match Statistics::of(file) {
        Err(error) if error.kind() == ErrorKind::Io => Err(error),
        found => Ok(found.unwrap_or_default()),
    }
}

/// Objects of a store, each with an ntuple.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) url: ObjectStoreUrl,
    pub(crate) ntuple: Option<String>,
}

impl Origin for Objects {
    fn open(&self, meta: &ObjectMeta) -> Result<Arc<Dataset>> {
        let (file, is_same) = match local_path(&self.url, &meta.location)? {
            Some(path) => {
                let file = RootFile::open(&path).map_err(external)?;
                (file, is_same_file(meta, &std::fs::metadata(path)?))
            }
            None => {
                let name = format!("{}{}", self.url.as_str(), meta.location);
                let (store, path) = (self.store.clone(), meta.location.clone());
                let object = ObjectFile::in_store(store, path, Some(meta.size), name, &OPTIONS);
                let object = object.map_err(|error| external(rntuple::Error::from(error)))?;
                let is_same = is_same_object(meta, object.meta());
                (RootFile::from_storage(object).map_err(external)?, is_same)
            }
        };
        // What the plan knows of its rows may be wrong, and parts of it may be planned that it has not.
        if !is_same {
            return exec_err!(
                "{} is not what it was when the query was planned: it was replaced",
                file.name()
            );
        }
        let path = match &self.ntuple {
            Some(path) => path.clone(),
            None => file.only_ntuple().map_err(external)?.path(),
        };
        Ok(Arc::new(Dataset::open(&file, &path).map_err(external)?))
    }

    fn live(&self, _: &ObjectMeta) -> Result<Option<EntryList>> {
        Ok(None)
    }

    fn place(&self) -> String {
        self.url.to_string()
    }
}

/// Whether a file is the one that was listed, as far as its size and its date say.
fn is_same_file(listed: &ObjectMeta, now: &Metadata) -> bool {
    let is_date_known = listed.last_modified.timestamp_micros() != 0;
    let is_date_same = || now.modified().is_ok_and(|date| date == SystemTime::from(listed.last_modified));
    now.len() == listed.size && (!is_date_known || is_date_same())
}

/// Whether an object is the one that was listed, as far as its size and its e-tag say, or else its date: lists and answers
/// may have it in other units.
fn is_same_object(listed: &ObjectMeta, now: &ObjectMeta) -> bool {
    fn bare(tag: &str) -> &str {
        tag.trim_start_matches("W/").trim_matches('"')
    }
    let (was, is) = (listed.last_modified.timestamp(), now.last_modified.timestamp());
    let is_unchanged = match (&listed.e_tag, &now.e_tag) {
        (Some(listed), Some(now)) => bare(listed) == bare(now),
        _ => was == 0 || is == 0 || was.abs_diff(is) <= 1,
    };
    now.size == listed.size && is_unchanged
}

/// The path of an object, if it is a file of this machine.
pub(crate) fn local_path(url: &ObjectStoreUrl, path: &Path) -> Result<Option<PathBuf>> {
    if url.as_str() != "file:///" {
        return Ok(None);
    }
    Ok(Some(LocalFileSystem::new().path_to_filesystem(path)?))
}

/// An open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) columns: Columns,
    /// The entries that there are; `None`: all.
    pub(crate) live: Option<EntryList>,
    /// The entries of each cluster.
    clusters: OnceLock<Vec<Range<u64>>>,
    /// The entries of clusters, or of parts of them where these are worth being read apart.
    pieces: OnceLock<Vec<Range<u64>>>,
    /// What is known of values, once it was asked for. What was read of a column stays as long as the file is open.
    statistics: Mutex<Option<Option<Statistics>>>,
}

impl OpenFile {
    pub(crate) fn new(
        dataset: Arc<Dataset>,
        live: Option<EntryList>,
        options: &TableOptions,
    ) -> Result<Self> {
        let reader = Reader::<Value>::from_dataset(dataset.clone(), ReadOptions::new()).map_err(external)?;
        let schema = reader.selected_schema().map_err(external)?;
        let arrow = to_arrow_schema(&schema, &options.arrow()).map_err(external)?;
        let columns = Columns::of(&arrow, options.leaves);
        let statistics = Mutex::default();
        Ok(Self { dataset, columns, live, clusters: OnceLock::new(), pieces: OnceLock::new(), statistics })
    }

    /// Returns what the origin says of the values of the file. It is asked once: a filter that changes while a query runs asks
    /// again and again, and several threads read parts of one file. Of files with very many clusters nothing is kept.
    ///
    /// # Errors
    /// The storage fails.
    pub(crate) fn statistics(&self, origin: &dyn Origin) -> rntuple::Result<Option<Statistics>> {
        if self.dataset.cluster_count() > MOST_CLUSTERS {
            return origin.statistics(&self.dataset);
        }
        // Others wait for the one that reads.
        let mut kept = self.statistics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*kept {
            return Ok(known.clone());
        }
        let known = origin.statistics(&self.dataset)?;
        Ok(kept.insert(known).clone())
    }

    /// The entries that belong to a part of the file, cluster by cluster. They are those of the pieces whose middle is in
    /// it, if entries are spread evenly over the bytes. Where pages are in the file does not matter: they may be in
    /// several files, and a file of one cluster is work for many threads.
    pub(crate) fn entries_of(&self, file: &PartitionedFile) -> Result<Vec<Range<u64>>> {
        let clusters = self.clusters()?;
        let Some(range) = &file.range else { return Ok(clusters.to_vec()) };
        let offset = |offset: i64| u64::try_from(offset).unwrap_or_default();
        let part = offset(range.start)..offset(range.end);
        let size = file.object_meta.size;
        let total = clusters.last().map_or(1, |last| last.end).max(1);
        let middle = |entries: &Range<u64>| {
            let entry = entries.start + (entries.end - entries.start) / 2;
            let at = u128::from(entry) * u128::from(size) / u128::from(total);
            u64::try_from(at).unwrap_or(u64::MAX).min(size.saturating_sub(1))
        };
        let is_inside = |entry: u64| clusters.binary_search_by_key(&entry, |cluster| cluster.start).is_err();
        let mut parts: Vec<Range<u64>> = Vec::new();
        for piece in self.pieces()?.iter().filter(|entries| part.contains(&middle(entries))) {
            match parts.last_mut() {
                Some(last) if last.end == piece.start && is_inside(piece.start) => last.end = piece.end,
                _ => parts.push(piece.clone()),
            }
        }
        Ok(parts)
    }

    fn pieces(&self) -> Result<&[Range<u64>]> {
        if let Some(pieces) = self.pieces.get() {
            return Ok(pieces);
        }
        let reader = Reader::<Value>::from_dataset(self.dataset.clone(), ReadOptions::new());
        let ranges = reader.and_then(|reader| reader.partitions(usize::MAX)).map_err(external)?;
        let clusters = self.clusters()?;
        let is_cluster = |range: &Range<u64>| {
            let found = clusters.binary_search_by_key(&range.start, |cluster| cluster.start);
            found.is_ok_and(|number| clusters.get(number) == Some(range))
        };
        let mut pieces = Vec::new();
        for range in ranges {
            let count = if is_cluster(&range) { 1 } else { FINER };
            let length = (range.end - range.start).div_ceil(count).max(1);
            let mut start = range.start;
            while start < range.end {
                let end = start.saturating_add(length).min(range.end);
                pieces.push(start..end);
                start = end;
            }
        }
        Ok(self.pieces.get_or_init(|| pieces))
    }

    fn clusters(&self) -> Result<&[Range<u64>]> {
        if let Some(clusters) = self.clusters.get() {
            return Ok(clusters);
        }
        let mut clusters = Vec::new();
        for cluster in self.dataset.clusters() {
            let cluster = cluster.map_err(external)?;
            clusters.push(cluster.first_entry..cluster.first_entry.saturating_add(cluster.entry_count));
        }
        Ok(self.clusters.get_or_init(|| clusters))
    }
}

/// Files that were opened, for a table or for the plans that a codec decodes.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles(Mutex<Vec<(Key, Slot)>>);

/// What an open file is found by.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    place: String,
    meta: ObjectMeta,
    options: TableOptions,
}

/// A file, once the first that asked for it has opened it; others wait.
type Slot = Arc<OnceLock<std::result::Result<Arc<OpenFile>, Arc<DataFusionError>>>>;

impl OpenFiles {
    /// Opens a file, or returns one that is open. This may wait for a network.
    pub(crate) fn open(
        &self,
        meta: &ObjectMeta,
        origin: &dyn Origin,
        options: &TableOptions,
    ) -> Result<Arc<OpenFile>> {
        let slot = self.slot(Key { place: origin.place(), meta: meta.clone(), options: options.clone() });
        let open = || OpenFile::new(origin.open(meta)?, origin.live(meta)?, options).map(Arc::new);
        match slot.get_or_init(|| open().map_err(Arc::new)) {
            Ok(file) => Ok(file.clone()),
            Err(error) => {
                // Those that wait get the same error; a later call tries again.
                self.files().retain(|(_, other)| !Arc::ptr_eq(other, &slot));
                Err(DataFusionError::Shared(error.clone()))
            }
        }
    }

    /// A file of the same place that is open, and has entries.
    pub(crate) fn like(&self, origin: &dyn Origin, options: &TableOptions) -> Option<Arc<OpenFile>> {
        let place = origin.place();
        let files = self.files();
        let alike = files.iter().filter(|(key, _)| key.place == place && key.options == *options);
        let mut open = alike.filter_map(|(_, slot)| slot.get()?.as_ref().ok());
        open.find(|file| file.dataset.entry_count() > 0).cloned()
    }

    fn slot(&self, key: Key) -> Slot {
        let mut files = self.files();
        if let Some((_, slot)) = files.iter().find(|(known, _)| *known == key) {
            return slot.clone();
        }
        if files.len() >= KEPT {
            files.remove(0);
        }
        let slot = Slot::default();
        files.push((key, slot.clone()));
        slot
    }

    fn files(&self) -> MutexGuard<'_, Vec<(Key, Slot)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;

    use datafusion::common::exec_datafusion_err;
    use rntuple::{Compression, RNTuple, WriteOptions, Writer};

    use super::*;

    #[derive(RNTuple)]
    struct Event {
        number: u64,
        hits: Vec<f32>,
    }

    /// A file with clusters of these numbers of entries, and its size.
    fn write(clusters: &[u64]) -> (tempfile::TempDir, OpenFile, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.root");
        let options = WriteOptions::new().compression(Compression::NONE);
        let mut writer = Writer::create(&path, "Events", options).unwrap();
        for count in clusters {
            for number in 0..*count {
                writer
                    .fill(&Event { number, hits: vec![1.0; usize::try_from(number % 5).unwrap()] })
                    .unwrap();
            }
            writer.commit_cluster().unwrap();
        }
        writer.finish().unwrap();
        let dataset = Dataset::open(&RootFile::open(&path).unwrap(), "Events").unwrap();
        let size = path.metadata().unwrap().len();
        (folder, OpenFile::new(Arc::new(dataset), None, &TableOptions::new()).unwrap(), size)
    }

    #[test]
    fn objects_that_were_replaced_are_noticed() {
        let object = |size, tag: Option<&str>, seconds: i64| {
            let mut meta = PartitionedFile::new("a.root", size).object_meta;
            meta.e_tag = tag.map(str::to_owned);
            // There is no other way to a date here.
            let date = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs());
            meta.last_modified = date.into();
            meta
        };
        for (listed, now, is_same) in [
            (object(9, None, 0), object(9, None, 0), true),
            (object(9, None, 0), object(8, None, 0), false),
            (object(9, Some("a"), 5), object(9, Some("\"a\""), 99), true),
            (object(9, Some("\"a\""), 5), object(9, Some("W/\"a\""), 5), true),
            (object(9, Some("\"a\""), 5), object(9, Some("\"b\""), 5), false),
            // A plan that was sent has no e-tags.
            (object(9, None, 50), object(9, Some("\"b\""), 51), true),
            (object(9, None, 50), object(9, Some("\"b\""), 53), false),
            (object(9, None, 50), object(9, None, 0), true),
        ] {
            assert_eq!(is_same_object(&listed, &now), is_same, "{listed:?}, {now:?}");
        }
    }

    /// A file that is opened slowly, and fails some times before.
    #[derive(Debug)]
    struct Slow {
        dataset: Arc<Dataset>,
        failures: usize,
        opened: AtomicUsize,
    }

    impl Origin for Slow {
        fn open(&self, _: &ObjectMeta) -> Result<Arc<Dataset>> {
            let opened = self.opened.fetch_add(1, Relaxed);
            std::thread::sleep(Duration::from_millis(100));
            match opened < self.failures {
                true => Err(exec_datafusion_err!("failure {opened}")),
                false => Ok(self.dataset.clone()),
            }
        }

        fn live(&self, _: &ObjectMeta) -> Result<Option<EntryList>> {
            Ok(None)
        }

        fn place(&self) -> String {
            "slow".to_owned()
        }
    }

    fn meta(name: &str) -> ObjectMeta {
        PartitionedFile::new(name, 1).object_meta
    }

    /// What threads get that ask for a file at the same time.
    fn at_once(files: &OpenFiles, slow: &Slow) -> Vec<Result<Arc<OpenFile>>> {
        let barrier = std::sync::Barrier::new(4);
        let ask = || {
            barrier.wait();
            files.open(&meta("events.root"), slow, &TableOptions::new())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn a_file_is_opened_once_though_several_ask_for_it() {
        let (_folder, file, _) = write(&[3]);
        let slow = Slow { dataset: file.dataset, failures: 1, opened: AtomicUsize::new(0) };
        let files = OpenFiles::default();
        for result in at_once(&files, &slow) {
            assert!(result.unwrap_err().to_string().contains("failure 0"));
        }
        assert_eq!(slow.opened.load(Relaxed), 1);
        // An error is not kept.
        let opened: Vec<_> = at_once(&files, &slow).into_iter().map(Result::unwrap).collect();
        assert_eq!(slow.opened.load(Relaxed), 2);
        assert!(opened.iter().all(|file| Arc::ptr_eq(file, &opened[0])));
    }

    #[test]
    fn files_that_differ_in_anything_are_opened_each() {
        let (_folder, file, _) = write(&[3]);
        let slow = Slow { dataset: file.dataset.clone(), failures: 0, opened: AtomicUsize::new(0) };
        let files = OpenFiles::default();
        let open = |name: &str, options: &TableOptions| files.open(&meta(name), &slow, options).unwrap();
        let plain = TableOptions::new();
        let first = open("a.root", &plain);
        assert!(Arc::ptr_eq(&first, &open("a.root", &plain)));
        assert!(!Arc::ptr_eq(&first, &open("b.root", &plain)));
        assert!(!Arc::ptr_eq(&first, &open("a.root", &TableOptions::new().ntuple("Other"))));
        // The first ones are closed after many others.
        (0..KEPT).for_each(|number| drop(open(&number.to_string(), &plain)));
        assert!(!Arc::ptr_eq(&first, &open("a.root", &plain)));
        assert_eq!(files.files().len(), KEPT);
    }

    /// A file of which it is counted how often its statistics are asked for.
    #[derive(Debug)]
    struct Counted {
        dataset: Arc<Dataset>,
        asked: AtomicUsize,
    }

    impl Origin for Counted {
        fn open(&self, _: &ObjectMeta) -> Result<Arc<Dataset>> {
            Ok(self.dataset.clone())
        }

        fn live(&self, _: &ObjectMeta) -> Result<Option<EntryList>> {
            Ok(None)
        }

        fn statistics(&self, file: &Dataset) -> rntuple::Result<Option<Statistics>> {
            self.asked.fetch_add(1, Relaxed);
            own_statistics(file)
        }

        fn place(&self) -> String {
            "counted".to_owned()
        }
    }

    #[tokio::test]
    async fn statistics_are_asked_once_though_a_filter_changes() {
        let (_folder, file, size) = write(&[10; 40]);
        let (dataset, schema) = (file.dataset, file.columns.schema.clone());
        for partitions in [1, 4] {
            let origin = Arc::new(Counted { dataset: dataset.clone(), asked: AtomicUsize::new(0) });
            let mut config = crate::config().with_target_partitions(partitions).with_batch_size(5);
            config.options_mut().optimizer.repartition_file_min_size = 1;
            let builder = datafusion::execution::SessionStateBuilder::new().with_config(config);
            let builder = crate::with_rntuple(builder.with_default_features());
            let context = datafusion::prelude::SessionContext::new_with_state(builder.build());
            let table = crate::RNTupleTable::new(
                ObjectStoreUrl::local_filesystem(),
                vec![PartitionedFile::new("events.root", size)],
                schema.clone(),
                TableOptions::new(),
                Arc::default(),
                Some(origin.clone()),
            );
            context.register_table("events", Arc::new(table)).unwrap();
            // Each batch has greater numbers, so that the filter is another one after it.
            let query = "SELECT hits FROM events ORDER BY number DESC LIMIT 3";
            for _ in 0..2 {
                let batches = context.sql(query).await.unwrap().collect().await.unwrap();
                assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
            }
            assert_eq!(origin.asked.load(Relaxed), 1, "{partitions}");
        }
    }

    /// The entries of each of `count` parts of the file, which have the same number of bytes.
    fn parts(file: &OpenFile, size: u64, count: u64) -> Vec<Vec<Range<u64>>> {
        let length = size.div_ceil(count);
        let part = |number: u64| {
            let range = (number * length).min(size)..((number + 1) * length).min(size);
            let part = PartitionedFile::new("events.root", size);
            let part = part.with_range(range.start.try_into().unwrap(), range.end.try_into().unwrap());
            file.entries_of(&part).unwrap()
        };
        (0..count).map(part).collect()
    }

    #[test]
    fn each_entry_belongs_to_one_part_of_a_file() {
        for clusters in [&[][..], &[1], &[7, 1, 1], &[200_000], &[60_000, 10, 140_000]] {
            let (_folder, file, size) = write(clusters);
            let total: u64 = clusters.iter().sum();
            for count in [1, 2, 3, 7, 64] {
                let mut end = 0;
                for range in parts(&file, size, count).into_iter().flatten() {
                    assert_eq!(range.start, end, "{clusters:?} in {count}");
                    assert!(!range.is_empty(), "{clusters:?} in {count}");
                    end = range.end;
                }
                assert_eq!(end, total, "{clusters:?} in {count}");
            }
        }
    }

    #[test]
    fn parts_are_even() {
        let entries = |part: &Vec<Range<u64>>| part.iter().map(|range| range.end - range.start).sum::<u64>();
        // Of one cluster, and of two with a cut that is not at half of the bytes.
        for clusters in [&[200_000][..], &[100_000, 100_000], &[130_000, 70_000]] {
            let (_folder, file, size) = write(clusters);
            for part in parts(&file, size, 2) {
                assert!(entries(&part).abs_diff(100_000) < 20_000, "{clusters:?}: {part:?}");
            }
        }
        // What is too small to be cut is not.
        let (_folder, file, size) = write(&[100, 100]);
        assert_eq!(parts(&file, size, 4).into_iter().flatten().collect::<Vec<_>>(), [0..100, 100..200]);
        // A part is a range of each of its clusters, as a filter is asked cluster by cluster.
        let (_folder, file, size) = write(&[60_000, 140_000]);
        let whole = parts(&file, size, 1);
        assert_eq!(whole, [[0..60_000, 60_000..200_000]]);
    }
}
